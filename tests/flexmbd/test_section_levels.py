"""Sections at levels that depend on inputs, and sections that are passed both ways."""

import math

import numpy as np
import pytest

import flexmbd as fm
from uqmbd.analysis.dynamics import located

from .section_models import double_pendulum, error_by_inputs, error_by_state, oscillator
from .test_section_returns import SMOOTH, mass_on_spring, turn


def test_times_to_a_level_that_an_input_says_are_in_closed_form():
    """``x = sin(2 t) / 2`` comes to 1/4 at a twelfth of its period of pi; there ``x'`` is ``sqrt(1 - 4 x²)``."""
    section = fm.section_map(lambda stiffness, reach: mass_on_spring(stiffness), crossing="mass.x", level=lambda reach: reach / 2.0,
                             within=9.0, inputs={"stiffness": 4.0, "reach": 0.5})  # fmt: skip
    found = section.passage(np.array([[0.0, 1.0]] * 2), {"reach": np.array([0.5, 0.2])}, by=["reach", "stiffness"])
    level = np.array([0.25, 0.1])
    rate = np.sqrt(1.0 - 4.0 * level**2)
    assert found.time == pytest.approx(np.arcsin(2.0 * level) / 2.0, abs=1e-9)
    assert found.points == pytest.approx(np.column_stack([level, rate]), abs=1e-9)
    assert found.by_parameter[:, 0, 0] == pytest.approx([0.5, 0.5], abs=1e-9)
    assert found.by_parameter[:, 1, 0] == pytest.approx(-4.0 * level / rate / 2.0, abs=1e-8)
    assert found.by_parameter[:, 1, 1] == pytest.approx(-(level**2) / rate / 2.0, abs=1e-8)  # v² = 1 - stiffness level²


def test_a_swing_to_either_side_is_half_a_turn():
    section = fm.section_map(lambda damping: mass_on_spring(4.0, damping), crossing="mass.x", direction="both", within=10.0,
                             inputs={"damping": 0.4})  # fmt: skip
    half = math.pi / math.sqrt(4.0 - 0.04)
    states = np.array([[0.0, 1.0], [0.0, -0.3]])
    found = section.passage(states, {})
    assert found.time == pytest.approx([half, half], abs=1e-9)
    assert found.points == pytest.approx(-states * math.exp(-0.2 * half), abs=1e-9)
    assert np.sort(np.linalg.eigvals(found.by_state)) == pytest.approx(np.array([[-math.exp(-0.2 * half), 0.0]] * 2), abs=1e-8)


@pytest.mark.parametrize(
    ("place", "speed", "time"), [(0.3, 0.0, math.pi / 4), (-0.3, 0.0, math.pi / 4), (1e-5, 1.0, math.pi / 2), (-1e-5, 1.0, math.pi / 2)]
)
def test_a_motion_comes_to_the_section_from_the_side_it_begins_on(place, speed, time):
    section = fm.section_map(mass_on_spring, crossing="mass.x", direction="both", within=4.0)
    found = section.passage(np.array([[place, speed]]), {})
    assert found.time == pytest.approx([time], abs=2e-5)
    assert found.points[0, 0] == pytest.approx(0.0, abs=1e-12) and found.points[0, 1] * (-speed or -place) > 0.0


@pytest.mark.parametrize("direction", ["up", "down", "both"])
def test_derivatives_of_crossings_of_such_levels_are_those_of_the_map(direction):
    section = fm.section_map(
        double_pendulum,
        turn_of_omega,
        crossing="lower.x",
        direction=direction,
        level=lambda length: 0.04 * length**2,
        formulation="tree",
        tolerance=1e-12,
    )
    state = section.step(section.start, SMOOTH)[0]
    assert error_by_state(section, state, SMOOTH, 1e-5) < 1e-7
    assert error_by_inputs(section, state, SMOOTH, 1e-4) < 1e-7


def turn_of_omega(omega):
    return 2.0 * math.pi / omega


def test_the_flip_of_the_impact_oscillator_does_not_depend_on_where_it_is_looked_at():
    section = fm.section_map(oscillator, turn, crossing="mass.x", level=lambda stop: stop - 0.1)
    parameters = {"frequency": 2.68, "damping": 0.02, "stop": 0.0, "restitution": 0.8}
    impacts = fm.section_map(oscillator, turn, impact="stop")
    state = section.step(impacts.step(np.array([[0.0, -0.36, 3.0]]), parameters), parameters)[0]
    flip = located.locate(section, "flip", "frequency", state, parameters)
    assert flip.parameter == pytest.approx(2.6556212360828315, abs=1e-8)


def test_levels_that_are_none_are_refused():
    with pytest.raises(fm.ModelError, match="'height' is not known"):
        fm.section_map(mass_on_spring, crossing="mass.x", level=lambda height: height, within=1.0).step(np.zeros((1, 2)), {})
    section = fm.section_map(mass_on_spring, crossing="mass.x", level=lambda stiffness: np.log(stiffness - 4.0), within=1.0)
    with np.errstate(all="ignore"), pytest.raises(fm.ModelError, match="level is no finite number"):
        section.step(np.zeros((1, 2)), {})
