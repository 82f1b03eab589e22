"""The evidence of a model from draws of its posterior: the density of what was measured before it was measured."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

SHARE = 0.5  # of the normal density that is compared with the posterior: its middle, where the ratio of both is bounded
BATCHES = 8  # of the steps of each ensemble, whose scatter says how well the evidence is known
FEWEST = 4  # draws of a batch within the middle


@dataclass(frozen=True)
class LogEvidence:
    """Natural logarithm of the evidence, and its 95 % limits."""

    value: float
    lower: float
    upper: float


def log_evidence(z: np.ndarray, log_density: np.ndarray) -> LogEvidence | None:
    """By the mean, over the posterior, of a known density over that of readings and prior, whose inverse is the evidence.

    The known one is a normal density with the mean and the covariance of the draws of the other ensembles, cut off at an ellipsoid, beyond
    which it is 0: a ratio that grows without limit in the tails, as that of a harmonic mean, does not occur.

    Parameters
    ----------
    z : ndarray, shape (steps, ensembles, walkers, d)
        Draws.
    log_density : ndarray, shape (steps, ensembles, walkers)
        Logarithm of the density of the readings times that of the prior there.

    Returns
    -------
    LogEvidence or None
        None where the draws are too few, or in fewer directions than there are.

    References
    ----------
    Gelfand, Dey, J. R. Stat. Soc. B 56 (1994) 501; cut off: Geweke, Econom. Rev. 18 (1999) 1, section 4.3.

    Examples
    --------
    >>> import numpy as np
    >>> z = np.random.default_rng(1).standard_normal((200, 2, 16, 2))
    >>> found = log_evidence(z, 3.0 - 0.5 * (z**2).sum(axis=-1) - np.log(2 * np.pi))  # 3 plus the logarithm of a density
    >>> bool(found.lower < 3.0 < found.upper), round(found.value, 1)
    (True, 3.0)
    """
    from scipy import stats

    steps, ensembles, _, d = z.shape
    if steps < BATCHES * FEWEST:
        return None
    radius = stats.chi2.ppf(SHARE, d)
    ratios = []
    for k in range(ensembles):
        rest = np.delete(z, k, axis=1).reshape(-1, d)
        covariance = np.atleast_2d(np.cov(rest, rowvar=False))
        sign, log_det = np.linalg.slogdet(covariance)
        if sign <= 0 or not np.isfinite(log_det):
            return None
        apart = z[:, k] - rest.mean(axis=0)
        squares = np.einsum("...i,ij,...j->...", apart, np.linalg.inv(covariance), apart)
        known = -0.5 * (squares + log_det + d * np.log(2 * np.pi)) - np.log(SHARE)
        ratios.append(np.where(squares <= radius, known - log_density[:, k], -np.inf))
    log_ratio = np.stack(ratios, axis=1)
    shift = log_ratio.max()
    if not np.isfinite(shift):
        return None
    ratio = np.exp(log_ratio - shift).mean(axis=2)
    batches = np.concatenate([part.mean(axis=0) for part in np.array_split(ratio, BATCHES)])
    mean = batches.mean()
    half = stats.t.ppf(0.975, len(batches) - 1) * batches.std(ddof=1) / np.sqrt(len(batches))
    value = -float(np.log(mean) + shift)
    lower, upper = (value - float(np.log1p(half / mean)), value - float(np.log(max(1.0 - half / mean, 1e-300))))
    return LogEvidence(value, lower, upper)
