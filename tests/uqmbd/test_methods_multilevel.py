"""Multi-level Monte Carlo: the call option of Giles (2008), whose value and rates are known, and levels that do not converge."""

import re
import shutil

import numpy as np
import pytest

import uqmbd as uq
from uqmbd.analysis.statistics.telescoping import fineness, quantile_of_sum, rates, remaining_bias, samples_by_level, skewness_of_sum
from uqmbd.errors import StudyError
from uqmbd.methods.probabilistic.multilevel_shown import level_table

from .loop import drive

STEPS = 16
NORMALS = {f"w{k}": uq.Normal(0.0, 1.0) for k in range(STEPS)}
VALUE = 10.450583572  # Black and Scholes: S = K = 100, r = 0.05, s = 0.2, T = 1


def option(scheme):
    """The discounted pay-off of a call on geometric Brownian motion, by Euler's or Milstein's method with `steps` steps."""

    def model(time, steps=1, **w):
        steps = int(np.max(steps)) if np.ndim(steps) else steps
        noise = np.stack([w[name] for name in NORMALS], axis=-1)
        dw = noise.reshape(len(noise), steps, -1).sum(axis=-1) / np.sqrt(STEPS)
        price, dt = 100.0, 1.0 / steps
        for d in dw.T:
            price = price * (1 + 0.05 * dt + 0.2 * d + (0.02 * (d**2 - dt) if scheme == "milstein" else 0.0))
        return {"value": np.exp(-0.05) * np.maximum(price - 100.0, 0.0)}

    return by_level(model)


def by_level(model):
    """The same where runs of several levels come at once."""

    def both(time, steps=1, **samples):
        steps = np.broadcast_to(steps, len(next(iter(samples.values()))))
        found = None
        for level in np.unique(steps).astype(int):
            at = steps == level
            one = model(time, steps=level, **{name: values[at] for name, values in samples.items()})
            found = found or {name: np.empty((len(steps), *values.shape[1:])) for name, values in one.items()}
            for name, values in one.items():
                found[name][at] = values
        return found

    return both


def limits(result, name, of="mean"):
    return tuple(float(result.statistics[name].sel(statistic=f"{of}_{end}")) for end in ("lower", "upper"))


@pytest.mark.parametrize(
    ("scheme", "error", "alpha", "beta"), [("euler", 0.1, (1.0, 0.5), (1.0, 0.25)), ("milstein", 0.12, (1.0, 0.15), (2.0, 0.2))]
)
def test_rates_and_value_of_the_option(scheme, error, alpha, beta):
    """Weak order 1 of both; variances of the differences fall as h and as h^2 (Giles 2008)."""
    levels = [2, 4, 8, 16]
    method = uq.Multilevel(control="steps", levels=levels, error=error, pilot=20_000, costs=levels, most=500_000)
    result, runs = drive(method, NORMALS, option(scheme), batch=50_000)
    found = result.attrs["level_rates"]["value"]
    assert abs(found["alpha"] - alpha[0]) <= alpha[1] and abs(found["beta"] - beta[0]) <= beta[1] and found["gamma"] == pytest.approx(1.0)
    low, high = limits(result, "value")
    assert low <= VALUE <= high and high - low <= 2 * error * (1 + 1e-9) and bool(result["trusted"]["value"])
    assert runs == result.attrs["runs"] and result.attrs["notes"] == []


def decay(time, rate, steps=4):  # Euler's method for x' = -rate x
    return {"x": (1.0 - rate / steps) ** steps}


RATE = {"rate": uq.Uniform(0.5, 1.5)}
EXACT = np.exp(-0.5) - np.exp(-1.5)  # mean of exp(-rate)


def method(levels, error=0.01, **more):
    return uq.Multilevel(**{"control": "steps", "levels": levels, "error": error, "costs": levels, **more})


def test_limits_hold_over_seeds():
    """At 40 seeds the limits hold the exact mean in 35 or more: 95 % less two standard deviations of the count."""
    held = 0
    for seed in range(40):
        result, _ = drive(method([4, 8, 16, 32, 64]), RATE, decay, seed=seed)
        low, high = limits(result, "x")
        held += low <= EXACT <= high and high - low <= 0.02
    assert held >= 35


def test_fine_levels_have_fewer_runs():
    result, _ = drive(method([4, 8, 16, 32], error=0.004), RATE, decay)
    pairs = result.attrs["level_pairs"]
    assert pairs[0] > 10 * pairs[1] and result.levels["x"].dims == ("level", "part")


def test_std_is_that_of_the_finest_level():
    """Of exp(-rate): variance (e^-1 - e^-3)/2 - mean^2."""
    result, _ = drive(method([8, 16, 32, 64], error=0.004), RATE, decay)
    std = np.sqrt((np.exp(-1.0) - np.exp(-3.0)) / 2 - EXACT**2)
    assert float(result.statistics["x"].sel(statistic="std")) == pytest.approx(std, rel=0.1)


def test_means_of_a_history():
    """At t = 0 all runs are 1; the limits hold the mean of exp(-rate t) at most times."""
    time = np.linspace(0.0, 1.0, 9)

    def model(time, rate, steps=4):
        return {"x": (1.0 - rate[:, None] * time / np.reshape(steps, (-1, 1))) ** np.reshape(steps, (-1, 1))}

    result, _ = drive(method([8, 16, 32, 64], error="1 %"), RATE, model, time=time)
    exact = np.append(1.0, (np.exp(-0.5 * time[1:]) - np.exp(-1.5 * time[1:])) / time[1:])
    low, high = (result.statistics["x"].sel(statistic=f"mean_{end}").values for end in ("lower", "upper"))
    assert np.all((low <= exact) & (exact <= high)) and np.all(high - low <= 0.02 * (1 + 1e-9)) and result["trusted"]["x"].values.all()


@pytest.mark.parametrize(
    ("grows", "words"), [(lambda steps: 0.5 * np.log2(steps), "do not converge: x"), (lambda steps: steps**-0.2, "more slowly .* x")]
)
def test_levels_that_do_not_converge_are_said(grows, words):
    result, _ = drive(method([4, 8, 16, 32], most=4000), RATE, lambda time, rate, steps=4.0: {"x": rate + grows(np.asarray(steps))})
    assert not bool(result["trusted"]["x"])
    assert re.search(words, result.attrs["warnings"][0])


def test_too_few_runs_are_said():
    result, runs = drive(method([64, 128, 256], error=1e-4, pilot=20, most=300), RATE, decay)
    assert runs <= 300 and "needs more than most = 300 runs" in result.attrs["notes"][0] and not bool(result["trusted"]["x"])


@pytest.mark.parametrize(
    ("grows", "costs", "words"),
    [
        (lambda a, n: np.sin(1e4 * a * n), [4, 8, 16], "vary no less"),
        (lambda a, n: a / n, [1, 1e3, 1e6], "costs of a pair grow with order 10"),
    ],
)
def test_levels_that_save_nothing_are_said(grows, costs, words):
    """Chaos, of which neighbouring levels know nothing of each other; and levels that are dearer by 1000 at differences half as large."""
    result, runs = drive(
        method([4, 8, 16], error=0.001, most=1000, costs=costs), RATE, lambda time, rate, steps=4.0: {"x": rate + grows(rate, steps)}
    )
    assert runs <= 1000 and words in result.attrs["notes"][1] and not bool(result["trusted"]["x"])


def test_levels_of_which_all_runs_fail_are_named():
    """Of 160 runs the 32 with 16 steps: no part of the inputs is blamed for it."""

    with pytest.raises(StudyError, match=r"32 of 160 runs failed, all of them with steps = 16, which 32 have; the method"):
        drive(method([4, 8, 16]), RATE, decay, fail=lambda part: part.control["steps"] == 16)


def test_levels_that_are_too_coarse_are_said():
    result, _ = drive(method([2, 4, 8], error=0.002, most=10**6), RATE, decay, batch=10**5)
    assert "the finest steps, 8, is too coarse for the error of x" in result.attrs["notes"][0] and not bool(result["trusted"]["x"])


def test_pairs_of_which_a_run_fails_are_left_out():
    """The runs that fail are those of some rates: the mean is that of the others."""
    result, _ = drive(method([8, 16, 32], error=0.02, max_failed=0.2), RATE, decay, fail=lambda part: part["rate"] > 1.4)
    low, high = limits(result, "x")
    exact = (np.exp(-0.5) - np.exp(-1.4)) / 0.9
    assert low <= exact <= high and "pairs of which a run fails are left out" in result.attrs["notes"][0]


def test_a_study_that_goes_on_from_its_runs_is_the_same(tmp_path):
    """Also with costs that were measured: they are stored. The table, the figure and the costs have all levels."""

    def model(rate, steps=4):
        return {"x": (1.0 - rate / steps) ** steps}

    def ran():
        study = uq.Study(model=model, inputs=RATE, outputs=["x"], method=method([4, 8, 16, 32], costs=None), name="s")
        return study.run(out=tmp_path / "r", workers=0, report=False, progress=False)

    first = ran()
    shutil.rmtree(tmp_path / "r" / "result.zarr")  # as if it had been killed before it was made
    again = ran()
    assert again.attrs["runs_simulated_last"] == 0
    np.testing.assert_array_equal(first.statistics["x"].values, again.statistics["x"].values)
    levels = first.levels["level"].values.tolist()
    assert [cost.control["steps"] for cost in first.facts.costs] == levels
    assert sum(cost.runs for cost in first.facts.costs) == first.attrs["runs"]
    table = level_table(first).table
    assert table.index.tolist() == levels and table["share of the cost"].sum() == pytest.approx(1.0)


# formulas ---------------------------------------------------------------------------------------------------------------------------------
def test_numbers_are_the_best_for_two_levels():
    """Variances 4 and 1, costs 1 and 4 and a wanted variance of 0.01: N = (2 + 2) / 0.01 (2, 1/2)."""
    assert samples_by_level(np.array([[4.0], [1.0]]), np.array([1.0, 4.0]), np.array([0.01])).tolist() == [800, 200]


@pytest.mark.parametrize("levels", [[1, 2, 4, 8, 16], [0.1, 0.05, 0.025, 0.0125, 0.00625], [0, 1, 2, 3, 4]])
def test_rates_and_bias_of_exact_powers(levels):
    """Differences 4^-k where levels are twice as fine: alpha 2, and 1/3 of the last one is left."""
    fine, mean = fineness(np.array(levels, float)), 4.0 ** -np.arange(1, 5)
    found = rates(fine[1:], mean, 1e-9 * mean, 8.0 ** -np.arange(4), 2.0 ** np.arange(4))
    assert (found.alpha, found.beta, found.gamma) == pytest.approx((2.0, 3.0, 1.0))
    assert remaining_bias(fine, mean[:, None], 2.0)[0] == pytest.approx(mean[-1] / 3)


def test_bias_of_steps_without_a_common_ratio():
    """Of an error h^2 the last difference says exactly what is left."""
    steps = np.array([0.1, 0.04, 0.01, 0.004])
    assert remaining_bias(fineness(steps), np.diff(steps**2)[:, None], 2.0)[0] == pytest.approx(0.004**2)


def test_freedom_and_skewness_of_one_level_are_those_of_its_sample():
    variance, count = np.array([[2.0]]), np.array([11])
    assert quantile_of_sum(variance, count)[0] == pytest.approx(2.228138852)  # Student's t, 10 degrees of freedom
    assert skewness_of_sum(np.array([[2.0]]), variance, count)[0] == pytest.approx(2.0 / np.sqrt(11))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"levels": [1, 4, 2]}, "coarse to fine"),
        ({"error": 0.0}, "above zero"),
        ({"costs": [1.0, 2.0]}, "one positive number"),
        ({"most": 10}, "first runs alone"),
        ({"error": "1 s"}, "is in m, which 1 s is not"),
    ],
)
def test_bad_settings_are_said(settings, words):
    with pytest.raises(StudyError, match=words):
        drive(method(**{"levels": [4, 8, 16], **settings}), RATE, decay)
