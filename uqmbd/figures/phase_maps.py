"""Pictures of the box: the kinds of runs over two inputs with the boundary between them, and the leaves of a box that was split."""

from itertools import combinations

import numpy as np

from uqmbd.analysis.search.boundary import Boundary
from uqmbd.analysis.search.separating import Surface, surface_between
from uqmbd.figures import samples
from uqmbd.figures.marks import Curve, Figure, Panel, Points
from uqmbd.method_facts import Evidence, Kinds
from uqmbd.result_data import ResultData
from uqmbd.tables.outputs import chosen, output_names
from uqmbd.tables.scaling import input_unit, with_unit
from uqmbd.tables.trust import percent

DRAWN = 1500  # runs of a picture
GRID = 201  # points of each input from which a boundary is drawn
NEAR = 0.2  # half widths: further from all pairs a fitted boundary is not drawn
MOST_WRONG = 0.02  # share of runs on the wrong side: a worse boundary is not drawn
KINDS = 8  # as many as have a colour
JUDGED = 400  # runs by which inputs are chosen


def region_figures(result: ResultData) -> list[Figure]:
    """Kinds over the two inputs that tell them apart best, and the leaves of every scalar where there are two inputs."""
    return [*_kinds(result), *_leaves(result)]


def _kinds(result: ResultData) -> list[Figure]:
    sequence, fresh_runs = Kinds.of(result.regions.attrs).sequence, result.facts_of(Evidence).runs_fresh
    if not sequence or sequence not in result.runs:
        return []
    names = [str(name).removeprefix("input:") for name in result.runs.data_vars if str(name).startswith("input:")]
    good = np.flatnonzero(samples.good(result))
    x = np.column_stack([result.runs[f"input:{name}"].values[good] for name in names])
    low, high = x.min(axis=0), x.max(axis=0)
    moving = np.flatnonzero(high > low)
    if len(moving) < 2:
        return []
    kind, (names, low, high) = result.runs[sequence].values[good], ([names[k] for k in moving], low[moving], high[moving])
    unit = 2 * (x[:, moving] - low) / (high - low) - 1
    fresh = slice(-fresh_runs or None, None)
    across = _telling(unit[fresh], kind[fresh])
    written = [input_unit(result, names[k]) for k in across]
    places = [one.of(x[:, moving[k]]) for one, k in zip(written, across, strict=True)]
    shown = _shown(len(kind), fresh_runs)
    marks: list[Points | Curve] = []
    values = result.regions["region"].values
    for number, value in enumerate(values[:KINDS]):
        at = shown[kind[shown] == value]
        marks.append(Points(places[0][at], places[1][at], tuple(f"run {good[k]}" for k in at), ("",) * len(at), str(value), number, True))
    caption = [f"{len(shown)} of {len(kind)} runs, by {sequence}."]
    if len(values) > KINDS:
        caption.append(f"{KINDS} of {len(values)} kinds.")
    if len(names) > 2:
        caption.append(f"Of the {len(names)} inputs these two tell the kinds apart best.")
    else:
        for pair in combinations(values, 2):
            curve, said = _boundary(unit, kind, pair, low, high, written)
            marks += curve
            caption += said
    labels = [with_unit(names[k], one) for k, one in zip(across, written, strict=True)]
    panel = Panel(labels[0], labels[1], tuple(marks), height=3.0)
    return [Figure("regions", f"Runs by {sequence}", (panel,), tuple(caption))]


def _shown(runs: int, fresh: int) -> np.ndarray:
    """Which runs are drawn: the fresh ones, which are spread evenly, and others among the search's."""
    last = np.arange(max(0, runs - min(fresh, DRAWN)), runs)
    others = np.linspace(0, max(0, runs - fresh - 1), DRAWN - len(last)).astype(int) if DRAWN > len(last) else np.empty(0, int)
    return np.unique(np.concatenate([others, last]))


def _telling(unit: np.ndarray, kind: np.ndarray) -> tuple[int, int]:
    """The two inputs in which the nearest run is most often of the same kind."""
    from scipy.spatial import KDTree

    some = np.linspace(0, len(kind) - 1, min(JUDGED, len(kind))).astype(int)
    unit, kind = unit[some], kind[some]

    def share(pair: tuple[int, int]) -> float:
        nearest = np.asarray(KDTree(unit[:, pair]).query(unit[:, pair], 2)[1])[:, 1]
        return float(np.mean(kind[nearest] == kind))

    return max(combinations(range(unit.shape[1]), 2), key=share)


def _boundary(unit: np.ndarray, kind: np.ndarray, pair: tuple, low: np.ndarray, high: np.ndarray, written) -> tuple[list[Curve], list[str]]:
    """The curve between two kinds in a box of two inputs, and how well it tells their runs apart."""
    both = np.flatnonzero(np.isin(kind, pair))
    points, first = unit[both], kind[both] == pair[0]
    neighbours = Boundary(points, kind[both]).pairs()
    pairs = points[np.where(first[neighbours[:, :1]], neighbours, neighbours[:, ::-1])]
    surface = surface_between(pairs, points, first)
    if surface is None:
        return [], []
    between, wrong = f"{pair[0]} and {pair[1]}", f"{percent(surface.wrong)} of their runs"
    if surface.wrong > MOST_WRONG:
        return [], [f"No line of second degree tells {between} apart: {wrong} would be on the wrong side."]
    x, y = _curve(surface, pairs.mean(axis=1))
    x, y = (one.of(a + (b - a) * (u + 1) / 2) for one, a, b, u in zip(written, low, high, (x, y), strict=True))
    said = "No run" if surface.wrong == 0 else wrong
    shape = "straight line" if surface.degree == 1 else "line of second degree"
    caption = f"The {shape} between {between} is fitted to {len(pairs)} pairs of neighbouring runs."
    return [Curve(x, y, f"between {between}", "mean")], [caption, f"{said} lie{'' if surface.wrong else 's'} on its wrong side."]


def _curve(surface: Surface, middles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where the surface is 0 in [-1, 1]^2, near the middles of pairs (pairs, 2)."""
    from contourpy import contour_generator
    from scipy.spatial import KDTree

    axis = np.linspace(-1.0, 1.0, GRID)
    points = np.stack(np.meshgrid(axis, axis), axis=-1)
    lines = contour_generator(axis, axis, surface(points.reshape(-1, 2)).reshape(GRID, GRID)).lines(0.0)
    near = [np.where((KDTree(middles).query(line)[0] <= NEAR)[:, None], line, np.nan) for line in map(np.asarray, lines)]
    return samples.joined([line[:, 0] for line in near], [line[:, 1] for line in near])


def _leaves(result: ResultData) -> list[Figure]:
    names = [str(name).removeprefix("lower:") for name in result.leaves.coords if str(name).startswith("lower:")]
    if len(names) != 2 or result.leaves.sizes["leaf"] < 2:
        return []
    written = [input_unit(result, name) for name in names]
    ends = [[one.of(result.leaves[f"{end}:{name}"].values) for end in ("lower", "upper")] for name, one in zip(names, written, strict=True)]
    labels = [with_unit(name, one) for name, one in zip(names, written, strict=True)]
    return [_leaf_figure(result, name, ends, labels) for name in chosen(result, output_names(result)[1]) if name in result.leaves]


def _leaf_figure(result: ResultData, name: str, ends: list[list[np.ndarray]], labels: list[str]) -> Figure:
    trusted = result.leaves[name].sel(part="trusted").values > 0
    marks = []
    for some, label, style in ((trusted, "trusted", 2), (~trusted, "not trusted", 1)):
        (left, right), (bottom, top) = ([values[some] for values in pair] for pair in ends)
        x, y = np.stack([left, right, right, left, left], axis=1), np.stack([bottom, bottom, top, top, bottom], axis=1)
        if some.any():
            line = samples.joined(list(x), list(y))
            marks.append(Curve(line[0], line[1], label, style))
    share = result.facts_of(Evidence).trusted_volume.get(name)
    caption = [f"{len(trusted)} parts of the box, {int(trusted.sum())} of them trusted"]
    caption[0] += f", which have {percent(share)} of it." if share is not None else "."
    return Figure(f"leaves.{name}", f"{name}: parts of the box", (Panel(labels[0], labels[1], tuple(marks), height=3.0),), tuple(caption))
