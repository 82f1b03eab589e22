"""Sobol' indices of a surrogate, every place in the box equally likely."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from uqmbd.analysis.base.columnwise import by_blocks
from uqmbd.analysis.base.fitted import Fitted
from uqmbd.analysis.chebyshev.expansions import is_polynomial
from uqmbd.analysis.sets.basis_change import legendre_of
from uqmbd.questions.base import Answer, SurrogateContext

ROWS = 128  # numbers a column that are worked on at once
NOTE = "Sobol' indices take every place between the ends of an input as equally likely, which is more than an interval says"


def indices(context: SurrogateContext) -> Answer:
    """First and total order, and pairs; variance-based, of the surrogate (Sobol' 1993; Jansen 1999)."""
    d, columns = len(context.inputs), context.columns
    first, total, second = shares_of(context.expansion)
    pairs = ["*".join(pair) for pair in combinations(context.inputs, 2)]
    groups = {} if second is None or d < 2 else {"interaction": columns.dataset(second, {"pair": pairs}, unit="")}
    notes = [NOTE]
    if not context.trusted.all():
        doubted = columns.in_words(~context.trusted)
        notes.append(f"where the expansion is not trusted (of {doubted}), the Sobol' indices are those of an expansion that does not hold")
    return Answer({"first": first, "total": total}, groups, notes)


def shares_of(surrogate: Fitted) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """`Fitted.shares`; of a polynomial in Chebyshev's exactly, from its coefficients in Legendre's."""
    if not is_polynomial(surrogate):
        return surrogate.shares()
    return by_blocks(lambda at: legendre_of(surrogate.part(at)).shares(), surrogate.count, ROWS)
