"""Searches that know nothing of each other, and are then joined: where they disagree, more is to be found."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from uqmbd.analysis.search.extreme_search import Search, neighbours
from uqmbd.analysis.search.extremes import Extremes

COUNT = 2  # populations
OWN = 0.5  # of what a population has found and the other has not
AROUND, LEAST_AROUND = 0.05, 8  # of a history's times, and how many at least, on either side that say how far populations disagree


class Populations:
    """A few searches, each with extremes and random choices of its own, until they are joined to one that goes on with the best of all.

    A way of stepping has the number ``population * ways + way``, so that the runs of each population stand together in a round; `ways` are
    names and functions. There are `count` populations; `groups`, `order`, `targets` are as of
    `uqmbd.analysis.search.extreme_search.Search`.
    """

    def __init__(
        self, columns: int, inputs: int, groups: np.ndarray, order: np.ndarray, targets: np.ndarray | None = None, count: int = COUNT
    ) -> None:
        self._made = lambda extremes: Search(extremes, groups, order, inputs, targets)
        self._extremes = [Extremes(columns, neighbours(inputs)) for _ in range(count)]
        self._searches = [self._made(one) for one in self._extremes]
        self.ways = self._searches[0].ways
        self._apart: list[tuple[int, np.ndarray]] = []  # runs, and by how much they disagreed then
        self._tally = np.zeros((2, len(self.ways)))
        self._before: list[tuple[np.ndarray, np.ndarray]] = []

    @property
    def count(self) -> int:
        """How many there are now."""
        return len(self._extremes)

    @property
    def extremes(self) -> Extremes:
        """Of the one that is left when they are joined."""
        return self._extremes[0]

    @property
    def tally(self) -> np.ndarray:
        """Runs of each way so far, and what they gained, (2, ways)."""
        return self._tally + sum(search.tally for search in self._searches)

    @property
    def bounds(self) -> np.ndarray:
        """Least and greatest values of all, (2, columns)."""
        low, high = np.stack([one.bounds for one in self._extremes], axis=1)
        return np.stack([low.min(axis=0), high.max(axis=0)])

    @property
    def places(self) -> np.ndarray:
        """Number of the run that reached each of them, (2, columns)."""
        return joined(self._extremes, 1).places

    def split(self, count: int) -> np.ndarray:
        """Population of each of so many runs that none of them has asked for."""
        return np.arange(count) * self.count // count

    def take(self, values: np.ndarray, numbers: np.ndarray, group: np.ndarray, columns: slice) -> None:
        """Runs of these numbers, each of its population `group`, with values (runs, columns) of these columns."""
        for k, one in enumerate(self._extremes):
            here = np.flatnonzero(group == k)
            if not len(here):
                continue
            together = here[-1] - here[0] + 1 == len(here)  # as in every round: no copy
            at = slice(here[0], here[-1] + 1) if together else here
            one.part(columns).take(values[at], numbers[at])

    def ways_of(self, count: int, rng: np.random.Generator) -> np.ndarray:
        """Numbers of the ways for so many runs of a round, ascending; `learn` compares with what is known now."""
        self._before = [(one.values[..., 0].copy(), one.places.copy()) for one in self._extremes]
        parts = np.bincount(self.split(count), minlength=self.count)
        drawn = [one.ways_of(n, rng) for one, n in zip(self._searches, parts, strict=True)]
        return np.concatenate([k * len(self.ways) + some for k, some in enumerate(drawn)])

    def group(self, ways: np.ndarray) -> np.ndarray:
        """Population of each run of these ways."""
        return ways // len(self.ways)

    def anywhere(self, ways: np.ndarray) -> np.ndarray:
        """The way of each population that takes a random point."""
        return self.group(ways) * len(self.ways) + [name for name, _ in self.ways].index("anywhere")

    def points(self, points: np.ndarray, ways: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """A point to run by each of `ways`, see `Search.points`."""
        proposals, who = np.empty((len(ways), points.shape[1])), np.empty(len(ways), int)
        for k, one in enumerate(self._searches):
            at = self.group(ways) == k
            proposals[at], who[at] = one.points(points, ways[at] % len(self.ways), rng)
        return proposals, who

    def learn(self, ways: np.ndarray, first: int) -> None:
        """A round of these `ways` has been run, as runs number `first` on."""
        for k, (one, before) in enumerate(zip(self._searches, self._before, strict=True)):
            at = np.flatnonzero(self.group(ways) == k)
            if len(at):
                one.learn(ways[at] % len(self.ways), first + at[0], *before)

    def join(self) -> None:
        """One search from now on, of the best runs of all."""
        if self.count == 1:
            return
        self._tally, old = self.tally, self._searches
        self._extremes = [joined(self._extremes, self._extremes[0].values.shape[2])]
        self._searches = [self._made(self._extremes[0])]
        self._searches[0].inherit(old)

    def remember(self, runs: int) -> None:
        """How far they disagree after so many runs."""
        if self.count > 1:
            self._apart.append((runs, self._disagreement()))

    def disagreements(self) -> tuple[np.ndarray, np.ndarray]:
        """How far the bounds of the one that found least lay inside of those of all: after half of the runs, and when they were joined.

        Each (2, columns).
        """
        if not self._apart:
            return np.zeros_like(self.bounds), np.zeros_like(self.bounds)
        runs, last = self._apart[-1]
        before = [apart for n, apart in self._apart if n <= runs / 2] or [last]
        return before[-1], last

    def _disagreement(self) -> np.ndarray:
        """Where one of them has no run yet that is all the band."""
        apart = np.stack([one.bounds for one in self._extremes])
        with np.errstate(invalid="ignore"):
            spread, width = np.ptp(apart, axis=0), np.ptp(self.bounds, axis=0)
        return np.where(np.isfinite(spread), spread, np.where(np.isfinite(width), width, 0.0))


def populations(runs: float, inputs: int) -> int:
    """How many so many runs are enough for: each needs those of a local model."""
    return COUNT if runs >= COUNT * neighbours(inputs) else 1


def joined(some: list[Extremes], keep: int) -> Extremes:
    """The best `keep` runs of all, of equal values the earlier run."""
    both = Extremes(some[0].values.shape[1], keep)
    values, runs = (np.concatenate([getattr(one, name) for one in some], axis=2) for name in ("values", "runs"))
    best = np.lexsort((runs, -values), axis=2)[..., :keep]
    both.values[:], both.runs[:] = np.take_along_axis(values, best, 2), np.take_along_axis(runs, best, 2)
    return both


def doubt(before: np.ndarray, now: np.ndarray, bounds: np.ndarray, width: np.ndarray, slices: Iterable[slice]) -> np.ndarray:
    """How much further bounds may reach, as two populations show that disagree, (2, columns).

    What one has found and the other has not says how far a single one is from the truth: at one time by chance, so the root mean square
    over the times around it counts. Of the time's own it is one half: what a population adds to the other on average. Both shrink once more
    as they have shrunk when the runs were doubled; those of a number, or of a few times, do not, for so few cannot say how fast.

    Parameters
    ----------
    before, now : ndarray, shape (2, columns)
        Disagreement after half of the runs, and after all.
    bounds : ndarray, shape (2, columns)
    width : ndarray, shape (columns,)
        Of the bands, and of rounding where the band is a point: there neighbours say nothing.
    slices : iterable of slice
        Columns of each output.
    """
    known = np.isfinite(bounds).all(axis=0)  # not where no run is yet
    now, before, bounds, width = (np.where(known, x, 0.0) for x in (now, before, bounds, width))
    slices, point = list(slices), bounds[1] - bounds[0] < width
    share = np.divide(np.stack([before, now]), width, out=np.zeros((2, *now.shape)), where=(width > 0) & ~point)
    then, last = (_around((one**2).mean(axis=0), slices) ** 0.5 for one in share)
    shrunk = np.divide(last, then, out=np.ones_like(last), where=then > last)
    for at in slices:
        if at.stop - at.start < LEAST_AROUND:
            shrunk[at] = 1.0
    return shrunk * np.where(point, OWN * now, np.maximum(OWN * now, last * width))


def _around(values: np.ndarray, slices: Iterable[slice]) -> np.ndarray:
    """Mean over the times around each, (columns,)."""
    means = np.empty_like(values)
    for at in slices:
        count = at.stop - at.start
        reach = max(LEAST_AROUND, round(AROUND * count))
        total, each = np.concatenate([[0.0], np.cumsum(values[at])]), np.arange(count)
        first, last = np.maximum(each - reach, 0), np.minimum(each + reach + 1, count)
        means[at] = np.maximum(total[last] - total[first], 0.0) / (last - first)
    return means
