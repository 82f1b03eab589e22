"""Probabilities, quantiles and standard deviations by levels: of a lognormal price and of an exponential, whose values are known."""

import re

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.stats import norm

import uqmbd as uq
from uqmbd.analysis.statistics.smoothed_shares import rise
from uqmbd.analysis.statistics.telescoped_shares import SortedPairs, inverted
from uqmbd.errors import StudyError

from .loop import drive
from .test_methods_multilevel import EXACT, NORMALS, RATE, STEPS, by_level, decay, limits, method

PRICE = {  # geometric Brownian motion, S = 100, r = 0.05, s = 0.2, T = 1: ln S(T) is normal with mean ln 100 + 0.03 and deviation 0.2
    "std": 100 * np.exp(0.05) * np.sqrt(np.exp(0.04) - 1),
    "q05": 100 * np.exp(0.03 + 0.2 * norm.ppf(0.05)),
    "q50": 100 * np.exp(0.03),
}
ABOVE = norm.cdf(0.15)  # P(S(T) > 100)
STD = np.sqrt((np.exp(-1.0) - np.exp(-3.0)) / 2 - EXACT**2)  # of exp(-rate)


@by_level
def price(time, steps=1, **w):
    """By Euler's method with `steps` steps."""
    noise = np.stack([w[name] for name in NORMALS], axis=-1)
    value = 100.0
    for d in (noise.reshape(len(noise), steps, -1).sum(axis=-1) / np.sqrt(STEPS)).T:
        value = value * (1 + 0.05 / steps + 0.2 * d)
    return {"price": value}


def priced(error, **more):
    levels = [2, 4, 8, 16]
    given_ = {
        "control": "steps",
        "levels": levels,
        "error": error,
        "pilot": 1000,
        "costs": levels,
        "most": 500_000,
        "quantiles": [0.05, 0.5],
    } | more
    return drive(uq.Multilevel(**given_, beyond={"price": "> 100"}), NORMALS, price, batch=50_000)


def test_probability_of_the_price():
    result, runs = priced({"probability": 0.02})
    p, low, high = result["beyond"]["price"].values
    assert low <= ABOVE <= high and (high - low) / 2 <= 0.02 and low < p < high and runs < 100_000
    assert bool(result["trusted"]["price"]) and result["trusted"]["price"].attrs["statistic"] == "probability"


@pytest.mark.parametrize(("error", "names", "half"), [({"quantile": "2 %"}, ["q05", "q50"], 2.1), ({"std": "5 %"}, ["std"], 1.1)])
def test_quantiles_and_deviation_of_the_price(error, names, half):
    result, _ = priced(error)
    for name in names:
        low, high = limits(result, "price", name)
        assert low <= PRICE[name] <= high and (high - low) / 2 <= half
    assert bool(result["trusted"]["price"]) and result.attrs["notes"] == []


def test_several_errors_at_once_are_all_reached():
    result, _ = priced({"mean": "1 %", "probability": "5 %"})
    low, high = limits(result, "price")
    p, least, most = result["beyond"]["price"].values
    assert low <= 100 * np.exp(0.05) <= high and (high - low) / 2 <= 1.06
    assert least <= ABOVE <= most and (most - least) / 2 <= 0.05 * p * (1 + 1e-9)


CASES = {  # of exp(-rate): probability to be below 0.3, quantiles of 20 % and 50 %
    "probability": (0.08, {"beyond": {"x": "< 0.3"}}, 1.5 + np.log(0.3)),
    "quantile": (0.04, {"quantiles": [0.2]}, np.exp(-1.3)),
    "std": ("12 %", {}, STD),
}


@pytest.mark.slow
@pytest.mark.parametrize("what", CASES)
def test_limits_hold_over_seeds(what):
    """At 20 seeds the limits hold the exact number in 17 or more: 95 % less two standard deviations of the count."""
    error, more, exact = CASES[what]
    held = 0
    for seed in range(20):
        result, _ = drive(method([4, 8, 16, 32, 64], error={what: error}, **more), RATE, decay, seed=seed, batch=10**5)
        ends = result["beyond"]["x"].values[1:] if what == "probability" else limits(result, "x", "std" if what == "std" else "q20")
        held += bool(ends[0] <= exact <= ends[1]) and bool(result["trusted"]["x"])
    assert held >= 17


def test_probabilities_of_an_output_that_jumps():
    """Half of the runs are 1, the others 0: above 0.5 as many as above 0, at most 1 none is beyond."""

    def model(time, rate, steps=4):
        return {"x": (rate > 1.0).astype(float), "y": (rate > 1.0).astype(float)}

    result, _ = drive(method([4, 8, 16], error={"probability": 0.05}, beyond={"x": "> 0", "y": "> 1"}), RATE, model)
    (_, low, high), (p, least, most) = result["beyond"]["x"].values, result["beyond"]["y"].values
    assert low <= 0.5 <= high and p == least == 0.0 < most < 0.1


def test_outputs_that_nothing_is_asked_of_have_no_trust():
    result, _ = drive(method([4, 8, 16], error={"probability": 0.1}, beyond={"y": "> 1"}), RATE, lambda time, rate: {"x": rate, "y": rate})
    assert set(result["trusted"].data_vars) == {"y"} and set(result.statistics.data_vars) == {"x", "y"}


def test_quantiles_of_histories_are_those_of_each_time():
    """At t = 0 all runs are 0; then the limits hold the quantiles of rate t, and are those of a number at that time."""
    time = np.linspace(0.0, 1.0, 5)

    def model(time, rate, steps=4):
        return {"x": rate * (1 + 0.1 / steps), "h": (rate * (1 + 0.1 / steps))[:, None] * time}

    result, _ = drive(method([8, 16, 32], error="5 %", quantiles=[0.25, 0.5]), RATE, model, time=time)
    for name, exact in (("q25", 0.75), ("q50", 1.0)):
        h, low, high = (result.statistics["h"].sel(statistic=f"{name}{end}").values for end in ("", "_lower", "_upper"))
        assert np.all((low <= exact * time) & (exact * time <= high)) and abs(h[0]) + abs(high[0]) + abs(low[0]) < 1e-300
        assert [h[-1], low[-1], high[-1]] == [
            float(result.statistics["x"].sel(statistic=f"{name}{end}")) for end in ("", "_lower", "_upper")
        ]


def test_probabilities_that_do_not_come_closer_are_said():
    """A quarter, half and three quarters of the runs are beyond the limit: the next level says anything."""

    def model(time, rate, steps=4):
        return {"x": rate - 0.5 < 0.25 * np.log2(np.asarray(steps)) - 0.25}

    result, _ = drive(method([4, 8, 16], error={"probability": 0.05}, beyond={"x": "> 0.5"}, most=4000), RATE, model)
    assert re.search(r"(not|slowly).*P\(x > 0.5\)", result.attrs["warnings"][0]) and not bool(result["trusted"]["x"])


def test_smoothed_indicators_need_fewer_fine_runs():
    """Of the price variances fall with the order 1 about, not 1/2, at less than 0.6 of the cost; and the limits hold the probability."""
    cost = {}
    for smooth in (False, True):
        result, _ = priced({"probability": 0.01}, pilot=200, quantiles=None, smooth=smooth)
        _, low, high = result["beyond"]["price"].values
        assert low <= ABOVE <= high and (high - low) / 2 <= 0.01 and bool(result["trusted"]["price"])
        cost[smooth] = np.dot(result.attrs["level_pairs"], result.attrs["level_cost"])
    assert result.attrs["level_rates"]["P(price > 100)"]["beta"] > 0.7 and cost[True] < 0.6 * cost[False]


@pytest.mark.slow
def test_limits_of_smoothed_probabilities_hold_over_seeds():
    """At 8 seeds 7 or more: 95 % less two standard deviations of the count."""
    held = 0
    for seed in range(8):
        more = {"error": {"probability": 0.08}, "beyond": {"x": "< 0.3"}, "smooth": True}
        result, _ = drive(method([4, 8, 16, 32, 64], **more), RATE, decay, seed=seed, batch=10**5)
        _, low, high = result["beyond"]["x"].values
        held += bool(low <= 1.5 + np.log(0.3) <= high) and result.attrs["level_smoothing"]["P(x < 0.3)"] > 0
    assert held >= 7


def test_what_jumps_at_its_limit_is_not_smoothed():
    """Half of the runs are at the limit itself: no width is narrow enough, nothing changes, and that is said."""

    def model(time, rate, steps=4.0):
        return {"x": np.maximum(rate, 1.0) + 0.01 / steps * (rate > 1.0)}

    asked = {"error": {"probability": 0.05}, "beyond": {"x": "> 1"}}
    plain, smooth = (drive(method([4, 8, 16], **asked, smooth=on), RATE, model)[0] for on in (False, True))
    assert smooth["beyond"].equals(plain["beyond"]) and smooth.attrs["level_smoothing"] == {"P(x > 1)": 0.0}
    assert "indicators of P(x > 1) are not smoothed" in smooth.attrs["notes"][0]


def test_a_smoothed_share_is_off_by_the_third_derivative_of_the_density():
    """Of a standard normal number at 1, width 0.5: w^4 / 504 times the third derivative, 3 x - x^3 of the density's size, by quadrature."""
    x = np.linspace(-8.0, 8.0, 200_001)
    share = np.trapezoid(rise((1.0 - x) / 0.5) * norm.pdf(x), x)
    assert norm.cdf(1.0) - share == pytest.approx(0.5**4 / 504 * 2.0 * norm.pdf(1.0), rel=0.1)
    assert rise(np.array([-2.0, -1.0, 0.0, 1.0, 2.0])).tolist() == pytest.approx([0.0, 0.0, 0.5, 1.0, 1.0])


@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=50)
@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=2, max_size=30), st.integers(-6, 6))
def test_shares_are_means_of_indicators(pairs, place):
    fine, coarse = np.array(pairs, float).T
    means, variances, _ = SortedPairs.of([(coarse, None), (fine, coarse)]).shares(np.array([float(place)]))
    difference = (fine <= place).astype(float) - (coarse <= place)
    assert means[:, 0] == pytest.approx([(coarse <= place).mean(), difference.mean()])
    assert variances[1, 0] >= difference.var() and variances[0, 0] > 0


def test_the_quantile_of_equal_levels_is_that_of_the_first():
    """Limits of the median of 0, 1 ... 999: ranks 500 ± 31, 1.96 binomial deviations, and little more for a second level that is equal."""
    values = np.arange(1000.0)
    found = inverted(SortedPairs.of([(values, None), (values, values)]), 0.5, np.log([1.0, 1e9]), np.ones(2))
    assert found.value == 499.0 and found.lower == pytest.approx(468, abs=4) and found.upper == pytest.approx(530, abs=4)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"error": {}}, "nothing is asked for"),
        ({"error": {"mean": 0.0}}, "above zero"),
        ({"error": {"quantile": "1 %"}}, "quantiles say of which"),
        ({"error": {"probability": "1 %"}}, "beyond say of which"),
        ({"error": {"probability": "1 mm"}, "beyond": {"x": "> 1"}}, "has no unit"),
        ({"error": {"meen": 1.0}}, "no key"),
        ({"beyond": {"z": "> 1"}}, "no output 'z'"),
        ({"smooth": True}, "no probability is there to be smoothed"),
    ],
)
def test_bad_settings_are_said(wrong, words):
    with pytest.raises(StudyError, match=words):
        drive(method(**{"levels": [4, 8, 16], **wrong}), RATE, decay)


def test_rates_of_fine_levels_are_those_of_theory():
    """Euler's method for dS = S/2 dt + 2S/5 dW, 8 to 128 steps: means and variances fall with the order 1 (Giles 2015)."""

    @by_level
    def model(time, steps=1, **w):
        noise, value = np.stack(list(w.values()), axis=-1), 1.0
        for d in (noise.reshape(len(noise), steps, -1).sum(axis=-1) / np.sqrt(128)).T:
            value = value * (1 + 0.5 / steps + 0.4 * d)
        return {"value": value}

    levels = [8, 16, 32, 64, 128]
    asked = uq.Multilevel(control="steps", levels=levels, error=1e-4, pilot=2000, most=18_000, costs=levels)
    result, _ = drive(asked, {f"w{k}": uq.Normal(0.0, 1.0) for k in range(128)}, model, batch=20_000)
    found, (low, high) = result.attrs["level_rates"]["value"], limits(result, "value")
    assert result.attrs["level_pairs"] == [2000] * 5 and low <= np.exp(0.5) <= high
    assert (found["alpha"], found["beta"], found["gamma"]) == pytest.approx((1.0, 1.0, 1.0), abs=0.15)
