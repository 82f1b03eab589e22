"""Splitting the box where the response is not smooth."""

import numpy as np
import pytest

from uqmbd.analysis.chebyshev import chebyshev
from uqmbd.inputs import Interval
from uqmbd.methods import Chebyshev

from .loop import drive
from .test_methods_chebyshev import scalar

NO_FALLBACK = {"fallback_runs": 0}
SPLIT = Chebyshev(split=True, max_runs=300, **NO_FALLBACK)


def kinked(x):
    return np.abs(x - 0.3) + 0.1 * x


def step_like(x):
    return np.tanh(60 * (x - 0.37)) + x


@pytest.mark.parametrize("function", [kinked, step_like])
def test_splitting_where_the_response_is_not_smooth(function):
    inputs = {"x": Interval(-1, 1)}
    x = np.linspace(-1, 1, 20001)
    low, high = function(x).min(), function(x).max()
    split, count = drive(SPLIT, inputs, scalar(function))
    degree = int(0.8 * count)  # the same number of runs without splitting
    c = chebyshev.coefficients(function(chebyshev.nodes(degree))[:, None], (degree,))
    whole = np.abs(chebyshev.evaluate(c, x[:, None])[:, 0] - function(x)).max()
    assert count <= 120
    assert bool(split.trusted["f:value"]) and split.attrs["leaves"] >= 6
    lower, upper = split.bounds["f:value"].values
    over = np.array([low - lower, upper - high]) / (high - low)
    assert np.all(over >= -1e-9) and np.all(over < 3e-3)
    assert float(split.error["f:value"]) < 0.5 * whole


def test_splitting_where_a_contact_sequence_changes():
    """A second impact at t = 0.4 that only samples with x > 0.25 have: afterwards the response has a kink across the box."""
    time = np.linspace(0, 1, 51)

    def model(time, x, y):
        more = np.maximum(x - 0.25, 0)[:, None] * np.maximum(np.asarray(time) - 0.4, 0)
        return {"u": np.sin(np.asarray(time) + 0.3 * x[:, None]) + 0.2 * y[:, None] * np.asarray(time) + 3 * more}

    inputs = {"x": Interval(-1, 1), "y": Interval(-1, 1)}
    split, count = drive(Chebyshev(split=True, max_runs=500, **NO_FALLBACK), inputs, model, time=time)
    degree = int(np.sqrt(0.8 * count)) - 1
    whole, same = drive(Chebyshev(degree=degree, **NO_FALLBACK), inputs, model, time=time)
    untrusted = [1 - r.attrs["trusted_share"] for r in (split, whole)]
    assert count <= 500 and same <= count * 1.1
    assert untrusted[0] <= 0.2 * untrusted[1] and untrusted[1] > 0.3


def test_a_smooth_response_is_not_cut_and_failures_are_kept_out():
    model = scalar(lambda x, y: np.exp(0.5 * x) * np.cos(0.5 * y))
    inputs = {"x": Interval(-1, 1), "y": Interval(-1, 1)}
    result, count = drive(Chebyshev(split=True), inputs, model)
    assert count == 25 + 10 and result.attrs["leaves"] == 1
    rough = scalar(lambda x, y: np.abs(x - 0.3) + 0.2 * y)
    lost, _ = drive(SPLIT, inputs, rough, fail=lambda s: (np.abs(s["x"] - 0.5) < 1e-6) & (np.abs(s["y"]) < 1e-6))
    assert lost.attrs["runs_failed"] == 1 and lost.bounds["f:value"].values == pytest.approx([-0.2, 1.5], abs=0.02)


def test_a_jump_is_not_chased_for_ever():
    result, count = drive(Chebyshev(split=True, max_runs=2000, **NO_FALLBACK), {"x": Interval(-1, 1)}, scalar(lambda x: 1.0 * (x > 0.3)))
    assert count < 300 and not result.trusted["f:value"]
    lower, upper = result.bounds["f:value"].values
    assert lower <= 0.0 and upper >= 1.0 and result.inner["f:value"].values.tolist() == [0.0, 1.0]


@pytest.fixture(scope="module")
def leaves():
    """A jump across a corner of the box; elsewhere the response is a plane."""
    box = {"x": Interval(0, 1000, "mm"), "y": Interval(-1, 1)}
    model = scalar(lambda x, y: np.where(x > 0.8, 5.0, 0.0) * (y > 0.5) + x + y)
    return drive(Chebyshev(split=True, max_runs=1500, **NO_FALLBACK), box, model)[0]


def test_leaves_fill_the_box(leaves):
    found = leaves.leaves
    size = (found["upper:x"] - found["lower:x"]) * (found["upper:y"] - found["lower:y"])
    assert found.sizes["leaf"] == leaves.attrs["leaves"] > 10 and float(size.sum()) == pytest.approx(2.0)
    assert found["upper:x"].max() == 1.0


def test_smooth_leaves_are_trusted_though_the_whole_is_not(leaves):
    found = leaves.leaves["f:value"]
    assert not leaves.trusted["f:value"] and leaves.attrs["trusted_volume"]["f:value"] > 0.7
    far = (leaves.leaves["upper:x"] < 0.7).values
    assert found.sel(part="trusted").values[far].all()
    lower, upper = ((leaves.leaves[f"{end}:x"] + leaves.leaves[f"{end}:y"]).values[far] for end in ("lower", "upper"))
    np.testing.assert_allclose(found.sel(part=["lower", "upper"]).values[far].T, [lower, upper], atol=1e-9)


def test_bounds_are_the_union_of_the_leaves(leaves):
    found = leaves.leaves["f:value"]
    ends = [float(found.sel(part="lower").min()), float(found.sel(part="upper").max())]
    assert leaves.bounds["f:value"].values == pytest.approx(ends)
    assert ends[0] <= -1.0 and ends[1] >= 7.0
