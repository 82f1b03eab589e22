"""Which runs come to the same attractor, by the section points of their long-term motion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from uqmbd.methods.dynamics.recurrence import NONE, periods_of

UNTOLD, FAILED = -1, -2  # in place of the number of an attractor
EMPTY = -9  # in place of the period of an output that has no section points
OVERLAP = 0.5  # of the ranges of section points of two motions without a period, from which on they are the same


@dataclass(frozen=True, eq=False)
class Motions:
    """Long-term motions of n runs.

    Attributes
    ----------
    attractor : ndarray of int, shape (n,)
        Number of each run's attractor, 0 for the one with the most runs; `UNTOLD`, `FAILED`.
    period : ndarray of int, shape (n,)
        After how many section points of all outputs the motion returns; 0: none was found.
    first : list of int
        Of each attractor its first run.
    """

    attractor: np.ndarray
    period: np.ndarray
    first: list[int]


def motions(points: Sequence[np.ndarray], sizes: Sequence[float], ok: np.ndarray, most: int, near: float) -> Motions:
    """Tell the attractors of runs apart.

    Two orbits of the same period are of one attractor where their points, in the order of size, are no more than `near` apart, or where
    a chain of other runs' orbits leads from one to the other in such steps (up to twice of that is taken as well): with other inputs an
    attractor moves. Motions without a period are of one attractor where the ranges of their points overlap by half and more. Outputs
    without section points in a run tell it from those that have some.

    Parameters
    ----------
    points : sequence of ndarray, shape (n, points)
        Section points of each output in their order, NaN behind the last.
    sizes : sequence of float
        Against which its distances are measured.
    ok : ndarray of bool, shape (n,)
        Runs that did not fail.
    most : int
        Largest period that is looked for.
    near : float
        Share of the sizes: points that differ by no more are the same one, when an orbit returns as well.

    Examples
    --------
    >>> import numpy as np
    >>> found = motions([np.array([[1.0] * 8, [-1.0] * 8, [-1.0, 1.0] * 4, [1.0] * 8])], [2.0], np.ones(4, bool), 4, 0.01)
    >>> found.attractor.tolist(), found.period.tolist()
    ([0, 1, 2, 0], [1, 1, 2, 1])
    """
    empty = np.stack([np.logical_not(np.isfinite(one).any(axis=1)) for one in points], axis=1)  # (n, outputs): a section not passed
    each = np.stack([periods_of(one, most, near * size, size) for one, size in zip(points, sizes, strict=True)], axis=1)
    each = np.where(empty, EMPTY, each)
    least = np.where(empty, 1, each).min(axis=1)
    period = np.where(least > NONE, np.lcm.reduce(np.where(each > NONE, each, 1), axis=1), NONE)
    told = ok & (least >= NONE) & np.logical_not(empty.all(axis=1))
    found, count = np.where(ok, UNTOLD, FAILED), 0
    keys = np.where((period == NONE)[:, None] & np.logical_not(empty), NONE, each)
    for key in np.unique(keys[told], axis=0):
        rows = np.flatnonzero((keys == key).all(axis=1) & told)
        passed = [(one[rows], size, own) for one, size, own in zip(points, sizes, key, strict=True) if own != EMPTY]
        if (key == NONE).any():
            own = overlapping(
                np.stack([np.stack([np.nanmin(one, axis=1), np.nanmax(one, axis=1)], axis=1) for one, _, _ in passed], axis=1)
            )
        else:
            own = linked(np.concatenate([np.sort(last(one, own), axis=1) / size for one, size, own in passed], axis=1), near)
        found[rows] = count + own
        count = int(found.max()) + 1
    names, first, runs = np.unique(found[found >= 0], return_index=True, return_counts=True)
    order = names[np.lexsort((first, -runs))]
    ranked = np.argsort(order)  # place of each number among all
    attractor = np.where(found >= 0, ranked[np.maximum(found, 0)] if len(order) else found, found)
    return Motions(attractor, np.maximum(period, 0), [int(np.flatnonzero(attractor == k)[0]) for k in range(len(order))])


def last(points: np.ndarray, count: int) -> np.ndarray:
    """The last points (n, count) of sequences (n, points), NaN behind the last of each."""
    end = np.isfinite(points).sum(axis=1)
    return np.take_along_axis(points, end[:, None] - count + np.arange(count), axis=1)


def linked(places: np.ndarray, near: float) -> np.ndarray:
    """A number (n,) for each of `places` (n, d), the same for those that chains of steps of at most `near` connect.

    By cells of this width: the neighbours of a cell are those that touch it.
    """
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components
    from scipy.spatial import KDTree

    cells, at = np.unique(np.floor(places / near), axis=0, return_inverse=True)
    pairs = KDTree(cells).query_pairs(1.5, p=np.inf, output_type="ndarray")
    graph = coo_matrix((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(len(cells), len(cells)))
    return np.asarray(connected_components(graph, directed=False)[1])[at.reshape(-1)]


def overlapping(ranges: np.ndarray) -> np.ndarray:
    """A number (n,) for each of the ranges (n, outputs, 2), the same for those that overlap the first of them by half and more."""
    found, number = np.full(len(ranges), -1), 0
    while (open_ := np.flatnonzero(found < 0)).size:
        low, high = ranges[open_, :, 0], ranges[open_, :, 1]
        both = np.minimum(high, high[0]) - np.maximum(low, low[0])
        either = np.maximum(high, high[0]) - np.minimum(low, low[0])
        same = np.atleast_1d((both >= OVERLAP * either).all(axis=1))
        same[0] = True
        found[open_[same]] = number
        number += 1
    return found
