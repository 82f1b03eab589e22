"""A surface between points of two sorts: the one with the widest margin, by linear programming."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Surface:
    """``g(x) = 0`` with g of first or second degree in the inputs; one sort of points lies where g > 0."""

    degree: int  # 1 or 2
    weights: np.ndarray  # (terms,): of the terms of `terms`, the constant last
    wrong: float  # share of all points that are on the wrong side

    def __call__(self, points: np.ndarray) -> np.ndarray:
        """g at points (n, d), (n,)."""
        return terms(points, self.degree) @ self.weights


def terms(points: np.ndarray, degree: int) -> np.ndarray:
    """The inputs, their products where the degree is 2, and 1: (n, terms)."""
    columns = [points]
    if degree == 2:
        i, j = np.triu_indices(points.shape[1])
        columns.append(points[:, i] * points[:, j])
    return np.concatenate([*columns, np.ones((len(points), 1))], axis=1)


def surface_between(pairs: np.ndarray, points: np.ndarray, first: np.ndarray) -> Surface | None:
    """The surface between two sorts of points, of second degree where a plane leaves some on the wrong side; None if there are too few.

    Parameters
    ----------
    pairs : ndarray, shape (pairs, 2, d)
        Neighbours of both sorts, those of the first sort first, in [-1, 1]^d: what the surface passes between.
    points : ndarray, shape (n, d)
        All that are to be told apart.
    first : ndarray of bool, shape (n,)
        Which of them are of the first sort, where g > 0.
    """
    best = None
    for degree in (1, 2):
        count = terms(pairs[:1, 0], degree).shape[1] if len(pairs) else 0
        if not count or len(pairs) < 2 * count or (best is not None and best.wrong == 0):
            break
        weights = _widest(pairs, degree)
        if weights is None:
            continue
        wrong = float(np.mean((terms(points, degree) @ weights > 0) != first))
        if best is None or wrong < best.wrong:
            best = Surface(degree, weights, wrong)
    return best


def _widest(pairs: np.ndarray, degree: int) -> np.ndarray | None:
    """Weights with the greatest least margin over both points of all pairs, where g grows by 1 per length from the second to the first."""
    from scipy.optimize import linprog

    one, other = (terms(pairs[:, k], degree) for k in (0, 1))
    length = np.linalg.norm(pairs[:, 0] - pairs[:, 1], axis=1)
    count = one.shape[1]
    rows = np.concatenate([-one, other])
    # a negative margin says that the sorts cannot be told apart, and the worst error is least
    limits = np.column_stack([rows, np.ones(len(rows))])  # margin <= g of the first, and <= -g of the second
    growth = np.append(((one - other) / length[:, None]).mean(axis=0), 0.0)[None]
    solution = linprog(np.append(np.zeros(count), -1.0), limits, np.zeros(len(rows)), growth, [1.0], bounds=(None, None), method="highs")
    return solution.x[:-1] if solution.success else None
