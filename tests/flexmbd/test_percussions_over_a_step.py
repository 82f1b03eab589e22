"""Forces of schemes with fixed steps, in which an impact is a percussion by the length of the step: which outputs say so."""

import numpy as np
import pytest

import flexmbd as fm

from .impenetrable_models import G, ball, moved

STEPPING = ["moreau", "nonsmooth_generalized_alpha", "nonsmooth_ggl"]
WORDS = "percussion by the length of a step"


def hammer(friction=0.2):
    """A driven arm carries a pendulum whose end strikes a wall; a stone falls beside it."""
    s = fm.System(gravity=(0.0, -G))
    arm = s.body("arm", mass=0.6, inertia=0.02, position=(0.1, 0.0), points={"end": (0.1, 0.0)})
    rod = s.body("rod", mass=0.8, inertia=0.03, position=(0.2, 0.25), points={"top": (0.0, -0.25), "tip": (0.0, 0.25)}, rate=-1.0)
    s.add(fm.Revolute("axle", s.ground.at(0.0, 0.0), arm.at(-0.1, 0.0)))
    s.add(fm.AngleDrive("drive", s.ground.at(0.0, 0.0), arm.centre, fm.ConstantSpeed(0.0)))
    s.add(fm.Revolute("pin", arm["end"], rod["top"]))
    law = fm.Impenetrable(0.5, friction=friction)
    s.add(fm.DiscPlane("wall", rod["tip"], s.ground.at(0.35, 0.0), 0.02, law, normal=(-1.0, 0.0)))
    s.body("stone", mass=1.0, inertia=0.1, position=(3.0, 0.0))
    return s


def marked(found):
    return {key.removesuffix(".percussion") for key in found.attributes if key.endswith(".percussion")}


@pytest.fixture(scope="module")
def hammered():
    names = ["wall.normal", "wall.friction", "pin.force", "axle.fx", "drive.moment", "rod.alpha", "rod.tip.ay"]
    free = ["rod.rate", "rod.tip.y", "wall.impulse", "wall.impacts", "stone.ay", "energy.total"]
    outputs = [f"{name}{how}" for name in names for how in ("", ":max", ":min", ":abs_max", ":rms", ":time_of_max", ":final", ":mean")]
    found = {step: moved(hammer(), outputs + free, end=0.5, step=step, points=6, max_steps=10_000) for step in (1e-3, 2.5e-4)}
    assert found[1e-3]["wall.impacts"][-1] >= 1
    return names, free, found


def test_all_that_follows_from_percussions_is_marked_but_its_mean(hammered):
    names, free, found = hammered
    expected = {f"{name}{how}" for name in names for how in ("", ":max", ":min", ":abs_max", ":rms", ":time_of_max", ":final")}
    assert marked(found[1e-3]) == expected
    assert all(WORDS in found[1e-3].attributes[f"{name}.percussion"] for name in expected)
    assert "take its ':mean', or 'wall.impulse' (N s), or integrator = 'event_driven'" in found[1e-3].attributes["pin.force.percussion"]


@pytest.mark.parametrize("name", ["wall.normal:max", "pin.force:max", "drive.moment:abs_max", "rod.alpha:abs_max", "axle.fx:abs_max"])
def test_what_is_marked_has_no_value_as_the_step_shrinks(name, hammered):
    found = hammered[2]
    assert abs(found[2.5e-4][name]) > 3 * abs(found[1e-3][name])


@pytest.mark.parametrize("scheme", STEPPING)
def test_the_mean_force_is_that_of_the_percussions(scheme):
    """A dropped ball takes ``m (1 + e) sqrt(2 g h)`` from the floor."""
    height, e, end = 0.6, 0.4, 0.6
    found = moved(ball(height, e), ["floor.normal:mean", "floor.impulse:final"], end=end, step=5e-4, scheme=scheme)
    taken = (1 + e) * np.sqrt(2 * G * height)
    assert found["floor.normal:mean"] * end == pytest.approx(taken, rel=2e-3)
    assert found["floor.impulse:final"] == pytest.approx(taken, rel=2e-3) and not marked(found)


def test_forces_of_the_event_driven_scheme_are_those_between_impacts():
    found = moved(ball(0.6, 0.4), ["floor.normal:max", "floor.impulse:final", "ball.ay:abs_max"], end=0.6, step=1e-2, scheme="event_driven")
    assert found["floor.normal:max"] == 0.0 and found["ball.ay:abs_max"] == pytest.approx(G)
    assert found["floor.impulse:final"] == pytest.approx(1.4 * np.sqrt(2 * G * 0.6), rel=1e-8) and not marked(found)


def test_compliant_contacts_and_guides_that_nothing_strikes_are_not_marked():
    s = fm.System(gravity=(0.0, 0.0))
    body = s.body("slider", mass=1.0, inertia=0.1, velocity=(1.0, 0.0))
    s.add(fm.FrictionGuide("guide", body.centre, s.ground.at(0.0, 0.0), 0.2, fm.Impenetrable(friction=0.1)))
    assert not marked(moved(s, ["guide.1.normal:max", "slider.ax"], end=0.01, step=1e-3))


def test_preparing_says_it_before_a_run():
    outputs = ["floor.normal:max", "ball.y"]
    prepared = fm.prepare(ball(), end=0.1, points=2, outputs=outputs, settings={"step": 1e-3})
    assert marked(prepared) == {"floor.normal:max"}


@pytest.mark.parametrize(
    "settings, step, order",
    [
        ({"integrator": "moreau", "step": 2e-3}, 2e-3, 1),
        ({"integrator": "event_driven", "step": 2e-3}, None, None),
        ({"integrator": "event_driven", "step": 2e-3, "fixed": True}, 2e-3, 1),
    ],
    ids=["moreau", "adaptive", "fixed"],
)
def test_a_run_says_its_fixed_step_and_the_order_of_its_error(settings, step, order):
    prepared = fm.prepare(ball(), end=0.1, points=2, outputs=["ball.y"], settings=settings)
    assert (prepared.attributes.get("solver.fixed_step"), prepared.attributes.get("solver.order")) == (step, order)
