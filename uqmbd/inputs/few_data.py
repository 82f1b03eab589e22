"""Distributions that know how few the data are: a smoothed sample with the right spread, and the predictive distribution of a fit."""

from __future__ import annotations

from functools import cache

import numpy as np

from uqmbd.inputs.laws import ExpOf, Frozen, Law, Scored

SMOOTH_POINTS = 4097  # of a smoothed distribution function
FARTHEST = 12.0  # kernel widths beyond the sample, where it ends
RESAMPLES = 1000  # of the bootstrap of a fit
WIDE = 16.0  # of the table of a mixture: a thousandth of its sinh are spreads
MIXED_POINTS = 801
PREDICTED = ("normal", "lognormal", "exponential", "uniform", "gumbel", "weibull", "logistic")  # location and scale, or those of logarithms


def smoothed(sample: np.ndarray) -> Scored:
    """Gaussian kernels around the values, drawn together so that mean and variance are the unbiased ones of the sample.

    Kernels of Scott's width h alone add h² to the variance, which is why they are drawn together (Silverman, Density Estimation (1986),
    6.4.1; Jones, Aust. J. Stat. 33 (1991) 361).
    """
    from scipy.special import ndtr

    mean, spread = sample.mean(), sample.std(ddof=1)
    width = spread * len(sample) ** -0.2
    drawn = spread / np.hypot(sample.std(), width)
    centres, width = mean + drawn * (sample - mean), drawn * width
    x = np.linspace(centres.min() - FARTHEST * width, centres.max() + FARTHEST * width, SMOOTH_POINTS)
    below, beyond = np.zeros(len(x)), np.zeros(len(x))
    for start in range(0, len(sample), 500):
        apart = (x[:, None] - centres[start : start + 500]) / width
        below += ndtr(apart).sum(axis=1)
        beyond += ndtr(-apart).sum(axis=1)
    return Scored.of(x, below / len(sample), beyond / len(sample))


def predictive(sample: np.ndarray, family: str) -> Law:
    """Distribution of one more value of a family whose parameters the sample tells only so well: one of `PREDICTED`.

    A normal variable: Student's t with n - 1 degrees of freedom, wider by ``sqrt(1 + 1/n)``; an exponential one: Lomax's. Of the others the
    fit is made again of `RESAMPLES` samples, and what pivots say of location and scale is mixed, so that the share of further values beyond
    a quantile is on average what it says (Lawless, Statistical Models and Methods for Lifetime Data, 2nd ed. (2003), 5.1 and app. E).
    """
    from scipy import stats

    n = len(sample)
    if family == "lognormal":
        return ExpOf(predictive(np.log(sample), "normal"))
    if family == "weibull":
        return ExpOf(_mixed(np.log(sample), "gumbel_l"))
    if family == "normal":
        return Frozen(stats.t(n - 1, sample.mean(), sample.std(ddof=1) * np.sqrt(1 + 1 / n)))
    if family == "exponential":
        return Frozen(stats.lomax(n, 0.0, n * sample.mean()))
    return _mixed(sample, {"gumbel": "gumbel_r"}.get(family, family))


def _mixed(sample: np.ndarray, family: str) -> Scored:
    """Mixture over the locations and scales that are likely in view of the sample; `family` in scipy's words."""
    from scipy import stats

    kind = getattr(stats, family)
    location, scale = kind.fit(sample)
    at, size = pivots(family, len(sample))
    scales = scale / size
    locations = location - at * scales
    x = np.median(locations) + np.median(scales) * np.sinh(np.linspace(-WIDE, WIDE, MIXED_POINTS)) * 1e-3
    below, beyond = np.empty(len(x)), np.empty(len(x))
    for start in range(0, len(x), 100):
        part = (x[start : start + 100, None] - locations) / scales
        with np.errstate(over="ignore"):  # far out in the tail of a double exponential
            below[start : start + 100], beyond[start : start + 100] = kind.cdf(part).mean(axis=1), kind.sf(part).mean(axis=1)
    return Scored.of(x, below, beyond)


@cache
def pivots(family: str, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Locations and scales that are fitted to samples of n values of the standard distribution, (RESAMPLES,) each."""
    from scipy import stats

    kind = getattr(stats, family)
    samples = kind.rvs(size=(RESAMPLES, n), random_state=np.random.default_rng(n))
    found = np.array([kind.fit(sample) for sample in samples])
    return found[:, 0], found[:, 1]
