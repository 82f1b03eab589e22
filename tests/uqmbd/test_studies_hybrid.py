"""Two benchmarks with impacts, a gearbox and a bouncing ball: their models against published and exact numbers, and what the search finds.

Numbers of the gearbox: /work/shared/REFERENCES.md, section 8 (data: Chen, Mitra, Tian, ARCH 2015; closed-form flight, 801 x 801 grid,
boundary of the sequences by bisection). The ball: the formulas of the same section, in `exact_ball`.
"""

import importlib.util
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import uqmbd as uq

from . import exact_ball
from .loop import drive

STUDIES = Path(__file__).parents[2] / "studies"
HEIGHTS, RESTITUTIONS = (0.95, 1.05), (0.78, 0.82)

THREE, FOUR = 122, 1222  # the two orders of impacts
TABLE = {  # of the reference: least and greatest for each order of impacts
    THREE: {"meshing_time": (0.14999672, 0.151708), "impulse": (16.804842, 17.079060)},
    FOUR: {"meshing_time": (0.15406887, 0.158680), "impulse": (19.141978, 19.465221)},
}
TRUTH = {name: (TABLE[THREE][name][0], TABLE[FOUR][name][1]) for name in ("meshing_time", "impulse")}
RANGE = {name: upper - lower for name, (lower, upper) in TRUTH.items()}
CLOSE = 1e-3  # of the range


def model_of(study, file="model.py"):
    """The model file of a study, as a module."""
    spec = importlib.util.spec_from_file_location(f"{study}_model", STUDIES / study / file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def result_of(study, folder, file="study.toml"):
    return uq.Study.from_file(STUDIES / study / file).run(out=folder / study, workers=0, progress=False)


@pytest.fixture(scope="module")
def gearbox():
    return model_of("gearbox_meshing")


@pytest.fixture(scope="module")
def ball():
    return model_of("bouncing_ball").ball


@pytest.fixture(scope="module")
def meshing(tmp_path_factory):
    result = result_of("gearbox_meshing", tmp_path_factory.mktemp("search"))
    result.runs.load()
    return result


@pytest.fixture(scope="module")
def corners_only(tmp_path_factory):
    return result_of("gearbox_meshing", tmp_path_factory.mktemp("vertex"), "vertex.toml")


@pytest.fixture(scope="module")
def bouncing(tmp_path_factory):
    return result_of("bouncing_ball", tmp_path_factory.mktemp("ball"))


@pytest.fixture(scope="module")
def exact(bouncing):
    return exact_ball.exact_band(bouncing.bounds["time"].values, HEIGHTS, RESTITUTIONS)


# the gearbox: its model -----------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "px0, py0, time, impulse, half_digit",
    [
        (-0.0168, 0.0029, 0.158680, 19.465221, 5e-7),
        (-0.0168, 0.0031, 0.151708, 17.079060, 5e-7),
        (-0.0166, 0.0029, 0.155178, 19.210046, 5e-7),
        (-0.0166, 0.0031, 0.150928, 17.012977, 5e-7),
        (-0.0167, 0.0030, 0.15084983, 16.93937928, 5e-9),
    ],
)
def test_corners_and_centre_are_those_of_the_reference(gearbox, px0, py0, time, impulse, half_digit):
    found = gearbox.gearbox(px0, py0, np.zeros(1))
    assert found["meshing_time"][0] == pytest.approx(time, abs=half_digit)
    assert found["impulse"][0] == pytest.approx(impulse, abs=half_digit)


def boundary(gearbox, px0):
    """The two neighbouring numbers py0 between which the order of impacts changes."""
    low, high = 0.0029, 0.0031
    while low < (middle := 0.5 * (low + high)) < high:
        if gearbox.gearbox(px0, middle, np.zeros(1))["sequence"] == FOUR:
            low = middle
        else:
            high = middle
    return low, high


@pytest.mark.parametrize("px0, py0", [(-0.0166, 0.00290815), (-0.0168, 0.00294596)])
def test_the_order_changes_where_the_reference_says(gearbox, px0, py0):
    assert boundary(gearbox, px0)[1] == pytest.approx(py0, abs=5e-9)


def test_the_open_ends_are_the_limits_at_the_boundary(gearbox):
    for order, py0 in zip((FOUR, THREE), boundary(gearbox, -0.0166), strict=True):
        found = gearbox.gearbox(-0.0166, py0, np.zeros(1))
        assert found["sequence"] == order
        assert found["meshing_time"][0] == pytest.approx(TABLE[order]["meshing_time"][0], abs=5e-9)
        assert found["impulse"][0] == pytest.approx(TABLE[order]["impulse"][0], abs=5e-7)


def test_a_sleeve_meshed_while_it_strikes_is_no_error(gearbox):
    """At the boundary it ends on the flank, by rounding a last digit beyond it."""
    for px0 in np.linspace(-0.0168, -0.0166, 21):
        for py0 in boundary(gearbox, px0):
            assert gearbox.gearbox(px0, py0, np.zeros(1))["px"][0][0] == px0


def test_from_a_flank_the_next_time_there_is_not_now(gearbox):
    assert gearbox.first_time(0.0, -2.0, 4.0) == 1.0
    assert gearbox.first_time(0.0, -2.0, -4.0) == np.inf
    assert gearbox.first_time(1.0, 3.0, -4.0) == 0.5  # the smaller of 0.5 and 1
    assert gearbox.first_time(1.0, 1.0, -4.0) == np.inf


def test_histories_of_the_sleeve_are_continuous_and_end_meshed(gearbox):
    time = np.linspace(0.0, 0.18, 18001)
    found = gearbox.gearbox(-0.0168, 0.0029, time)
    assert abs(np.diff(found["px"][0])).max() < 1e-5 and abs(np.diff(found["py"][0])).max() < 1e-5  # below 1 m/s
    assert found["px"][0][-1] == gearbox.MESHED and found["impulse_so_far"][0][-1] == found["impulse"][0]
    assert np.count_nonzero(np.diff(found["impulse_so_far"][0])) == found["impacts"] + 1


def test_a_sleeve_that_never_meshes_is_an_error_with_a_sentence(gearbox, monkeypatch):
    monkeypatch.setattr(gearbox, "LONGEST", 0.1)
    with pytest.raises(ValueError, match=r"not meshed within 0\.1 s, after 2 impacts"):
        gearbox.gearbox(-0.0167, 0.003, np.zeros(1))


# the gearbox: its study -----------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["meshing_time", "impulse"])
def test_bounds_are_within_a_thousandth_of_the_range(meshing, name):
    np.testing.assert_allclose(meshing.bounds[name].values, TRUTH[name], rtol=0, atol=CLOSE * RANGE[name])


@pytest.mark.parametrize("name", ["meshing_time", "impulse"])
def test_bounds_enclose_the_upper_end(meshing, gearbox, name):
    greatest = gearbox.gearbox(-0.0168, 0.0029, np.zeros(1))[name][0]
    assert float(meshing.bounds[name].sel(bound="upper")) >= greatest * (1 - 1e-14)


@pytest.mark.parametrize("name", ["meshing_time", "impulse"])
def test_bounds_enclose_the_lower_end_which_is_a_limit(meshing, gearbox, name):
    limit = gearbox.gearbox(-0.0166, boundary(gearbox, -0.0166)[1], np.zeros(1))[name][0]
    assert float(meshing.bounds[name].sel(bound="lower")) <= limit


@pytest.fixture(scope="module")
def limits(gearbox):
    """Ends of both outputs for each order, to all digits; the lower ones are limits at the boundary."""
    ends = {THREE: (boundary(gearbox, -0.0166)[1], 0.0031), FOUR: (boundary(gearbox, -0.0166)[0], 0.0029)}
    runs = {order: [gearbox.gearbox(px0, py0, np.zeros(1)) for px0, py0 in zip((-0.0166, -0.0168), at)] for order, at in ends.items()}
    return {order: {name: tuple(run[name][0] for run in both) for name in TRUTH} for order, both in runs.items()}


@pytest.fixture(scope="module", params=range(1, 6))
def seeded(request, gearbox):
    """Without histories, which take most of the time."""

    def model(time, px0, py0):
        runs = [gearbox.gearbox(*start, np.zeros(1)) for start in zip(px0, py0)]
        numbers = {name: np.array([run[name][0] for run in runs]) for name in TRUTH}
        return numbers | {"sequence": np.array([run["sequence"] for run in runs])}

    box = {"px0": uq.Interval(-16.8, -16.6, "mm"), "py0": uq.Interval(2.9, 3.1, "mm")}
    return drive(uq.Search(sequence="sequence", max_runs=10_000), box, model, seed=request.param)[0]


@pytest.mark.parametrize("name", ["meshing_time", "impulse"])
def test_bounds_enclose_all_runs_with_any_seed(seeded, limits, name):
    truth = np.array([limits[THREE][name][0], limits[FOUR][name][1]])
    beyond = (truth - seeded.bounds[name].values) * (1, -1)  # a start in metres has rounding
    assert np.all(beyond >= -1e-14 * truth) and np.all(beyond <= CLOSE * RANGE[name])


@pytest.mark.parametrize("order", [THREE, FOUR])
@pytest.mark.parametrize("name", ["meshing_time", "impulse"])
def test_bounds_of_each_order_enclose_its_runs_and_its_limit_with_any_seed(seeded, limits, order, name):
    truth = np.array(limits[order][name])
    beyond = (truth - seeded.regions[name].sel(region=order).values) * (1, -1)
    assert np.all(beyond >= -1e-14 * truth) and np.all(beyond <= CLOSE * RANGE[name])


@pytest.mark.parametrize("order", [THREE, FOUR])
@pytest.mark.parametrize("name", ["meshing_time", "impulse"])
def test_bounds_of_each_order_are_those_of_the_table(meshing, order, name):
    np.testing.assert_allclose(meshing.regions[name].sel(region=order).values, TABLE[order][name], rtol=0, atol=CLOSE * RANGE[name])


def test_shares_of_the_orders_hold_those_of_the_reference(meshing):
    for order, share in ((THREE, 0.864), (FOUR, 0.136)):
        found = meshing.regions.sel(region=order)
        assert float(found["share_lower"]) < share < float(found["share_upper"])


def test_the_jump_of_the_impulse_is_said(meshing):
    said = meshing.attrs["regions"]["impulse"]
    assert said.startswith("sequence 122 in 86") and said.endswith("no run lies between 17.08 and 19.14 N·s")


def test_both_orders_of_impacts_are_found_and_nothing_between_them(meshing):
    orders, impulse = meshing.runs["sequence"].values, meshing.runs["impulse"].values
    assert set(np.unique(orders)) == {THREE, FOUR}
    assert not np.any((impulse > 17.0791) & (impulse < 19.1419))


@pytest.mark.parametrize("order", [THREE, FOUR])
@pytest.mark.parametrize("name", ["meshing_time", "impulse"])
def test_runs_of_either_order_reach_the_bounds_of_the_table(meshing, order, name):
    values = meshing.runs[name].values[meshing.runs["sequence"].values == order]
    np.testing.assert_allclose((values.min(), values.max()), TABLE[order][name], rtol=0, atol=CLOSE * RANGE[name])


def test_corners_miss_the_lower_bound_of_the_impulse(corners_only):
    runs = corners_only.runs.load()
    corner = np.isin(runs["input:px0"].values.round(9), (-0.0168, -0.0166)) & np.isin(runs["input:py0"].values.round(9), (0.0029, 0.0031))
    assert corner.sum() == 4
    assert runs["impulse"].values[corner].min() - TRUTH["impulse"][0] == pytest.approx(0.208, abs=5e-4)
    assert not bool(corners_only.trusted["impulse"])


# the ball: its model --------------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("height, restitution", [(0.95, 0.78), (1.05, 0.82), (1.0, 0.8), (1.02, 0.0)])
def test_flights_of_the_ball_are_those_of_the_formulas(ball, height, restitution):
    time = np.linspace(0.0, 5.0, 1001)
    found = ball(height, restitution, time)
    times = [found[f"impact_{n}"][0] for n in range(1, 11)]
    np.testing.assert_allclose(times, [exact_ball.impact_time(n, height, restitution) for n in range(1, 11)], rtol=1e-14)
    assert found["rest"][0] == pytest.approx(exact_ball.rest_time(height, restitution), rel=1e-13)
    np.testing.assert_allclose(found["y"][0], exact_ball.height(time, height, restitution), rtol=0, atol=1e-9)
    assert not found["y"][0][time > found["rest"][0]].any()


def test_a_ball_that_never_rests_is_an_error_with_a_sentence(ball):
    with pytest.raises(ValueError, match="restitution below 1, not 1 m and 1"):
        ball(1.0, 1.0, np.zeros(1))


def test_the_exact_band_is_that_of_a_dense_grid():
    """Of 40,000 balls none is outside; the greatest comes within a step squared, the least, with its kinks, within a step."""
    start, restitution = (values.ravel() for values in np.meshgrid(np.linspace(*HEIGHTS, 200), np.linspace(*RESTITUTIONS, 200)))
    for time in (0.3, 0.45, 0.9, 1.14, 2.34, 3.12, 3.96):
        (lower,), (upper,) = exact_ball.exact_band([time], HEIGHTS, RESTITUTIONS)
        heights = exact_ball.height(time, start, restitution)
        assert lower - 1e-12 <= heights.min() <= lower + 6e-4 and upper - 8e-6 <= heights.max() <= upper + 1e-12


# the ball: its study --------------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("n", range(1, 11))
def test_bounds_of_the_impact_times(bouncing, n):
    corners = [exact_ball.impact_time(n, *corner) for corner in zip(HEIGHTS, RESTITUTIONS, strict=True)]
    np.testing.assert_allclose(bouncing.bounds[f"impact_{n}"].values, corners, rtol=0, atol=1e-6)


def test_impact_times_printed_in_the_reference(bouncing):
    for n, printed in ((5, (2.405626623, 2.772240909)), (10, (3.227234865, 3.971552774))):
        np.testing.assert_allclose(bouncing.bounds[f"impact_{n}"].values, printed, rtol=0, atol=5e-10)


def test_windows_of_impacts_overlap(bouncing):
    windows = [bouncing.bounds[f"impact_{n}"].values for n in range(1, 11)]
    assert [n for n, (a, b) in enumerate(pairwise(windows), 1) if a[1] > b[0]] == [5, 6, 7, 8, 9]


def test_band_of_the_height_is_hardly_wider_than_the_exact_one(bouncing, exact):
    wide, right = np.ptp(bouncing.bounds["y"].values, axis=0), np.ptp(exact, axis=0)
    assert wide.shape == (201,) and ((wide - right) / right).max() < 0.02


def test_band_of_the_height_encloses_the_exact_one(bouncing, exact):
    lower, upper = bouncing.bounds["y"].values
    assert np.all(lower <= exact[0] + 1e-9) and np.all(upper >= exact[1] - 1e-9)
