"""Nested boxes of fuzzy numbers: expansions restricted to them, and the points of the transformation method."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

import numpy as np

Cut = Callable[[float], tuple[float, float]]


def inside(points: np.ndarray, box: np.ndarray) -> np.ndarray:
    """Which of the points (n, d) are in the box (d, 2), (n,)."""
    return np.all((points >= box[:, 0] - 1e-9) & (points <= box[:, 1] + 1e-9), axis=1)


def nested(bounds: np.ndarray, held: np.ndarray | None = None) -> np.ndarray:
    """Bounds (levels, 2, columns) of ascending memberships such that each holds the next.

    Those that are `held` (levels, columns) to be true, all where nothing is said, cut every level above. The others may be too narrow:
    they cut nothing, and are widened to the next.
    """
    held = np.ones((len(bounds), bounds.shape[2]), bool) if held is None else held
    lower, upper = np.where(held, bounds[:, 0], -np.inf), np.where(held, bounds[:, 1], np.inf)
    lower, upper = np.maximum.accumulate(lower, axis=0), np.minimum.accumulate(upper, axis=0)
    out = bounds.copy()
    out[:, 0] = np.where(held, lower, np.clip(bounds[:, 0], lower, upper))
    out[:, 1] = np.where(held, upper, np.clip(bounds[:, 1], lower, upper))
    for k in range(len(out) - 2, -1, -1):
        out[k, 0] = np.where(held[k], out[k, 0], np.fmin(out[k, 0], out[k + 1, 0]))
        out[k, 1] = np.where(held[k], out[k, 1], np.fmax(out[k, 1], out[k + 1, 1]))
    return out


def transformation_points(cuts: Sequence[Cut], levels: np.ndarray, *, general: bool) -> list[np.ndarray]:
    """Points of the transformation method at every level, ascending, (n, d) each.

    The reduced method takes the corners of every box. The general one takes grids that become finer towards the support: a level's
    inner points are the middles between the points of the level above (Hanss, Fuzzy Sets Syst. 130 (2002) 277).
    """
    axes: list[list[np.ndarray]] = []
    for cut in cuts:
        own: list[np.ndarray] = []
        for alpha in levels[::-1]:
            ends = np.unique(cut(float(alpha)))
            if general and own:
                before = own[-1]
                ends = np.concatenate([ends[:1], 0.5 * (before[1:] + before[:-1]), ends[-1:]])
            own.append(ends)
        axes.append(own[::-1])
    return [np.array(list(product(*(own[k] for own in axes)))) for k in range(len(levels))]


def transformation_count(cores: Sequence[int], levels: int, *, general: bool) -> int:
    """Number of points of all levels together; `cores` is the number of points of each input at the highest level (1 or 2)."""
    return sum(int(np.prod([core + k if general else min(core + k, 2) for core in cores])) for k in range(levels))
