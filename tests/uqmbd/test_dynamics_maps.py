"""Maps and their derivatives: Hénon's in closed form, applied several times, by complex steps and by differences."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from uqmbd.analysis.dynamics.maps import FunctionMap, composed
from uqmbd.errors import StudyError

PARAMETERS = {"a": np.array([1.4, 0.3]), "b": 0.3}
STATES = np.array([[0.5, 0.1], [-0.2, 0.4]])


def henon(x, y, a, b):
    return 1.0 - a * x**2 + y, b * x


@pytest.mark.parametrize(
    "settings", [{}, {"derivatives": "central differences"}, {"given": lambda x, y, a, b: ((-2 * a * x, 1.0), (b, 0.0))}]
)
def test_derivatives_are_henons(settings):
    points, by_state, by_parameter = FunctionMap(function=henon, names=("x", "y"), **settings).tangent(STATES, PARAMETERS, ("b", "a"))
    x = STATES[:, 0]
    assert np.array_equal(points, np.stack(henon(*STATES.T, **PARAMETERS), axis=1))
    np.testing.assert_allclose(by_state[:, 0], np.stack([-2 * PARAMETERS["a"] * x, np.ones(2)], axis=1), rtol=1e-11)
    np.testing.assert_allclose(by_state[:, 1], [[0.3, 0.0]] * 2, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(by_parameter, np.stack([np.stack([0 * x, -(x**2)], 1), np.stack([x, 0 * x], 1)], 1), rtol=1e-11, atol=1e-12)


@given(st.floats(-1.0, 1.0), st.floats(0.5, 1.5), st.integers(1, 5))
def test_a_map_applied_several_times_has_the_determinant_of_all_steps(x, a, times):
    _, by_state, _ = composed(FunctionMap(function=henon, names=("x", "y")), times).tangent(np.array([[x, 0.1]]), {"a": a, "b": 0.3})
    size = max(1.0, np.abs(by_state).max() ** 2)
    assert np.linalg.det(by_state[0]) == pytest.approx((-0.3) ** times, abs=1e-12 * size)


def test_derivatives_by_parameters_go_through_all_steps():
    twice = composed(FunctionMap(function=henon, names=("x", "y")), 3)
    at = {"a": 1.1, "b": 0.2}
    found = twice.tangent(STATES, at, ("a",))[2][:, :, 0]
    expected = (twice.step(STATES, at | {"a": 1.1 + 1e-6}) - twice.step(STATES, at | {"a": 1.1 - 1e-6})) / 2e-6
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-9)


def test_a_function_that_complex_numbers_go_through_wrongly_is_told():
    tent = FunctionMap(function=lambda x, r: r * (1.0 - np.abs(x)), names=("x",))
    with pytest.raises(StudyError, match="central differences"):
        tent.tangent(np.array([[0.3]]), {"r": 1.5})


@pytest.mark.parametrize(("returned", "said"), [((1.0,), "2 of them, not 1"), ({"x": 1.0}, "no 'y'"), (1.0, "not 0")])
def test_what_is_not_a_state_is_told(returned, said):
    with pytest.raises(StudyError, match=said):
        FunctionMap(function=lambda x, y: returned, names=("x", "y")).step(np.zeros((3, 2)), {})
