"""Statistics of large matrices a few columns at a time, so that what they need besides stays small."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from uqmbd.analysis import magnitude

LARGEST = 1 << 20  # numbers that are worked on at once


def columnwise(function: Callable[[np.ndarray], np.ndarray], values: np.ndarray) -> np.ndarray:
    """``function(values)`` of the columns of `values` (n, columns), which gives (..., columns)."""
    n, columns = values.shape
    if values.size <= LARGEST:
        return function(values)
    step = max(1, LARGEST // n)
    return np.concatenate([function(np.ascontiguousarray(values[:, i : i + step])) for i in range(0, columns, step)], axis=-1)


def sample_std(values: np.ndarray) -> np.ndarray:
    """Standard deviation of each column of `values` (n, columns), with ``n - 1``; NaN of one run."""
    return std(values, ddof=1) if len(values) > 1 else np.full(values.shape[1], np.nan)


def std(values: np.ndarray, ddof: int = 0) -> np.ndarray:
    """Standard deviation of each column of `values` (n, columns), with ``n - ddof``, also where squares are no numbers."""
    size = magnitude.sizes(values)
    return (values / size if np.any(size != 1) else values).std(axis=0, ddof=ddof) * size
