"""A ball on a table that moves up and down, from impact to impact: an exact map, with its derivatives.

Phases are those of the table, y = A sin(phase); speeds are in units of g / w, the table's acceleration is A w^2 = g G.
Source: Tufillaro, Abbott, Reilly, An Experimental Approach to Nonlinear Dynamics and Chaos (1992), chapter 1.
"""

import numpy as np

from uqmbd.analysis.dynamics.maps import FunctionMap

SCANNED = 64  # heights in a flight, between which its end is looked for
LOCKED = 1e-7  # speed off the table, below which the ball stays on it
TURN = 2.0 * np.pi


def flight(phase, speed, acceleration):
    """Time of a flight (n,), to the first impact: h(s) = G sin(phase) + u s - s^2 / 2 - G sin(phase + s) = 0."""
    longest = speed + np.sqrt(speed**2 + 4.0 * acceleration)
    s = longest * np.arange(1, SCANNED + 1)[:, None] / SCANNED
    below = height(s, phase, speed, acceleration) < 0.0
    first = below.argmax(axis=0)
    low, high = longest * first / SCANNED, longest * (first + 1) / SCANNED
    low = np.where(first == 0, 1e-3 * high, low)  # the flight begins on the table
    for _ in range(60):
        middle = 0.5 * (low + high)
        under = height(middle, phase, speed, acceleration) < 0.0
        low, high = np.where(under, low, middle), np.where(under, middle, high)
    return np.where(below.any(axis=0), high, np.nan)


def height(s, phase, speed, acceleration):
    """Of the ball above the table, at the time s after an impact."""
    return acceleration * (np.sin(phase) - np.sin(phase + s)) + s * (speed - 0.5 * s)


def leaving(phase, speed, acceleration):
    """Where the flight after an impact begins: at it, or, of a ball that stays on the table, where G sin(phase) = 1; and who stays."""
    stays = (speed - acceleration * np.cos(phase) < LOCKED) & (acceleration * np.sin(phase) < 1.0)
    leaves = np.arcsin(np.minimum(1.0 / acceleration, 1.0))
    return np.where(stays, leaves, phase), np.where(stays, acceleration * np.cos(leaves), speed), stays


def bounce(phase, speed, acceleration, restitution):
    """The next impact: its phase, and the speed upwards after it."""
    phase, speed, _ = leaving(phase, speed, acceleration)
    s = flight(phase, speed, acceleration)
    after = phase + s
    return after % TURN, (1.0 + restitution) * acceleration * np.cos(after) - restitution * (speed - s)


def slopes(phase, speed, acceleration, restitution):
    """Derivatives of `bounce` by phase and speed, by that of the flight's end; none of a ball that stays, which forgets both."""
    phase, speed, stays = leaving(phase, speed, acceleration)
    s = flight(phase, speed, acceleration)
    after = phase + s
    falls = speed - s - acceleration * np.cos(after)  # of the ball off the table before the impact, negative
    by_phase = -acceleration * (np.cos(phase) - np.cos(after)) / falls
    by_speed = -s / falls
    turned = -(1.0 + restitution) * acceleration * np.sin(after)
    rows = [
        [1.0 + by_phase, by_speed],
        [turned * (1.0 + by_phase) + restitution * by_phase, turned * by_speed - restitution * (1.0 - by_speed)],
    ]
    return [[np.where(stays, 0.0, one) for one in row] for row in rows]


def ball():
    """The map."""
    return FunctionMap(function=bounce, names=("phase", "speed"), given=slopes)
