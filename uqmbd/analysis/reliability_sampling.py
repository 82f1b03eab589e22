"""Probabilities of rare events by independent runs in standard normal space.

A limit state ``g(z)`` is negative where the output is unsafe, NaN where the run failed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Probability:
    """A probability from runs, some of which may have failed.

    Attributes
    ----------
    safe, unsafe : float
        Failed runs counted as safe, and as unsafe.
    cov : float
        Coefficient of variation of `unsafe`, in subset simulation of `safe`; infinite when no run is unsafe, or nothing is known.
    lower, upper : float
        Confidence limits: the lower one of `safe`, the upper one of `unsafe`.
    levels : int
        Of subset simulation.
    note : str
        What went otherwise than wanted.
    """

    safe: float
    unsafe: float
    cov: float
    lower: float
    upper: float
    levels: int = 1
    note: str = ""


def normal_half_width() -> float:
    """Half width of the confidence interval in standard deviations."""
    from scipy.special import ndtri

    return float(ndtri(0.5 + CONFIDENCE / 2))


def around(centre: np.ndarray, count: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Points (count, d) from the normal distribution about `centre`, and their weights (count,): ``φ(z) / φ(z - centre)``."""
    shift = rng.standard_normal((count, len(centre)))
    return centre + shift, np.exp(-shift @ centre - 0.5 * (centre @ centre))


def weighted(g: np.ndarray, weights: np.ndarray, *, likely: bool = False) -> Probability:
    """Estimate of importance sampling from ``g`` (n,) and the weights (n,) of the points.

    With `likely` the medians are unsafe: few runs around the design point are then unsafe ones of large weight, most of which are never
    met, so the probability of the safe side is estimated, and what it lacks to 1.
    """
    n, half, found = len(g), normal_half_width(), []
    for unsafe in (g < 0, ~(g >= 0)):
        parts = ~unsafe * weights if likely else unsafe * weights
        mean = float(parts.mean())
        found.append((1 - mean if likely else mean, float(parts.std(ddof=1) / np.sqrt(n))))
    (safe, safe_error), (unsafe, error) = found
    if not (g >= 0).any() if likely else not (~(g >= 0)).any():
        note = f"none of {n} runs around the design point is {'safe' if likely else 'unsafe'}: nothing bounds the probability"
        return Probability(float(likely), float(likely), np.inf, 0.0, 1.0, note=note)
    low, high = max(0.0, safe - half * safe_error), min(1.0, unsafe + half * error)
    safe, unsafe = min(1.0, max(0.0, safe)), min(1.0, max(0.0, unsafe))
    return Probability(safe, unsafe, error / unsafe if unsafe > 0 else np.inf, low, high)


def counted(g: np.ndarray) -> Probability:
    """Share of independent runs that are unsafe, with exact limits (Clopper, Pearson, Biometrika 26 (1934) 404); ``g`` (n,)."""
    from scipy.special import betaincinv

    n, least, most = len(g), int((g < 0).sum()), int((~(g >= 0)).sum())
    tail = (1 - CONFIDENCE) / 2
    lower = float(betaincinv(least, n - least + 1, tail)) if least else 0.0
    upper = float(betaincinv(most + 1, n - most, 1 - tail)) if most < n else 1.0
    cov = np.sqrt((n - least) / (n * least)) if least else np.inf
    return Probability(least / n, most / n, float(cov), lower, upper)
