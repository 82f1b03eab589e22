"""The extension principle by the method fuzzy: exact memberships, nested levels, and what failures and kinks do."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.special import ellipk

from uqmbd.analysis.chebyshev.expansions import SparseExpansion, TensorExpansion
from uqmbd.analysis.sets.alpha_cuts import nested, transformation_count, transformation_points
from uqmbd.errors import StudyError
from uqmbd.inputs import Fuzzy, Interval, Random
from uqmbd.methods import FuzzyBounds, read_method

from .loop import drive

LEVELS = np.arange(11) / 10


def triangular(lower, mode, upper, unit=""):
    return Fuzzy({"type": "triangular", "lower": lower, "mode": mode, "upper": upper}, unit)


def scalar(function):
    return lambda time, **samples: {"y": function(**samples)}


def bounds(result):
    return result.bounds["y"].values


def test_square_of_a_number_about_zero():
    """x² on Tri(-1, 1, 2), whose cuts leave 0 at alpha = 1/2."""
    result, runs = drive(FuzzyBounds(degree=4), {"x": triangular(-1, 1, 2)}, scalar(lambda x: x**2))
    low, high = -1 + 2 * LEVELS, 2 - LEVELS
    exact = np.column_stack([np.where(low < 0, 0, low**2), high**2])
    # the gap of the verified range is a millionth of the runs' range
    assert bounds(result) == pytest.approx(exact, abs=4.1e-6) and runs == 5 + 10 + 1
    assert np.all(bounds(result)[:, 0] <= exact[:, 0] + 1e-12) and np.all(bounds(result)[:, 1] >= exact[:, 1] - 1e-12)
    assert result.bounds["y"].dims == ("alpha", "bound") and np.array_equal(result.bounds["alpha"], LEVELS)
    assert bool(result.trusted["y"]) and float(result.error["y"]) < 1e-12


def test_product_of_two_numbers():
    """Tri(1, 2, 3) * Tri(2, 3, 5): (1 + α)(2 + α) to (3 - α)(5 - 2α)."""
    inputs = {"a": triangular(1, 2, 3), "b": triangular(2, 3, 5)}
    result, _ = drive(FuzzyBounds(degree=2), inputs, scalar(lambda a, b: a * b))
    assert bounds(result) == pytest.approx(np.column_stack([(1 + LEVELS) * (2 + LEVELS), (3 - LEVELS) * (5 - 2 * LEVELS)]), abs=2e-5)
    assert bounds(result)[-1] == pytest.approx([6, 6], abs=1e-12)


def period(length, amplitude):
    return 4 * np.sqrt(length / 9.81) * ellipk(np.sin(amplitude / 2) ** 2)


PENDULUM = {"length": triangular(950, 1000, 1050, "mm"), "amplitude": triangular(55, 60, 65, "deg")}


@pytest.mark.parametrize("how", [{"degree": 8}, {"grid": "sparse", "trust_tolerance": 1e-7, "max_runs": 300}])
def test_pendulum_period(how):
    """Cuts of REFERENCES, section 6: support, alpha = 0.5, core."""
    result, runs = drive(FuzzyBounds(levels=[0, 0.5, 1], **how), PENDULUM, scalar(period))
    exact = [[2.07420964747429, 2.23428502171599], [2.11322604963115, 2.19320921783107], [2.15287466688052, 2.15287466688052]]
    assert bounds(result) == pytest.approx(np.array(exact), abs=3e-7) and runs <= 310


def test_split_grid_follows_kinks_at_every_level():
    """|x - 0.3| + |z| on Tri(-1, 0, 1) and Tri(-1, 0.5, 1): the kinks are in some cuts and not in others."""
    inputs = {"x": triangular(-1, 0, 1), "z": triangular(-1, 0.5, 1)}
    method = FuzzyBounds(split=True, tolerance=1e-3, max_runs=3000)
    result, _ = drive(method, inputs, scalar(lambda x, z: np.abs(x - 0.3) + np.abs(z)))
    x, z = (np.column_stack([lower, upper]) for lower, upper in [(LEVELS - 1, 1 - LEVELS), (1.5 * LEVELS - 1, 1 - 0.5 * LEVELS)])

    def ends(cut, middle):
        far = np.abs(cut - middle)
        return np.column_stack([np.where((cut[:, 0] <= middle) & (middle <= cut[:, 1]), 0, far.min(axis=1)), far.max(axis=1)])

    exact = ends(x, 0.3) + ends(z, 0.0)
    slack = 1e-3 * 2.3  # `trust_tolerance` of the range: what validation runs say, nothing proves
    assert np.all(bounds(result)[:, 0] <= exact[:, 0] + slack) and np.all(bounds(result)[:, 1] >= exact[:, 1] - slack)
    assert bounds(result) == pytest.approx(exact, abs=0.015) and min(result.attrs["trusted_share_by_level"]) == 1


def test_intervals_stay_whole_at_every_level():
    result, _ = drive(FuzzyBounds(degree=2, levels=3), {"x": triangular(0, 1, 2), "z": Interval(-1, 1)}, scalar(lambda x, z: x + z))
    assert bounds(result) == pytest.approx(np.array([[-1, 3], [-0.5, 2.5], [0, 2]]), abs=1e-5)


def test_histories_have_a_band_for_each_level():
    time = np.linspace(0, 2, 41)
    result, _ = drive(
        FuzzyBounds(degree=10, levels=3), {"w": triangular(2, 3, 4)}, lambda time, w: {"x": np.sin(np.outer(w, time))}, time=time
    )
    assert result.bounds["x"].dims == ("alpha", "bound", "time") and result.trusted["x"].all()
    dense = np.sin(np.outer(np.linspace(2.5, 3.5, 2001), time))
    assert result.bounds["x"].sel(alpha=0.5, bound="upper").values == pytest.approx(dense.max(axis=0), abs=1e-5)
    assert result.bounds["x"].sel(alpha=1).values == pytest.approx(np.sin(3 * time)[None].repeat(2, axis=0), abs=1e-6)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.floats(-2, 2), min_size=9, max_size=9), st.floats(0, 1), st.floats(0, 1))
@example([0.0] * 8 + [2.0], 0.0, 0.0)
def test_levels_are_nested_and_hold_every_value(numbers, left, right):
    c = np.array(numbers).reshape(3, 3)
    x = Fuzzy({"type": "trapezoidal", "lower": -1, "low_mode": -1 + left, "high_mode": 1 - right, "upper": 1})

    def f(x, z):
        return np.polynomial.polynomial.polyval2d(x, z, c) + 1e-3 * np.sin(9 * x)

    result, _ = drive(FuzzyBounds(degree=3, levels=5, fallback_runs=50, level_runs=20), {"x": x, "z": triangular(-1, 0, 1)}, scalar(f))
    found = bounds(result)
    assert np.all(np.diff(found[:, 0]) >= 0) and np.all(np.diff(found[:, 1]) <= 0)
    inner = result.inner["y"].values
    assert np.all(found[:, 0] <= inner[:, 0]) and np.all(inner[:, 1] <= found[:, 1])


def test_order_of_inputs_scale_of_outputs_and_wider_numbers():
    """Permuting the inputs leaves the bounds, scaling an output scales them, widening a support never narrows them."""
    base, _ = drive(FuzzyBounds(degree=8, levels=5), PENDULUM, scalar(period))
    turned, _ = drive(FuzzyBounds(degree=8, levels=5), dict(reversed(PENDULUM.items())), scalar(lambda **x: -3 * period(**x)))
    assert np.sort(bounds(turned) / -3, axis=1) == pytest.approx(bounds(base), abs=1e-6)
    wide, _ = drive(FuzzyBounds(degree=8, levels=5), PENDULUM | {"length": triangular(940, 1000, 1050, "mm")}, scalar(period))
    assert np.all(bounds(wide)[:, 0] <= bounds(base)[:, 0] + 1e-6) and np.all(bounds(wide)[:, 1] >= bounds(base)[:, 1] - 1e-6)


@pytest.mark.parametrize("variant", ["reduced", "general"])
def test_transformation_is_exact_for_monotonic_responses(variant):
    inputs = {"a": triangular(1, 2, 3), "b": triangular(2, 3, 5)}
    result, runs = drive(FuzzyBounds(approach="transformation", variant=variant), inputs, scalar(lambda a, b: a / b))
    exact = np.column_stack([(1 + LEVELS) / (5 - 2 * LEVELS), (3 - LEVELS) / (2 + LEVELS)])
    assert bounds(result) == pytest.approx(exact, rel=1e-12)
    assert runs == (41 if variant == "reduced" else sum(k * k for k in range(1, 12)) - duplicates(inputs))


def duplicates(inputs):
    """Points that several levels share."""
    points = np.concatenate(transformation_points([item.cut for item in inputs.values()], LEVELS, general=True))
    return len(points) - len(np.unique(points.round(12), axis=0))


def test_transformation_on_a_grid_sees_inner_extremes_that_corners_miss():
    """x² on Tri(-1, 0.5, 2): the grid of 11 levels comes to within a step of 0, the corners see only the ends."""
    found = {
        variant: drive(
            FuzzyBounds(approach="transformation", variant=variant, levels=11),
            {"x": triangular(-1, 0, 2)},
            scalar(lambda x: (x - 0.5) ** 2),
        )[0]
        for variant in ("general", "reduced")
    }
    assert bounds(found["general"])[0] == pytest.approx([0, 2.25], abs=0.02)
    assert bounds(found["reduced"])[0][0] >= 0 and bounds(found["general"])[:, 0].max() <= bounds(found["reduced"])[:, 0].max()
    assert "bounds" in found["general"].facts.note or "bound" in found["general"].facts.note


def test_number_of_points_of_the_transformation():
    cuts = [triangular(0, 1, 2).cut, Fuzzy({"type": "trapezoidal", "lower": 0, "low_mode": 1, "high_mode": 2, "upper": 3}).cut]
    for general in (True, False):
        points = transformation_points(cuts, np.linspace(0, 1, 5), general=general)
        assert sum(map(len, points)) == transformation_count([1, 2], 5, general=general)


@pytest.mark.parametrize("kind", ["tensor", "sparse"])
def test_restriction_is_the_same_polynomial(kind):
    rng = np.random.default_rng(0)
    c = rng.normal(size=(4, 3, 5, 2))
    whole = TensorExpansion(c)
    if kind == "sparse":
        whole = SparseExpansion(np.indices((4, 3, 5)).reshape(3, -1).T, c.reshape(-1, 2))
    box = np.array([[-0.3, 0.5], [0.1, 0.1], [-1, 0.2]])
    y = rng.uniform(-1, 1, (20, 3))
    x = box[:, 0] + (y + 1) / 2 * np.ptp(box, axis=1)
    assert whole.restricted(box).evaluate(y) == pytest.approx(whole.evaluate(x), abs=1e-12)


def kinked(x):
    return np.abs(x - 0.2) + x


def test_a_kink_in_the_support_asks_for_runs_and_spares_the_levels_beyond_it():
    """|x - 0.2| + x on Tri(0, 0.7, 1): the support holds the kink, the cuts from 0.29 upwards do not."""
    method = FuzzyBounds(degree=8, levels=[0, 0.1, 0.5, 1], fallback_runs=300)
    result, runs = drive(method, {"x": triangular(0, 0.7, 1)}, scalar(kinked))
    assert not result.trusted["y"] and runs > 100
    found, inner = bounds(result), result.inner["y"].values
    assert found == pytest.approx(inner, abs=0.1) and inner[0] == pytest.approx([0.2, 1.8], abs=0.01)
    assert found[0][0] <= 0.2 and found[0][1] >= 1.8 and found[3] == pytest.approx([1.2, 1.2], abs=0.05)
    share = result.attrs["error_by_level"]["y"]
    assert np.all(np.diff(share) <= 0.02)  # a search's doubt about each level is its own


def failing(share):
    """Fails run 17, or a random share of every batch, at least one."""

    def fail(samples):
        n = len(samples["amplitude"])
        if share == "one":
            return np.arange(n) == 17
        return np.random.default_rng(n).permutation(n) < max(1, round(share * n))

    return fail


@pytest.mark.parametrize("share", ["one", 0.01])
def test_a_few_failed_runs_leave_the_bounds_within_their_error(share):
    clean, _ = drive(FuzzyBounds(degree=8, levels=3), PENDULUM, scalar(period))
    result, _ = drive(FuzzyBounds(degree=8, levels=3), PENDULUM, scalar(period), fail=failing(share))
    assert result.attrs["runs_failed"] >= 1
    slack = 4 * float(result.error["y"]) + 1e-6
    assert bounds(result) == pytest.approx(bounds(clean), abs=slack)
    assert np.all(bounds(result)[:, 0] <= bounds(clean)[:, 0] + 1e-6) and np.all(bounds(result)[:, 1] >= bounds(clean)[:, 1] - 1e-6)


@pytest.mark.parametrize("approach", ["surrogate", "transformation"])
def test_many_failed_runs_stop_the_method_and_say_where(approach):
    with pytest.raises(StudyError, match=r"amplitude > .* deg"):
        drive(FuzzyBounds(degree=8, levels=5, approach=approach), PENDULUM, scalar(period), fail=lambda s: s["amplitude"] > np.radians(63))


def test_failed_runs_of_the_transformation_are_left_out_and_said():
    result, _ = drive(FuzzyBounds(approach="transformation"), PENDULUM, scalar(period), fail=failing("one"))
    assert result.attrs["runs_failed"] >= 1 and "failed and are left out" in result.facts.note
    assert np.isfinite(bounds(result)).all()


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"levels": 1}, "number of levels is from 2"),
        ({"levels": [0, 0.5, 0.4, 1]}, "ascend from 0 to 1"),
        ({"levels": [0.2, 1]}, "ascend from 0 to 1"),
        ({"levels": "many"}, "ascend from 0 to 1"),
        ({"approach": "hanss"}, "surrogate"),
        ({"level": 3}, 'did you mean "levels"'),
    ],
)
def test_wrong_settings(table, words):
    with pytest.raises(StudyError, match=words):
        read_method({"type": "fuzzy", **table})


def test_too_many_runs_of_the_transformation():
    with pytest.raises(StudyError, match="more than max_runs"):
        FuzzyBounds(approach="transformation", levels=21).check({name: triangular(0, 1, 2) for name in "abcd"})
    with pytest.raises(StudyError, match="cannot treat the input 'r' of kind random"):
        FuzzyBounds().check({"r": Random({"type": "normal", "mean": 0, "std": 1})})


def test_a_level_that_is_not_trusted_cuts_none_and_holds_the_next():
    """What runs reached on the support is no bound of what the expansion reaches on a narrower level."""
    found = np.array([[0.0, 1.0], [-0.2, 1.3], [-0.3, 1.2], [0.4, 0.5]])[:, :, None]
    held = np.array([False, True, True, False])[:, None]
    assert nested(found, held)[:, :, 0].tolist() == [[-0.2, 1.3], [-0.2, 1.3], [-0.2, 1.2], [0.4, 0.5]]


def test_a_level_that_is_not_trusted_stays_within_the_wider_one_that_is():
    found = np.array([[0.0, 1.0], [0.1, 1.2], [-0.1, 0.6]])[:, :, None]
    held = np.array([True, False, False])[:, None]
    assert nested(found, held)[:, :, 0].tolist() == [[0.0, 1.0], [0.0, 1.0], [0.0, 0.6]]
