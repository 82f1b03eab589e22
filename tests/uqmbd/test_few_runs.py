"""Limits from a few runs: they hold what they say, or there are none, and the result says from how many runs on there are."""

import numpy as np
import pytest
from scipy.stats import norm

from uqmbd.analysis.imprecise.two_loop import statistic_limits
from uqmbd.analysis.statistics.moment_limits import LEAST, moment_limits
from uqmbd.analysis.statistics.order_statistics import quantiles
from uqmbd.inputs import Random
from uqmbd.methods import MonteCarlo, Sensitivity

from .loop import drive
from .sensitivity_models import pick
from .test_conformance_coverage import SQUARE, bilinear

Z = {"z": Random({"type": "normal", "mean": 0.0, "std": 1.0})}
SHAPES = {
    "normal": (norm.ppf, 0.0, 1.0),
    "uniform": (lambda u: u, 0.5, 12**-0.5),
    "exponential": (lambda u: -np.log(u), 1.0, 1.0),
    "two values": (lambda u: 1.0 * (u < 0.3), 0.3, np.sqrt(0.21)),
    "rare": (lambda u: 1.0 * (u < 0.05), 0.05, np.sqrt(0.05 * 0.95)),
}


def held(low, exact, high):
    return np.mean((low <= exact) & (exact <= high))


@pytest.mark.parametrize("n", [2, 3, 5, 9])
@pytest.mark.parametrize("shape", SHAPES)
def test_below_the_floor_nothing_is_claimed(shape, n):
    """Two runs have always two values: taken for all that there are, limits of the mean held in 45 %, of the deviation in 15 %."""
    function, mean, std = SHAPES[shape]
    x = function(np.random.default_rng(n).random((n, 500)))
    found = moment_limits(x.mean(axis=0), x.std(axis=0, ddof=1), x.min(axis=0), x.max(axis=0), n, x)
    assert held(found.mean_lower, mean, found.mean_upper) == 1.0 == held(found.std_lower, std, found.std_upper)
    assert not found.std_lower.any() and np.isinf(found.mean_upper).all()


@pytest.mark.parametrize("shape", ["normal", "uniform", "two values"])
def test_from_the_floor_on_limits_hold(shape):
    function, mean, std = SHAPES[shape]
    x = function(np.random.default_rng(1).random((LEAST, 2000)))
    found = moment_limits(x.mean(axis=0), x.std(axis=0, ddof=1), x.min(axis=0), x.max(axis=0), LEAST, x)
    assert held(found.mean_lower, mean, found.mean_upper) >= 0.94 and held(found.std_lower, std, found.std_upper) >= 0.94
    assert np.isfinite(found.mean_upper).all()


@pytest.mark.parametrize("n", [1, 2, 3, 8, 20])
def test_quantiles_hold_with_any_number_of_runs(n):
    x = norm.ppf(np.random.default_rng(n).random((n, 2000)))
    found = quantiles(x)
    for name, level in {"q05": 0.05, "q25": 0.25, "q50": 0.5, "q95": 0.95}.items():
        assert held(found[f"{name}_lower"], norm.ppf(level), found[f"{name}_upper"]) >= 0.94


@pytest.mark.parametrize("n", [1, 2, 9, 10])
def test_a_study_says_from_how_many_runs_on_there_are_limits(n):
    result, _ = drive(MonteCarlo(samples=n), Z, lambda time, z: {"y": z, "h": np.stack([z, 0 * z], axis=1)}, time=[0.0, 1.0])
    said = f"{n} run{'s are' if n > 1 else ' is'} too few for limits of mean and standard deviation, which need 10"
    assert (said in result.facts.note) == (n < 10)
    for name in ("y", "h"):
        lower, upper, std = (result.statistics[name].sel(statistic=word).values for word in ("mean_lower", "mean_upper", "std_upper"))
        assert np.isinf([lower, upper, std]).all() == (n < 10)


def test_failed_runs_do_not_count():
    result, _ = drive(MonteCarlo(samples=12, max_failed=0.9), Z, lambda time, z: {"y": z}, fail=lambda s: s["z"] > 0.0)
    assert result.attrs["runs_ok"] < 10 and "too few for limits" in result.facts.note
    assert np.isinf(result.statistics["y"].sel(statistic="mean_upper"))


@pytest.mark.parametrize("approach", ["sobol", "morris", "dgsm"])
@pytest.mark.parametrize("n", [4, 9, 16])
def test_indices_from_few_blocks_have_no_limits(approach, n):
    result, _ = drive(Sensitivity(approach=approach, samples=n), SQUARE, bilinear)
    kind = {"sobol": "total", "morris": "mu_star", "dgsm": "dgsm"}[approach]
    low, high = pick(result, f"{kind}_lower"), pick(result, f"{kind}_upper")
    assert np.isinf(low).all() == np.isinf(high).all() == (n < 10) == ("are too few for limits of the indices" in result.facts.note)
    assert np.isfinite(pick(result, kind)).all()


def test_blocks_that_are_lost_do_not_count():
    lost = {"fail": lambda s: s["a"] > 0.55, "batch": 50}
    result, _ = drive(Sensitivity(approach="sobol", samples=16, max_failed=0.9), SQUARE, bilinear, **lost)
    assert result.attrs["blocks"] - result.attrs["blocks_dropped"] < 10
    assert "are too few for limits of the indices, which need 10" in result.facts.note and np.isinf(pick(result, "first_upper")).all()


def test_an_outer_point_of_a_two_loop_with_few_runs():
    values = np.random.default_rng(0).random((6, 3))
    limits, _ = statistic_limits(values, np.ones(6, bool), [0.5])
    assert np.isinf(limits[0]).all() and not limits[1, 0].any() and np.isinf(limits[1:3, 1]).all()
