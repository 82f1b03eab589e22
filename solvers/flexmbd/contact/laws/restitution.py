r"""The restitution that a continuous contact law really produces, and the damping that produces a wanted one.

A body that hits a wall with the force ``F = F_e(penetration) (1 + c rate / v0)`` loses its speed by
``v dv / (1 + c v / v0) = -F_e d(penetration) / m``.  The elastic force does the same work on the way in and out, so with
``G(u) = u / c - ln(1 + c u) / c**2`` the speed ratio e that comes out solves ``G(1) = G(-e)``, that is
``c (1 + e) = ln((1 + c) / (1 - c e))``: independent of F_e, m and v0 (Gonthier et al. 2004 state it with d = c e).

Put ``2 x = c (1 + e)``.  Then ``c = x (1 + L(x))`` and ``e = (1 - L(x)) / (1 + L(x))`` with the Langevin function
``L(x) = coth x - 1 / x``: both directions are smooth, without the cancellations of the implicit form at e = 1.
"""

import numpy as np

_NEWTON_STEPS = 12  # from the starts below both iterations are monotone and reach double precision in at most 7


def _langevin(x):
    """L(x) and L'(x) for x >= 0."""
    x = np.asarray(x, dtype=float)
    y = x * x
    series = x * (1 / 3 - y * (1 / 45 - y * (2 / 945 - y * (1 / 4725 - y * (2 / 93555 - y * 1382 / 638512875)))))
    slope = 1 / 3 - y * (3 / 45 - y * (10 / 945 - y * (7 / 4725 - y * (18 / 93555 - y * 11 * 1382 / 638512875))))
    small = x < 0.2
    safe = np.where(small, 1.0, x)
    decay = np.exp(-2.0 * safe)
    sinh_squared = (1.0 - decay) ** 2 / (4.0 * decay + 1e-300)
    return (
        np.where(small, series, (1.0 + decay) / (1.0 - decay) - 1.0 / safe),
        np.where(small, slope, 1.0 / safe**2 - 1.0 / sinh_squared),
    )


def produced_restitution(c):
    """Ratio of separation to approach speed of an impact under ``F_e (1 + c rate / v0)``.

    Parameters
    ----------
    c : damping factor, at least 0, -; a number or an array.

    Returns
    -------
    e in (0, 1], -, in the shape of ``c``.
    """
    c = np.asarray(c, dtype=float)
    x = np.minimum(c, 0.5 * (c + 1.0))  # above the root of a convex function
    for _ in range(_NEWTON_STEPS):
        value, slope = _langevin(x)
        x = x - (x * (1.0 + value) - c) / (1.0 + value + x * slope)
    value, _ = _langevin(x)
    return (1.0 - value) / (1.0 + value)


def factor_for_restitution(e):
    """Damping factor c with which an impact comes out with restitution ``e``: the inverse of ``produced_restitution``.

    Parameters
    ----------
    e : restitution in (0, 1], -; a number or an array.

    Returns
    -------
    c >= 0, -, in the shape of ``e``.
    """
    e = np.asarray(e, dtype=float)
    y = (1.0 - e) / (1.0 + e)
    x = y * (3.0 - y * y) / (1.0 - y * y)  # Cohen's approximation of the inverse Langevin function
    for _ in range(_NEWTON_STEPS):
        value, slope = _langevin(x)
        x = x - (value - y) / slope
    return 2.0 * x / (1.0 + e)
