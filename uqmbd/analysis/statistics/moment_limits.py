"""Confidence limits of means and standard deviations, and where the runs are too skewed or too few for them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from uqmbd.analysis.base.columnwise import columnwise

SKEWED = 25.0  # times the squared skewness: with more runs Student's t holds (Cochran, Sampling Techniques, 1977, 2.15)
HEAVY = 50.0  # times the excess kurtosis: with more runs the limits of a standard deviation hold
LEAST = 10  # runs from which means and standard deviations have limits: fewer do not show whether they are skewed
_SAME = 1e-9  # relative: two numbers that rounding tells apart


class MomentLimits(NamedTuple):
    """Limits, (columns,) each, and of which columns they cannot be relied upon."""

    mean_lower: np.ndarray
    mean_upper: np.ndarray
    std_lower: np.ndarray
    std_upper: np.ndarray
    # bool, this and the next: the runs are so skewed, or have such tails, that the limits hold the exact value less often than they say
    mean_doubtful: np.ndarray
    std_doubtful: np.ndarray
    constant: np.ndarray  # bool: all runs have the same value, which says nothing of rare ones


def moment_limits(
    mean: np.ndarray, std: np.ndarray, smallest: np.ndarray, largest: np.ndarray, count: int, sample: np.ndarray, confidence: float = 0.95
) -> MomentLimits:
    """Limits from moments (columns,) of `count` independent runs, and from the shape of the distribution of a `sample` (n, columns).

    Columns of two values only have those of a binomial proportion. The others have Student's t for the mean and Bonett's limits for the
    standard deviation. Below `LEAST` runs there are none: they are infinite, zero below a standard deviation.
    """
    third, fourth = shape(sample)
    mean_ends, std_ends = mean_limits(mean, std, count, confidence), std_limits(std, fourth, count, confidence)
    constant = largest - smallest <= _SAME * np.maximum(np.abs(smallest), np.abs(largest)) * (count > 1)
    mean_doubtful = ~constant & (count < SKEWED * third**2)
    std_doubtful = ~constant & (mean_doubtful | (count < HEAVY * (fourth - 3)))
    if count >= LEAST and np.any(two := two_valued(mean, std, smallest, largest, count) & ~constant):
        low, step = smallest[two], (largest - smallest)[two]
        share = np.stack(proportion_limits(np.rint(count * (mean[two] - low) / step), count, confidence))
        spread = np.sqrt(share * (1 - share))
        most = np.where((share[0] < 0.5) & (share[1] > 0.5), 0.5, spread.max(axis=0))
        for ends, new in ((mean_ends, low + step * share), (std_ends, step * np.stack([spread.min(axis=0), most]))):
            for end, values in zip(ends, new, strict=True):
                end[two] = values
        mean_doubtful[two] = std_doubtful[two] = False
    return MomentLimits(*mean_ends, *std_ends, mean_doubtful, std_doubtful, constant)


def mean_limits(mean: np.ndarray, std: np.ndarray, count: int, confidence: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
    """Confidence limits of a mean by Student's t; infinite below `LEAST` runs."""
    from scipy.stats import t

    if count < LEAST:
        return np.full_like(mean, -np.inf), np.full_like(mean, np.inf)
    half = t.ppf((1 + confidence) / 2, count - 1) * std / np.sqrt(count)
    return mean - half, mean + half


def std_limits(std: np.ndarray, kurtosis: np.ndarray, count: int, confidence: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
    """Confidence limits of a standard deviation for any distribution, with `kurtosis` as of `shape`; Bonett, Comput. Stat. Data Anal. 50
    (2006) 775.
    """
    from scipy.stats import norm

    if count < LEAST:
        return np.zeros_like(std), np.full_like(std, np.inf)
    z = norm.ppf((1 + confidence) / 2)
    c = count / (count - z)
    half = z * c * np.sqrt(np.maximum(kurtosis - (count - 3) / count, 0.0) / (count - 1))
    return std * np.sqrt(c) * np.exp(-half / 2), std * np.sqrt(c) * np.exp(half / 2)


def proportion_limits(hits: np.ndarray, count: int, confidence: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
    """Confidence limits of a probability from `hits` of `count` runs; Clopper and Pearson, Biometrika 26 (1934) 404."""
    from scipy.special import betaincinv

    tail = (1 - confidence) / 2
    lower = np.where(hits > 0, betaincinv(np.maximum(hits, 1), count - hits + 1, tail), 0.0)
    upper = np.where(hits < count, betaincinv(hits + 1, np.maximum(count - hits, 1), 1 - tail), 1.0)
    return lower, upper


def two_valued(mean: np.ndarray, std: np.ndarray, smallest: np.ndarray, largest: np.ndarray, count: int) -> np.ndarray:
    """Which columns take their least and their greatest value only, (columns,): no others have so large a variance (Bhatia and Davis)."""
    if count < 2:
        return np.zeros(mean.shape, bool)
    greatest = (mean - smallest) * (largest - mean)
    return std**2 * (count - 1) / count >= (1 - _SAME) * greatest


def shape(sample: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Skewness, and kurtosis about a trimmed mean as Bonett takes it, of the rows of `sample` (n, columns): 2 x (columns,)."""
    third, fourth = columnwise(_shape, sample)
    return third, fourth


def _shape(sample: np.ndarray) -> np.ndarray:
    from scipy.stats import trim_mean

    n, columns = sample.shape
    if n < LEAST:
        return np.stack([np.zeros(columns), np.full(columns, 3.0)])
    centred = sample - sample.mean(axis=0)
    scale = np.abs(centred).max(axis=0)
    centred = np.divide(centred, scale, out=np.zeros_like(centred), where=scale > 0)  # powers of small numbers vanish
    second = (centred**2).mean(axis=0)
    some = second > 0
    third = np.divide((centred**3).mean(axis=0), second**1.5, out=np.zeros(columns), where=some)
    trimmed = centred - trim_mean(centred, 1 / (2 * np.sqrt(n - 4)), axis=0)
    return np.stack([third, np.divide((trimmed**4).mean(axis=0), second**2, out=np.full(columns, 3.0), where=some)])
