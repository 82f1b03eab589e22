"""Verified ranges of tensor Chebyshev expansions over the cube.

On a box a polynomial lies between its smallest and largest Bernstein coefficient, and equals the coefficients at the corners
(Garloff, Interval Computations 2 (1993) 154; Smith, J. Global Optim. 43 (2009) 445). Halving boxes closes the distance
quadratically; boxes that cannot hold the extremum are dropped; where all differences have one sign only a face remains.

The bound is that of the polynomial in exact arithmetic: what is cut off beforehand (small trailing coefficients) and all
rounding of the conversion and of the halvings is added to it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import cache
from itertools import product

import numpy as np

from uqmbd.analysis.base.columnwise import by_blocks
from uqmbd.analysis.chebyshev import chebyshev

PIECE = 16  # degree per piece: conversion loses about 2^degree in rounding, so long expansions are cut up first
MAX_BOXES = 4000
# Coefficients of all columns for which arrays take less (0.1 to 0.5 s) than loading compiled code (0.7 s; compiling it 13 s)
FEW = 50_000


def bernstein_range(
    c: np.ndarray, gap: np.ndarray, *, seen: Sequence[np.ndarray] | None = None, max_boxes: int = MAX_BOXES
) -> tuple[np.ndarray, np.ndarray]:
    """Enclosure (2, columns) of the range of each column over [-1, 1]^d, and whether the gap was reached, bool (columns,).

    Parameters
    ----------
    c : ndarray, shape (n1+1, ..., nd+1, columns)
        Chebyshev coefficients.
    gap : ndarray, shape (columns,)
        By how much each end may exceed the range; below 1e-13 of the sum of the coefficients rounding decides.
    seen : pair of ndarray, shape (columns,), optional
        Smallest and largest value the polynomial is known to take; they only save work.
    max_boxes : int
        Halvings spent on one end of one column and piece; when they run out the bound stays valid and is looser.
    """
    columns, shape = c.shape[-1], c.shape[:-1]
    gap = np.broadcast_to(np.asarray(gap, float), (columns,))
    pieces = [max(1, -(-(size - 1) // PIECE)) for size in shape]
    split = any(count > 1 for count in pieces)
    matrices, growth = conversions_of(max(shape))

    def of(at: slice) -> tuple[np.ndarray, np.ndarray]:
        some = c[..., at]
        magnitude = np.abs(some).reshape(-1, some.shape[-1]).sum(axis=0)
        allowed = least_gap(gap[at], magnitude)
        bounds = np.repeat([[np.inf], [-np.inf]], len(magnitude), axis=1)
        reached = bounds.copy() if seen is None else np.array([end[at] for end in seen], float)
        allowance = 4.0 * np.finfo(float).eps * sum(shape) * magnitude if split else np.zeros(len(magnitude))
        for piece in product(*(range(count) for count in pieces)):
            part = some
            for axis, (k, count) in enumerate(zip(piece, pieces, strict=True)):
                if count > 1:
                    ends = np.cos(np.pi * (1 - np.array([k, k + 1]) / count))  # short where the nodes are dense
                    matrix = chebyshev.restriction(shape[axis] - 1, *ends)
                    part = np.moveaxis(np.tensordot(matrix, part, axes=(1, axis)), 0, axis)
            flat = np.ascontiguousarray(part.reshape(-1, len(magnitude)).T)
            here = np.stack([reached[0] + allowance, reached[1] - allowance])
            new, best = heart(flat)(flat, np.array(shape), here, np.maximum(allowed - 2 * allowance, 0.0), matrices, growth, max_boxes)
            bounds = np.stack([np.minimum(bounds[0], new[0] - allowance), np.maximum(bounds[1], new[1] + allowance)])
            reached = np.stack([np.minimum(reached[0], best[0]), np.maximum(reached[1], best[1])])
        return bounds, within(allowed, bounds, reached, magnitude)

    return by_blocks(of, columns, 4 * c[..., 0].size)


def heart(flat: np.ndarray) -> Callable[..., tuple[np.ndarray, np.ndarray]]:
    """What bounds polynomials of coefficients (columns, size): compiled, or, where they are few, arrays; both give the same numbers."""
    if flat.size <= FEW and "uqmbd.analysis.chebyshev.bernstein_kernel" not in sys.modules and np.isfinite(flat).all():
        from uqmbd.analysis.chebyshev.bernstein_arrays import ranges
    else:
        from uqmbd.analysis.chebyshev.bernstein_kernel import ranges
    return ranges


def least_gap(gap: np.ndarray, magnitude: np.ndarray) -> np.ndarray:
    """The gap of each column, (columns,), where rounding allows it; `magnitude` (columns,) is the sum of the absolute coefficients."""
    return np.maximum(np.broadcast_to(np.asarray(gap, float), magnitude.shape), 1e-13 * magnitude)


def within(gap: np.ndarray, bounds: np.ndarray, reached: np.ndarray, magnitude: np.ndarray) -> np.ndarray:
    """Whether both bounds (2, columns) are within the gap of values that the polynomial takes, `reached` (2, columns); up to rounding."""
    tolerance = gap + 1e-12 * magnitude
    with np.errstate(invalid="ignore"):  # an end that nobody asked for is infinite in both
        return (reached[0] - bounds[0] <= tolerance) & (bounds[1] - reached[1] <= tolerance)


@cache
def conversions_of(size: int) -> tuple[np.ndarray, np.ndarray]:
    """Chebyshev to Bernstein for all degrees below `size`: (size, size, size) matrices and (size, size) largest entries.

    On [0, 1], ``T_k(2t-1) = Σ_i (-1)^(k-i) C(2k, 2i)/C(k, i) B_i^k(t)`` (Rababah, Comput. Methods Appl. Math. 3 (2003) 608),
    then raised to degree e. Times ``C(e, j)`` all of them are whole numbers, and raising adds neighbours: exact until the last division.
    """
    from math import comb

    matrices, scaled = np.zeros((size, size, size)), np.empty((0, 0), object)
    for e in range(size):
        raised = np.zeros((e + 1, e + 1), object)
        raised[:e, :e] += scaled
        raised[:e, 1:] += scaled
        raised[e] = [(-1) ** (e - i) * comb(2 * e, 2 * i) for i in range(e + 1)]
        scaled = raised
        matrices[e, : e + 1, : e + 1] = (scaled / np.array([comb(e, j) for j in range(e + 1)], object)).T
    return matrices, np.abs(matrices).max(axis=1)
