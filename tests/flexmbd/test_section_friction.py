"""Section maps over impacts with friction: closed forms, derivatives against differences, and the limit between sliding and sticking."""

import math

import numpy as np
import pytest

import flexmbd as fm

from .section_models import bouncing_disc, error_by_inputs, error_by_state

RADIUS = 0.1
FALL = math.sqrt(2 * 9.81 * 0.2)


def disc(e=0.6, mu=0.1, back=0.0):
    """A disc of 1 kg and 0.02 kg m², with a velocity of 0.3 m/s, that falls by 0.2 m."""
    return bouncing_disc(fm.Impenetrable(e, friction=mu, tangential_restitution=back))


@pytest.mark.parametrize(("mu", "back"), [(0.01, 0.0), (0.01, 0.5), (0.3, 0.0), (0.3, 0.4)])
def test_an_impact_slides_or_sticks_as_in_closed_form(mu, back):
    """The velocity of sliding changes by the percussion times 1/m + R²/J."""
    section = fm.section_map(disc, impact="floor", within=1.0)
    found = section.step(section.start, {"e": 0.6, "mu": mu, "back": back})[0]
    yields = 1.0 + RADIUS**2 / 0.02
    percussion = min(mu * 1.6 * FALL, (1.0 + back) * 0.3 / yields)
    assert found[section.names.index("disc.vx")] == pytest.approx(0.3 - percussion, rel=1e-8)
    assert found[section.names.index("disc.vy")] == pytest.approx(0.6 * FALL, rel=1e-8)


@pytest.mark.parametrize(("mu", "back", "varied"), [(0.01, 0.5, "mu"), (0.3, 0.4, "back")])  # slides, sticks
def test_derivatives_hold_while_impacts_slide_or_stick(mu, back, varied):
    section, parameters = fm.section_map(disc, 0.4, tolerance=1e-12, inputs={"mu": mu, "back": back}), {"mu": mu, "back": back}
    state = section.start[0] + np.array([0.0, 0.0, 0.0, 0.1, 0.2, 0.4])
    assert section.passage(state[None], {}).impacts[0] == 1
    assert error_by_state(section, state, {}, 1e-4) < 1e-7
    assert error_by_inputs(section, state, {"e": 0.6, varied: parameters[varied]}, 1e-3) < 1e-7


def test_the_motion_is_that_of_a_run_with_events():
    def rod(e=0.5, mu=0.2):
        """Whose end strikes the floor: the normal percussion has a part in sliding."""
        s = fm.System(gravity=(0.0, -9.81))
        body = s.body("rod", mass=1.0, inertia=1 / 12, position=(0.0, 0.6), angle=0.6, velocity=(0.5, 0.0), points={"E": (-0.5, 0.0)})
        s.add(fm.PointPlane("floor", body["E"], s.ground.at(0.0, 0.0), fm.Impenetrable(e, friction=mu)))
        return s

    for mu in (0.05, 0.9):
        section = fm.section_map(rod, 0.4, tolerance=1e-12)
        found = section.passage(section.start, {"mu": mu})
        run = fm.run(
            rod(mu=mu), end=0.4, points=2, outputs=["rod.x", "rod.vx", "rod.rate"],
            settings={"integrator": "event_driven", "tolerance": 1e-11},
        )  # fmt: skip
        assert found.impacts[0] == 1
        for name in ("rod.x", "rod.vx"):
            assert found.points[0, section.names.index(name)] == pytest.approx(float(run[name][-1]), abs=1e-8)
        assert error_by_state(section, section.start[0], {"mu": mu}, 1e-4) < 1e-7


def test_an_impact_between_sliding_and_sticking_has_no_derivative():
    section = fm.section_map(disc, 0.4)
    limit = 0.3 / (1.5 * 1.6 * FALL)
    found = section.passage(np.repeat(section.start, 3, axis=0), {"mu": limit * np.array([0.999, 1.0, 1.001])})
    assert found.said[::2] == ["", ""] and "between sliding and sticking" in found.said[1]
    assert np.isfinite(found.points).all() and np.isfinite(found.by_state).all(axis=(1, 2)).tolist() == [True, False, True]
