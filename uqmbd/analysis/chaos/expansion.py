"""Polynomial chaos expansions of many columns (outputs and times), and what follows from their coefficients.

``f(u) = Σ_k c[k] Π_i ψ_{k_i}(u_i)`` with products of orthonormal polynomials of independent inputs, so that mean, variance and Sobol'
indices are sums of squares of coefficients (Sudret, Reliab. Eng. Syst. Saf. 93 (2008) 964).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import ClassVar

import numpy as np

from uqmbd.analysis.base import magnitude
from uqmbd.analysis.base.fitted import Coordinate, Fitted
from uqmbd.analysis.chaos.families import Family

SAMPLE = 2**14  # points with which quantiles and, for many terms, skewness are taken
EXACT_SKEWNESS = 150  # terms up to which skewness is exact
_ROUNDING = 1e-12  # of skewness
_CONSTANT = 1e-14  # of the mean: a standard deviation below it is the rounding of a constant
_MEMORY = 4_000_000  # numbers of one array held at a time


def basis(families: Sequence[Family], indices: np.ndarray, u: np.ndarray) -> np.ndarray:
    """All terms at the points `u` (n, d) of the unit cube: shape (n, terms)."""
    out = np.ones((len(indices), len(u)))
    for i, family in enumerate(families):
        k = indices[:, i]
        at = np.flatnonzero(k)  # most terms have few inputs
        if at.size:
            out[at] *= family.at(u[:, i], int(k.max())).T[k[at]]
    return out.T


@dataclass(frozen=True, eq=False)
class Expansion(Fitted):
    """An expansion of all columns."""

    coordinate: ClassVar[Coordinate] = Coordinate.CUBE

    indices: np.ndarray  # int (terms, d): multi-indices; the constant is one of them
    families: Sequence[Family]
    c: np.ndarray  # (terms, columns): coefficients; unit of the column

    inputs = property(lambda self: self.indices.shape[1])
    count = property(lambda self: self.c.shape[1])

    def evaluate(self, u: np.ndarray) -> np.ndarray:
        """Values of all columns at points `u` (n, d) of the unit cube: shape (n, columns)."""
        out = np.empty((len(u), self.c.shape[1]))
        rows = max(1, _MEMORY // len(self.indices))
        for i in range(0, len(u), rows):
            np.matmul(basis(self.families, self.indices, u[i : i + rows]), self.c, out=out[i : i + rows])
        return out

    def select(self, columns: slice | np.ndarray) -> Expansion:
        """The expansion of some columns, without the terms that they do not have."""
        c = self.c[:, columns]
        used = np.any(c != 0, axis=1) | ~self.indices.any(axis=1)
        return Expansion(self.indices[used], self.families, c[used])

    def terms(self) -> tuple[np.ndarray, np.ndarray]:
        """Multi-indices (terms, d) and coefficients (terms, columns)."""
        return self.indices, self.c

    @cached_property
    def _constant(self) -> np.ndarray:
        return (self.indices == 0).all(axis=1)

    @cached_property
    def _size(self) -> np.ndarray:
        """Of each column, (columns,): squares of the coefficients are taken in it."""
        return magnitude.sizes(self.c)

    @cached_property
    def _power(self) -> np.ndarray:
        """Variance of each term in squares of the columns' sizes, (terms, columns); none of the constant."""
        return np.where(self._constant[:, None], 0.0, (self.c / self._size) ** 2)

    def mean(self) -> np.ndarray:
        """(columns,)"""
        return self.c[self._constant].sum(axis=0)

    def deviation(self) -> np.ndarray:
        """(columns,): standard deviation"""
        return np.sqrt(self._power.sum(axis=0)) * self._size

    def weights(self) -> np.ndarray:
        """Variances of the columns in proportion to each other, (columns,)."""
        return self._power.sum(axis=0) * magnitude.in_one_unit(self._size)

    def standardised(self) -> np.ndarray:
        """Coefficients over the standard deviation, (terms, columns), whose squares add up to 1; 0 of the constant and without variance."""
        std = self.deviation()
        some = std > _CONSTANT * np.abs(self.mean())
        c = np.where(self._constant[:, None], 0.0, self.c)
        return np.divide(c, std, out=np.zeros_like(c), where=some)

    def moments(self, sample: np.ndarray) -> np.ndarray:
        """Mean and standard deviation exactly, and `skewness`."""
        return np.stack([self.mean(), self.deviation(), self.skewness(sample)])

    def skewness(self, sample: np.ndarray | None = None) -> np.ndarray:
        """``E (f - E f)³ / σ³`` of each column, (columns,); 0 where there is no variance.

        Exact, from the expected values of products of three terms, for up to `EXACT_SKEWNESS` terms; with more it is the mean over
        the points `sample` (n, d) of the unit cube.
        """
        std = np.sqrt(self._power.sum(axis=0))
        if len(self.indices) <= EXACT_SKEWNESS:
            third = self._third_moment()
        else:
            if sample is None:
                raise ValueError(f"the skewness of more than {EXACT_SKEWNESS} terms is taken from a sample")
            scaled = Expansion(self.indices, self.families, self.c / self._size)
            third = np.concatenate([((f - f.mean(axis=1, keepdims=True)) ** 3).mean(axis=1) for f in scaled._sampled(sample)])
        ratio = np.divide(third, std**3, out=np.zeros_like(std), where=std > _CONSTANT * np.abs(self.mean() / self._size))
        return np.where(np.abs(ratio) > _ROUNDING, ratio, 0.0)

    def _third_moment(self) -> np.ndarray:
        """``Σ c_i c_j c_k E ψ_i ψ_j ψ_k`` without the constant, in cubes of the columns' sizes, (columns,)."""
        indices, c = self.indices[~self._constant], self.c[~self._constant] / self._size
        tables = []
        for family, highest in zip(self.families, indices.max(axis=0, initial=0), strict=True):
            x, w = family.gauss((3 * int(highest)) // 2 + 1)
            psi = family.polynomials(x, int(highest))
            tables.append(np.einsum("n,ni,nj,nk->ijk", w, psi, psi, psi, optimize=True))
        third = np.zeros(c.shape[1])
        for i in range(len(indices)):
            j, k = np.triu_indices(len(indices) - i)
            j, k = j + i, k + i
            possible = np.all(indices[j] + indices[k] >= indices[i], axis=1)  # otherwise the product of two is too low in degree
            possible &= np.all(np.abs(indices[j] - indices[k]) <= indices[i], axis=1)
            j, k = j[possible], k[possible]
            expected = np.ones(len(j))
            for axis, table in enumerate(tables):
                expected *= table[indices[i, axis], indices[j, axis], indices[k, axis]]
            orders = np.where((j == i) & (k == i), 1.0, np.where((j == i) | (j == k), 3.0, 6.0))
            step = max(1, _MEMORY // c.shape[1])
            for start in range(0, len(j), step):
                at = slice(start, start + step)
                third += c[i] * np.einsum("p,pc,pc->c", (orders * expected)[at], c[j[at]], c[k[at]])
        return third

    def shares(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """First order, total (d, columns) and pairs, in the order of `itertools.combinations`, exactly; 0 where there is no variance."""
        on = self.indices > 0
        count = on.sum(axis=1)
        pairs = [on[:, a] & on[:, b] & (count == 2) for a, b in combinations(range(on.shape[1]), 2)]
        second = np.array(pairs, bool).reshape(len(pairs), len(on)).T
        return self._shares(on & (count == 1)[:, None]), self._shares(on), self._shares(second)

    def _shares(self, members: np.ndarray) -> np.ndarray:
        """Share of the variance in the terms of each group; `members` (terms, groups)."""
        variance = self._power.sum(axis=0)
        some = variance > (_CONSTANT * np.abs(self.mean() / self._size)) ** 2
        parts = members.T.astype(float) @ self._power
        return np.divide(parts, variance, out=np.zeros_like(parts), where=some)

    def _sampled(self, u: np.ndarray) -> Iterator[np.ndarray]:
        """Values at the points `u` (n, d), a part of the columns at a time: (part, n)."""
        part = max(1, _MEMORY // len(u))
        rows = max(1, _MEMORY // len(self.indices))
        for start in range(0, self.c.shape[1], part):
            c = self.c[:, start : start + part]
            values = np.empty((c.shape[1], len(u)))
            for i in range(0, len(u), rows):
                np.matmul(c.T, basis(self.families, self.indices, u[i : i + rows]).T, out=values[:, i : i + rows])
            yield values

    def quantiles(self, levels: Sequence[float], u: np.ndarray) -> np.ndarray:
        """Quantiles of the values at points `u` (n, d) that are uniform in the unit cube: shape (levels, columns)."""
        # of Sobol' points the i-th value stands for the probability (i + ½)/n: Hazen's rule
        parts = [np.quantile(values, levels, axis=1, overwrite_input=True, method="hazen") for values in self._sampled(u)]
        return np.concatenate(parts, axis=1)

    def conditional(self, which: Sequence[int], u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance over the other inputs where the inputs `which` are fixed at `u` (n, len(which)): 2 x (n, columns).

        ``f = Σ_r g_r(u_which) ψ_r(other)`` with one function g_r for each multi-index r of the others: the mean is g_0, the
        variance ``Σ g_r²`` over the rest.
        """
        which = list(which)
        others = [i for i in range(self.indices.shape[1]) if i not in which]
        rests, group = np.unique(self.indices[:, others], axis=0, return_inverse=True)
        group = np.ravel(group)
        kept = basis([self.families[i] for i in which], self.indices[:, which], u)
        mean, variance = np.zeros((len(u), self.c.shape[1])), np.zeros((len(u), self.c.shape[1]))
        for r, rest in enumerate(rests):
            terms = group == r
            part = kept[:, terms] @ self.c[terms]
            if rest.any():
                variance += part**2
            else:
                mean += part
        return mean, variance


def cube_sample(d: int, rng: np.random.Generator | int, points: int = SAMPLE) -> np.ndarray:
    """Scrambled Sobol' points of the open unit cube, (points, d), a power of two of them, with which expansions are sampled."""
    from scipy.stats import qmc

    return qmc.Sobol(d, scramble=True, bits=30, rng=rng).random_base2(max(points - 1, 1).bit_length()) + 2.0**-31
