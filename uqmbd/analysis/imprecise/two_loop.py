"""Two-loop Monte Carlo: bounds of statistics over intervals from runs alone, with confidence limits.

The outer loop goes over points of the intervals, the inner one over random inputs, of which every outer point has the same sample (common
random numbers: what differs between points is then the points, not the samples). At each outer point a statistic has two-sided confidence
limits. The least lower limit is below the least of the true statistics at these points at least as surely as one limit is below its
own, and no less with many points than with one. Between the points of a grid of ends and middles the parabolas through the limits stand for
what no point shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import ceil, log, sqrt

import numpy as np

from uqmbd.analysis.base.design import sobol_sequence
from uqmbd.analysis.chaos.expansion import Expansion
from uqmbd.analysis.chebyshev import chebyshev
from uqmbd.analysis.chebyshev.expansions import TensorExpansion
from uqmbd.analysis.imprecise.probability_box import Conditional
from uqmbd.analysis.sets.regions import CORNERS, Region
from uqmbd.analysis.statistics.moment_limits import moment_limits
from uqmbd.analysis.statistics.order_statistics import level_name, quantiles

LEAST_INNER = 20  # runs at an outer point
USUAL_INNER = 40  # where there are enough
SHARE = 0.1  # outer points for each root of a run: the limits of the inner loop shrink with the root of its runs
PROPOSED = 4  # outer points that an expansion proposes
GRID = 3  # inputs up to which ends and middles are combined, so that a parabola shows an extreme between them
_NEAR = 0.2  # of half an interval: proposals that are one
_SCANNED, _EDGE = 256, 0.6  # candidates, and coordinates from which they are also tried at the end
CONFIDENCE = 0.95


def least_runs(wide: int) -> int | None:
    """Runs from which all corners of so many inputs that are not fixed, and their centre, can be outer points; None: there are too many.

    With fewer, bounds would miss the extremes even of a monotonic statistic.
    """
    return LEAST_INNER * (2**wide + 1) if wide <= CORNERS else None


def shares(runs: int, wide: int) -> tuple[int, int]:
    """At most how many outer points `runs` make, for so many inputs that are not fixed, and up to how many Sobol' points fill up.

    0 where the runs are too few, see `least_runs`.
    """
    needed = least_runs(wide)
    if needed is None or runs < needed:
        return 0, 0
    corners, sobol = 2**wide + 1, ceil(SHARE * sqrt(runs))
    wanted = max((3**wide if wide <= GRID else corners) + PROPOSED, sobol)
    most = max(corners, min(wanted, runs // USUAL_INNER))
    return most, min(most, sobol)


def proposed(expansion: Expansion, intervals: Sequence[int], region: Region, u: np.ndarray, levels: Sequence[float]) -> np.ndarray:
    """Points x (n, intervals) of a region where statistics of an expansion are least or greatest, those of the most columns first.

    An expansion that is too rough for bounds still knows where inside the intervals an extreme is. Near an extreme a statistic hardly
    varies, so that the place need not be exact. `u` (n, random inputs) is a sample of the unit cube.
    """
    inside = region.candidates(_SCANNED)
    edges = region.body.project(np.where(np.abs(inside) > _EDGE, np.sign(inside), inside))
    x, columns = region.points(np.unique(np.concatenate([inside, edges]), axis=0)), expansion.c.shape[1]
    statistics = np.empty((2 + len(levels), len(x) * columns))
    pairs = np.repeat(x, columns, axis=0), np.tile(np.arange(columns), len(x))
    for at, values in Conditional(expansion, intervals, u).samples(*pairs):
        statistics[:, at] = np.stack([values.mean(axis=1), values.std(axis=1), *np.quantile(values, levels, axis=1)])
    statistics = statistics.reshape(-1, len(x), columns)
    votes = np.bincount(np.stack([statistics.argmin(axis=1), statistics.argmax(axis=1)]).ravel(), minlength=len(x))
    chosen = []
    while votes.any():
        chosen.append(x[votes.argmax()])
        votes[np.abs(x - chosen[-1]).max(axis=1) <= _NEAR] = 0
    return np.array(chosen)


def outer_points(regions: Sequence[Region], most: int, fill: int, proposals: np.ndarray) -> tuple[np.ndarray, list[int], np.ndarray]:
    """At most `most` points x (n, d) of regions each of which is inside the one before; of which regions all corners are there; the grid.

    Of up to `GRID` inputs in no set all combinations of ends and middle come first: their rows in x are the grid (empty where there is
    no room). Otherwise the corners of the widest region and the centre of the innermost. Then `proposals` (n, d), the corners of other
    regions, and Sobol' points of the widest until there are `fill`. Corners of a ball are its points on the diagonals and axes.
    """
    d, wide = len(regions[0].box), regions[0].wide
    ways = np.array(list(product((-1.0, 1.0), repeat=d)))
    ways = np.concatenate([ways, np.eye(d), -np.eye(d)]) if regions[0].round else ways

    def corners(region: Region) -> np.ndarray:
        return _unique(region.points(np.where(region.wide, region.body.project(ways), 0.0)))

    grid = np.empty(0, int)
    if not regions[0].bound and wide.sum() <= GRID and 3 ** wide.sum() <= most:
        points = regions[0].points(np.array(list(product(*((1.0, 0.0, -1.0) if one else (0.0,) for one in wide)))))
        grid = np.arange(len(points))
    else:
        points = np.concatenate([corners(regions[0]), regions[-1].points(np.zeros((1, d)))])
    points, served = _unique(np.concatenate([points, proposals[:PROPOSED]]))[: max(most, len(points))], [0]
    for k in _by_halves(len(regions)):
        more = _unique(np.concatenate([points, corners(regions[k])]))
        if len(more) <= most:
            points, served = more, [*served, k]
    if len(points) < fill:
        u = sobol_sequence(1 << max(fill, 2).bit_length(), d)[1:]  # the first point is a corner
        inner = regions[0].points(np.where(wide, regions[0].body.project(2 * u - 1), 0.0))
        points = _unique(np.concatenate([points, inner]))[:fill]
    return points, sorted(served), grid


def between(limits: np.ndarray, box: np.ndarray, wide: np.ndarray) -> np.ndarray:
    """Least and greatest value over a box (d, 2) in [-1, 1]^d of the parabolas through values on the grid, (2, columns).

    Of `limits` (3**inputs, columns); `wide` (d,), bool, are the inputs of the grid.
    """
    count = int(wide.sum())
    c = chebyshev.coefficients(limits.reshape(*(3,) * count, -1), [2] * count)
    part = TensorExpansion(c).restricted(box[wide])
    return part.range("bernstein", 1e-3 * np.maximum(np.ptp(limits, axis=0), 1e-300))[0]


def statistic_limits(values: np.ndarray, ok: np.ndarray, levels: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    """Confidence limits at one outer point of mean, standard deviation, variance and quantiles, and which of them are doubtful.

    Of `values` (n, columns) at runs that are `ok` (n,): (statistics, 2, columns), infinite where the runs are too few, and whether those of
    mean and standard deviation cannot be relied upon, (2, columns), see `MomentLimits`.
    """
    some = values[ok]
    count, columns = some.shape
    if count < 2:
        out = np.tile(np.array([-np.inf, np.inf])[:, None], (3 + len(levels), 1, columns))
        out[1:3, 0] = 0.0
        return out, np.ones((2, columns), bool)
    limits = moment_limits(some.mean(axis=0), some.std(axis=0, ddof=1), some.min(axis=0), some.max(axis=0), count, some, CONFIDENCE)
    deviation = np.stack([limits.std_lower, limits.std_upper])
    ranks = quantiles(some, tuple(levels), CONFIDENCE)
    names = map(level_name, levels)
    ends = [np.stack([ranks[f"{name}_lower"], ranks[f"{name}_upper"]]) for name in names]
    return (
        np.stack([np.stack([limits.mean_lower, limits.mean_upper]), deviation, deviation**2, *ends]),
        np.stack([limits.mean_doubtful, limits.std_doubtful]),
    )


def probability_box(values: np.ndarray, ok: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Lower and upper probability to be at most the values `at` (m,) over outer points, (2, m), each with its limit.

    Of `values` and `ok` (outer points, n) of one output. The limits are those of whole distribution functions (Massart, Ann. Probab. 18
    (1990) 1269).
    """
    low, high = np.ones(len(at)), np.zeros(len(at))
    for row, good in zip(values, ok, strict=True):
        count = max(int(good.sum()), 1)
        share = np.searchsorted(np.sort(row[good]), at, side="right") / count
        off = sqrt(log(2 / (1 - CONFIDENCE)) / (2 * count))
        low, high = np.minimum(low, share - off), np.maximum(high, share + off)
    return np.clip(np.stack([low, high]), 0, 1)


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
