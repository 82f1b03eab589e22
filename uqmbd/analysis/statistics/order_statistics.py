"""Quantiles of samples and their confidence intervals, without any assumption on the distribution."""

from __future__ import annotations

import numpy as np

from uqmbd.analysis.base.columnwise import columnwise

LEVELS = (0.05, 0.25, 0.50, 0.75, 0.95)


def level_name(level: float) -> str:
    """Per cent with two digits before the point: ``0.05 -> "q05"``, ``0.001 -> "q00.1"``, ``0.999 -> "q99.9"``."""
    whole, _, rest = np.format_float_positional(round(100 * level, 12), trim="-").partition(".")
    return f"q{int(whole):02d}" + (f".{rest}" if rest else "")


def quantiles(values: np.ndarray, levels: tuple[float, ...] = LEVELS, confidence: float = 0.95) -> dict[str, np.ndarray]:
    """Quantiles of finite `values` (n, ...) over the first axis with confidence limits: (...) by ``q05``, ``q05_lower``, ``q05_upper`` ...

    Between the order statistics of rank j and k of n independent runs lies the quantile of level p with probability ``P(j <= B < k)``, B
    binomial (n, p) (David and Nagaraja, Order Statistics, 2003, 7.1). Where so few runs cannot bound a quantile on one side the limit is
    infinite.
    """
    from scipy.stats import binom

    n, shape, tail = len(values), values.shape[1:], (1 - confidence) / 2
    ranks = [(int(binom.ppf(tail, n, level)), int(binom.ppf(1 - tail, n, level)) + 1) if n else (0, 1) for level in levels]

    def of(part: np.ndarray) -> np.ndarray:
        ordered, rows = np.sort(part, axis=0), []
        for level, (first, last) in zip(levels, ranks, strict=True):
            rows.append(_interpolated(ordered, level) if n else np.full(part.shape[1], np.nan))
            rows.append(ordered[first - 1] if first >= 1 else np.full(part.shape[1], -np.inf))
            rows.append(ordered[last - 1] if last <= n else np.full(part.shape[1], np.inf))
        return np.array(rows)

    table = columnwise(of, values.reshape(n, -1) if n else np.empty((0, int(np.prod(shape)))))
    names = [level_name(level) + end for level in levels for end in ("", "_lower", "_upper")]
    return {name: row.reshape(shape) for name, row in zip(names, table, strict=True)}


def _interpolated(ordered: np.ndarray, level: float) -> np.ndarray:
    """Linear between order statistics, numpy's default, without sorting again."""
    position = level * (len(ordered) - 1)
    below = int(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (position - below) * (ordered[above] - ordered[below])
