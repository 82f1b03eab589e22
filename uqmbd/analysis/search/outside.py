"""How far, and how often, runs that a search has not seen leave its bounds."""

from __future__ import annotations

import numpy as np

from uqmbd.analysis.statistics.moment_limits import proportion_limits

CONFIDENCE = 0.95


def exceedance(values: np.ndarray, bounds: np.ndarray) -> np.ndarray:
    """By how much the furthest of runs (runs, columns) lies below and above `bounds` (2, columns), at least 0; NaN counts for nothing."""
    if not len(values):
        return np.zeros_like(bounds)
    with np.errstate(invalid="ignore"):
        low = np.fmax.reduce(bounds[0] - values, axis=0, initial=0.0)
        high = np.fmax.reduce(values - bounds[1], axis=0, initial=0.0)
    return np.stack([low, high])


def leaving(values: np.ndarray, bounds: np.ndarray, margin: np.ndarray) -> np.ndarray:
    """Whether each run is outside by more than the margin (columns,), (runs, columns)."""
    with np.errstate(invalid="ignore"):
        return (values < bounds[0] - margin) | (values > bounds[1] + margin)


def share_at_most(hits: np.ndarray | int, count: int) -> np.ndarray:
    """The share of which, with 95 % confidence, less than so many of independent runs say; ``3/count`` where none of them does.

    One-sided limit of Clopper and Pearson, Biometrika 26 (1934) 404.
    """
    return proportion_limits(np.asarray(hits), count, 2 * CONFIDENCE - 1)[1] if count else np.ones(np.shape(hits))
