"""Surrogate against validation runs: what it says of runs that it was not made of."""

import numpy as np

from uqmbd.analysis.statistics.trust import SEARCHED
from uqmbd.figures.marks import Band, Curve, Figure, Panel, Points
from uqmbd.method_facts import Checks, Tolerances
from uqmbd.result_data import ResultData
from uqmbd.tables.numbers import Scale
from uqmbd.tables.outputs import axis_label, in_unit, statistics_in, unit_of, widest
from uqmbd.tables.trust import percent, trust_of

POINTS = 400  # checks drawn of a scalar
MORE = 1.001  # times the largest error at the runs: above it something else counts too
FLOOR = 1e-6  # of the tolerance: smaller errors are drawn there, since only what comes near the tolerance matters


def validation_figures(result: ResultData, names: list[str]) -> list[Figure]:
    """One figure for each output that has checks."""
    checked = [name for name in names if name in result.validation]
    return [_over_axis(result, name) if result.axis_of(name, "validation") else _scalar(result, name) for name in checked]


def _scalar(result: ResultData, name: str) -> Figure:
    """The surrogate over the runs; below it what it misses them by."""
    table = result.validation[name]
    run, said = (np.asarray(table.sel(column=column).values, float) for column in ("run", "surrogate"))
    shown = np.union1d(np.argmax(np.abs(said - run)), np.linspace(0, len(run) - 1, min(POINTS, len(run))).round().astype(int))
    caption = [_sentence(result, name)]
    if len(shown) < len(run):
        caption.append(f"Drawn are {len(shown)} of {len(run)} runs, evenly chosen, and the one with the largest error.")
    table, run, said = table.isel(check=shown), run[shown], said[shown]
    ends = np.array([run.min(), run.max()])
    bands = []
    if (allowed := tolerance(result, name)) is not None:
        bands = [Band(ends, middle - allowed, middle + allowed, "± tolerance", "confidence") for middle in (ends, np.zeros(2))]
    who = tuple(f"run {number}" for number in table["check"].values)
    unnamed = ("",) * len(run)
    unit = in_unit(result, name)
    line = Curve(ends, ends, "surrogate = run", "limit")
    points = Points(run, said, who, unnamed, "validation runs")
    misses = Points(run, said - run, who, unnamed, "validation runs")
    label = f"{name} of the run{unit}"
    panels = (
        Panel(label, f"surrogate{unit}", (*bands[:1], line, points), height=3.0),
        Panel(label, f"surrogate − run{unit}", (*bands[1:], misses), height=2.0),
    )
    return Figure(f"{name}.validation", f"{name}: surrogate against validation runs", panels, tuple(caption))


def _over_axis(result: ResultData, name: str) -> Figure:
    """The check with the largest error, and the errors of all over time, or another axis."""
    table, axis = result.validation[name], result.axis_of(name)
    time, along, unit = table[axis].values, axis_label(table, axis), in_unit(result, name)
    run, said = (table.sel(column=column).transpose("history_check", ...).values for column in ("run", "surrogate"))
    misses = np.abs(said - run)
    numbers, kept = table["history_check"].values, Checks.of(table.attrs)
    number = int(kept.largest_error_run)
    worst = int(np.flatnonzero(numbers == number)[0])
    trust = trust_of(result, name)
    shades = trust.spans if trust else ()
    course = (Curve(time, run[worst], f"run {number}, the worst", "mean"), Curve(time, said[worst], "surrogate", "surrogate"))
    allowed = tolerance(result, name)
    searched = name in result.source and bool((widest(result.source[name]) == SEARCHED).any())  # the error there is that of the search
    largest = result.error[name] if name in result.error and not searched else None
    top = (time, misses.max(axis=0)) if largest is None else (largest[axis].values, widest(largest).values)
    greatest = float(np.nanmax(top[1], initial=0.0))
    floor = FLOOR * (allowed or greatest) or 1e-300
    errors = [
        Curve(time, np.maximum(np.median(misses, axis=0), floor), "median of the checks", "range"),
        Curve(top[0], np.maximum(top[1], floor), "largest of all checks" if largest is None else "validated error", "error"),
    ]
    if allowed:
        errors.append(Curve(*limits(result, name, allowed, floor), "tolerance", "limit"))
    panels = (
        Panel(along, name + unit, course, shades, height=3.0),
        Panel(along, "error" + unit, tuple(errors), shades, height=2.0, log=True),
    )
    caption = [_sentence(result, name)]
    if kept.thinned:
        caption.append(f"Kept here: {kept.thinned}; the largest error is that of all.")
    return Figure(f"{name}.validation", f"{name}: surrogate against validation runs", panels, tuple(caption))


def tolerance(result: ResultData, name: str) -> float | None:
    """Largest error at which an output is trusted, in its unit: a share of the range of the runs; None where the result does not say."""
    share = result.facts_of(Tolerances).trust_tolerance
    if share is None or name not in result.inner:
        return None
    return share * _range(result, name)


def limits(result: ResultData, name: str, allowed: float, floor: float) -> tuple[np.ndarray, np.ndarray]:
    """Times, or other points, and the largest error at which an output is trusted there: `allowed`, or less where its band is narrow."""
    inner = widest(result.inner[name])
    time = inner[result.axis_of(name)].values
    own = np.full(len(time), np.inf)
    shares = result.facts_of(Tolerances)
    if shares.width_tolerance is not None:
        width = (inner.sel(bound="upper") - inner.sel(bound="lower")).values
        own = shares.width_tolerance * width
    elif shares.std_tolerance is not None and "std" in statistics_in(result, name):
        spread = result.statistics[name].sel(statistic="std")
        own = own if "bound" in spread.dims else shares.std_tolerance * spread.values
    return time, np.maximum(np.minimum(allowed, own), floor)


def _range(result: ResultData, name: str) -> float:
    """Width of what the runs reached, of a history over all times; zero where it is not known."""
    if name not in result.inner:
        return 0.0
    inner = widest(result.inner[name])
    return float(inner.sel(bound="upper").max() - inner.sel(bound="lower").min())


def _sentence(result: ResultData, name: str) -> str:
    """The largest error, its share of the range, and of how many checks it is the largest."""
    checks = Checks.of(result.validation[name].attrs)
    within, error, size = Scale(unit_of(result, name)), checks.largest_error, _range(result, name)
    share = f", {_share(error / size)} of the range" if size > 0 else ""
    tolerated = result.facts_of(Tolerances).trust_tolerance
    limit = f"; the tolerance is {percent(tolerated)}" if tolerated is not None and share else ""
    of_all = f"{checks.checks} validation runs" if checks.checks > 1 else "one validation run"
    return (
        f"Largest error of {of_all}: {within.said(f'{error:.3g}')}{share}, in run {checks.largest_error_run}{limit}.{_beyond(result, name)}"
    )


def _beyond(result: ResultData, name: str) -> str:
    """A sentence where more counts as error than the runs show."""
    if name not in result.error:
        return ""
    counted = float(widest(result.error[name]).max())
    if counted <= MORE * Checks.of(result.validation[name].attrs).largest_error:
        return ""
    why = "the last terms of the expansion, or the fitted runs when each is foretold by the others, count as well"
    return f" The validated error is larger, {Scale(unit_of(result, name)).said(f'{counted:.3g}')}: {why}."


def _share(share: float) -> str:
    """Two digits: a share of a millionth is told from one of a thousandth."""
    return f"{100 * share:.2g} %"
