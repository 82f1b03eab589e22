"""Worst points of several limits at once: on spheres of standard normal space (performance measure approach), and in boxes of intervals.

Searches are coroutines, as those of `uqmbd.analysis.reliability.form`: they yield points (n, d) with the number of the limit of each (n,),
and are sent the margins there (n,), negative where that limit is passed, NaN where a run failed.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np

Asked = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True, eq=False)
class Worst:
    """Where the margins are least."""

    points: np.ndarray  # (limits, d)
    margin: np.ndarray  # (limits,) there; NaN of those that are not searched for
    converged: np.ndarray  # bool (limits,)


@dataclass
class _Search:
    """That of one limit: the last ways on the sphere, and the last place in the box with its slope."""

    ways: list[np.ndarray]
    before: tuple[np.ndarray, np.ndarray] | None = None


def worst_points(
    beta: np.ndarray, begin: np.ndarray, roams: np.ndarray, *, randoms: int, step: float, tolerance: float, iterations: int
) -> Generator[Asked, np.ndarray, Worst]:
    """Least margins at the distances `beta` (limits,) by the hybrid mean value method (Youn, Choi, Park, J. Mech. Des. 125 (2003) 221).

    The next point on a sphere is that of steepest descent from the last; where these turn back and forth it lies in the middle of the last
    three directions. In the box the next place is the corner downhill, or, in coordinates in which the margin bends upwards, that of the
    secant. All limits that have not settled are asked at once, ``2d + 1`` points each; one whose runs failed is given up.

    Parameters
    ----------
    begin : ndarray, shape (limits, d)
        First points: `randoms` coordinates of standard normal space, then those of the box, from -1 to 1.
    roams : ndarray of bool, shape (limits,)
        Whether the worst place of the box is looked for; else a limit stays where it begins in it.
    step : float
        Of central differences: standard deviations, and half widths of the box.
    tolerance : float
        Distance of two points, over `beta` where that is above 1, with which the search is content.
    """
    k, d = begin.shape
    at, margin, settled = begin.astype(float).copy(), np.full(k, np.nan), (beta == 0.0) & ~roams
    converged, searches = settled.copy(), [_Search([]) for _ in range(k)]
    for _ in range(iterations):
        active = np.flatnonzero(~settled)
        if not active.size:
            break
        stars = np.concatenate([star_within(at[limit], step, randoms) for limit in active])
        values = (yield stars, np.repeat(active, 2 * d + 1)).reshape(-1, 2 * d + 1)
        slopes = differences(values, step)
        for row, limit in enumerate(active):
            margin[limit] = values[row, 0]
            if np.isnan(slopes[row]).any() or np.isnan(margin[limit]):
                settled[limit], margin[limit] = True, np.nan
                continue
            new = _next(at[limit], slopes[row], float(beta[limit]), bool(roams[limit]), randoms, searches[limit])
            far = np.linalg.norm((new - at[limit])[:randoms]) / max(1.0, beta[limit])
            converged[limit] = settled[limit] = max(far, np.abs(new - at[limit])[randoms:].max(initial=0.0)) <= tolerance
            if not settled[limit]:
                at[limit] = new
    return Worst(at, margin, converged)


def star_within(centre: np.ndarray, step: float, randoms: int) -> np.ndarray:
    """A point (d,) and those ahead of and behind it in each coordinate, (2d + 1, d); in the box, within it."""
    d = len(centre)
    inside = centre.copy()
    inside[randoms:] = np.clip(centre[randoms:], step - 1, 1 - step)
    points = np.tile(centre, (2 * d + 1, 1))
    turn = np.arange(d)
    points[1 + turn, turn] = inside + step
    points[1 + d + turn, turn] = inside - step
    return points


def _next(at: np.ndarray, slope: np.ndarray, beta: float, roams: bool, randoms: int, search: _Search) -> np.ndarray:
    """The next point of one limit."""
    new = at.copy()
    steep = float(np.linalg.norm(slope[:randoms]))
    if beta > 0.0 and steep > 0.0:
        search.ways.append(-slope[:randoms] / steep)
        new[:randoms] = beta * _way(search.ways)
    if roams:
        place, downhill = at[randoms:], slope[randoms:]
        corner = np.where(downhill == 0.0, place, -np.sign(downhill))
        if search.before is not None:
            moved, bent = place - search.before[0], downhill - search.before[1]
            upwards = moved * bent > 0.0
            corner = np.where(upwards, place - downhill * moved / np.where(upwards, bent, 1.0), corner)
        search.before = place.copy(), downhill
        new[randoms:] = np.clip(corner, -1.0, 1.0)
    return new


def _way(ways: list[np.ndarray]) -> np.ndarray:
    """Unit vector to the next point."""
    new = ways[-1]
    if len(ways) > 2 and (ways[-1] - ways[-2]) @ (ways[-2] - ways[-3]) < 0:
        mean = ways[-1] + ways[-2] + ways[-3]
        new = mean / max(float(np.linalg.norm(mean)), 1e-300)
        ways[-1] = new  # the next one is compared with where it went
    return new


def differences(values: np.ndarray, step: float) -> np.ndarray:
    """Slopes (n, d) of stars (n, 2d + 1): centre, ahead, back; a side that failed is done without, NaN where both or the centre did."""
    d = values.shape[1] // 2
    centre, ahead, back = values[:, :1], values[:, 1 : d + 1], values[:, d + 1 :]
    return np.where(np.isnan(ahead), centre - back, np.where(np.isnan(back), ahead - centre, (ahead - back) / 2)) / step
