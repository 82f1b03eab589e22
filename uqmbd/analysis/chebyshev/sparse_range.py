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
from uqmbd.analysis.chebyshev.bernstein import PIECE, bernstein_range, least_gap, within

MAX_BOXES = 4000
LARGEST_TENSOR = 4096  # terms
_MEMORY = 16_000_000  # numbers that the boxes may hold
GIVEN_UP = 0.05  # part of the gap spent on terms that are left out for all columns


def sparse_range(
    exponents: np.ndarray, c: np.ndarray, gap: np.ndarray, seen: Sequence[np.ndarray] | None = None, *, max_boxes: int = MAX_BOXES
) -> tuple[np.ndarray, np.ndarray]:
    """Enclosure of the range of each column over [-1, 1]^d: `bernstein_range` for the terms `exponents` (terms, d) only.

    The parameters but the first two, and what is returned, are those of `bernstein_range`; the coefficients `c` are (terms, columns), and
    `max_boxes` are spent on one end of one column and group of coupled inputs.
    """
    columns, terms = c.shape[1], 4 * len(c)
    magnitude = by_blocks(lambda at: np.abs(c[:, at]).sum(axis=0), columns, terms)
    gap = least_gap(gap, magnitude)
    kept = needed(exponents, c, GIVEN_UP * gap, together=True)[:, 0]
    groups = coupled(exponents[kept])

    def of(at: slice) -> tuple[np.ndarray, np.ndarray]:
        some = c[:, at]
        left_out, constant = np.abs(some[~kept]).sum(axis=0), some[~exponents.any(axis=1)].sum(axis=0)
        bounds, reached = np.stack([constant - left_out, constant + left_out]), np.stack([constant, constant])
        share = (gap[at] - 2 * left_out) / max(len(groups), 1)
        for inputs in groups:
            rows = kept & exponents[:, inputs].any(axis=1)
            known = None
            if seen is not None and len(groups) == 1:
                known = (seen[0][at] + left_out - reached[0], seen[1][at] - left_out - reached[1])
            new, best = _group_range(exponents[np.ix_(rows, inputs)], some[rows], share, known, max_boxes)
            bounds, reached = bounds + new, reached + best
        slack = 8 * np.finfo(float).eps * (len(groups) + 2) * magnitude[at]
        bounds += np.stack([-slack, slack])
        return bounds, within(gap[at], bounds, reached, magnitude[at])

    return by_blocks(of, columns, terms)


def needed(exponents: np.ndarray, c: np.ndarray, budget: np.ndarray, *, together: bool = False) -> np.ndarray:
    """Terms to keep of each column, (terms, columns), or the same of all, (terms, 1): the others add up to `budget` (columns,) at most.

    Terms go from the highest degree on, so a term of lower degree than a kept one stays: the kept are downward closed.
    """
    row_of = {tuple(term): t for t, term in enumerate(exponents.tolist())}
    kept, spent = np.ones((len(c), 1 if together else c.shape[1]), bool), np.zeros(c.shape[1])
    for t in np.argsort(-exponents.sum(axis=1), kind="stable"):
        degrees, size = exponents[t].tolist(), np.abs(c[t])
        above = [row_of[term] for i, k in enumerate(degrees) if (term := (*degrees[:i], k + 1, *degrees[i + 1 :])) in row_of]
        small = spent + size <= budget
        dropped = (small.all(keepdims=True) if together else small) & ~kept[above].any(axis=0)
        spent += np.where(dropped, size, 0.0)
        kept[t] = ~dropped
    return kept


def alike(exponents: np.ndarray, c: np.ndarray, gap: np.ndarray, large: np.ndarray | None = None) -> list[np.ndarray]:
    """Columns by the inputs that their terms couple and the terms that are kept; each by itself where sums would depend on the others.

    Of terms `exponents` (terms, d) with coefficients `c` (terms, columns) and a `gap` (columns,). Of tensors `large` (terms, columns),
    bool, are the terms that decide which inputs are coupled; columns without two groups of inputs are no matter of kept terms.
    """
    shape = exponents.max(axis=0, initial=0) + 1
    if shape.max(initial=1) > PIECE or np.prod(shape.astype(float)) > LARGEST_TENSOR:
        return list(np.arange(c.shape[1])[:, None])
    kept = needed(exponents, c, GIVEN_UP * least_gap(gap, np.abs(c).sum(axis=0)))
    couplings: list[tuple] = [()] * c.shape[1]
    if large is not None:
        patterns, which = np.unique(large, axis=1, return_inverse=True)
        of_pattern = [tuple(tuple(inputs.tolist()) for inputs in coupled(exponents[some])) for some in patterns.T]
        couplings = [of_pattern[i] for i in np.ravel(which)]
    groups: dict[tuple, list[int]] = {}
    for column, (coupling, row) in enumerate(zip(couplings, kept.T, strict=True)):
        groups.setdefault((coupling, row.tobytes() if large is None or len(coupling) > 1 else b""), []).append(column)
    return [np.array(columns) for columns in groups.values()]


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
            rows = np.flatnonzero((exponents[:, axis] == degree) & (exponents.sum(axis=1) == degree))
            alone[axis, degree] = rows[0] if rows.size else -1
    degree = int(exponents.max())
    halves = np.stack([chebyshev.restriction(degree, -1, 0), chebyshev.restriction(degree, 0, 1)])
    # the absolute coefficients of T_k on any part of the interval add up to sqrt(2 (k + 1)) at most (Parseval)
    growth = np.prod(np.where(exponents > 0, np.sqrt(2.0 * (exponents + 1)), 1.0), axis=1)
    slack = np.finfo(float).eps * DEPTH * (degree + 4) * (growth @ np.abs(c))
    known = np.stack([np.full(columns, np.inf), np.full(columns, -np.inf)]) if seen is None else np.array(seen, float)
    flat = np.ascontiguousarray(c.T)
    boxes = max(1, min(max_boxes, _MEMORY // len(exponents)))
    return sparse_ranges(flat, (exponents, lowered, alone), halves, known, np.ascontiguousarray(gap), slack, boxes)
