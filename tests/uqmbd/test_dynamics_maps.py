"""Maps and their derivatives: Hénon's in closed form, applied several times, by complex steps and by differences."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from uqmbd.analysis.dynamics.derivatives import by_differences
from uqmbd.analysis.dynamics.maps import ChangedMap, FunctionMap, composed
from uqmbd.analysis.dynamics.shooting import shoot
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


def bent(x, y):
    return np.arctan(x), y / (1.0 + x**2)


def straight(angle, rate):
    return np.tan(angle), rate / np.cos(angle) ** 2


def test_a_map_in_other_coordinates_has_the_same_multipliers_and_the_derivatives_of_differences():
    base = FunctionMap(function=henon, names=("x", "y"))
    changed, states = ChangedMap(base=base, names=("angle", "rate"), to=bent, back=straight), np.array([[0.4, 0.2]])
    points, by_state, by_parameter = changed.tangent(states, {"a": 0.8, "b": 0.3}, ("a",))
    _, expected = by_differences(lambda at: changed.step(at, {"a": 0.8, "b": 0.3}), states)
    np.testing.assert_allclose(by_state, expected, rtol=1e-9)
    more, less = (changed.step(states, {"a": 0.8 + step, "b": 0.3}) for step in (1e-6, -1e-6))
    np.testing.assert_allclose(by_parameter[:, :, 0], (more - less) / 2e-6, rtol=1e-8, atol=1e-10)
    parameters, near = {"a": 0.2, "b": 0.3}, np.array([[0.9, 0.3]])
    ours = shoot(changed, np.stack(bent(*near.T), axis=1), parameters)
    np.testing.assert_allclose(ours.multipliers, shoot(base, near, parameters).multipliers, rtol=1e-12)
    np.testing.assert_allclose(np.stack(straight(*ours.states.T), axis=1), shoot(base, near, parameters).states, rtol=1e-12)
    assert np.array_equal(points, changed.step(states, {"a": 0.8, "b": 0.3})) and changed.derivatives == base.derivatives


@pytest.mark.parametrize(("given", "said"), [({"names": ("x",)}, "1 names are given"), ({"to": bent}, "both ways")])
def test_other_coordinates_that_do_not_fit_are_told(given, said):
    with pytest.raises(StudyError, match=said) as error:
        ChangedMap(base=FunctionMap(function=henon, names=("x", "y")), **{"names": ("u", "v"), **given})
    assert error.value.remedy


def test_a_coordinate_that_the_map_forgets_is_left_out():
    base = FunctionMap(function=lambda x, y, memory, a, b: (*henon(x, y, a, b), 2.0 * x), names=("x", "y", "memory"))
    fewer = ChangedMap(base=base, names=("x", "y"), to=lambda x, y, memory: (x, y), back=lambda x, y: (x, y, 0.0 * x))
    found, expected = (made.tangent(STATES, PARAMETERS, ("a",)) for made in (fewer, FunctionMap(function=henon, names=("x", "y"))))
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-14)
