"""Events of contacts: steps that pass the kink of a continuous force, jumps that are located, and events at almost the same time."""

import numpy as np
import pytest

import flexmbd as fm

from .room import G, numbers, room
from .running import simulate

PASS = {"integrator": "generalized_alpha", "fixed": True, "tolerance": 1e9}  # a tolerance that no kink exceeds
LOCATE = PASS | {"tolerance": 1e-12}
STIFFNESS = np.linspace(0.7e4, 1.3e4, 16)
BALL = ["ball.y", "ball.vy", "energy.balance"]
EVENTS = ["floor.impacts", "floor.contact", "floor.impact_velocity", "floor.impacts:time_of_max"]


def bouncing(stiffness, law=fm.HuntCrossley, **numbers):
    """A ball pulled to the floor by a spring: seven to nine bounces of 30 ms in half a second."""
    s = fm.System(gravity=(0.0, -G))
    ball = s.body("ball", mass=1.0, inertia=1e-3, position=(0.0, 0.15))
    s.add(fm.DiscPlane("floor", ball.centre, s.ground.at(0.0, 0.0), 0.1, law(stiffness, **numbers)))
    s.add(fm.Spring("spring", s.ground.at(0.0, -0.5), ball.centre, 50.0, length=0.3))
    return s


def damped(stiffness):
    return bouncing(stiffness, restitution=0.9, exponent=1.0)


@pytest.fixture(scope="module")
def exact():
    return simulate(damped, BALL + EVENTS, end=0.5, points=201, samples={"stiffness": STIFFNESS}, lanes=16, tolerance=1e-12).outputs


@pytest.mark.parametrize("integrator", ("generalized_alpha", pytest.param("hht", marks=pytest.mark.slow)))
def test_a_scheme_of_order_2_keeps_its_order_over_kinks(exact, integrator):
    errors, steps = [], (4e-4, 2e-4, 1e-4, 5e-5)
    for h in steps:
        settings = PASS | {"integrator": integrator, "step": h}
        run = simulate(damped, BALL, end=0.5, points=201, samples={"stiffness": STIFFNESS}, lanes=16, **settings)
        assert run.statistics["rejected"].max() == 0 and run.statistics["steps"].max() <= np.ceil(0.5 / h) + 1
        errors.append([np.sqrt(np.mean((run.outputs[name] - exact[name]) ** 2)) for name in BALL])
    slopes = np.log(np.array(errors[0]) / errors[-1]) / np.log(steps[0] / steps[-1])
    assert np.all(np.abs(slopes[:2] - 2.0) < 0.2) and slopes[2] > 1.8, errors


def test_a_kink_inside_a_step_is_counted_at_its_time(exact):
    """Impacts, their times and speeds, and histories between steps: what the located events of a fifth-order scheme give."""
    got = simulate(damped, EVENTS, end=0.5, points=201, samples={"stiffness": STIFFNESS}, lanes=16, step=4e-4, **PASS).outputs
    for i in range(len(STIFFNESS)):
        for name in EVENTS[:2]:  # they differ only where an event lies within a hundredth of a step of the grid
            assert np.count_nonzero(got[name][i] != exact[name][i]) <= 1
    assert np.array_equal(got["floor.impacts"][:, -1], exact["floor.impacts"][:, -1])
    assert got["floor.impacts:time_of_max"] == pytest.approx(exact["floor.impacts:time_of_max"], abs=1e-4)  # a quarter of the step
    same = got["floor.impacts"] == exact["floor.impacts"]
    assert np.abs(got["floor.impact_velocity"] - exact["floor.impact_velocity"])[same].max() < 2e-3


def test_the_tolerance_decides_which_kinks_are_located(exact):
    runs = {}
    for tolerance in (1e-12, 3e-5, 1e9):
        settings = PASS | {"tolerance": tolerance, "step": 4e-4}
        runs[tolerance] = simulate(damped, BALL, end=0.5, points=201, samples={"stiffness": STIFFNESS}, lanes=16, **settings)
    rejected = [run.statistics["rejected"].sum() for run in runs.values()]
    assert rejected[0] > rejected[1] > rejected[2] == 0
    for run in runs.values():
        assert np.abs(run.outputs["ball.y"] - exact["ball.y"]).max() < 1e-4


@pytest.mark.slow
def test_jumps_are_located_whatever_the_tolerance():
    """Spring and damper: the force jumps at onset, so the step is cut there."""

    def build(damping):
        return bouncing(1e4, fm.KelvinVoigt, damping=damping)

    samples = {"damping": [5.0, 10.0, 20.0, 40.0]}
    wanted = simulate(build, ["ball.y"], end=0.3, points=31, samples=samples, tolerance=1e-11).outputs["ball.y"]
    run = simulate(build, ["ball.y"], end=0.3, points=31, samples=samples, step=1e-4, **PASS)
    assert run.statistics["rejected"].min() > 0
    assert np.abs(run.outputs["ball.y"] - wanted).max() < 1e-5


@pytest.mark.parametrize("fixed", (False, True))
def test_a_contact_within_one_step_is_not_lost(fixed):
    """The ceiling is 10 micrometres too low for a ball thrown up; the step is a twentieth of its way."""
    v = np.sqrt(2 * G * 0.8)
    case = numbers(height=1e-9, vy=v, ceiling=0.8 - 1e-5, stiffness=1e8)
    settings = PASS | {"tolerance": 1e-4, "fixed": fixed, "step": 0.02}
    got = simulate(room, ["ceiling.impacts:final"], end=1.5 * v / G, samples=case, **settings).outputs
    assert np.all(got["ceiling.impacts:final"] == 1)


@pytest.mark.parametrize("settings", ({}, {"integrator": "generalized_alpha", "step": 1e-3, "fixed": True}), ids=("explicit", "implicit"))
def test_events_at_almost_the_same_time_are_located_one_after_the_other(settings):
    """Two balls meet the floor within some event tolerances of each other; they were located in turn for ever."""
    tolerance = 1e-9

    def build(ahead, law):
        s = fm.System(gravity=(0.0, -G))
        for name, x, y in (("one", 0.0, 0.15), ("other", 1.0, 0.15 + ahead)):
            ball = s.body(name, mass=1.0, inertia=1e-3, position=(x, y))
            s.add(fm.DiscPlane(f"{name}.floor", ball.centre, s.ground.at(0.0, 0.0), 0.1, fm.KelvinVoigt(1e6, damping=law)))
        return s

    ahead = tolerance * np.array([-20.0, -3.0, -1.5, -0.7, 0.0, 0.3, 1.2, 2.5, 7.0, 50.0])
    outputs = ["one.floor.impacts:final", "other.floor.impacts:final"]
    run = simulate(build, outputs, end=0.11, samples={"ahead": ahead, "law": 300.0 + 0.0 * ahead}, event_tolerance=tolerance, **settings)
    assert all(np.all(run.outputs[name] == 1) for name in outputs)
    assert run.statistics["rejected"].max() < 60


def test_a_million_steps_end_on_time():
    """Rounding of the time leaves a rest of some picoseconds, which is no step of its own: at index 3 it would be all rounding."""

    def build():
        s = fm.System(gravity=(0.0, -G))
        rod = s.body("rod", mass=1.0, inertia=0.1, position=(0.5, 0.0), points={"O": (-0.5, 0.0)})
        s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), rod["O"]))
        return s

    run = simulate(build, ["rod.angle:final"], end=20.0, lanes=1, integrator="generalized_alpha", step=2e-5, fixed=True)
    assert run.statistics["steps"][0] == 1_000_000 and run.statistics["rejected"][0] == 0
