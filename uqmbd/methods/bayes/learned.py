"""Kriging of histories by a few directions in which runs differ, with its error.

Higdon, Gattiker, Williams, Rightley, J. Am. Stat. Assoc. 103 (2008) 570, section 2.2.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from uqmbd.analysis.base.threads import one_thread
from uqmbd.analysis.statistics.gaussian_process import KERNELS, TRENDS, solve
from uqmbd.surrogates.kriging import Kriging

OWN_LENGTHS = 6  # directions, the greatest first, that have lengths of their own; the others share theirs


class Stack:
    """All processes of a Kriging at once, for many calls with few points each: values and variances."""

    def __init__(self, kriging: Kriging) -> None:
        self._kriging, parts = kriging, kriging.parts
        self._lengths = np.stack([part.lengths for part in parts])
        self._points = kriging.points / self._lengths[:, None]
        self._lower = np.stack([solve(part.lower, np.eye(len(part.lower))) for part in parts])
        self._root = np.stack([solve(part.root.T, np.eye(len(part.root))) for part in parts])
        self._whitened = np.stack([part.whitened.T for part in parts])
        self._part, own = kriging.place.T
        places = list(zip(self._part, own, strict=True))
        self._weights = np.stack([parts[k].weights[:, i] for k, i in places], axis=1)
        self._trend = np.stack([parts[k].trend[:, i] for k, i in places], axis=1)
        self._scale = np.array([parts[k].scale[i] for k, i in places])

    def at(self, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """At points (n, d): values and variances, (n, columns) each."""
        kriging = self._kriging
        x = (z - kriging.middle) / kriging.half
        scaled = x / self._lengths[:, None]
        squares = (scaled**2).sum(axis=2)[:, :, None] + (self._points**2).sum(axis=2)[:, None] - 2 * scaled @ self._points.swapaxes(1, 2)
        near, terms = KERNELS[kriging.kernel](np.maximum(squares, 0.0))[0], TRENDS[kriging.trend](x)
        solved = self._lower @ near.swapaxes(1, 2)  # (parts, runs, n)
        off = self._root @ (terms.T - self._whitened @ solved)
        square = np.maximum(1.0 - (solved**2).sum(axis=1) + (off**2).sum(axis=1), 0.0)
        values = terms @ self._trend
        for k in range(len(near)):
            own = self._part == k
            values[:, own] += near[k] @ self._weights[:, own]
        return values, square[self._part].T * self._scale**2


@dataclass(frozen=True, eq=False)
class Learned:
    """What runs say of some numbers of one output, (n, m)."""

    mean: np.ndarray  # (m,)
    directions: np.ndarray  # (m, k), orthonormal
    kriging: Kriging | None  # of the k coefficients; None where all runs are alike
    factor: np.ndarray  # (k,): by which its variance is too small, 1 at least

    @classmethod
    @one_thread
    def fit(cls, z: np.ndarray, values: np.ndarray, least: float, before: Learned | None = None) -> Learned:
        """From values (n, m) of runs at `z` (n, d), and maybe what fewer runs said.

        Directions in which no run is farther than `least` from the mean are left out.
        """
        mean = values.mean(axis=0)
        left, sizes, right = np.linalg.svd(values - mean, full_matrices=False)
        coefficients = left * sizes
        k = int(np.count_nonzero(np.abs(coefficients).max(axis=0) > least))
        if not k:
            return cls(mean, right[:0].T, None, np.empty(0))
        own = min(k, OWN_LENGTHS)
        slices = [slice(i, i + 1) for i in range(own)] + ([slice(own, k)] if k > own else [])
        trend = "linear" if len(z) >= 2 * (z.shape[1] + 1) else "constant"
        start = before.kriging if before is not None and before.kriging is not None and before.kriging.count > slices[-1].start else None
        restarts = 1 if start is None else 0
        kriging = Kriging.fit(z, coefficients[:, :k], slices=slices, trend=trend, restarts=restarts, seed=len(z), start=start)
        return cls(mean, right[:k].T, kriging, _too_small(kriging))

    def at(self, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients of the directions at points (n, d), and their variances, (n, k) each."""
        if self.kriging is None:
            return np.zeros((len(z), 0)), np.zeros((len(z), 0))
        mean, variance = self._stack.at(z)
        return mean, self.factor * variance

    @cached_property
    def _stack(self) -> Stack:
        assert self.kriging is not None
        return Stack(self.kriging)

    def values(self, coefficients: np.ndarray, at: slice = slice(None)) -> np.ndarray:
        """The numbers, (n, m), or some of them."""
        return self.mean[at] + coefficients @ self.directions[at].T


def predicted(learned: Mapping[str, Learned], z: np.ndarray) -> tuple[dict[str, np.ndarray], dict[str, tuple[np.ndarray, np.ndarray]]]:
    """Numbers of all outputs at points (n, d), and their errors: directions with variances."""
    values, errors = {}, {}
    for name, each in learned.items():
        coefficients, variance = each.at(z)
        values[name], errors[name] = each.values(coefficients), (each.directions, variance)
    return values, errors


def _too_small(kriging: Kriging) -> np.ndarray:
    """Mean square of the errors at runs that are left out in turn, over the variance that Kriging states there; 1 at least, (columns,).

    Dubrule, J. Int. Assoc. Math. Geol. 15 (1983) 687; lengths and trend stay those of all runs.
    """
    found = np.ones(kriging.count)
    for k, part in enumerate(kriging.parts):
        inverse = (solve(part.lower, np.eye(len(part.lower))) ** 2).sum(axis=0)  # diagonal of the inverse of the correlations
        squares = part.weights**2 / (inverse[:, None] * part.scale**2)
        found[kriging.place[:, 0] == k] = np.maximum(squares.mean(axis=0), 1.0)
    return found
