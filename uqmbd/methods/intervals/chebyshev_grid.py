"""The expansion through runs at the nodes of a tensor grid, and how its degrees grow."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from uqmbd.analysis import chebyshev
from uqmbd.methods.intervals.chebyshev import HIGHEST_DEGREE, node_count


def expansion(degrees: Sequence[int], points: np.ndarray, values: np.ndarray, ok: np.ndarray) -> np.ndarray:
    """Coefficients (n1+1, ..., nd+1, columns) through the runs at the nodes.

    Parameters
    ----------
    points : ndarray, shape (nodes, d)
    values : ndarray, shape (nodes, columns)
    ok : ndarray of bool, shape (nodes,)
        Runs that did not fail. When a few did, the lower terms are fitted to the others by least squares.
    """
    failed = int(np.count_nonzero(~ok))
    if failed == 0:
        return chebyshev.coefficients(values.reshape(*(degree + 1 for degree in degrees), -1), degrees)
    return chebyshev.least_squares(points[ok], values[ok], degrees)


def growth(degrees: Sequence[int], tails: np.ndarray, tolerance: float, budget: int) -> tuple[int, ...] | None:
    """Degrees of the next grid: doubled in the inputs that leave the most columns unresolved.

    Counting columns, rather than taking the worst one, keeps the few times at which impacts spoil every expansion from
    claiming all runs.

    Parameters
    ----------
    tails : ndarray, shape (d, columns)
        Size of the last coefficients in each input relative to the range of the response.
    budget : int
        Largest number of nodes.

    Returns
    -------
    tuple of int or None
        None when nothing needs to grow or nothing can.
    """
    unresolved = (tails > tolerance).mean(axis=1)
    new = list(degrees)
    for axis in np.lexsort((tails.max(axis=1), unresolved))[::-1]:
        wider = [*new[:axis], 2 * new[axis], *new[axis + 1 :]]
        wanted = unresolved[axis] > 0.5 * unresolved.max()
        if wanted and wider[axis] <= HIGHEST_DEGREE and node_count(wider) <= budget:
            new = wider
    return None if tuple(new) == tuple(degrees) else tuple(new)
