"""Kriging: Gaussian process regression of runs without noise, at points wherever they lie.

A value is a trend plus a Gaussian process, ``y(x) = f(x)ᵀ b + s Z(x)``, whose correlation falls with the distance scaled by a length
for each input. Sacks, Welch, Mitchell, Wynn, Stat. Sci. 4 (1989) 409; Rasmussen, Williams, Gaussian Processes for Machine Learning
(2006), (2.42) and (5.9).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from uqmbd.analysis.base.fitted import Fitted
from uqmbd.analysis.base.threads import one_thread
from uqmbd.analysis.statistics.gaussian_process import KERNELS, TRENDS, Process, fitted, in_unit, most_likely, solve, squares, standardised
from uqmbd.errors import StudyError

BLOCK = 2**21  # entries of the matrix of correlations that are held at a time


@dataclass(frozen=True, eq=False)
class Kriging(Fitted):
    """A fitted model of one column or several. Made by `fit`."""

    kernel: str
    trend: str
    middle: np.ndarray  # (d,): of the box around the runs
    half: np.ndarray  # (d,): its half widths, the unit of what follows
    points: np.ndarray  # (n, d): runs
    parts: tuple[Process, ...]  # columns that share their lengths, in order
    place: np.ndarray  # int (columns, 2): part of each column, and its place there

    inputs = property(lambda self: len(self.half))
    count = property(lambda self: len(self.place))

    @classmethod
    @one_thread
    def fit(
        cls,
        points: np.ndarray,
        values: np.ndarray,
        *,
        slices: Iterable[slice] | None = None,
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
        slices : iterable of slice, optional
            Columns that share their lengths, such as the times of a history; each has its own where nothing is said.
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
        slices = [slice(i, i + 1) for i in range(values.shape[1])] if slices is None else list(slices)
        _check(points, values, kernel, trend)
        middle, half = _middle_and_half(points)
        x, rng, parts = (points - middle) / half, np.random.default_rng(seed), []
        for at in slices:
            firsts = [np.zeros(x.shape[1])] if start is None else [np.log(start.lengths[at.start] / half)]
            firsts += list(rng.uniform(np.log(0.2), np.log(5.0), (restarts, x.shape[1])))
            parts.append(most_likely(x, values[:, at], KERNELS[kernel], TRENDS[trend](x), firsts))
        place = [(k, i) for k, at in enumerate(slices) for i in range(at.stop - at.start)]
        return cls(kernel, trend, middle, half, x, tuple(parts), np.array(place))

    @classmethod
    def known(cls, points: np.ndarray, values: np.ndarray, lengths: np.ndarray, *, kernel: str, trend: str) -> Kriging:
        """That of columns (n, columns) at `points` (n, d) which share the `lengths` (d,) found before, without a search."""
        values = values[:, None] if values.ndim == 1 else values
        _check(points, values, kernel, trend)
        middle, half = _middle_and_half(points)
        x, (scaled, *unit) = (points - middle) / half, standardised(values)
        process = fitted(lengths / half, x, scaled, KERNELS[kernel], TRENDS[trend](x))[0]
        place = np.stack([np.zeros(values.shape[1], int), np.arange(values.shape[1])], axis=1)
        return cls(kernel, trend, middle, half, x, (in_unit(process, *unit),), place)

    @property
    def lengths(self) -> np.ndarray:
        """Distances along each input over which the values are alike, in its unit, (columns, d)."""
        return np.array([self.parts[k].lengths * self.half for k, _ in self.place])

    def select(self, columns: np.ndarray | slice) -> Kriging:
        place = self.place[columns]
        own = [(k, np.flatnonzero(place[:, 0] == k)) for k in np.unique(place[:, 0])]
        new = np.empty_like(place)
        for i, (_, at) in enumerate(own):
            new[at] = np.stack([np.full(len(at), i), np.arange(len(at))], axis=1)
        return replace(self, parts=tuple(self.parts[k].select(place[at, 1]) for k, at in own), place=new)

    def evaluate(self, points: np.ndarray) -> np.ndarray:
        """Predicted values (n, columns) at `points` (n, d)."""
        out, terms = np.empty((len(points), self.count)), TRENDS[self.trend]
        for at, x in self._blocks(points):
            for k, part in enumerate(self.parts):
                out[at, self.place[:, 0] == k] = terms(x) @ part.trend + self._near(x, part)[0] @ part.weights
        return out

    def gradient(self, points: np.ndarray) -> np.ndarray:
        """Derivatives (n, d, columns) of the predictions at `points` (n, d)."""
        out = np.empty((*points.shape, self.count))
        for at, x in self._blocks(points):
            for k, part in enumerate(self.parts):
                # a kernel's second value is -2 of the derivative by the squared distance
                steep, own = self._near(x, part)[1], self.place[:, 0] == k
                for axis in range(self.inputs):
                    away = steep @ (self.points[:, axis, None] * part.weights) - x[:, axis, None] * (steep @ part.weights)
                    slope = part.trend[1 + axis] if len(part.trend) > 1 else 0.0
                    out[at, axis, own] = (away / part.lengths[axis] ** 2 + slope) / self.half[axis]
        return out

    def value_and_slope(self, owner: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        value, slope = np.empty(len(x)), np.empty(x.shape)
        for at, scaled in self._blocks(x):
            for k, part in enumerate(self.parts):
                here = np.flatnonzero(self.place[owner[at], 0] == k)
                own, y = self.place[owner[at][here], 1], scaled[here]
                (near, steep), weights, trend = self._near(y, part), part.weights[:, own].T, part.trend[:, own]
                steep = steep * weights
                flat = trend[1:].T if len(trend) > 1 else 0.0
                rows = at.start + here
                value[rows] = np.einsum("ij,ji->i", TRENDS[self.trend](y), trend) + np.einsum("ij,ij->i", near, weights)
                slope[rows] = ((steep @ self.points - steep.sum(axis=1)[:, None] * y) / part.lengths**2 + flat) / self.half
        return value, slope

    def std(self, points: np.ndarray) -> np.ndarray:
        """Standard deviation (n, columns) of the prediction at `points` (n, d); that of the trend's coefficients is in it."""
        out = np.empty((len(points), self.count))
        for at, x in self._blocks(points):
            for k, part in enumerate(self.parts):
                solved, off = self._parts(x, part)
                square = 1.0 - np.einsum("ij,ij->j", solved, solved) + np.einsum("ij,ij->j", off, off)
                out[at, self.place[:, 0] == k] = part.scale * np.sqrt(np.maximum(square, 0.0))[:, None]
        return out

    def covariance(self, points: np.ndarray, column: int = 0) -> np.ndarray:
        """Covariance (n, n) of the predictions of one column at `points` (n, d)."""
        x, (k, own) = (points - self.middle) / self.half, self.place[column]
        part = self.parts[k]
        solved, off = self._parts(x, part)
        every = KERNELS[self.kernel](squares(x / part.lengths, x / part.lengths))[0]
        return part.scale[own] ** 2 * (every - solved.T @ solved + off.T @ off)

    def _blocks(self, points: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
        size = max(1, BLOCK // len(self.points))
        for first in range(0, len(points), size):
            at = slice(first, first + size)
            yield at, (points[at] - self.middle) / self.half

    def _near(self, x: np.ndarray, part: Process) -> tuple[np.ndarray, np.ndarray]:
        """Correlations with the runs, (n, runs), and what the kernel gives besides."""
        return KERNELS[self.kernel](squares(x / part.lengths, self.points / part.lengths))

    def _parts(self, x: np.ndarray, part: Process) -> tuple[np.ndarray, np.ndarray]:
        """``L⁻¹ k`` (runs, n), and what the trend's coefficients add, (terms, n)."""
        solved = solve(part.lower, self._near(x, part)[0].T)
        return solved, solve(part.root.T, TRENDS[self.trend](x).T - part.whitened.T @ solved)


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


def _middle_and_half(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of the box around the points, which is the unit of lengths."""
    low, high = points.min(axis=0), points.max(axis=0)
    return (low + high) / 2, np.where(high > low, (high - low) / 2, 1.0)
