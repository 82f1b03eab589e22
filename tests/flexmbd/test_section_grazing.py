"""Grazing of mechanisms: the least gap to a contact and its derivatives, and where an orbit touches a stop, in closed form."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq

import flexmbd as fm
import uqmbd as uq
from uqmbd.analysis.dynamics.grazing import graze_contact
from uqmbd.errors import StudyError
from uqmbd.orbits import Orbits

from .section_models import ball_on_table, oscillator, slopes_by_differences

FREE = {"damping": 0.02, "restitution": 0.8}
FIND = {"grazing": {"parameter": "frequency", "near": 1.75, "start": [-0.5, 0.0], "contact": "stop"}}


def turn(frequency):
    return 2.0 * math.pi / frequency


def exact(z, d):
    """Where the free amplitude ``1 / |1 - w² + 2 i z w|`` is the gap d, above resonance."""
    p = 1.0 - 2.0 * z**2
    return math.sqrt(p + math.sqrt(p**2 - 1.0 + 1.0 / d**2))


def errors_of_gaps(section, contact, state, parameters, step, share):
    """Largest errors of a gap's derivatives, by the state and by each input, against differences."""
    found = section.passage(state[None], parameters, by=list(parameters), without=contact)
    by_state = slopes_by_differences(lambda x: section.passage(x, parameters, without=contact).gap[:, None], state, step)
    worst = np.abs(found.gap_by_state - by_state).max() / np.abs(by_state).max()
    for j, name in enumerate(parameters):

        def at(x, name=name):
            return section.passage(np.repeat(state[None], len(x), axis=0), parameters | {name: x[:, 0]}, without=contact).gap[:, None]

        expected = slopes_by_differences(at, np.array([parameters[name]]), share * parameters[name])[0, 0]
        worst = max(worst, abs(found.gap_by_parameter[0, j] - expected) / max(1.0, abs(expected)))
    return worst


def test_least_gaps_of_a_free_motion_are_in_closed_form():
    section = fm.section_map(oscillator, turn, inputs={"damping": 0.0, "stop": 0.9})
    state = np.array([[1.0 / (1.0 - 4.0) - 0.2, 0.0]])  # cos(2 t) / -3 - 0.2 cos t, over a period of pi
    found = section.passage(state, {"frequency": 2.0}, without="stop")
    t = math.acos(-0.2 / (4.0 / 3.0))
    assert found.gap_time == pytest.approx([t], abs=1e-9)
    assert found.gap == pytest.approx([0.9 + math.cos(2 * t) / 3.0 + 0.2 * math.cos(t)], abs=1e-9)


@pytest.mark.parametrize("stop", [0.5, 0.1])  # the second is gone through
def test_derivatives_of_least_gaps_are_those_of_the_map(stop):
    section = fm.section_map(oscillator, turn, tolerance=1e-12)
    parameters = {"frequency": 1.7, "stop": stop, **FREE}
    assert errors_of_gaps(section, "stop", np.array([-0.4, 0.15]), parameters, 1e-4, 1e-4) < 1e-7


def test_derivatives_of_least_gaps_hold_where_the_phase_is_a_coordinate():
    section = fm.section_map(oscillator, turn, crossing="mass.x", level=-0.2, direction="down", tolerance=1e-12)
    state = np.array([-0.2, -0.3, 0.4])
    assert errors_of_gaps(section, "stop", state, {"frequency": 1.7, "stop": 0.5, **FREE}, 1e-4, 1e-4) < 1e-7


def between_walls(frequency=2.6, wall=0.3, stop=0.5, restitution=0.8):
    """The oscillator with a second stop, on its other side."""
    s = oscillator(frequency, 0.02, stop, restitution)
    s.add(fm.PointPlane("wall", s.bodies[0].centre, s.ground.at(-wall, 0.0), fm.Impenetrable(restitution), normal=(1.0, 0.0)))
    return s


def test_derivatives_of_least_gaps_hold_over_impacts_of_other_contacts():
    section = fm.section_map(between_walls, turn, tolerance=1e-12)
    state, parameters = np.array([-0.05, -0.5]), {"frequency": 1.7, "wall": 0.3, "stop": 0.5, "restitution": 0.8}
    assert section.passage(state[None], parameters, without="stop").impacts[0] == 1
    assert errors_of_gaps(section, "stop", state, parameters, 1e-5, 1e-5) < 1e-6


def test_a_gap_that_is_least_at_an_impact_of_another_contact_has_no_derivative():
    section = fm.section_map(between_walls, turn)
    values = {"frequency": 1.7, "wall": 0.3}
    s = section.passage(np.array([[-0.05, -0.5]]), values, without="wall")
    assert np.isfinite(s.gap_by_state).all()

    def both_on_one_side(frequency=1.7):
        s = oscillator(frequency, 0.02, 0.5, 0.8)
        s.add(fm.PointPlane("nearer", s.bodies[0].centre, s.ground.at(0.3, 0.0), fm.Impenetrable(0.8), normal=(-1.0, 0.0)))
        return s

    found = fm.section_map(both_on_one_side, turn).passage(np.array([[-0.6, 0.0]]), {}, without="stop")
    assert found.gap == pytest.approx([0.2], abs=1e-9) and np.isnan(found.gap_by_state).all() and np.isfinite(found.points).all()


@pytest.mark.parametrize(("z", "d"), [(0.02, 0.5), (0.05, 0.8)])
def test_a_mechanism_grazes_where_its_free_amplitude_is_the_gap(z, d):
    section, w = fm.section_map(oscillator, turn), exact(z, d)
    assert w == pytest.approx(brentq(lambda w: (1.0 - w**2) ** 2 + (2.0 * z * w) ** 2 - 1.0 / d**2, 1.2, 2.5, xtol=1e-13), abs=1e-12)
    parameters = {"frequency": 1.02 * w, "damping": z, "stop": d}
    (found,) = graze_contact(section, "stop", "frequency", np.array([[-d, 0.0]]), parameters)
    response = 1.0 / (1.0 - w**2 + 2j * z * w)
    assert found.lost == "" and found.parameter == pytest.approx(w, abs=1e-9)
    assert found.state == pytest.approx([response.real, (1j * w * response).real], abs=1e-8)
    assert found.time == pytest.approx((-np.angle(response) / w) % turn(w), abs=1e-7)
    assert np.prod(found.multipliers) == pytest.approx(math.exp(-4.0 * math.pi * z / w), abs=1e-8)


def test_bounds_of_a_mechanisms_grazing_frequency_over_damping_and_gap(tmp_path):
    study = uq.Study(
        model=lambda: fm.section_map(oscillator, turn), simulator="orbits", outputs=["grazing.frequency"], method=uq.Grid(points=2),
        inputs={"damping": uq.Interval(0.01, 0.05), "stop": uq.Interval(0.4, 0.6)},
        solver={"find": FIND, "at": {"damping": 0.02, "stop": 0.5}}, name="grazing",
    )  # fmt: skip
    found = study.run(out=tmp_path, workers=0, report=False, progress=False)["inner"]["grazing.frequency"]
    assert np.ravel(found) == pytest.approx([exact(0.05, 0.6), exact(0.01, 0.4)], abs=1e-8)


def test_a_contact_with_a_law_is_touched_at_the_same_place():
    def soft(frequency=1.7, stop=0.5):
        s = oscillator(frequency, 0.02, 5.0)
        law = fm.KelvinVoigt(1e3, 1.0)
        s.add(fm.PointPlane("soft", s.bodies[0].centre, s.ground.at(stop, 0.0), law, normal=(-1.0, 0.0)))
        return s

    (found,) = graze_contact(fm.section_map(soft, turn), "soft", "frequency", np.array([[-0.5, 0.0]]), {"frequency": 1.8})
    assert found.parameter == pytest.approx(exact(0.02, 0.5), abs=1e-9)


def test_a_stop_that_no_orbit_touches_is_a_failed_run():
    orbits = Orbits(lambda: fm.section_map(oscillator, turn), ["grazing.frequency"], None, {"find": FIND, "fixed": {"damping": 0.3}}, None)
    found = orbits.simulate({"stop": np.array([0.5, 5.0])})  # the largest amplitude is 1 / (2 z sqrt(1 - z²)) = 1.747
    assert found.status[1] != 0 and "no grazing was found" in found.message[1]


@pytest.mark.parametrize(
    ("change", "said"),
    [({"contact": None}, "'contact' is missing"), ({"contact": "wall"}, "no such contact"), ({"time": 1.0}, "'time' says nothing")],
)
def test_grazing_of_what_the_mechanism_has_not_is_told(change, said):
    one = {key: value for key, value in (FIND["grazing"] | change).items() if value is not None}
    with pytest.raises(StudyError, match=said):
        Orbits(lambda: fm.section_map(oscillator, turn), ["grazing.frequency"], None, {"find": {"grazing": one}}, None)


def test_the_contact_of_the_section_cannot_be_left_out():
    section = fm.section_map(ball_on_table, turn, impact="top")
    with pytest.raises(fm.ModelError, match="is the section"):
        section.passage(section.start, {}, without="top")
    with pytest.raises(fm.ModelError, match="'floor' is not known"):
        section.passage(section.start, {}, without="floor")
