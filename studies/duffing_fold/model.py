"""Duffing's oscillator, x'' + c x' + x + x^3 = F cos wt, once a period: by runs that go on from each other, and as a map to follow."""

import math

import numpy as np

import uqmbd as uq

DAMPING, FORCE = 0.1, 0.5
STEPS, PERIODS = 60, 80  # of fourth order in a period; periods of a run, half of which are left out


def oscillator(w, start=None):
    """Place and velocity once a period, at the greatest force, from rest or from where another run has ended."""
    x, v = (0.0, 0.0) if start is None else start
    h, places, velocities = 2 * math.pi / w / STEPS, [], []
    force = [FORCE * math.cos(math.pi * k / STEPS) for k in range(2 * STEPS + 1)]
    for _ in range(PERIODS):
        for k in range(STEPS):
            f0, f1, f2 = force[2 * k : 2 * k + 3]
            a0, b0 = v, f0 - DAMPING * v - x - x**3
            x1, v1 = x + h / 2 * a0, v + h / 2 * b0
            b1 = f1 - DAMPING * v1 - x1 - x1**3
            x2, v2 = x + h / 2 * v1, v + h / 2 * b1
            b2 = f1 - DAMPING * v2 - x2 - x2**3
            x3, v3 = x + h * v2, v + h * b2
            b3 = f2 - DAMPING * v3 - x3 - x3**3
            x, v = x + h / 6 * (a0 + 2 * v1 + 2 * v2 + v3), v + h / 6 * (b0 + 2 * b1 + 2 * b2 + b3)
        places.append(x)
        velocities.append(v)
    return {"x": uq.Events(places, "period", unit="m"), "v": uq.Events(velocities, "period", unit="m/s"), "state": [x, v]}


def rates(t, x, v, w):
    """Of the same equation, for arrays."""
    return v, FORCE * np.cos(w * t) - DAMPING * v - x - x**3


def once_a_period():
    """Its map over a period, from which periodic orbits are followed."""
    return uq.PeriodMap(flow=uq.Flow(function=rates, names=("x", "v")), over=lambda w: 2 * np.pi / w, steps=20)


@uq.vectorized
def from_a_start(place, velocity, w):
    """Place and velocity once a period, of many starts at once."""
    turn, states, found = once_a_period(), np.stack([place, velocity], axis=1), []
    for _ in range(PERIODS):
        states = turn.step(states, {"w": w})
        found.append(states)
    x, v = np.moveaxis(np.array(found), (0, 1, 2), (2, 1, 0))
    periods = np.arange(1.0, PERIODS + 1)
    return {"x": uq.Curve(x, periods, "period", unit="m"), "v": uq.Curve(v, periods, "period", unit="m/s")}
