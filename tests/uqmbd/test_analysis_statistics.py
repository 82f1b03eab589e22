"""Running moments and order statistics against exact values."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from uqmbd.analysis.statistics import moment_limits, moments, order_statistics, trust


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.lists(st.integers(1, 199), max_size=6), st.sampled_from([0.0, 1.0, 1e3]))
def test_moments_do_not_depend_on_the_batches(seed, cuts, offset):
    x = offset + np.random.default_rng(seed).standard_normal((200, 7))
    whole = moments.of(x)
    parts = [moments.of(part) for part in np.split(x, sorted(cuts)) if len(part)]
    merged = moments.empty(7)
    for part in parts:
        merged = moments.merge(merged, part)
    assert np.array_equal(moments.mean(merged, 200), moments.mean(whole, 200))
    assert np.array_equal(moments.std(merged, 200), moments.std(whole, 200))
    assert np.array_equal(merged[moments.MINIMUM], x.min(axis=0)) and np.array_equal(merged[moments.MAXIMUM], x.max(axis=0))
    assert moments.mean(whole, 200) == pytest.approx(x.mean(axis=0), rel=1e-13)
    assert moments.std(whole, 200) == pytest.approx(x.std(axis=0, ddof=1), rel=1e-11)


def test_moments_keep_their_digits_on_a_large_mean():
    """NIST's NumAcc4: mean 10000000.2, standard deviation 0.1 exactly."""
    x = np.array([10000000.2] + [10000000.1, 10000000.3] * 500)[:, None]
    state = moments.of(x)
    assert moments.mean(state, 1001)[0] == pytest.approx(10000000.2, rel=3e-16)
    assert moments.std(state, 1001)[0] == pytest.approx(0.1, rel=1e-8)  # the data themselves are rounded to 2e-9
    assert moments.std(moments.of(np.full((9, 1), 0.1)), 9)[0] < 1e-17
    assert np.isnan(moments.std(moments.of(x[:1]), 1)[0])


@pytest.mark.parametrize("n", [5, 40, 500])
def test_order_statistics_cover(n):
    """95 % limits hold the true quantile in at least 95 % of samples, up to the noise of 4,000 of them."""
    x = np.random.default_rng(n).standard_normal((n, 4000))
    found = order_statistics.quantiles(x)
    for level in order_statistics.LEVELS:
        name = order_statistics.level_name(level)
        covered = (found[name + "_lower"] <= norm.ppf(level)) & (norm.ppf(level) <= found[name + "_upper"])
        assert covered.mean() >= 0.95 - 0.011
        assert found[name] == pytest.approx(np.quantile(x, level, axis=0), abs=1e-12)
    assert np.isneginf(found["q05_lower"]).all() == (n < 72)


def test_mean_limits():
    x = np.random.default_rng(3).standard_normal((12, 4000))
    low, high = moment_limits.mean_limits(x.mean(axis=0), x.std(axis=0, ddof=1), 12)
    assert np.mean((low <= 0) & (high >= 0)) == pytest.approx(0.95, abs=0.011)
    assert np.isinf(moment_limits.mean_limits(np.zeros(1), np.zeros(1), 1)).all()


def test_trust():
    time = np.linspace(0, 1, 401)
    error = np.where((time > 0.3) & (time < 0.4), 0.1, 1e-6)
    ends = np.stack([-np.ones(401), np.ones(401)])
    wide, held = trust.assessed(error, [slice(0, 401)], ends, 1e-3, 0.05)
    assert wide[np.searchsorted(time, 0.3) - 1] == 0.1 and wide[0] == 1e-6
    assert held[0] and not held[150] and trust.horizon(held, time) == np.inf
    assert trust.horizon(time < 0.3, time) == pytest.approx(0.3)
    assert trust.horizon(np.zeros(401, bool), time) == 0.0
    assert trust.assessed(np.array([1e-15]), [slice(0, 1)], np.array([[2.0], [2.0]]), 1e-3, 0.05)[1].all()


def test_an_error_is_held_against_the_band_at_its_own_time():
    """A band from ±1 to ±1e-4: an error of 1e-4 is a thousandth of the range, and as large as the last band."""
    half = np.array([1.0, 0.1, 1e-3, 1e-4, 0.0])
    ends, error = np.stack([-half, half]), np.array([1e-4, 1e-4, 1e-4, 1e-4, 0.0])
    assert trust.assessed(error, [slice(0, 5)], ends, 1e-3, 0.05)[1].tolist() == [True, True, True, False, True]
    assert trust.assessed(error, [slice(0, 5)], ends, 1e-5, 0.05)[1].tolist() == [False, False, False, False, True]
    assert trust.assessed(error, [slice(0, 5)], ends, 1e-3, 0.05, scale=half / 10)[1].tolist() == [True, True, False, False, True]
