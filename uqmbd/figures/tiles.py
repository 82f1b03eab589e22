"""Rectangles of one colour, which fill what a grid of cells has in common."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Tiles:
    """Rectangles from ``left`` to ``right`` and from ``lower`` to ``upper``, each (n,), without lines between them."""

    left: np.ndarray
    right: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    label: str
    style: int | str

    def outlines(self) -> tuple[np.ndarray, np.ndarray]:
        """Corners x and y (n, 5) of all, the first one twice."""
        x = np.stack([self.left, self.right, self.right, self.left, self.left], axis=1)
        return x, np.stack([self.lower, self.lower, self.upper, self.upper, self.lower], axis=1)


def tiles_of(which: np.ndarray, x: np.ndarray, y: np.ndarray, label: str, style: int | str) -> Tiles:
    """Some cells of a grid, those above each other as one.

    Parameters
    ----------
    which : ndarray of bool, shape (columns, rows)
    x, y : ndarray, shape (columns + 1,), (rows + 1,)
        Their edges.

    Examples
    --------
    >>> import numpy as np
    >>> found = tiles_of(np.array([[True, True, False], [False, True, True]]), np.arange(3.0), np.arange(4.0), "a", 0)
    >>> found.left.tolist(), found.lower.tolist(), found.upper.tolist()
    ([0.0, 1.0], [0.0, 1.0], [2.0, 3.0])
    """
    change = np.diff(np.pad(np.asarray(which, np.int8), ((0, 0), (1, 1))), axis=1)
    (column, first), (_, last) = np.nonzero(change == 1), np.nonzero(change == -1)
    return Tiles(x[column], x[column + 1], y[first], y[last], label, style)
