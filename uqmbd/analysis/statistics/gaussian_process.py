"""Likelihood of Gaussian processes without noise, of columns that share their correlation.

Rasmussen, Williams, Gaussian Processes for Machine Learning (2006), (2.42) and (5.9).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from uqmbd.errors import StudyError

NUGGETS = 1e-12, 1e-9  # added to the correlation of a point with itself, so that near points leave the matrix positive definite
SHORTEST, LONGEST = 0.02, 50.0  # bounds of the lengths, in ranges of the points
TELLING, STILL = 32, 1e-9  # columns that share lengths of which so many say what these are; those that move by less than others say nothing


def _matern(square: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Matern's correlation with smoothness 5/2 at ``r²``, and what of its derivative by ``ln l_i`` is common to all i."""
    r = np.sqrt(5.0 * square)
    fall = np.exp(-r)
    return (1.0 + r + r * r / 3.0) * fall, 5.0 / 3.0 * (1.0 + r) * fall


def _gauss(square: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The squared exponential."""
    fall = np.exp(-0.5 * square)
    return fall, fall


KERNELS: Mapping[str, Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]] = {"matern52": _matern, "gauss": _gauss}
TRENDS: Mapping[str, Callable[[np.ndarray], np.ndarray]] = {
    "constant": lambda x: np.ones((len(x), 1)),
    "linear": lambda x: np.column_stack([np.ones(len(x)), x]),
}


@dataclass(frozen=True, eq=False)
class Process:
    """What the fit of columns that share their lengths found; the prediction is ``f trend + k weights``."""

    lengths: np.ndarray  # (d,)
    likelihood: float  # its logarithm, without constants, on the mean over the columns
    scale: np.ndarray  # (columns,): standard deviation s of the process
    trend: np.ndarray  # (terms, columns)
    weights: np.ndarray  # (n, columns)
    lower: np.ndarray  # (n, n): Cholesky factor of the correlations
    whitened: np.ndarray  # (n, terms): ``L⁻¹ F``
    root: np.ndarray  # (terms, terms): triangular factor of its QR decomposition

    def select(self, columns: np.ndarray) -> Process:
        """Some of the columns."""
        return replace(self, scale=self.scale[columns], trend=self.trend[:, columns], weights=self.weights[:, columns])


def squares(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Squared distances (n, m) of points (n, d) from points (m, d)."""
    return np.maximum((a * a).sum(axis=1)[:, None] + (b * b).sum(axis=1) - 2.0 * (a @ b.T), 0.0)


def solve(lower: np.ndarray, right: np.ndarray) -> np.ndarray:
    """``L⁻¹ r`` of a triangular factor (n, n)."""
    from scipy.linalg import solve_triangular

    return solve_triangular(lower, right, lower=True, check_finite=False)


def most_likely(x: np.ndarray, y: np.ndarray, correlation: Any, terms: np.ndarray, firsts: list[np.ndarray]) -> Process:
    """The fit of columns `y` (n, columns) at `x` (n, d) whose lengths are the most likely of those that begin at logarithms `firsts`."""
    from scipy.optimize import minimize

    bounds = [(np.log(SHORTEST), np.log(LONGEST))] * x.shape[1]
    scaled, *unit = standardised(y)
    moving = np.flatnonzero(y.std(axis=0) > STILL * y.std(axis=0).max())  # what does not move says nothing of lengths
    some = moving[np.linspace(0, len(moving) - 1, min(TELLING, len(moving))).round().astype(int)] if moving.size else np.zeros(1, int)
    ends = [minimize(loss, first, (x, scaled[:, some], correlation, terms), "L-BFGS-B", True, bounds=bounds) for first in firsts]
    best = min(ends, key=lambda end: end.fun)
    return in_unit(fitted(np.exp(best.x), x, scaled, correlation, terms)[0], *unit)


def standardised(y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Columns (n, columns) in their own unit, and their means and units, (columns,)."""
    mean, unit = y.mean(axis=0), y.std(axis=0)
    unit = np.where(unit > 0, unit, 1.0)
    return (y - mean) / unit, mean, unit


def in_unit(process: Process, mean: np.ndarray, unit: np.ndarray) -> Process:
    """The fit of values that were divided by `unit` after `mean` was taken away, in their own unit."""
    trend = process.trend * unit
    trend[0] += mean
    return replace(process, scale=process.scale * unit, trend=trend, weights=process.weights * unit)


def _factor(matrix: np.ndarray) -> np.ndarray:
    """Cholesky factor (n, n), with the larger nugget where the smaller one does not suffice."""
    for nugget in NUGGETS:
        matrix.flat[:: len(matrix) + 1] = 1.0 + nugget
        try:
            return np.linalg.cholesky(matrix)
        except np.linalg.LinAlgError:
            pass
    message = "two points are the same, or the values do not change with the points: the correlations have no factor"
    raise StudyError(message, key="points", remedy="leave out points that are there twice")


def fitted(lengths: np.ndarray, x: np.ndarray, y: np.ndarray, correlation: Any, terms: np.ndarray) -> tuple[Process, np.ndarray]:
    """The fit of columns `y` (n, columns) with given lengths, and the matrix (n, n) that derivatives need."""
    scaled = x / lengths
    matrix, derivative = correlation(squares(scaled, scaled))
    lower = _factor(matrix)
    whitened, right = solve(lower, terms), solve(lower, y)
    basis, root = np.linalg.qr(whitened)
    inside = basis.T @ right
    rest = right - basis @ inside
    trend = np.linalg.solve(root, inside)
    weights = np.linalg.solve(lower.T, rest)
    # of data that the trend fits exactly the spread is rounding
    square = np.maximum(np.einsum("ij,ij->j", rest, rest) / len(y), 1e-24)
    log = -0.5 * len(y) * np.log(square).mean() - np.log(np.diag(lower)).sum()
    return Process(lengths, float(log), np.sqrt(square), trend, weights, lower, whitened, root), derivative


def loss(logs: np.ndarray, *data: Any) -> tuple[float, np.ndarray]:
    """Negative logarithm of the likelihood, and its gradient by the logarithms of the lengths (d,)."""
    from scipy.linalg import get_lapack_funcs

    process, derivative = fitted(np.exp(logs), *data)
    (invert,) = get_lapack_funcs(("potri",), (process.lower,))
    inverse = invert(process.lower, lower=1)[0]
    inverse = np.tril(inverse) + np.tril(inverse, -1).T
    weights = process.weights / process.scale
    part = (weights @ weights.T / weights.shape[1] - inverse) * derivative
    x = data[0] / process.lengths
    # Σ_ab part_ab (x_a - x_b)² in two products
    slopes = 2.0 * (part.sum(axis=1) @ (x * x) - np.einsum("ai,ai->i", x, part @ x))
    return -process.likelihood, -0.5 * slopes
