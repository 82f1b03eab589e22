"""Kriging: Gaussian process regression of runs without noise, at points wherever they lie.

A value is a trend plus a Gaussian process, ``y(x) = f(x)ᵀ b + s Z(x)``, whose correlation falls with the distance scaled by a length
for each input. Sacks, Welch, Mitchell, Wynn, Stat. Sci. 4 (1989) 409; Rasmussen, Williams, Gaussian Processes for Machine Learning
(2006), (2.42) and (5.9).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from uqmbd.analysis.base.threads import one_thread
from uqmbd.errors import StudyError

NUGGETS = 1e-12, 1e-9  # added to the correlation of a point with itself, so that near points leave the matrix positive definite
SHORTEST, LONGEST = 0.02, 50.0  # bounds of the lengths, in ranges of the points
BLOCK = 2**21  # entries of the matrix of correlations that are held at a time


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
class _Column:
    """What the fit of one column found; the prediction is ``f trend + k weights``."""

    lengths: np.ndarray  # (d,)
    likelihood: float  # its logarithm, without constants
    scale: float  # standard deviation s of the process
    trend: np.ndarray  # (terms,)
    weights: np.ndarray  # (n,)
    lower: np.ndarray  # (n, n): Cholesky factor of the correlations
    whitened: np.ndarray  # (n, terms): ``L⁻¹ F``
    root: np.ndarray  # (terms, terms): triangular factor of its QR decomposition


class Kriging:
    """A fitted model of one column or several, each with lengths of its own. Made by `fit`."""

    def __init__(self, kernel: str, trend: str, middle: np.ndarray, half: np.ndarray, points: np.ndarray, columns: list[_Column]) -> None:
        self.kernel, self.trend = kernel, trend
        self._correlation, self._terms = KERNELS[kernel], TRENDS[trend]
        self._middle, self._half, self._points, self._columns = middle, half, points, columns

    @classmethod
    @one_thread
    def fit(
        cls,
        points: np.ndarray,
        values: np.ndarray,
        *,
        kernel: str = "matern52",
        trend: str = "constant",
        restarts: int = 3,
        seed: int = 0,
        start: Kriging | None = None,
    ) -> Kriging:
        """Fit by maximum likelihood, with gradients in closed form.

        Parameters
        ----------
        points : ndarray, shape (n, d)
        values : ndarray, shape (n, columns) or (n,)
            Finite.
        kernel : {"matern52", "gauss"}
        trend : {"constant", "linear"}
        restarts : int
            Random first lengths beside the usual ones; the most likely result is taken.
        seed : int
            Of those.
        start : Kriging, optional
            A fit to fewer points, whose lengths are tried first.

        Raises
        ------
        StudyError
            For points and values that do not fit each other, are not finite, or are too few for the trend.
        """
        points, values = np.asarray(points, float), np.asarray(values, float)
        values = values[:, None] if values.ndim == 1 else values
        _check(points, values, kernel, trend)
        middle, half = _middle_and_half(points)
        x, rng, found = (points - middle) / half, np.random.default_rng(seed), []
        for column, y in enumerate(values.T):
            firsts = [np.zeros(x.shape[1])] if start is None else [np.log(start.lengths[column] / half)]
            firsts += list(rng.uniform(np.log(0.2), np.log(5.0), (restarts, x.shape[1])))
            found.append(_most_likely(x, y, KERNELS[kernel], TRENDS[trend](x), firsts))
        return cls(kernel, trend, middle, half, x, found)

    @classmethod
    def known(cls, points: np.ndarray, values: np.ndarray, lengths: np.ndarray, *, kernel: str, trend: str) -> Kriging:
        """That of one column (n,) at `points` (n, d) with `lengths` (d,) found before, without a search."""
        _check(points, values[:, None], kernel, trend)
        middle, half = _middle_and_half(points)
        x, scaled, unit = (points - middle) / half, values - values.mean(), values.std() or 1.0
        found = _with(lengths / half, x, scaled / unit, KERNELS[kernel], TRENDS[trend](x))[0]
        return cls(kernel, trend, middle, half, x, [_in_unit(found, values.mean(), unit)])

    @property
    def lengths(self) -> np.ndarray:
        """Distances along each input over which the values are alike, in its unit, (columns, d)."""
        return np.array([column.lengths * self._half for column in self._columns])

    @property
    def likelihood(self) -> np.ndarray:
        """Logarithm of the likelihood, without constants, (columns,)."""
        return np.array([column.likelihood for column in self._columns])

    def evaluate(self, points: np.ndarray) -> np.ndarray:
        """Predicted values (n, columns) at `points` (n, d)."""
        out = np.empty((len(points), len(self._columns)))
        for at, x in self._blocks(points):
            for j, column in enumerate(self._columns):
                out[at, j] = self._terms(x) @ column.trend + self._near(x, column) @ column.weights
        return out

    def gradient(self, points: np.ndarray, column: int = 0) -> np.ndarray:
        """Derivatives (n, d) of the predictions of one column at `points` (n, d)."""
        of, out = self._columns[column], np.empty(points.shape)
        for at, x in self._blocks(points):
            # a kernel's second value is -2 of the derivative by the squared distance
            part = self._correlation(_squares(x / of.lengths, self._points / of.lengths))[1] * of.weights
            out[at] = (part @ self._points - part.sum(axis=1)[:, None] * x) / of.lengths**2
        slopes = of.trend[1:] if len(of.trend) > 1 else 0.0  # of a linear trend
        return (out + slopes) / self._half

    def std(self, points: np.ndarray) -> np.ndarray:
        """Standard deviation (n, columns) of the prediction at `points` (n, d); that of the trend's coefficients is in it."""
        out = np.empty((len(points), len(self._columns)))
        for at, x in self._blocks(points):
            for j, column in enumerate(self._columns):
                solved, off = self._parts(x, column)
                square = 1.0 - np.einsum("ij,ij->j", solved, solved) + np.einsum("ij,ij->j", off, off)
                out[at, j] = column.scale * np.sqrt(np.maximum(square, 0.0))
        return out

    def covariance(self, points: np.ndarray, column: int = 0) -> np.ndarray:
        """Covariance (n, n) of the predictions of one column at `points` (n, d)."""
        x, of = (points - self._middle) / self._half, self._columns[column]
        solved, off = self._parts(x, of)
        own = self._correlation(_squares(x / of.lengths, x / of.lengths))[0]
        return of.scale**2 * (own - solved.T @ solved + off.T @ off)

    def _blocks(self, points: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
        size = max(1, BLOCK // len(self._points))
        for first in range(0, len(points), size):
            at = slice(first, first + size)
            yield at, (points[at] - self._middle) / self._half

    def _near(self, x: np.ndarray, column: _Column) -> np.ndarray:
        """Correlations with the runs, (n, runs)."""
        return self._correlation(_squares(x / column.lengths, self._points / column.lengths))[0]

    def _parts(self, x: np.ndarray, column: _Column) -> tuple[np.ndarray, np.ndarray]:
        """``L⁻¹ k`` (runs, n), and what the trend's coefficients add, (terms, n)."""
        solved = _solve(column.lower, self._near(x, column).T)
        return solved, _solve(column.root.T, self._terms(x).T - column.whitened.T @ solved)


def _check(points: np.ndarray, values: np.ndarray, kernel: str, trend: str) -> None:
    for key, name, known in (("kernel", kernel, KERNELS), ("trend", trend, TRENDS)):
        if name not in known:
            raise StudyError(f"Kriging has no {key} '{name}'", key=key, value=name, remedy=f"take one of: {', '.join(known)}")
    if points.ndim != 2 or len(points) != len(values):
        remedy = "give points (n, d) and values (n, columns) with the same n"
        raise StudyError(f"points of shape {points.shape} do not fit values of shape {values.shape}", key="points", remedy=remedy)
    if not (np.isfinite(points).all() and np.isfinite(values).all()):
        raise StudyError("points and values have to be finite", key="values", remedy="leave out the runs that failed")
    least = TRENDS[trend](points[:1]).shape[1] + 1
    if len(points) < least:
        raise StudyError(f"a {trend} trend needs {least} points at least", key="points", value=len(points), remedy="give more points")


def _squares(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Squared distances (n, m) of points (n, d) from points (m, d)."""
    return np.maximum((a * a).sum(axis=1)[:, None] + (b * b).sum(axis=1) - 2.0 * (a @ b.T), 0.0)


def _solve(lower: np.ndarray, right: np.ndarray) -> np.ndarray:
    from scipy.linalg import solve_triangular

    return solve_triangular(lower, right, lower=True, check_finite=False)


def _most_likely(x: np.ndarray, y: np.ndarray, correlation: Any, terms: np.ndarray, firsts: list[np.ndarray]) -> _Column:
    from scipy.optimize import minimize

    bounds = [(np.log(SHORTEST), np.log(LONGEST))] * x.shape[1]
    unit = float(y.std()) or 1.0
    scaled = (y - y.mean()) / unit
    ends = [minimize(_loss, first, (x, scaled, correlation, terms), "L-BFGS-B", True, bounds=bounds) for first in firsts]
    best = min(ends, key=lambda end: end.fun)
    found = _with(np.exp(best.x), x, scaled, correlation, terms)[0]
    return _in_unit(found, y.mean(), unit)


def _in_unit(found: _Column, mean: float, unit: float) -> _Column:
    """The fit of values that were divided by `unit` after `mean` was taken away, in their own unit."""
    trend = found.trend * unit
    trend[0] += mean
    return replace(found, scale=found.scale * unit, trend=trend, weights=found.weights * unit)


def _middle_and_half(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of the box around the points, which is the unit of lengths."""
    low, high = points.min(axis=0), points.max(axis=0)
    return (low + high) / 2, np.where(high > low, (high - low) / 2, 1.0)


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


def _with(lengths: np.ndarray, x: np.ndarray, y: np.ndarray, correlation: Any, terms: np.ndarray) -> tuple[_Column, np.ndarray]:
    """The fit with given lengths, and the matrix (n, n) that derivatives need."""
    scaled = x / lengths
    matrix, derivative = correlation(_squares(scaled, scaled))
    lower = _factor(matrix)
    whitened, right = _solve(lower, terms), _solve(lower, y)
    basis, root = np.linalg.qr(whitened)
    inside = basis.T @ right
    rest = right - basis @ inside
    trend = np.linalg.solve(root, inside)
    weights = np.linalg.solve(lower.T, rest)
    # of data that the trend fits exactly the spread is rounding
    square = max(float(rest @ rest) / len(y), 1e-24)
    log = -0.5 * len(y) * np.log(square) - np.log(np.diag(lower)).sum()
    return _Column(lengths, float(log), float(np.sqrt(square)), trend, weights, lower, whitened, root), derivative


def _loss(logs: np.ndarray, *data: Any) -> tuple[float, np.ndarray]:
    """Negative logarithm of the likelihood, and its gradient by the logarithms of the lengths (d,)."""
    from scipy.linalg.lapack import dpotri

    found, derivative = _with(np.exp(logs), *data)
    inverse = dpotri(found.lower, lower=1)[0]
    inverse = np.tril(inverse) + np.tril(inverse, -1).T
    part = (np.outer(found.weights, found.weights) / found.scale**2 - inverse) * derivative
    x = data[0] / found.lengths
    # Σ_ab part_ab (x_a - x_b)² in two products
    slopes = 2.0 * (part.sum(axis=1) @ (x * x) - np.einsum("ai,ai->i", x, part @ x))
    return -found.likelihood, -0.5 * slopes
