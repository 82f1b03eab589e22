"""Means by levels: the sum of what neighbouring levels differ by, how it converges, and how many runs of each level it takes.

Giles, Multilevel Monte Carlo methods, Acta Numerica 24 (2015) 259.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

SLOWEST = 0.5  # least rate with which what is left of the bias is estimated, as Giles takes it
NONE = 0.05  # a rate below it is none


@dataclass(frozen=True)
class Rates:
    """How the differences of neighbouring levels fall with the fineness M^l: mean as M^(-alpha l), variance as M^(-beta l).

    Attributes
    ----------
    alpha, beta : float
        NaN where fewer than two differences are known, or some are nothing.
    gamma : float
        The cost of a pair grows as M^(gamma l).
    alpha_std : float
        Standard deviation of alpha that the scatter of the means explains.
    """

    alpha: float = np.nan
    beta: float = np.nan
    gamma: float = np.nan
    alpha_std: float = np.inf

    @property
    def falls(self) -> bool:
        """Whether the means of the differences may fall: their rate is not about zero or below by more than the scatter explains."""
        return not self.alpha + 2.0 * self.alpha_std < NONE

    @property
    def slow(self) -> bool:
        """Whether they fall more slowly than `SLOWEST`, by more than the scatter explains."""
        return bool(self.alpha + 2.0 * self.alpha_std < SLOWEST)

    @property
    def cautious(self) -> float:
        """Alpha, but no more than 1 unless scatter surely does not explain that."""
        return float(min(self.alpha, max(1.0, self.alpha - 2.0 * self.alpha_std))) if np.isfinite(self.alpha) else self.alpha

    def known(self) -> dict[str, float]:
        """Those that are known, by name."""
        return {name: float(x) for name in ("alpha", "beta", "gamma") if np.isfinite(x := getattr(self, name))}


def fineness(values: np.ndarray) -> np.ndarray:
    """Logarithm of how much finer than the first each of the levels `values` (levels,) is, coarse to fine.

    Steps, tolerances and meshes are as fine as their ratio says, also where it is not the same from one to the next. Whole numbers that
    follow each other, 0, 1, 2 ..., number levels: each is twice as fine.
    """
    steps = np.diff(values)
    if (values <= 0).any() or (np.allclose(np.abs(steps), 1.0) and np.allclose(values, np.rint(values))):
        return np.log(2.0) * np.arange(len(values))
    return np.abs(np.log(values / values[0]))


def slope(x: np.ndarray, y: np.ndarray, std: np.ndarray) -> tuple[float, float]:
    """Slope of `y` (n,) over `x` (n,) by weighted least squares, whose values have the deviations `std` (n,), and its deviation."""
    weight = 1.0 / np.maximum(std, 1e-6) ** 2
    centre = x - (weight * x).sum() / weight.sum()
    spread = (weight * centre**2).sum()
    return float((weight * centre * y).sum() / spread), float(spread**-0.5)


def rates(fine: np.ndarray, mean: np.ndarray, error: np.ndarray, variance: np.ndarray, cost: np.ndarray) -> Rates:
    """Rates of one output.

    Parameters
    ----------
    fine : ndarray, shape (levels - 1,)
        `fineness` of the finer level of each pair.
    mean, error, variance, cost : ndarray, shape (levels - 1,)
        Of the differences: size of the mean, its standard deviation, variance, and cost of a pair.
    """
    if len(mean) < 2:
        return Rates()
    even, found = np.ones(len(mean)), {}
    if (mean > 0).all():
        alpha, found["alpha_std"] = slope(fine, np.log(mean), error / mean)
        found["alpha"] = -alpha
    if (variance > 0).all():
        found["beta"] = -slope(fine, np.log(variance), even)[0]
    return Rates(gamma=slope(fine, np.log(cost), even)[0], **found)


def remaining_bias(fine: np.ndarray, means: np.ndarray, alpha: float) -> np.ndarray:
    """What the finest level is off, (columns,): the largest of what its difference and the two before it say (Giles 2015, section 3.1).

    A difference Y of two levels whose fineness has the ratio r leaves Y / (r^alpha - 1) beyond its finer level.

    Parameters
    ----------
    fine : ndarray, shape (levels,)
        `fineness` of all levels.
    means : ndarray, shape (levels - 1, columns)
        Means of the differences.
    alpha : float
        Rate; 1 is taken where it is not known, and 1/2 where it is less.
    """
    rate = max(1.0 if np.isnan(alpha) else alpha, SLOWEST)
    left = np.abs(means) / (np.exp(rate * np.diff(fine))[:, None] - 1.0)
    return (left * np.exp(-rate * (fine[-1] - fine[1:]))[:, None])[-3:].max(axis=0)


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


def quantile_of_sum(variance: np.ndarray, count: np.ndarray, confidence: float = 0.95) -> np.ndarray:
    """Quantile of Student's t, (columns,), for limits of the sum of means of `count` (levels,) values with `variance` (levels, columns).

    Its degrees of freedom are those of Welch (Biometrika 34 (1947) 28).
    """
    from scipy.special import stdtrit

    parts = variance / count[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        freedom = parts.sum(axis=0) ** 2 / (parts**2 / (count - 1)[:, None]).sum(axis=0)
    return stdtrit(np.where(np.isfinite(freedom), freedom, count.min() - 1.0), (1 + confidence) / 2)


def skewness_of_sum(third: np.ndarray, variance: np.ndarray, count: np.ndarray) -> np.ndarray:
    """Skewness of the sum of means, (columns,), from those of the values, `third` (levels, columns), their variances and numbers."""
    parts = variance / count[:, None]
    total = parts.sum(axis=0)
    top = (third * parts**1.5 / np.sqrt(count)[:, None]).sum(axis=0)
    return np.divide(top, total**1.5, out=np.zeros_like(total), where=total > 0)
