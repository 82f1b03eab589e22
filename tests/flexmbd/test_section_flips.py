"""Flips of mechanisms with impacts, built in flexmbd, against the exact ones."""

import math

import numpy as np
import pytest

import flexmbd as fm
from uqmbd.analysis.dynamics import located, shooting
from uqmbd.orbits import Orbits

from .section_models import oscillator

# flips of the period with one impact, and the other multiplier there: r² exp(-4 pi z / w), whose product with -1 is the determinant
FLIPS = [
    (0.02, 0.0, 0.8, 2.6556212360828315),
    (0.02, 0.0, 0.8, 1.2522384879989785),
    (0.0, 0.0, 0.8, 2.6533477278),
    (0.0, 0.0, 0.6, 2.6557788912),
    (0.0, 0.1, 0.8, 2.4549422431),
]


def orbit_of_one_impact(section, parameters, starts):
    """A point of an orbit with one impact from section to section."""
    found = shooting.shoot(section, starts, parameters)
    states = found.states[found.found]
    passed = section.passage(states, {name: float(x) for name, x in parameters.items()})
    return states[np.flatnonzero(passed.impacts == 1)[0]]


@pytest.mark.parametrize(("damping", "stop", "restitution", "frequency"), FLIPS)
def test_flips_of_the_impact_oscillator(damping, stop, restitution, frequency):
    section = fm.section_map(oscillator, lambda frequency: 2.0 * math.pi / frequency)
    parameters = {"frequency": 1.01 * frequency, "damping": damping, "stop": stop, "restitution": restitution}
    random = np.random.default_rng(1)
    starts = np.column_stack([random.uniform(-1.5, -0.05, 40), random.uniform(-1.0, 1.0, 40)])
    state = orbit_of_one_impact(section, parameters, starts)
    flip = located.locate(section, "flip", "frequency", state, parameters)
    assert flip.parameter == pytest.approx(frequency, abs=1e-8)
    other = -(restitution**2) * math.exp(-4.0 * math.pi * damping / frequency)
    assert np.sort(flip.multipliers.real) == pytest.approx([-1.0, other], abs=1e-6)


def test_the_simulator_of_orbits_takes_mechanisms():
    find = {"flip": {"parameter": "frequency", "near": 2.66, "start": [-0.2, 0.0]}}
    section = fm.section_map(oscillator, lambda frequency: 2.0 * math.pi / frequency, inputs={"damping": 0.0})
    state = orbit_of_one_impact(section, {"frequency": 2.68}, np.array([[-0.6, y] for y in np.linspace(-1.0, 1.0, 15)]))
    find["flip"]["start"] = state.tolist()
    simulator = Orbits(lambda: section, ["flip.frequency", "flip.mass.x"], None, {"find": find, "at": {"restitution": 0.8}}, None)
    found = simulator.simulate({"restitution": np.array([0.8, 0.6])}).outputs
    assert found["flip.frequency"] == pytest.approx([2.6533477278, 2.6557788912], abs=1e-8)


def test_the_simulator_of_orbits_takes_maps_from_impact_to_impact():
    section = fm.section_map(oscillator, lambda frequency: 2.0 * math.pi / frequency, impact="stop", inputs={"damping": 0.0})
    find = {"flip": {"parameter": "frequency", "near": 2.66, "start": [0.0, -0.36, 3.04]}}
    asked = ["flip.frequency", "flip.mass.vx", "flip.phase"]
    simulator = Orbits(lambda: section, asked, None, {"find": find, "at": {"restitution": 0.8}}, None)
    found = simulator.simulate({"restitution": np.array([0.8, 0.6])}).outputs
    assert found["flip.frequency"] == pytest.approx([2.6533477278, 2.6557788912], abs=1e-8)
    assert [found[name][0] for name in asked[1:]] == pytest.approx([-0.3594117679, 3.0391399597], abs=1e-8)
