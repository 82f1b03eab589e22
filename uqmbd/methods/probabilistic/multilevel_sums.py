"""What pairs of neighbouring levels say: means, variances, rates, and what the finest level is off."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from uqmbd.analysis.statistics.moment_limits import SKEWED, shape
from uqmbd.analysis.statistics.order_statistics import level_name
from uqmbd.analysis.statistics.smoothed_shares import Smoothing, smoothed, smoothing
from uqmbd.analysis.statistics.telescoped_shares import FEW_PLACES, Inverted, SortedPairs, inverted
from uqmbd.analysis.statistics.telescoping import Rates, quantile_of_sum, rates, remaining_bias, skewness_of_sum
from uqmbd.errors import StudyError
from uqmbd.methods.accuracy import is_share
from uqmbd.methods.beyond import Passed

PLAIN = Smoothing(0.0, 0.0)


@dataclass(frozen=True)
class Telescoped:
    """Sums over the levels of what neighbouring ones differ by.

    Attributes
    ----------
    slices : mapping of str to slice
        Its columns by what they are of: an output, or a sentence on a number of one.
    outputs : tuple of str
        Which output each of those is of.
    fine, cost, count : ndarray, shape (levels,)
        `fineness` of the levels in use, cost of a pair, and pairs.
    difference, variance, third : ndarray, shape (levels, columns)
        Means of the differences, variances and skewness of those of one pair; of the first level of its runs.
    of_shares : bool
        Whether they are differences of shares, whose rates scatter much.
    smoothing : ndarray, shape (columns,), or float
        What smoothed indicators may add.
    """

    slices: Mapping[str, slice]
    outputs: tuple[str, ...]
    fine: np.ndarray
    cost: np.ndarray
    count: np.ndarray
    difference: np.ndarray
    variance: np.ndarray
    third: np.ndarray
    of_shares: bool = False
    smoothing: np.ndarray | float = 0.0

    @property
    def value(self) -> np.ndarray:
        """The sums, (columns,)."""
        return self.difference.sum(axis=0)

    @property
    def scatter(self) -> np.ndarray:
        """Variance of the sums, (columns,)."""
        return (self.variance / self.count[:, None]).sum(axis=0)

    @property
    def half(self) -> np.ndarray:
        """Half the width of the limits, (columns,): scatter, and what the finest level and smoothing are off."""
        return quantile_of_sum(self.variance, self.count) * np.sqrt(self.scatter) + self.off

    @property
    def off(self) -> np.ndarray:
        """What the finest level in use and smoothing are off, (columns,)."""
        return self.bias() + self.smoothing

    @property
    def skewed(self) -> np.ndarray:
        """Where a sum is so skewed that its limits are too narrow, bool (columns,): as of one sample (Cochran)."""
        return skewness_of_sum(self.third, self.variance, self.count) ** 2 > 1.0 / SKEWED

    @cached_property
    def rates(self) -> dict[str, Rates]:
        """Of each name, from the root mean square over its columns."""
        found = {}
        for name, at in self.slices.items():
            size = np.sqrt((self.difference[1:, at] ** 2).mean(axis=1))
            error = np.sqrt((self.variance[1:, at] / self.count[1:, None]).mean(axis=1))
            found[name] = rates(self.fine[1:], size, error, self.variance[1:, at].mean(axis=1), self.cost[1:])
        return found

    def bias(self, doubt: float = 0.0) -> np.ndarray:
        """What the finest level in use is off, (columns,); with `doubt` what is left of it after so many deviations of the differences."""
        noise = doubt * np.sqrt(self.variance[1:] / self.count[1:, None])
        sizes = np.maximum(np.abs(self.difference[1:]) - noise, 0.0)
        alpha = {name: one.cautious if self.of_shares else one.alpha for name, one in self.rates.items()}
        return np.concatenate([remaining_bias(self.fine, sizes[:, at], alpha[name]) for name, at in self.slices.items()])

    def named(self, which: np.ndarray) -> list[str]:
        """Names that have some of the columns, `which` (columns,) bool."""
        return [name for name, at in self.slices.items() if which[at].any()]


class Sums:
    """What the pairs so far say, of the levels in use.

    Parameters
    ----------
    run : MultilevelRun
        Its values, status, layout, levels in use and their fineness are read, and limits and quantiles that are asked for.
    level : ndarray of int, shape (runs,)
        Number of the level of each run's pair.
    fine : ndarray of bool, shape (runs,)
        Whether it is the finer one of its pair.
    cost : ndarray, shape (levels,)
        Of a pair.

    Attributes
    ----------
    count : ndarray, shape (levels,)
        Pairs of which both runs are ok.
    fine_std : ndarray, shape (levels, columns)
        Standard deviation of the finer runs.

    Raises
    ------
    StudyError
        If fewer than two pairs of a level are ok.
    """

    def __init__(self, run: Any, level: np.ndarray, fine: np.ndarray, cost: np.ndarray) -> None:
        self._run, self.cost = run, cost
        self.count = np.zeros(run.reached, np.int64)
        self._pairs: list[tuple[np.ndarray, np.ndarray | None]] = []  # of each level: fine and coarse values, (pairs, columns)
        for k in range(run.reached):
            here, below = np.flatnonzero((level == k) & fine), np.flatnonzero((level == k) & ~fine)
            ok = run.status[here] == 0
            if k:
                ok &= run.status[below] == 0
            self.count[k] = np.count_nonzero(ok)
            if self.count[k] < 2:
                text = f"fewer than two pairs of the level {run.levels[k]:g} are ok"
                raise StudyError(text, key="method.pilot", value=run.settings.pilot, remedy="mend the model there, or raise pilot")
            self._pairs.append((run.values[here[ok]], run.values[below[ok]] if k else None))
        self.fine_std = np.array([values.std(axis=0, ddof=1) for values, _ in self._pairs])

    def part(self, what: str) -> Telescoped:
        """Sums for ``mean``, ``std`` (of variances), ``probability``, and ``quantile`` (of shares at most the quantile as it is known)."""
        return getattr(self, f"_{what}")

    @cached_property
    def _mean(self) -> Telescoped:
        return self._of_values([values if below is None else values - below for values, below in self._pairs])

    @cached_property
    def _std(self) -> Telescoped:
        """Of squared distances from the mean of each level, whose means are variances."""
        differences = []
        for values, below in self._pairs:
            n = len(values)
            squares = (values - values.mean(axis=0)) ** 2
            differences.append((squares if below is None else squares - (below - below.mean(axis=0)) ** 2) * (n / (n - 1)))
        return self._of_values(differences)

    def _of_values(self, differences: Sequence[np.ndarray]) -> Telescoped:
        mean, variance, third = (np.array([f(part) for part in differences]) for f in (_mean, _variance, _third))
        slices = self._run.columns.slices
        return Telescoped(slices, tuple(slices), self._fine, self.cost, self.count, mean, variance, third)

    @property
    def _fine(self) -> np.ndarray:
        return self._run.fine[: self._run.reached]

    @property
    def std(self) -> np.ndarray:
        """Standard deviation, (columns,); NaN where the sum of the variances is negative."""
        spread = self._std.value
        return np.sqrt(np.where(spread >= 0, spread, np.nan))

    @cached_property
    def _probability(self) -> Telescoped:
        places: list[tuple[str, str, float, bool]] = []
        for one in self._run.limits:
            place = one.level if one.above else np.nextafter(one.level, -np.inf)  # below it, not at it
            places.append((said(one), one.output, place, one.above))
        return self._of_shares(places, smooth=True)

    @cached_property
    def smoothing(self) -> dict[str, Smoothing]:
        """Of each limit, where indicators are to be smoothed, in words as `said`; told by the runs of the coarsest level."""
        found, asked = {}, self._run.errors.get("probability")
        for one in self._run.limits if self._run.settings.smooth else ():
            values = self._pairs[0][0][:, self._run.columns.slices[one.output].start]
            wanted = 0.0 if asked is None else float(asked) * (one.by(values).mean() if is_share(asked) else 1.0)
            found[said(one)] = smoothing(values, one.level, wanted)
        return found

    @cached_property
    def quantiles(self) -> dict[tuple[str, float], Inverted]:
        """By output and level."""
        wanted = [(name, level) for name in self._run.columns.scalars.outputs for level in self._run.quantiles]
        return {(name, level): inverted(self._sorted[name], level, self._fine, self.cost) for name, level in wanted}

    def quantiles_over(self, name: str) -> np.ndarray:
        """Quantiles of a history at each of its times, with their limits, (levels of quantiles, 3, columns)."""
        at, probabilities = self._run.columns.slices[name], self._run.quantiles
        found = np.empty((len(probabilities), 3, at.stop - at.start))
        for i, column in enumerate(range(at.start, at.stop)):
            pairs = SortedPairs.of([(f[:, column], None if c is None else c[:, column]) for f, c in self._pairs], FEW_PLACES)
            for k, level in enumerate(probabilities):
                one = inverted(pairs, level, self._fine, self.cost)
                found[k, :, i] = one.value, one.lower, one.upper
        return found

    @cached_property
    def _quantile(self) -> Telescoped:
        found = self.quantiles.items()
        return self._of_shares([(f"{level_name(level)} of {name}", name, one.value, False) for (name, level), one in found])

    @cached_property
    def _sorted(self) -> dict[str, SortedPairs]:
        """Values of each output that is a number."""
        at = {name: self._run.columns.slices[name].start for name in self._run.columns.scalars.outputs}
        own = {name: [(f[:, i], None if c is None else c[:, i]) for f, c in self._pairs] for name, i in at.items()}
        return {name: SortedPairs.of(pairs) for name, pairs in own.items()}

    def _of_shares(self, places: Sequence[tuple[str, str, float, bool]], *, smooth: bool = False) -> Telescoped:
        """Of each a name, its output, a place, and whether the share above it is meant, not that at most it."""
        rows = np.array([[each[:, 0] for each in self._sorted[output].shares(np.array([place]))] for _, output, place, _ in places])
        off = np.zeros(len(places))
        for i, (row, (name, output, place, above)) in enumerate(zip(rows, places, strict=True)):
            if smooth and (width := self.smoothing.get(name, PLAIN).width):
                off[i] = self.smoothing[name].off
                self._smooth(row, self._run.columns.slices[output].start, place, width)
            if above:
                row[0], row[2] = -row[0], -row[2]
                row[0, 0] += 1.0
        slices = {name: slice(i, i + 1) for i, (name, *_) in enumerate(places)}
        means, variances, third = rows.transpose(1, 2, 0)
        return Telescoped(
            slices, tuple(output for _, output, *_ in places), self._fine, self.cost, self.count, means, variances, third, True, off
        )

    def _smooth(self, row: np.ndarray, column: int, place: float, width: float) -> None:
        """Differences of smoothed shares in `row` (3, levels), but of the coarsest level, and of those of which few pairs differ."""
        for k, (fine, coarse) in enumerate(self._pairs):
            if coarse is not None and (found := smoothed((fine[:, column], coarse[:, column]), place, width)) is not None:
                row[:, k] = found


def said(one: Passed) -> str:
    """``P(x > 18 kN)``."""
    return f"P({one.output} {one.text})"


def _mean(values: np.ndarray) -> np.ndarray:
    return values.mean(axis=0)


def _variance(values: np.ndarray) -> np.ndarray:
    return values.var(axis=0, ddof=1)


def _third(values: np.ndarray) -> np.ndarray:
    return shape(values)[0]
