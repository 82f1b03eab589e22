"""Bounds of statistics over regions of the intervals, of a surrogate that can be evaluated and nothing else: they are searched for.

The surrogate is sampled at each point of the intervals with one sample of the random inputs, common to all points, so that the search sees
a continuous function. Regions lie in each other, and each has what those inside it reach. Not verified: bounds come from inside.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from uqmbd.analysis.sets.regions import Region

ROUNDS = 4  # of a search, each with half the step of the one before
BEST = 24  # points from which a round goes on: those that are best for most columns


class _Search:
    """Least and greatest statistics so far, (2, statistics, columns), and their points (..., intervals)."""

    def __init__(self, statistics: Callable[[np.ndarray], np.ndarray]) -> None:
        self.statistics = statistics
        self.ends: np.ndarray | None = None
        self.places = np.empty(0)
        self.tried: set[bytes] = set()

    def look(self, points: np.ndarray) -> None:
        """Take the statistics at points x (n, intervals)."""
        for x in points:
            if (key := np.round(x, 12).tobytes()) in self.tried:
                continue
            self.tried.add(key)
            values = self.statistics(x)
            if self.ends is None:
                self.ends = np.stack([values, values])
                self.places = np.broadcast_to(x, (*self.ends.shape, len(x))).copy()
                continue
            for end, better in enumerate((values < self.ends[0], values > self.ends[1])):
                self.ends[end][better] = values[better]
                self.places[end][better] = x

    def best(self) -> np.ndarray:
        """The points of the ends, those of most columns first, (n, intervals)."""
        points, count = np.unique(self.places.reshape(-1, self.places.shape[-1]), axis=0, return_counts=True)
        return points[np.argsort(-count, kind="stable")[:BEST]]


def statistic_bounds(
    evaluate: Callable[[np.ndarray], np.ndarray],
    intervals: Sequence[int],
    levels: Sequence[float],
    u: np.ndarray,
    regions: Sequence[Region],
    *,
    count: int = 16,
) -> np.ndarray:
    """Least and greatest mean, variance and quantiles found over `regions`, each inside the one before, (regions, 2 + levels, 2, columns).

    Of what ``evaluate(points)`` gives, (n, columns), at points of the unit cube (n, d), where the inputs `intervals` have coordinates x in
    [-1, 1] and the others the sample `u` (n, d - len(intervals)). Candidates first, `count` besides corners and faces; from the best of
    them a pattern search with halved steps.
    """
    points = np.empty((len(u), u.shape[1] + len(intervals)))
    points[:, [i for i in range(points.shape[1]) if i not in set(intervals)]] = u

    def statistics(x: np.ndarray) -> np.ndarray:
        points[:, list(intervals)] = (x + 1) / 2
        values = evaluate(points)
        moments = values.mean(axis=0), values.var(axis=0)
        # of Sobol' points the i-th value stands for the probability (i + ½)/n: Hazen's rule
        return np.stack([*moments, *np.quantile(values, levels, axis=0, overwrite_input=True, method="hazen")])

    search, out = _Search(statistics), []
    for region in reversed(regions):
        search.look(region.points(region.candidates(count)))
        axes = np.eye(len(region.box))[region.wide]
        for step in 0.5 ** np.arange(1, 1 + ROUNDS) if len(axes) else ():
            w = region.places(search.best())
            trial = np.concatenate([w + step * way for way in (*axes, *-axes)])
            search.look(region.points(region.body.project(trial)))
        assert search.ends is not None
        out.append(search.ends.swapaxes(0, 1).copy())
    return np.stack(out[::-1])
