"""Probabilities of rare events by sampling standard normal space, in batches.

A limit state ``g(z)`` is negative where the output is unsafe, NaN where the run failed.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np

from uqmbd.analysis.reliability_form import NotFoundError

CONFIDENCE = 0.95
SEED_SHARE = 0.1  # of the runs of a level that begin the next one
_ACCEPTANCE = 0.44  # of proposals that chains aim at


@dataclass(frozen=True)
class Probability:
    """A probability from runs, some of which may have failed.

    Attributes
    ----------
    safe, unsafe : float
        Failed runs counted as safe, and as unsafe.
    cov : float
        Coefficient of variation of `unsafe`, in subset simulation of `safe`; infinite when no run is unsafe.
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


def weighted(g: np.ndarray, weights: np.ndarray) -> Probability:
    """Estimate of importance sampling from ``g`` (n,) and the weights (n,) of the points."""
    n, half, found = len(g), normal_half_width(), []
    for unsafe in (g < 0, ~(g >= 0)):
        parts = unsafe * weights
        mean = float(parts.mean())
        found.append((mean, float(parts.std(ddof=1) / np.sqrt(n))))
    (safe, safe_error), (unsafe, error) = found
    if unsafe == 0:
        note = f"none of {n} runs around the design point is unsafe: nothing bounds the probability"
        return Probability(0.0, 0.0, np.inf, 0.0, 1.0, note=note)
    return Probability(safe, unsafe, error / unsafe, max(0.0, safe - half * safe_error), min(1.0, unsafe + half * error))


def subset(d: int, samples: int, max_levels: int, rng: np.random.Generator) -> Generator[np.ndarray, np.ndarray, Probability]:
    """Subset simulation: a coroutine that yields points (n, d), is sent ``g`` there and returns the probability.

    Au, Beck, Probab. Eng. Mech. 16 (2001) 263. Each level keeps a tenth of the points with the least g and moves them in chains, all of
    them in one batch, by proposals ``ρ z + √(1 - ρ²) ξ`` that leave the normal distribution as it is (Papaioannou, Betz, Zwirglmaier,
    Straub, Probab. Eng. Mech. 41 (2015) 89); their spread follows the share of accepted ones. A proposal whose run failed is not accepted:
    `safe` is the probability without failed runs. `unsafe` adds the probability that a run fails: its share of the independent runs of
    the first level, or, where that is more, of a level's proposals by the share of accepted ones there (chains are reversible, so
    as much leads into the failing region as would lead out of it).

    Parameters
    ----------
    samples : int
        Points of each level, a multiple of 10; levels after the first take nine tenths as many runs.

    Raises
    ------
    NotFoundError
        When a level brings the runs no nearer to the limit.
    """
    seeds, length = round(samples * SEED_SHARE), round(1 / SEED_SHARE)
    z = rng.standard_normal((samples, d))
    g = yield z
    chance, variance, threshold, note = 1.0, 0.0, np.inf, ""
    failures = int(np.isnan(g).sum())
    failing = failures / samples
    g = np.where(np.isnan(g), np.inf, g)
    correlation = 0.0
    for level in range(1, max_levels + 1):
        order = np.argsort(g, kind="stable")
        level_threshold = g[order[seeds - 1]]
        last = level_threshold < 0 or level == max_levels
        inside = g < 0 if last else g <= level_threshold
        if not last and level_threshold >= threshold:
            raise NotFoundError("the output has the same value in all those runs of a level that are nearest to the limit")
        share = float(inside.mean())
        if level > 1:
            correlation = _correlation(inside.reshape(length, seeds), share)
        if share == 0:
            note = f"the limit was not reached in {max_levels} levels: the probability is below {chance * 3.7 / samples:.2g} or so"
            upper = chance * 3.7 / samples + failing
            return Probability(0.0, failing, np.inf, 0.0, min(1.0, upper), level, note)
        chance *= share
        variance += (1 - share) / (share * samples) * (1 + correlation)
        if last:
            break
        threshold = level_threshold
        z, g, lost, accepted = yield from _level(z[order[:seeds]], g[order[:seeds]], length, threshold, rng)
        there = chance * lost / max(accepted, 1)
        if there > failing:
            failing, failures = there, lost
    cov = float(np.sqrt(variance))
    spread = normal_half_width() * np.sqrt(np.log1p(variance))
    unsafe = min(1.0, chance + failing)
    upper = chance * np.exp(spread) + failing * (1 + normal_half_width() / np.sqrt(max(failures, 1)))
    return Probability(chance, unsafe, cov, float(chance * np.exp(-spread)), float(min(1.0, upper)), level, note)


def _level(
    z: np.ndarray, g: np.ndarray, length: int, threshold: float, rng: np.random.Generator
) -> Generator[np.ndarray, np.ndarray, tuple[np.ndarray, np.ndarray, int, int]]:
    """Chains from the seeds `z` (seeds, d): points (length * seeds, d), g, and how many proposals failed and were accepted."""
    points, values = [z], [g]
    spread, scale = np.minimum(z.std(axis=0), 1.0), 0.6
    lost = taken = 0
    for step in range(1, length):
        sigma = np.minimum(1.0, scale * spread)
        proposed = np.sqrt(1 - sigma**2) * z + sigma * rng.standard_normal(z.shape)
        there = yield proposed
        accept = there <= threshold  # never where NaN
        z, g = np.where(accept[:, None], proposed, z), np.where(accept, there, g)
        points.append(z)
        values.append(g)
        scale *= float(np.exp((accept.mean() - _ACCEPTANCE) / np.sqrt(step)))
        lost += int(np.isnan(there).sum())
        taken += int(accept.sum())
    return np.concatenate(points), np.concatenate(values), lost, taken


def _correlation(inside: np.ndarray, share: float) -> float:
    """Au and Beck's γ: by how much the points of a chain, down the rows of `inside` (length, chains), repeat each other."""
    length, whole = len(inside), share * (1 - share)
    if whole <= 0:
        return 0.0
    total = 0.0
    for lag in range(1, length):
        product = float((inside[:-lag] & inside[lag:]).mean())
        total += 2 * (1 - lag / length) * (product - share**2) / whole
    return max(total, 0.0)
