"""Sets of multi-indices: which products of one-dimensional polynomials an expansion has."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

TRUNCATIONS = ("total", "hyperbolic", "tensor")
LIMIT = 200_000  # terms, beyond which no fit is possible anyway
_ROUNDING = 1e-10  # of sums of fractions


def index_set(degrees: Sequence[int], truncation: str = "total", q: float = 0.5, *, limit: int = LIMIT) -> np.ndarray:
    """All multi-indices k, int (terms, d), of a truncation with the degree ``degrees[i]`` in input i; 0 leaves an input out.

    - ``total``: ``Σ k_i / p_i <= 1``, with equal degrees the terms of total degree p at most: ``(d+p)! / (d! p!)`` of them.
    - ``hyperbolic``: ``Σ (k_i / p_i)^q <= 1`` with q in (0, 1], which keeps few interactions (Blatman and Sudret 2011); 1 is ``total``.
    - ``tensor``: ``k_i <= p_i``, ``Π (p_i + 1)`` terms.

    Terms are in the order of their total degree ``Σ k_i``; those of one degree with the larger index of the first input first, then of the
    second and so on. The first is the constant. Raises `ValueError` for more than `limit` terms.
    """
    if truncation not in TRUNCATIONS:
        raise ValueError(f"there is no truncation '{truncation}'; there are {', '.join(TRUNCATIONS)}")
    power = q if truncation == "hyperbolic" else 1.0
    rows, spent = np.zeros((1, 0), int), np.zeros(1)
    for p in degrees:
        k = np.arange(p + 1)
        cost = np.zeros(p + 1) if truncation == "tensor" else (k / max(p, 1)) ** power
        total = spent[:, None] + cost
        i, j = np.nonzero(total <= 1 + _ROUNDING)
        if len(i) > limit:  # every row begins at least one term
            raise ValueError(f"the truncation {truncation} has more than {limit} terms")
        rows, spent = np.column_stack([rows[i], k[j]]), total[i, j]
    return rows[np.lexsort([*(-rows.T[::-1]), rows.sum(axis=1)])]


def level(indices: np.ndarray, truncation: str = "total", q: float = 0.5) -> np.ndarray:
    """Smallest degree, equal in all inputs, whose set holds each term: shape (terms,).

    The set of degree p is ``indices[level(indices) <= p]`` of the set of any higher degree.
    """
    if truncation == "tensor":
        return indices.max(axis=1).astype(float)
    power = q if truncation == "hyperbolic" else 1.0
    return (indices.astype(float) ** power).sum(axis=1) ** (1 / power) * (1 - _ROUNDING)
