"""Gauss collocation by fixed-point iteration: coefficients, order, what is kept over many steps, and steps that are too long."""

import numpy as np
import pytest

import flexmbd as fm
from flexmbd.integrators.gauss_coefficients import collocation

from .pendula import pendula, there_and_back
from .sentences import names

ANGLES = {"upper": 0.5, "lower": 0.3}  # of the double pendulum, from down


@pytest.mark.parametrize("s", (4, 8))
def test_coefficients_are_symplectic_and_symmetric(s):
    """b_i a_ij + b_j a_ji = b_i b_j (Sanz-Serna 1988); reversed in time they are the same; quadratures are exact up to order 2 s."""
    numbers = np.array(collocation(s)[1:])
    a, (c, b) = numbers[: s * s].reshape(s, s), numbers[2 * s * s : 2 * s * s + 2 * s].reshape(2, s)
    assert np.abs(b[:, None] * a + (b[:, None] * a).T - np.outer(b, b)).max() < 2e-17
    assert np.abs(a + a[::-1, ::-1] - b).max() < 1e-16 and np.abs(c + c[::-1] - 1.0).max() < 2e-16
    for k in range(2 * s):
        assert b @ c**k == pytest.approx(1.0 / (k + 1), rel=1e-15)
    for k in range(s):
        assert a @ c**k == pytest.approx(c ** (k + 1) / (k + 1), rel=1e-13)


def oscillator():
    """x = 1 + 0.3 cos t."""
    s = fm.System(gravity=(0.0, 0.0))
    body = s.body("body", mass=1.0, inertia=1.0, position=(1.3, 0.0))
    s.add(fm.Spring("spring", s.ground.at(0.0, 0.0), body.centre, stiffness=1.0, length=1.0))
    return s


@pytest.mark.parametrize("formulation", ("tree", "natural"))
@pytest.mark.parametrize("name, counts, order", (("gauss_8", (16, 24), 8), ("gauss_16", (8, 10), 16)))
def test_order_of_long_steps(name, counts, order, formulation):
    """24 s of an oscillator of 1 rad/s; with 16 stages 8 steps are enough for 5e-11."""
    errors = []
    for count in counts:
        settings = {"integrator": name, "formulation": formulation, "fixed": True, "step": 24.0 / count, "lanes": 2}
        run = fm.run(oscillator, end=24.0, points=count + 1, outputs=["body.x", "body.vx"], settings=settings)
        wrong = run["body.x"][0] - 1.0 - 0.3 * np.cos(run.time), run["body.vx"][0] + 0.3 * np.sin(run.time)
        errors.append(np.hypot(*wrong).max())
    assert np.log(errors[0] / errors[1]) / np.log(counts[1] / counts[0]) == pytest.approx(order, abs=0.3), errors


def stepping(name, step, end, formulation="tree"):
    """The double pendulum as a model that goes on state by state."""
    settings = {"integrator": name, "formulation": formulation, "fixed": True, "step": step, "lanes": 1}
    return fm.compile(lambda: pendula(**ANGLES), outputs=["upper.angle:final"], end=end, settings=settings)


@pytest.mark.parametrize("name, step", (("gauss_8", 0.01), ("gauss_16", 0.05)))
@pytest.mark.parametrize("steps", (2_000, pytest.param(100_000, marks=pytest.mark.slow)))
def test_energy_does_not_drift(name, step, steps):
    """What it is off by in the second half of a run is what it was in the first one, and a random walk of rounding."""
    settings = {"integrator": name, "formulation": "tree", "fixed": True, "step": step, "lanes": 1}
    outputs = ["energy.kinetic", "energy.total"]
    run = fm.run(lambda: pendula(**ANGLES), end=steps * step, points=201, outputs=outputs, settings=settings)
    assert run.status[0] == 0
    off = np.abs(run["energy.total"][0] - run["energy.total"][0, 0]) / run["energy.kinetic"][0].max()
    assert off[101:].max() < 1.5 * off[:101].max() + 5e-16 * np.sqrt(steps) and off.max() < 1e-11


@pytest.mark.parametrize("formulation", ("tree", "natural"))
@pytest.mark.parametrize("name, step", (("gauss_8", 0.01), ("gauss_16", 0.05)))
def test_it_goes_back_the_way_it_came(name, step, formulation):
    places, speeds = there_and_back(stepping(name, step, 2.0, formulation))
    assert places < 1e-13 and speeds < 5e-13


@pytest.mark.parametrize("name", ("gauss_8", "gauss_16"))
def test_a_step_too_long_is_said_with_one_that_does(name):
    settings, steps = {"integrator": name, "formulation": "tree", "fixed": True, "lanes": 1}, [2.0]
    for _ in range(4):
        run = fm.run(lambda: pendula(**ANGLES), end=8.0, points=2, outputs=["upper.angle"], settings=settings | {"step": steps[-1]})
        if run.status[0] == 0:
            break
        names(run.message[0], "iteration", name, "does not converge", f"{steps[-1]:g} s", "give step = ")
        steps.append(float(run.message[0].rpartition("step = ")[2]))
    assert 1 < len(steps) < 4 and run.status[0] == 0, steps
