"""Flows whose periodic orbits, folds and flips are known: /work/shared/REFERENCES.md, section 9."""

import numpy as np

from uqmbd.analysis.dynamics.flows import Flow
from uqmbd.analysis.dynamics.returns import PeriodMap, ReturnMap
from uqmbd.analysis.dynamics.surfaces import Stop

TURN = 2.0 * np.pi
DUFFING = PeriodMap(
    flow=Flow(function=lambda t, x, v, w: (v, -0.1 * v - x - x**3 + 0.5 * np.cos(w * t)), names=("x", "v")),
    over=lambda w: TURN / w,
    steps=150,
)
LURE = ReturnMap(
    flow=Flow(function=lambda x, y, z, a: (y, z, -a * z - y - x + x**2), names=("x", "y", "z")),
    surface=lambda x, y, z, a: y,
    direction=-1,
    dt=0.05,
)
OSCILLATOR = ReturnMap(  # just behind impacts at a stop at x = d
    flow=Flow(function=lambda x, v, phase, w, z, r, d: (v, -2.0 * z * v - x + np.cos(phase), w + 0.0 * x), names=("x", "v", "phase")),
    surface=lambda x, v, phase, w, z, r, d: d - x,
    direction=-1,
    dt=0.1,
    reset=lambda x, v, phase, w, z, r, d: (d + 0.0 * x, -r * v, phase),
    turns={"phase": TURN},
)
TABLE = Stop(  # moves as G sin t, lengths in g / w^2
    gap=lambda t, y, v, G, e: y - G * np.sin(t), reset=lambda t, y, v, G, e: (G * np.sin(t), (1.0 + e) * G * np.cos(t) - e * v)
)
BALL = Flow(function=lambda y, v, G, e: (v, -1.0 + 0.0 * y), names=("y", "v"), stops=(TABLE,))


def ball_birth(e):
    """G at which the ball's orbit of one impact a period is born."""
    return np.pi * (1.0 - e) / (1.0 + e)


def ball_flip(e):
    """G at which that orbit doubles its period."""
    return np.sqrt(ball_birth(e) ** 2 + (2.0 * (1.0 + e**2) / (1.0 + e) ** 2) ** 2)
