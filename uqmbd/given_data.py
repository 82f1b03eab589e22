"""Indices from a table of inputs and outputs that was made elsewhere: measurements, runs of another program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from uqmbd.errors import StudyError, did_you_mean

if TYPE_CHECKING:
    import pandas as pd

LEAST_ROWS = 50  # from which densities can be told
LEAST_BEYOND = 10  # rows in the region that is asked about
RESAMPLES, SLICES = 100, 10
BY_CHANCE = 1.63  # Kolmogorov and Smirnov's distance times the root of the rows beyond: one in a hundred is larger by chance
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
    confidence: float = 0.95,
    seed: int = 0,
) -> TableIndices:
    """Which inputs matter, from a table of runs or measurements, whose rows were drawn in whatever way.

    Parameters
    ----------
    data : str, Path or pandas.DataFrame
        A CSV file with names in its first line, or the table itself; 50 rows at least.
    outputs : list of str
        Columns that depend on others.
    inputs : list of str, optional
        Columns on which they depend; all others unless given.
    above, below : float, optional
        A limit on the outputs, in the unit of the table: which inputs differ most between the rows beyond it and all rows
        (``region_distance``, Kolmogorov and Smirnov's, from 0 to 1; Hornberger and Spear 1981).
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

    from uqmbd.analysis.reliability.sampling import distances_of_unsafe
    from uqmbd.analysis.sensitivity import distances
    from uqmbd.analysis.sensitivity.ranks import first_order, largest_rank_correlation, unit_ranks
    from uqmbd.analysis.sensitivity.resampling import by_halves, limits

    names, outputs, values = _read(data, outputs, inputs)
    x, y = values[:, : len(names)], values[:, len(names) :]
    rng, notes = np.random.default_rng(seed), []
    scaled = y / np.maximum(np.abs(y).max(axis=0), np.finfo(float).tiny)
    kinds = limits("first", *by_halves(first_order, x, scaled, rng, RESAMPLES), confidence, RESAMPLES)
    kinds["delta"] = np.array([distances.delta(x, column, RESAMPLES, np.random.default_rng(seed)) for column in y.T]).T
    kinds["pawn"] = distances.pawn(x, np.column_stack([distances.alike(column) for column in y.T]), SLICES)
    if above is not None or below is not None:
        u = unit_ranks(x)
        far = []
        for name, column in zip(outputs, y.T, strict=True):
            beyond = _beyond(name, column, above, below)
            far.append(distances_of_unsafe(u[beyond]))
            chance = BY_CHANCE / np.sqrt(beyond.sum())
            notes.append(f"{beyond.sum()} rows of {name} are beyond the limit; region_distance is above {chance:.2f} once in 100 by chance")
        kinds["region_distance"] = np.array(far).T
    rho, i, j = largest_rank_correlation(x)
    if abs(rho) * np.sqrt(len(x)) > SPURIOUS:
        notes.append(f"{names[i]} and {names[j]} have the rank correlation {rho:.2f}: an index of one has in it what it says of the other")
    rows = [
        {"output": output, "input": name} | {kind: float(array[k, c]) for kind, array in kinds.items()}
        for c, output in enumerate(outputs)
        for k, name in enumerate(names)
    ]
    return TableIndices(pd.DataFrame(rows), notes)


def _read(data: str | Path | pd.DataFrame, outputs: Sequence[str], inputs: Sequence[str] | None) -> tuple[list[str], list[str], np.ndarray]:
    """Names of inputs and of outputs, and their columns, (rows, inputs + outputs)."""
    import pandas as pd

    from uqmbd.inputs.table import read_columns

    if isinstance(outputs, str):
        outputs = [outputs]
    if isinstance(data, pd.DataFrame):
        known, file = [str(name) for name in data.columns], "the table"
    else:
        table = read_columns(str(data), None, least=1)
        known, file = list(table.columns), f"the file '{table.name}'"
        data = pd.DataFrame(table.values, columns=known)
    names = [name for name in known if name not in outputs] if inputs is None else list(inputs)
    for key, wanted in (("outputs", outputs), ("inputs", names)):
        if not wanted:
            raise StudyError(f"{file} has no columns for {key}", key=key, remedy=f"name some of: {', '.join(known)}")
        for name in wanted:
            if known.count(name) != 1:
                fault = "has no column" if name not in known else "has more than one column"
                raise StudyError(f"{file} {fault} '{name}'", key=key, value=name, remedy=did_you_mean(name, known, noun="column"))
    if both := [name for name in names if name in outputs]:
        raise StudyError(f"'{both[0]}' is named as an input and as an output", key="inputs", value=both[0], remedy="take it out of one")
    columns = []
    for name in (*names, *outputs):
        column = np.asarray(pd.to_numeric(data[name], errors="coerce"), float)
        if not np.isfinite(column).all():
            row = int(np.flatnonzero(~np.isfinite(column))[0])
            text = f"row {row + 1} of {file} holds no finite number in the column '{name}'"
            raise StudyError(text, key="data", value=str(data[name].iloc[row]), remedy="take the row out")
        columns.append(column)
    if len(columns[0]) < LEAST_ROWS:
        text = f"{file} has {len(columns[0])} rows, and densities need {LEAST_ROWS}"
        raise StudyError(text, key="data", value=len(columns[0]), remedy="add rows")
    return names, list(outputs), np.column_stack(columns)


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
