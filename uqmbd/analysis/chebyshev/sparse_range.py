"""Verified ranges of sparse Chebyshev expansions in many inputs.

Inputs that no term couples add up independently, so each group of coupled inputs is bounded by itself: as a tensor by Bernstein
coefficients where it is small, else by branch and bound on boxes. The bound is that of the polynomial in exact arithmetic: what is cut off
beforehand and the rounding are added to it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from uqmbd.analysis.base.columnwise import by_blocks
from uqmbd.analysis.chebyshev import chebyshev, sparse_chebyshev
from uqmbd.analysis.chebyshev.bernstein import bernstein_range, least_gap, within

MAX_BOXES = 4000
LARGEST_TENSOR = 4096  # terms
_MEMORY = 16_000_000  # numbers that the boxes may hold
GIVEN_UP = 0.05  # part of the gap spent on terms that are left out for all columns


def sparse_range(
    exponents: np.ndarray, c: np.ndarray, gap: np.ndarray, *, seen: Sequence[np.ndarray] | None = None, max_boxes: int = MAX_BOXES
) -> tuple[np.ndarray, np.ndarray]:
    """Enclosure of the range of each column over [-1, 1]^d: `bernstein_range` for the terms `exponents` (terms, d) only.

    The parameters but the first two, and what is returned, are those of `bernstein_range`; the coefficients `c` are (terms, columns), and
    `max_boxes` are spent on one end of one column and group of coupled inputs.
    """
    columns, terms = c.shape[1], 4 * len(c)
    magnitude = by_blocks(lambda at: np.abs(c[:, at]).sum(axis=0), columns, terms)
    gap = least_gap(gap, magnitude)
    kept = _needed(exponents, c, GIVEN_UP * gap)

    def of(at: slice) -> tuple[np.ndarray, np.ndarray]:
        known = None if seen is None else tuple(end[at] for end in seen)
        return _of_kept(exponents, c[:, at], kept, gap[at], magnitude[at], known, max_boxes)

    return by_blocks(of, columns, terms)


def _of_kept(
    exponents: np.ndarray,
    c: np.ndarray,
    kept: np.ndarray,
    gap: np.ndarray,
    magnitude: np.ndarray,
    seen: Sequence[np.ndarray] | None,
    max_boxes: int,
) -> tuple[np.ndarray, np.ndarray]:
    """`sparse_range` of a few columns, of which the terms `kept` (terms,) are bounded and the others added."""
    left_out = np.abs(c[~kept]).sum(axis=0)
    constant = ~exponents.any(axis=1)
    bounds = np.stack([c[constant].sum(axis=0) - left_out, c[constant].sum(axis=0) + left_out])
    reached = np.stack([c[constant].sum(axis=0)] * 2)
    groups = coupled(exponents[kept])
    share = (gap - 2 * left_out) / max(len(groups), 1)
    for inputs in groups:
        rows = kept & exponents[:, inputs].any(axis=1)
        known = None
        if seen is not None and len(groups) == 1:
            known = (seen[0] + left_out - reached[0], seen[1] - left_out - reached[1])
        new, best = _group_range(exponents[np.ix_(rows, inputs)], c[rows], share, known, max_boxes)
        bounds, reached = bounds + new, reached + best
    slack = 8 * np.finfo(float).eps * (len(groups) + 2) * magnitude
    bounds += np.stack([-slack, slack])
    return bounds, within(gap, bounds, reached, magnitude)


def _needed(exponents: np.ndarray, c: np.ndarray, budget: np.ndarray) -> np.ndarray:
    """Terms to keep (terms,): the others are small in every column, `budget` (columns,) together, and the kept are downward closed.

    Terms go from the highest degree on, so a term of lower degree than a kept one stays.
    """
    kept = {tuple(row): t for t, row in enumerate(exponents.tolist())}
    spent = np.zeros(c.shape[1])
    for t in np.argsort(-exponents.sum(axis=1), kind="stable"):
        row = exponents[t].tolist()
        above = ((*row[:i], k + 1, *row[i + 1 :]) for i, k in enumerate(row))
        size = np.abs(c[t])
        if np.all(spent + size <= budget) and not any(term in kept for term in above):
            spent += size
            del kept[tuple(row)]
    out = np.zeros(len(exponents), bool)
    out[list(kept.values())] = True
    return out


def coupled(exponents: np.ndarray) -> list[np.ndarray]:
    """Groups of inputs that terms couple, directly or through others; inputs without terms are in none."""
    used = exponents > 0
    link, before = (used.T.astype(float) @ used.astype(float)) > 0, None
    while before is None or (link != before).any():  # links of links
        before, link = link, link | ((link.astype(float) @ link.astype(float)) > 0)
    return [np.flatnonzero(row) for input, row in enumerate(link) if row.any() and input == row.argmax()]


def _group_range(exponents: np.ndarray, c: np.ndarray, gap: np.ndarray, seen: Sequence | None, max_boxes: int) -> tuple:
    """Bounds (2, columns) and values reached (2, columns) of terms without a constant that couple all inputs."""
    columns = c.shape[1]
    shape = exponents.max(axis=0) + 1
    if np.prod(shape.astype(float)) <= LARGEST_TENSOR:
        tensor = np.zeros((*shape, columns))
        tensor[tuple(exponents.T)] = c
        bounds, met = bernstein_range(tensor, gap, seen=seen, max_boxes=max_boxes)
        # where the gap was reached a value lies within it; elsewhere none is claimed
        return bounds, np.stack([np.where(met, bounds[0] + gap, np.inf), np.where(met, bounds[1] - gap, -np.inf)])
    from uqmbd.analysis.chebyshev.sparse_kernel import DEPTH, sparse_ranges

    exponents = np.concatenate([np.zeros((1, exponents.shape[1]), int), exponents])
    c = np.concatenate([np.zeros((1, columns)), c])
    lowered = sparse_chebyshev.lowered(exponents)
    alone = np.zeros((exponents.shape[1], 3), int)
    for degree in (1, 2):
        for axis in range(exponents.shape[1]):
            found = np.flatnonzero((exponents[:, axis] == degree) & (exponents.sum(axis=1) == degree))
            alone[axis, degree] = found[0] if found.size else -1
    degree = int(exponents.max())
    halves = np.stack([chebyshev.restriction(degree, -1, 0), chebyshev.restriction(degree, 0, 1)])
    # the absolute coefficients of T_k on any part of the interval add up to sqrt(2 (k + 1)) at most (Parseval)
    growth = np.prod(np.where(exponents > 0, np.sqrt(2.0 * (exponents + 1)), 1.0), axis=1)
    slack = np.finfo(float).eps * DEPTH * (degree + 4) * (growth @ np.abs(c))
    known = np.stack([np.full(columns, np.inf), np.full(columns, -np.inf)]) if seen is None else np.array(seen, float)
    flat = np.ascontiguousarray(c.T)
    boxes = max(1, min(max_boxes, _MEMORY // len(exponents)))
    return sparse_ranges(flat, (exponents, lowered, alone), halves, known, np.ascontiguousarray(gap), slack, boxes)
