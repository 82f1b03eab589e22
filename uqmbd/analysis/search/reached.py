"""What runs reached in a region, where that is known well enough."""

from __future__ import annotations

import numpy as np

ENOUGH = 20  # runs whose ends are taken for a range: on average they miss 2/(n + 1) of the probability


def ends(values: np.ndarray, distance: np.ndarray) -> np.ndarray:
    """Least and greatest value of each column over the runs in a region, (2, columns).

    Of `values` (runs, columns) whose `distance` (runs,) from the region is 0 inside. Where fewer than `ENOUGH` runs are inside, the region
    is widened until so many are: all count that are no farther than the last of them. So a range never rests on a few runs.
    """
    reach = np.partition(distance, ENOUGH - 1)[ENOUGH - 1] if len(distance) >= ENOUGH else np.inf
    some = values[distance <= reach]
    return np.stack([some.min(axis=0), some.max(axis=0)])


def distance_from(points: np.ndarray, box: np.ndarray) -> np.ndarray:
    """Largest coordinate by which points (n, d) lie outside a box (d, 2), (n,); 0 inside."""
    outside = np.maximum(box[:, 0] - points, points - box[:, 1]).max(axis=1)
    return np.where(outside > 1e-9, outside, 0.0)
