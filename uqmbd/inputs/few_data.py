"""Distributions that know how few the data are: a smoothed sample with the right spread, and the predictive distribution of a fit."""

from __future__ import annotations

from functools import cache

import numpy as np

from uqmbd.inputs.univariate import Distribution, Frozen, Scored, Transformed, exp_of

SMOOTH_POINTS = 4097  # of a smoothed distribution function
FARTHEST = 12.0  # kernel widths beyond the sample, where it ends
RESAMPLES = 1000  # of the bootstrap of a fit
WIDE = 16.0  # of the table of a mixture: a thousandth of its sinh are spreads
MIXED_POINTS = 801
PREDICTED = ("normal", "lognormal", "exponential", "uniform", "gumbel", "weibull", "logistic", "gamma")
ENOUGH = 100  # values of a gamma variable from which on the estimates of its parameters are normal
SHAPES = (-7.0, 12.0)  # decimal powers between which the shape of a gamma variable is looked for
HALVINGS, EVEN = 46, 1024  # steps to it; samples whose numbers are spread evenly


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


def predictive(sample: np.ndarray, family: str) -> Distribution:
    """Distribution of one more value of a family whose parameters the sample tells only so well: one of `PREDICTED`.

    A normal variable: Student's t with n - 1 degrees of freedom, wider by ``sqrt(1 + 1/n)``; an exponential one: Lomax's. Of the others the
    fit is made again of `RESAMPLES` samples, and what pivots say of location and scale is mixed, so that the share of further values beyond
    a quantile is on average what it says (Lawless, Statistical Models and Methods for Lifetime Data, 2nd ed. (2003), 5.1 and app. E).
    """
    from scipy import stats

    n = len(sample)
    if family == "gamma":
        return _gamma(sample)
    if family == "lognormal":
        return exp_of(predictive(np.log(sample), "normal"))
    if family == "weibull":
        return exp_of(_mixed(np.log(sample), "gumbel_l"))
    if family == "normal":
        return Frozen(stats.t(n - 1, sample.mean(), sample.std(ddof=1) * np.sqrt(1 + 1 / n)))
    if family == "exponential":
        return Frozen(stats.lomax(n, 0.0, n * sample.mean()))
    return _mixed(sample, {"gumbel": "gumbel_r"}.get(family, family))


def _gamma(sample: np.ndarray) -> Transformed:
    """Mixture over the shapes and scales of gamma variables that are likely in view of the sample; see `gamma_parameters`."""
    from scipy import special

    shapes, scales = gamma_parameters(sample)
    logs = np.log(scales)
    spread = np.sqrt(special.polygamma(1, np.median(shapes)))
    y = np.median(special.digamma(shapes) + logs) + spread * np.sinh(np.linspace(-WIDE, WIDE, MIXED_POINTS)) * 1e-3
    below, beyond = np.empty(len(y)), np.empty(len(y))
    with np.errstate(over="ignore", under="ignore"):
        for start in range(0, len(y), 100):
            x = np.exp(y[start : start + 100, None] - logs)
            below[start : start + 100] = special.gammainc(shapes, x).mean(axis=1)
            beyond[start : start + 100] = special.gammaincc(shapes, x).mean(axis=1)
    return exp_of(Scored.of(y, below, beyond))


def gamma_parameters(sample: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Shapes and scales that are likely in view of a sample of a gamma variable, some 1,000 each.

    With numbers U of the unit interval, samples of every shape are ``G⁻¹(U)``. The logarithm of their mean less the mean of their
    logarithms depends on the shape alone, and falls with it: that at which it is the sample's is a likely shape, and the scale then
    follows from the mean (fiducial inference; Chen and Ye, Communications in Statistics 46 (2017) 3463). Of many values it is what maximum
    likelihood says of both.
    """
    from scipy import special, stats

    n, mean = len(sample), sample.mean()
    gap = np.log(mean) - np.log(sample).mean()
    rng = np.random.default_rng(n)
    if n > ENOUGH:
        shape = stats.gamma.fit(sample, floc=0)[0]
        width = 1 / np.sqrt(n * shape * (shape * special.polygamma(1, shape) - 1))  # of the logarithm
        shapes = shape * np.exp(width * rng.standard_normal(RESAMPLES))
        return shapes, mean / (rng.gamma(n * shapes) / n)
    u = stats.qmc.Sobol(n, rng=rng).random(EVEN)
    low, high = (np.full(EVEN, end) for end in SHAPES)
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        drawn = np.maximum(special.gammaincinv((10.0**middle)[:, None], u), 1e-300)
        wide = np.log(drawn.mean(axis=1)) - np.log(drawn).mean(axis=1) > gap
        low, high = np.where(wide, middle, low), np.where(wide, high, middle)
    shapes = 10.0 ** (0.5 * (low + high))
    return shapes, mean / special.gammaincinv(shapes[:, None], u).mean(axis=1)


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
    fits = np.array([kind.fit(sample) for sample in samples])
    return fits[:, 0], fits[:, 1]
