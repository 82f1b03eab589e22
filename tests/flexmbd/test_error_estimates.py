"""Error control of implicit schemes: the estimate is the true error of a step, and a motion driven from rest gets away from it."""

from dataclasses import dataclass

import numpy as np
import pytest

import flexmbd as fm
from flexmbd.forces import Force
from flexmbd.integrators import INTEGRATORS
from flexmbd.motion import Motion
from flexmbd.running.integration import Integration
from flexmbd.running.models import model_of
from flexmbd.running.outcome import started
from flexmbd.running.settings import as_settings
from flexmbd.stepping import names
from flexmbd.stepping.names import START

FREQUENCY, SPEED = 3.0, 2.0  # rad/s, m/s


@dataclass(frozen=True, eq=False)
class Bedding(Force):
    """Force ``-k (x, y)`` on a point."""

    name: str
    a: object
    stiffness: float

    def parameters(self):
        """The stiffness, N/m."""
        return {"stiffness": self.stiffness}

    def apply(self, equations):
        """On both coordinates of the point."""
        first = equations.first[self.a.body.name]
        for x in equations.q[first : first + 2]:
            equations.force_on(x, -(equations.number(self, "stiffness") * x))

    def outputs(self, equations):
        """None."""
        return {}


def circling():
    """A mass of 1 kg on a linear oscillator of two directions: it goes round in a circle, so that its error never passes through zero."""
    s = fm.System(gravity=(0.0, 0.0))
    ball = s.body("ball", mass=1.0, inertia=0.1, position=(SPEED / FREQUENCY, 0.0), velocity=(0.0, SPEED))
    s.add(Bedding("bed", ball.centre, FREQUENCY**2))
    return s


USUAL = ("generalized_alpha", "newmark_damped")  # in CI; each scheme compiles
ALL = [
    pytest.param(name, marks=() if name in USUAL else pytest.mark.slow)
    for name, x in INTEGRATORS.items()
    if x.correction is not None and x.adaptive
]


@pytest.mark.parametrize("name", ALL)
def test_estimate_is_the_error_of_a_step(name):
    """Within a factor of 1.2, over 40 steps that change by up to a factor of 1.5."""
    h, tolerance, ratios = 0.1 / FREQUENCY, 1e-6, []
    settings = as_settings({"integrator": name, "step": h, "fixed": True, "lanes": 1, "tolerance": tolerance})
    made = Integration(model_of(circling(), ["ball.x:final"], settings), circling(), 1, settings, 20 * h)
    started(made)
    made.run([0], np.zeros(0))
    X, n, end = made.X[:, 0], made.at[names.N], made.at[names.END] + 1
    q, v, later = X[START + 1 :][:n], X[START + 1 + n :][:n], X[end + n :][:n]
    for factor in np.random.default_rng(4).uniform(0.8, 1.2, 40):
        X[names.H], X[names.T] = factor * h, 0.0
        made.call(INTEGRATORS[name].functions[names.ATTEMPT])
        estimate, turn = X[names.ERROR] * tolerance * SPEED, FREQUENCY * factor * h
        exact = np.cos(turn) * v[:2] - FREQUENCY * np.sin(turn) * q[:2]
        ratios.append(estimate / np.abs(later[:2] - exact).max())
        X[names.WHO] = 1.0
        made.call(INTEGRATORS[name].functions[names.COMMIT])
        q[:], v[:] = X[end:][:n], later
    assert min(ratios) > 1.0 / 1.2 and max(ratios) < 1.2


@dataclass(frozen=True)
class Rising(Motion):
    """Speed of a drive that goes from 0 to `SPEED` (rad/s) within 1 s as ``t - sin(2 pi t)/(2 pi)``: nothing accelerates at the start."""

    def parameters(self):
        """None."""
        return {}

    def topology_key(self):
        """Kind."""
        return ("rising",)

    def node(self, equations, number):
        """Its integral."""
        turn = 2.0 * np.pi
        _, cosine = equations.sincos(turn * equations.time)
        return SPEED * (0.5 * equations.time * equations.time + (cosine - 1.0) * (1.0 / turn**2))


def spun_up():
    """A cable clamped to a hub that is spun up from rest without gravity; its elements are in a group."""
    s = fm.System()
    hub, pivot = s.body("hub", mass=1.0, inertia=1.0), s.ground.at(0.0, 0.0, "O")
    rod = s.cable("rod", length=1.0, elements=5, section=fm.Section(1e-4, 1e-9), material=fm.Material(1e9, 0.3, 3000.0), damping=0.01)
    s.add(fm.Revolute("pin", pivot, hub.centre))
    s.add(fm.AngleDrive("drive", pivot, hub.centre, Rising()))
    s.add(fm.Clamp("root", hub.centre, rod.start))
    return s


@pytest.mark.slow
def test_a_motion_driven_from_rest():
    """Newton's own accelerations, off by O(h) after the start where rows depend on time, once held the step at 1e-13 s."""
    outputs, ends = ["rod.end.x", "rod.end.y", "energy.total", "energy.balance", "drive.moment"], []
    for settings in ({"tolerance": 1e-6}, {"step": 2.5e-4, "fixed": True}):
        run = fm.run(spun_up, {}, end=1.0, points=11, outputs=outputs, settings={"integrator": "generalized_alpha", "lanes": 1, **settings})
        assert not run.status.any(), run.message
        ends.append(np.array([run.outputs[name][0] for name in outputs]))
    controlled, fixed = ends
    assert np.ptp(controlled[3]) < 1e-4 * controlled[2].max()
    scale = np.abs(fixed).max(axis=1)
    scale[3] = scale[2]
    assert (np.abs(controlled - fixed).max(axis=1) < 5e-5 * scale).all()
