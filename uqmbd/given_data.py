"""Indices from a table of inputs and outputs: measurements, runs of another program, stored runs of a study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from uqmbd.errors import StudyError, did_you_mean

if TYPE_CHECKING:
    import pandas as pd

LEAST_ROWS = 50  # from which densities can be told
LEAST_ALIKE = 5  # rows with the same text, in the mean
LEAST_BEYOND = 10  # rows in the region that is asked about
RESAMPLES, SLICES = 100, 10
FAILED = "failed"  # column of folders of results
SPURIOUS = 4.0  # a rank correlation times the root of the rows, above which it is none by chance


@dataclass(frozen=True, eq=False)
class TableIndices:
    """Indices of the inputs of a table.

    Attributes
    ----------
    frame : pandas.DataFrame
        A row for each output and input: ``first`` with limits ``first_lower`` and ``first_upper``, ``delta``, ``pawn``, and with a limit
        on the output ``region_distance``.
    notes : list of str
        What has to be known of them.

    Examples
    --------
    >>> import numpy as np, pandas as pd, uqmbd as uq
    >>> x = np.linspace(0.0, 1.0, 200)
    >>> uq.indices_of_table(pd.DataFrame({"x": x, "y": x**2}), ["y"]).frame[["output", "input"]].values.tolist()
    [['y', 'x']]
    """

    frame: pd.DataFrame
    notes: list[str]


def indices_of_table(
    data: str | Path | pd.DataFrame,
    outputs: Sequence[str],
    inputs: Sequence[str] | None = None,
    *,
    above: float | None = None,
    below: float | None = None,
    within: Mapping[str, Sequence[Any]] | None = None,
    confidence: float = 0.95,
    seed: int = 0,
) -> TableIndices:
    """Which inputs matter, from a table of runs or measurements, whose rows were drawn in whatever way.

    Parameters
    ----------
    data : str, Path or pandas.DataFrame
        A CSV file with names in its first line, the table itself, or a folder of results: its ok runs, with inputs in the units in which
        they were written; 50 rows at least. Columns of inputs may hold texts, which have no order.
    outputs : list of str
        Columns that depend on others. Of a folder of results also ``failed`` alone, 1 for runs that failed and 0 for the others.
    inputs : list of str, optional
        Columns on which they depend; all others unless given.
    above, below : float, optional
        A limit on the outputs, in the unit of the table: which inputs differ most between the rows beyond it and all rows
        (``region_distance``, Kolmogorov and Smirnov's, from 0 to 1; Hornberger and Spear 1981).
    within : dict of str to list, optional
        Rows that are looked at, by column of an input or an output: ``{"clearance": [0.02, 0.03]}``, or the texts that are left.
    confidence : float
        Of the limits of ``first``.
    seed : int
        Of the resamples.

    Returns
    -------
    TableIndices
        ``first``: share of the variance that an input says (Gamboa and others 2022); of inputs that depend on each other with what it
        says of the others. ``delta``: Borgonovo's, ``pawn``: Pianosi and Wagener's, from 0 to 1; they need no independent rows either,
        and have no limits here.

    Raises
    ------
    StudyError
        Of columns that are not there, that hold no numbers, of too few rows, and of a limit that too few rows are beyond.

    Examples
    --------
    >>> import numpy as np, pandas as pd, uqmbd as uq
    >>> rng = np.random.default_rng(1)
    >>> table = pd.DataFrame({"clearance": rng.random(500), "friction": rng.random(500)})
    >>> table["force"] = 3 * table["clearance"] + table["friction"]
    >>> found = uq.indices_of_table(table, ["force"])
    >>> found.frame.set_index("input")["first"].round(1).to_dict()
    {'clearance': 0.9, 'friction': 0.1}
    """
    import pandas as pd

    from uqmbd.analysis.sensitivity import distances, regional
    from uqmbd.analysis.sensitivity.ranks import first_order, largest_rank_correlation
    from uqmbd.analysis.sensitivity.resampling import by_halves, limits

    names, outputs, values, classes, still = _read(data, outputs, inputs, within)
    x, y = values[:, : len(names)], values[:, len(names) :]
    rng, notes = np.random.default_rng(seed), []
    scaled = y / np.maximum(np.abs(y).max(axis=0), np.finfo(float).tiny)
    kinds = limits("first", *by_halves(first_order, x, scaled, rng, RESAMPLES), confidence, RESAMPLES)
    kinds["delta"] = np.array([distances.delta(x, column, RESAMPLES, np.random.default_rng(seed)) for column in y.T]).T
    alike = np.column_stack([distances.alike(column) for column in y.T])
    kinds["pawn"] = distances.pawn(x, alike, SLICES)
    for k in classes:
        kinds["pawn"][k] = regional.of_classes(x[:, k], alike)
    if above is not None or below is not None:
        far = []
        for name, column in zip(outputs, y.T, strict=True):
            beyond = _beyond(name, column, above, below)
            others = 1 - beyond.mean()  # all rows are others and those beyond
            far.append(others * regional.distances(x, beyond, classes))
            chance = others * regional.by_chance(beyond)
            notes.append(f"{beyond.sum()} rows of {name} are beyond the limit; region_distance is above {chance:.2f} once in 100 by chance")
        kinds["region_distance"] = np.array(far).T
    ordered = [k for k in range(len(names)) if k not in classes]
    rho, *pair = largest_rank_correlation(x[:, ordered]) if len(ordered) > 1 else (0.0, 0, 0)
    i, j = (ordered[k] if ordered else 0 for k in pair)
    if abs(rho) * np.sqrt(len(x)) > SPURIOUS:
        notes.append(f"{names[i]} and {names[j]} have the rank correlation {rho:.2f}: an index of one has in it what it says of the other")
    rows = [
        {"output": output, "input": name} | {kind: float(array[k, c]) for kind, array in kinds.items()}
        for c, output in enumerate(outputs)
        for k, name in enumerate(names)
    ]
    rows += [{"output": output, "input": name} | dict.fromkeys(kinds, 0.0) for output in outputs for name in still]
    notes += [f"{name} is the same in all rows, and nothing is seen of it" for name in still]
    return TableIndices(pd.DataFrame(rows), notes)


def _read(
    data: str | Path | pd.DataFrame, outputs: Sequence[str], inputs: Sequence[str] | None, within: Mapping[str, Sequence[Any]] | None
) -> tuple[list[str], list[str], np.ndarray, list[int], list[str]]:
    """Names of inputs and outputs, their columns, (rows, inputs + outputs), which inputs hold texts; inputs that stay the same."""
    outputs = [outputs] if isinstance(outputs, str) else outputs
    table, file = _table(data, outputs)
    known = [str(name) for name in table.columns]
    names = [name for name in known if name not in outputs and name != FAILED] if inputs is None else list(inputs)
    for key, wanted in (("outputs", outputs), ("inputs", names), ("within", list(within or ()))):
        if not wanted and key != "within":
            raise StudyError(f"{file} has no columns for {key}", key=key, remedy=f"name some of: {', '.join(known)}")
        for name in wanted:
            if known.count(name) != 1:
                fault = "has no column" if name not in known else "has more than one column"
                raise StudyError(f"{file} {fault} '{name}'", key=key, value=name, remedy=did_you_mean(name, known, noun="column"))
    if both := [name for name in names if name in outputs]:
        raise StudyError(f"'{both[0]}' is named as an input and as an output", key="inputs", value=both[0], remedy="take it out of one")
    table = table[_inside(table, within or {})]
    if len(table) < LEAST_ROWS:
        text = f"{file} has {len(table)} rows{' within that part' if within else ''}, and densities need {LEAST_ROWS}"
        raise StudyError(text, key="data", value=len(table), remedy="widen the part" if within else "add rows")
    still = [name for name in names if _stays(table[name])]
    if len(still) == len(names):
        raise StudyError(f"no input of {file} differs from row to row", key="inputs", remedy="name others")
    names, columns, classes = [name for name in names if name not in still], [], []
    for k, name in enumerate((*names, *outputs)):
        column: Any = table[name]
        codes = None if name in outputs else _codes(column)
        if codes is not None and (kinds := int(codes.max()) + 1) * LEAST_ALIKE > len(codes):
            text = f"'{name}' has {kinds} different texts in {len(codes)} rows, too many to compare rows with the same one"
            raise StudyError(text, key="inputs", value=name, remedy="leave the column out: name the inputs")
        classes += [] if codes is None else [k]
        columns.append(_numbers(column, name, file) if codes is None else codes)
    return names, list(outputs), np.column_stack(columns), classes, still


def _table(data: str | Path | pd.DataFrame, outputs: Sequence[str]) -> tuple[pd.DataFrame, str]:
    """The table, and what it is called in sentences."""
    import pandas as pd

    from uqmbd.inputs.table import read_columns

    if isinstance(data, pd.DataFrame):
        return data, "the table"
    if Path(data).is_dir():
        return _runs(Path(data), outputs), f"the folder '{data}'"
    cells = _Texts()
    table = read_columns(str(data), None, least=1, places=cells)
    file = f"the file '{table.name}'"
    return pd.DataFrame({name: cells[name].column(name, file, table.values[:, k]) for k, name in enumerate(table.columns)}), file


def _runs(folder: Path, outputs: Sequence[str]) -> pd.DataFrame:
    """The stored runs of a folder of results: inputs as they were written, outputs that are numbers; `FAILED` where it is asked for."""
    import pandas as pd

    from uqmbd.result import open_results
    from uqmbd.tables.scaling import input_unit

    result = open_results(folder)
    status = result.runs["status"].values
    if FAILED in outputs and len(outputs) > 1:
        raise StudyError("runs that failed have no outputs", key="outputs", value=FAILED, remedy=f"name '{FAILED}' alone")
    rows = status >= 0 if FAILED in outputs else status == 0
    columns: dict[str, Any] = {}
    for key, x in result.runs.data_vars.items():
        if x.dims != ("run",) or key in ("status", "message"):
            continue
        name = str(key).removeprefix("input:")
        if name == key:
            if FAILED not in outputs:
                columns[name] = x.values[rows]
        elif name not in result.facts.inputs or result.facts.inputs[name].kind != "fixed":
            unit = input_unit(result, name)
            columns[name] = [unit.said(value, 6) for value in x.values[rows]] if unit.labels else unit.of(x.values[rows])
    inputs = {str(key).removeprefix("input:") for key in result.runs.data_vars if str(key).startswith("input:")}
    kept = {name: values for name, values in columns.items() if name in inputs or name in outputs}
    return pd.DataFrame(kept | ({FAILED: (status[rows] > 0).astype(float)} if FAILED in outputs else {}))


class _Texts(dict[str, "_Cells"]):
    """By column what reads its cells."""

    def get(self, name: str, default: Any = None) -> Any:
        return self.setdefault(name, _Cells())


class _Cells:
    """Reads numbers, or texts as numbers in the order in which they first occur; cells of one column."""

    def __init__(self) -> None:
        self.texts: dict[str, float] = {}
        self.numbers = 0

    def __call__(self, cell: str) -> float:
        text = cell.strip()
        try:
            number = float(text)
        except ValueError:
            if text:
                return self.texts.setdefault(text, float(len(self.texts)))
            number = np.nan
        if not np.isfinite(number):
            raise StudyError(f"'{text}' is no finite number" if text else "it is empty", remedy="mend the line or take it out")
        self.numbers += 1
        return number

    def column(self, name: str, file: str, values: np.ndarray) -> Any:
        """The column of which these are the numbers."""
        if self.texts and self.numbers:
            text = f"the column '{name}' of {file} holds numbers and texts"
            raise StudyError(text, key="data", value=next(iter(self.texts)), remedy="mend the line or take it out")
        return np.array(list(self.texts), object)[values.astype(int)] if self.texts else values


def _stays(column: Any) -> bool:
    """Whether a column is one finite number."""
    first = column.iloc[0]
    return isinstance(first, (int, float, np.number)) and bool(np.isfinite(first)) and column.nunique(dropna=False) == 1


def _codes(column: pd.Series) -> np.ndarray | None:
    """Numbers of the texts of a column; None where it holds others, or one text alone."""
    values = column.to_numpy(object)
    if not len(values) or not all(isinstance(value, str) for value in values) or len(set(values)) < 2:
        return None
    return np.unique(values.astype(str), return_inverse=True)[1].astype(float)


def _numbers(column: pd.Series, name: str, file: str) -> np.ndarray:
    """A column of finite numbers."""
    import pandas as pd

    values = np.asarray(pd.to_numeric(column, errors="coerce"), float)
    if not np.isfinite(values).all():
        row = int(np.flatnonzero(~np.isfinite(values))[0])
        text = f"row {row + 1} of {file} holds no finite number in the column '{name}'"
        raise StudyError(text, key="data", value=str(column.iloc[row]), remedy="take the row out")
    return values


def parts_of(texts: Sequence[str]) -> dict[str, list[Any]]:
    """Parts as the command has them, ``clearance=0.02,0.03`` and ``law=hertz``."""
    parts: dict[str, list[Any]] = {}
    for text in texts:
        name, equals, ends = text.partition("=")
        if not equals or not name.strip() or not ends.strip():
            raise StudyError("a part of the rows is COLUMN=A,B", key="--within", value=text, remedy="write clearance=0.02,0.03, say")
        words = [word.strip() for word in ends.split(",")]
        try:
            parts[name.strip()] = [float(word) for word in words]
        except ValueError:
            parts[name.strip()] = words
    return parts


def _inside(data: pd.DataFrame, within: Mapping[str, Sequence[Any]]) -> np.ndarray:
    """Which rows are in a part, (rows,)."""
    inside = np.ones(len(data), bool)
    for name, ends in within.items():
        texts = isinstance(ends, (list, tuple)) and all(isinstance(end, str) for end in ends)
        if texts and len(ends):
            inside &= data[name].isin(list(ends)).to_numpy()
        elif isinstance(ends, (list, tuple)) and len(ends) == 2 and not any(isinstance(end, str) for end in ends) and ends[0] < ends[1]:
            inside &= data[name].between(float(ends[0]), float(ends[1])).to_numpy()
        else:
            remedy = f"give two rising numbers, {name}=0.02,0.03, or texts of the column"
            raise StudyError(f"the part of '{name}' is none", key=f"within.{name}", value=ends, remedy=remedy)
    return inside


def _beyond(name: str, column: np.ndarray, above: float | None, below: float | None) -> np.ndarray:
    """Which rows of an output are beyond the limit, (rows,)."""
    beyond = np.zeros(len(column), bool)
    if above is not None:
        beyond |= column > above
    if below is not None:
        beyond |= column < below
    if beyond.sum() < LEAST_BEYOND:
        key, value = ("above", above) if above is not None else ("below", below)
        ends = f"its values go from {column.min():.4g} to {column.max():.4g}"
        text = f"{beyond.sum()} rows of {name} are beyond the limit, and {LEAST_BEYOND} are needed"
        raise StudyError(f"{text}; {ends}", key=key, value=value, remedy="take a limit that more rows are beyond")
    return beyond
