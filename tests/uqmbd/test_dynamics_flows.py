"""Flows with stops and their maps: special points of other sources, derivatives against differences and saltation matrices."""

import numpy as np
import pytest

from uqmbd.analysis.dynamics.flows import Flow
from uqmbd.analysis.dynamics.located import locate
from uqmbd.analysis.dynamics.returns import PeriodMap, ReturnMap
from uqmbd.analysis.dynamics.shooting import shoot
from uqmbd.analysis.dynamics.surfaces import Stop
from uqmbd.errors import StudyError

from .exact_flows import BALL, DUFFING, LURE, OSCILLATOR, TABLE, TURN, ball_birth, ball_flip

SPRING = Flow(function=lambda x, v, k: (v, -k * x), names=("x", "v"))


def test_the_fold_of_duffings_oscillator():
    at = locate(DUFFING, "fold", "w", np.array([-0.06, 4.4]), {"w": 2.2})
    assert at.parameter == pytest.approx(2.2119353170, abs=1e-9)
    assert at.state == pytest.approx([-0.05967242, 4.44708549], abs=2e-8)
    assert np.real(at.multipliers) == pytest.approx([1.0, 0.75272278], abs=2e-6)


def test_the_flip_of_lures_system():
    at = locate(LURE, "flip", "a", np.array([0.75, 0.0, -0.52]), {"a": 0.63})
    assert at.parameter == pytest.approx(0.6303020062, abs=1e-9)
    assert at.state == pytest.approx([0.75219599, 0.0, -0.52689476], abs=1e-8)
    assert LURE.returned(at.state[None], {"a": at.parameter})[1] == pytest.approx([6.3640713394], abs=1e-9)


@pytest.mark.parametrize(
    ("z", "d", "r", "near", "start", "exact"),
    [
        (0.02, 0.0, 0.8, 2.65, (3.04, -0.36), 2.6556212360828315),
        (0.02, 0.0, 0.8, 1.25, (0.08, -1.14), 1.2522384879989785),
        (0.0, 0.1, 0.8, 2.45, (3.04, -0.4), 2.4549422431),
    ],
)
def test_flips_of_the_impact_oscillator_by_its_flow(z, d, r, near, start, exact):
    phase, v = start
    at = locate(OSCILLATOR, "flip", "w", np.array([d, v, phase]), {"w": near, "z": z, "r": r, "d": d})
    assert at.parameter == pytest.approx(exact, abs=1e-9)
    assert np.abs(at.multipliers).min() < 1e-12  # of the direction of the flow


@pytest.mark.parametrize("e", [0.5, 0.8])
def test_birth_and_flip_of_the_bouncing_ball(e):
    over = PeriodMap(flow=Flow(function=BALL.function, names=BALL.names, stops=(_late(TABLE),)), over=TURN, steps=60)
    born = ball_birth(e)

    def top(phase):  # half a period behind the impact at this phase the ball turns
        return np.array([born * np.tan(phase) + 0.5 * np.pi**2, 0.0])

    flip = locate(over, "flip", "G", top(np.arccos(born / ball_flip(e))), {"G": ball_flip(e) - 0.02, "e": e})
    assert flip.parameter == pytest.approx(ball_flip(e), abs=1e-9)
    assert np.real(flip.multipliers) == pytest.approx([-1.0, -(e**2)], abs=1e-8)
    fold = locate(over, "fold", "G", top(0.1), {"G": born + 0.01, "e": e})
    assert fold.parameter == pytest.approx(born, abs=1e-9)


def _late(stop):
    """The stop half a period later, so that no impact comes at the time zero."""
    return Stop(gap=lambda t, **named: stop.gap(t=t + np.pi, **named), reset=lambda t, **named: stop.reset(t=t + np.pi, **named))


def test_derivatives_through_an_impact_are_those_of_a_saltation_matrix():
    floor = Stop(gap=lambda y, v, e: y, reset=lambda y, v, e: (0.0 * y, -e * v))
    fall = PeriodMap(flow=Flow(function=lambda y, v, e: (v, -1.0 + 0.0 * y), names=("y", "v"), stops=(floor,)), over=1.0, steps=7)
    y, v, e = 0.3, -0.1, 0.7
    found = fall.tangent(np.array([[y, v]]), {"e": e})[1][0]
    before = np.sqrt(v**2 + 2.0 * y)
    at = v + before  # time of the impact
    saltation = np.array([[-e, 0.0], [(1.0 + e) / before, -e]])  # Leine, Nijmeijer, section 7.3
    free = lambda time: np.array([[1.0, time], [0.0, 1.0]])  # noqa: E731
    np.testing.assert_allclose(found, free(1.0 - at) @ saltation @ free(at), atol=1e-12)


@pytest.mark.parametrize(
    ("base", "state", "at", "by"), [(DUFFING, [0.3, -0.2], {"w": 1.3}, "w"), (LURE, [0.75, 0.0, -0.5], {"a": 0.6}, "a")]
)
def test_derivatives_are_those_of_differences(base, state, at, by):
    state = np.array([state])
    point, by_state, by_parameter = base.tangent(state, at, (by,))
    assert point == pytest.approx(base.step(state, at), abs=1e-12)
    h = 1e-5
    for k in range(len(base.names)):
        away = h * np.eye(len(base.names))[k]
        assert (base.step(state + away, at) - base.step(state - away, at))[0] / (2 * h) == pytest.approx(by_state[0, :, k], abs=1e-6)
    there, back = (base.step(state, {by: at[by] + move}) for move in (h, -h))
    assert (there - back)[0] / (2 * h) == pytest.approx(by_parameter[0, :, 0], abs=1e-6)


def test_the_integration_is_of_eighth_order():
    exact = np.array([np.cos(1.0), -np.sin(1.0)])
    errors = [np.abs(PeriodMap(flow=SPRING, over=1.0, steps=n).step(np.array([[1.0, 0.0]]), {"k": 1.0})[0] - exact).max() for n in (1, 2)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(8.0, abs=0.5)


def test_samples_do_not_touch_each_other():
    states, r = np.array([[0.0, -0.36, 3.0], [0.0, 0.5, 3.0], [0.0, -1.1, 0.1]]), np.array([0.8, 0.8, 0.6])
    at = {"w": 2.6, "z": 0.02, "d": 0.0}
    both = OSCILLATOR.step(states, {**at, "r": r})
    alone = [OSCILLATOR.step(states[k : k + 1], {**at, "r": r[k]})[0] for k in range(3)]
    np.testing.assert_array_equal(both, alone)
    assert np.isnan(both[1]).all() and np.isfinite(both[[0, 2]]).all()  # the second begins into the stop


def test_a_motion_that_does_not_come_back_is_lost():
    away = ReturnMap(flow=Flow(function=lambda x: 1.0 + 0.0 * x, names=("x",)), surface=lambda x: x, dt=0.1, longest=50)
    assert "lost" in shoot(away, np.array([[0.0]]), {}).lost[0]


def test_impacts_without_end_are_lost():
    floor = Stop(gap=lambda y, v: y, reset=lambda y, v: (0.0 * y, -0.1 * v))
    fall = PeriodMap(flow=Flow(function=lambda y, v: (v, -1.0 + 0.0 * y), names=("y", "v"), stops=(floor,)), over=5.0, steps=4)
    assert np.isnan(fall.step(np.array([[1.0, 0.0]]), {})).all()


def test_a_direction_is_up_or_down():
    with pytest.raises(StudyError, match="direction 1 or -1"):
        ReturnMap(flow=SPRING, surface=lambda x, v, k: x, direction=0, dt=0.1)
