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
