"""Quadratic functions over the unit ball."""

from __future__ import annotations

import numpy as np


def ball_range(slope: np.ndarray, bend: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Least value (columns,) of ``b·w + ½ wᵀ H w`` over ``|w| <= 1`` for many b and H at once, and where it is taken, (columns, d).

    Of b, `slope` (columns, d), and symmetric H, `bend` (columns, d, d). The trust-region problem has no gap to its dual, ``max_λ -½ Σ β_i²
    / (h_i + λ) - λ/2`` over ``λ >= max(0, -h_1)``, with H's eigenvalues h and β = b in its eigenvectors (Conn, Gould, Toint, Trust-Region
    Methods (2000), ch. 7). Bisection on its slope finds λ; the value is as accurate as λ squared, also in the hard case.
    """
    h, vectors = np.linalg.eigh(bend)
    beta = np.einsum("cij,ci->cj", vectors, slope)
    size = np.maximum(np.abs(h).max(axis=1), np.linalg.norm(beta, axis=1))
    size = np.where(size > 0, size, 1.0)
    h, beta = h / size[:, None], beta / size[:, None]
    floor = np.maximum(0.0, -h[:, 0])
    base = h + floor[:, None]  # not negative; the multiplier is counted from the floor, so that it is accurate near the pole

    def shares(above: np.ndarray) -> np.ndarray:
        distance = base + above[:, None]
        return np.divide(beta, distance, out=np.zeros_like(beta), where=(np.abs(beta) > 1e-15) & (distance > 0))

    low, high = np.zeros(len(h)), np.linalg.norm(beta, axis=1) + 1e-300
    for _ in range(200):
        middle = 0.5 * (low + high)
        outside = (shares(middle) ** 2).sum(axis=1) > 1
        low, high = np.where(outside, middle, low), np.where(outside, high, middle)
    pole = ((np.abs(beta) > 1e-15) & (base <= 0)).any(axis=1)
    above = np.where(((shares(np.zeros(len(h))) ** 2).sum(axis=1) <= 1) & ~pole, 0.0, high)
    multiplier = floor + above
    part = -shares(above)
    value = 0.5 * (beta * part).sum(axis=1) - 0.5 * multiplier
    # on the sphere; in the hard case the lowest axis leads there
    lowest = np.sqrt(np.maximum(0.0, 1 - (part[:, 1:] ** 2).sum(axis=1)))
    part[:, 0] = np.where(multiplier > 0, np.where(part[:, 0] < 0, -lowest, lowest), part[:, 0])
    return value * size, np.einsum("cij,cj->ci", vectors, part)
