"""Which inputs a part of the runs is due to, those that failed or passed a limit: their distributions there against elsewhere.

Hornberger, Spear, J. Environ. Manag. 12 (1981) 7 (regional sensitivity analysis, Monte Carlo filtering).
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

BY_CHANCE = 1.63  # Kolmogorov and Smirnov's distance over the root of ``1/n + 1/m``: one in a hundred is larger by chance


def distances(points: np.ndarray, inside: np.ndarray, classes: Collection[int] = ()) -> np.ndarray:
    """Distance (d,), from 0 to 1, of each column of `points` (n, d) between the rows that are `inside` (n,) and the others.

    Kolmogorov and Smirnov's; of the columns `classes`, whose values have no order, the largest difference of the shares of a value.
    """
    one, other = points[inside], points[~inside]
    found = np.empty(points.shape[1])
    for i in range(points.shape[1]):
        values = np.unique(points[:, i])
        below = [np.searchsorted(np.sort(part[:, i]), values, side="right") / len(part) for part in (one, other)]
        if i in classes:
            below = [np.diff(share, prepend=0.0) for share in below]
        found[i] = np.abs(below[0] - below[1]).max()
    return found


def by_chance(inside: np.ndarray) -> float:
    """The distance that one input in a hundred without influence exceeds, for so many rows that are `inside` (n,) and not.

    Smirnov's limit; of inputs with few values, or classes, fewer exceed it.
    """
    n = np.count_nonzero(inside)
    return float(BY_CHANCE * np.sqrt(1 / max(n, 1) + 1 / max(len(inside) - n, 1)))


def of_classes(classes: np.ndarray, values: np.ndarray) -> np.ndarray:
    """PAWN's index (columns,) of an input whose values `classes` (n,) have no order: the median over them of Kolmogorov and Smirnov's
    distance between `values` (n, columns) there and everywhere."""
    each, at = np.unique(classes, return_inverse=True)
    far = np.empty((len(each), values.shape[1]))
    for c, column in enumerate(values.T):
        places = np.unique(column)
        whole = np.searchsorted(np.sort(column), places, side="right") / len(column)
        for k in range(len(each)):
            part = np.sort(column[at == k])
            far[k, c] = np.abs(np.searchsorted(part, places, side="right") / len(part) - whole).max()
    return np.median(far, axis=0)
