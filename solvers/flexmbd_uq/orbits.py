"""Orbits of journals in their bearings: two histories against each other."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from flexmbd_uq.regimes import LABELS, colors_of
from uqmbd.figures import samples
from uqmbd.figures.marks import Curve, Figure, Panel, Points
from uqmbd.tables.outputs import label_of, unit_of

READ = 200  # runs that the outermost line and the median are of
NAMED = 6  # runs at most that are drawn in colours of their own
SECTORS = 90  # of the outermost line
BETWEEN = 8  # places between two points of an orbit that count for it
MARKED = 300  # points of the orbit that show its regime


def orbit_figures(result, names: Sequence[str]) -> list[Figure]:
    """One figure for each orbit: those that the study names, or every pair ``X.ex``, ``X.ey`` of which histories are stored."""
    return [_figure(result, *orbit) for orbit in _orbits(result, names)]


def _orbits(result, names: Sequence[str]) -> Iterator[tuple[str, str, Any]]:
    """Outputs x and y, and the input or number that both are divided by (None: nothing)."""
    wanted = result.attrs.get("report", {}).get("orbits")
    if wanted is None:
        joints = [name.removesuffix(".ex") for name in names if name.endswith(".ex")]
        wanted = [[f"{joint}.ex", f"{joint}.ey"] for joint in joints]
    for x, y, *scale in wanted:
        if all(name in result.runs and "time" in result.runs[name].dims for name in (x, y)) and samples.good(result).any():
            by = scale[0] if scale else _clearance(result, x)
            yield x, y, None if isinstance(by, str) and float(result.runs[f"input:{by}"].min()) <= 0 else by


def _figure(result, x_name: str, y_name: str, scale: Any) -> Figure:
    good = int(samples.good(result).sum())
    index = samples.choose(samples.good(result), READ)
    unit = 1.0 if scale is None else scale if not isinstance(scale, str) else result.runs[f"input:{scale}"].values[index][:, None]
    x, y = (result.runs[name].isel(run=index).values.astype(float) / unit for name in (x_name, y_name))
    count, points = samples.share_of_page(2, x.shape[1])
    middle = _nearest_to_median(x, y)
    few = good <= NAMED
    marks: list[Curve | Points] = []
    if scale is not None:
        angle = np.linspace(0, 2 * np.pi, 181)
        marks.append(Curve(np.cos(angle), np.sin(angle), "clearance", "limit"))
    if few:
        marks += [Curve(x[k], y[k], f"run {index[k]}", k) for k in range(len(index))]
    else:
        shown = samples.choose(np.ones(len(index), bool), count)
        lines = [_thinned(x[k], y[k], 2 * points) for k in shown]
        marks.append(Curve(*samples.joined(*map(list, zip(*lines, strict=True))), "runs", "run"))
        marks.append(Curve(*_outermost(x, y), "outermost place of the runs", "inner"))
    marks += _marked(result, x_name, int(index[middle]), x[middle], y[middle], drawn=few)
    by = scale if isinstance(scale, str) else f"{scale:.4g} {unit_of(result, x_name)}".strip() if scale else ""
    labels = [f"{name} / {by}" if by else label_of(result, name) for name in (x_name, y_name)]
    title = f"{_joint(x_name)}: orbit" if _joint(x_name) == _joint(y_name) else f"{y_name} over {x_name}: orbit"
    caption = [f"{len(index)} of {good} runs" + ("." if few else f", of which {len(shown)} are drawn in grey.")]
    if len(index) > 1:
        caption.append(f"Run {index[middle]} is the one nearest to the median of all.")
    if scale is None and unit_of(result, x_name):
        caption.append("Not by the clearance: the study does not say it.")
    return Figure(f"{_joint(x_name)}.orbit", title, (Panel(*labels, tuple(marks), equal=True),), tuple(caption))


def _joint(name: str) -> str:
    return name.rpartition(".")[0] or name


def _marked(result, x_name: str, run: int, x: np.ndarray, y: np.ndarray, *, drawn: bool) -> list[Curve | Points]:
    """The run's orbit, its points in the colours of their regimes where these are stored."""
    regime = f"{_joint(x_name)}.regime"
    marks: list[Curve | Points] = [] if drawn else [Curve(x, y, f"run {run}", "path" if regime in result.runs else "mean")]
    if regime not in result.runs or "time" not in result.runs[regime].dims:
        return marks
    codes, time = result.runs[regime].isel(run=run).values, result.runs["time"].values
    labels = list(result.attrs.get("report", {}).get("regime_labels", LABELS))
    keep = np.zeros(len(time), bool)
    keep[:: max(1, len(time) // MARKED)] = True
    for code in np.unique(codes[np.isfinite(codes)].astype(int)):
        at = np.flatnonzero((codes == code) & keep)
        if len(at):
            label = labels[code] if code < len(labels) else f"code {code}"
            names = tuple(f"{label}, {moment:.5g} s" for moment in time[at])
            marks.append(Points(x[at], y[at], names, ("",) * len(at), f"run {run}: {label}", *colors_of([int(code)]), small=True))
    return marks


def _nearest_to_median(x: np.ndarray, y: np.ndarray) -> int:
    """Which of the runs (run, time) stays nearest to the median place at each time, in the mean square."""
    away = np.nanmean((x - np.nanmedian(x, axis=0)) ** 2 + (y - np.nanmedian(y, axis=0)) ** 2, axis=1)
    return int(np.nanargmin(away))


def _outermost(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The greatest distance from the centre in each sector of direction that any run (run, time) has visited, as a line with gaps."""
    share = np.arange(BETWEEN) / BETWEEN
    x, y = (values[:, :-1, None] * (1 - share) + values[:, 1:, None] * share for values in (x, y))
    radius, sector = np.hypot(x, y).ravel(), ((np.arctan2(y, x) / (2 * np.pi) + 0.5) * SECTORS).astype(int).ravel() % SECTORS
    order = np.argsort(radius, kind="stable")
    last = np.full(SECTORS, -1)
    last[sector[order]] = order  # the greatest is written last
    far = np.where(last >= 0, last, 0)
    line = [np.where(last >= 0, values.ravel()[far], np.nan) for values in (x, y)]
    return np.append(line[0], line[0][0]), np.append(line[1], line[1][0])


def _thinned(x: np.ndarray, y: np.ndarray, points: int) -> tuple[np.ndarray, np.ndarray]:
    every = max(1, -(-len(x) // points))
    return x[::every], y[::every]


def _clearance(result, name: str) -> str | None:
    """The input that is the clearance of this joint, when one is known by its name and unit."""
    names = [str(key).removeprefix("input:") for key in result.runs.data_vars if str(key).startswith("input:") and "clearance" in str(key)]
    own = [key for key in names if _joint(name).lower() in key.lower()]
    names = own or names
    if len(names) != 1:
        return None
    units = {str(result.runs[key].attrs.get("unit") or "") for key in (name, f"input:{names[0]}")} - {""}
    return names[0] if len(units) < 2 else None
