"""AK-MCS against exact probabilities, and what it says where it did not get there."""

import numpy as np
import pytest
from scipy.stats import chi2, norm

from uqmbd.errors import StudyError
from uqmbd.inputs import Random
from uqmbd.methods.reliability.population import Population
from uqmbd.methods.reliability.settings import Reliability

from .reliability_models import FOUR, STANDARD, found, four_branches, linear


def branches(a, b):
    return -four_branches(np.column_stack([a, b]))


def test_shells_have_their_probabilities():
    population = Population(3, np.random.default_rng(0))
    while population.deepen():
        pass
    assert population.weights.sum() == pytest.approx(1, rel=1e-12)
    radius = np.linalg.norm(population.points, axis=1)
    for tail in (3e-2, 3e-7, 3e-13):
        outside = population.share(radius**2 > chi2.isf(tail, 3))
        assert abs(outside.value - tail) < 4 * outside.deviation and outside.cov < 0.05


def published(a, b):
    """With k = 6: Echard et al. 2011 publish 4.416e-3; 2e7 points gave 4.4572e-3."""
    return -np.min([3 + 0.1 * (a - b) ** 2 - np.abs(a + b) / np.sqrt(2), 6 / np.sqrt(2) - np.abs(a - b)], axis=0)


# By quadrature. FOUR, 2.22280e-3, has k = 7; 2e7 points gave 2.2196e-3.
SIX = 4.4573314906e-3


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3, 4])
@pytest.mark.parametrize(("function", "exact"), [(published, SIX), (branches, FOUR)], ids=["k=6", "k=7"])
def test_four_branches(function, exact, seed):
    statistics, result, count = found(STANDARD, function, above=0.0, approach="ak_mcs", seed=seed)
    assert statistics["probability"] == pytest.approx(exact, rel=0.03) and result.attrs["learning_converged"]
    assert count <= 150 and count == statistics["runs"]


@pytest.mark.parametrize("beta", [2.0, 5.0])
def test_planes(beta):
    statistics, result, count = found(STANDARD, linear, above=beta, approach="ak_mcs", cov=0.03)
    assert statistics["probability"] == pytest.approx(norm.sf(beta), rel=0.1) and count < 60
    assert statistics["probability_lower"] < norm.sf(beta) < statistics["probability_upper"] and statistics["cov"] <= 0.03
    assert not result.facts.notes


def test_a_ratio_of_lognormal_loads():
    inputs = {name: Random({"type": "lognormal", "mean": m, "std": s}) for name, m, s in (("a", 10, 2), ("b", 20, 3))}
    spreads = np.sqrt(np.log1p([(2 / 10) ** 2, (3 / 20) ** 2]))
    middles = np.log([10, 20]) - spreads**2 / 2
    exact = norm.sf((np.log(1.2) - middles[0] + middles[1]) / np.hypot(*spreads))
    statistics, _, count = found(inputs, lambda a, b: a / b, above=1.2, approach="ak_mcs", cov=0.03)
    assert statistics["probability"] == pytest.approx(exact, rel=0.1) and count < 80


def test_a_limit_that_is_not_reached():
    statistics, result, _ = found(STANDARD, linear, above=12.0, approach="ak_mcs")
    assert statistics["probability"] == statistics["probability_lower"] == 0 and np.isinf(statistics["cov"])
    assert 0 < statistics["probability_upper"] < 2e-3 and "no point" in result.facts.note


def test_too_few_runs_to_learn_from():
    statistics, result, count = found(STANDARD, branches, above=0.0, approach="ak_mcs", max_runs=30)
    assert count == 30 and not result.attrs["learning_converged"] and "did not converge" in result.facts.note
    assert statistics["probability_lower"] < FOUR < statistics["probability_upper"]


def test_failed_runs_count_as_safe_and_as_unsafe():
    """Runs fail beyond a = 2.5, and the limit is b = 2."""
    keys = {"above": 2.0, "approach": "ak_mcs", "cov": 0.05, "max_failed": 0.9, "fail": lambda samples: samples["a"] > 2.5}
    statistics, _, _ = found(STANDARD, lambda a, b: b + 0 * a, **keys)
    safe = norm.sf(2.0) * norm.cdf(2.5)
    assert statistics["probability_failed_safe"] == pytest.approx(safe, rel=0.1)
    assert statistics["probability_failed_unsafe"] >= statistics["probability_failed_safe"] + 0.3 * norm.sf(2.5)
    assert statistics["probability"] == statistics["probability_failed_unsafe"]


def test_a_constant_output_is_refused():
    with pytest.raises(StudyError, match="same value"):
        found(STANDARD, lambda a, b: 0 * a + 1, above=2.0, approach="ak_mcs")


def test_keys_of_others_are_refused():
    with pytest.raises(StudyError, match="ak_mcs has no key 'samples'"):
        Reliability(output="y:max", above=1.0, approach="ak_mcs", samples=1000)
