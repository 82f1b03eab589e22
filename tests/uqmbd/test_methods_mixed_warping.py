"""Mixed studies on a warped time line, against integrals of exact solutions."""

import numpy as np
import pytest

from uqmbd.inputs import Fuzzy, Interval, Random
from uqmbd.methods import Mixed

from .loop import drive
from .test_analysis_time_warping import TURN

SLOW, FAST = 0.95, 1.05
FREQUENCY = Random({"type": "uniform", "lower": SLOW, "upper": FAST})
TIME = np.linspace(0, 40, 601)


def oscillator(time, f, a):
    return {"x": a[:, None] * np.cos(TURN * f[:, None] * time), "peak": a}


def mean_and_square(time):
    """Means of cos(2π f t) and of its square over the frequencies."""

    def mean(t):
        phase = TURN * np.maximum(t, 1e-12)
        return (np.sin(phase * FAST) - np.sin(phase * SLOW)) / (phase * (FAST - SLOW))

    return mean(time), (1 + mean(2 * time)) / 2


@pytest.fixture(scope="module")
def result():
    inputs = {"f": FREQUENCY, "a": Interval(1.0, 2.0)}
    return drive(Mixed(samples=100, warp="linear", fallback_runs=0), inputs, oscillator, time=TIME)[0]


def bounds(result, name, output="x"):
    return result.statistics[output].sel(statistic=name).values


def test_the_plain_expansion_does_not_follow_and_the_warped_one_does(result):
    facts = result.attrs["warped"]["x"]
    assert facts["plain_error"] > 0.1 and facts["error"] < 1e-3
    assert bool(result.trusted["x"].all())


def test_mean_is_between_those_of_the_ends(result):
    exact = mean_and_square(TIME)[0]
    ends = np.sort(np.stack([exact, 2 * exact]), axis=0)
    np.testing.assert_allclose(bounds(result, "mean"), ends, atol=5e-3)


def test_standard_deviation_is_between_those_of_the_ends(result):
    mean, square = mean_and_square(TIME)
    exact = np.sqrt(np.maximum(square - mean**2, 0.0))
    np.testing.assert_allclose(bounds(result, "std"), [exact, 2 * exact], atol=8e-3)


def test_quantiles_are_between_those_of_the_ends(result):
    f = SLOW + (FAST - SLOW) * (np.arange(20_000) + 0.5) / 20_000
    exact = np.quantile(np.cos(TURN * f[:, None] * TIME), 0.95, axis=0)
    ends = np.sort(np.stack([exact, 2 * exact]), axis=0)
    np.testing.assert_allclose(bounds(result, "q95"), ends, atol=0.02)


def test_scalars_keep_their_expansion(result):
    np.testing.assert_allclose(bounds(result, "mean", "peak"), [1.0, 2.0], atol=1e-9)


def test_what_is_searched_for_is_said(result):
    assert result.attrs["moments_verified"] is False
    assert "warped histories are searched for" in result.facts.note


def test_bounds_of_memberships_lie_in_each_other():
    inputs = {"f": FREQUENCY, "a": Fuzzy({"type": "triangular", "lower": 1.0, "mode": 1.5, "upper": 2.0})}
    found = drive(Mixed(samples=100, warp="linear", fallback_runs=0, levels=3), inputs, oscillator, time=TIME)[0]
    statistics = found.statistics["x"]
    lower, upper = (statistics.sel(bound=which).values for which in ("lower", "upper"))
    assert np.all(np.diff(lower, axis=0) >= 0) and np.all(np.diff(upper, axis=0) <= 0)
    exact = mean_and_square(TIME)[0]
    peak = statistics.sel(alpha=1.0, statistic="mean").values
    np.testing.assert_allclose(peak, [1.5 * exact, 1.5 * exact], atol=5e-3)


def test_nothing_is_said_of_times_from_which_runs_differ_in_their_events():
    """A bounce more or less: the bounds of the statistics are then those of the runs."""

    def pulses(time, f, a):
        return {"x": a[:, None] * np.abs(np.cos(TURN * f[:, None] * time))}

    inputs = {"f": Random({"type": "uniform", "lower": 0.9, "upper": 1.1}), "a": Interval(1.0, 2.0)}
    time = np.linspace(0, 6, 301)
    found = drive(Mixed(samples=80, warp="kinks", fallback_runs=0), inputs, pulses, time=time)[0]
    start = found.attrs["events_differ_from"]["x"]
    assert 0 < start < 6 and "differ in their number of events" in found.facts.note
    late = time >= start
    reached = found.inner["x"].values[:, late]
    np.testing.assert_allclose(found.statistics["x"].sel(statistic="mean").values[:, late], reached)
