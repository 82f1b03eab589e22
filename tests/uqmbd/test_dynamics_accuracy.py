"""Maps that say how far off they are: orbits are found to that and no further."""

import numpy as np
import pytest

import flexmbd as fm
import uqmbd as uq
from uqmbd.analysis.dynamics.branches import follow
from uqmbd.analysis.dynamics.control import Delayed
from uqmbd.analysis.dynamics.located import locate
from uqmbd.analysis.dynamics.maps import FunctionMap, accuracy_of, composed
from uqmbd.analysis.dynamics.shooting import shoot


class Rough:
    """The logistic map with errors of 1e-8, as of an integration, and right slopes."""

    names, period, derivatives = ("x",), None, "given"

    def __init__(self, **known):
        self._exact = FunctionMap(function=lambda x, r: r * x * (1 - x), names=("x",))
        self.__dict__.update(known)

    def step(self, states, parameters):
        return self._exact.step(states, parameters) + 1e-8 * np.sin(1e12 * states)

    def tangent(self, states, parameters, by=()):
        return self.step(states, parameters), *self._exact.tangent(states, parameters, by)[1:]


def test_an_orbit_is_found_to_the_accuracy_that_a_map_says():
    start, values = np.array([[0.7]]), {"r": 3.2}
    assert "comes no nearer than" in shoot(Rough(), start, values).lost[0]
    found = shoot(Rough(accuracy=1e-7), start, values)
    assert found.found.all() and found.states[0, 0] == pytest.approx(1 - 1 / 3.2, abs=1e-7)
    assert "comes no nearer than" in shoot(Rough(accuracy=1e-12), start, values).lost[0]


def test_a_branch_is_followed_and_its_flip_located_as_far_as_a_map_tells():
    assert not len(follow(Rough(), "r", np.array([0.65]), {"r": 2.9}, (2.8, 3.2)).values)
    branch = follow(Rough(accuracy=1e-7), "r", np.array([0.65]), {"r": 2.9}, (2.8, 3.2))
    assert (branch.values.min(), branch.values.max()) == pytest.approx((2.8, 3.2), abs=1e-6)
    assert [point.kind for point in branch.specials] == ["flip"]
    assert branch.specials[0].parameter == pytest.approx(3.0, abs=1e-6)


def test_a_flip_is_located_as_far_as_a_map_tells():
    start = np.array([0.66])
    assert locate(Rough(), "flip", "r", start, {"r": 2.99}).lost
    assert locate(Rough(accuracy=1e-7), "flip", "r", start, {"r": 2.99}).parameter == pytest.approx(3.0, abs=1e-6)


def test_maps_made_of_others_are_as_far_off():
    rough = Rough(accuracy=1e-7)
    delayed = Delayed(base=rough, parameter="r", gain=np.ones(1))
    made = [composed(rough, 3), uq.ChangedMap(base=rough, names=("y",)), delayed]
    assert [accuracy_of(one) for one in made] == [1e-7] * 3
    assert accuracy_of(Rough()) == 0.0


def test_a_section_map_says_its_accuracy():
    s = fm.System(gravity=(0.0, 0.0))
    mass = s.body("mass", mass=1.0, inertia=1.0, position=(0.1, 0.0))
    s.add(fm.Translational("rail", s.ground.at(0.0, 0.0), mass.centre, axis=(1.0, 0.0)))
    s.add(fm.Spring("spring", s.ground.at(-5.0, 0.0), mass.centre, stiffness=4.0, damping=0.0, length=5.0))
    assert accuracy_of(fm.section_map(s, every=1.0, tolerance=1e-9)) == pytest.approx(1e-7)
