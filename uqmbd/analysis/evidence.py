"""Belief and plausibility of outputs from their ranges on focal boxes.

A box with mass m and range [lower, upper] speaks for ``y <= v`` wholly if ``upper <= v`` and does not speak against it if
``lower <= v`` (Shafer 1976; Yager, Int. J. Man-Mach. Stud. 25 (1986) 247).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import product

import numpy as np

from uqmbd.analysis.chebyshev import restriction
from uqmbd.analysis.enclosures import ENCLOSURES

LEVELS = 201
_MEMORY = 4_000_000  # coefficients of boxes held at a time
_STEP = 1e-12  # rounding of sums of masses


def boxes(elements: Sequence[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """All products of the inputs' focal elements: ends (boxes, d, 2) and masses (boxes,).

    Parameters
    ----------
    elements : sequence of (ndarray (n, 2), ndarray (n,))
        Ends and masses of each input; the inputs are independent.
    """
    ends = np.array(list(product(*(intervals for intervals, _ in elements))))
    masses = np.array([np.prod(row) for row in product(*(masses for _, masses in elements))])
    return ends, masses


def ranges(c: np.ndarray, ends: np.ndarray, gap: np.ndarray, how: str = "bernstein") -> np.ndarray:
    """Range of a tensor Chebyshev expansion on boxes within [-1, 1]^d: shape (2, boxes, columns).

    Parameters
    ----------
    c : ndarray, shape (n1+1, ..., nd+1, columns)
    ends : ndarray, shape (boxes, d, 2)
    gap : ndarray, shape (columns,)
        By how much an end may exceed the range.
    how : str
        Key of `uqmbd.analysis.enclosures.ENCLOSURES`.
    """
    out = np.empty((2, len(ends), c.shape[-1]))
    part = max(1, _MEMORY // c.size)
    for first in range(0, len(ends), part):
        some = ends[first : first + part]
        stacked = np.concatenate(list(_restricted(c, some)), axis=-1)
        bounds, _ = ENCLOSURES[how](stacked, np.tile(gap, len(some)))
        out[:, first : first + part] = bounds.reshape(2, len(some), -1)
    return out


def _restricted(c: np.ndarray, ends: np.ndarray) -> Iterator[np.ndarray]:
    """Coefficients of the expansion on each of the boxes (boxes, d, 2), mapped to the cube; what a box shares with the last one is kept."""
    parts, before = [c] * (c.ndim - 1), None
    for box in ends.tolist():
        same = 0 if before is None else next((axis for axis, sides in enumerate(box) if sides != before[axis]), len(box))
        for axis in range(same, len(box)):
            part = parts[axis - 1] if axis else c
            if tuple(box[axis]) != (-1.0, 1.0):
                part = np.moveaxis(np.tensordot(_matrix(c.shape[axis] - 1, *box[axis]), part, axes=(1, axis)), 0, axis)
            parts[axis] = part
        before = box
        yield parts[-1]


@lru_cache(maxsize=1000)
def _matrix(degree: int, low: float, high: float) -> np.ndarray:
    return restriction(degree, low, high)


def belief_and_plausibility(at: np.ndarray, lower: np.ndarray, upper: np.ndarray, masses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Belief and plausibility that a column is at most the values `at` (m,); ranges (boxes,): 2 x (m,)."""
    return tuple(np.minimum(1.0, (ends[None] <= at[:, None]) @ masses) for ends in (upper, lower))


def levels(lower: np.ndarray, upper: np.ndarray, count: int = LEVELS) -> np.ndarray:
    """Values (count,) at which to show both functions: all ends of the ranges (boxes,) if they are no more, filled up evenly."""
    ends = np.unique(np.concatenate([lower, upper]))
    even = np.linspace(ends[0], ends[-1], count)
    if len(ends) > count or len(ends) < 2:
        return even
    # each even level is given up for the jump nearest to it
    out, free = even, np.ones(count, bool)
    for end in ends:
        nearest = np.where(free, np.abs(even - end), np.inf).argmin()
        out[nearest], free[nearest] = end, False
    return np.sort(out)


def statistics(lower: np.ndarray, upper: np.ndarray, masses: np.ndarray, probabilities: Sequence[float]) -> Iterator[np.ndarray]:
    """Bounds (2, columns) of the mean, then of the quantile of each probability, over all distributions that fit the evidence.

    Parameters
    ----------
    lower, upper : ndarray, shape (boxes, columns)
    masses : ndarray, shape (boxes,)
    """
    yield np.stack([masses @ lower, masses @ upper])
    sides = []
    for ends in (lower, upper):
        order = np.argsort(ends, axis=0, kind="stable")
        sides.append((np.take_along_axis(ends, order, axis=0), np.cumsum(masses[order], axis=0)))
    for probability in probabilities:
        found = []
        for ends, sums in sides:
            first = (sums >= probability - _STEP).argmax(axis=0)
            found.append(np.take_along_axis(ends, first[None], axis=0)[0])
        yield np.stack(found)
