"""Many outputs in one figure: where their runs lie, which inputs they depend on, how well their surrogates are validated."""

from collections.abc import Iterable

import numpy as np

from uqmbd.figures import samples
from uqmbd.figures.marks import Cells, Figure, Panel
from uqmbd.figures.sensitivities import WORDS, kinds, leading
from uqmbd.figures.validation import tolerance
from uqmbd.result_data import ResultData

LEAST = 3  # outputs below this need no overview
ROWS_SHOWN = 40  # outputs
COLUMNS_SHOWN = 12  # inputs
CLASSES = 24  # of a distribution
KINDS = ("total", "first", "main_effect", "width_reduction", "delta", "pawn", "importance")  # that are shares; the first known is shown


def _overview(key: str, title: str, names: Iterable[str], cells: Cells, caption: Iterable[str]) -> list[Figure]:
    return [Figure(key, title, (Panel("", "", (cells,), names=tuple(names)),), tuple(caption), overview=True)]


def distribution_overview(result: ResultData, scalars: list[str]) -> list[Figure]:
    """The histograms of all scalars above each other, each between its own least and greatest run."""
    good, rows = samples.good(result), {}
    for name in [name for name in scalars if name in result.runs and result.runs[name].dims == ("run",)][:ROWS_SHOWN]:
        values = result.runs[name].values[good].astype(float)
        values = values[np.isfinite(values)]
        if len(values) and np.ptp(values) > 1e-12 * np.abs(values).max():
            rows[name] = np.histogram(values, bins=CLASSES)[0] / len(values)
    if len(rows) < LEAST:
        return []
    columns = ("", "least run", *[""] * (CLASSES - 4), "greatest run", "")  # words at the very ends would be cut off
    cells = Cells(np.array(list(rows.values())), "share of the runs", columns, text=False)
    caption = ["Each row: where the runs of one output lie between the least and the greatest; the stronger the colour, the more of them."]
    if not samples.are_a_sample(result):
        caption.append("The method chose where to run: this shows what the runs covered, not a probability.")
    caption += samples.of_model(result)
    return _overview("distributions", "All scalar outputs", rows, cells, caption)


def sensitivity_overview(result: ResultData, scalars: list[str]) -> list[Figure]:
    """Outputs against inputs: the leading kind of sensitivity that all these scalars have."""
    tables = {name: result.sensitivity[name] for name in scalars if name in result.sensitivity}
    tables = {name: table for name, table in tables.items() if not result.axis_of(name, "sensitivity")}
    kind = next((kind for kind in KINDS if any(kind in kinds(table) for table in tables.values())), None)
    tables = dict([(name, table) for name, table in tables.items() if kind in kinds(table)][:ROWS_SHOWN])
    words = WORDS.get(str(kind), str(kind))
    if len(tables) < LEAST:
        return []
    inputs = [str(name) for name in next(iter(tables.values()))["input"].values]
    values = np.array([table.sel(kind=kind, input=inputs).values for table in tables.values()], float)
    order = np.sort(leading(np.abs(values.T), COLUMNS_SHOWN))
    cells = Cells(values[:, order], words, tuple(inputs[k] for k in order))
    caption = [f"Each row: what the inputs contribute to one output ({words})."]
    if len(order) < len(inputs):
        caption.append(f"Shown are the {len(order)} leading ones of {len(inputs)} inputs.")
    return _overview("sensitivities", f"All scalar outputs: {words}", tables, cells, caption)


def validation_overview(result: ResultData, names: list[str]) -> list[Figure]:
    """The error of every output's surrogate at the validation runs as a multiple of its tolerance."""
    rows = {}
    for name in [name for name in names if name in result.validation]:
        allowed = tolerance(result, name)
        if not allowed:
            continue
        table = result.validation[name]
        misses = np.abs(table.sel(column="surrogate").values - table.sel(column="run").values) / allowed
        counted = float(np.nanmax(result.error[name].values)) / allowed if name in result.error else np.nan
        rows[name] = (np.nanmedian(misses), counted)
    if len(rows) < LEAST:
        return []
    shown = dict(list(rows.items())[:ROWS_SHOWN])
    cells = Cells(np.array(list(shown.values())), "error / tolerance", ("median error", "validated error"), top=1.0)
    caption = ("Errors of the surrogate as multiples of the tolerance, of histories over all times. Above 1 an output is not trusted.",)
    return _overview("validation", "All outputs: surrogate against validation runs", shown, cells, caption)
