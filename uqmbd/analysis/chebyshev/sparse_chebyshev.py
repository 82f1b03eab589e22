"""Products of Chebyshev polynomials: ``Π_i T_k(x_i)``, ``k = exponents[t, i]``, a part of those in `uqmbd.analysis.chebyshev.chebyshev`.

``exponents`` is an array of whole numbers (terms, d), downward closed: with a term come all terms of lower degrees.
"""

from __future__ import annotations

import numpy as np

from uqmbd.analysis.chebyshev import chebyshev

_MEMORY = 8_000_000  # numbers of a basis held at a time
_HELD = 1_000_000  # numbers held at a time where each point has its own column


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
    row_of = {tuple(row): t for t, row in enumerate(exponents.tolist())}
    table = np.full((exponents.shape[1], len(exponents), int(exponents.max(initial=0)) + 1), -1)
    for row, t in row_of.items():
        for axis, degree in enumerate(row):
            for j in range(degree + 1):
                table[axis, t, j] = row_of[(*row[:axis], j, *row[axis + 1 :])]
    return table


class Terms:
    """Values and slopes of polynomials of any terms, each point for its own column: what a search of extremes asks for."""

    def __init__(self, exponents: np.ndarray, c: np.ndarray) -> None:
        self.exponents, self.c, self.size = exponents, np.ascontiguousarray(c.T), np.abs(c).sum(axis=0)

    def value_and_slope(self, owner: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Value (n,) and gradient (n, d) of column `owner` (n,) at `x` (n, d)."""
        n, d = x.shape
        value, slope = np.empty(n), np.empty((n, d))
        chunk = max(1, _HELD // len(self.exponents))
        for i in range(0, n, chunk):
            at = slice(i, i + chunk)
            after = self.c[owner[at]]
            factors = [chebyshev.polynomials(x[at, axis], int(k.max(initial=0))) for axis, k in enumerate(self.exponents.T)]
            before = [np.ones_like(after)]
            for factor, k in zip(factors, self.exponents.T, strict=True):
                before.append(before[-1] * factor[:, k])
            value[at] = np.einsum("ij,ij->i", before[-1], after)
            for axis in reversed(range(d)):
                k = self.exponents[:, axis]
                slope[at, axis] = np.einsum("ij,ij->i", before[axis] * slopes(x[at, axis], factors[axis])[:, k], after)
                after = after * factors[axis][:, k]
        return value, slope


class Dense:
    """The same for polynomials with nearly all terms up to a degree in each input, by one contraction after another."""

    def __init__(self, exponents: np.ndarray, c: np.ndarray) -> None:
        shape = exponents.max(axis=0) + 1
        full = np.zeros((c.shape[1], int(np.prod(shape))))
        full[:, np.ravel_multi_index(tuple(exponents.T), tuple(shape))] = c.T
        self.shape, self.c, self.size = shape, full, np.abs(c).sum(axis=0)

    def value_and_slope(self, owner: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Value (n,) and gradient (n, d) of column `owner` (n,) at `x` (n, d)."""
        n, d = x.shape
        out = np.empty((n, d + 1))
        chunk = max(1, _HELD // self.c.shape[1])
        for i in range(0, n, chunk):
            at = slice(i, i + chunk)
            parts = [self.c[owner[at]]]  # the value, then slopes in the inputs done so far
            for axis in reversed(range(d)):
                values = chebyshev.polynomials(x[at, axis], int(self.shape[axis]) - 1)
                parts = [part.reshape(len(values), -1, self.shape[axis]) for part in parts]
                steep = np.einsum("npk,nk->np", parts[0], slopes(x[at, axis], values))
                parts = [np.einsum("npk,nk->np", part, values) for part in parts] + [steep]
            out[at] = np.column_stack(parts)
        return out[:, 0], out[:, :0:-1]


def slopes(x: np.ndarray, values: np.ndarray) -> np.ndarray:
    """``T_k'(x)`` (n, degree + 1) beside the values ``T_k(x)``: ``T_k' = 2 T_(k-1) + 2x T'_(k-1) - T'_(k-2)``."""
    out = np.zeros_like(values)
    for k in range(1, values.shape[1]):
        out[:, k] = values[:, k - 1] + x * out[:, k - 1] if k == 1 else 2 * values[:, k - 1] + 2 * x * out[:, k - 1] - out[:, k - 2]
    return out
