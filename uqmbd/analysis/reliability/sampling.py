"""Probabilities of rare events by independent runs in standard normal space.

A limit state ``g(z)`` is negative where the output is unsafe, NaN where the run failed.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Probability:
    """A probability from runs, some of which may have failed."""

    safe: float  # failed runs counted as safe
    unsafe: float  # failed runs counted as unsafe
    cov: float  # coefficient of variation of `unsafe`, in subset simulation of `safe`; infinite when no run is unsafe, or nothing is known
    lower: float  # confidence limit of `safe`
    upper: float  # confidence limit of `unsafe`
    levels: int = 1  # of subset simulation
    note: str = ""  # what went otherwise than wanted
    # of importance sampling: effective number of unsafe runs (of safe ones where the medians are unsafe), ``(Σ w)² / Σ w²`` of their
    # weights (Kish, Survey Sampling, 1965); NaN without any, as the next
    effective: float = np.nan
    largest: float = np.nan  # share of the largest weight in their sum
    even: float = np.nan  # how even those weights are: `effective` over the number of these runs, in what it is where the limit is a plane
    # (runs, d): points of standard normal space that are distributed as the unsafe ones; in chains some are there several times
    places: np.ndarray | None = field(default=None, compare=False, repr=False)


def normal_half_width() -> float:
    """Half width of the confidence interval in standard deviations."""
    from scipy.special import ndtri

    return float(ndtri(0.5 + CONFIDENCE / 2))


def around(centre: np.ndarray, count: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Points (count, d) from the normal distribution about `centre`, and their weights (count,): ``φ(z) / φ(z - centre)``."""
    shift = rng.standard_normal((count, len(centre)))
    return centre + shift, np.exp(-shift @ centre - 0.5 * (centre @ centre))


def weighted(g: np.ndarray, weights: np.ndarray, beta: float, even: float | None = None) -> Probability:
    """Estimate of importance sampling from ``g`` (n,) and the weights (n,) of points about a design point at the distance `beta`.

    `even` is how even the weights are where limits are planes; of one limit it follows from `beta`.

    With a negative `beta` the medians are unsafe: few runs around the design point are then unsafe ones of large weight, most of which are
    never met, so the probability of the safe side is estimated, and what it lacks to 1. The limits are those of a lognormal estimate, with
    Student's t for as many degrees of freedom as the effective number of runs less one.
    """
    n, likely = len(g), beta < 0
    few, many = (g >= 0, ~(g < 0)) if likely else (g < 0, ~(g >= 0))  # without and with the failed runs
    if not many.any():
        note = f"none of {n} runs around the design point is {'safe' if likely else 'unsafe'}: nothing bounds the probability"
        return Probability(float(likely), float(likely), np.inf, 0.0, 1.0, note=note)
    (least, _, low, _), (most, error, _, high) = _share(weights[few], n), _share(weights[many], n)
    seen = weights[many]
    effective = float(seen.sum() ** 2 / (seen @ seen))
    probability = Probability(least, most, error / most, low, high)
    if likely:
        probability = Probability(1 - most, 1 - least, error / max(1 - least, 1e-300), 1 - high, 1 - low)
    share = effective / len(seen) / (evenness(abs(beta)) if even is None else even)
    return replace(probability, effective=effective, largest=float(seen.max() / seen.sum()), even=share)


def _share(weights: np.ndarray, n: int) -> tuple[float, float, float, float]:
    """Sum of the weights of those of `n` points that count, over n, at most 1; its standard deviation, and its limits."""
    from scipy.special import stdtrit

    total, squares = float(weights.sum()), float(weights @ weights)
    if total == 0:
        return 0.0, 0.0, 0.0, 0.0
    variance = max(squares / total**2 - 1 / n, 0.0) * n / (n - 1)  # of the estimate over its square
    factor = float(np.exp(stdtrit(max(total**2 / squares - 1, 1.0), 0.5 + CONFIDENCE / 2) * np.sqrt(np.log1p(variance))))
    share = total / n
    return min(share, 1.0), share * float(np.sqrt(variance)), min(share / factor, 1.0), min(share * factor, 1.0)


def evenness(beta: float) -> float:
    """Effective number over number of the unsafe runs where the limit is a plane: ``E[w]² / E[w²]``, each over the unsafe half."""
    from scipy.special import log_ndtr

    return float(2 * np.exp(2 * log_ndtr(-beta) - beta * beta - log_ndtr(-2 * beta)))


def counted(g: np.ndarray, one_sided: bool = False, confidence: float = CONFIDENCE) -> Probability:
    """Share of independent runs that are unsafe, with exact limits (Clopper, Pearson, Biometrika 26 (1934) 404); ``g`` (n,).

    With `one_sided`, where no run is unsafe or failed, or all are unsafe, one limit is 0 or 1 and the other has all the doubt:
    ``1 - 0.05^(1/n)``, about ``3/n`` (the rule of three).
    """
    from uqmbd.analysis.statistics.moment_limits import proportion_limits

    n, least, most = len(g), int((g < 0).sum()), int((~(g >= 0)).sum())
    one_sided &= most == 0 or least == n
    lower, upper = proportion_limits(np.array([least, most]), n, 2 * confidence - 1 if one_sided else confidence)
    cov = np.sqrt((n - least) / (n * least)) if least else np.inf
    return Probability(least / n, most / n, float(cov), float(lower[0]), float(upper[1]))


def distances_of_unsafe(u: np.ndarray) -> np.ndarray:
    """Kolmogorov and Smirnov's distance of each coordinate of `u` (n, d), distribution functions of inputs, from the uniform one: (d,).

    Where `u` are those of unsafe runs, it says in which inputs these differ from all runs (Monte Carlo filtering; Saltelli et al., Global
    Sensitivity Analysis: The Primer, 2008, section 5).
    """
    n, ranked = len(u), np.sort(u, axis=0)
    steps = np.arange(n + 1)[:, None] / n
    return np.maximum(np.abs(ranked - steps[1:]), np.abs(ranked - steps[:-1])).max(axis=0)
