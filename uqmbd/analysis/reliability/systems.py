"""Probabilities of systems of limits from their planes: pairs exactly, Ditlevsen's bounds, the multinormal integral."""

from __future__ import annotations

from typing import Any

import numpy as np

NODES = 64  # of the quadrature over the correlation


def pair(beta: tuple[float, float], rho: float) -> float:
    """Probability that both of two standard normal margins with a correlation are below ``-beta``.

    ``Φ(-β₁) Φ(-β₂) + ∫ φ₂(β₁, β₂; r) dr`` from 0 to the correlation, by Gauss's rule over ``asin r`` (Drezner, Wesolowsky, J. Stat. Comput.
    Simul. 35 (1990) 101).
    """
    from scipy.special import ndtr

    a, b = beta
    if rho >= 1.0:
        return float(ndtr(-max(a, b)))
    if rho <= -1.0:
        return float(max(0.0, ndtr(-a) - ndtr(b)))
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    end = np.arcsin(rho)
    angle = end * (nodes + 1) / 2
    rest = np.exp(-(a * a + b * b - 2 * a * b * np.sin(angle)) / (2 * np.cos(angle) ** 2))
    return float(ndtr(-a) * ndtr(-b) + end / 2 * (weights @ rest) / (2 * np.pi))


def ditlevsen(beta: np.ndarray, rho: np.ndarray) -> tuple[float, float]:
    """Bounds of the probability that any of the limits is passed (Ditlevsen, J. Struct. Mech. 7 (1979) 453), most probable ones first."""
    from scipy.special import ndtr

    order = np.argsort(beta, kind="stable")
    beta, rho = beta[order], rho[np.ix_(order, order)]
    each = ndtr(-beta)
    lower = upper = float(each[0])
    for i in range(1, len(beta)):
        both = [pair((float(beta[i]), float(beta[j])), float(rho[i, j])) for j in range(i)]
        lower += max(0.0, float(each[i]) - sum(both))
        upper += float(each[i]) - max(both)
    return lower, min(upper, 1.0)


def together(beta: np.ndarray, rho: np.ndarray, system: str, seed: int) -> float:
    """Probability that any (``series``) or all (``parallel``) of the planes at distances `beta` (k,) are passed; `rho` (k, k)."""
    from scipy.special import ndtr

    if len(beta) == 2:
        both = pair((float(beta[0]), float(beta[1])), float(rho[0, 1]))
        return both if system == "parallel" else float(ndtr(-beta).sum()) - both
    from scipy.stats import multivariate_normal

    end = -beta if system == "parallel" else beta
    keys: dict[str, Any] = {"cov": rho, "allow_singular": True, "abseps": 1e-9, "releps": 1e-6, "maxpts": 200_000}
    inside = float(multivariate_normal.cdf(end, rng=np.random.default_rng(seed), **keys))
    return inside if system == "parallel" else 1 - inside
