"""Polynomials in Chebyshev's and in orthonormal Legendre polynomials: the first give ranges, the second variances."""

from __future__ import annotations

from itertools import product

import numpy as np

from uqmbd.analysis.chaos.expansion import Expansion as Chaos
from uqmbd.analysis.chaos.families import legendre
from uqmbd.analysis.chebyshev import chebyshev
from uqmbd.analysis.chebyshev.expansions import Expansion, SparseExpansion


def legendre_of(expansion: Expansion) -> Chaos:
    """In orthonormal Legendre polynomials, whose coefficients are parts of the variance."""
    exponents, c = expansion.mapped(lambda axis, degree: to_legendre(degree)).terms()
    return Chaos(exponents, [legendre()] * exponents.shape[1], c)


def chebyshev_of(chaos: Chaos) -> SparseExpansion:
    """In Chebyshev polynomials, of an expansion whose families are all Legendre's."""
    row_of: dict[tuple[int, ...], int] = {}
    for term in sorted(map(tuple, chaos.indices.tolist()), key=sum):  # with a term come all terms of lower degrees
        for lower in product(*(range(degree + 1) for degree in term)):
            row_of.setdefault(lower, len(row_of))
    c = np.zeros((len(row_of), chaos.c.shape[1]))
    c[[row_of[tuple(term)] for term in chaos.indices.tolist()]] = chaos.c
    return SparseExpansion(np.array(list(row_of)), c).mapped(lambda axis, degree: to_chebyshev(degree))


def to_legendre(degree: int) -> np.ndarray:
    """Matrix A of ``T_k = Σ_j A[j, k] ψ_j``, ψ orthonormal Legendre polynomials, (degree + 1, degree + 1); exactly, by Gauss' rule."""
    x, w = np.polynomial.legendre.leggauss(degree + 1)
    return np.triu((orthonormal(x, degree) * (w / 2)[:, None]).T @ chebyshev.polynomials(x, degree))


def to_chebyshev(degree: int) -> np.ndarray:
    """Matrix B of ``ψ_k = Σ_j B[j, k] T_j``, (degree + 1, degree + 1)."""
    return np.triu(chebyshev.coefficients(orthonormal(chebyshev.nodes(degree), degree), (degree,))) if degree else np.ones((1, 1))


def orthonormal(x: np.ndarray, degree: int) -> np.ndarray:
    """ψ_0 ... ψ_degree at `x` (n,): (n, degree + 1)."""
    return np.polynomial.legendre.legvander(x, degree) * np.sqrt(2 * np.arange(degree + 1) + 1)
