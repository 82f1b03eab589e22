"""The bouncing ball by its formulas: what the study of it must find. Independent of the study's model.

Impact n comes at ``t0 (1 + 2 sum_{j=1}^{n-1} e^j)`` with ``t0 = sqrt(2 h0 / g)`` (/work/shared/REFERENCES.md, section 8). Flight n, from
impact n to the next, is the parabola ``f_n = g (t0 e^n (t - t0 S_n) - (t - t0 S_n)^2 / 2)``, ``S_n`` the bracket above; the fall from rest
is flight 0 with ``S_0 = -1``. Outside of its own flight a parabola is below the floor, so the height is the greatest of 0 and all `f_n`.
"""

import numpy as np

GRAVITY = 9.81  # m/s^2
FLIGHTS = 60  # with all later ones below 1e-9 m for e up to 0.82
FIRST_NODES = 501  # over the restitution, before refinement


def fall(height):
    """Time of the first impact, s."""
    return np.sqrt(2 * np.asarray(height) / GRAVITY)


def impacts_by_fall(n, e):
    """``S_n``: time of impact n over that of the first, or -1 for the fall itself."""
    return np.full_like(e, -1.0) if n == 0 else 1 + 2 * (e - e**n) / (1 - e)


def impact_time(n, height, e):
    """Time of impact n, s."""
    return fall(height) * impacts_by_fall(n, np.asarray(e, float))


def rest_time(height, e):
    """Time at which the impacts accumulate, s."""
    return fall(height) * (1 + e) / (1 - e)


def parabola(n, time, t0, e):
    """``f_n``, the height of flight n continued before and after it, m."""
    since = time - t0 * impacts_by_fall(n, e)
    return GRAVITY * (t0 * e**n * since - since**2 / 2)


def height(time, start, e):
    """Height of the ball, m; arrays of one shape."""
    return np.maximum(np.max([parabola(n, time, fall(start), e) for n in range(FLIGHTS)], axis=0), 0.0)


def exact_band(times, heights, restitutions):
    """Least and greatest height at each time over a box of starts and restitutions, m.

    Upper: the greatest of 0 and of the greatest of every `f_n`. Lower: 0 where some impact can happen at this time (impact times are
    continuous, so they take all values between their least and greatest); else all balls are in one flight n, and it is the least `f_n`.
    In ``t0`` every `f_n` is a parabola, whose extremes over an interval are known. What is left is a function of the restitution alone:
    its extremes are sought on 501 nodes, and then four times on 51 nodes around the best of the nodes before, which leaves some 1e-12 m.

    Parameters
    ----------
    times : ndarray of shape (points,)
        s.
    heights, restitutions : pair of float
        Ends of the intervals, m and 1.

    Returns
    -------
    ndarray of shape (2, points)
    """
    ends = fall(heights)
    times = np.asarray(times, float)
    upper = np.zeros(len(times))
    for n in range(FLIGHTS):
        begin = 0.0 if n == 0 else impact_time(n, heights[0], restitutions[0])
        end = impact_time(n + 1, heights[1], restitutions[1])
        at = (begin <= times) & (times <= end) & (heights[1] * restitutions[1] ** (2 * n) > upper)  # it can be the highest
        if at.any():
            upper[at] = np.maximum(upper[at], greatest(lambda e, n=n, at=at: over_t0(n, times[at], ends, e)[1], restitutions, at.sum()))
    lower = np.zeros(len(times))
    struck = times >= rest_time(heights[0], restitutions[0])
    flight = np.zeros(len(times), int)
    for n in range(1, FLIGHTS):
        first, last = (impact_time(n, *corner) for corner in zip(heights, restitutions, strict=True))
        struck |= (first <= times) & (times <= last)
        flight += times > last
    for n in np.unique(flight[~struck]):
        at = ~struck & (flight == n)
        lower[at] = -greatest(lambda e, n=n, at=at: -over_t0(n, times[at], ends, e)[0], restitutions, at.sum())
    return np.stack([lower, upper])


def over_t0(n, times, ends, e):
    """Least and greatest `f_n` over the interval `ends` of ``t0``; times (points,), restitutions (points, nodes), 2 x (points, nodes)."""
    t, s, fade = times[:, None], impacts_by_fall(n, e), e**n
    top = np.clip(t * (fade + s) / (2 * fade * s + s**2), *ends)  # flight 0 has its least at t0 = 0
    values = [parabola(n, t, t0, e) for t0 in (*ends, top)]
    return np.minimum(*values[:2]), np.max(values, axis=0)


def greatest(function, ends, points):
    """Greatest value over ``ends[0] <= e <= ends[1]`` of a function of nodes (points, nodes), (points,)."""
    low, high = (np.full(points, end) for end in ends)
    for count in (FIRST_NODES, 51, 51, 51, 51):
        nodes = np.linspace(low, high, count, axis=1)
        values = function(nodes)
        best = values.argmax(axis=1)
        row = np.arange(points)
        low, high = nodes[row, np.maximum(best - 1, 0)], nodes[row, np.minimum(best + 1, count - 1)]
    return values.max(axis=1)
