"""Limits of estimates from estimates of parts of the runs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np


def limits(kind: str, value: np.ndarray, std: np.ndarray, confidence: float, count: int) -> dict[str, np.ndarray]:
    """`value` under its kind, with limits by Student's t from a standard deviation over `count` resamples."""
    from scipy.stats import t

    half = float(t.ppf((1 + confidence) / 2, count - 1)) * std
    return {kind: value, f"{kind}_lower": value - half, f"{kind}_upper": value + half}


def by_halves(
    estimate: Callable[[np.ndarray, np.ndarray], np.ndarray], points: np.ndarray, values: np.ndarray, rng: np.random.Generator, count: int
) -> tuple[np.ndarray, np.ndarray]:
    """An estimate, and its standard deviation: `count` halves of the runs, drawn at random, scatter about it as it about the truth."""
    total, square = 0.0, 0.0
    whole = estimate(points, values)
    for _ in range(count):
        rows = np.sort(rng.permutation(len(points))[: len(points) // 2])
        part = estimate(points[rows], values[rows]) - whole
        total, square = total + part, square + part**2
    return whole, np.sqrt(np.maximum(square / count - (total / count) ** 2, 0.0) * count / (count - 1))
