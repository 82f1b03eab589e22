"""Probabilities of very rare events by subset simulation in standard normal space, in batches.

A limit state ``g(z)`` is negative where the output is unsafe, NaN where the run failed.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace

import numpy as np

from uqmbd.analysis.reliability.form import NotFoundError
from uqmbd.analysis.reliability.sampling import CONFIDENCE, Probability, counted, normal_half_width

SEED_SHARE = 0.1  # of the runs of a level that begin the next one
_FIRST_SCALE = 1.0  # of the first proposals, in standard deviations of the points from which they start
_ACCEPTANCE = 0.44  # of proposals that chains aim at
_FEW = 3.0  # degrees of freedom below which the result says that it stands on little


def subset(d: int, samples: int, max_levels: int, rng: np.random.Generator) -> Generator[np.ndarray, np.ndarray, Probability]:
    """Subset simulation: a coroutine that yields points (n, d), is sent ``g`` there and returns the probability.

    Au, Beck, Probab. Eng. Mech. 16 (2001) 263. Each level, of `samples` points, a multiple of 10, keeps a tenth of them with the least g
    and moves these in chains, all of them in one batch, by proposals ``ρ z + √(1 - ρ²) ξ`` that leave the normal distribution as it is
    (Papaioannou, Betz, Zwirglmaier, Straub, Probab. Eng. Mech. 41 (2015) 89); their spread follows the share of accepted ones, over the
    levels: what one level found, the next begins with. The limits follow from `spread`; where one level is enough they are those of
    independent runs.

    A proposal whose run failed is not accepted: `safe` is the probability without failed runs. `unsafe` adds the probability that a run
    fails: its share of the independent runs of the first level, or, where that is more, of a level's proposals by the share of accepted
    ones there (chains are reversible, so as much leads into the failing region as would lead out of it).

    Raises `NotFoundError` when a level brings the runs no nearer to the limit.
    """
    seeds, length = round(samples * SEED_SHARE), round(1 / SEED_SHARE)
    z = rng.standard_normal((samples, d))
    g = yield z
    independent = counted(g)
    failures, failing_at = int(np.isnan(g).sum()), 1
    failing = failures / samples
    g = np.where(np.isnan(g), np.inf, g)
    chance, threshold, members, begun, scale = 1.0, np.inf, [], [], _FIRST_SCALE
    for level in range(1, max_levels + 1):
        order = np.argsort(g, kind="stable")[:seeds]
        level_threshold = g[order[-1]]
        last = level_threshold < 0 or level == max_levels
        if last and level == 1:
            probability = replace(independent, places=z[g < 0])
            return probability if probability.unsafe else _not_reached(probability.upper, 0.0, level)
        inside = g < 0 if last else g <= level_threshold
        if not last and level_threshold >= threshold:
            raise NotFoundError("the output has the same value in all those runs of a level that are nearest to the limit")
        if not inside.any():
            wide = _factor(*spread(members, begun[:-1]))
            return _not_reached(min(1.0, chance * wide * -np.log((1 - CONFIDENCE) / 2) / seeds), failing, level)
        members.append(inside)
        chance *= float(inside.mean())
        if last:
            break
        begun.append(order)
        threshold = level_threshold
        z, g, lost, accepted, scale = yield from _level(z[order], g[order], length, threshold, scale, rng)
        there = chance * lost / max(accepted, 1)
        if there > failing:
            failing, failures, failing_at = there, lost, level + 1
    variance, freedom = spread(members, begun)
    wide = _factor(variance, freedom)
    note = f"few of the first {samples} runs lead to the limit, so the limits are wide: raise samples" if freedom < _FEW else ""
    more = failing * (1 + normal_half_width() / np.sqrt(max(failures, 1))) * (wide if failing_at > 1 else 1.0)
    upper = min(1.0, chance * wide + more)
    cov = float(np.sqrt(np.expm1(variance)))
    return Probability(chance, min(1.0, chance + failing), cov, chance / wide, upper, level, note, places=z[inside])


def _not_reached(upper: float, failing: float, levels: int) -> Probability:
    note = f"the limit was not reached in {levels} level{'s' * (levels > 1)}: the probability is below {upper:.2g} or so"
    return Probability(0.0, failing, np.inf, 0.0, min(1.0, upper + failing), levels, note)


def _factor(variance: float, freedom: float) -> float:
    """By which the limits are above and below the estimate: lognormal, with Student's t for a variance of so many degrees of freedom."""
    from scipy.special import stdtrit

    return float(np.exp(stdtrit(freedom, 0.5 + CONFIDENCE / 2) * np.sqrt(variance)))


def spread(members: Sequence[np.ndarray], begun: Sequence[np.ndarray]) -> tuple[float, float]:
    """Variance of the logarithm of the product of the levels' shares, and its degrees of freedom.

    With thresholds given beforehand the runs that descend from one run of the first level are independent of all others, through chains
    and levels. So the sum ``D_e`` of the contributions ``(I - P_j) / (n P_j)`` of its descendants e has the whole variance, ``Σ D_e²``:
    Au and Beck's correlation in chains, and that between levels (Chan, Lai, Ann. Stat. 41 (2013) 2877; Lee, Whiteley, Biometrika 105
    (2018) 609). At many levels few lines are left, and the same with the ancestors of one level before, in which only
    neighbouring levels depend on each other (Olsson, Douc, Bernoulli 25 (2019) 1504), varies less; the larger of both is taken. The
    degrees of freedom are Satterthwaite's, ``2 (Σ D_e²)² / Σ D_e⁴``, at least 1.

    Parameters
    ----------
    members : sequence of ndarray of bool, shape (n,)
        Which points of each level are in the next one; after the first level they are in rows, one step of all chains each.
    begun : sequence of ndarray of int
        Points of each level, but the last, with which the chains of the next begin.
    """
    n = len(members[0])
    parts = [(inside - inside.mean()) / (n * inside.mean()) for inside in members]
    chain = [np.arange(n)] + [np.tile(np.arange(len(first)), n // len(first)) for first in begun]

    def lines(level: int, root: int) -> np.ndarray:
        """Contributions of a level by their ancestors, the chains of the level `root`, (n,)."""
        of = chain[level]
        for before in range(level - 1, root - 1, -1):
            of = chain[before][begun[before]][of]
        return np.bincount(of, parts[level], minlength=n)

    whole = sum((lines(level, 0) for level in range(len(parts))), np.zeros(n))
    near = 0.0
    for level in range(len(parts)):
        root = max(0, level - 1)
        here = lines(level, root)
        near += here @ here + (2 * (here @ lines(level + 1, root)) if level + 1 < len(parts) else 0.0)
    far = float(whole @ whole)
    return max(far, float(near)), max(1.0, 2 * far**2 / max(float((whole**4).sum()), 1e-300))


def _level(
    z: np.ndarray, g: np.ndarray, length: int, threshold: float, scale: float, rng: np.random.Generator
) -> Generator[np.ndarray, np.ndarray, tuple[np.ndarray, np.ndarray, int, int, float]]:
    """Chains from the seeds `z` (seeds, d): points (length * seeds, d), g, how many proposals failed and were accepted, and the scale of
    the next proposals; that of the first, in standard deviations of the seeds, is `scale`."""
    points, values = [z], [g]
    spread = np.minimum(z.std(axis=0), 1.0)
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
    return np.concatenate(points), np.concatenate(values), lost, taken, scale
