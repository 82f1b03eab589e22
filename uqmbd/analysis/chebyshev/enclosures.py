"""Ranges of Chebyshev expansions over the cube, three ways, for tensor and for sparse coefficients."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from uqmbd.analysis.base.columnwise import blocks
from uqmbd.analysis.base.design import sobol_sequence
from uqmbd.analysis.chebyshev import chebyshev, sparse_chebyshev
from uqmbd.analysis.chebyshev.bernstein import bernstein_range
from uqmbd.analysis.chebyshev.sparse_range import coupled, sparse_range

Seen = Sequence[np.ndarray] | None  # values (columns,) that are known to be taken, the smallest and the largest

SCAN_POINTS = 30_000  # of the whole grid
_LEFT_OUT = 0.05  # part of the gap that terms may add up to and couple nothing
_MEMORY = 4_000_000  # numbers of a scan held at a time


def bernstein(c: np.ndarray, gap: np.ndarray, seen: Seen = None) -> tuple[np.ndarray, np.ndarray]:
    """Verified range to `gap`, see `uqmbd.analysis.chebyshev.bernstein`: bounds (2, columns) and whether it was reached (columns,).

    Inputs that no term couples are bounded apart, see `uqmbd.analysis.chebyshev.sparse_range`.
    """
    large = np.argwhere(np.any([np.any(large_terms(c[..., at], gap[at]), axis=-1) for at in blocks(c.shape[-1], c[..., 0].size)], axis=0))
    if len(coupled(large)) > 1:
        exponents = np.argwhere(np.ones(c.shape[:-1], bool))
        return sparse_range(exponents, c.reshape(len(exponents), -1), gap, seen)
    return bernstein_range(c, gap, seen=seen)


def large_terms(c: np.ndarray, gap: np.ndarray) -> np.ndarray:
    """Which coefficients (..., columns) are more than a small part of the gap: terms that couple inputs."""
    return np.abs(c) * np.prod(c.shape[:-1]) > _LEFT_OUT * gap


def cosine(c: np.ndarray, gap: np.ndarray, seen: Seen = None) -> tuple[np.ndarray, np.ndarray]:
    """Wu's interval evaluation: with ``x = cos θ`` every ``T_k(x) = cos kθ`` is [-1, 1], and so is every product of them.

    An enclosure, first order in the box and so loose (a factor of 1.2 for a smooth pendulum band, at any degree).
    Wu, Zhang, Chen, Luo (2013), eq. 30.
    """
    flat = c.reshape(-1, c.shape[-1])
    radius = np.abs(flat[1:]).sum(axis=0)
    radius = radius + 2 * np.finfo(float).eps * len(flat) * (np.abs(flat[0]) + radius)
    return np.stack([flat[0] - radius, flat[0] + radius]), np.ones(c.shape[-1], bool)


def scan(c: np.ndarray, gap: np.ndarray, seen: Seen = None) -> tuple[np.ndarray, np.ndarray]:
    """Smallest and largest value on a dense grid: not an enclosure, for comparison."""
    d, columns = c.ndim - 1, c.shape[-1]
    per_axis = max(5, int(SCAN_POINTS ** (1 / d)) | 1)
    axes = [np.cos(np.linspace(np.pi, 0, per_axis))] * d
    chunk = max(1, _MEMORY // per_axis**d)
    bounds = np.empty((2, columns))
    for i in range(0, columns, chunk):
        values = chebyshev.evaluate_grid(c[..., i : i + chunk], axes).reshape(per_axis**d, -1)
        bounds[:, i : i + chunk] = values.min(axis=0), values.max(axis=0)
    return bounds, np.zeros(columns, bool)


def sparse_cosine(exponents: np.ndarray, c: np.ndarray, gap: np.ndarray, seen: Seen = None) -> tuple[np.ndarray, np.ndarray]:
    """`cosine` of the terms there are."""
    order = np.argsort(exponents.any(axis=1), kind="stable")  # the constant term first
    return cosine(c[order], gap)


def sparse_scan(exponents: np.ndarray, c: np.ndarray, gap: np.ndarray, seen: Seen = None) -> tuple[np.ndarray, np.ndarray]:
    """Smallest and largest value at the corners (of 12 inputs at most) and at Sobol' points: not an enclosure, for comparison."""
    d = exponents.shape[1]
    points = -np.cos(np.pi * sobol_sequence(1 << SCAN_POINTS.bit_length() - 1, d))
    if d <= 12:
        points = np.concatenate([np.array(list(product((-1.0, 1.0), repeat=d))), points])
    low, high = np.full(c.shape[1], np.inf), np.full(c.shape[1], -np.inf)
    for i in range(0, len(points), 1024):
        values = sparse_chebyshev.evaluate(exponents, c, points[i : i + 1024])
        low, high = np.minimum(low, values.min(axis=0)), np.maximum(high, values.max(axis=0))
    return np.stack([low, high]), np.zeros(c.shape[1], bool)


ENCLOSURES = {"bernstein": bernstein, "cosine": cosine, "scan": scan}
SPARSE_ENCLOSURES = {"bernstein": sparse_range, "cosine": sparse_cosine, "scan": sparse_scan}
