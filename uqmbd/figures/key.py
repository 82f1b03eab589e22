"""The figure that a page begins with: of bounds a band with the runs that reach it, of a probability how well it is known.

A histogram of runs that a search chose looks like a probability, and is none: here it stands only where the runs are a sample.
"""

from __future__ import annotations

from itertools import chain

import numpy as np

from uqmbd.decision_facts import Allocated
from uqmbd.figures import samples
from uqmbd.figures.basins import basins_figures
from uqmbd.figures.designs import design_figures
from uqmbd.figures.diagrams import diagram_figures
from uqmbd.figures.extremes import extreme_of
from uqmbd.figures.histories import INNER, OUTER, each_level, history_figure, is_calibrated
from uqmbd.figures.marks import Band, Curve, Figure, Level, Panel, Points, of_level
from uqmbd.figures.posteriors import marginals
from uqmbd.figures.scalars import distribution_figures, scalar_figure
from uqmbd.figures.sensitivities import sensitivity_figures
from uqmbd.figures.tolerances import tolerances_figures
from uqmbd.figures.worst import extremes_panel, inputs_said
from uqmbd.method_facts import Estimates, ReportFacts, Walked
from uqmbd.result_data import ResultData
from uqmbd.tables.numbers import brief, scale
from uqmbd.tables.outputs import axis_label, axis_unit, chosen, has_probability, key_said, label_of, output_names, statistics_in, widest
from uqmbd.tables.scaling import scale_of
from uqmbd.tables.trust import marked, trust_of

ANSWER = "Answer"  # section of the figure that stands in no other
LANES = {"bounded": (0.22, 0.78), "reached": (0.36, 0.64)}  # heights of the bars of an interval
MIDDLE = 0.5
CASES = (("lower", "lowest", "bottom"), ("nominal", "nominal", "top"), ("upper", "highest", "bottom"))
RUN = 6  # colour of single runs
MEASURED = 200  # readings drawn
CLOSE = 0.3  # of the width of the bounds: runs within this have their names beside them
PERCENT = 1e-3  # probabilities below this are said with a power of ten


def key_output(result: ResultData) -> str | None:
    """The output that the report begins with: `[report] key`, that of a reliability study, or the first, numbers that are trusted first."""
    histories, scalars = output_names(result)
    if (wanted := key_said(result)) is not None:
        return wanted
    trusted = (name for name in scalars if (trust := trust_of(result, name)) and trust.share)
    return next(chain(trusted, scalars, histories), None)


def key_figure(result: ResultData) -> Figure | None:
    """What was found of the key output; its key is that of a figure of another section where it is the same as that."""
    name = key_output(result)
    if name is None:
        return None
    if result.facts_of(Estimates):
        return _of_calibration(result, name)
    if result.facts.about == "diagram":
        return next(iter([*diagram_figures(result, [name]), *diagram_figures(result)]))
    if result.facts.about == "basins":
        return basins_figures(result)[0]
    if result.facts_of(Allocated):
        return tolerances_figures(result)[0]
    if drawn := design_figures(result):
        return drawn[0]
    if has_probability(result, name):
        return _of_probability(result, name)
    over = any(result.axis_of(name, key) for key in ("bounds", "inner", "statistics", "sensitivity"))
    if result.facts.about == "indices":
        return next(iter(sensitivity_figures(result, [name])), None) or _plain(result, name, over=over)
    if name in result.bounds or name not in result.statistics or samples.are_chosen(result):
        return _plain(result, name, over=over)
    if over:
        return history_figure(result, name)
    if samples.are_a_sample(result) and name in result.runs:
        return scalar_figure(result, name)
    return next(iter(distribution_figures(result, name)), None) or scalar_figure(result, name)


def _of_calibration(result: ResultData, name: str) -> Figure:
    """Measured and fitted, of the key output or of the first that was measured."""
    measured = [one for one in (name, *chosen(result, output_names(result)[0])) if is_calibrated(result, one)]
    over = [one for one in measured if result.axis_of(one, "statistics")]
    over = [one for one in over if np.isfinite(result.statistics[one].sel(statistic="measured").values).any()]
    if not over:
        if result.facts_of(Estimates).estimated_by == "posterior" and (inputs := marginals(result)):
            untold = {f"{one}.marginal" for one in result.facts_of(Walked).untold}
            return next(
                (figure for figure in inputs if figure.key not in untold), inputs[0]
            )  # of runs, a histogram is of where walkers went
        return scalar_figure(result, next((one for one in output_names(result)[1] if is_calibrated(result, one)), name))
    table, one = result.statistics[over[0]], over[0]
    axis = result.axis_of(one)
    grid, (fitted, measured) = table[axis].values, (table.sel(statistic=word).values for word in ("fitted", "measured"))
    shown = np.flatnonzero(np.isfinite(measured))
    shown = shown[np.unique(np.linspace(0, len(shown) - 1, min(MEASURED, len(shown))).astype(int))] if len(shown) else shown
    nameless = ("",) * len(shown)
    points = Points(
        grid[shown], measured[shown], tuple(f"{grid[k]:.4g}" for k in shown), nameless, "measured", 1, small=True, on_curves=True
    )
    panel = Panel(axis_label(table, axis), label_of(result, one), (points, Curve(grid, fitted, "fitted", "mean")))
    return Figure(f"{one}.answer", f"{one}: measured and fitted", (panel,))


def _of_probability(result: ResultData, name: str) -> Figure:
    """The runs with the limit where they are a sample; else how well the probability is known, or what decides it."""
    if samples.are_a_sample(result) and name in result.runs:
        return scalar_figure(result, name)
    known = [word for word in ("probability", "probability_lower", "probability_upper") if word in statistics_in(result)]
    values = np.array([float(widest(result.statistics[name]).sel(statistic=word).values.max()) for word in known])
    if len(values) < 3 or not np.isfinite(values).all():
        return next(iter(sensitivity_figures(result, [name])), None) or scalar_figure(result, name)
    power = int(np.floor(np.log10(values[2]))) if 0 < values[2] < PERCENT else -2
    central, lower, upper = values / 10.0**power
    bottom, top = LANES["reached"]
    limits = Band(np.array([lower, upper]), np.full(2, bottom), np.full(2, top), "95 % confidence limits", "bounded")
    estimate = Points(np.array([central]), np.array([MIDDLE]), (brief(central),), ("top",), "estimate", RUN, on_curves=True)
    nothing = Level(0.0, "never", "limit")
    unit = "%" if power == -2 else f"{brief(10.0**power).replace('1×', '')}"
    panel = Panel(f"probability [{unit}]", "", (limits, nothing, estimate), bare=True)
    return Figure(f"{name}.answer", f"{name}: probability", (panel,))


def _plain(result: ResultData, name: str, *, over: bool) -> Figure:
    """Bounds, or what runs reached, with the runs at the ends."""
    if not over:
        return interval_figure(result, name)
    if name not in result.bounds or name not in result.extreme_runs or "alpha" in result.bounds[name].dims:
        return history_figure(result, name)
    panel, _ = extremes_panel(result, name)
    middle = ["Measured from the middle of the band, which is narrow."] if panel.y_label != label_of(result, name) else []
    return Figure(f"{name}.answer", name, (panel,), (*middle, *_reaching(result, name)))


def _reaching(result: ResultData, name: str) -> list[str]:
    """Which inputs the runs have that reach furthest."""
    table, axis, said = result.extreme_runs[name], result.axis_of(name), []
    within, along = scale_of(result, name), scale(axis_unit(table, axis).strip(), table[axis].values)
    for end, word in (("upper", "highest"), ("lower", "lowest")):
        if (extreme := extreme_of(result, name, end)) is not None and extreme.time is not None:
            value, when = within.said(brief(within.of(extreme.value))), along.said(brief(along.of(extreme.time)))
            said.append(f"The {word} run, {value} at {when}: {inputs_said(result, extreme.inputs, 3)}.")
    return said


def interval_figure(result: ResultData, name: str) -> Figure:
    """One number: its outer bounds, what runs reached, the nominal run and the runs at the ends."""
    within, marks, caption = scale_of(result, name), [], []
    for group, style, label in ((result.bounds, "bounded", marked(result, name, OUTER)), (result.inner, "reached", INNER)):
        levels = name in group and "alpha" in group[name].dims
        if name not in group or (levels and style == "reached"):
            continue
        bottom, top = LANES[style]
        if levels:
            ends = [(alpha, np.asarray(at.sel(bound=["lower", "upper"]).values, float)) for alpha, at in each_level(group[name])]
            marks += [of_level(each, np.full(2, bottom), np.full(2, top), alpha) for alpha, each in ends]
            caption.append("The stronger the colour, the higher the membership α.")
        else:
            ends = np.asarray(widest(group[name]).sel(bound=["lower", "upper"]).values, float)
            marks.append(Band(ends, np.full(2, bottom), np.full(2, top), label, style))
    if runs := _runs(result, name):
        spread, whole = np.ptp([value for value, _, _ in runs]), np.ptp(np.concatenate([mark.x for mark in marks])) if marks else 0.0
        if spread < CLOSE * whole:  # names below the ends would lie on each other, and there is room beside them
            runs = [(value, word, {"lowest": "left", "highest": "right"}.get(word, side)) for value, word, side in runs]
        places, words, sides = zip(*((value, f"{word} {brief(within.of(value))}", side) for value, word, side in runs), strict=True)
        at = np.array(places, float)
        marks.append(Points(at, np.full(len(at), MIDDLE), words, sides, "runs", RUN, on_curves=True))
    if name in result.bounds and name in result.facts_of(ReportFacts).cut:
        caption.append("The bounds are cut at what it cannot pass.")
    title = marked(result, name, name)
    return Figure(f"{name}.answer", title, (Panel(label_of(result, name), "", tuple(marks), bare=True),), tuple(caption))


def _runs(result: ResultData, name: str) -> list[tuple[float, str, str]]:
    """Value, word and side of the lowest, the nominal and the highest run, as far as they are known."""
    runs = []
    for case, word, side in CASES:
        value = np.nan
        if case == "nominal":
            value = float(result.extreme_runs[name].sel(case=case)) if name in result.extreme_runs else np.nan
        elif (extreme := extreme_of(result, name, case)) is not None:
            value = extreme.value
        elif name in result.inner:
            value = float(widest(result.inner[name]).sel(bound=case))
        if np.isfinite(value):
            runs.append((value, word, side))
    return runs
