"""Maps from crossing to crossing and from impact to impact: exact orbits, derivatives against differences, and what is said."""

import math

import numpy as np
import pytest

import flexmbd as fm
from uqmbd.analysis.dynamics import located, shooting

from .section_models import bouncing_disc, double_pendulum, error_by_inputs, error_by_state, oscillator


def turn(frequency):
    return 2.0 * math.pi / frequency


def mass_on_spring(stiffness=4.0, damping=0.0):
    """A mass on a rail; its rate is 1 where it passes its rest."""
    s = fm.System(gravity=(0.0, 0.0))
    mass = s.body("mass", mass=1.0, inertia=1.0, position=(0.1, 0.0))
    s.add(fm.Translational("rail", s.ground.at(0.0, 0.0), mass.centre, axis=(1.0, 0.0)))
    s.add(fm.Spring("spring", s.ground.at(-5.0, 0.0), mass.centre, stiffness=stiffness, damping=damping, length=5.0))
    return s


def ball_on_rail(amplitude=5e-4, frequency=50 * math.pi, restitution=0.5):
    """A ball that falls along a rail on a table which moves as ``A sin(w t)``."""
    s = fm.System(gravity=(0.0, -9.81))
    ball = s.body("ball", mass=0.2, inertia=1.0, position=(0.0, 2e-3))
    table = s.body("table", mass=1.0, inertia=1.0)
    s.add(fm.SlideDrive("shaker", s.ground.at(0.0, 0.0), table.centre, fm.Harmonic(amplitude, frequency), axis=(0.0, 1.0)))
    s.add(fm.Translational("guide", s.ground.at(0.0, 0.0), table.centre, axis=(0.0, 1.0)))
    s.add(fm.Translational("rail", s.ground.at(0.0, 0.0), ball.centre, axis=(0.0, 1.0)))
    s.add(fm.PointPlane("top", ball.centre, table.centre, fm.Impenetrable(restitution)))
    return s


@pytest.mark.parametrize(
    ("damping", "stop", "restitution", "frequency", "state"),
    [
        (0.02, 0.0, 0.8, 2.6556212360828315, None),
        (0.0, 0.0, 0.8, 2.6533477278, (-0.3594117679, 3.0391399597)),
        (0.0, 0.1, 0.8, 2.4549422431, None),
    ],
)
def test_flips_of_the_impact_oscillator_from_impact_to_impact(damping, stop, restitution, frequency, state):
    section = fm.section_map(oscillator, turn, impact="stop")
    parameters = {"frequency": 1.01 * frequency, "damping": damping, "stop": stop, "restitution": restitution}
    orbit = shooting.shoot(section, np.array([[stop, -0.36, 3.0]]), {name: np.array([x]) for name, x in parameters.items()})
    assert section.passage(orbit.states, parameters).time == pytest.approx([turn(1.01 * frequency)], rel=1e-9)
    flip = located.locate(section, "flip", "frequency", orbit.states[0], parameters)
    other = -(restitution**2) * math.exp(-4.0 * math.pi * damping / frequency)
    assert flip.parameter == pytest.approx(frequency, abs=1e-8)
    assert np.sort(flip.multipliers.real) == pytest.approx([-1.0, other, 0.0], abs=1e-6)
    if state is not None:
        assert section.names == ("mass.x", "mass.vx", "phase") and flip.state[1:] == pytest.approx(state, abs=1e-8)


@pytest.mark.parametrize("e", [0.5, 0.8])
def test_birth_and_flip_of_the_bouncing_ball_from_impact_to_impact(e):
    section, w, g = fm.section_map(ball_on_rail, turn, impact="top"), 50 * math.pi, 9.81
    birth = math.pi * (1.0 - e) / (1.0 + e)
    flip = math.hypot(birth, 2.0 * (1.0 + e**2) / (1.0 + e) ** 2)
    for kind, size, phase in (("fold", birth, 0.02), ("flip", flip, math.acos(birth / flip))):
        amplitude = size * g / w**2
        start = np.array([amplitude * math.sin(phase), g * math.pi / w, phase])
        found = located.locate(section, kind, "amplitude", start, {"amplitude": 1.001 * amplitude, "frequency": w, "restitution": e})
        assert found.lost == "" and found.parameter == pytest.approx(amplitude, rel=1e-9 if kind == "flip" else 1e-6)
        expected = [-1.0, -(e**2), 0.0] if kind == "flip" else [0.0, e**2, 1.0]
        assert np.sort(found.multipliers.real) == pytest.approx(expected, abs=1e-5 if kind == "flip" else 1e-3)


def test_a_damped_oscillator_comes_back_slower_by_its_decrement():
    section = fm.section_map(lambda damping: mass_on_spring(4.0, damping), crossing="mass.x", within=10.0, inputs={"damping": 0.4})
    found = section.passage(np.array([[0.0, 1.0], [0.0, 0.3]]), {})
    period = 2.0 * math.pi / math.sqrt(4.0 - 0.04)
    assert section.names == ("mass.x", "mass.vx") and section.period is None
    assert found.time == pytest.approx([period, period], abs=1e-9)
    assert found.points == pytest.approx(np.array([[0.0, 1.0], [0.0, 0.3]]) * math.exp(-0.2 * period), abs=1e-9)
    assert np.sort(np.linalg.eigvals(found.by_state)) == pytest.approx(np.array([[0.0, math.exp(-0.2 * period)]] * 2), abs=1e-8)


@pytest.mark.parametrize("level", [-0.49999, 0.2, 0.4999999])
def test_a_passage_near_where_the_motion_turns_is_not_missed(level):
    """Above the level the last one is for 0.6 ms of 3.1 s."""
    section = fm.section_map(mass_on_spring, crossing="mass.x", level=level, within=1.0e3)
    speed = 2.0 * math.sqrt(0.25 - level**2)
    found = section.passage(np.array([[level, speed]]), {})
    assert found.time == pytest.approx([math.pi], abs=1e-6) and found.points[0, 1] == pytest.approx(speed, abs=1e-6)


SMOOTH = {"length": 0.5, "omega": 3.0, "stiffness": 2.0}


@pytest.mark.parametrize(
    ("formulation", "crossing", "direction"), [("natural", "lower.x", "up"), ("tree", "lower.x", "up"), ("tree", "lower.vy", "down")]
)
def test_derivatives_of_crossings_are_those_of_the_map(formulation, crossing, direction):
    section = fm.section_map(
        double_pendulum, lambda omega: 2.0 * math.pi / omega, crossing=crossing, direction=direction, level=0.02,
        formulation=formulation, tolerance=1e-12,
    )  # fmt: skip
    state = section.step(section.start, SMOOTH)[0]
    assert error_by_state(section, state, SMOOTH, 1e-5) < 1e-7
    assert error_by_inputs(section, state, SMOOTH, 1e-4) < 1e-7


def test_derivatives_of_crossings_hold_over_impacts_and_where_an_impact_jumps_over_the_level():
    parameters = {"frequency": 2.7, "damping": 0.02, "stop": 0.0, "restitution": 0.8}
    for crossing, direction, level in (("mass.x", "up", -0.1), ("mass.vx", "down", 0.0)):  # the rate falls through zero by the impact
        section = fm.section_map(oscillator, turn, crossing=crossing, direction=direction, level=level, tolerance=1e-12)
        state = np.array([-0.1, 0.3, 1.0])
        found = section.passage(state[None], parameters)
        assert found.impacts[0] > 0 and found.said == [""]
        assert error_by_state(section, state, parameters, 1e-5) < 1e-7
        assert error_by_inputs(section, state, parameters, 1e-4) < 1e-7


def test_derivatives_from_impact_to_impact_on_a_moving_surface():
    section = fm.section_map(ball_on_rail, turn, impact="top", tolerance=1e-12)
    parameters = {"amplitude": 5e-4, "frequency": 50 * math.pi, "restitution": 0.5}
    state = np.array([5e-4 * math.sin(0.9), 0.19, 0.9])  # steps reach into the table
    assert error_by_state(section, state, parameters, np.array([1e-6, 1e-4, 1e-4])) < 1e-6
    assert error_by_inputs(section, state, parameters, 1e-4) < 1e-6


@pytest.mark.parametrize("friction", [None, fm.Ambrosio(0.2, 1e-3, 1e-2)])
def test_derivatives_from_onset_to_onset_of_contacts_with_laws(friction):
    """Differences begin before and behind the onset, whose approach speed follows them."""

    def disc(K=1e5, e=0.7):
        return bouncing_disc(fm.HuntCrossley(K, restitution=e), friction)

    section = fm.section_map(disc, impact="floor", within=1.0, tolerance=1e-12)
    state = section.step(section.start, {})[0]
    found = section.passage(state[None], {})
    place, speed = (state[section.names.index(name)] for name in ("disc.y", "disc.vy"))
    assert place == pytest.approx(0.1, abs=1e-11) and speed == pytest.approx(-math.sqrt(2 * 9.81 * 0.2), rel=1e-8)
    assert found.impacts[0] == 1 and found.said == [""]
    assert error_by_state(section, state, {}, 1e-5) < (2e-7 if friction is None else 2e-6)
    assert error_by_inputs(section, state, {"K": 1e5, "e": 0.7}, 1e-3) < 2e-6


def test_the_onset_at_the_start_needs_no_memory_of_the_approach_speed():
    section = fm.section_map(lambda: bouncing_disc(fm.HuntCrossley(1e5, restitution=0.7)), impact="floor", within=1.0, memory=True)
    assert section.names[-1] == "floor.impact_velocity"
    state = section.step(section.start, {})
    slope = section.tangent(state, {})[1][0]
    assert state[0, -1] == pytest.approx(math.sqrt(2 * 9.81 * 0.2), rel=1e-8) and np.abs(slope[:, -1]).max() == 0.0


def test_rows_that_depend_on_each_other_are_refused():
    def model():
        s = mass_on_spring()
        s.add(fm.Translational("second", s.ground.at(0.0, 0.0), s.bodies[-1].centre, axis=(1.0, 0.0)))
        return s

    with pytest.raises(fm.ModelError, match="depend on the others"):
        fm.section_map(model, crossing="mass.x", within=10.0)


def test_motions_that_do_not_come_back_are_said():
    section = fm.section_map(mass_on_spring, crossing="mass.x", level=0.5, within=7.0)
    found = section.passage(np.array([[0.0, 0.9], [0.0, 1.1]]), {})
    assert np.isnan(found.points[0]).all() and np.isnan(found.time[0]) and "does not come to the section within 7 s" in found.said[0]
    assert np.isfinite(found.points[1]).all() and found.said[1] == ""
    assert section.lost(np.array([[0.0, 0.9], [0.0, 1.1]]), {}) == found.said
    orbit = shooting.shoot(section, np.array([[0.0, 0.9]]), {}, period=2)
    assert "the orbit is lost: it does not come to the section within 7 s" in orbit.lost[0]


def test_a_motion_that_only_touches_the_section_has_no_derivative():
    section = fm.section_map(mass_on_spring, crossing="mass.x", level=0.5, within=7.0)
    found = section.passage(np.array([[0.0, 1.0 + 1e-9], [0.0, 1.01]]), {})
    assert "touches" in found.said[0] and np.isfinite(found.points[0]).all() and np.isnan(found.by_state[0]).all()
    assert found.said[1] == "" and np.isfinite(found.by_state[1]).all()


@pytest.mark.parametrize(
    ("model", "given", "words"),
    [
        (mass_on_spring, {}, "nothing is given"),
        (mass_on_spring, {"crossing": "mass.x"}, "within is missing"),
        (mass_on_spring, {"crossing": "mass.x", "every": 1.0}, "nothing depends on time"),
        (mass_on_spring, {"crossing": "mass.z", "within": 1.0}, "'mass.z' is not known"),
        (mass_on_spring, {"crossing": "mass.ax", "within": 1.0}, "accelerations"),
        (mass_on_spring, {"crossing": "mass.x", "within": 1.0, "direction": "left"}, "'up', 'down' or 'both'"),
        (mass_on_spring, {"every": 1.0, "level": 2.0}, "level and direction"),
        (mass_on_spring, {"every": 1.0, "within": 2.0}, "within is of a crossing"),
        (oscillator, {"impact": "stop", "within": 9.0}, "phase is then a coordinate"),
        (oscillator, {"impact": "wall", "every": 2.0}, "'wall' is not known"),
        (oscillator, {"impact": "stop", "crossing": "mass.x", "every": 2.0}, "crossing and impact"),
    ],
)
def test_sections_that_are_none_are_refused(model, given, words):
    with pytest.raises(fm.ModelError) as error:
        fm.section_map(model, **given)
    assert words in str(error.value)
