"""Sobol' indices of a surrogate, every place in the box equally likely."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from uqmbd.analysis.chaos_expansion import Expansion as Chaos
from uqmbd.analysis.chebyshev_expansions import Expansion, SparseExpansion, TensorExpansion, mapped
from uqmbd.analysis.families import legendre
from uqmbd.analysis.set_bounds import terms_of
from uqmbd.questions.base import Answer
from uqmbd.surrogates.base import Runs

POINTS = 2**13  # of a surrogate in pieces, in each block
NOTE = "Sobol' indices take every place between the ends of an input as equally likely, which is more than an interval says"


def indices(runs: Runs) -> Answer:
    """First and total order, and pairs; variance-based, of the surrogate (Sobol' 1993; Jansen 1999)."""
    d, columns = len(runs.inputs), runs.columns
    if isinstance(runs.expansion, (TensorExpansion, SparseExpansion)):
        chaos = legendre_of(runs.expansion)
        first, total, second = chaos.first(), chaos.total(), chaos.second()
        pairs = ["*".join(pair) for pair in combinations(runs.inputs, 2)]
        groups = {"interaction": columns.dataset(second, {"pair": pairs}, unit="")} if d > 1 else {}
    else:
        first, total = sampled(runs.expansion, d)
        groups = {}
    notes = [NOTE]
    if not runs.trusted.all():
        notes.append("where the result is not trusted, the Sobol' indices are those of an expansion that does not hold")
    return Answer({"first": first, "total": total}, groups, notes)


def legendre_of(expansion: TensorExpansion | SparseExpansion) -> Chaos:
    """The same polynomials in orthonormal Legendre polynomials, whose coefficients are parts of the variance."""
    exponents, c = terms_of(mapped(expansion, lambda axis, degree: to_legendre(degree)))
    return Chaos(exponents, [legendre()] * exponents.shape[1], c)


def to_legendre(degree: int) -> np.ndarray:
    """Matrix A of ``T_k = Σ_j A[j, k] ψ_j``, orthonormal Legendre polynomials ψ, (degree + 1, degree + 1); by Gauss' rule, exactly."""
    x, w = np.polynomial.legendre.leggauss(degree + 1)
    psi = np.polynomial.legendre.legvander(x, degree) * np.sqrt(2 * np.arange(degree + 1) + 1)
    return np.triu((psi * (w / 2)[:, None]).T @ np.polynomial.chebyshev.chebvander(x, degree))


def sampled(expansion: Expansion, d: int) -> tuple[np.ndarray, np.ndarray]:
    """First and total order of any surrogate from Sobol' points: 2 x (d, columns)."""
    from scipy.stats import qmc

    u = qmc.Sobol(2 * d, scramble=True, seed=0).random(POINTS)
    a, b = 2 * u[:, :d] - 1, 2 * u[:, d:] - 1
    fa, fb = expansion.evaluate(a), expansion.evaluate(b)
    variance = np.concatenate([fa, fb]).var(axis=0)
    first, total = np.zeros((d, fa.shape[1])), np.zeros((d, fa.shape[1]))
    for axis in range(d):
        mixed = a.copy()
        mixed[:, axis] = b[:, axis]
        f = expansion.evaluate(mixed)
        first[axis] = variance - ((fb - f) ** 2).mean(axis=0) / 2
        total[axis] = ((fa - f) ** 2).mean(axis=0) / 2
    some = variance > 0
    return tuple(np.clip(np.divide(part, variance, out=np.zeros_like(part), where=some), 0.0, 1.0) for part in (first, total))
