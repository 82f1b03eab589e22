"""Taylor series end at their radius of convergence: velocities with poles that are known, fixed steps, steps that fall to the smallest."""

import numpy as np
import pytest

import flexmbd as fm

from . import going_on
from .pendula import G
from .sentences import names

FORMULATIONS = pytest.mark.parametrize("formulation", ("natural", "tree"))


def squared(t, d, v, rate):
    """Force on 1 kg of ``v' = rate v**2``: ``v = v0/(1 - rate v0 t)``."""
    return rate * v[0] * v[0], 0.0


def bell(t, d, v, rate):
    """Force on 1 kg of ``v = 1/(1 + t**2)``, whose poles are at i and -i: the radius at t is the root of ``1 + t**2``."""
    x = 1.0 + t * t
    return -2.0 * rate * t / (x * x), 0.0


def pushed(push=squared, speed=1.0, rate=1.0, beside=0.0):
    """A body of 1 kg on which that force acts, beside one that flies on."""
    s = fm.System(gravity=(0.0, 0.0))
    body = s.body("body", mass=1.0, inertia=1.0, position=(0.0, 0.0), velocity=(speed, 0.0))
    s.body("other", mass=1.0, inertia=1.0, position=(0.0, 1.0), velocity=(beside, 0.0))
    s.add(fm.UserForce("push", s.ground.at(0.0, 0.0), body.centre, push, {"rate": rate}))
    return s


def run(build, samples=None, end=2.0, points=2, outputs=("body.x",), **settings):
    settings = {"integrator": "taylor", "tolerance": 1e-12, "lanes": 2, **settings}
    return fm.run(build, samples or {}, end=end, points=points, outputs=list(outputs), settings=settings)


def radius_in(message):
    return float(message.partition("no further than ")[2].split()[0])


@FORMULATIONS
@pytest.mark.parametrize("step", (0.03, 0.017))
def test_a_fixed_step_across_a_pole_ends_the_run_with_the_radius(formulation, step):
    """``v = 1/(1 - t)``: the step that would lead across t = 1 is not taken, and the radius is what is left; the sample beside runs on."""
    found = run(pushed, {"speed": [1.0, 0.1]}, step=step, fixed=True, formulation=formulation)
    last = step * np.floor(1.0 / step - 1e-9)
    assert found.status[0] != 0 and found.status[1] == 0
    names(found.message[0], f"at t = {last:.6g} s", f"fixed step of {step:g} s is longer", "a tolerance in place of a fixed step")
    assert radius_in(found.message[0]) == pytest.approx(1.0 - last, rel=0.2)
    assert found["body.x"][1, -1] == pytest.approx(-np.log(0.8), abs=1e-9)


@pytest.mark.parametrize("step, ends", ((1.3, True), (1.1, True), (0.4, False)))
def test_complex_poles_have_the_same_radius(step, ends):
    """``v = 1/(1 + t**2)``: 1 s at the start."""
    found = run(lambda: pushed(bell), end=step, step=step, fixed=True, tolerance=1e-14)
    assert bool(found.status[0]) == ends
    if ends:
        assert radius_in(found.message[0]) == pytest.approx(1.0, rel=0.15)
    else:
        assert found["body.x"][0, -1] == pytest.approx(np.arctan(step), abs=1e-5)


def test_a_slow_body_beside_a_fast_one_is_not_read_beyond_its_radius():
    """Terms of a velocity of 1e-3 m/s, all small beside 100 m/s, grow from its own radius on."""
    found = run(lambda: pushed(speed=1e-3, rate=1e3, beside=100.0), end=2.0, step=0.07, fixed=True)
    assert found.status[0] != 0 and radius_in(found.message[0]) == pytest.approx(0.02, rel=0.5)
    names(found.message[0], "at t = 0.98 s after 14 steps")


@FORMULATIONS
def test_steps_that_fall_to_the_smallest_say_that_there_is_a_singularity(formulation):
    """``v = 1/(1 - t)`` with steps by tolerance: the run ends at t = 1, and says why."""
    found = run(pushed, {"speed": [1.0, 0.1]}, formulation=formulation)
    assert found.status[0] != 0 and found.status[1] == 0
    names(found.message[0], "at t = 1 s", "less than the smallest step", "singularity", "grows without bound")


@FORMULATIONS
def test_what_is_recorded_and_located_before_a_pole_is_right(formulation):
    """``x = -ln(1 - t)``: where it is 3 m, 0.05 s before the pole, and what was recorded before."""

    def stopped():
        s = pushed()
        s.add(fm.StopWhen("there", fm.PlaceOf(s.ground.at(0.0, 0.0), s.bodies[0].centre), 3.0))
        return s

    found = run(stopped, points=41, formulation=formulation)
    assert found.statistics["ended"][0] == pytest.approx(1.0 - np.exp(-3.0), abs=1e-12)
    seen = found.time < 1.0 - np.exp(-3.0)
    np.testing.assert_allclose(found["body.x"][0, seen], -np.log(1.0 - found.time[seen]), atol=1e-11)


def test_no_event_is_looked_for_beyond_the_radius():
    """The sum of a fixed step across the pole passes 6 m: that is no event."""

    def stopped():
        s = pushed()
        s.add(fm.StopWhen("there", fm.PlaceOf(s.ground.at(0.0, 0.0), s.bodies[0].centre), 6.0))
        return s

    found = run(stopped, step=0.03, fixed=True)
    assert found.status[0] != 0 and np.isnan(found.statistics["ended"][0])
    names(found.message[0], "no further than")


def test_a_pendulum_in_fixed_steps_beyond_its_radius_says_so():
    """Two rods of which the values were no longer finite two seconds later."""
    build, outputs, settings = going_on.CASES["taylor"]
    settings = settings | {"step": 0.05, "fixed": True, "lanes": 1}
    found = fm.run(build, {"speed": [0.4]}, end=10.0, points=2, outputs=list(outputs), settings=settings)
    assert found.status[0] != 0
    names(found.message[0], "the Taylor series of the motion reach no further than", "fixed step of 0.05 s is longer")
    assert radius_in(found.message[0]) < 0.05


@pytest.mark.parametrize("tolerance, step", ((1e-3, 0.1), (1e-5, 0.2), (1e-8, 0.25), (1e-12, 0.3), (1e-16, 0.3)))
def test_steps_that_converge_are_taken(tolerance, step):
    """A pendulum released from the horizontal, of whose coefficients three of four are zero; its poles are 1.85/sqrt(g) s away."""

    def falling():
        s = fm.System(gravity=(0.0, -G))
        rod = s.body("rod", mass=1.0, inertia=0.25, position=(0.5, 0.0), points={"O": (-0.5, 0.0)})
        s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), rod["O"]))
        return s

    for formulation in ("natural", "tree"):
        found = run(falling, end=3.0, step=step, fixed=True, tolerance=tolerance, formulation=formulation, outputs=("rod.x",))
        assert not found.status.any(), found.message
