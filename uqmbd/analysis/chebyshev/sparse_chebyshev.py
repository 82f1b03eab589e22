"""Products of Chebyshev polynomials: ``Π_i T_k(x_i)``, ``k = exponents[t, i]``, a part of those in `uqmbd.analysis.chebyshev.chebyshev`.

``exponents`` is an array of whole numbers (terms, d), downward closed: with a term come all terms of lower degrees.
"""

from __future__ import annotations

import numpy as np

from uqmbd.analysis.chebyshev import chebyshev

_MEMORY = 8_000_000  # numbers of a basis held at a time


def basis(exponents: np.ndarray, points: np.ndarray) -> np.ndarray:
    """All terms at `points` (n, d): shape (n, terms)."""
    out = np.ones((len(points), len(exponents)))
    for axis, degrees in enumerate(exponents.T):
        used = np.flatnonzero(degrees)
        if used.size:
            out[:, used] *= chebyshev.polynomials(points[:, axis], int(degrees.max()))[:, degrees[used]]
    return out


def evaluate(exponents: np.ndarray, c: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Values at `points` (n, d) of the sums with the coefficients `c` (terms, columns): shape (n, columns)."""
    chunk = max(1, _MEMORY // max(1, len(exponents)))
    parts = [basis(exponents, points[i : i + chunk]) @ c for i in range(0, len(points), chunk)]
    return np.concatenate(parts) if parts else np.empty((0, c.shape[1]))


def lowered(exponents: np.ndarray) -> np.ndarray:
    """Which term has degree j in an input instead of its own, shape (d, terms, highest degree + 1); -1 above its own degree."""
    place = {tuple(row): t for t, row in enumerate(exponents.tolist())}
    table = np.full((exponents.shape[1], len(exponents), int(exponents.max(initial=0)) + 1), -1)
    for row, t in place.items():
        for axis, degree in enumerate(row):
            for j in range(degree + 1):
                table[axis, t, j] = place[(*row[:axis], j, *row[axis + 1 :])]
    return table
