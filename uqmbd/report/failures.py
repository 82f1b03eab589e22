"""What the page says of failed runs: the first of them, and where most of them lie."""

import numpy as np

from uqmbd.facts import InputFacts
from uqmbd.figures import samples
from uqmbd.outcomes import STATUS
from uqmbd.result_data import ResultData
from uqmbd.tables.drivers import drivers
from uqmbd.tables.numbers import number
from uqmbd.tables.scaling import input_unit, with_unit
from uqmbd.tables.text import Table

SHOWN = 12
ENOUGH_TO_SAY = 3  # failed runs below this are no region


def failures_table(result: ResultData) -> Table:
    """The first failed runs with their parameters."""
    wrong = np.flatnonzero(samples.failed(result))
    units = {name: input_unit(result, name) for name in samples.varied_inputs(result)}
    rows = []
    shown = wrong[:SHOWN]
    if len(shown):
        runs = result.runs[["status", "message", *(f"input:{name}" for name in units)]].isel(run=shown).load()
        for row, index in enumerate(shown):
            values = (in_cell(unit, runs[f"input:{name}"].values[row]) for name, unit in units.items())
            rows.append((str(index), STATUS[int(runs["status"].values[row])], str(runs["message"].values[row]), *values))
    header = ("run", "status", "message", *(with_unit(name, unit) for name, unit in units.items()))
    note = f"The first {SHOWN} of {len(wrong)}." if len(wrong) > SHOWN else ""
    return Table("Failures", header, tuple(rows), (True, False, False, *(True for _ in units)), note)


def in_cell(unit: InputFacts, value: float) -> str:
    """An input of a run as a cell of the table."""
    return unit.said(value, 6) if unit.labels else number(unit.of(value)[()])


def failures_drivers(result: ResultData) -> str:
    """Which inputs the failed runs are due to, as a sentence; empty where they are few, or differ in none."""
    found = drivers(result, samples.failed(result), samples.status(result) >= 0)
    return "" if found is None else found.sentence("failed runs")


def failures_where(result: ResultData) -> str:
    """Where failed runs lie and how well that tells them from the others, as a sentence; empty when nothing singles them out.

    From the stored runs, when at least `ENOUGH_TO_SAY` failed. Thresholds are in the units that the user wrote, where the result says them.
    """
    done = samples.status(result) >= 0
    failed = samples.failed(result)[done]
    names = samples.varied_inputs(result)
    if np.count_nonzero(failed) < ENOUGH_TO_SAY or not names:
        return ""
    from uqmbd.analysis.search.failing_region import failing_region, in_words

    points = np.column_stack([result.runs[f"input:{name}"].values[done] for name in names]).astype(float)
    conditions = failing_region(points, failed)
    if not conditions:
        return ""
    inside = np.all([(points[:, i] > value) == above for i, value, above in conditions], axis=0)
    units = [input_unit(result, name) for name in names]
    shown = [(i, float(units[i].of(value)), above) for i, value, above in conditions]
    words = in_words(
        shown, names, [unit.unit or "" for unit in units], {name: unit.labels for name, unit in zip(names, units, strict=True)}
    )
    others = np.count_nonzero(~failed)
    return (
        f"{np.count_nonzero(inside & failed)} of the {np.count_nonzero(failed)} failed runs lie where {words}; "
        f"so do {np.count_nonzero(inside & ~failed)} of the {others} others."
    )
