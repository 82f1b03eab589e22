"""The period of a sequence of section points: after how many of them it returns, and whether it is still on its way."""

from __future__ import annotations

import numpy as np

NONE, DRIFTS, FEW, FAILED, UNTOLD, DEPENDS = 0, -1, -2, -3, -4, -5  # in place of a period
LEAST = 4  # points of which anything is said
STEADY = 0.95  # share of the distances that become smaller, or larger, along a transient
COMPARED = 12  # distances that are compared at least
PARTS, CALMER = 6, 0.5  # of a transient that swings: parts, each with smaller distances than the one before, the last by this factor
SMALL = 0.05  # of the size of the whole diagram: largest distance along what is taken for a transient


def periods_of(points: np.ndarray, most: int, near: float, size: float) -> np.ndarray:
    """The period of each sequence (n,): the least number of points after which all points return, or `NONE`, `DRIFTS`, `FEW`.

    A sequence drifts where it has no period, and the distances between points q apart, for some q up to `most`, are small and change
    one way only along the sequence, or become smaller from each part of it to the next: the transient is not over. That is a sign, and
    no proof.

    Parameters
    ----------
    points : ndarray, shape (n, points)
        Section points in their order, NaN behind the last of each.
    most : int
        Largest period that is looked for; of a sequence, half its points at most.
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
            phases = values[:, count % q :].reshape(len(at), -1, q)  # a slow drift returns nearly, each time to another place
            found[at] = np.where((found[at] == NONE) & (np.ptp(phases, axis=1).max(axis=1) <= near), q, found[at])
            drifts[at] |= (gaps.max(axis=1) < SMALL * size) & moving(gaps, q)
    found[(found == NONE) & drifts] = DRIFTS
    found[length < LEAST] = FEW
    return found


def moving(gaps: np.ndarray, q: int) -> np.ndarray:
    """Whether distances (n, points) between points q apart change one way along each sequence, (n,)."""
    change = gaps[:, q:] - gaps[:, :-q]
    if change.shape[1] < COMPARED:
        return np.zeros(len(gaps), bool)
    parts = np.stack([part.max(axis=1) for part in np.array_split(gaps, PARTS, axis=1)])
    calmer = (np.diff(parts, axis=0) < 0).all(axis=0) & (parts[-1] < CALMER * parts[0])
    return calmer | ((change < 0).mean(axis=1) >= STEADY) | ((change > 0).mean(axis=1) >= STEADY)


def apart(one: np.ndarray, other: np.ndarray) -> float:
    """How far two sets of points lie apart: the largest distance of a point of one to the nearest of the other; NaN where one is empty.

    Examples
    --------
    >>> import numpy as np
    >>> apart(np.array([0.0, 1.0, np.nan]), np.array([1.0, 0.25]))
    0.25
    """
    one, other = one[np.isfinite(one)], other[np.isfinite(other)]
    if not len(one) or not len(other):
        return np.nan
    gaps = np.abs(one[:, None] - other[None, :])
    return float(max(gaps.min(axis=1).max(), gaps.min(axis=0).max()))


def stretches(which: np.ndarray) -> list[tuple[int, int]]:
    """First and last place of each stretch in which `which` (n,) holds.

    Examples
    --------
    >>> import numpy as np
    >>> stretches(np.array([True, True, False, True]))
    [(0, 1), (3, 3)]
    """
    edges = np.flatnonzero(np.diff(np.concatenate([[False], which, [False]]).astype(int)))
    return [(int(begin), int(end - 1)) for begin, end in edges.reshape(-1, 2)]
