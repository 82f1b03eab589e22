"""Means by levels: the sum of what neighbouring levels differ by, how it converges, and how many runs of each level it takes.

Giles, Multilevel Monte Carlo methods, Acta Numerica 24 (2015) 259.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

SLOWEST = 0.5  # least rate with which what is left of the bias is estimated, as Giles takes it


@dataclass(frozen=True)
class Rates:
    """How the differences of neighbouring levels fall: mean as M^-alpha, variance as M^-beta of a level, where levels differ by M.

    Attributes
    ----------
    alpha, beta : float
        NaN where fewer than two differences are known.
    growth : float
        gamma: the cost of a pair grows as M^gamma.
    alpha_std : float
        Standard deviation of alpha that the scatter of the means explains.
    """

    alpha: float = np.nan
    beta: float = np.nan
    growth: float = np.nan
    alpha_std: float = np.inf

    @property
    def falls(self) -> bool:
        """Whether the means of the differences may fall: their rate is not below zero by what the scatter explains."""
        return not self.alpha + 2.0 * self.alpha_std <= 0.0


def refinement(values: np.ndarray) -> float:
    """The ratio M > 1 of neighbouring levels `values` (levels,); 2 where they have no common one, as of numbers 0, 1, 2 ..."""
    if (values <= 0).any() or len(values) < 2:
        return 2.0
    ratios = np.exp(np.abs(np.diff(np.log(values))))
    return float(ratios.mean()) if np.allclose(ratios, ratios[0], rtol=1e-6) and len(values) > 2 else 2.0


def slope(y: np.ndarray, std: np.ndarray) -> tuple[float, float]:
    """Slope of `y` (n,) over 0, 1, 2 ... by weighted least squares, whose values have the deviations `std` (n,), and its deviation."""
    x, weight = np.arange(len(y)), 1.0 / np.maximum(std, 1e-6) ** 2
    centre = x - (weight * x).sum() / weight.sum()
    spread = (weight * centre**2).sum()
    return float((weight * centre * y).sum() / spread), float(spread**-0.5)


def rates(mean: np.ndarray, error: np.ndarray, variance: np.ndarray, cost: np.ndarray, ratio: float) -> Rates:
    """Rates of one output.

    Parameters
    ----------
    mean, error, variance, cost : ndarray, shape (levels - 1,)
        Of the differences: size of the mean, its standard deviation, variance, and cost of a pair.
    ratio : float
        M.
    """
    there = (mean > 0) & (variance > 0) & (cost > 0)
    if np.count_nonzero(there) < 2 or not there.all():
        return Rates()
    base = np.log(ratio)
    alpha, alpha_std = slope(np.log(mean), error / mean)
    even = np.ones(len(mean))
    return Rates(-alpha / base, -slope(np.log(variance), even)[0] / base, slope(np.log(cost), even)[0] / base, alpha_std / base)


def remaining_bias(means: np.ndarray, alpha: float, ratio: float) -> np.ndarray:
    """What the finest level is off, (columns,): max_k |E Y_(L-k)| M^(-k alpha) / (M^alpha - 1), k = 0, 1, 2 (Giles 2015, section 3.1).

    Parameters
    ----------
    means : ndarray, shape (levels - 1, columns)
        Means of the differences.
    alpha : float
        Rate; 1 is taken where it is not known, and 1/2 where it is less.
    """
    fall = ratio ** max(1.0 if np.isnan(alpha) else alpha, SLOWEST)
    last = np.abs(means[::-1][:3])
    return (last / fall ** np.arange(len(last))[:, None]).max(axis=0) / (fall - 1.0)


def samples_by_level(variance: np.ndarray, cost: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Numbers of pairs, (levels,), with which the variance of the sum is at most `wanted` (columns,) at least cost.

    N_l = sum_k sqrt(V_k C_k) sqrt(V_l / C_l) / wanted (Giles 2015, equation 1.9); of several columns the largest of each level.

    Parameters
    ----------
    variance : ndarray, shape (levels, columns)
    cost : ndarray, shape (levels,)
        Of a pair.
    """
    total = np.sqrt(variance * cost[:, None]).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        numbers = total / wanted * np.sqrt(variance / cost[:, None])
    numbers = np.where(variance > 0, numbers, 0.0)
    return np.ceil(np.minimum(numbers.max(axis=1), 1e12)).astype(np.int64)
