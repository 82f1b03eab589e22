"""Runs that are added where trust is missing: at most as many as were planned, unless the user asks for more."""

import numpy as np
import pytest

from uqmbd.inputs import Interval, read_input
from uqmbd.inputs.space import Space
from uqmbd.methods import METHODS, Chebyshev, MonteCarlo, Taylor1, Vertex
from uqmbd.methods.sets.convex import ConvexBounds
from uqmbd.methods.sets.fuzzy import FuzzyBounds

from .loop import drive

BOX = {"a": Interval(-1, 1), "b": Interval(-1, 1)}
FUZZY = {name: read_input({"fuzzy": {"type": "triangular", "lower": -1, "mode": 0, "upper": 1}}) for name in "ab"}
SET = Space(BOX, sets={"s": {"inputs": ["a", "b"], "correlation": [["a", "b", 0.5]]}})


def jump(time, a, b):
    return {"y": np.where(a + 0.3 * b > 0.1234, 1.0, 0.0) - a**2}


@pytest.mark.parametrize(
    ("method", "inputs"),
    [
        (Chebyshev(degree=3), BOX),
        (Chebyshev(grid="sparse", max_runs=60), BOX),
        (Chebyshev(degree=3, corner_runs=True), BOX),
        (Taylor1(), BOX),
        (Vertex(), BOX),
        (FuzzyBounds(degree=3), FUZZY),
        (FuzzyBounds(degree=3, level_runs=7), FUZZY),
        (ConvexBounds(degree=3, confirm=False), SET),
        (ConvexBounds(degree=3, within=True, confirm=False), SET),
    ],
    ids=lambda x: f"{x.name}" if hasattr(x, "name") else "",
)
def test_no_more_fallback_runs_than_planned_ones(method, inputs):
    result, count = drive(method, inputs, jump)
    own, (_, most), fallback = method.own_runs(inputs), method.planned_runs(inputs), method.fallback_most(inputs)
    assert not result.trusted["y"] and own[0] < count <= most == own[1] + fallback
    levels = 7 * 10 if getattr(method, "level_runs", None) else 0  # asked for
    assert 0 < fallback <= own[1] + levels and 0 < count - own[0] and count <= 2 * own[1] + levels
    assert result.attrs["runs_fallback"] + result.attrs.get("runs_levels", 0) <= fallback


@pytest.mark.parametrize("asked", [0, 5, 3000])
def test_at_most_as_many_as_the_user_asks_for(asked):
    method = Chebyshev(degree=3, fallback_runs=asked)
    result, count = drive(method, BOX, jump)
    assert method.planned_runs(BOX)[1] == 16 + 10 + asked and count == 16 + 10 + result.attrs["runs_fallback"]
    assert result.attrs["runs_fallback"] == asked if asked < 3000 else 0 < result.attrs["runs_fallback"] < asked  # a search that settles


def test_two_thousand_at_most():
    assert Chebyshev(degree=63).fallback_most(BOX) == 2000


def test_methods_without_a_surrogate_have_none():
    assert MonteCarlo(samples=10).fallback_most({}) == 0 and all(hasattr(method, "fallback_most") for method in METHODS.values())


@pytest.mark.usefixtures("tried_here")
def test_check_says_how_many_there_can_be(uqmbd, write_study):
    chebyshev = ("samples = 40", "degree = 3"), ('"montecarlo"', '"chebyshev"')
    limits = [
        (f'distribution = {{ type = "uniform", lower = {low}, upper = {high} }}', f"interval = [{low}, {high}]")
        for low, high in (("9.0", "11.0"), ("0.1", "0.2"))
    ]
    code, said = uqmbd("check", write_study(*chebyshev, *limits))
    words = " ".join(said.split())
    assert code == 0 and "26 to 52" in words and "up to 26 fallback runs" in words
    code, said = uqmbd("check", write_study(*chebyshev, *limits, ("degree = 3", "degree = 3\nfallback_runs = 0")))
    assert code == 0 and "fallback" not in said
