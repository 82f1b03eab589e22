"""Which columns of an expansion can be bounded in one call without one changing another: those whose terms lead to the same steps."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from uqmbd.analysis.chebyshev.bernstein import PIECE, least_gap
from uqmbd.analysis.chebyshev.sparse_range import GIVEN_UP, LARGEST_TENSOR, coupled


def alike(exponents: np.ndarray, c: np.ndarray, gap: np.ndarray, large: np.ndarray | None = None) -> list[np.ndarray]:
    """Columns by the inputs that their terms couple and the terms that are kept; each by itself where sums would depend on the others.

    Parameters
    ----------
    exponents : ndarray of int, shape (terms, d)
    c : ndarray, shape (terms, columns)
    gap : ndarray, shape (columns,)
    large : ndarray of bool, shape (terms, columns), optional
        Of tensors: terms that decide which inputs are coupled; columns without two groups of inputs are no matter of kept terms.
    """
    shape = exponents.max(axis=0, initial=0) + 1
    if shape.max(initial=1) > PIECE or np.prod(shape.astype(float)) > LARGEST_TENSOR:
        return list(np.arange(c.shape[1])[:, None])
    kept = needed_each(exponents, np.abs(c), GIVEN_UP * least_gap(gap, np.abs(c).sum(axis=0)))
    groups: dict[tuple, list[int]] = {}
    if large is None:
        keys = [(b"", row.tobytes()) for row in kept.T]
    else:
        by_pattern = unique_keys(large, lambda which: partition(exponents[which]))
        keys = [(key, row.tobytes() if len(key) > 1 else b"") for key, row in zip(by_pattern, kept.T, strict=True)]
    for column, key in enumerate(keys):
        groups.setdefault(key, []).append(column)
    return [np.array(columns) for columns in groups.values()]


def partition(exponents: np.ndarray) -> tuple[tuple[int, ...], ...]:
    """The groups of inputs that some terms couple."""
    return tuple(tuple(group.tolist()) for group in coupled(exponents))


def unique_keys(patterns: np.ndarray, key: Callable[[np.ndarray], tuple]) -> list[tuple]:
    """What `key` makes of each column of `patterns` (terms, columns), asked once for columns that are the same."""
    known: dict[bytes, tuple] = {}
    found = []
    for pattern in np.ascontiguousarray(patterns.T):
        code = pattern.tobytes()
        if code not in known:
            known[code] = key(pattern)
        found.append(known[code])
    return found


def needed_each(exponents: np.ndarray, sizes: np.ndarray, budget: np.ndarray) -> np.ndarray:
    """Terms to keep of each column by itself, (terms, columns): see `uqmbd.analysis.chebyshev.sparse_range.sparse_range`."""
    place = {tuple(row): t for t, row in enumerate(exponents.tolist())}
    kept, spent = np.ones(sizes.shape, bool), np.zeros(sizes.shape[1])
    for t in np.argsort(-exponents.sum(axis=1), kind="stable"):
        row = exponents[t].tolist()
        above = [place[term] for i, k in enumerate(row) if (term := (*row[:i], k + 1, *row[i + 1 :])) in place]
        dropped = (spent + sizes[t] <= budget) & ~kept[above].any(axis=0)
        spent += np.where(dropped, sizes[t], 0.0)
        kept[t] = ~dropped
    return kept
