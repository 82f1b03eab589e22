"""What pairs of neighbouring levels say: means, variances, rates, and what the finest level is off."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from uqmbd.analysis.statistics.moment_limits import SKEWED, shape
from uqmbd.analysis.statistics.telescoping import Rates, rates, remaining_bias, skewness_of_sum
from uqmbd.errors import StudyError


class Sums:
    """What the pairs so far say, of the levels in use.

    Parameters
    ----------
    run : MultilevelRun
        Its values, status, layout, levels in use and their fineness are read.
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
    difference, variance : ndarray, shape (levels, columns)
        Mean and variance of fine minus coarse; of the first level of its runs.
    fine_std : ndarray, shape (levels, columns)
        Standard deviation of the finer runs.
    mean, std : ndarray, shape (columns,)
        Telescoping sums; the deviation is NaN where that of the variance is negative.

    Raises
    ------
    StudyError
        If fewer than two pairs of a level are ok.
    """

    def __init__(self, run: Any, level: np.ndarray, fine: np.ndarray, cost: np.ndarray) -> None:
        self._run, self.cost = run, cost
        shape_ = (run.reached, run.columns.count)
        self.count = np.zeros(run.reached, np.int64)
        self.difference, self.variance, self.fine_std, self._third = (np.zeros(shape_) for _ in range(4))
        spread = np.zeros(run.columns.count)
        for k in range(run.reached):
            here, below = np.flatnonzero((level == k) & fine), np.flatnonzero((level == k) & ~fine)
            ok = run.status[here] == 0
            if k:
                ok &= run.status[below] == 0
            self.count[k] = np.count_nonzero(ok)
            if self.count[k] < 2:
                text = f"fewer than two pairs of the level {run.levels[k]:g} are ok"
                raise StudyError(text, key="method.pilot", value=run.settings.pilot, remedy="mend the model there, or raise pilot")
            values = run.values[here[ok]]
            coarse = run.values[below[ok]] if k else np.zeros_like(values)
            self.difference[k] = (values - coarse).mean(axis=0)
            self.variance[k] = (values - coarse).var(axis=0, ddof=1)
            self._third[k] = shape(values - coarse)[0]
            self.fine_std[k] = values.std(axis=0, ddof=1)
            spread += values.var(axis=0, ddof=1) - coarse.var(axis=0, ddof=1)
        self.mean = self.difference.sum(axis=0)
        self.std = np.sqrt(np.where(spread >= 0, spread, np.nan))

    @property
    def scatter(self) -> np.ndarray:
        """Variance of the mean, (columns,)."""
        return (self.variance / self.count[:, None]).sum(axis=0)

    @property
    def skewed(self) -> np.ndarray:
        """Where the mean is so skewed that its limits are too narrow, bool (columns,): as of one sample (Cochran)."""
        return skewness_of_sum(self._third, self.variance, self.count) ** 2 > 1.0 / SKEWED

    @cached_property
    def rates(self) -> dict[str, Rates]:
        """Of each output, from the root mean square over its columns."""
        found = {}
        fine = self._run.fine[1 : self._run.reached]
        for name, at in self._run.columns.slices.items():
            size = np.sqrt((self.difference[1:, at] ** 2).mean(axis=1))
            error = np.sqrt((self.variance[1:, at] / self.count[1:, None]).mean(axis=1))
            found[name] = rates(fine, size, error, self.variance[1:, at].mean(axis=1), self.cost[1:])
        return found

    def bias(self) -> np.ndarray:
        """What the finest level in use is off, (columns,)."""
        fine = self._run.fine[: self._run.reached]
        slices = self._run.columns.slices.items()
        return np.concatenate([remaining_bias(fine, self.difference[1:, at], self.rates[name].alpha) for name, at in slices])
