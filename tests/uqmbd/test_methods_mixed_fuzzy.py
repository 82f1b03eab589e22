"""Fuzzy numbers beside random inputs: statistics at each membership, against closed forms."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from uqmbd.analysis.imprecise import moments as imprecise_moments
from uqmbd.analysis.search.extremes import ENOUGH
from uqmbd.errors import StudyError
from uqmbd.inputs import Fuzzy, Interval, Random
from uqmbd.methods import read_method
from uqmbd.methods.imprecise.mixed import Mixed
from uqmbd.methods.probabilistic.pce import PCE

from .loop import drive

Z = Random({"type": "normal", "mean": 0, "std": 2})
TRIANGLE = Fuzzy({"type": "triangular", "lower": 1, "mode": 2, "upper": 4})
INPUTS = {"z": Z, "m": TRIANGLE}


def scalar(function):
    return lambda time, **samples: {"y": function(**samples)}


def cuts(result):
    """Cuts of `TRIANGLE` at the levels of a result, (levels, 2)."""
    alpha = result.statistics["alpha"].values
    return np.column_stack([1 + alpha, 4 - 2 * alpha])


def bounds(result, statistic, name="y"):
    return result.statistics[name].sel(statistic=statistic).transpose("alpha", "bound", ...).values


def test_mean_and_quantiles_of_a_normal_variable_with_a_fuzzy_mean():
    result, count = drive(Mixed(degree=2, samples=40), INPUTS, scalar(lambda z, m: m + z))
    table = result.statistics["y"]
    assert count == 40 and table.dims == ("alpha", "statistic", "bound") and table["alpha"].values == pytest.approx(np.linspace(0, 1, 11))
    assert bounds(result, "mean") == pytest.approx(cuts(result), abs=1e-9)
    assert bounds(result, "std") == pytest.approx(np.full((11, 2), 2), abs=1e-9)
    assert bounds(result, "q95") == pytest.approx(cuts(result) + 2 * norm.ppf(0.95), abs=1e-3)
    assert result.attrs["moments_verified"] is True


def test_probability_boxes_of_a_fuzzy_mean():
    """N(m, 2), m in the cut [a, b]: Φ((x - b)/2) and Φ((x - a)/2)."""
    result, _ = drive(Mixed(degree=2, samples=40, levels=[0, 0.25, 1]), INPUTS, scalar(lambda z, m: m + z))
    table = result.cdf["y"]
    assert table.dims == ("alpha", "level", "column") and table["alpha"].values.tolist() == [0, 0.25, 1]
    for (low, high), box in zip(cuts(result), table.values, strict=True):
        value, lower, upper = box.T
        assert np.abs(lower - norm.cdf((value - high) / 2)).max() < 5e-4
        assert np.abs(upper - norm.cdf((value - low) / 2)).max() < 5e-4


def test_an_extreme_inside_some_of_the_cuts():
    """``z - (m - 2.8)²``: 2.8 is in the cuts [1 + α, 4 - 2α] up to α = 0.6."""
    result, _ = drive(Mixed(degree=2, samples=60), INPUTS, scalar(lambda z, m: z - (m - 2.8) ** 2))
    low, high = cuts(result).T
    most = -(np.maximum(0, 2.8 - high) ** 2)
    least = -(np.maximum(2.8 - low, high - 2.8) ** 2)
    assert bounds(result, "mean") == pytest.approx(np.column_stack([least, most]), abs=1e-7)
    assert bounds(result, "q95") == pytest.approx(np.column_stack([least, most]) + 2 * norm.ppf(0.95), abs=3e-3)


def test_the_core_is_the_study_without_the_fuzzy_number():
    def model(z, m):
        return np.exp(0.1 * z) * m + 0.2 * m**2

    mixed, _ = drive(Mixed(degree=5, samples=150, safety=0.0, germs=2**14, levels=3), INPUTS, scalar(model))
    plain, _ = drive(PCE(degree=5, samples=150), {"z": Z}, scalar(lambda z: model(z, 2.0)))
    for statistic, close in (("mean", 1e-5), ("std", 1e-5), ("q05", 1e-3), ("q95", 1e-3)):
        lower, upper = bounds(mixed, statistic)[-1]
        assert lower == pytest.approx(upper, abs=1e-12)
        assert lower == pytest.approx(float(plain.statistics["y"].sel(statistic=statistic)), abs=close)
    value, lower, upper = mixed.cdf["y"].values[-1].T
    assert np.all((lower <= upper) & (upper - lower < 1.5 / 2**14))  # a step of one sample at most


def test_a_fuzzy_number_beside_an_interval_and_a_core_of_some_width():
    inputs = {"k": Interval(1, 2), "z": Z, "m": Fuzzy({"type": "trapezoidal", "lower": 0, "low_mode": 1, "high_mode": 2, "upper": 5})}
    result, _ = drive(Mixed(degree=2, samples=80, levels=[0, 0.5, 1]), inputs, scalar(lambda k, z, m: m - 3 * k + k * z))
    assert bounds(result, "mean") == pytest.approx(np.array([[-6, 2], [-5.5, 0.5], [-5, -1]]), abs=1e-7)
    assert bounds(result, "std") == pytest.approx(np.tile([2, 4], (3, 1)), abs=1e-7)


def test_histories_have_bands_at_each_level():
    time = np.linspace(0, 2, 31)
    inputs = {
        "z": Random({"type": "normal", "mean": 1, "std": 0.1}),
        "k": Fuzzy({"type": "triangular", "lower": 0.8, "mode": 1, "upper": 1.2}),
    }

    def model(time, z, k):
        return {"y": z[:, None] * np.exp(-k[:, None] * time)}

    result, _ = drive(Mixed(degree=6, samples=80, levels=3), inputs, model, time=time)
    assert result.statistics["y"].dims == ("alpha", "statistic", "bound", "time") and "y" not in result.cdf
    for k, half in enumerate((0.2, 0.1, 0)):
        decay = np.exp(-np.outer([1 + half, 1 - half], time))
        assert bounds(result, "mean")[k] == pytest.approx(decay, abs=1e-5)
        assert bounds(result, "q05")[k] == pytest.approx((1 + 0.1 * norm.ppf(0.05)) * decay, abs=2e-4)


@settings(max_examples=8, deadline=None)
@given(st.floats(-2, 2), st.floats(0, 1), st.floats(-3, 3))
def test_bounds_are_nested_over_the_levels(bend, share, tilt):
    inputs = {"z": Z, "m": Fuzzy({"type": "triangular", "lower": -1, "mode": 2 * share - 1, "upper": 1}), "k": Interval(0, 1)}
    model = scalar(lambda z, m, k: np.sin(bend * m + k) + (1 + 0.3 * m) * z + tilt * k * m)
    result, _ = drive(Mixed(degree=3, samples=60, germs=256, levels=4, trust_tolerance=0.1), inputs, model)
    table = result.statistics["y"].transpose("alpha", "bound", "statistic").values
    assert np.all(np.diff(table[:, 0], axis=0) >= 0) and np.all(np.diff(table[:, 1], axis=0) <= 0) and np.all(table[:, 0] <= table[:, 1])
    boxes = result.cdf["y"].values
    for wide, narrow in pairwise(boxes):
        inside = (narrow[:, 0] >= wide[0, 0]) & (narrow[:, 0] < wide[-1, 0])
        value, lower, upper = narrow[inside].T
        after = np.searchsorted(wide[:, 0], value, side="right")  # distribution functions rise: rows on either side bound them
        assert np.all(wide[after - 1, 1] <= lower) and np.all(wide[after, 2] >= upper)


def test_an_untrusted_output_has_the_range_of_the_runs_of_each_level():
    tried = []

    def model(time, z, m):
        tried.append((z, m))
        return {"y": np.where(z > 0.1, m, -m)}

    result, _ = drive(Mixed(degree=2, samples=200, fallback_runs=0, levels=[0, 0.5, 0.99, 1]), INPUTS, model)
    z, m = tried[-1]
    y = np.where(z > 0.1, m, -m)
    here = (m >= 1.5) & (m <= 3)
    assert not result.trusted["y"] and ENOUGH < here.sum() == result.attrs["runs_by_level"][1] < 200
    expected = np.array([[y.min(), y.max()], *3 * [[y[here].min(), y[here].max()]]])  # too few runs in the others
    assert result.attrs["runs_by_level"][2] < ENOUGH and f"fewer than {ENOUGH} runs" in result.facts.note
    assert bounds(result, "mean") == pytest.approx(expected, abs=0) and bounds(result, "q50") == pytest.approx(expected, abs=0)
    assert result.cdf["y"].values[:, [0, -1], 0] == pytest.approx(expected, abs=0)
    assert bounds(result, "std")[:, 1] == pytest.approx(np.ptp(expected, axis=1) / 2)


def test_many_intervals_are_scanned_at_each_level(monkeypatch):
    monkeypatch.setattr(imprecise_moments, "MOST_NODES", 5)
    inputs = INPUTS | {"k": Interval(0, 1)}
    result, _ = drive(Mixed(degree=2, samples=60, levels=3), inputs, scalar(lambda z, m, k: m + k + z))
    assert result.attrs["moments_verified"] is False
    assert bounds(result, "mean") == pytest.approx(cuts(result) + [0, 1], abs=1e-9)


def test_failed_runs_are_left_out():
    def fail(samples):
        return np.isin(np.arange(len(samples["z"])), [3, 40])

    result, _ = drive(Mixed(degree=2, samples=60, levels=3), INPUTS, scalar(lambda z, m: m + z), fail=fail)
    assert result.attrs["runs_failed"] == 2 and "2 of 60 runs failed" in result.facts.note
    assert bounds(result, "mean") == pytest.approx(cuts(result), abs=1e-9)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: read_method({"type": "mixed", "samples": 50, "levels": 1}), "the number of levels is from 2 to 101, not 1"),
        (lambda: read_method({"type": "mixed", "samples": 50, "levels": [0, 0.7, 0.5, 1]}), "memberships that ascend from 0 to 1"),
        (lambda: read_method({"type": "mixed", "samples": 50, "level": 3}), 'did you mean "levels"'),
        (lambda: Mixed(samples=50, levels=5).check({"z": Z, "m": Interval(0, 1)}), "no fuzzy number to have levels"),
    ],
)
def test_mistakes_are_one_sentence(make, words):
    with pytest.raises(StudyError) as caught:
        make()
    assert words in str(caught.value)
