"""Conditions that end a run: located like contacts, outputs then stay what they are."""

import numpy as np
import pytest

import flexmbd as fm

from .sentences import names, said

G = 9.81
OUTPUTS = ["stone.y", "stone.vy", "stone.y:final", "stone.vy:min", "stone.y:mean", "stone.vy:time_of_min"]


def falling(height=1.0, value=0.0, rising=False, axis=(0.0, 1.0)):
    """A stone dropped from a height over the ground at zero."""
    s = fm.System(gravity=(0.0, -G))
    stone = s.body("stone", mass=1.0, inertia=1.0, position=(0.0, height))
    s.add(fm.StopWhen("landed", fm.PlaceOf(s.ground.at(0.0, 0.0), stone.centre, axis), value, rising))
    return s


@pytest.mark.parametrize("integrator", ("dormand_prince", "generalized_alpha"))
def test_a_falling_stone_stops_on_the_ground(integrator):
    height = np.array([0.5, 1.0, 2.0, 50.0])
    run = fm.run(falling, {"height": height}, end=1.0, points=101, outputs=OUTPUTS, settings={"integrator": integrator, "lanes": 4})
    landed = np.sqrt(2.0 * height / G)
    there = landed < 1.0
    assert not run.status.any() and run.attributes["ended"] == "3 of 4 runs by a condition"
    assert run.statistics["ended"][there] == pytest.approx(landed[there], rel=1e-9) and np.isnan(run.statistics["ended"][~there]).all()
    assert run["stone.y:final"][there] == pytest.approx(0.0, abs=1e-9)
    assert run["stone.vy:min"][there] == pytest.approx(-G * landed[there], rel=1e-7)
    assert run["stone.vy:time_of_min"][there] == pytest.approx(landed[there], rel=1e-7)
    assert run["stone.y:mean"][there] == pytest.approx(2.0 / 3.0 * height[there], rel=1e-6)
    for y, h, when in zip(run["stone.y"], height, np.minimum(landed, 1.0), strict=True):
        assert y == pytest.approx(h - 0.5 * G * np.minimum(run.time, when) ** 2, abs=1e-7)


def test_a_lane_that_stops_leaves_its_neighbours_alone():
    settings = {"integrator": "dormand_prince", "lanes": 4}
    both = fm.run(falling, {"height": np.array([0.5, 50.0])}, end=1.0, points=11, outputs=OUTPUTS, settings=settings)
    alone = fm.run(falling, {"height": np.array([50.0])}, end=1.0, points=11, outputs=OUTPUTS, settings=settings)
    assert np.array_equal(both["stone.y"][1], alone["stone.y"][0])


def test_a_value_that_is_passed_at_the_start_is_waited_for():
    """Thrown up from below: it counts when the stone comes down through it."""

    def thrown(speed):
        s = fm.System(gravity=(0.0, -G))
        stone = s.body("stone", mass=1.0, inertia=1.0, velocity=(0.0, speed))
        s.add(fm.StopWhen("back", fm.PlaceOf(s.ground.at(0.0, 0.0), stone.centre, (0.0, 1.0)), 0.5, False))
        return s

    run = fm.run(thrown, {"speed": np.array([5.0])}, end=2.0, points=3, outputs=["stone.vy:final"], settings={"lanes": 1})
    speed = np.sqrt(25.0 - 2 * G * 0.5)
    assert run.statistics["ended"] == pytest.approx((5.0 + speed) / G, rel=1e-9)
    assert run["stone.vy:final"] == pytest.approx(-speed, rel=1e-8)


def test_an_angle_ends_a_run_too():
    s = fm.System()
    rod = s.body("rod", mass=1.0, inertia=1.0, rate=2.0)
    s.add(fm.StopWhen("turned", fm.AngleOf(s.ground, rod), 7.0))
    run = fm.run(s, end=10.0, points=2, outputs=["rod.angle:final"])
    assert run.statistics["ended"] == pytest.approx(3.5, rel=1e-9) and run["rod.angle:final"] == pytest.approx(7.0, rel=1e-9)


def test_a_condition_that_never_comes_is_said():
    run = fm.run(lambda: falling(50.0), {}, end=0.5, points=2, outputs=["stone.y"], settings={"lanes": 1})
    assert not run.status.any() and run.attributes["ended"] == "no run: 'landed' never came"


def test_a_condition_on_something_else_is_refused():
    names(said(lambda: fm.StopWhen("landed", "y", 0.0)), "condition 'landed'", "'y'", "AngleOf or a PlaceOf")


@pytest.mark.parametrize("before", (1e-9, 1e-7, 1e-5))
def test_a_condition_just_before_the_end_is_met(before):
    """Nearer to the end than a step can be cut."""
    end = np.sqrt(2.0 / G) + before
    run = fm.run(falling, {"height": np.array([1.0])}, end=end, points=3, outputs=["stone.y"], settings={"lanes": 1, "step": 0.01})
    assert not run.status.any() and run.statistics["ended"] == pytest.approx(end - before, abs=2.0 * before)


# ---- switches
def pushed(push, reset=None, **settings):
    """A block pushed by a motor that goes on at one place and off again at another, against a steady force."""
    s = fm.System(gravity=(0.0, 0.0))
    block = s.body("block", mass=1.0, inertia=1.0)
    s.add(fm.Translational("rail", s.ground.at(0.0, 0.0), block.centre))
    place = fm.PlaceOf(s.ground.at(0.0, 0.0), block.centre)
    latch = fm.Latch("low", place, -0.5, False, reset)
    s.add(latch)
    s.add(fm.Actuator("motor", place, fm.Switched(latch, on=push, off=-1.0)))
    return s


@pytest.mark.parametrize("integrator", ("dormand_prince", "generalized_alpha", "ggl", "rosenbrock"))
def test_a_switch_goes_on_and_off(integrator):
    """Between the switches the acceleration is constant: the motion is known."""
    settings = {"integrator": integrator, "lanes": 4}
    push = np.array([3.0, 2.0])
    grid = {"end": 4.0, "points": 401, "outputs": ["block.x", "low.on"], "settings": settings}
    run = fm.run(lambda push: pushed(push, reset=-0.3), {"push": push}, **grid)
    assert not run.status.any()
    for x, on, p in zip(run["block.x"], run["low.on"], push, strict=True):
        place, speed, force, t, known = 0.0, 0.0, -1.0, 0.0, np.zeros(401)
        while t < 4.0:
            limit, a = (-0.5, -1.0) if force < 0.0 else (-0.3, p)
            roots = np.roots([0.5 * a, speed, place - limit])
            good = [r.real for r in roots if abs(r.imag) < 1e-12 and r.real > 1e-9 and np.sign(speed + a * r.real) == np.sign(a)]
            length = min(good, default=4.0)
            here = (run.time >= t) & (run.time <= t + length)
            known[here] = place + speed * (run.time[here] - t) + 0.5 * a * (run.time[here] - t) ** 2
            place, speed, t, force = place + speed * length + 0.5 * a * length**2, speed + a * length, t + length, -force
        assert x == pytest.approx(known, abs=2e-8)
        assert set(on) == {0.0, 1.0}


def test_without_reset_it_stays_on_and_a_run_beyond_begins_with_it():
    run = fm.run(pushed, {"push": np.array([3.0])}, end=4.0, points=41, outputs=["low.on", "motor.force"], settings={"lanes": 2})
    assert np.all(np.diff(run["low.on"][0]) >= 0.0) and run["low.on"][0, -1] == 1.0
    assert np.array_equal(run["motor.force"][0], np.where(run["low.on"][0] > 0.5, 3.0, -1.0))

    s = fm.System(gravity=(0.0, 0.0))
    block = s.body("block", mass=1.0, inertia=1.0, position=(-1.0, 0.0))
    s.add(fm.Latch("low", fm.PlaceOf(s.ground.at(0.0, 0.0), block.centre), -0.5, False))
    assert np.all(fm.run(s, end=1.0, points=3, outputs=["low.on"])["low.on"] == 1.0)


def test_switches_go_on_from_a_state():
    sim = fm.compile(lambda push: pushed(push, reset=-0.3), {"push": np.array([3.0, 2.0])}, outputs=["block.x"], end=4.0)
    state = sim.start({"push": np.array([3.0, 2.0])})
    whole = sim.step(state.copy(), 4.0)
    for end in (0.9, 1.3, 2.7, 4.0):
        state = sim.step(state, end)
    assert np.array_equal(whole["states"], state["states"])
    assert whole["coordinates"] == pytest.approx(state["coordinates"], abs=1e-9)


def test_bad_switches():
    s = fm.System(gravity=(0.0, 0.0))
    block = s.body("block", mass=1.0, inertia=1.0)
    place = fm.PlaceOf(s.ground.at(0.0, 0.0), block.centre)
    names(said(lambda: fm.Latch("low", place, -0.5, False, -0.7)), "condition 'low'", "reset is -0.7", "above value, -0.5")
    names(said(lambda: fm.Switched("low", 1.0)), "latch is 'low'", "must be a Latch")
    latch = fm.Latch("low", place, 0.0)
    s.add(fm.Actuator("motor", place, fm.Switched(latch, 1.0)))
    names(said(lambda: fm.Equations(s)), "switched by 'low'", "needs it in the system", "add the latch")
    names(said(lambda: fm.Equations(driven(latch))), "drive 'slide'", "is switched", "no Switched motion")


def driven(latch):
    """A slide whose drive is switched, which would make its velocity jump."""
    s = fm.System(gravity=(0.0, 0.0))
    block = s.body("block", mass=1.0, inertia=1.0)
    s.add(fm.SlideDrive("slide", s.ground.at(0.0, 0.0), block.centre, motion=fm.Switched(latch, 1.0)))
    return s
