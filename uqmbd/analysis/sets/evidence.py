"""Belief and plausibility of outputs from their ranges on focal boxes.

A box with mass m and range [lower, upper] speaks for ``y <= v`` wholly if ``upper <= v`` and does not speak against it if
``lower <= v`` (Shafer 1976; Yager, Int. J. Man-Mach. Stud. 25 (1986) 247).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from uqmbd.analysis.chebyshev.bernstein import PIECE, conversions_of, least_gap
from uqmbd.analysis.chebyshev.chebyshev import restriction
from uqmbd.analysis.chebyshev.expansions import TensorExpansion

LEVELS = 201
_STEP = 1e-12  # rounding of sums of masses


def boxes(elements: Sequence[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """All products of the inputs' focal elements, which are independent: ends (boxes, d, 2) and masses (boxes,).

    Of ends (n, 2) and masses (n,) of each input.
    """
    ends = np.array(list(product(*(intervals for intervals, _ in elements))))
    masses = np.array([np.prod(row) for row in product(*(masses for _, masses in elements))])
    return ends, masses


def ranges(c: np.ndarray, ends: np.ndarray, gap: np.ndarray, how: str = "bernstein") -> np.ndarray:
    """Range of a tensor Chebyshev expansion `c` (n1+1, ..., nd+1, columns) on boxes within [-1, 1]^d: shape (2, boxes, columns).

    Each of the boxes with `ends` (boxes, d, 2) to a `gap` (columns,), by `how` of `uqmbd.analysis.chebyshev.enclosures.ENCLOSURES`. Boxes
    that follow each other and have the same sides in the first axes share the work there, as the products of `boxes` do.
    """
    if how == "bernstein" and max(c.shape[:-1]) <= PIECE + 1:
        return _verified(c, ends, gap)
    out = np.empty((2, len(ends), c.shape[-1]))
    for at, box in enumerate(ends):
        out[:, at] = TensorExpansion(c).restricted(box).range(how, gap)[0]
    return out


def _verified(c: np.ndarray, ends: np.ndarray, gap: np.ndarray) -> np.ndarray:
    """`ranges` by Bernstein coefficients, a few columns after the other on all boxes."""
    from uqmbd.analysis.chebyshev.bernstein_kernel import DEPTH
    from uqmbd.analysis.sets.evidence_kernel import WIDTH, box_ranges

    shape, columns = np.array(c.shape[:-1]), c.shape[-1]
    sides, which = np.unique(ends.reshape(-1, 2), axis=0, return_inverse=True)
    element = which.reshape(ends.shape[:2])
    first = np.r_[0, (element[1:] != element[:-1]).argmax(axis=1)]  # a box that comes twice is worked out twice
    matrices = np.stack([restriction(int(shape.max()) - 1, low, high) for low, high in sides])
    element = np.where(np.all(sides == [-1, 1], axis=1)[element], -1, element)
    conversions, growth = conversions_of(int(shape.max()))
    lost = _rounding(shape, growth, DEPTH)
    out = np.empty((2, len(ends), columns))
    for start in range(0, columns, WIDTH):
        some = c[..., start : start + WIDTH]
        count = some.shape[-1]
        block = np.zeros((*shape, WIDTH))
        block[..., :count] = some
        sizes = np.abs(block).reshape(-1, WIDTH)
        allowed = least_gap(np.r_[np.broadcast_to(gap, (columns,))[start : start + WIDTH], np.ones(WIDTH - count)], sizes.sum(axis=0))
        bounds = box_ranges(block.ravel(), shape, matrices, element, first, allowed, lost @ sizes, conversions)
        out[:, :, start : start + count] = bounds[..., :count]
    return out


def _rounding(shape: np.ndarray, growth: np.ndarray, halvings: int) -> np.ndarray:
    """What rounding may change by unit coefficient, (terms,), in the restriction, the conversion and the halvings after it."""
    largest = np.maximum.accumulate(growth.max(axis=0))  # of the conversion of T_k and all below, at any degree
    # on a part of the interval the absolute coefficients of T_k add up to √(2(k + 1)) at most (Parseval)
    each = [np.sqrt(2.0 * np.arange(1, size + 1)) * largest[:size] for size in shape]
    terms = each[0]
    for other in each[1:]:
        terms = np.multiply.outer(terms, other)
    return np.finfo(float).eps * (2 * shape.sum() + len(shape) * (2 + 0.5 * halvings)) * terms.ravel()


def belief_and_plausibility(lower: np.ndarray, upper: np.ndarray, masses: np.ndarray) -> np.ndarray:
    """Table (LEVELS, 3) of values, and of belief and plausibility that a column with these ranges (boxes,) is at most the value."""
    at = _levels(lower, upper)
    return np.stack([at, *(np.minimum(1.0, (ends[None] <= at[:, None]) @ masses) for ends in (upper, lower))], axis=1)


def _levels(lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """Values (LEVELS,) at which to show both functions: all ends of the ranges (boxes,) if they are no more, filled up evenly."""
    ends = np.unique(np.concatenate([lower, upper]))
    even = np.linspace(ends[0], ends[-1], LEVELS)
    if len(ends) > LEVELS or len(ends) < 2:
        return even
    # each even level is given up for the jump nearest to it
    out, free = even, np.ones(LEVELS, bool)
    for end in ends:
        nearest = np.where(free, np.abs(even - end), np.inf).argmin()
        out[nearest], free[nearest] = end, False
    return np.sort(out)


def statistics(lower: np.ndarray, upper: np.ndarray, masses: np.ndarray, probabilities: Sequence[float]) -> Iterator[np.ndarray]:
    """Bounds (2, columns) of the mean, then of the quantile of each probability, over all distributions that fit the evidence.

    Of ranges `lower`, `upper` (boxes, columns) with `masses` (boxes,).
    """
    yield np.stack([masses @ lower, masses @ upper])
    sides = []
    for ends in (lower, upper):
        order = np.argsort(ends, axis=0, kind="stable")
        sides.append((np.take_along_axis(ends, order, axis=0), np.cumsum(masses[order], axis=0)))
    for probability in probabilities:
        quantile = []
        for ends, sums in sides:
            first = (sums >= probability - _STEP).argmax(axis=0)
            quantile.append(np.take_along_axis(ends, first[None], axis=0)[0])
        yield np.stack(quantile)
