"""Random and interval inputs together, against bounds known in closed form."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from uqmbd.analysis.imprecise import moments as imprecise_moments
from uqmbd.analysis.statistics.order_statistics import LEVELS
from uqmbd.errors import StudyError
from uqmbd.inputs import Interval, Random
from uqmbd.inputs.space import Space
from uqmbd.methods import read_method
from uqmbd.methods.imprecise.mixed import Mixed

from .loop import drive


def normal(mean, std):
    return Random({"type": "normal", "mean": mean, "std": std})


GERM = {"z": normal(0, 2), "m": Interval(1, 3)}


def scalar(function):
    return lambda time, **samples: {"y": function(**samples)}


def bounds(result, statistic, name="y"):
    return result.statistics[name].sel(statistic=statistic).values


def test_probability_box_of_a_normal_variable():
    """N(m, 2), m in [1, 3]: Φ((x - 3)/2) and Φ((x - 1)/2) (REFERENCES, section 6)."""
    result, count = drive(Mixed(degree=2, samples=40), GERM, scalar(lambda z, m: m + z))
    table = result.cdf["y"]
    value, lower, upper = table.values.T
    assert count == 40 and table.dims == ("level", "column") and len(table) == 201
    assert np.abs(lower - norm.cdf((value - 3) / 2)).max() < 5e-4 < result.attrs["cdf_sampling_error"] < 0.02
    assert np.abs(upper - norm.cdf((value - 1) / 2)).max() < 5e-4
    assert bounds(result, "mean") == pytest.approx([1, 3], abs=1e-9)
    assert bounds(result, "std") == pytest.approx([2, 2], abs=1e-9)
    for level in LEVELS:
        exact = [m + 2 * norm.ppf(level) for m in (1, 3)]
        assert bounds(result, f"q{round(100 * level):02d}") == pytest.approx(exact, abs=1e-3)
    assert result.attrs["moments_verified"] is True and result.attrs["quantiles_verified"] is False


def test_moments_of_linear_and_product_functions():
    """``2 + 3m + s z`` with s in [1, 2], and ``m s z``."""
    inputs = {"z": normal(1, 0.5), "m": Interval(-1, 2), "s": Interval(1, 2)}
    result, _ = drive(Mixed(degree=3, samples=80), inputs, lambda time, z, m, s: {"linear": 2 + 3 * m + s * z, "product": m * s * z})
    assert bounds(result, "mean", "linear") == pytest.approx([2 - 3 + 1, 2 + 6 + 2], abs=1e-7)
    assert bounds(result, "std", "linear") == pytest.approx([0.5, 1], abs=1e-7)
    assert bounds(result, "variance", "linear") == pytest.approx([0.25, 1], abs=1e-7)
    assert bounds(result, "mean", "product") == pytest.approx([-2, 4], abs=1e-7)
    assert bounds(result, "variance", "product") == pytest.approx([0, 4], abs=1e-6)  # m = 0 is inside


def test_extremes_inside_the_box():
    """Mean and quantiles of ``-(m - 0.3)² + z`` are greatest at m = 0.3; the deviation of ``(m - 0.3)² z`` is least there."""
    inputs = {"z": normal(0, 1), "m": Interval(-1, 1)}
    result, _ = drive(Mixed(degree=3, samples=60), inputs, lambda time, z, m: {"y": z - (m - 0.3) ** 2, "v": (m - 0.3) ** 2 * z})
    assert bounds(result, "mean") == pytest.approx([-1.69, 0], abs=1e-7)
    for level in LEVELS:
        assert bounds(result, f"q{round(100 * level):02d}") == pytest.approx(norm.ppf(level) + np.array([-1.69, 0]), abs=2e-3)
    assert bounds(result, "std", "v") == pytest.approx([0, 1.69], abs=1e-4)  # the root of a gap in the variance
    assert bounds(result, "q95", "v") == pytest.approx([0, 1.69 * norm.ppf(0.95)], abs=2e-3)


def test_histories_have_bands():
    time = np.linspace(0, 2, 41)
    inputs = {"z": normal(1, 0.1), "k": Interval(0.8, 1.2)}
    result, _ = drive(Mixed(degree=6, samples=80), inputs, lambda time, z, k: {"y": z[:, None] * np.exp(-k[:, None] * time)}, time=time)
    decay = np.exp(-np.outer([1.2, 0.8], time))
    assert result.trusted["y"].all() and result.statistics["y"].dims == ("statistic", "bound", "time") and "y" not in result.cdf
    assert bounds(result, "mean") == pytest.approx(decay, abs=1e-5)
    assert bounds(result, "std") == pytest.approx(0.1 * decay, abs=1e-5)
    assert bounds(result, "q05") == pytest.approx((1 + 0.1 * norm.ppf(0.05)) * decay, abs=2e-4)
    assert bounds(result, "q95") == pytest.approx((1 + 0.1 * norm.ppf(0.95)) * decay, abs=2e-4)


def test_dependent_random_inputs():
    """Var(a + b + k b) = 1 + (1 + k)² + 2 r (1 + k), with the Pearson correlation r of normal variables of rank correlation 0.5."""
    space = Space(
        {"a": normal(0, 1), "b": normal(0, 1), "k": Interval(-1, 1)},
        dependence={"rank_correlation": [["a", "b", 0.5]]},
    )
    r = 2 * np.sin(np.pi / 12)
    result, _ = drive(Mixed(degree=2, samples=60, germs=2**15), space, scalar(lambda a, b, k: a + b + k * b + k))
    assert bounds(result, "mean") == pytest.approx([-1, 1], abs=1e-7)
    assert bounds(result, "variance") == pytest.approx([1, 5 + 4 * r], abs=1e-7)
    assert bounds(result, "q95") == pytest.approx([-1 + norm.ppf(0.95), 1 + norm.ppf(0.95) * np.sqrt(5 + 4 * r)], abs=5e-3)


@settings(max_examples=12, deadline=None)
@given(st.floats(-1, 0), st.floats(0.1, 0.9), st.floats(-2, 2))
def test_a_narrower_interval_gives_narrower_bounds(lower, share, bend):
    inputs = {"z": normal(0, 1), "m": Interval(lower, 1)}
    narrow = inputs | {"m": Interval(lower + 0.3 * (1 - share), 1 - 0.4 * (1 - share))}
    model = scalar(lambda z, m: (1 + 0.3 * m) * z + m + bend * m**2)
    outer, inner = (drive(Mixed(degree=3, samples=60, germs=512), one, model)[0] for one in (inputs, narrow))
    for statistic in ("mean", "std", "q05", "q50", "q95"):
        (wide_low, wide_high), (low, high) = bounds(outer, statistic), bounds(inner, statistic)
        slack = 1e-3 * (wide_high - wide_low) + 1e-9
        assert wide_low <= low + slack and high <= wide_high + slack
    value = inner.cdf["y"].values[:, 0]
    boxes = [[np.interp(value, *one.cdf["y"].values[:, [0, k]].T, left=0, right=1) for k in (1, 2)] for one in (outer, inner)]
    coarse = 0.02  # both tables are steps at their own values
    assert np.all(boxes[0][0] <= boxes[1][0] + coarse) and np.all(boxes[0][1] >= boxes[1][1] - coarse)


def test_permuting_inputs_and_scaling_the_output():
    model = scalar(lambda z, m: m * np.exp(0.2 * z))
    one, _ = drive(Mixed(degree=4, design="quadrature"), GERM, model)
    other, _ = drive(Mixed(degree=4, design="quadrature"), dict(reversed(GERM.items())), scalar(lambda z, m: 10 * m * np.exp(0.2 * z)))
    for statistic in ("mean", "std", "q05", "q95"):
        # both are widened by the error at random runs, which differ
        error = 2 * (float(one.error["y"]) + float(other.error["y"]) / 10)
        assert bounds(other, statistic) / 10 == pytest.approx(bounds(one, statistic), abs=error + 1e-9)


def test_the_bounds_are_widened_by_the_validated_error():
    model = scalar(lambda z, m: m + z + 0.02 * np.sin(5 * m))
    results = [drive(Mixed(degree=2, samples=60, safety=safety), GERM, model)[0] for safety in (0.0, 2.0)]
    error = float(results[0].error["y"])
    assert error > 1e-3 and results[0].trusted["y"]
    assert bounds(results[1], "mean") - bounds(results[0], "mean") == pytest.approx([-2 * error, 2 * error], abs=1e-9)
    assert np.all(results[1].cdf["y"].values[1:-1, 1] <= results[0].cdf["y"].values[1:-1, 1])


def test_an_untrusted_output_says_only_what_runs_reached():
    result, _ = drive(Mixed(degree=2, samples=60, fallback_runs=0), GERM, scalar(lambda z, m: np.where(z > 0.1, 1.0, 0.0)))
    assert not result.trusted["y"] and "not trusted" in result.facts.note
    assert bounds(result, "mean").tolist() == [0, 1] == bounds(result, "q50").tolist() and bounds(result, "std").tolist() == [0, 0.5]
    assert result.cdf["y"].values[100].tolist() == [0.5, 0, 1]


def test_many_intervals_are_scanned_and_say_so(monkeypatch):
    monkeypatch.setattr(imprecise_moments, "MOST_NODES", 5)
    inputs = GERM | {"k": Interval(0, 1)}
    result, _ = drive(Mixed(degree=2, samples=60), inputs, scalar(lambda z, m, k: m + k + z))
    assert result.attrs["moments_verified"] is False
    assert bounds(result, "mean") == pytest.approx([1, 4], abs=1e-9)


def test_batches_do_not_change_the_result():
    one, other = (drive(Mixed(degree=3, samples=50), GERM, scalar(lambda z, m: np.sin(m) + z), batch=batch)[0] for batch in (50, 7))
    for (_, a), (_, b) in zip(one.groups(), other.groups()):
        assert a.identical(b)


@pytest.mark.parametrize("failed", [1, 2])  # of 100: one run, and as many as 2 %
def test_a_few_failed_runs_are_left_out(failed):
    model = scalar(lambda z, m: m * np.exp(0.1 * z))
    whole, _ = drive(Mixed(degree=4, samples=100), GERM, model)
    order = []

    def fail(samples):
        order.extend(np.sort(samples["z"])[20 : 20 + failed])
        return np.isin(samples["z"], order)

    result, _ = drive(Mixed(degree=4, samples=100), GERM, model, fail=fail)
    assert result.attrs["runs_failed"] == failed and "left out of the fit" in result.facts.note
    assert result.statistics["y"].values == pytest.approx(whole.statistics["y"].values, rel=2e-3)


def test_twenty_percent_are_too_many():
    with pytest.raises(StudyError, match=r"runs failed, most of them where m > 2\.[56]"):
        drive(Mixed(degree=3, samples=100), GERM, scalar(lambda z, m: m + z), fail=lambda s: s["m"] > 2.6)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Mixed(degree=2, samples=50).check({"a": Interval(0, 1)}), "needs a random input"),
        (lambda: Mixed(degree=2, samples=50).check({"a": normal(0, 1)}), "needs an interval or a fuzzy number"),
        (lambda: Mixed(degree=2, samples=50, germs=1000), "such as 1024, not 1000"),
        (lambda: Mixed(degree=2, samples=50, safety=-1), "greater than or equal to 0"),
        (lambda: Mixed(degree=2), "the key 'samples' is missing"),
        (lambda: Mixed(degree=2, samples=12).check(GERM), "too few to fit 2 inputs"),
        (lambda: read_method({"type": "mixed", "samples": 50, "germ": 3}), 'did you mean "germs"'),
    ],
)
def test_mistakes_are_one_sentence(make, words):
    with pytest.raises(StudyError) as caught:
        make()
    assert words in str(caught.value)
