"""What was measured beside what a calibrated model says."""

import numpy as np

from uqmbd.figures.marks import Curve, Figure, Panel
from uqmbd.method_facts import Estimates
from uqmbd.result_data import ResultData
from uqmbd.tables.numbers import scale
from uqmbd.tables.outputs import axis_label, in_unit, label_of, statistics_in, unit_of

KINDS = {"fitted", "measured", "residual"}


def is_calibrated(result: ResultData, name: str) -> bool:
    """Whether an output has measurements beside it."""
    return KINDS <= set(statistics_in(result, name))


def calibration_figure(result: ResultData, name: str) -> Figure:
    """Measured and fitted history over time; below it their difference."""
    table = result.statistics[name]
    axis = result.axis_of(name, "statistics")
    time, along = table[axis].values, axis_label(table, axis)
    fitted, measured, residual = (table.sel(statistic=kind).values for kind in ("fitted", "measured", "residual"))
    zero = Curve(time[[0, -1]], np.zeros(2), "no difference", "limit")
    panels = [Panel(along, label_of(result, name), (Curve(time, fitted, "fitted", "mean"),), height=3.0)]
    if not np.isfinite(measured).any():
        return Figure(name, name, tuple(panels), ("This output was not measured.",))
    panels[0] = Panel(along, label_of(result, name), (Curve(time, measured, "measured", 1), *panels[0].marks), height=3.0)
    panels.append(Panel(along, "fitted − measured" + in_unit(result, name), (zero, Curve(time, residual, "residual", "error")), height=2.0))
    at_readings = result.facts_of(Estimates).rms_residual.get(name)
    rms, where = (np.sqrt(np.nanmean(residual**2)), "the study's times") if at_readings is None else (at_readings, "the readings")
    within = scale(unit_of(result, name), [rms])
    caption = f"Root mean square of the difference at {where}: {within.said(f'{within.of(rms):.3g}')}."
    return Figure(name, name, tuple(panels), (caption,))
