"""Sizes of numbers whose squares and cubes a double does not hold: what is computed from those is computed in units of such a size.

A size is a power of two, so that dividing by it costs no digit, and 1 wherever it is not needed.
"""

from __future__ import annotations

import numpy as np

_SAFE = 1e50  # numbers up to here, and down to its inverse, can be raised to the fourth power beside each other


def sizes(values: np.ndarray) -> np.ndarray:
    """Size of each column of `values` (..., columns): (columns,); NaN does not count, and of zeros it is 1."""
    return size_of(largest(values))


def largest(values: np.ndarray) -> np.ndarray:
    """Greatest absolute value of each column of `values` (..., columns): (columns,); NaN does not count."""
    every = tuple(range(values.ndim - 1))
    return np.maximum(np.fmax.reduce(values, axis=every, initial=0.0), -np.fmin.reduce(values, axis=every, initial=0.0))


def size_of(most: np.ndarray) -> np.ndarray:
    """Size of columns whose greatest absolute values are `most` (columns,)."""
    plain = (most < _SAFE) & (most > 1 / _SAFE) | (most == 0) | ~np.isfinite(most)
    return np.where(plain, 1.0, np.ldexp(1.0, np.frexp(np.where(plain, 1.0, most))[1] - 1))


def in_one_unit(size: np.ndarray) -> np.ndarray:
    """By what variances of columns in squares of their `size` (columns,) are multiplied to be of one unit, that of the largest."""
    return (size / size.max(initial=0.0)) ** 2
