"""Tensor Chebyshev expansions on the cube [-1, 1]^d, for many columns (outputs and times) at once.

An expansion of degrees ``(n1, ..., nd)`` has coefficients of shape ``(n1+1, ..., nd+1, columns)``:
``p(x) = Σ c[k1, ..., kd] T_k1(x1) ... T_kd(xd)``. Sources: Trefethen, Approximation Theory and Approximation Practice (2013);
Wu, Zhang, Chen, Luo, Appl. Math. Modelling 37 (2013) 4578, who use the zeros of T_n as nodes. Here the nodes are the extrema
(Clenshaw and Curtis): the same accuracy, but they contain the corners of the box, where most extreme responses are, and those
of degree n are among those of degree 2n.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

FEW = 200_000  # values that numpy transforms in less time than it takes to load scipy's transforms, 0.2 s


def fractions(degree: int) -> list[float]:
    """The nodes of one degree as angles over π, in [0, 1]; equal fractions are equal nodes at every degree."""
    return [k / degree for k in range(degree + 1)] if degree else [0.5]


def nodes(degree: int) -> np.ndarray:
    """``cos(π k / n)``, shape (degree + 1,), descending; the centre for degree 0."""
    # the sine form is exact at the centre and symmetric
    return np.sin(np.pi * (0.5 - np.asarray(fractions(degree))))


def coefficients(values: np.ndarray, degrees: Sequence[int]) -> np.ndarray:
    """Coefficients, in the same shape, of the interpolant of `values` (n1+1, ..., nd+1, columns) at the tensor grid of `nodes`."""
    c = np.array(values, float)
    for axis, degree in enumerate(degrees):
        if degree == 0:
            continue
        c = cosines(c, axis) / degree
        for end in (0, degree):
            c[(slice(None),) * axis + (end,)] *= 0.5
    return c


def cosines(values: np.ndarray, axis: int) -> np.ndarray:
    """Cosine transform of the first kind: that of scipy, which few values do not load; numpy's gives the same numbers."""
    if values.size > FEW:
        from scipy.fft import dct

        return np.asarray(dct(values, type=1, axis=axis))
    inner = np.take(values, range(values.shape[axis] - 2, 0, -1), axis=axis)
    return np.fft.rfft(np.concatenate([values, inner], axis=axis), axis=axis).real


def polynomials(x: np.ndarray, degree: int) -> np.ndarray:
    """``T_k(x)`` for k = 0 ... degree, shape (len(x), degree + 1)."""
    return np.polynomial.chebyshev.chebvander(np.asarray(x, float), degree)


def basis(points: np.ndarray, degrees: Sequence[int]) -> np.ndarray:
    """All products of Chebyshev polynomials at `points` (n, d): shape (n, K), K in the order of ``coefficients.reshape(K, -1)``."""
    out = np.ones((len(points), 1))
    for axis, degree in enumerate(degrees):
        out = (out[:, :, None] * polynomials(points[:, axis], degree)[:, None, :]).reshape(len(points), -1)
    return out


def evaluate(c: np.ndarray, points: np.ndarray, *, chunk: int = 4096) -> np.ndarray:
    """Values of all columns at `points` (n, d): shape (n, columns)."""
    degrees = [size - 1 for size in c.shape[:-1]]
    flat = c.reshape(-1, c.shape[-1])
    parts = [basis(points[i : i + chunk], degrees) @ flat for i in range(0, len(points), chunk)]
    return np.concatenate(parts) if parts else np.empty((0, c.shape[-1]))


def evaluate_grid(c: np.ndarray, axes: Sequence[np.ndarray]) -> np.ndarray:
    """Values on the tensor grid of `axes`: shape (len(axes[0]), ..., len(axes[-1]), columns)."""
    out = c
    for axis, x in enumerate(axes):
        out = np.moveaxis(np.tensordot(polynomials(x, c.shape[axis] - 1), out, axes=(1, axis)), 0, axis)
    return out


def least_squares(points: np.ndarray, values: np.ndarray, degrees: Sequence[int]) -> np.ndarray:
    """Coefficients (n1+1, ..., nd+1, columns) when nodes are missing: the terms of lowest weighted degree, fitted to the values there are.

    Terms are taken by rising ``Σ k_i / n_i`` up to two thirds of the number of `points` (n, d), which keeps the fit of `values` (n,
    columns) well posed.
    """
    kept = _lower_terms(len(points), degrees)
    flat = np.zeros((kept.size, values.shape[1]))
    flat[kept] = np.linalg.lstsq(basis(points, degrees)[:, kept], values, rcond=None)[0]
    return flat.reshape(*(degree + 1 for degree in degrees), -1)


def determined(points: np.ndarray, degrees: Sequence[int]) -> tuple[int, int]:
    """How many terms `least_squares` fits to values at `points` (n, d), and how many of them these tell apart (the rank)."""
    kept = _lower_terms(len(points), degrees)
    return int(kept.sum()), int(np.linalg.matrix_rank(basis(points, degrees)[:, kept]))


def _lower_terms(points: int, degrees: Sequence[int]) -> np.ndarray:
    """Which terms, in the order of `basis`, so many points are enough for, bool."""
    shape = tuple(degree + 1 for degree in degrees)
    weight = sum((k / max(n, 1) for k, n in zip(np.indices(shape), degrees, strict=True)), np.zeros(shape)).ravel()
    kept = weight <= np.sort(weight)[min(max(2 * points // 3, 1), weight.size) - 1]
    return weight < weight[kept].max() if kept.sum() > points else kept


def tail(c: np.ndarray, axis: int) -> np.ndarray:
    """Sum of the absolute last two coefficients along `axis` of each column, (columns,): what the next degrees may still bring."""
    last = np.take(c, range(max(c.shape[axis] - 2, 1), c.shape[axis]), axis=axis)
    return np.abs(last).reshape(-1, c.shape[-1]).sum(axis=0)


def mean_weights(degree: int) -> np.ndarray:
    """``½ ∫ T_k dx`` over [-1, 1], shape (degree + 1,)."""
    k = np.arange(degree + 1)
    return np.where(k % 2 == 0, 1.0 / (1.0 - np.where(k % 2 == 0, k, 0) ** 2.0), 0.0)


def restriction(degree: int, lower: float, upper: float) -> np.ndarray:
    """Matrix (degree+1, degree+1) from coefficients on [-1, 1] to those on [lower, upper] mapped to [-1, 1]."""
    x = nodes(degree)
    values = polynomials(lower + (upper - lower) * (x + 1) / 2, degree)
    return coefficients(values, (degree,))
