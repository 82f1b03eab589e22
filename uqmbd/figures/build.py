"""The figures of a result, as marks; nothing here draws."""

from dataclasses import replace

import numpy as np

from uqmbd.figures import samples
from uqmbd.figures.marks import Band, Bars, Curve, Figure, Level, Panel
from uqmbd.figures.trust import trust_of

GROUPS = ("bounds", "statistics", "inner", "error", "sensitivity")
OUTER, INNER = "outer bounds", "reached by runs"
NARROW = 0.1  # of the range of its middle: a band below this is drawn once more without its middle
SPREAD = "Mean and quantiles are those of random runs spread evenly over the box: a description, not a probability."
QUANTILE_BANDS = (("q05", "q95", "wide", "5 % to 95 %"), ("q25", "q75", "narrow", "25 % to 75 %"))


def output_names(result) -> tuple[list[str], list[str]]:
    """Names of the histories and of the scalars that a result speaks of, in its own order."""
    groups = [group for _, group in result.groups()]
    histories = [name for name in result.outputs if any(name in group and "time" in group[name].dims for group in groups)]
    return histories, [name for name in result.outputs if name not in histories]


def unit_of(result, name: str) -> str:
    """Unit of an output; empty when it has none."""
    for group in (*GROUPS, "runs"):
        if name in getattr(result, group):
            return pretty(str(getattr(result, group)[name].attrs.get("unit", "")))
    return ""


def pretty(unit: str) -> str:
    """A unit as it is printed: ``m/s^2 -> m/s²``, ``N m -> N·m``; nothing for pure numbers."""
    for plain, printed in (("**", "^"), ("^2", "²"), ("^3", "³"), ("*", "·"), (" ", "·")):
        unit = unit.replace(plain, printed)
    return "" if unit in ("1", "dimensionless") else unit


def label_of(result, name: str) -> str:
    """Axis label of an output: its name, and its unit in brackets."""
    unit = unit_of(result, name)
    return f"{name} [{unit}]" if unit else name


def history_figures(result, names: list[str]) -> list[Figure]:
    """One figure for each history, all with the same few runs behind."""
    stored = [name for name in names if name in result.runs and "time" in result.runs[name].dims]
    points = result.runs.sizes.get("time", 0)
    count, points = samples.share_of_page(len(stored), points)
    runs = samples.histories(result, stored, count) if stored else {}
    return [history_figure(result, name, runs.get(name), points) for name in names]


def history_figure(result, name: str, runs: np.ndarray | None = None, points: int = 240) -> Figure:
    """Bounds, statistics and a few runs of one history over time; below it its error and its sensitivities.

    Parameters
    ----------
    result : Result
        Where it is read from.
    name : str
        The history.
    runs : ndarray, optional
        ``(runs, time)``, drawn thin behind the rest.
    points : int
        To how many points each of these runs is thinned.
    """
    trust = trust_of(result, name)
    shades = trust.spans if trust else ()
    drawn = _run_marks(result, name, runs, points)
    described = trust is None or trust.share < 1
    marks = [*(_statistic_marks(result, name) if described else ()), *_bound_marks(result, name)]
    panels = [Panel("time [s]", label_of(result, name), tuple(marks), shades, height=3.0)]
    centre = _centre(marks)
    if centre is None:
        panels = [replace(panels[0], marks=(*drawn, *marks))]
    else:
        from_centre = tuple(_less(mark, *centre) for mark in (*drawn, *marks))
        panels = [replace(panels[0], height=2.0), Panel("time [s]", "from the middle" + _in(result, name), from_centre, shades, height=3.0)]
    if name in result.error:
        error = result.error[name]
        curve = Curve(error["time"].values, np.maximum(error.values, _floor(error.values)), "validated error", "error")
        panels.append(Panel("time [s]", "error" + _in(result, name), (curve,), shades, log=True))
    if name in result.sensitivity:
        panels.append(Panel("time [s]", "sensitivity", tuple(_sensitivity_curves(result.sensitivity[name])), shades))
    caption = [trust.sentence()] if trust else []
    if centre is not None:
        caption.append("Second panel: the same less the middle of the widest band.")
    if runs is not None and len(runs):
        caption.append(f"Grey: {len(runs)} of {int(samples.good(result).sum())} runs.")
    if described and name in result.bounds and name in result.statistics:
        caption.append(SPREAD)
    return Figure(name, name, tuple(panels), tuple(caption))


def scalar_figure(result, name: str) -> Figure:
    """Distribution of one scalar over the runs, with its bounds."""
    marks = [*_bars(result, name), *_levels(result, name)]
    trust = trust_of(result, name)
    caption = [trust.sentence()] if trust else []
    if name in result.bounds:
        caption.append("The method chose where to run, so the bars show what the runs covered, not a probability.")
    return Figure(name, name, (Panel(label_of(result, name), "runs", tuple(marks)),), tuple(caption))


def _bars(result, name: str) -> list[Bars]:
    """Histogram of the runs that were ok, if they are stored."""
    if name not in result.runs:
        return []
    values = result.runs[name].values[samples.good(result)].astype(float)
    values = values[np.isfinite(values)]
    if not len(values):
        return []
    spread = np.ptp(values) > 1e-12 * np.abs(values).max()
    counts, edges = np.histogram(values, bins=int(np.clip(np.sqrt(len(values)), 10, 60)) if spread else 1)
    return [Bars(edges, counts, "runs")]


def _levels(result, name: str) -> list[Level]:
    """Bounds and mean of a scalar as vertical lines."""
    marks = []
    for group, style, label in (("bounds", "outer", OUTER), ("inner", "inner", INNER)):
        if name in getattr(result, group):
            marks += [Level(float(value), label, style) for value in getattr(result, group)[name].values]
    quantiles = "5 % and 95 % quantile"
    for key, style, label in (("mean", "mean", "mean"), ("q05", "range", quantiles), ("q95", "range", quantiles)):
        if name in result.statistics and key in result.statistics["statistic"].values:
            marks.append(Level(float(result.statistics[name].sel(statistic=key)), label, style))
    return marks


def orbit_figures(result, names: list[str]) -> list[Figure]:
    """One figure for each pair ``X.ex``, ``X.ey`` of which histories are stored: a few orbits of the journal in its clearance circle."""
    figures = []
    for joint in [name.removesuffix(".ex") for name in names if name.endswith(".ex")]:
        pair = [f"{joint}.ex", f"{joint}.ey"]
        if not all(name in result.runs and "time" in result.runs[name].dims for name in pair):
            continue
        index = samples.choose(samples.good(result), 6)
        x, y = (result.runs[name].isel(run=index).values.astype(float) for name in pair)
        marks = [Curve(x[k], y[k], f"run {index[k]}", k) for k in range(len(index))]
        limits = _clearance(result, joint)
        if limits is not None:
            angle = np.linspace(0, 2 * np.pi, 181)
            marks = [Curve(r * np.cos(angle), r * np.sin(angle), f"clearance {r:.3g} m", "limit") for r in limits] + marks
        panel = Panel(label_of(result, pair[0]), label_of(result, pair[1]), tuple(marks), equal=True)
        caption = (f"Orbit of the journal's centre in its bearing, {len(index)} of the runs.",)
        figures.append(Figure(f"{joint}.orbit", f"{joint}: orbit", (panel,), caption))
    return figures


def _clearance(result, joint: str) -> list[float] | None:
    """Least and greatest radius of the clearance circle, when an input says it."""
    names = [str(name) for name in result.runs.data_vars if str(name).startswith("input:") and "clearance" in str(name)]
    own = [name for name in names if joint.lower() in name.lower()]
    names = own or names
    if len(names) != 1:
        return None
    values = result.runs[names[0]].values
    return sorted({float(values.min()), float(values.max())})


def _in(result, name: str) -> str:
    unit = unit_of(result, name)
    return f" [{unit}]" if unit else ""


def _centre(marks: list[Curve | Band]) -> tuple[np.ndarray, np.ndarray] | None:
    """Middle of the widest band over time, where the band is too narrow to be seen against the course of its middle."""
    bands = [mark for mark in marks if isinstance(mark, Band)]
    if not bands:
        return None
    widest = max(bands, key=lambda band: float(np.nanmax(band.upper - band.lower)))
    middle = 0.5 * (widest.lower + widest.upper)
    return (widest.x, middle) if np.nanmax(widest.upper - widest.lower) < NARROW * np.ptp(middle) else None


def _less(mark: Curve | Band, x: np.ndarray, y: np.ndarray) -> Curve | Band:
    """The mark less a curve."""
    below = np.interp(mark.x, x, y)
    if isinstance(mark, Curve):
        return replace(mark, y=mark.y - below)
    return replace(mark, lower=mark.lower - below, upper=mark.upper - below)


def _run_marks(result, name: str, runs: np.ndarray | None, points: int) -> list[Curve]:
    if runs is None or not len(runs):
        return []
    time = result.runs["time"].values
    lines = [samples.thin(time, run, points) for run in runs]
    x, y = samples.joined([line[0] for line in lines], [line[1] for line in lines])
    return [Curve(x, y, "runs", "run")]


def _statistic_marks(result, name: str) -> list[Curve | Band]:
    if name not in result.statistics:
        return []
    table = result.statistics[name]
    time, known = table["time"].values, set(table["statistic"].values.tolist())

    def get(key: str) -> np.ndarray:
        return table.sel(statistic=key).values

    marks: list[Curve | Band] = [
        Band(time, get(low), get(high), label, style) for low, high, style, label in QUANTILE_BANDS if {low, high} <= known
    ]
    if {"mean_lower", "mean_upper"} <= known:
        marks.append(Band(time, get("mean_lower"), get("mean_upper"), "95 % confidence of the mean", "confidence"))
    if "mean" in known:
        marks.append(Curve(time, get("mean"), "mean", "mean"))
    return marks


def _bound_marks(result, name: str) -> list[Curve | Band]:
    marks: list[Curve | Band] = []
    if name in result.bounds:
        bounds = result.bounds[name]
        marks.append(Band(bounds["time"].values, *bounds.sel(bound=["lower", "upper"]).values, OUTER, "outer"))
    if name in result.inner:
        inner = result.inner[name]
        marks += [Curve(inner["time"].values, inner.sel(bound=side).values, INNER, "inner") for side in ("lower", "upper")]
    return marks


def _sensitivity_curves(table) -> list[Curve]:
    kind = str(table["kind"].values[0])
    inputs = [str(name) for name in table["input"].values]
    return [
        Curve(table["time"].values, table.sel(kind=kind, input=name).values, f"{name} ({kind.replace('_', ' ')})", number)
        for number, name in enumerate(inputs)
    ]


def _floor(error: np.ndarray) -> float:
    """What stands for zero on a logarithmic axis: far below the rest."""
    positive = error[np.isfinite(error) & (error > 0)]
    return 1e-10 * float(positive.max()) if len(positive) else 1e-16
