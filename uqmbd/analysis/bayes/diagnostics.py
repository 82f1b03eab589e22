"""How far chains can be believed: whether ensembles agree (R-hat), and how many independent draws theirs are worth."""

from __future__ import annotations

import numpy as np


def nested_rhat(draws: np.ndarray) -> np.ndarray:
    """Potential scale reduction of ensembles that know nothing of each other: 1 where they agree, larger where they do not.

    Each ensemble is cut into its earlier and its later half, so that a drift is seen as well.

    Parameters
    ----------
    draws : ndarray, shape (ensembles, walkers, steps, d)
        Four steps at least. With one walker in each it is the usual R-hat of single chains.

    Returns
    -------
    ndarray, shape (d,)

    References
    ----------
    Margossian et al., Nested R-hat, Bayesian Anal. (2024), eq. 7-9; halves as in Vehtari et al., Bayesian Anal. 16 (2021) 667.

    Examples
    --------
    >>> import numpy as np
    >>> draws = np.random.default_rng(1).standard_normal((2, 10, 200, 1))
    >>> bool(nested_rhat(draws)[0] < 1.01), bool(nested_rhat(draws + np.array([0.0, 1.0])[:, None, None, None])[0] > 1.1)
    (True, True)
    """
    half = draws.shape[2] // 2
    halves = np.concatenate([draws[:, :, :half], draws[:, :, -half:]])
    chains = halves.mean(axis=2)
    between = chains.mean(axis=1).var(axis=0, ddof=1)
    apart = chains.var(axis=1, ddof=1) if chains.shape[1] > 1 else 0.0
    within = (apart + halves.var(axis=2, ddof=1).mean(axis=1)).mean(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(between > 0, np.sqrt(1.0 + between / within), 1.0)


def effective_size(draws: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How many independent draws would tell the mean as well, and for how many steps walkers remember where they were.

    The variance of the mean over all is that of the walkers' mean over time, since walkers of an ensemble go by each other and are no
    chains of their own (Goodman, Weare 2010, section 3); its autocorrelation over all ensembles, and where that is cut off, are those of
    Vehtari et al. 2021, section 3.2.

    Parameters
    ----------
    draws : ndarray, shape (ensembles, walkers, steps, d)

    Returns
    -------
    size : ndarray, shape (d,)
    time : ndarray, shape (d,)
        Steps that are worth an independent one.

    Examples
    --------
    >>> import numpy as np
    >>> draws = np.random.default_rng(1).standard_normal((2, 10, 500, 1))
    >>> size, time = effective_size(draws)
    >>> bool(0.8 < size[0] / draws.size < 1.25), bool(0.5 < time[0] < 1.5)
    (True, True)
    """
    ensembles, walkers, steps, d = draws.shape
    means = draws.mean(axis=1)
    spread = draws.reshape(-1, d).var(axis=0)
    own = np.array([_sum_of_correlations(means[..., i]) for i in range(d)])  # (d, 2): variance of a mean of walkers, time of correlation
    error = own[:, 0] * own[:, 1] / (ensembles * steps)
    most = float(ensembles * walkers * steps)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(error > 0, np.minimum(spread / error, most * np.log10(max(most, 10.0))), most), own[:, 1]


def _sum_of_correlations(chains: np.ndarray) -> tuple[float, float]:
    """Variance of a number along chains (chains, steps), and the steps that are worth one independent one."""
    count, steps = chains.shape
    centred = chains - chains.mean(axis=1, keepdims=True)
    length = 2 ** int(np.ceil(np.log2(2 * steps)))
    power = np.abs(np.fft.rfft(centred, length, axis=1)) ** 2
    covariance = np.fft.irfft(power, length, axis=1)[:, :steps] / steps
    within = covariance[:, 0].mean() * steps / (steps - 1)
    between = chains.mean(axis=1).var(ddof=1) if count > 1 else 0.0
    variance = within * (steps - 1) / steps + between
    if not variance > 0:
        return 0.0, 1.0
    rho = 1.0 - (within - covariance.mean(axis=0)) / variance
    rho[0] = 1.0
    pairs = rho[: steps // 2 * 2].reshape(-1, 2).sum(axis=1)
    negative = np.flatnonzero(pairs < 0)
    pairs = np.minimum.accumulate(pairs[: negative[0] if negative.size else None])
    return float(variance), float(max(2.0 * pairs.sum() - 1.0, 1.0 / np.log10(max(count * steps, 10))))
