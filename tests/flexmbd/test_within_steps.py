"""What bodies do within a step is seen: they meet and part, graze, and knock against stops, however long the run is."""

from functools import cache

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flexmbd as fm
from flexmbd.stepping.events import crossing

from .reference_crank import RADIUS
from .worn_crank import worn_crank

STEEL = fm.Material(E=207e9, nu=0.3, name="steel")
R, APART, RESTITUTION = 0.04, 3.0, 0.9
SPEEDS = np.array([1.3, 2.7, 4.0, 7.1, 11.0, 23.0, 60.0, 150.0])
LAW = fm.LankaraniNikravesh(stiffness=1e7, restitution=RESTITUTION)


def balls(speed, aside, law=LAW):
    """Two equal free discs, one of which comes towards the other, off its line by `aside`."""
    s = fm.System(gravity=(0.0, 0.0))
    a = s.body("a", mass=1.0, inertia=1e-3, position=(0.0, 0.0), velocity=(speed, 0.0))
    b = s.body("b", mass=1.0, inertia=1e-3, position=(APART, aside))
    s.add(fm.DiscDisc("touch", a.centre, b.centre, R, R, law))
    return s


def hard(speed, aside):
    return balls(speed, aside, fm.Impenetrable(restitution=RESTITUTION))


def met(build, aside, outputs=("touch.impacts", "a.vx", "b.vx", "b.vy"), **settings):
    """Outputs at the end of 10 s, and a bound on b's speed along the line of centres."""
    found = fm.run(build, {"speed": SPEEDS, "aside": aside + 0.0 * SPEEDS}, end=10.0, points=5, outputs=list(outputs), settings=settings)
    assert np.all(found.status == 0)
    return {name: found[name][:, -1] for name in outputs}


@pytest.mark.parametrize("aside", (0.0, 0.05, 0.0792))
def test_discs_that_meet_within_a_step_do_not_pass_through_each_other(aside):
    """Each meets once, momentum stays, and b leaves faster than a along the first line of centres (a slow impact is short)."""
    got = met(balls, aside)
    sine = aside / (2.0 * R)
    cosine = np.sqrt(1.0 - sine**2)
    np.testing.assert_array_equal(got["touch.impacts"], 1.0)
    np.testing.assert_allclose(got["a.vx"] + got["b.vx"], SPEEDS, rtol=1e-6)
    assert np.all(got["b.vx"] > 0.0)
    if aside == 0.0:
        assert np.all((got["b.vx"] > 0.9 * SPEEDS) & (got["b.vx"] < SPEEDS))
    elif aside == 0.05:
        slow = SPEEDS < 10.0
        along = np.hypot(got["b.vx"], got["b.vy"]) / (SPEEDS * cosine)
        assert np.all((along > 0.85) & (along < 1.0) | ~slow), along


@pytest.mark.parametrize("aside", (0.0, 0.06, 0.0799))
def test_impenetrable_discs_meet_within_a_step(aside):
    """Velocities after: Newton's, along the line of centres."""
    got = met(hard, aside, ("a.vx", "b.vx", "b.vy"), integrator="event_driven")
    sine = aside / (2.0 * R)
    passed = 0.5 * (1.0 + RESTITUTION) * SPEEDS * np.sqrt(1.0 - sine**2)
    np.testing.assert_allclose(got["b.vx"], passed * np.sqrt(1.0 - sine**2), rtol=1e-6)
    np.testing.assert_allclose(got["b.vy"], passed * sine, rtol=1e-6, atol=1e-9)


def test_discs_that_miss_each_other_do_not_meet():
    got = met(balls, 2.0001 * R)
    np.testing.assert_array_equal(got["touch.impacts"], 0.0)
    np.testing.assert_array_equal(got["b.vx"], 0.0)


def oscillator(offset):
    """A mass on a spring, 2 Hz, that reaches a floor only at the bottom of its motion."""
    s = fm.System(gravity=(0.0, 0.0))
    mass = s.body("mass", mass=1.0, inertia=0.01, position=(0.0, 1.0))
    s.add(fm.DiscPlane("stop", mass.centre, s.ground.at(0.0, 0.0), 0.1 + 0.0 * offset, fm.HuntCrossley(1e6, restitution=0.8)))
    s.add(fm.Spring("spring", s.ground.at(0.0, -9.0), mass.centre, (4.0 * np.pi) ** 2, length=9.1 + 0.45 + offset))
    return s


def test_an_oscillator_that_only_just_reaches_a_stop_knocks_against_it():
    """Of an oscillator let go at 1 m about 0.55 m + offset, lowest place is 0.1 m + 2 offset: the stop is there at 0.1 m."""
    offset = np.array([-1e-2, -1e-4, -1e-6, 1e-6, 1e-4])
    found = fm.run(oscillator, {"offset": offset}, end=0.45, points=2, outputs=["stop.impacts"])
    assert np.all(found.status == 0)
    np.testing.assert_array_equal(found["stop.impacts"][:, -1], [1.0, 1.0, 1.0, 0.0, 0.0])


def sweeping(rate):
    """A free bar whose end sweeps past a peg, and only just strikes it."""
    s = fm.System(gravity=(0.0, 0.0))
    bar = s.body("bar", mass=1.0, inertia=0.1, rate=rate, points={"tip": (0.5, 0.0)})
    s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), bar.centre))
    s.add(fm.DiscDisc("peg", bar["tip"], s.ground.at(0.0, 0.57), 0.04, 0.0305, fm.HuntCrossley(1e6, restitution=0.7)))
    return s


def test_the_end_of_a_turning_bar_strikes_a_peg_that_it_sweeps_past():
    rate = np.array([0.7, 3.0, 11.0, 40.0])
    found = fm.run(sweeping, {"rate": rate}, end=10.0, points=2, outputs=["peg.impacts"])
    assert np.all(found.status == 0) and np.all(found["peg.impacts"][:, -1] >= 1.0), found["peg.impacts"][:, -1]


def test_steps_do_not_depend_on_the_end_of_a_run():
    """A spinning body on a spring: its first second is the same to the last bit in a run a hundred times as long."""

    def tethered():
        s = fm.System(gravity=(0.0, -9.81))
        body = s.body("body", mass=1.0, inertia=0.1, position=(1.0, 0.0), velocity=(0.3, 0.2), rate=2.0)
        s.add(fm.Spring("spring", s.ground.at(0.0, 0.0), body.centre, 60.0, length=0.8))
        return s

    outputs = ["body.x", "body.vy", "body.angle"]
    short = fm.run(tethered, end=1.0, points=11, outputs=outputs)
    long = fm.run(tethered, end=100.0, points=1001, outputs=outputs)
    for name in outputs:
        np.testing.assert_allclose(short[name][0, :10], long[name][0, :10], rtol=0.0, atol=1e-14)


@cache
def compiled_crossing():
    return numba.njit(lambda h, d0, s0, d1, s1: crossing(h, d0, s0, d1, s1))


def joint_in_service(clearance, restitution, mu):
    """The clearance crank with the damping of impacts at 1 m/s, which none reaches: its joint hardly leaves contact."""
    stiffness = fm.hertz_sphere_stiffness(RADIUS, RADIUS - clearance, STEEL, STEEL, conformal=True)
    return worn_crank(clearance, restitution, mu, stiffness, calibrated=True, slowest=1.0)


SIZES = st.floats(1e-3, 1e3)


@settings(deadline=None)
@given(SIZES, SIZES, st.floats(-20.0, 20.0), st.floats(-20.0, 20.0))
def test_the_place_of_an_event_is_a_root_of_the_cubic(below, above, s0, s1):
    """Also where a contact first opens further, and closes again within the step."""
    x, slope = compiled_crossing()(1.0, -below, s0, above, s1)
    span = above + below
    cubic = np.polynomial.Polynomial([-below, s0, 3.0 * span - 2.0 * s0 - s1, s0 + s1 - 2.0 * span])
    roots = [r.real for r in cubic.roots() if abs(r.imag) < 1e-9 and 0.0 <= r.real <= 1.0]
    assert min(abs(x - r) for r in roots) < 0.05
    assert slope == pytest.approx(cubic.deriv()(x), rel=1e-6, abs=1e-9 * (span + abs(s0) + abs(s1)))


def test_a_joint_in_service_is_followed_at_a_loose_tolerance():
    """Its contact opens for microseconds, and closing rows moves it beyond that: no run stands still, and few steps are tried twice."""
    random = np.random.default_rng(2)
    box = {"clearance": (0.02e-3, 0.05e-3), "restitution": (0.45, 0.55), "mu": (0.03, 0.07)}
    samples = {name: random.uniform(*ends, 256) for name, ends in box.items()}
    found = fm.run(joint_in_service, samples, end=0.024, points=2, outputs=["slider.vx"], settings={"tolerance": 1e-4})
    assert np.all(found.status == 0)
    assert np.all(found.statistics["rejected"] < 0.15 * found.statistics["steps"])
