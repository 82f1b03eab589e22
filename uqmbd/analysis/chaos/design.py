"""Points of the unit cube that suit a given expansion: Gauss points, and those that determine its coefficients best."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import product

import numpy as np

from uqmbd.analysis.base.design import unit_points
from uqmbd.analysis.base.threads import one_thread
from uqmbd.analysis.chaos.expansion import basis
from uqmbd.analysis.chaos.families import Family
from uqmbd.errors import StudyError

CANDIDATES = 10  # for each point that is wanted
_MOST = 20_000_000  # numbers in the matrix of candidates


def tensor_gauss(families: Sequence[Family], degrees: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Tensor grid of Gauss points, ``degree + 1`` in each input: points u (n, d) and weights (n,).

    Raises
    ------
    StudyError
        An input takes only some values (whole numbers, data with ties), which Gauss points are not.
    """
    for family, k in zip(families, degrees, strict=True):
        if family.finite or not np.allclose(family.germ(family.nodes(k + 1)), family.gauss(k + 1)[0], atol=1e-6):
            raise StudyError(
                "a quadrature needs runs at Gauss points, and an input does not take these values (whole numbers, or data with gaps)",
                key="method.design",
                value="quadrature",
                remedy="choose another design, such as lhs",
            )
    u = np.array(list(product(*(family.nodes(k + 1) for family, k in zip(families, degrees, strict=True)))))
    weights = [family.gauss(k + 1)[1] for family, k in zip(families, degrees, strict=True)]
    return u, reduce(np.multiply.outer, weights).ravel()


@one_thread
def d_optimal(families: Sequence[Family], indices: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
    """`n` random points u (n, d) whose rows of the basis span the largest volume, greedily: QR with column pivoting.

    As approximate Fekete points (Sommariva and Vianello, Comput. Math. Appl. 57 (2009) 1324); each further round picks among the
    points that are left.
    """
    from scipy.linalg import qr

    count = max(min(CANDIDATES * n, _MOST // len(indices)), 2 * n)
    u = unit_points("random", count, len(families), rng)
    psi = basis(families, indices, u)
    left, chosen = np.arange(count), np.empty(0, int)
    while len(chosen) < n:
        pivots = qr(psi[left].T, mode="r", pivoting=True)[-1][: min(len(indices), n - len(chosen))]
        chosen = np.concatenate([chosen, left[pivots]])
        left = np.delete(left, pivots)
    return u[chosen]
