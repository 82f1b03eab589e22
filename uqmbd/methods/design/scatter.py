"""How parts scatter within their tolerances, and what a limit on a probability says then."""

from __future__ import annotations

from typing import Any

import numpy as np

from uqmbd.analysis.base.fitted import Fitted
from uqmbd.analysis.base.streams import generator
from uqmbd.analysis.reliability.sampling import Probability, counted

CHOOSING, JUDGING = 90, 91  # random numbers of the points by which tolerances are chosen, and of those that judge them
POINTS, JUDGES = 2**14, 10**5
SIGMAS = 3.0  # standard deviations in a tolerance


def scattered(u: np.ndarray, how: str) -> np.ndarray:
    """Points of [-1, 1]^d, in tolerances, from those of the unit cube: uniform, or normal.

    A tolerance is three standard deviations of the normal one, which is cut there.
    """
    if how == "uniform":
        return 2 * u - 1
    from scipy.special import ndtr, ndtri

    low = ndtr(-SIGMAS)
    return ndtri(low + u * (1 - 2 * low)) / SIGMAS


def choosing_points(seed: int, d: int, how: str) -> np.ndarray:
    """Sobol' points of the scatter, (n, d), by which tolerances are chosen."""
    from uqmbd.analysis.base.design import unit_points

    return scattered(unit_points("sobol", POINTS, d, generator(seed, CHOOSING)), how)


def judged_probability(surrogate: Fitted, s: np.ndarray, how: str, seed: int, limit: float, sign: float) -> tuple[Probability, np.ndarray]:
    """Probability to be beyond a limit by independent points that chose nothing, with 95 % limits; and distances from the limit (n,).

    `sign` is 1 where more than the limit is beyond it, -1 where less is.
    """
    z = scattered(generator(seed, JUDGING).random((JUDGES, len(s))), how)
    margin = sign * (limit - surrogate.evaluate(z * s)[:, 0])
    return counted(margin), margin


def passed_quantile(estimate: Probability, margin: np.ndarray, share: float) -> float:
    """By how much the quantile of a share is beyond its limit, where the limits of the probability refute that it is met; else 0."""
    return float(-np.quantile(margin, share)) if estimate.lower > share else 0.0


def share_of_runs(values: Any, limit: float, sign: float) -> float | None:
    """Share of scattered runs beyond a limit; None without any."""
    return float(np.mean(sign * (limit - values) < 0)) if len(values) else None
