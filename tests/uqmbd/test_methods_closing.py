"""Where a surrogate is not tight: the bounds are widened by its error, or a search takes over; never narrower than what is known."""

import time as clock

import numpy as np
import pytest

import uqmbd as uq
from uqmbd.analysis.search.extremes import Extremes
from uqmbd.analysis.statistics.trust import ENCLOSED, SEARCHED
from uqmbd.inputs import Interval, Random, read_input
from uqmbd.inputs.space import Space
from uqmbd.methods import PCE, Chebyshev, FuzzyBounds, Search, Taylor2, Vertex
from uqmbd.methods.sets.convex import ConvexBounds
from uqmbd.outcomes import OutputInfo
from uqmbd.request import Progress

from .loop import drive

UNIT = Interval(-1.0, 1.0)
BOX = {"a": UNIT, "b": UNIT}
TIME = np.linspace(0.0, 1.0, 11)


def kinked(seed):
    rng = np.random.default_rng(seed)
    way, place = rng.standard_normal(2), rng.uniform(-0.5, 0.5)
    return lambda time, a, b: {"y": np.abs(way[0] * a + way[1] * b - place) - 0.4 * np.abs(a + 0.3)}


def exact_range(model):
    x, z = np.meshgrid(np.linspace(-1, 1, 401), np.linspace(-1, 1, 401))
    values = model(TIME, x.ravel(), z.ravel())["y"]
    return values.min(), values.max()


@pytest.mark.parametrize("method", [Chebyshev(degree=4), Taylor2(), Vertex()], ids=lambda method: method.name)
def test_bounds_that_are_not_trusted_hold_all_the_same(method):
    """Of 40 kinked functions runs alone reach the whole range of few; what the error widens holds all of them."""
    missed, reached = 0, 0
    for seed in range(40):
        model = kinked(seed)
        result, _ = drive(method.model_copy(update={"fallback_runs": 0}), BOX, model, seed=seed)
        low, high = exact_range(model)
        if not result.trusted["y"]:
            missed += bool(result.bounds["y"][0] > low + 1e-9 or result.bounds["y"][1] < high - 1e-9)
            reached += bool(result.inner["y"][0] <= low + 1e-9 and result.inner["y"][1] >= high - 1e-9)
            assert result.source["y"] == ENCLOSED
    assert missed <= 2 and reached <= 10


def test_a_search_closes_what_an_expansion_leaves_open():
    model = kinked(3)
    open_, _ = drive(Chebyshev(degree=4, fallback_runs=0), BOX, model)
    closed, _ = drive(Chebyshev(degree=4, fallback_runs=2000), BOX, model)
    low, high = exact_range(model)
    assert float(open_.gap["y"]) > 0.05 and float(closed.gap["y"]) < 0.02
    assert bool(closed.trusted["y"]) and closed.source["y"] == SEARCHED
    assert closed.bounds["y"].values == pytest.approx([low, high], abs=0.05)  # the grid misses the kinks
    assert "where the bounds are those of a search" in closed.attrs["statement"] and closed.attrs["searched_share"] == 1.0


def test_every_time_says_where_its_bounds_come_from():
    """A contact that some samples make from half of the time on: smooth before, kinked after."""

    def model(time, a, b):
        x = (a + 0.1 * b)[:, None] * time + 1.0
        return {"y": x + np.maximum(x - 1.3, 0.0)}

    result, _ = drive(Chebyshev(degree=4, fallback_runs=1000), BOX, model, time=TIME)
    source = result.source["y"].values
    assert (source[TIME < 0.27] == ENCLOSED).all() and (source[TIME > 0.35] == SEARCHED).all()
    assert bool(result.trusted["y"].all()) and 0 < result.attrs["searched_share"] < 1


def test_few_fresh_runs_have_no_say():
    """As many runs as were planned, 26: a search of so few is not believed, and the widened range stands."""
    result, _ = drive(Chebyshev(degree=3), BOX, kinked(5))
    low, high = exact_range(kinked(5))
    assert result.source["y"] == ENCLOSED and not result.trusted["y"]
    assert result.bounds["y"][0] <= low and result.bounds["y"][1] >= high


@pytest.mark.parametrize("fallback", [0, 1000])
def test_the_inputs_that_reach_a_bound(fallback):
    model = kinked(7)
    result, _ = drive(Chebyshev(degree=3, fallback_runs=fallback), BOX, model)
    for bound in ("lower", "upper"):
        a, b = (np.array([float(result.worst["y"].sel(bound=bound, input=name))]) for name in "ab")
        assert model(TIME, a, b)["y"][0] == float(result.inner["y"].sel(bound=bound))


def test_a_search_stays_in_a_convex_set():
    seen = []

    def model(time, a, b):
        seen.append(np.stack([a, b], axis=1))
        return {"y": np.abs(a - 0.5 * b) + 0.0 * a}

    space = Space(BOX, sets={"s": {"inputs": ["a", "b"], "correlation": [["a", "b", 0.5]]}})
    result, count = drive(ConvexBounds(degree=3, fallback_runs=600, confirm=False), space, model)
    points = np.concatenate(seen)[-count:]
    own = 16 + 10
    a, b = points[own:].T
    assert np.all((a**2 - a * b + b**2) / 0.75 <= 1 + 1e-9) and len(a) > 100
    # |a - b/2| over the ellipse is greatest where its plane touches: sqrt(g' C g) with C = [[1, .5], [.5, 1]]
    assert result.bounds["y"].values == pytest.approx([0.0, np.sqrt(0.75)], abs=2e-3) and bool(result.trusted["y"])


def test_one_search_serves_all_levels():
    """|x - 0.1| + |z| over nested boxes: each level has its own corner and its own kink."""
    tent = {name: read_input({"fuzzy": {"type": "triangular", "lower": -1, "mode": 0, "upper": 1}}) for name in "xz"}
    levels = [0.0, 0.5, 0.8, 1.0]
    method = FuzzyBounds(degree=3, levels=levels, fallback_runs=1500, level_runs=500)
    result, count = drive(method, tent, lambda time, x, z: {"y": np.abs(x - 0.1) + np.abs(z)})
    low, high = result.bounds["y"].sel(bound="lower").values, result.bounds["y"].sel(bound="upper").values
    cut = 1 - np.array(levels)
    assert high == pytest.approx(2 * cut + 0.1, abs=1e-3) and low == pytest.approx(np.maximum(0.1 - cut, 0.0), abs=4e-3)
    assert (result.source["y"].values[:3] == SEARCHED).all() and count < 4000
    inner = result.inner["y"]
    assert np.all(np.diff(inner.sel(bound="upper")) <= 0) and np.all(np.diff(inner.sel(bound="lower")) >= 0)


def test_an_expansion_is_held_against_the_standard_deviation_at_its_time():
    """exp(-k t) with k from 0.5 to 2: at t = 10 an error of a millionth of the range is many times what is there."""
    time = np.linspace(0, 10, 101)
    result, _ = drive(
        PCE(degree=4, samples=60), {"k": Random({"type": "uniform", "lower": 0.5, "upper": 2.0})},
        lambda time, k: {"x": np.exp(-k[:, None] * time)}, time=time,
    )  # fmt: skip
    held = result.trusted["x"].values
    error, spread = result.error["x"].values, result.statistics["x"].sel(statistic="std").values
    assert held[1] and not held[-1] and np.all(error[held] <= 0.06 * spread[held] + 1e-9)
    median = result.statistics["x"].sel(statistic="q50").values
    assert median[-1] == pytest.approx(np.exp(-12.5), rel=0.6)  # that of the runs


def test_a_narrow_band_in_a_wide_history_is_not_trusted_by_its_range():
    """A motion of ±57 with a band of 0.1, and an error of as much: less than a thousandth of the range."""

    def model(time, a):
        return {"v": 57 * np.cos(6 * time) + 0.1 * np.abs(a)[:, None]}

    result, _ = drive(Chebyshev(degree=1, fallback_runs=0), {"a": UNIT}, model, time=TIME)
    assert not result.trusted["v"].any() and float(result.error["v"].max()) < 1e-3 * 114
    wide, _ = drive(Chebyshev(degree=2, fallback_runs=0, width_tolerance=0.9), {"a": UNIT}, model, time=TIME)
    assert wide.trusted["v"].all()


# what the search itself has ------------------------------------------------------------------------------------------------------------
def test_parts_of_the_extremes_are_the_extremes_of_the_parts():
    values = np.random.default_rng(1).standard_normal((50, 6))
    whole, split = Extremes(6, 4), Extremes(6, 4)
    whole.take(values, np.arange(50))
    for some in (slice(0, 3), slice(3, 6)):
        split.part(some).take(values[:, some], np.arange(50))
    np.testing.assert_array_equal(whole.values, split.values)
    np.testing.assert_array_equal(whole.runs, split.runs)
    best = np.sort(values, axis=0)
    np.testing.assert_allclose(whole.resolution(), [best[2] - best[0], best[-1] - best[-3]])


def test_an_end_that_no_run_reaches_is_enclosed():
    """The greatest value is a limit at a jump: a - 0.3 from below."""
    result, _ = drive(Search(max_runs=1500, fresh=200), BOX, lambda time, a, b: {"y": np.where(a + 0.1 * b < 0.3, a + 0.1 * b, -1.0)})
    upper = float(result.bounds["y"].sel(bound="upper"))
    assert float(result.inner["y"].sel(bound="upper")) < 0.3 <= upper < 0.3 + 5e-3


def test_a_budget_of_time_ends_the_search():
    """Runs of 10 ms each, as the campaign would say it: 12 s are some 1,200 runs, fresh ones among them."""
    outputs = {"y": OutputInfo("m", None)}
    run, count = Search(max_runs=20_000, fresh=200, settled=0.0, budget=12.0).start(BOX, outputs, np.zeros(1), 1), 0
    while True:
        run.hear(Progress(seconds=0.01 * count))
        if (samples := run.ask()) is None:
            break
        count += len(samples["a"])
        run.tell(samples, {"y": np.sin(9 * samples["a"]) + samples["b"] ** 2}, np.zeros(len(samples["a"]), np.int8))
    assert 900 < count <= 1200 and run.result().attrs["ended"] == "budget"


def test_a_resumed_study_ends_at_the_same_run(tmp_path):
    """What the runs took stands in the journal."""

    def slow(a, b):
        clock.sleep(2e-3)
        return {"y": np.sin(9 * a) + b**2}

    method = uq.Search(max_runs=20_000, fresh=20, first_runs=16, settled=0.0, budget=0.4)
    study = uq.Study(
        model=slow, inputs={"a": uq.Interval(-1, 1), "b": uq.Interval(-1, 1)}, outputs=["y"], method=method, campaign={"workers": 0}
    )
    first = study.run(out=tmp_path, progress=False)
    for name in ("done.json",):
        (tmp_path / name).unlink()
    again = study.run(out=tmp_path, progress=False)
    assert first.attrs["ended"] == "budget" and first.attrs["runs"] == again.attrs["runs"] < 400
    assert np.array_equal(first.bounds["y"], again.bounds["y"])
