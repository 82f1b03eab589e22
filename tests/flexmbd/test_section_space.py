"""Section maps over impacts with friction in space: closed forms, `event_driven`, derivatives against differences, and what is said."""

import math

import numpy as np
import pytest

import flexmbd as fm

from .section_models import error_by_inputs, error_by_state

RADIUS = 0.1
FALL = math.sqrt(2 * 9.81 * 0.2)


def sphere(e=0.6, mu=0.1, back=0.0):
    """A solid sphere of 2 kg that falls by 0.2 m, with a velocity of 0.5 m/s."""
    s = fm.System(gravity=(0.0, 0.0, -9.81))
    body = s.body("sphere", mass=2.0, inertia=(0.4 * 2.0 * RADIUS**2,) * 3, position=(0.0, 0.0, 0.3), velocity=(0.3, -0.4, 0.0))
    law = fm.Impenetrable(e, friction=mu, tangential_restitution=back)
    s.add(fm.SpherePlane("floor", body.centre, s.ground.at(0.0, 0.0, 0.0), RADIUS, law))
    return s


def top(e=0.5, mu=0.2, back=0.3):
    """A body that turns and strikes the floor with a round corner, so that the percussion has all parts."""
    s = fm.System(gravity=(0.0, 0.0, -9.81))
    body = s.body(
        "top", mass=1.0, inertia=(0.02, 0.03, 0.05), position=(0.0, 0.0, 0.4), velocity=(0.5, 0.2, 0.0), angular_velocity=(1.0, 2.0, -1.0),
        points={"E": (0.15, -0.1, -0.2)},
    )  # fmt: skip
    law = fm.Impenetrable(e, friction=mu, tangential_restitution=back)
    s.add(fm.SpherePlane("floor", body["E"], s.ground.at(0.0, 0.0, 0.0), 0.02, law))
    return s


@pytest.fixture(scope="module")
def tumbling():
    return fm.section_map(top, 0.2, tolerance=1e-12)


@pytest.mark.parametrize(("mu", "back"), [(0.0, 0.0), (0.02, 0.5), (0.4, 0.0), (0.4, 0.3)])
def test_a_sphere_slides_or_sticks_as_in_closed_form(mu, back):
    """The velocity of sliding keeps its direction and changes by the percussion times 7/2 of 1/m."""
    section = fm.section_map(sphere, impact="floor", within=1.0)
    found = section.step(section.start, {"e": 0.6, "mu": mu, "back": back})[0]
    loses = min(mu * 1.6 * FALL, (1.0 + back) * 0.5 / 3.5) / 0.5
    expected = [0.3 * (1.0 - loses), -0.4 * (1.0 - loses), 0.6 * FALL]
    assert [found[section.names.index(f"sphere.v{axis}")] for axis in "xyz"] == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("mu", [0.05, 0.2, 0.9])  # slides, slides and turns, sticks
def test_the_motion_in_space_is_that_of_a_run_with_events(tumbling, mu):
    found = tumbling.passage(tumbling.start, {"mu": mu})
    names = [f"top.{kind}{axis}" for kind in ("", "v") for axis in "xyz"]
    run = fm.run(top(mu=mu), end=0.2, points=2, outputs=names, settings={"integrator": "event_driven", "tolerance": 1e-11})
    assert found.impacts[0] == 1 and found.said == [""]
    for name in names:
        assert found.points[0, tumbling.names.index(name)] == pytest.approx(float(run[name][-1]), abs=1e-9)


@pytest.mark.parametrize(("mu", "varied"), [(0.05, "mu"), (0.2, "mu"), (0.9, "back")])
def test_derivatives_hold_while_impacts_in_space_slide_or_stick(tumbling, mu, varied):
    state = tumbling.start[0]
    assert error_by_state(tumbling, state, {"mu": mu}, 1e-4) < 1e-8
    fixed = fm.section_map(top, 0.2, tolerance=1e-12, inputs={"mu": mu})
    assert error_by_inputs(fixed, state, {"e": 0.5, varied: mu if varied == "mu" else 0.3}, 1e-3) < 1e-8


def test_derivatives_hold_from_impact_to_impact_in_space():
    section = fm.section_map(top, impact="floor", within=1.0, tolerance=1e-12)
    assert error_by_state(section, section.start[0], {"mu": 0.2}, 1e-5) < 1e-6


def test_without_friction_at_rest_there_is_a_derivative_in_space():
    section = fm.section_map(sphere, 0.3, inputs={"mu": 0.0}, tolerance=1e-12)
    state = section.start.copy()
    state[0, [section.names.index("sphere.vx"), section.names.index("sphere.vy")]] = 0.0
    found = section.passage(state, {})
    assert found.said == [""] and error_by_state(section, state[0], {}, 1e-4) < 1e-8


def test_an_impact_in_space_between_sliding_and_sticking_has_no_derivative():
    section = fm.section_map(sphere, 0.3)
    limit = 0.5 / (3.5 * 1.6 * FALL)
    found = section.passage(np.repeat(section.start, 3, axis=0), {"mu": limit * np.array([0.999, 1.0, 1.001])})
    assert found.said[::2] == ["", ""] and "between sliding and sticking" in found.said[1]
    assert np.isfinite(found.points).all() and np.isfinite(found.by_state).all(axis=(1, 2)).tolist() == [True, False, True]


def test_what_is_not_treated_in_space_is_refused():
    def rolls(rolling=0.01):
        s = sphere()
        law = fm.Impenetrable(0.5, friction=0.2, rolling=rolling)
        s.add(fm.SpherePlane("other", s.bodies[0].centre, s.ground.at(0.0, 0.0, -1.0), RADIUS, law))
        return s

    with pytest.raises(fm.ModelError, match="rolls, pivots, or has friction by Poisson's rule"):
        fm.section_map(rolls, 0.3)
