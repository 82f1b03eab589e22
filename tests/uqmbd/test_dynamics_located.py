"""Points where orbits of maps change, against closed forms."""

import numpy as np
import pytest

from uqmbd.analysis.dynamics.located import locate
from uqmbd.analysis.dynamics.maps import FunctionMap
from uqmbd.analysis.dynamics.shooting import shoot

LOGISTIC = FunctionMap(function=lambda x, r: r * x * (1.0 - x), names=("x",))
HENON = FunctionMap(function=lambda x, y, a, b: (1.0 - a * x**2 + y, b * x), names=("x", "y"))
DELAYED = FunctionMap(function=lambda x, old, a: (a * x * (1.0 - old), x), names=("x", "old"))


@pytest.mark.parametrize(
    ("kind", "period", "start", "near", "exact"),
    [("flip", 1, 0.65, 2.9, 3.0), ("flip", 2, 0.4, 3.4, 1.0 + np.sqrt(6.0)), ("fold", 3, 0.51, 3.84, 1.0 + np.sqrt(8.0))],
)
def test_logistic_points(kind, period, start, near, exact):
    at = locate(LOGISTIC, kind, "r", np.array([start]), {"r": near}, period)
    assert at.parameter == pytest.approx(exact, abs=1e-9)


@pytest.mark.parametrize(
    ("kind", "period", "start", "near", "exact"),
    [
        ("fold", 1, (2.9, 0.87), -0.12, -(0.7**2) / 4),
        ("flip", 1, (0.9, 0.3), 0.3, 0.3675),
        ("flip", 2, (1.0, -0.1), 0.88, 0.7**2 + 1.3**2 / 4),
    ],
)
def test_henon_points(kind, period, start, near, exact):
    at = locate(HENON, kind, "a", np.array(start), {"a": near, "b": 0.3}, period)
    assert at.parameter == pytest.approx(exact, abs=1e-9)


def test_delayed_logistic_leaves_the_circle_at_the_sixth_root_of_one():
    at = locate(DELAYED, "neimark_sacker", "a", np.array([0.45, 0.45]), {"a": 1.9})
    assert at.parameter == pytest.approx(2.0, abs=1e-9)
    assert sorted(np.angle(at.multipliers)) == pytest.approx([-np.pi / 3, np.pi / 3], abs=1e-9)


def test_a_point_that_is_not_there_is_said():
    at = locate(FunctionMap(function=lambda x, a: 0.5 * x + a, names=("x",)), "flip", "a", np.array([0.0]), {"a": 0.0})
    assert at.lost and np.isnan(at.parameter)


def test_orbits_that_are_lost_are_said_beside_those_that_are_found():
    none = FunctionMap(function=lambda x, a: x + a + x**2, names=("x",))  # fixed points ±(-a)^½
    orbits = shoot(none, np.array([[-0.5], [0.3]]), {"a": np.array([-0.09, 0.09])})
    assert orbits.states[0, 0] == pytest.approx(-0.3, abs=1e-12) and orbits.found.tolist() == [True, False]
    assert "lost" in orbits.lost[1]
