"""Branches of periodic orbits of maps, their special points and ends, against closed forms."""

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from uqmbd.analysis.dynamics.branches import Steps, after_flip, follow
from uqmbd.analysis.dynamics.maps import FunctionMap
from uqmbd.errors import StudyError

LOGISTIC = FunctionMap(function=lambda x, r: r * x * (1.0 - x), names=("x",))
HENON = FunctionMap(function=lambda x, y, a, b: (1.0 - a * x**2 + y, b * x), names=("x", "y"))
DELAYED = FunctionMap(function=lambda x, old, a: (a * x * (1.0 - old), x), names=("x", "old"))
CUBIC = FunctionMap(function=lambda x, a, b: x + 0.1 * (a + b * x - x**3), names=("x",))


def special(branch):
    return [(point.kind, point.parameter) for point in branch.specials]


def said(branch, *expected):
    found = special(branch)
    assert [kind for kind, _ in found] == [kind for kind, _ in expected]
    assert [value for _, value in found] == pytest.approx([value for _, value in expected], abs=1e-9)


def test_a_branch_goes_around_its_fold_with_the_orbits_of_the_closed_form():
    branch = follow(HENON, "a", np.array([0.9, 0.3]), {"a": 0.2, "b": 0.3}, (-0.2, 0.5), steps=Steps(points=120))
    a, x = branch.values, branch.states[:, 0]
    np.testing.assert_allclose(a * x**2 + 0.7 * x - 1.0, 0.0, atol=1e-8)
    np.testing.assert_allclose(np.prod(branch.multipliers, axis=1), -0.3, atol=1e-9)
    assert a[-1] == 0.5 and branch.ends[0] == "120 points are all that it was to have"
    said(branch, ("fold", -0.1225), ("flip", 0.3675))


def test_stability_changes_at_the_special_points_alone():
    branch = follow(HENON, "a", np.array([0.9, 0.3]), {"a": 0.2, "b": 0.3}, (-0.2, 0.5), steps=Steps(points=120))
    pieces = branch.pieces()
    assert [stable for stable, _ in pieces] == [False, True, False]
    for stable, part in pieces:
        assert (branch.stable[part][1:-1] == stable).all()
    assert pieces[0][1].start == 0 and pieces[-1][1].stop == len(branch.values)


def test_logistic_period_three_is_born_in_a_fold():
    branch = follow(LOGISTIC, "r", np.array([0.5]), {"r": 3.832}, (3.8, 3.85), period=3, steps=Steps(largest=0.01))
    said(branch, ("fold", 1.0 + np.sqrt(8.0)), ("flip", 3.8414990075))
    assert branch.ends == ("r has come to an end of its range",) * 2


def test_delayed_logistic_leaves_the_circle_at_two():
    said(follow(DELAYED, "a", np.array([0.4, 0.4]), {"a": 1.7}, (1.2, 2.4)), ("neimark_sacker", 2.0))


def test_doubled_orbits_are_followed_from_their_flip_to_the_next():
    first = follow(LOGISTIC, "r", np.array([0.6]), {"r": 2.5}, (2.2, 3.5)).specials[0]
    second = after_flip(LOGISTIC, "r", first, {}, (2.2, 3.5))
    r = second.values[1:]
    x = (1.0 + r - np.sqrt((r - 3.0) * (r + 1.0))) / (2.0 * r)
    np.testing.assert_allclose(
        np.minimum(np.abs(second.states[1:, 0] - x), np.abs(second.states[1:, 0] - (1.0 + r) / r + x)), 0.0, atol=1e-9
    )
    said(second, ("flip", 3.0), ("flip", 1.0 + np.sqrt(6.0)))


def test_a_doubled_branch_ends_where_it_is_born():
    branch = follow(LOGISTIC, "r", np.array([0.8]), {"r": 3.3}, (2.8, 3.4), period=2)
    said(branch, ("flip", 3.0))
    assert "flip of fixed points" in branch.ends[0] and "end of its range" in branch.ends[1]


@pytest.mark.parametrize(
    ("base", "parameter", "at", "between", "exact"),
    [(LOGISTIC, "r", {"r": 0.7}, (0.5, 1.5), 1.0), (CUBIC, "b", {"a": 0.0, "b": -0.3}, (-0.5, 0.5), 0.0)],
)
def test_crossings_of_branches_are_branch_points(base, parameter, at, between, exact):
    said(follow(base, parameter, np.array([0.0]), at, between), ("branch_point", exact))


@settings(max_examples=5, deadline=None, phases=[Phase.generate])
@given(st.floats(0.3, 1.5))
def test_both_folds_of_a_hysteresis(b):
    fold = 2.0 * (b / 3.0) ** 1.5
    branch = follow(CUBIC, "a", np.array([-1.5]), {"a": -1.0, "b": b}, (-1.2, 1.2))
    said(branch, *sorted([("fold", fold), ("fold", -fold)], reverse=True))


def test_a_closed_branch_comes_back_to_its_start():
    circle = FunctionMap(function=lambda x, a: x + 0.2 * (x**2 + a**2 - 1.0), names=("x",))
    branch = follow(circle, "a", np.array([-1.0]), {"a": 0.0}, (-2.0, 2.0))
    said(branch, ("fold", 1.0), ("fold", -1.0))
    assert branch.ends == ("it is closed",) * 2
    assert branch.values[0] == branch.values[-1]


def test_a_branch_that_leaves_the_map_is_said_to_be_lost():
    ending = FunctionMap(function=lambda x, a: 0.5 * x + np.sqrt(1.0 - a), names=("x",))
    branch = follow(ending, "a", np.array([2.0]), {"a": 0.0}, (-1.0, 2.0))
    assert "it is lost" in branch.ends[1] and "end of its range" in branch.ends[0]
    assert branch.values[-1] == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize(("start", "period", "why"), [(0.6, 2, "an orbit of 1 step, not 2"), (1e6, 1, "lost")])
def test_a_start_that_is_no_orbit_is_said(start, period, why):
    base = LOGISTIC if period == 2 else FunctionMap(function=lambda x, r: x + r + x**2, names=("x",))
    branch = follow(base, "r", np.array([start]), {"r": 2.5}, (2.0, 3.0), period=period)
    assert len(branch.values) == 0 and why in branch.ends[0] and branch.pieces() == [] and branch.specials == []


def test_a_start_outside_of_the_range_is_told():
    with pytest.raises(StudyError, match="outside of 0"):
        follow(LOGISTIC, "r", np.array([0.5]), {"r": 2.0}, (0.0, 1.0))


def test_a_start_of_another_number_of_coordinates_is_told():
    with pytest.raises(StudyError, match="a start has a number for each of x, y"):
        follow(HENON, "a", np.array([0.5]), {"a": 0.2, "b": 0.3}, (0.0, 1.0))
