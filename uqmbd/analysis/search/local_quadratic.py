"""Tops of polynomials of second degree through a few points, many at once."""

from __future__ import annotations

import numpy as np

RIDGE = 1e-9  # of the normal equations' diagonal
REACH = 2.0  # how far outside the points a top may lie, in their spread


def ascents(places: np.ndarray, values: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A point (groups, inputs) uphill of the best of each group: the top of the quadratic model where it has one, else its steepest way.

    Of points `places` (groups, points, inputs), the best of each group first, and `values` (groups, points), greater is better. `rng`
    shortens some of the ways, for models that promise too much.
    """
    groups, count, d = places.shape
    origin = places[:, 0]
    away = places - origin[:, None]
    spread = np.maximum(np.abs(away).max(axis=1), 1e-12)
    x = away / spread[:, None]
    i, j = np.triu_indices(d)
    design = np.concatenate([np.ones((groups, count, 1)), x, x[..., i] * x[..., j]], axis=-1)
    rise = values - values[:, :1]
    height = np.maximum(np.abs(rise).max(axis=1), 1e-300)
    normal = np.einsum("gpa,gpb->gab", design, design)
    normal[:, range(normal.shape[1]), range(normal.shape[1])] *= 1 + RIDGE
    normal[:, range(normal.shape[1]), range(normal.shape[1])] += RIDGE
    c = np.linalg.solve(normal, np.einsum("gpa,gp->ga", design, rise / height[:, None])[..., None])[..., 0]
    hessian = np.zeros((groups, d, d))
    hessian[:, i, j] = c[:, 1 + d :]
    hessian = hessian + hessian.transpose(0, 2, 1)
    bend, axes = np.linalg.eigh(hessian)
    slope = np.einsum("gij,gi->gj", axes, c[:, 1 : 1 + d])
    step = np.einsum("gij,gj->gi", axes, slope / np.maximum(np.abs(bend), 1e-6))
    far = np.abs(step).max(axis=1, keepdims=True)
    step *= np.minimum(1.0, REACH / np.maximum(far, 1e-300)) * rng.choice([1.0, 1.0, 0.5, 0.25], (groups, 1))
    return origin + step * spread
