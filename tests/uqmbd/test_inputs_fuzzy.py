"""Fuzzy numbers: cuts, units, notation, and what is not one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from uqmbd.errors import StudyError
from uqmbd.inputs import Fuzzy, read_input

TRIANGULAR = {"type": "triangular", "lower": 1, "mode": 2, "upper": 4}


def test_cuts_of_the_three_kinds():
    assert [Fuzzy(TRIANGULAR).cut(a) for a in (0, 0.5, 1)] == [(1, 4), (1.5, 3), (2, 2)]
    trapezoid = Fuzzy({"type": "trapezoidal", "lower": 0, "low_mode": 1, "high_mode": 2, "upper": 4})
    assert [trapezoid.cut(a) for a in (0, 0.5, 1)] == [(0, 4), (0.5, 3), (1, 2)]
    levels = Fuzzy({"alpha": [0, 0.5, 1], "lower": [0, 1, 1], "upper": [5, 3, 2]})
    assert [levels.cut(a) for a in (0, 0.25, 0.5, 0.75, 1)] == [(0, 5), (0.5, 4), (1, 3), (1, 2.5), (1, 2)]


def test_units_convert_once_and_reports_show_what_was_written():
    si = read_input({"fuzzy": TRIANGULAR, "unit": "mm"}).to_si()
    assert si.cut(0.5) == pytest.approx((1.5e-3, 3e-3), rel=1e-12) and si.unit == "m" and si.to_si() is si
    assert si.describe() == "Tri(1, 2, 4) mm"
    warm = Fuzzy({"alpha": [0, 1], "lower": [0, 10], "upper": [30, 20]}, "degC").to_si()
    assert warm.cut(1) == pytest.approx((283.15, 293.15)) and warm.describe() == "cuts 0: [0, 30], 1: [10, 20] degC"
    assert Fuzzy({"type": "trapezoidal", "lower": 0, "low_mode": 1, "high_mode": 2, "upper": 4}).describe() == "Trap(0, 1, 2, 4)"


def test_a_place_in_the_support():
    number = Fuzzy(TRIANGULAR)
    assert number.ppf(np.array([[0, 0.5, 1]])) == pytest.approx(np.array([[1, 2.5, 4]])) and number.kind == "fuzzy"


@given(st.lists(st.floats(-1e3, 1e3), min_size=4, max_size=4, unique=True), st.floats(0, 1), st.floats(0, 1))
def test_a_higher_cut_is_inside_a_lower_one(numbers, a, b):
    ends = dict(zip(("lower", "low_mode", "high_mode", "upper"), sorted(numbers), strict=True))
    number, (a, b) = Fuzzy({"type": "trapezoidal", **ends}), sorted((a, b))
    wide, narrow = number.cut(a), number.cut(b)
    assert wide[0] <= narrow[0] <= narrow[1] <= wide[1]


@pytest.mark.parametrize(
    ("value", "key", "words"),
    [
        ({**TRIANGULAR, "mode": 5}, "fuzzy", "mode 5 is above upper 4"),
        ({**TRIANGULAR, "lower": 3}, "fuzzy", "lower 3 is above mode 2"),
        ({**TRIANGULAR, "type": "trianglar"}, "fuzzy.type", 'did you mean "triangular"'),
        ({**TRIANGULAR, "moed": 5}, "fuzzy.moed", "takes lower, mode, upper"),
        ({"type": "triangular", "lower": 1}, "fuzzy", "lacks mode, upper"),
        ({**TRIANGULAR, "mode": "two"}, "fuzzy.mode", "a number is expected"),
        ({**TRIANGULAR, "mode": float("nan")}, "fuzzy.mode", "finite"),
        ({"type": "triangular", "lower": 1, "mode": 1, "upper": 1}, "fuzzy", "nothing else"),
        ([1, 2, 3], "fuzzy", "a table"),
        ({}, "fuzzy", "lacks alpha, lower, upper"),
        ({"alpha": [0, 0.5, 1], "lower": [0, 1, 0.5], "upper": [4, 3, 2]}, "fuzzy", "is not inside that at 0.5"),
        ({"alpha": [0, 0.5], "lower": [0, 1], "upper": [4, 3]}, "fuzzy.alpha", "ascend from 0 to 1"),
        ({"alpha": [0, 1], "lower": [0, 3], "upper": [4, 2]}, "fuzzy.lower", "at alpha 1 lower 3 is above upper 2"),
        ({"alpha": [0, 1], "lower": [0, 1, 2], "upper": [4, 3]}, "fuzzy", "do not make levels"),
        ({"alpha": 3, "lower": [0, 1], "upper": [4, 3]}, "fuzzy.alpha", "lists of numbers"),
    ],
)
def test_what_is_no_fuzzy_number(value, key, words):
    with pytest.raises(StudyError) as error:
        read_input({"fuzzy": value})
    assert words in str(error.value) and error.value.key == key
