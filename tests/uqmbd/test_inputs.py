"""Inputs: what the user writes, SI, and the marginals that come out."""

import math
import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from uqmbd.errors import StudyError
from uqmbd.inputs import INPUTS, Interval, Random, read_input

MIDDLES = (np.arange(20_000) + 0.5) / 20_000


def test_interval_converts_once_and_keeps_what_was_written():
    si = read_input({"interval": [0.02, 0.05], "unit": "mm"}).to_si()
    assert si.lower == pytest.approx(2e-5, rel=1e-15) and si.upper == pytest.approx(5e-5, rel=1e-15) and si.unit == "m"
    assert si.describe() == "[0.02, 0.05] mm"
    assert si.to_si() is si
    assert si.kind == "interval"


@pytest.mark.parametrize(
    ("unit", "one", "symbol"),
    [
        ("deg", math.pi / 180, "rad"),
        ("rpm", math.pi / 30, "rad/s"),
        ("N/mm", 1e3, "kg/s²"),
        ("degC", 274.15, "K"),
        ("%", 0.01, ""),
        ("", 1.0, ""),
    ],
)
def test_units(unit, one, symbol):
    si = Interval(-1, 1, unit).to_si()
    assert si.upper == pytest.approx(one, rel=1e-12)
    assert si.unit == symbol


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6), st.floats(0, 1))
def test_interval_reaches_its_ends_and_never_leaves(lower, width, u):
    interval = Interval(lower, lower + width)
    assert interval.ppf(0.0) == interval.lower and interval.ppf(1.0) == interval.upper
    assert interval.lower <= interval.ppf(u) <= interval.upper


@pytest.mark.parametrize(
    ("table", "mean", "std"),
    [
        ({"type": "uniform", "lower": 2, "upper": 5}, 3.5, 3 / math.sqrt(12)),
        ({"type": "normal", "mean": 2, "std": 0.3}, 2, 0.3),
        ({"type": "lognormal", "mean": 2, "std": 0.5}, 2, 0.5),
        ({"type": "gumbel", "mean": 2, "std": 0.5}, 2, 0.5),
        ({"type": "triangular", "lower": 0, "mode": 1, "upper": 4}, 5 / 3, math.sqrt((0 + 1 + 16 - 0 - 0 - 4) / 18)),
        ({"type": "beta", "alpha": 2, "beta": 3}, 0.4, 0.2),
        ({"type": "weibull", "shape": 2, "scale": 3}, 3 * math.gamma(1.5), 3 * math.sqrt(math.gamma(2) - math.gamma(1.5) ** 2)),
        ({"type": "Gamma", "shape": 4, "scale": 0.5}, 2, 1),
    ],
)
def test_marginals(table, mean, std):
    """Midpoint rule in probability: moments of the variable itself, in the unit of the file and in SI."""
    for unit, factor in (("", 1.0), ("mm", 1e-3)):
        x = Random(table, unit).to_si().ppf(MIDDLES)
        assert x.mean() == pytest.approx(factor * mean, rel=1e-3)
        assert x.std() == pytest.approx(factor * std, rel=5e-3)
        assert np.all(np.diff(x) >= 0)


def test_random_shape_notation_and_pickle():
    si = read_input({"distribution": {"type": "uniform", "lower": 0.03, "upper": 0.07}, "unit": "mm"}).to_si()
    assert si.describe() == "U(0.03, 0.07) mm"
    assert Random({"type": "beta", "alpha": 2, "beta": 3}).describe() == "beta(alpha=2, beta=3)"
    u = np.linspace(0.1, 0.9, 6).reshape(2, 3)
    assert si.ppf(u).shape == (2, 3)
    assert np.array_equal(pickle.loads(pickle.dumps(si)).ppf(u), si.ppf(u))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Interval(2, 1), "lower 2 is above upper 1"),
        (lambda: Interval(1, 1), "both 1"),
        (lambda: Interval(math.nan, 1), "finite"),
        (lambda: Interval(True, 2), "number"),
        (lambda: Interval("a", 2), "number"),
        (lambda: read_input({"interval": [1, 2, 3]}), "two numbers"),
        (lambda: read_input({"interval": [3, 2]}), "above"),
        (lambda: read_input({"intervall": [1, 2]}), 'did you mean "interval"'),
        (lambda: read_input({"unit": "mm"}), "none of them"),
        (lambda: read_input({"interval": [1, 2], "distribution": {}}), "interval and distribution"),
        (lambda: read_input([1, 2]), "table"),
        (lambda: read_input({"interval": [1, 2], "unit": 3}), "text"),
        (lambda: Interval(1, 2, "mmm").to_si(), "not known"),
        (lambda: Interval(1, 2, "5 mm").to_si(), "quantity"),
        (lambda: Interval(1, 2, "dB").to_si(), "logarithmic"),
        (lambda: Interval(1, 2, "m+").to_si(), "not known"),
        (lambda: Random({"type": "unifrom"}), 'did you mean "uniform"'),
        (lambda: Random({"lower": 1}), "needs its type"),
        (lambda: Random({"type": "uniform", "lower": 1}), "lacks upper"),
        (lambda: Random({"type": "uniform", "lower": 2, "upper": 1}), "not below"),
        (lambda: Random({"type": "normal", "mean": 1, "std": -1}), "not positive"),
        (lambda: Random({"type": "lognormal", "mean": -1, "std": 1}), "not positive"),
        (lambda: Random({"type": "triangular", "lower": 0, "mode": 3, "upper": 2}), "outside"),
        (lambda: Random({"type": "gamma", "k": 1}), "gamma takes shape, scale, shift"),
        (lambda: Random({"type": "gamma", "shape": -1}), "does not exist"),
        (lambda: Random({"type": "gamma", "shape": "x"}), "number"),
        (lambda: Random(5), "a table with its type and parameters"),
        (lambda: read_input({"distribution": "uniform"}), "table"),
    ],
)
def test_mistakes_are_one_sentence(make, words):
    with pytest.raises(StudyError) as caught:
        make()
    assert words in str(caught.value)
    assert "pydantic" not in str(caught.value)


def test_registry_has_distinct_kinds_and_keys():
    assert len({kind.kind for kind in INPUTS}) == len({kind.key for kind in INPUTS}) == len(INPUTS)


def test_importing_inputs_and_methods_is_light():
    heavy = "{'pint', 'chaospy', 'xarray', 'scipy', 'numba', 'pandas', 'matplotlib'}"
    code = f"import sys, uqmbd.inputs, uqmbd.methods; print({heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
