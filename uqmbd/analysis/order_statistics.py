"""Quantiles of samples and their confidence intervals, without any assumption on the distribution."""

from __future__ import annotations

import numpy as np

LEVELS = (0.05, 0.25, 0.50, 0.75, 0.95)


def level_name(level: float) -> str:
    """``0.05 -> "q05"``."""
    return f"q{round(100 * level):02d}"


def quantiles(values: np.ndarray, levels: tuple[float, ...] = LEVELS, confidence: float = 0.95) -> dict[str, np.ndarray]:
    """Quantiles over the first axis with confidence limits from order statistics.

    Between the order statistics of rank j and k of n independent runs lies the quantile of level p with probability
    ``P(j <= B < k)``, B binomial (n, p) (David and Nagaraja, Order Statistics, 2003, 7.1). Where so few runs cannot bound a
    quantile on one side the limit is infinite.

    Parameters
    ----------
    values : ndarray, shape (n, ...)
        Finite values, one row a run.

    Returns
    -------
    dict of str to ndarray, shape (...)
        ``q05``, ``q05_lower``, ``q05_upper`` and so on.
    """
    from scipy.stats import binom

    n = len(values)
    ordered = np.sort(values, axis=0)
    out = {}
    for level in levels:
        name = level_name(level)
        tail = (1 - confidence) / 2
        first = int(binom.ppf(tail, n, level)) if n else 0
        last = int(binom.ppf(1 - tail, n, level)) + 1 if n else 1
        shape = values.shape[1:]
        out[name] = _interpolated(ordered, level) if n else np.full(shape, np.nan)
        out[name + "_lower"] = ordered[first - 1] if first >= 1 else np.full(shape, -np.inf)
        out[name + "_upper"] = ordered[last - 1] if last <= n else np.full(shape, np.inf)
    return out


def mean_limits(mean: np.ndarray, std: np.ndarray, count: int, confidence: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
    """Confidence limits of a mean by Student's t; infinite below two runs."""
    from scipy.stats import t

    if count < 2:
        return np.full_like(mean, -np.inf), np.full_like(mean, np.inf)
    half = t.ppf((1 + confidence) / 2, count - 1) * std / np.sqrt(count)
    return mean - half, mean + half


def _interpolated(ordered: np.ndarray, level: float) -> np.ndarray:
    """Linear between order statistics, numpy's default, without sorting again."""
    position = level * (len(ordered) - 1)
    below = int(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (position - below) * (ordered[above] - ordered[below])
