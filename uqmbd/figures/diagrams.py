"""Bifurcation diagrams: section points over a parameter as fine dots, by the way they were reached, and the period below."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from uqmbd.figures.marks import Dots, Figure, Panel
from uqmbd.method_facts import Diagram
from uqmbd.result_data import ResultData
from uqmbd.tables.outputs import label_of
from uqmbd.tables.scaling import input_unit, with_unit

STYLE = {"up": 0, "down": 1}  # colours of ways
UNSURE = -1  # periods of this and below: the transient is not over, points are too few, the run failed
COARSE = 4000  # dots: no more are drawn larger


def diagram_figures(result: ResultData, names: Sequence[str] | None = None) -> list[Figure]:
    """One of each output that has section points, or of those of `names` that have."""
    if "branches" not in result.specs:
        return []
    return [diagram_figure(result, str(name)) for name in result["branches"].data_vars if names is None or name in names]


def diagram_figure(result: ResultData, name: str) -> Figure:
    """Section points of one output, and the period of its motion."""
    points, period = result["branches"][name], result["motion_period"][name]
    about = result.facts_of(Diagram)
    unit = input_unit(result, about.parameter)
    x = np.asarray(unit.of(points["value"].values), float)
    label = with_unit(about.parameter, unit)
    ways = [str(way) for way in points["way"].values]
    marks, strip = [], []
    for k, way in enumerate(ways):
        values = points.values[:, k].reshape(len(x), -1)
        marks.append(dots(np.repeat(x, values.shape[1]), values.ravel(), way, k))
        found = period.values[:, k].reshape(len(x), -1).astype(float)
        found[found < 0] = np.nan
        strip.append(dots(np.repeat(x, found.shape[1]), found.ravel(), way, k, coarse=True))
    shades = spans(x, (period.values <= UNSURE).reshape(len(x), -1).any(axis=1))
    panels = (
        Panel(label, label_of(result, name), tuple(marks), shades=shades, height=3.0),
        Panel(label, "period", tuple(strip), shades=shades, height=0.8),
    )
    caption = [f"The last section points of the motion at {len(x):,} values of {about.parameter}; below, after how many of them it returns"]
    caption[0] += f" (0: no period up to {about.most_period})."
    ranges = about.hysteresis.get(name, ())
    if ranges:
        said = ", ".join(between(unit.of(first), unit.of(last)) for first, last in ranges[:3])
        caption.append(f"On the way up and on the way down motions differ at {said}.")
    if shades:
        caption.append("Shaded: the transient is not over in some run, its section points are too few for a period, or it failed.")
    return Figure(f"{name}.diagram", f"{name} over {about.parameter}", panels, tuple(caption))


def dots(x: np.ndarray, y: np.ndarray, way: str, number: int, *, coarse: bool = False) -> Dots:
    """Those that are there."""
    there = np.isfinite(y)
    return Dots(x[there], y[there], way, STYLE.get(way, number), coarse or int(there.sum()) <= COARSE)


def between(first: float, last: float) -> str:
    """A range of the parameter in words."""
    return f"{first:.5g}" if first == last else f"{first:.5g} to {last:.5g}"


def spans(x: np.ndarray, which: np.ndarray) -> tuple[tuple[float, float], ...]:
    """Stretches of ascending x (n,) in which `which` holds, each to the middle of the distance to its neighbours."""
    edges = np.concatenate([x[:1], 0.5 * (x[1:] + x[:-1]), x[-1:]])
    ends = np.flatnonzero(np.diff(np.concatenate([[False], which, [False]]).astype(int))).reshape(-1, 2)
    return tuple((float(edges[begin]), float(edges[end])) for begin, end in ends)
