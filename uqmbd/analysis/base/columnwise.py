"""What is done with large matrices a few columns at a time, so that what it needs besides stays small."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from uqmbd.analysis.base import magnitude

LARGEST = 1 << 20  # numbers that are worked on at once: the memory that a step may take besides what it is given and what it gives
# Columns of a block: BLAS has other code for small products (10^6 multiplications), which rounds the last few columns another way
LEAST = 1 << 14


def columnwise(function: Callable[[np.ndarray], np.ndarray], values: np.ndarray) -> np.ndarray:
    """``function(values)`` of the columns of `values` (n, columns), which gives (..., columns)."""
    n, columns = values.shape
    if values.size <= LARGEST:
        return function(values)
    step = max(2, LARGEST // n)
    starts = list(range(0, max(columns - 1, 1), step))  # a column by itself would be added up in another order
    ends = [*starts[1:], columns]
    return np.concatenate([function(np.ascontiguousarray(values[:, i:k])) for i, k in zip(starts, ends, strict=True)], axis=-1)


def blocks(columns: int, rows: int) -> list[slice]:
    """The columns in blocks of about `LARGEST` numbers where each takes `rows` of them; none is narrower than `LEAST` but a single one."""
    step = max(1, LARGEST // max(rows, 1) // LEAST) * LEAST
    starts = list(range(0, columns - step + 1, step)) or [0]
    return [slice(begin, end) for begin, end in zip(starts, [*starts[1:], columns], strict=True)]


def by_blocks(function: Callable[[slice], Any], columns: int, rows: int) -> Any:
    """What `function` gives of all columns, (..., columns), by `blocks`; where it gives a tuple of such arrays, a tuple of them."""
    results = [function(at) for at in blocks(columns, rows)]
    if len(results) == 1:
        return results[0]
    if isinstance(results[0], tuple):
        return tuple(np.concatenate(parts, axis=-1) for parts in zip(*results, strict=True))
    return np.concatenate(results, axis=-1)


def sum_of_squares(values: np.ndarray) -> float:
    """``(values**2).sum()``, bit for bit: numpy halves what it adds up at multiples of eight as well."""
    if values.size <= LARGEST or not values.flags.c_contiguous:
        return float((values**2).sum())
    flat = values.reshape(-1)
    half = flat.size // 2
    half -= half % 8
    return sum_of_squares(flat[:half]) + sum_of_squares(flat[half:])


def sample_std(values: np.ndarray) -> np.ndarray:
    """Standard deviation of each column of `values` (n, columns), with ``n - 1``; NaN of one run."""
    return std(values, ddof=1) if len(values) > 1 else np.full(values.shape[1], np.nan)


def std(values: np.ndarray, ddof: int = 0) -> np.ndarray:
    """Standard deviation of each column of `values` (n, columns), with ``n - ddof``, also where squares are no numbers."""
    size = magnitude.sizes(values)
    return (values / size if np.any(size != 1) else values).std(axis=0, ddof=ddof) * size
