"""Bifurcation diagrams: section points over a parameter as fine dots, by the way they were reached, and the period below."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from uqmbd.facts import InputFacts
from uqmbd.figures.marks import Band, Curve, Dots, Figure, Panel, Points, Stack
from uqmbd.method_facts import Diagram
from uqmbd.result_data import ResultData
from uqmbd.tables.outputs import label_of
from uqmbd.tables.scaling import input_unit, with_unit

STYLE = {"up": 0, "down": 1}  # colours of ways
UNSURE, UNTOLD = -1, -4  # periods: the transient is not over, points are too few, the run failed; below, it is not there yet
COLOR = 2  # of the first share
TOLD = 3  # ranges in a caption
SHOWN = 5  # periods whose shares are drawn apart
WORDS = {"neimark_sacker": "Neimark-Sacker"}
LOCATED = 6  # colour of special points
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
    shared = "period_share" in result.specs and name in result["period_share"]
    shades = spans(x, np.any(np.reshape(doubtful(period.values), (len(x), -1)), axis=1))
    if shared:
        bounds = result["section_bounds"][name].values
        marks = [Band(x, bounds[:, k, 0], bounds[:, k, 1], f"{way}: of all samples", STYLE.get(way, k)) for k, way in enumerate(ways)]
        below = [shares_panel(result, name, x, label, k) for k in range(len(ways))]
        said = [f"Over {points.sizes['sample']} samples of the other inputs; below, the shares of those with each period."]
    else:
        marks, strip = [], [dots(x, np.where(period.values >= 0, period.values, np.nan), way, k, coarse=True) for k, way in enumerate(ways)]
        below = [Panel(label, "period", tuple(strip), shades=shades, height=0.8)]
        said = [f"Below, after how many of them it returns (0: no period up to {about.most_period})."]
    points_of = [dots(x, points.values, way, k) for k, way in enumerate(ways)]
    if "followed" in result.specs:
        marks += branches_over(result, name, unit)
        where = ", with the other inputs at their middle" if shared else ""
        said.append(f"Lines: followed orbits{where}, dashed where they are unstable, with the points where they change.")
    panels = (Panel(label, label_of(result, name), (*marks, *points_of), shades=shades, height=3.0), *below)
    caption = [f"The last section points of the motion at {len(x):,} values of {about.parameter}.", *said]
    if ranges := about.hysteresis.get(name, ()):
        words = ", ".join(between(float(unit.of(first)), float(unit.of(last))) for first, last in ranges[:TOLD])
        caption.append(f"On the way up and on the way down motions differ at {words}.")
    if shades:
        caption.append("Shaded: the transient is not over in some run, its section points are too few for a period, or it failed.")
    return Figure(f"{name}.diagram", f"{name} over {about.parameter}", panels, tuple(caption))


def branches_over(result: ResultData, name: str, unit: InputFacts) -> list[Curve | Points]:
    """Followed orbits of an output as lines, stable and unstable ones, and their special points."""
    table = result["followed"]
    if f"state:{name}" not in table:
        return []
    x, y = np.asarray(unit.of(table["value"].values), float), table[f"state:{name}"].values
    stable, kind = table["stable"].values.astype(bool), np.array([str(one) for one in table["kind"].values])  # of an opened result too
    lines = np.flatnonzero(np.diff(table["branch"].values * (1 + table["phase"].values.max()) + table["phase"].values)) + 1
    marks: list[Curve | Points] = []
    for style, label, which in (("mean", "followed, stable", stable), ("inner", "followed, unstable", ~stable)):
        shown = which | (kind != "")  # where they meet
        marks.append(Curve(np.insert(x, lines, np.nan), np.insert(np.where(shown, y, np.nan), lines, np.nan), label, style))
    at = np.flatnonzero(kind != "")
    words = tuple(WORDS.get(str(one), str(one).replace("_", " ")) for one in kind[at])
    sides = tuple("top" if phase == 0 else "" for phase in table["phase"].values[at].tolist())
    return [*marks, Points(x[at], y[at], words, sides, "located", LOCATED, on_curves=True)] if len(at) else marks


def shares_panel(result: ResultData, name: str, x: np.ndarray, label: str, way: int) -> Panel:
    """Shares of the samples with each period, one above the other."""
    table = result["period_share"][name]
    codes = table["of_period"].values.tolist()
    shares = table.values[:, way].T
    periods = [k for k in np.argsort(-np.nan_to_num(shares).mean(axis=1), kind="stable").tolist() if codes[k] > 0]
    order = sorted(periods[:SHOWN]) + sorted((k for k in range(len(codes)) if codes[k] <= 0), key=lambda k: -codes[k])
    others = shares[periods[SHOWN:]].sum(axis=0)
    words = {0: f"no period up to {result.facts_of(Diagram).most_period}", -1: "transient not over", -2: "too few points"}
    labels = [words.get(codes[k], f"period {codes[k]}") for k in order]
    if len(periods) > SHOWN:
        labels.append("other periods")
        shares, order = np.vstack([shares, others]), [*order, len(shares)]
    several = f", {table['way'].values[way]}" if table.sizes["way"] > 1 else ""
    stack = Stack(
        x, shares[order], tuple(labels), len(order) - 1 if len(periods) > SHOWN else None, tuple(range(COLOR, COLOR + len(order)))
    )
    return Panel(label, f"share{several}", (stack,), height=1.2)


def dots(x: np.ndarray, table: np.ndarray, way: str, number: int, *, coarse: bool = False) -> Dots:
    """What of a table (values, ways, ...) is there on one way."""
    y = table[:, number].reshape(len(x), -1)
    there = np.isfinite(y)
    return Dots(np.broadcast_to(x[:, None], y.shape)[there], y[there], way, STYLE.get(way, number), coarse or int(there.sum()) <= COARSE)


def doubtful(periods: np.ndarray) -> np.ndarray:
    """Of which runs that are there nothing certain is said, bool."""
    return (periods <= UNSURE) & (periods > UNTOLD)


def between(first: float, last: float) -> str:
    """A range of the parameter in words."""
    return f"{first:.5g}" if first == last else f"{first:.5g} to {last:.5g}"


def spans(x: np.ndarray, which: np.ndarray) -> tuple[tuple[float, float], ...]:
    """Stretches of ascending x (n,) in which `which` holds, each to the middle of the distance to its neighbours."""
    edges = np.concatenate([x[:1], 0.5 * (x[1:] + x[:-1]), x[-1:]])
    ends = np.flatnonzero(np.diff(np.concatenate([[False], which, [False]]).astype(int))).reshape(-1, 2)
    return tuple((float(edges[begin]), float(edges[end])) for begin, end in ends)
