"""Sobol' indices of a surrogate, every place in the box equally likely."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from uqmbd.analysis.base import magnitude
from uqmbd.analysis.base.columnwise import by_blocks
from uqmbd.analysis.chebyshev.expansions import Expansion, SparseExpansion, TensorExpansion, part_of
from uqmbd.analysis.sets.basis_change import legendre_of
from uqmbd.questions.base import Answer, Asked

ROWS = 128  # numbers a column that are worked on at once
POINTS = 2**13  # of a surrogate in pieces, in each block
NOTE = "Sobol' indices take every place between the ends of an input as equally likely, which is more than an interval says"


def indices(asked: Asked) -> Answer:
    """First and total order, and pairs; variance-based, of the surrogate (Sobol' 1993; Jansen 1999)."""
    d, columns = len(asked.inputs), asked.columns
    if isinstance(asked.expansion, (TensorExpansion, SparseExpansion)):
        first, total, second = by_blocks(lambda at: exact(part_of(asked.expansion, at, columns.count)), columns.count, ROWS)
        pairs = ["*".join(pair) for pair in combinations(asked.inputs, 2)]
        groups = {"interaction": columns.dataset(second, {"pair": pairs}, unit="")} if d > 1 else {}
    else:
        first, total = sampled(asked.expansion, d)
        groups = {}
    notes = [NOTE]
    if not asked.trusted.all():
        doubted = columns.in_words(~asked.trusted)
        notes.append(f"where the expansion is not trusted (of {doubted}), the Sobol' indices are those of an expansion that does not hold")
    return Answer({"first": first, "total": total}, groups, notes)


def exact(expansion: TensorExpansion | SparseExpansion) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """First order, total and pairs of a polynomial, from its coefficients: (d, columns) twice, and (pairs, columns)."""
    chaos = legendre_of(expansion)
    return chaos.first(), chaos.total(), chaos.second()


def sampled(expansion: Expansion, d: int) -> tuple[np.ndarray, np.ndarray]:
    """First and total order of any surrogate from Sobol' points: 2 x (d, columns)."""
    from scipy.stats import qmc

    u = qmc.Sobol(2 * d, scramble=True, seed=0).random(POINTS)
    a, b = 2 * u[:, :d] - 1, 2 * u[:, d:] - 1
    fa, fb = expansion.evaluate(a), expansion.evaluate(b)
    size = magnitude.sizes(fa)
    fa, fb = fa / size, fb / size
    variance = np.concatenate([fa, fb]).var(axis=0)
    first, total = np.zeros((d, fa.shape[1])), np.zeros((d, fa.shape[1]))
    for axis in range(d):
        mixed = a.copy()
        mixed[:, axis] = b[:, axis]
        f = expansion.evaluate(mixed) / size
        first[axis] = variance - ((fb - f) ** 2).mean(axis=0) / 2
        total[axis] = ((fa - f) ** 2).mean(axis=0) / 2
    some = variance > 0
    return tuple(np.clip(np.divide(part, variance, out=np.zeros_like(part), where=some), 0.0, 1.0) for part in (first, total))
