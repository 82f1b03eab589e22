"""Two-loop Monte Carlo: bounds of statistics over intervals from runs alone, with confidence limits.

The outer loop goes over points of the intervals, the inner one over random inputs, of which every outer point has the same sample (common
random numbers: what differs between points is then the points, not the samples). At each outer point a statistic has two-sided confidence
limits. The least lower limit is below the least of the true statistics at these points at least as surely as one limit is below its
own, and no less with many points than with one.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import ceil, log, sqrt

import numpy as np

from uqmbd.analysis.moment_limits import moment_limits
from uqmbd.analysis.order_statistics import level_name, quantiles
from uqmbd.analysis.regions import CORNERS, Region

LEAST_INNER = 20  # runs at an outer point
SHARE = 0.35  # outer points for each root of a run: the limits of the inner loop shrink with the root of its runs
CONFIDENCE = 0.95


def shares(runs: int, wide: int) -> tuple[int, int]:
    """How many outer points with how many runs each `runs` make, for so many inputs that are not fixed; 0, 0 where they are too few."""
    corners = 2**wide + 1 if wide <= CORNERS else 2 * wide + 1
    outer = min(max(corners, ceil(SHARE * sqrt(runs))), runs // LEAST_INNER)
    return (outer, runs // outer) if outer >= 3 else (0, 0)


def outer_points(regions: Sequence[Region], count: int) -> tuple[np.ndarray, list[int]]:
    """At most `count` points x (n, d) of regions each of which is inside the one before, and the regions of which all corners are there.

    First the corners of the widest and the centre of the innermost, then corners of others, then Sobol' points of the widest. Where
    there is no room for the corners of the widest, it has as many of them as fit, and counts all the same. Corners of a ball are its
    points on the diagonals; it has those on its axes as well.
    """
    from scipy.stats import qmc

    d = len(regions[0].box)
    ways = np.array(list(product((-1.0, 1.0), repeat=d))) if d <= CORNERS else _spread_signs(d)
    ways = np.concatenate([ways, np.eye(d), -np.eye(d)]) if regions[0].round else ways
    centre = regions[-1].points(np.zeros((1, d)))

    def corners(region: Region) -> np.ndarray:
        return _unique(region.points(np.where(region.wide, region.body.project(ways), 0.0)))

    found, served = _unique(np.concatenate([centre, corners(regions[0])]))[:count], [0]
    room = len(found) + (count - len(found)) // 2 if len(regions) > 1 else 0  # the other half goes to the inside of the widest
    for k in _by_halves(len(regions)):
        more = _unique(np.concatenate([found, corners(regions[k])]))
        if len(more) <= room:
            found, served = more, [*served, k]
    if len(found) < count:
        u = qmc.Sobol(d, scramble=False).random_base2(max(count, 2).bit_length())[1:]  # the first point is a corner
        inner = regions[0].points(np.where(regions[0].wide, regions[0].body.project(2 * u - 1), 0.0))
        found = _unique(np.concatenate([found, inner]))[:count]
    return found, sorted(served)


def statistic_limits(values: np.ndarray, ok: np.ndarray, levels: Sequence[float]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Confidence limits at one outer point of mean, standard deviation, variance and quantiles.

    Parameters
    ----------
    values : ndarray, shape (n, columns)
    ok : ndarray of bool, shape (n,)
        Runs that did not fail.

    Returns
    -------
    limits : ndarray, shape (statistics, 2, columns)
        Infinite where the runs are too few.
    doubtful : ndarray of bool, shape (2, columns)
        Whether the limits of the mean and of the standard deviation cannot be relied upon, see `MomentLimits`.
    """
    some = values[ok]
    count, columns = some.shape
    if count < 2:
        out = np.tile(np.array([-np.inf, np.inf])[:, None], (3 + len(levels), 1, columns))
        out[1:3, 0] = 0.0
        return out, np.ones((2, columns), bool)
    found = moment_limits(some.mean(axis=0), some.std(axis=0, ddof=1), some.min(axis=0), some.max(axis=0), count, some, CONFIDENCE)
    deviation = np.stack([found.std_lower, found.std_upper])
    ranks = quantiles(some, tuple(levels), CONFIDENCE)
    names = map(level_name, levels)
    ends = [np.stack([ranks[f"{name}_lower"], ranks[f"{name}_upper"]]) for name in names]
    return (
        np.stack([np.stack([found.mean_lower, found.mean_upper]), deviation, deviation**2, *ends]),
        np.stack([found.mean_doubtful, found.std_doubtful]),
    )


def probability_box(values: np.ndarray, ok: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Lower and upper probability to be at most the values `at` (m,) over outer points, (2, m), each with its limit.

    The limits are those of whole distribution functions (Massart, Ann. Probab. 18 (1990) 1269).

    Parameters
    ----------
    values, ok : ndarray, shape (outer points, n)
        Of one output.
    """
    low, high = np.ones(len(at)), np.zeros(len(at))
    for row, good in zip(values, ok, strict=True):
        count = max(int(good.sum()), 1)
        share = np.searchsorted(np.sort(row[good]), at, side="right") / count
        off = sqrt(log(2 / (1 - CONFIDENCE)) / (2 * count))
        low, high = np.minimum(low, share - off), np.maximum(high, share + off)
    return np.clip(np.stack([low, high]), 0, 1)


def _spread_signs(d: int) -> np.ndarray:
    """Corners of which each input has both ends in one half: 2 d of them or more, from a Hadamard matrix (two-level design)."""
    from scipy.linalg import hadamard

    signs = hadamard(2 ** ceil(log(d + 1, 2)))[:, 1 : d + 1].astype(float)
    return np.concatenate([signs, -signs])


def _unique(points: np.ndarray) -> np.ndarray:
    """Different points in the order of their first."""
    return points[np.sort(np.unique(points.round(12), axis=0, return_index=True)[1])]


def _by_halves(count: int) -> list[int]:
    """All of 1 ... count - 1: the last, then middles of what is left out, and middles of these."""
    order, gaps = [count - 1] if count > 1 else [], [(0, count - 1)]
    while gaps:
        low, high = gaps.pop(0)
        if high - low > 1:
            middle = (low + high) // 2
            order.append(middle)
            gaps += [(low, middle), (middle, high)]
    return order
