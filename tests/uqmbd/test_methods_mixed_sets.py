"""Convex sets over the intervals of a mixed study, against closed forms and dense grids."""

import numpy as np
import pytest
from scipy.stats import norm

from uqmbd.analysis.imprecise import moments as imprecise_moments
from uqmbd.inputs import Fuzzy, Interval, Random
from uqmbd.inputs.space import Space
from uqmbd.methods.imprecise.mixed import Mixed

from .loop import drive

Z = Random({"type": "normal", "mean": 1, "std": 0.5})
BOX = {"a": Interval(0, 2), "z": Z, "b": Interval(1, 5)}
MIDDLE, HALF = np.array([1.0, 3.0]), np.array([1.0, 2.0])
W = np.outer(HALF, HALF) * [[1, 0.6], [0.6, 1]]
SETS = {"both": {"inputs": ["a", "b"], "correlation": [["a", "b", 0.6]]}}
ELLIPSOID = Space(BOX, sets=SETS)
SLOPE = np.array([3.0, -1.0])
RADIUS = float(np.sqrt(SLOPE @ W @ SLOPE))


def scalar(function):
    return lambda time, **samples: {"y": function(**samples)}


def linear(a, z, b):
    return 3 * a - b + 2 * z


def bounds(result, statistic, name="y"):
    return result.statistics[name].sel(statistic=statistic).values


def test_linear_function_over_an_ellipsoid():
    """The mean is in ``c·x0 ± √(cᵀ W c)``, and everything else moves with it."""
    result, count = drive(Mixed(degree=2, samples=60), ELLIPSOID, scalar(linear))
    middle = SLOPE @ MIDDLE + 2
    ends = np.array([middle - RADIUS, middle + RADIUS])
    assert count == 60 and bounds(result, "mean") == pytest.approx(ends, abs=1e-7)
    assert bounds(result, "std") == pytest.approx([1, 1], abs=1e-7)
    assert bounds(result, "q95") == pytest.approx(ends + norm.ppf(0.95), abs=2e-3)
    value, lower, upper = result.cdf["y"].values.T
    assert np.abs(lower - norm.cdf(value - ends[1])).max() < 1e-3 and np.abs(upper - norm.cdf(value - ends[0])).max() < 1e-3
    assert result.attrs["moments_verified"] is False and result.attrs["exact_share"] == 1
    assert result.attrs["width_of_box"] == pytest.approx(RADIUS / np.abs(SLOPE * HALF).sum(), rel=1e-6)


def test_a_set_that_says_itself_where_its_inputs_lie():
    """From a covariance, in units of its own: the same ellipsoid of radius 2."""
    covariance = (W / 4 * np.outer([1e3, 1], [1e3, 1])).tolist()
    sets = {"both": {"inputs": ["a", "b"], "covariance": covariance, "center": [1e3, 3], "radius": 2, "units": ["mm", "m"]}}
    result, _ = drive(Mixed(degree=2, samples=60), Space({"z": Z}, sets=sets), scalar(linear))
    assert bounds(result, "mean") == pytest.approx(SLOPE @ MIDDLE + 2 + np.array([-RADIUS, RADIUS]), abs=1e-7)


def test_extremes_over_an_ellipsoid_and_a_free_interval():
    """Mean and quantiles of a function of fourth degree and its deviation, against a dense grid of the set."""
    space = Space(BOX | {"f": Interval(-1, 1)}, sets=SETS)

    def mean(a, b, f):
        return (a - 0.5) ** 2 * (b - 3) - 0.5 * a * b + f * a

    def spread(a, b, f):
        return 1 + 0.3 * a * b

    result, _ = drive(Mixed(degree=4, samples=400, safety=0.0), space, scalar(lambda a, z, b, f: mean(a, b, f) + spread(a, b, f) * (z - 1)))
    length, angle, f = np.meshgrid(np.linspace(0, 1, 101), np.linspace(0, 2 * np.pi, 1001), np.linspace(-1, 1, 5))
    a, b = np.moveaxis(MIDDLE + np.stack([length * np.cos(angle), length * np.sin(angle)], axis=-1) @ np.linalg.cholesky(W).T, -1, 0)

    def extremes(function):
        values = function(a, b, f)
        return [values.min(), values.max()]

    quantile = norm.ppf(0.95) / 2
    assert bounds(result, "mean") == pytest.approx(extremes(mean), abs=1e-4)
    assert bounds(result, "std") == pytest.approx(extremes(lambda a, b, f: spread(a, b, f) / 2), abs=1e-4)
    assert bounds(result, "q95") == pytest.approx(extremes(lambda a, b, f: mean(a, b, f) + quantile * spread(a, b, f)), abs=1e-2)


@pytest.mark.parametrize("shape", ["ellipsoid", "box"])
def test_bounds_over_a_set_are_within_those_over_the_box(shape):
    time = np.linspace(0, 1, 5)
    sets = {"both": {"inputs": ["a", "b"], "correlation": [["a", "b", -0.6]], "shape": shape}}

    def model(time, a, z, b):
        y = np.sin(a) * b + np.exp(0.2 * a * z)
        return {"y": y, "h": y[:, None] * (1 + time)}

    inner, outer = (drive(Mixed(degree=5, samples=200), one, model, time=time)[0] for one in (Space(BOX, sets=sets), Space(BOX)))
    for name in ("y", "h"):
        low, high = inner.statistics[name].values[:, 0], inner.statistics[name].values[:, 1]
        wide = outer.statistics[name].values
        slack = 1e-3 * (wide[:, 1] - wide[:, 0])  # of the search for quantiles; moments have none
        slack[:3] = 1e-9
        assert np.all(low >= wide[:, 0] - slack) and np.all(high <= wide[:, 1] + slack)
        assert np.all((high - low)[0] < 0.95 * (wide[0, 1] - wide[0, 0]))


def test_a_fuzzy_number_beside_a_set():
    space = Space(BOX | {"f": Fuzzy({"type": "triangular", "lower": -1, "mode": 0, "upper": 2})}, sets=SETS)
    result, _ = drive(Mixed(degree=2, samples=80, levels=[0, 0.5, 1]), space, scalar(lambda a, z, b, f: linear(a, z, b) + f))
    middle = SLOPE @ MIDDLE + 2
    cuts = np.array([[-1, 2], [-0.5, 1], [0, 0]])
    expected = middle + cuts + [-RADIUS, RADIUS]
    mean = result.statistics["y"].sel(statistic="mean").values
    assert mean == pytest.approx(expected, abs=1e-7)
    assert result.statistics["y"].sel(statistic="q95").values == pytest.approx(expected + norm.ppf(0.95), abs=5e-3)
    assert result.statistics["y"].dims == ("alpha", "statistic", "bound")


def test_dependent_random_inputs_beside_a_set():
    """Var(z + y) = 1/4 + 1 + 2 r/2 with the Pearson correlation r of normal variables of rank correlation 0.5."""
    space = Space(
        BOX | {"x": Random({"type": "normal", "mean": 0, "std": 1})},
        dependence={"rank_correlation": [["z", "x", 0.5]]},
        sets=SETS,
    )
    result, _ = drive(Mixed(degree=2, samples=80), space, scalar(lambda a, z, b, x: 3 * a - b + z + x))
    r = 2 * np.sin(np.pi / 12)
    assert bounds(result, "variance") == pytest.approx([1.25 + r] * 2, abs=1e-6)
    assert bounds(result, "mean") == pytest.approx(SLOPE @ MIDDLE + 1 + np.array([-RADIUS, RADIUS]), abs=1e-7)


def test_an_untrusted_output_has_the_range_of_the_runs_in_the_set():
    tried = []

    def model(time, a, z, b):
        tried.append((a, b))
        return {"y": np.where(z > 1.05, a, b)}

    result, _ = drive(Mixed(degree=2, samples=200, fallback_runs=0), ELLIPSOID, model)
    x = np.stack(tried[-1]) - MIDDLE[:, None]
    inside = np.einsum("in,ij,jn->n", x, np.linalg.inv(W), x) <= 1
    assert not result.trusted["y"] and result.attrs["runs_in_set"] == inside.sum() < 200
    assert result.inner["y"].values == pytest.approx(bounds(result, "mean"), abs=0)


def test_many_intervals_are_scanned_inside_the_set(monkeypatch):
    monkeypatch.setattr(imprecise_moments, "MOST_NODES", 5)
    result, _ = drive(Mixed(degree=2, samples=60, safety=0.0), ELLIPSOID, scalar(linear))
    low, high = bounds(result, "mean") - (SLOPE @ MIDDLE + 2)
    assert -RADIUS - 1e-9 < low < -0.999 * RADIUS and 0.999 * RADIUS < high < RADIUS + 1e-9
    assert result.attrs["exact_share"] == 0 and "width_of_box" not in result.attrs and "not verified" in result.facts.note
