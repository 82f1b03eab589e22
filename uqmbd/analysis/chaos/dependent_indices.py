"""Sensitivity indices of an expansion whose inputs depend on each other by a Gaussian copula; none of them knows an order of the inputs.

With ``v(S) = Var E[f | x_S] / Var f`` for a set S of the inputs themselves (not of the independent variables behind them):

- ``shapley``: what an input adds to v, the mean over all orders in which inputs may become known; these effects add up to 1 (Owen,
  SIAM/ASA J. Uncertain. Quantif. 2 (2014) 245; Song, Nelson, Staum, ibid. 4 (2016) 1060),
- ``first_full``: ``v({i})``, with all that the input says of others; ``total_independent``: ``1 - v(all but i)``, what the others do
  not say (Mara, Tarantola, Reliab. Eng. Syst. Saf. 107 (2012) 115; Kucherenko, Tarantola, Annoni, Comput. Phys. Commun. 183 (2012) 937).

The inputs that depend are increasing functions of ``x = L z``, z the independent normal variables of their Hermite polynomials. To know
x_S is to know the projection of z on the rows S of L, ``P = L_S' Γ_SS⁻¹ L_S``. So ``Var E[f | x_S]`` follows from ``E[h_α(z) h_β(z')]``
of normal variables z and z' with the covariance P, which a recurrence in the degree has exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import factorial

import numpy as np

from uqmbd.analysis.chaos.expansion import Expansion

MOST = 10  # inputs that depend on another, up to which all their sets are gone through for Shapley effects
KINDS = ("shapley", "first_full", "total_independent")


def indices(expansion: Expansion, dependent: Sequence[int], factor: np.ndarray) -> dict[str, np.ndarray]:
    """By kind, (d, columns) each; without Shapley effects where more than `MOST` inputs depend on another.

    The expansion is in Hermite polynomials of the inputs `dependent`; `factor` (k, k) is L, ``L L' = Γ``, in their order.
    """
    d, k = expansion.indices.shape[1], len(dependent)
    bound, others = np.array(dependent, int), np.array([i for i in range(d) if i not in dependent], int)
    terms = np.flatnonzero(expansion.indices.any(axis=1))
    parts = _Parts(expansion.indices[np.ix_(terms, bound)], expansion.indices[np.ix_(terms, others)], expansion.standardised()[terms])
    supports = parts.supports
    whole, each = (1 << k) - 1, [1 << i for i in range(k)]
    wanted = range(1 << k) if k <= MOST else sorted({0, whole, *each, *(whole - one for one in each)})
    by_kind = {kind: np.zeros((d, expansion.c.shape[1])) for kind in KINDS}
    size = supports.sum(axis=1)
    for known in wanted:
        inside = np.array([bool(known & one) for one in each])
        v = parts.explained(_projection(factor, inside))  # (supports, columns)
        s = int(inside.sum())
        if k <= MOST:
            for i, here in zip(dependent, inside, strict=True):
                by_kind["shapley"][i] += (1 if here else -1) * _before(s - here, k, size) @ v
            for j, of in zip(others, supports.T, strict=True):
                by_kind["shapley"][j] += _before(s - 1, k, size[of]) @ v[of]
        if s == 1:
            by_kind["first_full"][dependent[int(inside.argmax())]] = v[size == 0].sum(axis=0)
        if s == k - 1:
            by_kind["total_independent"][dependent[int(inside.argmin())]] -= v.sum(axis=0)
        if s == 0:
            for j, of in zip(others, supports.T, strict=True):
                by_kind["first_full"][j] = v[of & (size == 1)].sum(axis=0)
        if s == k:
            for i, of in zip([*dependent, *others], [np.ones(len(v), bool)] * k + list(supports.T), strict=True):
                by_kind["total_independent"][i] += v[of].sum(axis=0)
    return {kind: np.maximum(array, 0.0) for kind, array in by_kind.items() if kind != "shapley" or k <= MOST}


def _before(s: int, k: int, size: np.ndarray) -> np.ndarray:
    """Probability that of `k` and so many other inputs (supports,), in any order, just certain s + other inputs are before a given one."""
    return np.array([factorial(s + q) * factorial(k - 1 - s) / factorial(k + q) for q in size.tolist()])


def _projection(factor: np.ndarray, inside: np.ndarray) -> np.ndarray:
    """On the span of some rows of `factor`, (k, k)."""
    rows = factor[inside]
    return rows.T @ np.linalg.solve(rows @ rows.T, rows) if len(rows) else np.zeros_like(factor)


class _Parts:
    """The variance of an expansion by the inputs that depend on no other, and what a projection of the others explains of each part.

    Of multi-indices in the inputs that depend, `of_bound` (terms, k), and in the others, `of_free` (terms, d - k), with coefficients `c`
    (terms, columns) whose squares add up to 1. `supports` (supports, d - k), bool, are which of the others a part has.
    """

    def __init__(self, of_bound: np.ndarray, of_free: np.ndarray, c: np.ndarray) -> None:
        self._levels = _Levels(of_bound)
        rests, rest = np.unique(of_free, axis=0, return_inverse=True)
        self.supports, support = np.unique(rests > 0, axis=0, return_inverse=True)
        rest, support = np.ravel(rest), np.ravel(support)
        degrees = of_bound.sum(axis=1)
        self._groups = []  # terms of one degree that meet: which support, degree, places in the level, coefficients
        for r in range(len(rests)):
            for degree in np.unique(degrees[rest == r]).tolist():
                at = np.flatnonzero((rest == r) & (degrees == degree))
                places = [self._levels.place[tuple(term)] for term in of_bound[at].tolist()]
                self._groups.append((support[r], degree, np.array(places), c[at]))
        self._columns = c.shape[1]

    def explained(self, projection: np.ndarray) -> np.ndarray:
        """Variance (supports, columns) that the variables of a projection (k, k), with all other inputs, explain."""
        tables = self._levels.moments(projection)
        variance = np.zeros((len(self.supports), self._columns))
        for support, degree, at, c in self._groups:
            variance[support] += (c * (tables[degree][np.ix_(at, at)] @ c)).sum(axis=0)
        return variance


class _Levels:
    """Multi-indices by total degree, with all that are lower; `place` is where each is in its degree, for the recurrence of moments."""

    def __init__(self, indices: np.ndarray) -> None:
        known = {lower for term in np.unique(indices, axis=0).tolist() for lower in product(*(range(degree + 1) for degree in term))}
        levels: list[list[tuple[int, ...]]] = [[] for _ in range(1 + max(map(sum, known), default=0))]
        for term in sorted(known):
            levels[sum(term)].append(term)
        self.place = {term: at for level in levels for at, term in enumerate(level)}
        self._steps = []
        for level in levels[1:]:
            terms = np.array(level)
            first = (terms > 0).argmax(axis=1)
            rows = [self.place[tuple(term)] for term in (terms - np.eye(terms.shape[1], dtype=int)[first]).tolist()]
            columns = []
            for j in range(terms.shape[1]):
                there = np.flatnonzero(terms[:, j])
                lower = terms[there] - np.eye(terms.shape[1], dtype=int)[j]
                columns.append((there, [self.place[tuple(term)] for term in lower.tolist()], np.sqrt(terms[there, j])))
            self._steps.append((first, np.sqrt(terms[np.arange(len(terms)), first]), rows, columns))

    def moments(self, projection: np.ndarray) -> list[np.ndarray]:
        """``E[h_α(z) h_β(z')]`` by degree of α and β, cov(z, z') = `projection` (k, k), h orthonormal Hermite polynomials.

        ``√α_i M(α, β) = Σ_j P_ij √β_j M(α - e_i, β - e_j)``; of different degrees it is 0.
        """
        tables = [np.ones((1, 1))]
        for first, root, rows, columns in self._steps:
            table = np.zeros((len(first), len(first)))
            for j, (there, lower, weight) in enumerate(columns):
                table[:, there] += (projection[first, j] / root)[:, None] * weight * tables[-1][np.ix_(rows, lower)]
            tables.append(table)
        return tables
