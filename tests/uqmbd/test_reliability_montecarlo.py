"""Probabilities by plain Monte Carlo against the binomial distribution: limits by inversion of its tails, and how often they hold."""

import numpy as np
import pytest
from scipy.stats import binom, norm

from uqmbd.analysis.reliability.sampling import counted
from uqmbd.errors import StudyError
from uqmbd.inputs import Random
from uqmbd.inputs.space import Space

from .reliability_models import STANDARD, found, linear


def margins(unsafe, failed, n):
    return np.repeat([-1.0, np.nan, 1.0], [unsafe, failed, n - unsafe - failed])


@pytest.mark.parametrize(("unsafe", "failed", "n"), [(1, 0, 10), (7, 0, 100), (7, 3, 100), (0, 2, 50), (99, 0, 100)])
def test_limits_leave_2_5_percent_on_either_side(unsafe, failed, n):
    """Failed runs are safe in the lower limit and unsafe in the upper one."""
    one = counted(margins(unsafe, failed, n), one_sided=True)
    assert (one.safe, one.unsafe) == (unsafe / n, (unsafe + failed) / n)
    assert one.lower == 0 if unsafe == 0 else binom.sf(unsafe - 1, n, one.lower) == pytest.approx(0.025)
    assert one.upper == 1 if unsafe == n else binom.cdf(unsafe + failed, n, one.upper) == pytest.approx(0.025)


@pytest.mark.parametrize("n", [1, 30, 3000])
def test_none_unsafe_is_a_one_sided_limit(n):
    """``(1 - p)^n = 0.05``, about 3/n: the rule of three; all unsafe is its mirror image."""
    none, every = counted(margins(0, 0, n), one_sided=True), counted(margins(n, 0, n), one_sided=True)
    assert (none.unsafe, none.lower) == (0.0, 0.0) and binom.pmf(0, n, none.upper) == pytest.approx(0.05)
    assert n == 1 or n * none.upper == pytest.approx(3.0, rel=0.05)
    assert every.upper == 1.0 and every.lower == pytest.approx(1 - none.upper)
    assert counted(margins(0, 0, n)).upper > none.upper  # as one limit of two


def test_a_study_has_the_share_of_its_runs():
    statistics, result, count = found(STANDARD, linear, above=1.0, approach="montecarlo", samples=4000, seed=3)
    assert count == 4000 == statistics["runs"] and result.attrs["confidence"] == 0.95
    assert statistics["probability_lower"] < norm.sf(1) < statistics["probability_upper"]
    assert statistics["cov"] == pytest.approx(np.sqrt((1 - statistics["probability"]) / (4000 * statistics["probability"])))
    assert statistics["beta"] == pytest.approx(-norm.ppf(statistics["probability"])) and not result.facts.notes
    history = result.convergence["y:max"]
    assert history["count"].values[-1] == 4000
    assert history.sel(count=4000, statistic="probability") == statistics["probability"]


def test_dependence_counts():
    """The sum of two normal variables with the correlation 0.6 has the variance 3.2."""
    space = Space(STANDARD, dependence={"rank_correlation": [["a", "b", 0.6]]})
    correlation = 2 * np.sin(np.pi * 0.6 / 6)
    statistics, _, _ = found(space, lambda a, b: a + b, above=2.0, approach="montecarlo", samples=8000, seed=1)
    assert statistics["probability_lower"] < norm.sf(2 / np.sqrt(2 + 2 * correlation)) < statistics["probability_upper"]


def test_what_was_not_seen_is_said():
    statistics, result, _ = found(STANDARD, linear, above=9.0, approach="montecarlo", samples=1000)
    assert (statistics["probability"], statistics["probability_lower"]) == (0.0, 0.0)
    assert statistics["probability_upper"] == pytest.approx(1 - 0.05 ** (1 / 1000))
    assert result.facts.note == "none of 1000 runs is unsafe: with 95 % confidence the probability is below 0.003, a one-sided limit"
    _, result, _ = found(STANDARD, linear, above=2.5, approach="montecarlo", samples=200)
    assert "are few for so rare an event" in result.facts.note


def test_outputs_of_a_few_values_and_few_runs():
    """What the other approaches refuse: no slope, ties, a handful of runs."""
    inputs = {"n": Random({"type": "binomial", "size": 4, "prob": 0.3})}
    statistics, _, _ = found(inputs, lambda n: np.round(n), above=2.5, approach="montecarlo", samples=2000)
    assert statistics["probability_lower"] < binom.sf(2, 4, 0.3) < statistics["probability_upper"]
    statistics, _, _ = found(inputs, lambda n: np.round(n), above=9.0, approach="montecarlo", samples=1)
    assert statistics["probability_upper"] == pytest.approx(0.95)


def test_failed_runs_are_never_safe_in_silence():
    def fail(samples):
        return linear(samples["a"], samples["b"]) > 2.0

    statistics, result, _ = found(STANDARD, linear, above=1.5, approach="montecarlo", samples=3000, fail=fail)
    assert statistics["probability_failed_safe"] < norm.sf(1.5) < statistics["probability_upper"]
    assert statistics["probability"] == statistics["probability_failed_unsafe"] > statistics["probability_failed_safe"]
    assert result.attrs["runs_failed"] > 10
    with pytest.raises(StudyError, match="runs failed, most of them where"):
        found(STANDARD, linear, above=1.5, approach="montecarlo", samples=3000, fail=lambda s: s["b"] > 1.0)


@pytest.mark.parametrize("p", [0.01, 0.2])
def test_limits_hold_in_95_percent_of_many_studies(p):
    """The exact share, summed over all numbers of unsafe runs: never less than 95 %, but where a one-sided limit stands for none unsafe."""
    n, share = 60, 0.0
    for k in range(n + 1):
        one = counted(margins(k, 0, n), one_sided=True)
        share += binom.pmf(k, n, p) * (one.lower <= p <= one.upper)
    assert share >= 0.95


# until a coefficient of variation -----------------------------------------------------------------------------------------------------
def until(seed=1, samples=100, above=1.0, **keys):
    return found(STANDARD, linear, above=above, approach="montecarlo", samples=samples, until=keys, seed=seed)


@pytest.mark.parametrize("cov", [0.1, "10 %"])
def test_ends_when_the_probability_is_known(cov):
    """A coefficient of 10 % takes about 100 (1 - P) unsafe runs: 530 of P = 0.1587."""
    statistics, result, count = until(cov=cov)
    assert statistics["cov"] <= 0.1 and 300 < count == statistics["runs"] < 1500
    assert statistics["probability_lower"] < norm.sf(1) < statistics["probability_upper"]
    assert result.attrs["looks"] >= 2 and result.attrs["confidence_at_last_look"] > 0.95 and not result.facts.notes


def test_limits_hold_at_the_look_that_ends_the_runs():
    """At 60 seeds they miss at 6 or fewer: 5 %, and two standard deviations of the count."""
    runs = [until(seed, 50, cov="20 %")[0] for seed in range(60)]
    assert sum(not one["probability_lower"] <= norm.sf(1) <= one["probability_upper"] for one in runs) <= 6


def test_runs_are_those_of_a_study_of_so_many_samples():
    statistics, _, count = until(cov="10 %")
    plain, _, _ = found(STANDARD, linear, above=1.0, approach="montecarlo", samples=count)
    assert statistics["probability"] == plain["probability"] and statistics["probability_lower"] < plain["probability_lower"]


def test_a_coefficient_that_is_not_reached_is_said():
    _, result, count = until(cov="1 %", most=400)
    assert count == 400 and "not reached with most = 400 runs: it is 0.1" in result.attrs["warnings"][0]
    statistics, result, count = until(above=9.0, cov="10 %", most=300)
    assert count == 300 and statistics["probability"] == 0 and "no run is safely unsafe" in result.attrs["warnings"][-1]


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"cov": 0.0}, "above zero"),
        ({"cov": "1 mm"}, "has no unit"),
        ({"cov": 0.1, "most": 10}, "most is below the 100 samples"),
        ({"share": 0.1}, "no key"),
    ],
)
def test_bad_settings_of_until_are_said(keys, words):
    with pytest.raises(StudyError, match=words):
        until(**keys)
