"""Points of the unit cube that suit a given expansion: Gauss points, and those that determine its coefficients best."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, reduce
from itertools import product
from typing import Any

import numpy as np

from uqmbd.analysis.base.design import unit_points
from uqmbd.analysis.base.threads import one_thread
from uqmbd.analysis.chaos.expansion import basis
from uqmbd.analysis.chaos.families import Family
from uqmbd.errors import StudyError

CANDIDATES = 10  # for each point that is wanted
ORTHONORMAL = 1e-9  # largest error of a product of two terms by a sparse grid that is one for them
EDGE = 2.0**-52  # u is kept so far away from 0 and 1
_MOST = 20_000_000  # numbers in the matrix of candidates


def gauss_points(families: Sequence[Family], degrees: Sequence[int], indices: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Points u (n, d) and weights (n,): of the sparse grid where that is for the terms `indices` and has fewer, else of the tensor grid.

    Raises `StudyError` where an input takes only some values (whole numbers, data with ties), which Gauss points are not.
    """
    require_values(families, degrees)
    sparse = None if indices is None else sparse_gauss(families, degrees, indices)
    return tensor_gauss(families, degrees) if sparse is None else sparse


def sparse_gauss(families: Sequence[Family], degrees: Sequence[int], indices: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Smolyak's grid of Gauss points by chaospy: points u (n, d) and weights (n,), some of them negative.

    None where it has no fewer points than the tensor grid, or does not give all products of two terms.
    """
    recurrences = tuple((tuple(family.alpha[: k + 1]), tuple(family.beta[: k + 1])) for family, k in zip(families, degrees, strict=True))
    x, weights = _smolyak(recurrences, tuple(map(int, degrees)))
    if len(weights) >= np.prod(np.array(degrees, float) + 1):
        return None
    psi = np.ones((len(weights), len(indices)))
    for i, (family, k) in enumerate(zip(families, degrees, strict=True)):
        psi *= family.polynomials(x[i], int(k))[:, indices[:, i]]
    if np.abs(psi.T @ (weights[:, None] * psi) - np.eye(len(indices))).max() > ORTHONORMAL:
        return None
    return np.column_stack([np.clip(family.probability(row), EDGE, 1 - EDGE) for family, row in zip(families, x, strict=True)]), weights


def grid_in_words(nodes: int, tensor: int) -> str:
    """Which grid is taken where a sparse one was wished for."""
    if nodes == tensor:
        return f"tensor grid of {tensor:,} Gauss points: a sparse one has no fewer, or is not exact for these degrees"
    return f"sparse grid of {nodes:,} Gauss points instead of {tensor:,} of the tensor grid"


@lru_cache(maxsize=8)
def _smolyak(recurrences: tuple[Any, ...], degrees: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Nodes (d, n) in the germs, and weights; the same for all that have the same recurrences."""
    import chaospy

    def variable(alpha: tuple[float, ...], beta: tuple[float, ...]) -> Any:
        # all that a Gauss rule asks of a distribution is its recurrence
        return chaospy.UserDistribution(
            cdf=lambda x: x, lower=lambda: -np.inf, upper=lambda: np.inf,
            ttr=lambda k: np.array([np.take(alpha, k.astype(int)), np.take(beta, k.astype(int))]),
        )  # fmt: skip

    joint = chaospy.J(*(variable(*recurrence) for recurrence in recurrences))
    return chaospy.generate_quadrature(degrees, joint, rule="gaussian", sparse=True)


def tensor_gauss(families: Sequence[Family], degrees: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Tensor grid of Gauss points, ``degree + 1`` in each input: points u (n, d) and weights (n,)."""
    u = np.array(list(product(*(family.nodes(k + 1) for family, k in zip(families, degrees, strict=True)))))
    weights = [family.gauss(k + 1)[1] for family, k in zip(families, degrees, strict=True)]
    return u, reduce(np.multiply.outer, weights).ravel()


def require_values(families: Sequence[Family], degrees: Sequence[int]) -> None:
    """Raise `StudyError` for an input that does not take the values of its Gauss points."""
    for family, k in zip(families, degrees, strict=True):
        if family.finite or not np.allclose(family.germ(family.nodes(k + 1)), family.gauss(k + 1)[0], atol=1e-6):
            raise StudyError(
                "a quadrature needs runs at Gauss points, and an input does not take these values (whole numbers, or data with gaps)",
                key="method.design",
                value="quadrature",
                remedy="choose another design, such as lhs",
            )


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
