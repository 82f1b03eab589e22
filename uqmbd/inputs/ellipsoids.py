"""Ellipsoids ``(x - c)ᵀ C⁻¹ (x - c) <= 1`` from data."""

from __future__ import annotations

import numpy as np


def minimum_volume(points: np.ndarray, *, tolerance: float = 1e-9, steps: int = 200_000) -> tuple[np.ndarray, np.ndarray]:
    """Centre (d,) and matrix C (d, d) of the ellipsoid of least volume around `points` (n, d), n > d.

    Khachiyan's algorithm with Todd and Yıldırım's away steps (Discrete Appl. Math. 155 (2007) 1731); the result
    is enlarged by what the tolerance leaves, so that every point is inside.

    Raises
    ------
    numpy.linalg.LinAlgError
        When the points lie in a plane of lower dimension.
    """
    n, d = points.shape
    shift, spread = points.mean(axis=0), points.std(axis=0)
    if np.any(spread == 0) or np.linalg.matrix_rank((points - shift) / spread, tol=1e-9 * np.sqrt(n)) < d:
        raise np.linalg.LinAlgError("the points lie in a plane")
    unit = (points - shift) / spread
    lifted = np.column_stack([unit, np.ones(n)])
    weights = np.full(n, 1 / n)
    for _ in range(steps):
        inverse = np.linalg.inv(lifted.T @ (weights[:, None] * lifted))
        distance = np.einsum("ij,jk,ik->i", lifted, inverse, lifted)
        far, near = int(distance.argmax()), int(np.where(weights > 0, distance, np.inf).argmin())
        above, below = distance[far] / (d + 1) - 1, 1 - distance[near] / (d + 1)
        if max(above, below) <= tolerance:
            break
        at = far if above >= below else near
        step = (distance[at] - d - 1) / ((d + 1) * (distance[at] - 1))
        if at == near:
            step = max(step, -weights[near] / (1 - weights[near]))
        weights *= 1 - step
        weights[at] = max(weights[at] + step, 0.0)
    centre = weights @ unit
    shape = d * ((unit - centre).T @ (weights[:, None] * (unit - centre)))
    off = unit - centre
    shape *= np.einsum("ij,ji->i", off, np.linalg.solve(shape, off.T)).max()
    return shift + spread * centre, shape * np.outer(spread, spread)
