"""Quantiles and distribution functions of an expansion in random and interval inputs: their bounds over regions of the intervals.

They have no such form as mean and variance have (`imprecise_moments`): they are searched for with one sample of the random inputs, common
to all points and regions, so that the search sees a continuous function. Regions lie in each other; a search begins where that of the
next narrower region ended, so its bounds are never narrower.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from uqmbd.analysis.chaos.expansion import Expansion, basis
from uqmbd.analysis.sets.regions import Region

BEGINNINGS = 16  # candidates besides corners and faces
ROUNDS = 5  # of the search for quantiles, each with half the step of the one before
ROUND_ROUNDS = 16  # where the surface is curved: only what did not move halves its step
_MEMORY = 4_000_000  # numbers of one array held at a time


class Conditional:
    """An expansion seen as one in the random inputs, for each point of the `intervals`, whose coordinates x are in [-1, 1].

    `u` (n, d - len(intervals)) are points of the unit cube: the sample of the random inputs.
    """

    def __init__(self, expansion: Expansion, intervals: Sequence[int], u: np.ndarray) -> None:
        self.intervals = list(intervals)
        others = [i for i in range(expansion.indices.shape[1]) if i not in self.intervals]
        rests, group = np.unique(expansion.indices[:, others], axis=0, return_inverse=True)
        self._gather = (np.ravel(group)[:, None] == np.arange(len(rests))).astype(float)
        self._families = [expansion.families[i] for i in self.intervals]
        self._indices = expansion.indices[:, self.intervals]
        self._c = np.ascontiguousarray(expansion.c.T)
        self._psi = basis([expansion.families[i] for i in others], rests, u)

    def samples(self, x: np.ndarray, columns: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
        """Values of column `columns` (pairs,) at the point `x` (pairs, intervals) of its own, (part, n), a part of the pairs at a time."""
        step = max(1, _MEMORY // max(len(self._psi), len(self._indices)))
        for i in range(0, len(x), step):
            at = slice(i, i + step)
            weights = basis(self._families, self._indices, (x[at] + 1) / 2)
            yield at, ((weights * self._c[columns[at]]) @ self._gather) @ self._psi.T

    def quantiles(self, x: np.ndarray, columns: np.ndarray, levels: Sequence[float]) -> np.ndarray:
        """Quantiles of column `columns` (pairs,) at the point `x` (pairs, intervals): shape (levels, pairs)."""
        out = np.empty((len(levels), len(x)))
        for at, values in self.samples(x, columns):
            # of Sobol' points the i-th value stands for the probability (i + ½)/n: Hazen's rule
            out[:, at] = np.quantile(values, levels, axis=1, overwrite_input=True, method="hazen")
        return out


class _Search:
    """Least and greatest quantiles found so far: signed values `best` (levels, 2, columns), to be lowered, and their x (..., intervals)."""

    def __init__(self, split: Conditional, levels: Sequence[float], columns: int) -> None:
        self.split, self.levels, self.columns = split, levels, columns
        shape = (len(levels), 2, columns)
        self.best, self.x = np.full(shape, np.inf), np.zeros((*shape, len(split.intervals)))
        self._sign = np.array([1.0, -1.0])

    def begin(self, region: Region) -> None:
        """Try the candidates of a region in every column."""
        points = region.points(region.candidates(BEGINNINGS))
        x, columns = np.repeat(points, self.columns, axis=0), np.tile(np.arange(self.columns), len(points))
        quantiles = self.split.quantiles(x, columns, self.levels).reshape(len(self.levels), len(points), self.columns)
        for end, sign in enumerate(self._sign):
            first = (sign * quantiles).argmin(axis=1)
            value = sign * np.take_along_axis(quantiles, first[:, None], axis=1)[:, 0]
            better = value < self.best[:, end]
            self.best[:, end] = np.where(better, value, self.best[:, end])
            self.x[:, end] = np.where(better[..., None], points[first], self.x[:, end])

    def improve(self, region: Region) -> None:
        """Pattern search in w along its axes (Hooke and Jeeves, J. ACM 8 (1961) 212); what leaves the region is pulled back to it."""
        w = region.places(self.x.reshape(-1, self.x.shape[-1])).reshape(self.x.shape)
        axes = np.eye(w.shape[-1])[region.wide]
        active, step = np.ones(self.best.shape, bool), np.full(self.best.shape, 0.5)
        for _ in range(ROUND_ROUNDS if region.round else ROUNDS):
            before, moved = w.copy(), np.zeros(self.best.shape, bool)
            for way in np.concatenate([axes, -axes]):
                moved |= self._tried(region, w, active, step[active][:, None] * way)
            if region.round:
                self._tried(region, w, moved, (w - before)[moved])
            active = moved | (np.abs(w[..., region.wide]) < 1).any(axis=-1)  # a corner that its neighbours do not beat is done
            if not active.any():
                break
            # on a curved surface every good way leads off it, and what comes back has hardly moved
            step = np.where(moved & region.round, step, step / 2)

    def _tried(self, region: Region, w: np.ndarray, which: np.ndarray, by: np.ndarray) -> np.ndarray:
        """Move the entries `which` of `w` `by` (entries, intervals) where that is better; which were moved, as `which`."""
        moved, entries = np.zeros_like(which), np.nonzero(which)
        trial = region.body.project(w[entries] + by)
        new = (trial != w[entries]).any(axis=1)
        entries, trial = tuple(index[new] for index in entries), trial[new]
        x = region.points(trial)
        # ends and quantiles of one column are often tried at the same point
        pairs, pair = np.unique(np.column_stack([entries[2], x]), axis=0, return_inverse=True)
        quantiles = self.split.quantiles(pairs[:, 1:], pairs[:, 0].astype(int), self.levels)
        value, here = self._sign[entries[1]] * quantiles[entries[0], np.ravel(pair)], self.best[entries]
        better = value < here - 1e-12 * np.abs(here)
        entries = tuple(index[better] for index in entries)
        self.best[entries], self.x[entries], w[entries], moved[entries] = value[better], x[better], trial[better], True
        return moved


def quantile_bounds(
    expansion: Expansion, intervals: Sequence[int], levels: Sequence[float], u: np.ndarray, regions: Sequence[Region]
) -> tuple[np.ndarray, np.ndarray]:
    """Least and greatest quantiles that were found over `regions`, each of which is inside the one before, and where they are taken.

    Candidates first; from the best of each column a pattern search with halved steps. Not verified. The
    sample `u` (n, random inputs) is of the unit cube. Shapes (regions, levels, 2, columns) and (regions, levels, 2, columns, intervals).
    """
    search = _Search(Conditional(expansion, intervals, u), levels, expansion.c.shape[1])
    bounds, places = [], []
    for region in reversed(regions):
        search.begin(region)
        if region.wide.any():
            search.improve(region)
        bounds.append(search.best * np.array([[1.0], [-1.0]]))
        places.append(search.x.copy())
    return np.stack(bounds[::-1]), np.stack(places[::-1])


def boxes(
    expansion: Expansion,
    intervals: Sequence[int],
    u: np.ndarray,
    regions: Sequence[Region],
    places: np.ndarray,
    margin: float = 0.0,
    *,
    count: int = 256,
    rows: int = 201,
) -> np.ndarray:
    """Probability boxes of the only column: values, lower and upper distribution function there, shape (regions, rows, 3).

    The envelope of the distribution functions at candidates of each region and at `places` (regions, n, intervals), moved outwards by
    `margin`. Not verified. Of samples of equal size it has the least and the greatest of the i-th values as its quantiles. A region has all
    that those inside it have.
    """
    split, out = Conditional(expansion, intervals, u), np.empty((len(regions), rows, 3))
    low, high = np.full(len(u), np.inf), np.full(len(u), -np.inf)
    for k in reversed(range(len(regions))):
        x = np.concatenate([regions[k].points(regions[k].candidates(count)), places[k]])
        for _, values in split.samples(x, np.zeros(len(x), int)):
            values.sort(axis=1)
            low, high = np.minimum(low, values.min(axis=0)), np.maximum(high, values.max(axis=0))
        ends = np.quantile(np.concatenate([low, high]), np.linspace(0, 1, rows))
        ends[[0, -1]] += [-margin, margin]
        sides = (np.searchsorted(high, ends - margin, side="right"), np.searchsorted(low, ends + margin, side="right"))
        out[k] = np.column_stack([ends, *(side / len(u) for side in sides)])
    return out
