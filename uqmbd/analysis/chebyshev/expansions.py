"""Expansions that can be evaluated, bounded and differentiated, whatever the way in which their coefficients are kept.

All are in products of Chebyshev polynomials on [-1, 1]^d, for many columns at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Self, TypeGuard

import numpy as np

from uqmbd.analysis.base.columnwise import by_blocks
from uqmbd.analysis.base.fitted import Fitted
from uqmbd.analysis.chebyshev import chebyshev, sparse_chebyshev
from uqmbd.analysis.chebyshev.bernstein import bernstein_range
from uqmbd.analysis.chebyshev.enclosures import ENCLOSURES, SPARSE_ENCLOSURES, large_terms
from uqmbd.analysis.chebyshev.sparse_range import alike, sparse_range

_MEMORY = 8_000_000  # numbers of a basis held at a time
LINE = 129  # points at which the effect of an input is evaluated


class Expansion(Fitted):
    """One polynomial in products of Chebyshev's, with coefficients `c` (..., columns)."""

    polynomial: ClassVar[bool] = True
    verified: ClassVar[bool] = True

    c: np.ndarray  # coefficients (..., columns)

    def gradient(self, points: np.ndarray) -> np.ndarray:
        return np.stack([self.derivative(axis).evaluate(points) for axis in range(self.inputs)], axis=1)

    def derivative(self, axis: int) -> Expansion:
        """Derivative in one input, per unit of [-1, 1]."""
        raise NotImplementedError

    def terms(self) -> tuple[np.ndarray, np.ndarray]:
        """Exponents (terms, d) and coefficients (terms, columns)."""
        raise NotImplementedError

    def mapped(self, matrix: Callable[[int, int], np.ndarray]) -> Self:
        """The same in other bases: ``matrix(axis, degree)[j, k]`` is the part of the j-th new polynomial in the k-th old one, j <= k."""
        raise NotImplementedError

    def restricted(self, box: np.ndarray) -> Self:
        return self.mapped(lambda axis, degree: chebyshev.restriction(degree, *box[axis]))

    def bernstein(self, gap: np.ndarray, seen: Sequence[np.ndarray], max_boxes: int) -> np.ndarray:
        """Verified range over the cube by so many halvings at most, (2, columns)."""
        raise NotImplementedError

    def sizes(self, axis: int) -> np.ndarray:
        """Sums of the absolute coefficients by degree in one input: (degree + 1, columns)."""
        raise NotImplementedError


def is_polynomial(surrogate: Fitted) -> TypeGuard[Expansion]:
    """Whether a surrogate is one polynomial."""
    return surrogate.polynomial


def main_effect_widths(surrogate: Fitted) -> np.ndarray:
    """`Fitted.main_effect_widths`, (d, columns), a few columns at a time."""
    return by_blocks(lambda at: surrogate.part(at).main_effect_widths(), surrogate.count, LINE)


@dataclass(frozen=True)
class TensorExpansion(Expansion):
    """All terms up to a degree in each input; see `uqmbd.analysis.chebyshev.chebyshev`."""

    c: np.ndarray  # (n1+1, ..., nd+1, columns)

    inputs = property(lambda self: self.c.ndim - 1)
    count = property(lambda self: self.c.shape[-1])

    def evaluate(self, points: np.ndarray) -> np.ndarray:
        size = max(1, self.c.size // self.c.shape[-1])
        return chebyshev.evaluate(self.c, points, chunk=max(1, min(4096, _MEMORY // size)))

    def select(self, columns: np.ndarray | slice) -> TensorExpansion:
        return TensorExpansion(self.c[..., columns])

    def range(self, how: str, gap: np.ndarray, seen: Sequence[np.ndarray] | None = None) -> tuple[np.ndarray, np.ndarray]:
        return ENCLOSURES[how](self.c, gap, seen)

    def alike(self, how: str, gap: np.ndarray) -> list[np.ndarray]:
        if how != "bernstein":
            return list(np.arange(self.c.shape[-1])[:, None])
        exponents, c = self.terms()
        return alike(exponents, c, gap, large_terms(c, gap))

    def terms(self) -> tuple[np.ndarray, np.ndarray]:
        return np.indices(self.c.shape[:-1]).reshape(self.inputs, -1).T, self.c.reshape(-1, self.count)

    def mapped(self, matrix: Callable[[int, int], np.ndarray]) -> TensorExpansion:
        c = self.c
        for axis in range(self.inputs):
            c = np.moveaxis(np.tensordot(matrix(axis, c.shape[axis] - 1), c, axes=(1, axis)), 0, axis)
        return TensorExpansion(c)

    def bernstein(self, gap: np.ndarray, seen: Sequence[np.ndarray], max_boxes: int) -> np.ndarray:
        return bernstein_range(self.c, gap, seen=seen, max_boxes=max_boxes)[0]

    def derivative(self, axis: int) -> TensorExpansion:
        return TensorExpansion(np.polynomial.chebyshev.chebder(self.c, axis=axis))

    def main_effect_widths(self) -> np.ndarray:
        x, widths = np.cos(np.linspace(np.pi, 0, LINE)), []
        for kept in range(self.inputs):
            effect = self.c
            for axis in reversed(range(self.inputs)):
                if axis != kept:
                    effect = np.tensordot(chebyshev.mean_weights(self.c.shape[axis] - 1), effect, axes=(0, axis))
            widths.append(np.ptp(chebyshev.polynomials(x, len(effect) - 1) @ effect, axis=0))
        return np.array(widths)

    def sizes(self, axis: int) -> np.ndarray:
        return np.abs(np.moveaxis(self.c, axis, 0)).reshape(self.c.shape[axis], -1, self.c.shape[-1]).sum(axis=1)


@dataclass(frozen=True)
class SparseExpansion(Expansion):
    """Some terms only: ``p(x) = Σ_t c[t] Π_i T_k(x_i)``, ``k = exponents[t, i]``."""

    exponents: np.ndarray  # int (terms, d): downward closed: with a term come all terms of lower degrees
    c: np.ndarray  # (terms, columns)

    inputs = property(lambda self: self.exponents.shape[1])
    count = property(lambda self: self.c.shape[1])

    def evaluate(self, points: np.ndarray) -> np.ndarray:
        return sparse_chebyshev.evaluate(self.exponents, self.c, points)

    def select(self, columns: np.ndarray | slice) -> SparseExpansion:
        return SparseExpansion(self.exponents, self.c[:, columns])

    def range(self, how: str, gap: np.ndarray, seen: Sequence[np.ndarray] | None = None) -> tuple[np.ndarray, np.ndarray]:
        return SPARSE_ENCLOSURES[how](self.exponents, self.c, gap, seen)

    def alike(self, how: str, gap: np.ndarray) -> list[np.ndarray]:
        return alike(self.exponents, self.c, gap) if how == "bernstein" else list(np.arange(self.c.shape[1])[:, None])

    def terms(self) -> tuple[np.ndarray, np.ndarray]:
        return self.exponents, self.c

    def mapped(self, matrix: Callable[[int, int], np.ndarray]) -> SparseExpansion:
        c = self.c
        for axis, degrees in enumerate(self.exponents.T):
            part, new = matrix(axis, int(degrees.max(initial=0))), np.zeros_like(c)
            for j in range(len(part)):
                terms = np.flatnonzero(degrees >= j)
                np.add.at(new, self.lowered[axis][terms, j], part[j, degrees[terms]][:, None] * c[terms])
            c = new
        return SparseExpansion(self.exponents, c)

    def bernstein(self, gap: np.ndarray, seen: Sequence[np.ndarray], max_boxes: int) -> np.ndarray:
        return sparse_range(self.exponents, self.c, gap, seen=seen, max_boxes=max_boxes)[0]

    def derivative(self, axis: int) -> SparseExpansion:
        lower, out = self.lowered[axis], np.zeros_like(self.c)
        for degree in range(1, int(self.exponents[:, axis].max(initial=0)) + 1):  # T_k' = 2k (T_(k-1) + T_(k-3) + ...), T_0 halved
            terms = np.flatnonzero(self.exponents[:, axis] == degree)
            for j in range(degree - 1, -1, -2):
                out[lower[terms, j]] += (2 if j else 1) * degree * self.c[terms]
        return SparseExpansion(self.exponents, out)

    @cached_property
    def lowered(self) -> np.ndarray:
        """See `uqmbd.analysis.chebyshev.sparse_chebyshev.lowered`."""
        return sparse_chebyshev.lowered(self.exponents)

    def main_effect_widths(self) -> np.ndarray:
        means = chebyshev.mean_weights(int(self.exponents.max(initial=0)))[self.exponents]
        x, widths = np.cos(np.linspace(np.pi, 0, LINE)), []
        for axis, degrees in enumerate(self.exponents.T):
            weight = np.prod(np.delete(means, axis, axis=1), axis=1)
            effect = np.zeros((int(degrees.max(initial=0)) + 1, self.c.shape[1]))
            np.add.at(effect, degrees, weight[:, None] * self.c)
            widths.append(np.ptp(chebyshev.polynomials(x, len(effect) - 1) @ effect, axis=0))
        return np.array(widths)

    def sizes(self, axis: int) -> np.ndarray:
        sums = np.zeros((int(self.exponents[:, axis].max(initial=0)) + 1, self.c.shape[1]))
        np.add.at(sums, self.exponents[:, axis], np.abs(self.c))
        return sums
