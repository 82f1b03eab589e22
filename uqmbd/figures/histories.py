"""Histories, and curves over another axis: bounds, statistics, a few runs, errors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from uqmbd.figures import samples
from uqmbd.figures.marks import Band, Curve, Figure, Panel, of_level
from uqmbd.figures.sensitivities import main_effects
from uqmbd.method_facts import Estimates
from uqmbd.tables.numbers import scale
from uqmbd.tables.outputs import axis_label, in_unit, label_of, percents, statistics_in, unit_of, widest
from uqmbd.tables.trust import trust_of

if TYPE_CHECKING:
    import xarray as xr

    from uqmbd.result_data import ResultData

OUTER, INNER = "outer bounds", "reached by runs"
NARROW = 0.1  # of the range of its middle: a band below this is drawn once more without its middle
NAMED = 6  # runs at most that have a colour and a name each, when there are no others
LEVELS = 6  # membership levels drawn of a history
CALIBRATED = {"fitted", "measured", "residual"}
IMPRECISE = "Intervals leave the statistics imprecise: each lies somewhere in its band."


def history_figures(result: ResultData, names: list[str]) -> Iterator[Figure]:
    """One figure for each history, all with the same few runs behind; one by one, since a figure holds its history several times."""
    stored = [name for name in names if result.axis_of(name, "runs")]
    points = max((result.runs[name].shape[1] for name in stored), default=0)
    count, points = samples.share_of_page(len(stored), points)
    runs = samples.histories(result, stored, count, points) if stored else {}
    for name in names:
        figure = calibration_figure(result, name) if is_calibrated(result, name) else history_figure(result, name, runs.get(name))
        if any(panel.marks for panel in figure.panels):
            yield figure


def history_figure(result: ResultData, name: str, runs: list[samples.Line] | None = None) -> Figure:
    """Bounds, statistics and a few runs of one history, or curve; below it its error and its main effects.

    `runs`: times and values of a few runs, drawn thin behind the rest.
    """
    trust = trust_of(result, name)
    shades = trust.spans if trust else ()
    drawn = _run_marks(result, runs)
    imprecise = name in result.statistics and "bound" in result.statistics[name].dims
    described = imprecise or trust is None or trust.share < 1 or name not in result.bounds
    marks = [*(_statistic_marks(result, name) if described else ()), *_bound_marks(result, name)]
    axis = result.axis_of(name)
    along = next((axis_label(group[name], axis) for key, group in result.groups() if axis and result.axis_of(name, key)), "")
    panels = [Panel(along, label_of(result, name), tuple(marks), shades, height=3.0)]
    centre = centre_of(marks)
    if centre is None:
        panels = [replace(panels[0], marks=(*drawn, *marks))]
    else:
        from_centre = tuple(less(mark, *centre) for mark in (*drawn, *marks))
        panels = [
            replace(panels[0], height=2.0),
            Panel(along, "from the middle" + in_unit(result, name), from_centre, shades, height=3.0),
        ]
    if described and (means := mean_levels(result, name)):
        centre_of_mean = centre_of(means)
        means = means if centre_of_mean is None else [less(mark, *centre_of_mean) for mark in means]
        what = "mean" if centre_of_mean is None else "mean from its middle"
        panels.append(Panel(along, what + in_unit(result, name), tuple(means), shades, height=2.0))
    if name in result.error and np.any((error := widest(result.error[name])).values):
        curve = Curve(error[axis].values, np.maximum(error.values, _floor(error.values)), "validated error", "error")
        panels.append(Panel(along, "error" + in_unit(result, name), (curve,), shades, log=True))
    if effects := main_effects(result, name):
        panels.append(Panel(along, "sensitivity", tuple(effects), shades))
    caption = [trust.sentence()] if trust else []
    if centre is not None:
        caption.append("Second panel: the same, measured from the middle of the widest band, so that a narrow band can be seen.")
    if any(mark.style == "run" for mark in drawn):
        caption.append(f"Grey: {len(runs or ())} of {int(samples.good(result).sum())} runs.")
        caption += samples.of_model(result)
    if described and not imprecise and name in result.bounds and name in result.statistics:
        caption.append(spread(result))
    if imprecise:
        caption.append(IMPRECISE)
    if _has_levels(result, name):
        caption.append("Bands of the levels reach from the least to the greatest value of the widest pair of quantiles; below: the mean.")
    if any(name in group and "alpha" in group[name].dims for group in (result.bounds, result.statistics)):
        caption.append("The stronger the colour, the higher the membership α: the band of each level lies in those of all lower ones.")
    return Figure(name, name, tuple(panels), tuple(caption))


def is_calibrated(result: ResultData, name: str) -> bool:
    """Whether an output has measurements beside it."""
    return CALIBRATED <= set(statistics_in(result, name))


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
    bands = [mark for mark in _statistic_marks(result, name) if isinstance(mark, Band)]  # of a posterior
    panels[0] = Panel(along, label_of(result, name), (*bands, Curve(time, measured, "measured", 1), *panels[0].marks), height=3.0)
    panels.append(Panel(along, "fitted − measured" + in_unit(result, name), (zero, Curve(time, residual, "residual", "error")), height=2.0))
    at_readings = result.facts_of(Estimates).rms_residual.get(name)
    rms, where = (np.sqrt(np.nanmean(residual**2)), "the study's times") if at_readings is None else (at_readings, "the readings")
    within = scale(unit_of(result, name), [rms])
    caption = f"Root mean square of the difference at {where}: {within.said(f'{within.of(rms):.3g}')}."
    return Figure(name, name, tuple(panels), (caption,))


def spread(result: ResultData) -> str:
    """Of what runs the statistics of a method that bounds its outputs are."""
    return f"Mean and quantiles are those of random runs {result.facts.spread}: a description, not a probability."


def levels_shown(alpha: np.ndarray, count: int = LEVELS) -> np.ndarray:
    """Which of the ascending membership levels are drawn: at most `count`, the first and the last among them."""
    return np.unique(np.linspace(0, len(alpha) - 1, min(count, len(alpha))).round().astype(int))


def each_level(table: xr.DataArray) -> Iterator[tuple[float, xr.DataArray]]:
    """The membership levels of a table that are drawn, the lowest and widest first, and what it has there."""
    table = table.sortby("alpha")
    for level in levels_shown(table["alpha"].values):
        yield float(table["alpha"][level]), table.isel(alpha=level)


def centre_of(marks: Sequence[Curve | Band]) -> tuple[np.ndarray, np.ndarray] | None:
    """Middle of the widest band over time, where the band is too narrow to be seen against the course of its middle."""
    bands = [mark for mark in marks if isinstance(mark, Band) and np.isfinite(mark.upper - mark.lower).any()]
    if not bands:
        return None
    broad, width = max(((band, width_of(band)) for band in bands), key=lambda pair: np.nanmax(pair[1]))
    middle = np.where(np.isnan(width), np.nan, broad.lower + 0.5 * width)
    return (broad.x, middle) if np.nanmax(width) < NARROW * (np.nanmax(middle) - np.nanmin(middle)) else None


def width_of(band: Band) -> np.ndarray:
    """Width of a band, NaN where it has none, or no end."""
    width = band.upper - band.lower
    return np.where(np.isfinite(width), width, np.nan)


def less(mark: Curve | Band, x: np.ndarray, y: np.ndarray) -> Curve | Band:
    """The mark less a curve."""
    below = np.interp(mark.x, x, y)
    if isinstance(mark, Curve):
        return replace(mark, y=mark.y - below)
    return replace(mark, lower=mark.lower - below, upper=mark.upper - below)


def _run_marks(result: ResultData, runs: list[samples.Line] | None) -> list[Curve]:
    if not runs:
        return []
    good = np.flatnonzero(samples.good(result))
    if len(good) == len(runs) <= NAMED:
        return [Curve(*line, f"run {number}", color) for color, (number, line) in enumerate(zip(good, runs))]
    x, y = samples.joined([line[0] for line in runs], [line[1] for line in runs])
    return [Curve(x, y, "runs", "run")]


def _statistic_marks(result: ResultData, name: str) -> list[Curve | Band]:
    """The fan of quantiles and the mean; of imprecise statistics the widest fan and the band of the mean."""
    axis = result.axis_of(name, "statistics")
    if axis is None:
        return []
    table, known = result.statistics[name], set(statistics_in(result, name))
    if "alpha" in table.dims:
        return [band for low, high, _ in fan(known)[:1] for band in _nested(table, axis, low, high)]
    time = table[axis].values
    imprecise = "bound" in table.dims

    def get(key: str, bound: str) -> np.ndarray:
        values = table.sel(statistic=key)
        return (values.sel(bound=bound) if imprecise else values).values

    most = ", widest" if imprecise else ""
    marks: list[Curve | Band] = []
    for rank, (low, high, label) in enumerate(fan(known)):
        marks.append(Band(time, get(low, "lower"), get(high, "upper"), label + most, "wide" if rank == 0 else "narrow"))
    if imprecise and "mean" in known:
        marks.append(Band(time, get("mean", "lower"), get("mean", "upper"), "mean, between its bounds", "confidence"))
    elif "mean" in known:
        if {"mean_lower", "mean_upper"} <= known and np.isfinite(get("mean_lower", "")).any():
            marks.append(Band(time, get("mean_lower", ""), get("mean_upper", ""), "95 % confidence of the mean", "confidence"))
        marks.append(Curve(time, get("mean", ""), "mean", "mean"))
    elif "q50" in known and not imprecise:
        marks.append(Curve(time, get("q50", ""), "median", "mean"))
    return marks


def mean_levels(result: ResultData, name: str) -> list[Band]:
    """Bounds of the mean of a history at each membership level that is drawn; empty where it has no levels."""
    known = _has_levels(result, name) and "mean" in statistics_in(result, name)
    return _nested(result.statistics[name], result.axis_of(name), "mean", "mean") if known else []


def _has_levels(result: ResultData, name: str) -> bool:
    return name in result.statistics and "alpha" in result.statistics[name].dims and result.axis_of(name, "statistics") is not None


def _nested(table: xr.DataArray, axis: str | None, low: str, high: str) -> list[Band]:
    """From the least value of one statistic to the greatest of another, at each membership level that is drawn, the widest first."""
    bands = []
    for alpha, at in each_level(table):
        ends = at.sel(statistic=low, bound="lower").values, at.sel(statistic=high, bound="upper").values
        bands.append(of_level(table[axis].values, *ends, alpha))
    return bands


def fan(known: set[str]) -> list[tuple[str, str, str]]:
    """Pairs of quantiles that lie evenly about the median, widest first: ``("q05", "q95", "5 % to 95 %")``."""
    names = {percent: key for key, percent in percents(known).items()}
    pairs = [(low, round(100 - low, 9)) for low in names if low < 50 and round(100 - low, 9) in names]
    return [(names[low], names[high], f"{low:g} % to {high:g} %") for low, high in pairs]


def _bound_marks(result: ResultData, name: str) -> list[Curve | Band]:
    marks: list[Curve | Band] = []
    axis = result.axis_of(name)
    if name in result.bounds:
        bounds = result.bounds[name]
        time = bounds[axis].values
        if "alpha" in bounds.dims:
            levels = each_level(bounds)
            marks += [of_level(time, at.sel(bound="lower").values, at.sel(bound="upper").values, alpha) for alpha, at in levels]
        else:
            marks.append(Band(time, bounds.sel(bound="lower").values, bounds.sel(bound="upper").values, OUTER, "outer"))
    if name in result.inner:
        inner = widest(result.inner[name])
        marks += [Curve(inner[axis].values, inner.sel(bound=side).values, INNER, "inner") for side in ("lower", "upper")]
    return marks


def _floor(error: np.ndarray) -> float:
    """What stands for zero on a logarithmic axis: far below the rest."""
    positive = error[np.isfinite(error) & (error > 0)]
    return 1e-10 * float(positive.max()) if len(positive) else 1e-16
