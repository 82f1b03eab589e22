"""Multi-level Monte Carlo: the call option of Giles (2008), whose value and rates are known, and levels that do not converge."""

import numpy as np
import pytest

import uqmbd as uq
from uqmbd.analysis.statistics.telescoping import rates, refinement, remaining_bias, samples_by_level
from uqmbd.errors import StudyError

LEVELS = [1, 2, 4, 8, 16, 32]
NORMALS = {f"w{k}": uq.Normal(0.0, 1.0) for k in range(32)}
VALUE = 10.450583572  # Black and Scholes: S = K = 100, r = 0.05, s = 0.2, T = 1


def option(scheme):
    """The discounted pay-off of a call on geometric Brownian motion, by Euler's or Milstein's method with `steps` steps."""

    def model(steps=1, **w):
        noise = np.stack([w[f"w{k}"] for k in range(32)], axis=-1)
        dw = noise.reshape(*noise.shape[:-1], int(steps), -1).sum(axis=-1) / np.sqrt(32)
        price, dt = 100.0, 1.0 / steps
        for k in range(int(steps)):
            d = dw[..., k]
            price = price * (1 + 0.05 * dt + 0.2 * d + (0.02 * (d**2 - dt) if scheme == "milstein" else 0.0))
        return {"value": np.exp(-0.05) * np.maximum(price - 100.0, 0.0)}

    return uq.vectorized(named(model))


def named(model):
    """With a parameter for each input."""
    names = list(NORMALS)
    scope = {"model": model}
    exec(f"def f(steps=1, {', '.join(f'{n}=0.0' for n in names)}):\n return model(steps, {', '.join(f'{n}={n}' for n in names)})", scope)
    return scope["f"]


def study(model, inputs=NORMALS, output="value", **settings):
    keys = {"control": "steps", "levels": LEVELS, "error": 0.2, "costs": LEVELS, "pilot": 200} | settings
    return uq.Study(model=model, inputs=inputs, outputs=[output], method=uq.Multilevel(**keys), name="s", campaign={"seed": 3})


def ran(model, tmp_path, **more):
    return study(model, **more).run(out=tmp_path / "r", workers=0, report=False, progress=False)


@pytest.mark.parametrize(("scheme", "beta"), [("euler", 1.0), ("milstein", 2.0)])
def test_rates_and_value_of_the_option(scheme, beta, tmp_path):
    """Weak order 1 of both; variances of the differences fall as h and as h^2 (Giles 2008)."""
    result = ran(option(scheme), tmp_path, levels=LEVELS[2:], costs=LEVELS[2:], error=0.5, pilot=2000)
    found = result.attrs["level_rates"]["value"]
    assert found["beta"] == pytest.approx(beta, abs=0.35) and found["gamma"] == pytest.approx(1.0, abs=0.01)
    low, high = (float(result.statistics["value"].sel(statistic=f"mean_{end}")) for end in ("lower", "upper"))
    assert low <= VALUE <= high and high - low <= 1.0 and bool(result["trusted"]["value"])
    assert sum(cost.runs for cost in result.facts.costs) == result.attrs["runs"]


def decay(rate, steps=4):
    return {"x": (1.0 - rate / steps) ** steps}


RATE = {"rate": uq.Uniform(0.5, 1.5)}
EXACT = np.exp(-0.5) - np.exp(-1.5)  # mean of exp(-rate)


@pytest.mark.slow
def test_limits_hold_over_seeds():
    """At 40 seeds the limits hold the exact mean in 36 or more."""
    from .loop import drive

    held = 0
    method = uq.Multilevel(control="steps", levels=[4, 8, 16, 32, 64, 128], error=0.01, costs=[4, 8, 16, 32, 64, 128])
    for seed in range(40):
        result, _ = drive(method, RATE, lambda time, rate, steps=4: decay(rate, steps), seed=seed)
        low, high = (float(result.statistics["x"].sel(statistic=f"mean_{end}")) for end in ("lower", "upper"))
        held += low <= EXACT <= high and high - low <= 0.02
    assert held >= 36


def test_std_is_that_of_the_finest_level(tmp_path):
    """Of exp(-rate): variance (e^-1 - e^-3)/2 - mean^2."""
    result = ran(decay, tmp_path, inputs=RATE, output="x", levels=[8, 16, 32, 64], costs=[8, 16, 32, 64], error=0.005)
    std = np.sqrt((np.exp(-1.0) - np.exp(-3.0)) / 2 - EXACT**2)
    assert float(result.statistics["x"].sel(statistic="std")) == pytest.approx(std, rel=0.1)


def test_levels_that_do_not_converge_are_said(tmp_path):
    result = ran(
        lambda rate, steps=4: {"x": rate + 0.5 * np.log2(steps)}, tmp_path, inputs=RATE, output="x", levels=[4, 8, 16, 32],
        costs=[1, 1, 1, 1], error=0.01, most=4000,
    )  # fmt: skip
    assert not bool(result["trusted"]["x"]) and "levels do not converge: x" in result.facts.note


def test_too_few_runs_are_said(tmp_path):
    result = ran(decay, tmp_path, inputs=RATE, output="x", levels=[64, 128, 256], costs=[1, 2, 4], error=1e-4, pilot=20, most=300)
    assert result.attrs["runs"] <= 300 and "needs more than most = 300 runs" in result.facts.note and not bool(result["trusted"]["x"])


def test_a_study_that_goes_on_from_its_runs_is_the_same(tmp_path):
    """Also with costs that were measured: they are stored."""
    first = ran(decay, tmp_path, inputs=RATE, output="x", error=0.01, costs=None)
    again = ran(decay, tmp_path, inputs=RATE, output="x", error=0.01, costs=None)
    assert again.attrs["runs_simulated_last"] == 0
    np.testing.assert_array_equal(first.statistics["x"].values, again.statistics["x"].values)


def test_numbers_are_the_best_for_two_levels():
    """Variances 4 and 1, costs 1 and 4 and a wanted variance of 0.01: N = (2 + 2) / 0.01 (2, 1/2)."""
    assert samples_by_level(np.array([[4.0], [1.0]]), np.array([1.0, 4.0]), np.array([0.01])).tolist() == [800, 200]


def test_rates_and_bias_of_exact_powers():
    """Differences 4^-k at a ratio of 2: alpha 2, and 1/3 of the last one is left."""
    mean = 4.0 ** -np.arange(1, 5)
    found = rates(mean, 1e-9 * mean, 8.0 ** -np.arange(4), 2.0 ** np.arange(4), 2.0)
    assert (found.alpha, found.beta, found.growth) == pytest.approx((2.0, 3.0, 1.0))
    assert remaining_bias(mean[:, None], 2.0, 2.0)[0] == pytest.approx(mean[-1] / 3)
    assert refinement(np.array([0.1, 0.025, 0.00625])) == pytest.approx(4.0) and refinement(np.array([0.0, 1.0, 2.0])) == 2.0


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"levels": [1, 4, 2]}, "coarse to fine"),
        ({"error": 0.0}, "above zero"),
        ({"costs": [1.0, 2.0]}, "one positive number"),
        ({"most": 10}, "first runs alone"),
        ({"error": "1 s"}, "not in|is in"),
    ],
)
def test_bad_settings_are_said(settings, words, tmp_path):
    with pytest.raises(StudyError, match=words):
        ran(uq.vectorized(decay), tmp_path, inputs=RATE, output="x", **settings)
