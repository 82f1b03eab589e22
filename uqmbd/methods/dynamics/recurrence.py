"""The period of a sequence of section points: after how many of them it returns, and whether it is still on its way."""

from __future__ import annotations

import numpy as np

NONE, DRIFTS, FEW = 0, -1, -2  # no period up to the largest; the transient is not over; too few points to tell
CALMER, NEAR = 0.5, 0.05  # a transient: what is left of it is so much smaller in the second half, and so small a share of the size


def periods_of(points: np.ndarray, most: int, near: float, size: float) -> np.ndarray:
    """The period of each sequence (n,): the least number of points after which all points return, or `NONE`, `DRIFTS`, `FEW`.

    Parameters
    ----------
    points : ndarray, shape (n, points)
        Section points in their order, NaN behind the last of each.
    most : int
        Largest period that is looked for.
    near : float
        Points that differ by no more are the same one.
    size : float
        Range of all section points, against which a transient is small.

    Examples
    --------
    >>> import numpy as np
    >>> periods_of(np.array([[0.2, 0.6] * 4, [0.1, 0.3, 0.8, 0.2, 0.6, 0.95, 0.19, 0.5]]), 4, 1e-6, 1.0).tolist()
    [2, 0]
    """
    found, length = np.full(len(points), NONE), np.isfinite(points).sum(axis=1)
    drifts = np.zeros(len(points), bool)
    for count in np.unique(length):
        at = np.flatnonzero(length == count)
        values = points[at, :count]
        for q in range(1, min(most, count // 2) + 1):
            gaps = np.abs(values[:, q:] - values[:, :-q])
            half = gaps.shape[1] // 2
            first, last = gaps[:, :half].max(axis=1, initial=0.0), gaps[:, half:].max(axis=1)
            found[at] = np.where((found[at] == NONE) & (gaps.max(axis=1) <= near), q, found[at])
            drifts[at] |= (last < CALMER * first) & (last < NEAR * size) & (half >= 4)
    found[(found == NONE) & drifts] = DRIFTS
    found[length < 2] = FEW
    return found


def apart(one: np.ndarray, other: np.ndarray) -> float:
    """How far two sets of points lie apart: the largest distance of a point of one to the nearest of the other; infinite of no points."""
    one, other = one[np.isfinite(one)], other[np.isfinite(other)]
    if not len(one) or not len(other):
        return np.inf
    gaps = np.abs(one[:, None] - other[None, :])
    return float(max(gaps.min(axis=1).max(), gaps.min(axis=0).max()))


def stretches(values: np.ndarray, which: np.ndarray) -> list[tuple[float, float]]:
    """First and last of `values` (n,) of each stretch in which `which` (n,) holds."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], which, [False]]).astype(int)))
    return [(float(values[begin]), float(values[end - 1])) for begin, end in edges.reshape(-1, 2)]
