"""Search for the extremes of whole histories: what it reaches, what its fresh runs say, and that this holds."""

import numpy as np
import pytest

from uqmbd.errors import StudyError
from uqmbd.inputs import Interval
from uqmbd.methods import Search

from .loop import drive

TIME = np.linspace(0.0, 1.0, 40)
UNIT = Interval(0.0, 1.0)
THREE = {name: UNIT for name in "abc"}


def smooth(time, a, b, c):
    """Extremes inside, on edges and at corners, at other places at every time."""
    return {"h": np.sin(3 * a[:, None] * time + b[:, None]) * (1 + c[:, None] ** 2) - (b[:, None] - time) ** 2}


def kinked(time, a, b, c):
    return {"h": np.abs(a[:, None] - time) + np.maximum(b[:, None] - 0.5 * c[:, None], time / 2)}


def jumping(time, a, b, c):
    return {"h": np.where(a[:, None] + b[:, None] * time > 1.1, 2.0, 0.0) + c[:, None] * time}


def reached_at_random(model, count=200_000, seed=5):
    rng = np.random.default_rng(seed)
    values = model(TIME, **dict(zip("abc", rng.random((3, count)), strict=True)))["h"]
    return values.min(axis=0), values.max(axis=0)


@pytest.mark.parametrize("model, miss", [(smooth, 1e-4), (kinked, 1e-3), (jumping, 1e-3)])
def test_reaches_more_than_many_more_random_runs(model, miss):
    """With 6,000 runs as much as 200,000 random ones, within `miss` of the band."""
    result, runs = drive(Search(max_runs=6000, fresh=1000, settled=0.0), THREE, model, time=TIME)
    low, high = reached_at_random(model)
    inner, width = result.inner["h"].values, high - low
    assert runs <= 6000
    assert np.all(inner[0] <= low + miss * width) and np.all(inner[1] >= high - miss * width)


def test_finds_a_narrow_peak_that_random_runs_show():
    """A peak of 1 % of the box: random points hit its foot, the search climbs it."""

    def peak(time, a, b):
        return {"p": np.exp(-50 * ((a - 0.3) ** 2 + (b - 0.6) ** 2) / 0.09)}

    result, _ = drive(Search(max_runs=3000, fresh=500), {"a": UNIT, "b": UNIT}, peak)
    assert float(result.inner["p"].sel(bound="upper")) > 1 - 1e-6
    np.testing.assert_allclose(result.worst["p"].sel(bound="upper").values, [0.3, 0.6], atol=1e-5)


def test_the_worst_inputs_reach_the_bounds():
    inputs = {"a": Interval(0.0, 1000.0, "mm"), "b": UNIT, "c": UNIT}
    result, _ = drive(Search(max_runs=2000, fresh=500), inputs, smooth, time=TIME)
    for bound in ("lower", "upper"):
        places = {name: result.worst["h"].sel(bound=bound, input=name).values for name in "abc"}
        again = np.diagonal(smooth(TIME, **places)["h"])
        np.testing.assert_array_equal(again, result.inner["h"].sel(bound=bound).values)


def test_stops_when_the_bounds_have_settled():
    result, runs = drive(Search(max_runs=50_000, fresh=120), THREE, smooth, time=TIME)
    assert runs < 20_000
    assert float(result.trusted["h"].mean()) == 1.0 and float(result.gap["h"].max()) < 3e-3


def test_bounds_hold_what_fresh_runs_found_outside():
    """So few runs that much is missed: the bounds are widened, the gap says by how much, and the widest places are not trusted."""
    result, runs = drive(Search(max_runs=160, fresh=100, safety=2.0), THREE, smooth, time=TIME)
    assert runs == 160
    inner, outer = result.inner["h"].values, result.bounds["h"].values
    assert np.all(outer[0] <= inner[0]) and np.all(outer[1] >= inner[1])
    gap = (np.ptp(outer, axis=0) - np.ptp(inner, axis=0)) / np.ptp(inner, axis=0)
    np.testing.assert_allclose(result.gap["h"].values, gap, atol=1e-12)
    assert gap.max() > 0.01
    assert result.attrs["runs_fresh"] == 100 and "fresh runs left the bounds" in result.attrs["statement"]


def test_the_statement_holds():
    """At most so much of the box lies outside, says the statement with 95 % confidence: it does over 200 seeds."""

    def peaks(time, a, b):
        at = np.hypot(a[:, None] - 0.5 - 0.4 * time, b[:, None] - 0.5)
        return {"h": a[:, None] + np.exp(-((at / 0.03) ** 2)), "p": np.exp(-((a - 0.2) ** 2 + (b - 0.9) ** 2) / 2e-3)}

    time, inputs = np.linspace(0.0, 1.0, 5), {"a": UNIT, "b": UNIT}
    rng = np.random.default_rng(9)
    truth = peaks(time, *rng.random((2, 40_000)))
    held, tight = [], []
    for seed in range(200):
        result, _ = drive(Search(max_runs=400, fresh=200, margin=0.0), inputs, peaks, time=time, seed=seed)
        out = np.zeros(40_000, bool)
        for name, values in truth.items():
            lower, upper = (result.bounds[name].sel(bound=end).values for end in ("lower", "upper"))
            out |= np.atleast_2d(((values < lower) | (values > upper)).T).any(axis=0)
        said = result.attrs["outside_anywhere_at_most"]
        held.append(out.mean() <= said)
        tight.append(said)
    assert np.mean(held) >= 0.93
    assert np.median(tight) < 0.06


def test_searches_that_disagree_are_not_trusted():
    """Five inputs and narrow hills of different heights: with few runs a search climbs one, sees no growth, and fresh runs stay below."""
    tops = np.random.default_rng(1).uniform(0.1, 0.9, (12, 5))

    def hills(time, **samples):
        x = np.stack(list(samples.values()), axis=1)
        away = ((x[:, None] - tops) ** 2).sum(axis=-1)
        return {"s": (np.linspace(0.6, 1.0, 12) * np.exp(-away / 0.08)).max(axis=1)}

    inputs, wrong = {name: UNIT for name in "abcde"}, 0
    for seed in range(12):
        result, _ = drive(Search(max_runs=900, fresh=300, settled=0.0), inputs, hills, seed=seed)
        missed = float(result.bounds["s"].sel(bound="upper")) < 0.99
        wrong += missed and bool(result.trusted["s"])
    assert wrong <= 2


def test_keeps_away_from_a_corner_that_fails():
    """Rising towards a corner where runs fail: the search does not spend its runs there."""

    def rising(time, a, b):
        return {"s": a + b}

    result, _ = drive(
        Search(max_runs=2000, fresh=500), {"a": UNIT, "b": UNIT}, rising, fail=lambda samples: samples["a"] + samples["b"] > 1.8
    )
    assert result.attrs["failed_share"] < 0.15 and "b > " in result.facts.note
    assert 1.79 < float(result.inner["s"].sel(bound="upper")) <= 1.8


def test_stops_where_much_of_the_box_fails():
    with pytest.raises(StudyError, match=r"the method search goes on with 0\.05 of them at most"):
        drive(Search(max_runs=2000, fresh=500), {"a": UNIT}, lambda time, a: {"s": a}, fail=lambda samples: samples["a"] > 0.9)


def test_a_response_that_does_not_change_is_trusted():
    result, runs = drive(Search(max_runs=1000, fresh=120), THREE, lambda time, a, b, c: {"h": 0.0 * a[:, None] + time}, time=TIME)
    assert runs < 1000 and bool(result.trusted["h"].all()) and float(result.gap["h"].max()) == 0.0


def test_settings_leave_room_for_a_search():
    with pytest.raises(StudyError, match="leaves no run for the search beside 2000 fresh runs"):
        Search(max_runs=1500)
