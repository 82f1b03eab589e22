"""Periodic orbits of the clearance slider-crank by shooting on its section map, and their multipliers."""

import importlib.util
import math
from pathlib import Path

import numpy as np
import pytest

import flexmbd as fm
from uqmbd.analysis.dynamics import shooting
from uqmbd.analysis.dynamics.maps import composed

PATH = Path(__file__).parents[2] / "studies" / "slider_crank_clearance" / "model.py"
PERIOD = 60.0 / 5000.0


def crank_map(tolerance, formulation="natural", section=(), **given):
    """Map over a turn of the crank at 5000 rpm, or to another section."""
    specification = importlib.util.spec_from_file_location("crank_model", PATH)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)

    def crank(clearance):
        return module.slider_crank(clearance, calibrated=True, **given)

    how = {"tolerance": tolerance, "formulation": formulation} | dict(section)
    return fm.section_map(crank, PERIOD, inputs={"clearance": 0.5e-3}, memory=True, **how)


@pytest.fixture(scope="module")
def smooth():
    """Orbit of a turn whose journal stays in contact, at a clearance of 0.05 mm: the map's arguments, and the orbit."""
    given, parameters = {"restitution": 0.5, "slowest_impact": 1.0}, {"clearance": np.array([0.05e-3])}
    near = np.array([[-6.097e-5, 0.1700549833, -215.979, 0.0566, 1.0]])
    return given, parameters, shooting.shoot(crank_map(1e-11, **given), near, parameters)


def test_the_orbit_is_stable_and_its_multipliers_do_not_depend_on_the_tolerance(smooth):
    given, parameters, orbit = smooth
    assert orbit.found[0] and orbit.stable[0] and orbit.residual[0] < 1e-10
    finer = np.linalg.eigvals(crank_map(1e-13, **given).tangent(orbit.states, parameters)[1][0])
    assert np.abs(finer).max() == pytest.approx(np.abs(orbit.multipliers[0, 0]), rel=1e-7)


def test_its_largest_multiplier_is_that_of_central_differences(smooth):
    """Along the multiplier's own vector, so that what the contact damps out does not drown it; two steps, of fourth order."""
    given, parameters, orbit = smooth
    jacobian = crank_map(1e-11, **given).tangent(orbit.states, parameters)[1][0]
    values, vectors = np.linalg.eig(jacobian)
    k = np.argmax(np.abs(values))
    along, left = vectors[:, k].real, np.linalg.inv(vectors)[k].real
    fine = crank_map(1e-13, **given)
    for step in (1e-3, 3e-4):
        a, b, c, d = fine.step(orbit.states + step * np.array([1, -1, 2, -2])[:, None] * along, {"clearance": 0.05e-3})
        found = left @ (8.0 * (a - b) - (c - d)) / (12.0 * step)
        assert found == pytest.approx(values[k].real, rel=1e-5)


def test_the_orbit_moves_with_the_clearance_as_its_derivatives_say(smooth):
    given, parameters, orbit = smooth
    section = crank_map(1e-11, **given)
    _, by_state, by_input = section.tangent(orbit.states, parameters, by=["clearance"])
    slope = np.linalg.solve(np.eye(5) - by_state[0], by_input[0, :, 0])
    step = 1e-9
    ends = shooting.shoot(section, np.repeat(orbit.states, 2, axis=0), {"clearance": 0.05e-3 + step * np.array([1.0, -1.0])}).states
    assert (ends[0] - ends[1])[:4] / (2.0 * step) == pytest.approx(slope[:4], rel=1e-3)


def test_joint_coordinates_carry_the_same_motion_and_count_the_turn(smooth):
    given, parameters, orbit = smooth
    sine, place, rate, speed, impact = orbit.states[0]
    angle = math.asin(sine)
    state = np.array([[place, angle, speed, rate / math.cos(angle) - 2.0 * math.pi / PERIOD, impact]])
    end = crank_map(1e-11, "tree", **given).step(state, parameters)[0]
    assert end == pytest.approx(state[0] - np.array([0.0, 2.0 * math.pi, 0.0, 0.0, 0.0]), rel=1e-6)


def test_multipliers_are_the_same_where_the_slider_passes_a_place(smooth):
    given, parameters, orbit = smooth
    section = crank_map(1e-11, section={"crossing": "slider.x", "direction": "down", "level": 0.12}, **given)
    point = section.step(np.append(orbit.states[0], 0.0)[None], parameters)
    again = section.passage(point, parameters)
    assert again.points == pytest.approx(point, abs=1e-8) and again.time == pytest.approx([PERIOD], rel=1e-9)
    values = np.linalg.eigvals(again.by_state[0])
    assert section.names[-1] == "phase" and values[np.argmax(np.abs(values))] == pytest.approx(-0.677666, rel=1e-5)


@pytest.mark.slow
def test_multipliers_of_an_orbit_of_two_turns_with_impacts_are_those_of_central_differences():
    """Along the pair's own vectors; with smaller steps the map's own errors, of 1e-9, count more than its curvature."""
    section = crank_map(1e-11, restitution=0.6, slowest_impact=1e-2)
    near = np.array([[-1.939972252e-3, 0.1704547146, -199.8453624, 1.093672827, 0.03812491720]])
    parameters = {"clearance": np.array([0.5e-3])}
    orbit = shooting.shoot(section, near, parameters, period=2)
    assert orbit.found[0] and orbit.stable[0]
    middle = section.step(orbit.states, parameters)
    assert section.passage(middle, parameters).impacts[0] == 2  # of them one turn has two
    over = composed(section, 2)
    values, vectors = np.linalg.eig(over.tangent(orbit.states, parameters)[1][0])
    k = np.argmax(values.imag)
    along, left, step = vectors[:, k], np.linalg.inv(vectors)[k], 3e-3
    ends = over.step(orbit.states + step * np.array([along.real, -along.real, along.imag, -along.imag]), {"clearance": 0.5e-3})
    found = left @ (ends[0] - ends[1] + 1j * (ends[2] - ends[3])) / (2.0 * step)
    assert found == pytest.approx(values[k], rel=1e-5)
    assert values[k] == pytest.approx(0.413654 + 0.529331j, abs=2e-6)
    # the same from onset to onset: another state, in another part of the turn
    onsets = crank_map(1e-11, section={"impact": "B"}, restitution=0.6, slowest_impact=1e-2)
    first = onsets.step(np.append(orbit.states[0], 0.0)[None], parameters)
    second, slope, _ = onsets.tangent(first, parameters)
    third, another, _ = onsets.tangent(second, parameters)
    own = np.linalg.eigvals(another[0] @ slope[0])
    assert third == pytest.approx(first, abs=1e-6) and own[np.argmax(own.imag)] == pytest.approx(values[k], rel=5e-6)
