"""Running moments of many columns that do not depend on how the runs were cut into batches.

Sums of x and x² are kept in double-double arithmetic (Dekker 1971, Knuth's two-sum): about 32 digits, so that merging partial
sums in any grouping rounds to the same double, and the variance by ``Σx² - (Σx)²/n`` keeps 16 digits even when the mean
exceeds the spread by a factor of 1e8.

A state is an array (6, columns): sum, its low part, sum of squares, its low part, minimum, maximum; the number of runs is
kept beside it.
"""

from __future__ import annotations

import numpy as np

SUM, SUM_LOW, SQUARES, SQUARES_LOW, MINIMUM, MAXIMUM = range(6)


def empty(columns: int) -> np.ndarray:
    """State of no runs."""
    state = np.zeros((6, columns))
    state[MINIMUM], state[MAXIMUM] = np.inf, -np.inf
    return state


def of(values: np.ndarray, wanted: np.ndarray | None = None) -> np.ndarray:
    """State of the rows of `values` (runs, columns) that are `wanted` (runs,), all finite."""
    state = empty(values.shape[1])
    if values.size:
        from uqmbd.analysis.statistics.moments_kernel import include

        include(np.ascontiguousarray(values, float), np.ones(len(values), bool) if wanted is None else wanted, state)
    return state


def merge(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """State of the runs of both."""
    if not a.size:
        return a
    from uqmbd.analysis.statistics import moments_kernel

    return moments_kernel.merge(np.ascontiguousarray(a), np.ascontiguousarray(b))


def mean(state: np.ndarray, count: int) -> np.ndarray:
    """Mean of each column; NaN without runs."""
    return (state[SUM] + state[SUM_LOW]) / count if count else np.full(state.shape[1], np.nan)


def std(state: np.ndarray, count: int) -> np.ndarray:
    """Standard deviation of each column with ``n - 1``; NaN below two runs."""
    if count < 2 or not state.size:
        return np.full(state.shape[1], np.nan)
    from uqmbd.analysis.statistics.moments_kernel import sum_of_squared_deviations

    return np.sqrt(sum_of_squared_deviations(state, float(count)) / (count - 1))
