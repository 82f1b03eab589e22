"""Maps from section to section: derivatives against central differences, closed forms, impacts, and what is refused."""

import math

import numpy as np
import pytest

import flexmbd as fm

from .section_models import ball_on_table, bouncing_disc, double_pendulum, error_by_inputs, error_by_state, oscillator

PENDULUM = {"length": 0.5, "omega": 3.0, "stiffness": 2.0}


def turn(omega):
    return 2.0 * math.pi / omega


@pytest.mark.parametrize("formulation", ["natural", "tree"])
def test_derivatives_of_smooth_motion_are_those_of_the_map(formulation):
    section = fm.section_map(double_pendulum, turn, formulation=formulation, tolerance=1e-12)
    assert error_by_state(section, section.start[0], PENDULUM, 1e-4) < 1e-8
    assert error_by_inputs(section, section.start[0], PENDULUM, 1e-4) < 1e-8


def test_derivatives_of_a_linear_oscillator_are_its_transition_matrix():
    section = fm.section_map(lambda: oscillator(damping=0.1, stop=50.0), 2.0)
    a, b = 0.1, math.sqrt(1.0 - 0.01)
    c, s = math.cos(2.0 * b), math.sin(2.0 * b)
    expected = math.exp(-2.0 * a) * np.array([[c + a / b * s, s / b], [-s / b, c - a / b * s]])
    assert section.tangent(section.start, {})[1][0] == pytest.approx(expected, abs=1e-9)


def test_states_in_lanes_are_those_of_single_ones():
    section, states = fm.section_map(oscillator, lambda frequency: turn(frequency)), np.array([[-0.3, 0.1], [-0.7, 0.4], [-0.2, 0.0]])
    frequencies = np.array([2.5, 2.6, 2.7])
    points, by_state, _ = section.tangent(states, {"frequency": frequencies})
    for k in range(3):
        point, slope, _ = section.tangent(states[k : k + 1], {"frequency": float(frequencies[k])})
        assert np.array_equal(point[0], points[k]) and np.array_equal(slope[0], by_state[k])


def test_a_map_ends_where_a_run_does():
    section = fm.section_map(double_pendulum, 1.3)
    run = fm.run(
        double_pendulum(), end=1.3, points=2, outputs=["lower.x", "lower.y"], settings={"integrator": "dop853", "tolerance": 1e-10}
    )
    found = fm.section_map(double_pendulum, 1.3).step(section.start, {})[0]
    assert section.names[0] == "lower.x" and found[0] == pytest.approx(float(run["lower.x"][-1]), abs=1e-8)


@pytest.mark.parametrize(
    ("law", "parameters"),
    [
        (lambda K, e: fm.HuntCrossley(K, restitution=e), {"K": 1e5, "e": 0.7}),
        (lambda K, e: fm.LankaraniNikravesh(K, restitution=e, calibrated=True), {"K": 1e5, "e": 0.5}),
        (lambda K, e: fm.KelvinVoigt(K, e), {"K": 1e5, "e": 50.0}),  # its force jumps at the onset
    ],
)
def test_derivatives_hold_over_contacts_with_laws(law, parameters):
    section = fm.section_map(lambda K, e: bouncing_disc(law(K, e)), 0.5, inputs=parameters, tolerance=1e-12)
    assert section.passage(section.start, {}).impacts[0] > 0
    assert error_by_state(section, section.start[0], {}, 1e-4) < 2e-7
    assert error_by_inputs(section, section.start[0], parameters, 1e-3) < 2e-7


def test_derivatives_hold_with_friction():
    def disc(mu=0.2, K=1e5):
        return bouncing_disc(fm.HuntCrossley(K, restitution=0.7), fm.Ambrosio(mu, 1e-3, 1e-2))

    section = fm.section_map(disc, 0.5, tolerance=1e-12)
    assert error_by_state(section, section.start[0], {}, 1e-4) < 1e-6
    assert error_by_inputs(section, section.start[0], {"mu": 0.2}, 1e-3) < 1e-6


def test_impacts_have_saltation_matrices():
    section = fm.section_map(oscillator, lambda frequency: turn(frequency), tolerance=1e-12)
    parameters = {"frequency": 2.7, "damping": 0.02, "stop": 0.0, "restitution": 0.8}
    assert section.passage(section.start, parameters).impacts[0] == 1
    assert error_by_state(section, section.start[0], parameters, 1e-4) < 1e-8
    assert error_by_inputs(section, section.start[0], parameters, 1e-4) < 1e-8


def test_saltation_counts_that_the_surface_moves():
    section = fm.section_map(ball_on_table, lambda frequency: turn(frequency), tolerance=1e-12)
    parameters = {"amplitude": 5e-4, "frequency": 50 * math.pi, "restitution": 0.5}
    assert section.passage(section.start, parameters).impacts[0] == 1
    state = section.start[0]
    assert error_by_state(section, state, parameters, np.where(np.abs(state) > 0, 1e-6, 1e-5)) < 1e-6
    assert error_by_inputs(section, state, parameters, 1e-4) < 1e-6


def test_a_free_impact_has_the_saltation_matrix_of_the_books():
    """``[[-e, 0], [(1 + e) g / v, -e]]``, v the approach speed, of a ball on a floor at rest (Leine and Nijmeijer 2004, section 7.2)."""

    def ball(restitution=0.6):
        s = fm.System(gravity=(0.0, -10.0))
        mass = s.point_mass("ball", mass=0.2, position=(0.0, 1.0))
        s.add(fm.PointPlane("floor", mass.centre, s.ground.at(0.0, 0.0), fm.Impenetrable(restitution)))
        return s

    section, g, h, e = fm.section_map(ball, 0.6), 10.0, 1.0, 0.6
    fall = math.sqrt(2.0 * h / g)
    v = g * fall
    jump = np.array([[-e, 0.0], [(1 + e) * g / v, -e]])
    before, after = (np.array([[1.0, t], [0.0, 1.0]]) for t in (fall, 0.6 - fall))
    own = [section.names.index("ball.y"), section.names.index("ball.vy")]
    assert section.tangent(section.start, {})[1][0][np.ix_(own, own)] == pytest.approx(after @ jump @ before, abs=1e-9)


def test_what_grazes_is_said_and_has_no_derivative():
    def swinging(height=1.0):  # up to the ceiling and back
        s = fm.System(gravity=(0.0, -10.0))
        mass = s.point_mass("ball", mass=0.2, position=(0.0, 0.0), velocity=(0.0, 2.0 * math.sqrt(5.0)))
        s.add(fm.PointPlane("ceiling", mass.centre, s.ground.at(0.0, height), fm.Impenetrable(0.8), normal=(0.0, -1.0)))
        return s

    section = fm.section_map(swinging, 0.6)
    found = section.passage(np.repeat(section.start, 3, axis=0), {"height": np.array([0.99, 1.0 - 2e-14, 1.01])})
    assert found.impacts.tolist() == [1, 1, 0] and found.approach[0] == pytest.approx(math.sqrt(0.2))
    assert np.all(np.isfinite(found.points)) and np.isfinite(found.by_state).all(axis=(1, 2)).tolist() == [True, False, True]
    assert "grazes" in found.said[1] and found.said[::2] == ["", ""]


def test_contacts_that_close_are_said():
    def ball(restitution=0.5):
        s = fm.System(gravity=(0.0, -10.0))
        mass = s.point_mass("ball", mass=0.2, position=(0.0, 0.1))
        s.add(fm.PointPlane("floor", mass.centre, s.ground.at(0.0, 0.0), fm.Impenetrable(restitution)))
        return s

    section = fm.section_map(ball, 2.0, most=2000)
    found = section.passage(np.repeat(section.start, 2, axis=0), {"restitution": np.array([0.5, 0.0])})
    assert np.all(np.isnan(found.points)) and "closes" in found.said[0] and "stays closed" in found.said[1]


def test_a_state_in_contact_needs_its_approach_speed():
    def disc():
        return bouncing_disc(fm.HuntCrossley(1e5, restitution=0.7))

    lying = np.array([[0.0, 0.0999, 0.0, 0.0, 0.0, 0.0]])
    found = fm.section_map(disc, 0.1).passage(lying, {})
    assert np.all(np.isnan(found.points)) and "approach speed" in found.said[0]
    section = fm.section_map(disc, 0.02, memory=True, tolerance=1e-12)
    state = np.array([*lying[0], 0.3])
    assert section.names[-1] == "floor.impact_velocity"
    assert error_by_state(section, state, {}, np.array([1e-4, 1e-6, *[1e-3] * 5])) < 1e-6


def test_what_is_not_treated_is_refused():
    for law in (fm.Impenetrable(0.5, friction=0.1, rule="poisson"), fm.Impenetrable(0.5, friction=0.1, rolling=1e-3)):
        with pytest.raises(fm.ModelError, match="Poisson"):
            fm.section_map(bouncing_disc(law), 1.0)
    with pytest.raises(fm.ModelError, match="states of their own"):
        fm.section_map(bouncing_disc(fm.Hertz(1e5), fm.LuGre(0.3, 0.2, 0.01, 1e5, 300.0)), 1.0)
    with pytest.raises(fm.ModelError, match="every"):
        fm.section_map(double_pendulum, -1.0)
    with pytest.raises(fm.ModelError, match="'mass'"):
        fm.section_map(double_pendulum, 1.0).step(np.zeros((1, 4)), {"mass": 1.0})
    with pytest.raises(fm.ModelError, match="shape"):
        fm.section_map(double_pendulum, 1.0).step(np.zeros((1, 3)), {})
