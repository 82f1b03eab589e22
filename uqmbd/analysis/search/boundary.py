"""Where runs of one kind and runs of another lie next to each other: where to run to come closer, and what may still lie between."""

from __future__ import annotations

import numpy as np

from uqmbd.analysis.search.extremes import Extremes

NEAR = 4.0  # a run of another kind is near a group of runs if it is no further than this many times their spread
MIDDLE = (0.3, 0.7)  # part of the way between two runs where the next one lies
AT_FACE = 0.5  # probability that a coordinate which is at an end of its interval stays there


class Boundary:
    """Runs of several kinds at `points` (runs, inputs) in ``[-1, 1]^inputs``, and for each the nearest run of another kind.

    `kinds` (runs,) are numbers; NaN for runs that have no kind, as those that failed. `partner` (runs,) is the nearest run of another kind,
    -1 where there is none, and `distance` (runs,) how far it is, infinite where there is none.
    """

    def __init__(self, points: np.ndarray, kinds: np.ndarray) -> None:
        from scipy.spatial import KDTree

        self.points, self.kinds = points, kinds
        self.partner, self.distance = np.full(len(points), -1), np.full(len(points), np.inf)
        known = np.isfinite(kinds)
        values = np.unique(kinds[known])
        for value in values if len(values) > 1 else ():
            own, others = np.flatnonzero(kinds == value), np.flatnonzero(known & (kinds != value))
            self.distance[own], nearest = KDTree(points[others]).query(points[own])
            self.partner[own] = others[nearest]

    def pairs(self, kind: float | None = None) -> np.ndarray:
        """Runs that are each other's nearest of another kind, (pairs, 2); of one kind with any other if said."""
        first = np.flatnonzero(self.partner >= 0)
        first = first[self.partner[self.partner[first]] == first]
        second = self.partner[first]
        some = first < second
        if kind is not None:
            some &= (self.kinds[first] == kind) | (self.kinds[second] == kind)
        return np.column_stack([first, second])[some]

    def between(self, kind: float, count: int, rng: np.random.Generator) -> np.ndarray:
        """Points near the middle of pairs, (count, inputs), of wide ones most often; so runs are spread along the boundary of a kind.

        Anywhere where there is no pair.
        """
        pairs = self.pairs(kind)
        if not len(pairs):
            return rng.uniform(-1.0, 1.0, (count, self.points.shape[1]))
        distance = self.distance[pairs[:, 0]]
        chosen = pairs[rng.choice(len(pairs), count, p=distance / distance.sum())]
        part = rng.uniform(*MIDDLE, (count, 1))
        return (1 - part) * self.points[chosen[:, 0]] + part * self.points[chosen[:, 1]]

    def towards(self, runs: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """A point on the way from each of some runs (count,) to its nearest of another kind, (count, inputs).

        Coordinates at an end of their interval stay there half of the time: extremes are often at an edge of the box.
        """
        here = self.points[runs]
        way = np.where((self.partner[runs] >= 0)[:, None], self.points[self.partner[runs]] - here, 0.0)
        stay = (np.abs(here) == 1.0) & (rng.random(len(runs)) < AT_FACE)[:, None]
        return here + np.where(stay, 0.0, way) * rng.random((len(runs), 1))

    def open_ends(self, extremes: Extremes) -> np.ndarray:
        """By how much each extreme of a kind may grow up to its boundary, (2, columns), in the unit of the column.

        The way to the nearest run of another kind, times the slope that is seen among the best runs of the column. It is 0 where that run
        is far away, compared to the spread of the best runs: then the extreme does not lie at the boundary.
        """
        return np.stack([self._open(runs, values) for runs, values in zip(extremes.runs, extremes.values, strict=True)])

    def _open(self, runs: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Of one side: the best runs of each column and their values, (columns, keep)."""
        known, distance = runs >= 0, self.distance[runs[:, 0]]
        near = np.flatnonzero(known[:, 1] & np.isfinite(distance))
        growth = np.zeros(len(runs))
        if not near.size:
            return growth
        runs, values, known, distance = runs[near], values[near], known[near], distance[near]
        away = np.linalg.norm(self.points[runs] - self.points[runs[:, :1]], axis=2)
        spread = np.where(known, away, 0.0).max(axis=1)
        least = np.minimum(distance, spread / NEAR)[:, None]  # slopes over less than the way that is asked for may be noise
        with np.errstate(invalid="ignore"):
            slope = np.where(known & (away > 0), (values[:, :1] - values) / np.maximum(away, least), 0.0).max(axis=1)
        growth[near] = np.where(distance <= NEAR * spread, slope * distance, 0.0)
        return growth
