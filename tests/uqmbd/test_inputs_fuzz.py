"""Damaged tables of inputs, sets and dependence: one StudyError, never another exception."""

import contextlib

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from uqmbd.errors import StudyError
from uqmbd.inputs import Interval, Random, Space, read_input
from uqmbd.methods import read_method

texts = st.sampled_from(["", "a", "b", "x", "ellipsoid", "box", "normal", "best", "k.csv", "inf"]) | st.text(max_size=5)
numbers = st.integers(-(2**63), 2**63 - 1) | st.floats() | st.booleans()
values = st.recursive(texts | numbers, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=3), max_leaves=8)

TABLES = {
    "fuzzy": {"fuzzy": {"type": "triangular", "lower": 1, "mode": 2, "upper": 3}, "unit": "mm"},
    "levels": {"fuzzy": {"alpha": [0, 1], "lower": [1, 2], "upper": [4, 3]}},
    "data": {"distribution": {"data": "k.csv", "column": "k", "fit": "normal", "criterion": "aic", "truncate": [1, 5]}},
    "truncated": {"distribution": {"type": "normal", "mean": 1, "std": 2, "truncate": [1, 5]}},
}
SETS = {
    "correlation": {"inputs": ["a", "b"], "shape": "box", "correlation": [["a", "b", 0.5]]},
    "covariance": {"inputs": ["x", "y"], "covariance": [[1, 0.5], [0.5, 1]], "center": [0, 0], "radius": 2, "units": ["mm", ""]},
    "data": {"inputs": ["x", "y"], "data": "k.csv", "columns": ["k", "c"]},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with k.csv in it."""
    path = tmp_path_factory.mktemp("fuzz")
    np.savetxt(path / "k.csv", np.random.default_rng(0).uniform(1, 5, (20, 2)), delimiter=",", header="k,c", comments="")
    return path


def damage(table, draw):
    """A copy of the table in which one entry, at any depth, is another value or gone."""
    copy, at = dict(table), draw(st.sampled_from(sorted(table)))
    if isinstance(copy[at], dict) and draw(st.booleans()):
        copy[at] = damage(copy[at], draw)
    elif draw(st.integers(0, 3)) == 0:
        del copy[at]
    else:
        copy[at] = draw(values)
    return copy


often = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.parametrize("name", TABLES)
@often
@given(data=st.data())
def test_inputs(name, data, folder, monkeypatch):
    monkeypatch.chdir(folder)
    with contextlib.suppress(StudyError):
        item = read_input(damage(TABLES[name], data.draw)).to_si()
        assert item.describe() and np.isfinite(item.ppf(np.array([0.25, 0.75]))).all()


@pytest.mark.parametrize("name", SETS)
@often
@given(data=st.data())
def test_sets(name, data, folder, monkeypatch):
    monkeypatch.chdir(folder)
    with contextlib.suppress(StudyError):
        space = Space({"a": Interval(0, 1), "b": Interval(1, 2)}, sets={"s": damage(SETS[name], data.draw)}).to_si()
        assert np.isfinite(space.sets["s"].generators).all()


@often
@given(values)
def test_dependence(value):
    inputs = {name: Random({"type": "uniform", "lower": 0, "upper": 1}) for name in "ab"}
    for given_ in (value, {"rank_correlation": value}, {"rank_correlation": [["a", "b", value]]}):
        with contextlib.suppress(StudyError):
            Space(inputs, given_).samples(np.full((2, 2), 0.3))


@often
@given(st.sampled_from(["fuzzy", "convex"]), st.sampled_from(["levels", "level_runs", "approach", "variant", "confirm", "within"]), values)
def test_methods(name, key, value):
    with contextlib.suppress(StudyError):
        read_method({"type": name, key: value})
