"""Chaos expansions on warped time lines: what they gain on exact solutions, and where they say that they do not hold."""

import numpy as np
import pytest
from scipy.special import ellipj

from uqmbd.errors import StudyError
from uqmbd.inputs import Interval, Random
from uqmbd.methods import PCE, read_method

from .loop import drive
from .test_analysis_time_warping import TURN, bouncing

BOX = {"f": Interval(0.95, 1.05), "d": Interval(0.01, 0.03)}


def oscillator(time, f, d):
    return {"x": np.exp(-d[:, None] * time) * np.cos(TURN * f[:, None] * time)}


def grid(box, count=100):
    """Samples on a fine grid of a box of two inputs, its faces included."""
    ends = [np.linspace(item.lower, item.upper, count) for item in box.values()]
    return {name: x.ravel() for name, x in zip(box, np.meshgrid(*ends))}


def statistic(result, name):
    return result.statistics["x"].sel(statistic=name).values


def test_band_of_an_oscillator():
    """Issue C: error of the band with 100 runs under 2 % where plain expansion exceeds 20 %; here 40 periods."""
    time, box = np.linspace(0, 40, 801), {"f": Interval(0.95, 1.05), "d": Interval(0.005, 0.015)}
    direct = oscillator(time, **grid(box, 140))["x"]
    result, count = drive(PCE(samples=100, warp="linear"), box, oscillator, time=time)
    assert count == 100 and bool(result.trusted["x"][2:].all()) and np.isinf(result.trust_horizon["x"])
    lower, upper = result.bounds["x"].values
    assert np.abs(lower - direct.min(axis=0)).max() < 4e-3 and np.abs(upper - direct.max(axis=0)).max() < 4e-3
    facts = result.attrs["warped"]["x"]
    assert facts["error"] < 1e-3 and facts["plain_error"] > 0.2 and "warping does not help" not in result.facts.note
    assert statistic(result, "mean") == pytest.approx(direct.mean(axis=0), abs=0.01)  # of a grid, whose faces weigh too much
    # a function of the frequency and, less and less, of the damping
    first, total = (result.aggregated["x"].sel(kind=kind).values for kind in ("first", "total"))
    assert first[0] > 0.9 and total[1] < 0.1 and np.all(first < total + 0.02)


def test_widths_of_a_warped_history():
    """Against those of a fine grid of the box, and of the box with one input halved."""
    time, half = np.linspace(0, 20, 401), {"f": Interval(0.975, 1.025), "a": Interval(1.25, 1.75)}
    box = {"f": Interval(0.95, 1.05), "a": Interval(1.0, 2.0)}

    def model(time, f, a):
        return {"x": a[:, None] * np.cos(TURN * f[:, None] * time)}

    result, _ = drive(PCE(samples=80, warp="linear", questions=["width"]), box, model, time=time)
    found = result.sensitivity["x"].sel(kind="width_reduction")
    whole = np.ptp(model(time, **grid(box, 201))["x"], axis=0)
    for name in box:
        narrow = np.ptp(model(time, **grid(box | {name: half[name]}, 201))["x"], axis=0)
        np.testing.assert_allclose(found.sel(input=name), 1 - narrow / whole, atol=0.01)
    assert float(found.sel(input="a")[0]) == pytest.approx(0.5, abs=1e-3)


def test_random_inputs_and_failed_runs():
    inputs = {"f": Random({"type": "normal", "mean": 1.0, "std": 0.01}), "d": Random({"type": "uniform", "lower": 0.01, "upper": 0.03})}
    time = np.linspace(0, 30, 601)
    result, _ = drive(PCE(samples=80, warp="linear"), inputs, oscillator, time=time, fail=lambda samples: samples["f"] > 1.02)
    assert 0 < result.attrs["runs_failed"] < 5 and "runs failed" in result.facts.note
    assert not result.bounds.data_vars and bool(result.trusted["x"][2:].all())
    # E cos(w t) of a normal frequency is cos(w t) exp(-s² t² / 2)
    decay = (np.exp(-0.01 * time) - np.exp(-0.03 * time))[1:] / (0.02 * time[1:])
    mean = decay * np.cos(TURN * time[1:]) * np.exp(-((TURN * 0.01 * time[1:]) ** 2) / 2)
    assert statistic(result, "mean")[1:] == pytest.approx(mean, abs=5e-3)


def test_bounds_over_six_inputs():
    """Their extremes are on faces and corners; runs faster than any fitted one are among those that are compared."""

    def model(time, a, b, c, d, e, f):
        w = TURN * np.sqrt(a**0.5 * b**0.3 / c**0.2)[:, None]
        return {"x": f[:, None] * np.exp(-0.002 * (d * e)[:, None] * w * time) * np.cos(w * time)}

    box, time = {name: Interval(0.9, 1.1) for name in "abcdef"}, np.linspace(0, 40, 801)
    result, _ = drive(PCE(samples=100, warp="linear"), box, model, time=time)
    points = np.random.default_rng(0).uniform(0.8, 1.2, (6, 8000))
    direct = model(time, *np.clip(points, 0.9, 1.1))["x"]  # half of all coordinates on faces
    lower, upper = result.bounds["x"].values
    assert bool(result.trusted["x"].all()) and result.attrs["warped"]["x"]["plain_error"] > 0.2
    wider = np.stack([direct.min(axis=0) - lower, upper - direct.max(axis=0)])
    assert wider.min() > -0.01 and wider.max() < 0.05


def test_duffing():
    """Natural frequency that depends on stiffness and amplitude."""

    def duffing(time, kappa, x0):
        w2 = 1 + kappa * x0**2
        return {"x": x0[:, None] * ellipj(np.sqrt(w2)[:, None] * time, (kappa * x0**2 / 2 / w2)[:, None])[1]}

    box = {"kappa": Interval(0.5, 1.5), "x0": Interval(0.9, 1.1)}
    time = np.linspace(0, 16 * TURN, 401)
    result, _ = drive(PCE(samples=60, warp="linear"), box, duffing, time=time)
    facts = result.attrs["warped"]["x"]
    assert bool(result.trusted["x"].all()) and facts["error"] < 2e-3 < 0.2 < facts["plain_error"]
    direct = duffing(time, **grid(box, 50))["x"]
    assert np.abs(result.bounds["x"].values - [direct.min(axis=0), direct.max(axis=0)]).max() < 0.02


def test_chirps_need_the_quadratic_map():
    def chirp(time, f, q):
        return {"x": np.cos(f[:, None] * time + q[:, None] * time**2 / time[-1])}

    box, time = {"f": Interval(0.95, 1.05), "q": Interval(-0.05, 0.05)}, np.linspace(0, 15 * TURN, 301)
    quadratic, _ = drive(PCE(samples=60, warp="quadratic"), box, chirp, time=time)
    assert bool(quadratic.trusted["x"][1:].all()) and quadratic.attrs["warped"]["x"]["error"] < 2e-3
    linear, _ = drive(PCE(samples=60, warp="linear"), box, chirp, time=time)
    assert not linear.trusted["x"].all()


def test_warping_that_does_not_help_says_so():
    """Two oscillations whose frequencies vary independently have no common time line."""

    def beat(time, f, d):
        return {"x": np.cos(TURN * f[:, None] * time) + np.cos(1.7 * TURN * (1 + 2 * d)[:, None] * time)}

    time = np.linspace(0, 20, 401)
    result, _ = drive(PCE(samples=60, warp="linear"), BOX, beat, time=time)
    assert not result.trusted["x"].all() and "warping does not help the output 'x'" in result.facts.note
    inner, bounds = result.inner["x"].values, result.bounds["x"].values
    assert np.all(bounds[0] <= inner[0]) and np.all(bounds[1] >= inner[1])


def ball(time, e):
    return {"x": bouncing(e, time)[0]}


def ball_with_impacts(time, e):
    y, impacts = bouncing(e, time)
    return {"x": y, "first": impacts[:, 0], "third": impacts[:, 2], "second": impacts[:, 1]}


@pytest.mark.parametrize("warp", ["kinks", {"kinks": "x"}, {"events": ["first", "second", "third"]}])
def test_impacts_align(warp):
    """Bouncing ball with uncertain restitution: the error at kinks falls by a factor of 500 or more."""
    time, box = np.linspace(0, 1.9, 401), {"e": Interval(0.75, 0.85)}
    result, _ = drive(PCE(samples=40, warp=warp), box, ball_with_impacts, time=time)
    facts = result.attrs["warped"]["x"]
    assert facts["events"] == 3 and bool(result.trusted["x"].all())
    assert facts["plain_error"] > 500 * facts["error"]
    direct = ball(time, np.linspace(0.75, 0.85, 2001))["x"]
    assert np.abs(result.bounds["x"].values - [direct.min(axis=0), direct.max(axis=0)]).max() < 1e-3
    assert result.statistics["x"].sel(statistic="mean").values == pytest.approx(direct.mean(axis=0), abs=1e-3)


def test_numbers_of_events_that_differ():
    time, box = np.linspace(0, 2.4, 401), {"e": Interval(0.75, 0.85)}
    result, _ = drive(PCE(samples=40, warp="kinks"), box, ball, time=time)
    differ = result.attrs["events_differ_from"]["x"]
    fourth = bouncing([0.75, 0.76], time)[1][:, 3]  # the fourth impact of the least elastic balls, which others do not reach
    assert fourth[0] <= differ <= fourth[1] and "differ in their number of events" in result.facts.note
    trusted = result.trusted["x"].values
    # errors count for their neighbours within half a percent of the time grid
    assert trusted[time < differ - 2 * time[1]].all() and not trusted[time >= differ].any()
    assert differ - 3 * time[1] < result.trust_horizon["x"] < differ + time[1]
    assert result.attrs["warped"]["x"]["error"] < 1e-4


def test_histories_without_events_stay_plain():
    time = np.linspace(0, 2, 101)
    result, _ = drive(PCE(samples=40, warp="kinks"), BOX, oscillator, time=time)
    assert "no event" in result.facts.note and bool(result.trusted["x"].all())
    result, _ = drive(PCE(samples=40, warp={"crossings": "x"}), BOX, oscillator, time=time[:60])
    assert result.attrs["warped"]["x"]["events"] == 2 and bool(result.trusted["x"].all())


def test_a_constant_history_and_a_scalar_beside_it():
    def model(time, f, d):
        x = oscillator(time, f, d)["x"]
        return {"x": x, "still": np.zeros_like(x), "max": np.abs(x[:, 50:]).max(axis=1)}

    time = np.linspace(0, 10, 201)
    result, _ = drive(PCE(samples=60, warp="linear"), BOX, model, time=time)
    assert bool(result.trusted["still"].all()) and "'still' is not warped" in result.facts.note
    assert result.cdf["max"].shape == (201, 3) and result.bounds["max"].shape == (2,)
    assert np.all(result.bounds["still"] == 0)


def test_the_same_told_in_other_batches():
    time = np.linspace(0, 10, 201)
    one, other = (drive(PCE(samples=40, warp="linear"), BOX, oscillator, time=time, batch=batch)[0] for batch in (7, 1000))
    for key, group in one.groups():
        assert group.equals(getattr(other, key)), key


def test_bad_settings():
    time = np.linspace(0, 10, 201)
    for value in ("cubic", {}, {"kinks": 1}, {"crossings": "x", "level": "0"}, {"kinks": "x", "level": 0.0}, {"events": []}, 3):
        with pytest.raises(StudyError, match="warp is"):
            read_method({"type": "pce", "samples": 40, "warp": value})
    assert read_method({"type": "pce", "samples": 40, "warp": {"crossings": "x"}}).warp == {"crossings": "x", "level": 0.0}
    cases = [
        ({"samples": 40, "warp": {"kinks": "y"}}, oscillator, "no output 'y'"),
        ({"samples": 40, "warp": {"events": ["x"]}}, oscillator, "not a scalar output"),
        ({"samples": 40, "warp": {"kinks": "max"}}, lambda time, f, d: oscillator(time, f, d) | {"max": f}, "not a history"),
        ({"samples": 40, "warp": "linear"}, lambda time, f, d: {"max": f}, "no history"),
        ({"degree": 3, "design": "quadrature", "warp": "linear"}, oscillator, "quadrature"),
    ]
    for settings, model, words in cases:
        with pytest.raises(StudyError, match=words) as caught:
            drive(PCE(**settings), BOX, model, time=time)
        assert caught.value.key.startswith("method.warp")
    with pytest.raises(StudyError, match="equal steps"):
        drive(PCE(samples=40, warp="linear"), BOX, oscillator, time=time**2)
