"""Basins whose shares are known."""

import numpy as np
import pytest

from uqmbd.analysis.dynamics.basins import LOST, OTHER, basins, grid_starts, random_starts
from uqmbd.analysis.dynamics.maps import FunctionMap
from uqmbd.errors import StudyError

CUBE = FunctionMap(function=lambda x: x**3, names=("x",))
LOGISTIC = FunctionMap(function=lambda x, r: r * x * (1.0 - x), names=("x",))
THIRDS = FunctionMap(  # of unity, by Newton's method: each has a third of a disc, by symmetry
    function=lambda x, y: (
        (2.0 * x + (x**2 - y**2) / (x**2 + y**2) ** 2) / 3.0,
        (2.0 * y - 2.0 * x * y / (x**2 + y**2) ** 2) / 3.0,
    ),
    names=("x", "y"),
)


def test_half_of_a_line_leaves_all_bounds():
    found = basins(CUBE, grid_starts({"x": (-2.0, 2.0)}, 100), {})
    assert found.shares == {0: 0.5, LOST: 0.5}
    assert found.attractors[0].states.ravel() == pytest.approx([0.0], abs=1e-12)
    assert found.lower[0] == pytest.approx(0.3983, abs=1e-4) and found.upper[0] == pytest.approx(0.6017, abs=1e-4)  # of 50 in 100


def test_limits_hold_the_share_of_each_root():
    x, y = random_starts({"angle": (0.0, 2.0 * np.pi), "square": (0.01, 4.0)}, 600, seed=3).T
    found = basins(THIRDS, np.stack([np.sqrt(y) * np.cos(x), np.sqrt(y) * np.sin(x)], axis=1), {}, steps=100)
    assert sorted(np.round(one.states[0, 0], 9) for one in found.attractors) == [-0.5, -0.5, 1.0]
    for k in range(3):
        assert found.lower[k] < 1.0 / 3.0 < found.upper[k]


def test_an_orbit_of_two_steps_is_one_attractor_from_either_phase():
    found = basins(LOGISTIC, grid_starts({"x": (0.0, 1.0)}, 30), {"r": 3.2})
    assert [one.period for one in found.attractors] == [2] and found.shares == {0: 1.0}
    root = np.sqrt(4.2 * 0.2)
    assert found.attractors[0].states[:, 0] == pytest.approx([(4.2 - root) / 6.4, (4.2 + root) / 6.4], abs=1e-10)
    assert np.abs(found.attractors[0].multipliers[0]) == pytest.approx(abs(4.0 + 2.0 * 3.2 - 3.2**2), abs=1e-8)


def test_chaos_is_no_attractor_with_a_period():
    assert basins(LOGISTIC, grid_starts({"x": (0.1, 0.9)}, 10), {"r": 3.99}).shares == {OTHER: 1.0}


def test_starts_have_all_coordinates():
    with pytest.raises(StudyError, match="a number for each of x"):
        basins(CUBE, np.zeros((3, 2)), {})
