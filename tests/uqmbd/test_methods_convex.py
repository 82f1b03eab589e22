"""Bounds over convex sets against closed forms and independent optimisers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from uqmbd.analysis.chebyshev.expansions import SparseExpansion
from uqmbd.analysis.chebyshev.sparse_chebyshev import Dense, Terms
from uqmbd.analysis.sets.convex_body import Body
from uqmbd.analysis.sets.set_bounds import ball_range, extremes
from uqmbd.errors import StudyError
from uqmbd.inputs import ConvexSet, Interval, Random, Space
from uqmbd.methods import Chebyshev, ConvexBounds, MonteCarlo, read_method
from uqmbd.regions.body import body_of

from .loop import drive

BOX = {"a": Interval(0, 2), "b": Interval(1, 5), "c": Interval(-1, 1)}
MIDDLE, HALF = np.array([1.0, 3.0, 0.0]), np.array([1.0, 2.0, 1.0])
R = np.array([[1, 0.5, -0.2], [0.5, 1, 0.3], [-0.2, 0.3, 1]])
PAIRS = [["a", "b", 0.5], ["a", "c", -0.2], ["b", "c", 0.3]]
ELLIPSOID = Space(BOX, sets={"all": {"inputs": ["a", "b", "c"], "correlation": PAIRS}})


def scalar(function):
    return lambda time, **samples: {"y": function(**samples)}


def linear(a, b, c):
    return 3 * a - b + 2 * c + 1


SLOPE = np.array([3.0, -1, 2])


def test_linear_function_over_an_ellipsoid():
    """Centre ± √(gᵀ C g) with C = D R D."""
    result, runs = drive(ConvexBounds(degree=2), ELLIPSOID, scalar(linear))
    radius = np.sqrt((SLOPE * HALF) @ R @ (SLOPE * HALF))
    assert result.bounds["y"].values == pytest.approx([1 - radius, 1 + radius], abs=1e-9)
    assert result.inner["y"].values == pytest.approx([1 - radius, 1 + radius], abs=1e-9)  # confirmed by runs
    assert result.attrs["exact_share"] == 1 and result.attrs["runs_confirm"] == 2 and runs == 27 + 10 + 2


def test_quadratic_function_over_an_ellipsoid():
    """Against SLSQP from many starts."""
    h = np.array([[1, 2, 0], [2, -3, 1], [0, 1, 2.0]])

    def f(a, b, c):
        x = np.stack([a, b, c])
        return np.einsum("i...,ij,j...->...", x, h, x) / 2 + linear(a, b, c)

    result, _ = drive(ConvexBounds(degree=2), ELLIPSOID, scalar(f))
    factor = HALF[:, None] * np.linalg.cholesky(R)

    def at(w, sign):
        return sign * f(*(MIDDLE + factor @ w))

    inside = {"type": "ineq", "fun": lambda w: 1 - w @ w}
    starts = np.random.default_rng(0).normal(size=(12, 3)) / 2
    low, high = (
        min(minimize(at, w, (sign,), constraints=inside, options={"ftol": 1e-14, "maxiter": 300}).fun for w in starts) for sign in (1, -1)
    )
    assert result.bounds["y"].values == pytest.approx([low, -high], abs=1e-6)
    assert result.attrs["exact_share"] == 1


def test_several_sets_and_a_free_interval():
    """The radii of the factors add up."""
    box = {name: Interval(-1, 1) for name in "abcde"}
    sets = {
        "one": {"inputs": ["a", "c"], "correlation": [["a", "c", 0.6]]},
        "two": {"inputs": ["d", "b"], "correlation": [["b", "d", -0.8]]},
    }
    space = Space(box, sets=sets)
    result, _ = drive(ConvexBounds(degree=1), space, scalar(lambda a, b, c, d, e: a + 2 * b + c - d + 0.5 * e))
    radius = np.sqrt(1 + 1 + 2 * 0.6) + np.sqrt(4 + 1 + 2 * 2 * -1 * -0.8) + 0.5
    assert result.bounds["y"].values == pytest.approx([-radius, radius], abs=1e-9)


def test_hyper_rotated_box():
    """Two inputs of correlation ρ: a rhombus with corners ±(1, 1) and ±√((1-ρ)/(1+ρ)) (1, -1)."""
    rho = 0.6
    space = Space(
        {"a": Interval(-1, 1), "b": Interval(-1, 1)}, sets={"s": {"inputs": ["a", "b"], "shape": "box", "correlation": [["a", "b", rho]]}}
    )
    across = np.sqrt((1 - rho) / (1 + rho))
    for g in ([1, 1], [1, -1], [3, 1]):
        result, _ = drive(ConvexBounds(degree=1), space, scalar(lambda a, b, g=g: g[0] * a + g[1] * b))
        radius = max(abs(g[0] + g[1]), across * abs(g[0] - g[1]))
        assert result.bounds["y"].values == pytest.approx([-radius, radius], abs=1e-9)
    points = body_of(space).sample(np.random.default_rng(1).random((40_000, 2)))
    assert np.corrcoef(points.T)[0, 1] == pytest.approx(rho, abs=0.02)
    assert np.abs(points).max() <= 1


def test_smooth_function_against_a_dense_sample_of_the_set_and_inside_the_box():
    def f(a, b, c):
        return np.sin(a * b) * np.exp(c / 2)

    result, _ = drive(ConvexBounds(degree=16), ELLIPSOID, scalar(f))
    body = body_of(ELLIPSOID)
    x = MIDDLE + HALF * body.sample(np.random.default_rng(2).random((400_000, 3)))
    dense = f(*x.T)
    low, high = result.bounds["y"].values
    assert bool(result.trusted["y"])
    assert low <= dense.min() and high >= dense.max()
    assert low == pytest.approx(dense.min(), abs=0.02) and high == pytest.approx(dense.max(), abs=0.02)
    box, _ = drive(Chebyshev(degree=16), BOX, scalar(f))
    assert box.bounds["y"].values[0] <= low and high <= box.bounds["y"].values[1]
    assert result.inner["y"].values == pytest.approx([low, high], abs=1e-3)  # the confirming runs reach the bounds


def test_histories_for_all_times_at_once():
    time = np.linspace(0, 3, 61)
    space = Space({"a": Interval(0.9, 1.1), "w": Interval(1.8, 2.2)}, sets={"s": {"inputs": ["a", "w"], "correlation": [["a", "w", 0.7]]}})
    result, _ = drive(ConvexBounds(degree=9), space, lambda time, a, w: {"x": a[:, None] * np.cos(np.outer(w, time))}, time=time)
    t = np.linspace(0, 2 * np.pi, 20_001)
    g = np.linalg.cholesky(np.array([[1, 0.7], [0.7, 1]]))
    edge = g @ np.stack([np.cos(t), np.sin(t)])
    values = (1 + 0.1 * edge[0])[:, None] * np.cos(np.outer(2 + 0.2 * edge[1], time))
    inside = body_of(space).sample(np.random.default_rng(0).random((20_000, 2)))
    more = (1 + 0.1 * inside[:, :1]) * np.cos(np.outer(2 + 0.2 * inside[:, 1], time))
    assert result.bounds["x"].sel(bound="upper").values == pytest.approx(np.maximum(values.max(axis=0), more.max(axis=0)), abs=1e-5)
    assert result.bounds["x"].sel(bound="lower").values == pytest.approx(np.minimum(values.min(axis=0), more.min(axis=0)), abs=1e-5)


@pytest.mark.parametrize("shape", ["ellipsoid", "box"])
def test_order_of_inputs_and_scale_of_outputs(shape):
    """Permuting the inputs leaves the bounds, scaling an output scales them."""

    def f(a, b, c):
        return np.exp(a / 2) * b - c**2

    found = []
    for order, factor in (("abc", 1.0), ("cab", 1.0), ("bca", -7.0)):
        space = Space({name: BOX[name] for name in order}, sets={"s": {"inputs": list(order[::-1]), "shape": shape, "correlation": PAIRS}})
        result, _ = drive(ConvexBounds(degree=7, trust_tolerance=1e-2), space, scalar(lambda a, b, c, k=factor: k * f(a, b, c)))
        assert bool(result.trusted["y"])
        found.append(np.sort(result.bounds["y"].values / factor))
    assert found[1] == pytest.approx(found[0], abs=1e-5) and found[2] == pytest.approx(found[0], abs=1e-5)


@settings(max_examples=15, deadline=None)
@given(st.floats(0, 0.95), st.floats(0, 0.95), st.integers(0, 2**31))
def test_a_set_of_less_correlation_along_the_slope_has_the_narrower_bounds(one, two, seed):
    """gᵀ R g grows with ρ where both slopes are positive; and no set leaves its box."""
    g = np.random.default_rng(seed).uniform(0.1, 1, 2)
    radius = []
    for rho in sorted((one, two)):
        for shape in ("ellipsoid", "box"):
            made = ConvexSet(inputs=["a", "b"], shape=shape, correlation=[["a", "b", rho]])
            radius.append(Body(made.generators, (((0, 1), shape == "ellipsoid"),)).linear_radius(g[:, None])[0])
    assert radius[0] <= radius[2] + 1e-12 and radius[1] <= radius[3] + 1e-12 and max(radius) <= g.sum() + 1e-12


def test_runs_within_the_set_only():
    """A model that works where its inputs belong together, and nowhere else."""
    seen = []

    def f(a, b, c):
        seen.append(np.stack([a, b, c]))
        return np.exp((a + b) / 4) + c**2

    result, runs = drive(ConvexBounds(degree=5, within=True, fallback_runs=0), ELLIPSOID, scalar(f))
    x = (np.concatenate(seen[1:], axis=1).T - MIDDLE) / HALF
    assert np.einsum("ij,jk,ik->i", x, np.linalg.inv(R), x).max() <= 1 + 1e-9
    assert runs == 112 + 28 + 2 and bool(result.trusted["y"])
    full, _ = drive(ConvexBounds(degree=8), ELLIPSOID, scalar(f))
    assert result.bounds["y"].values == pytest.approx(full.bounds["y"].values, abs=0.02)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 4), st.integers(0, 2**31), st.booleans())
def test_quadratic_over_the_ball_by_its_dual(d, seed, hard):
    """The place found is in the ball and has the dual's value, so both are the least; hard cases have no slope along the lowest axis."""
    rng = np.random.default_rng(seed)
    b, h = rng.normal(size=d), rng.normal(size=(d, d))
    h = h + h.T
    if hard:
        h, b[0] = np.diag(np.linalg.eigvalsh(h)), 0.0
    value, place = (item[0] for item in ball_range(b[None], h[None]))
    assert np.linalg.norm(place) <= 1 + 1e-12
    assert b @ place + place @ h @ place / 2 == pytest.approx(value, abs=1e-10)
    w = rng.normal(size=(500, d))
    w = np.concatenate([w / np.linalg.norm(w, axis=1)[:, None], w / (4 + np.linalg.norm(w, axis=1)[:, None])])
    assert np.all(w @ b + np.einsum("ij,jk,ik->i", w, h, w) / 2 >= value - 1e-12)


def test_search_on_a_product_of_a_ball_and_a_cube():
    """Quadratic columns have no closed form there; every column ends at least as far as a dense sample."""
    rng = np.random.default_rng(0)
    g = np.eye(4)
    g[:2, :2] = np.linalg.cholesky(np.array([[1, 0.4], [0.4, 1]]))
    body = Body(g, (((0, 1), True), ((2, 3), False)))
    exponents = np.indices((4, 4, 3, 3)).reshape(4, -1).T
    c = rng.normal(size=(len(exponents), 50)) * np.exp(-exponents.sum(axis=1))[:, None]
    found, places, exact = extremes(exponents, c, body, rng.random((1024, 4)))
    values = SparseExpansion(exponents, c).evaluate(body.sample(rng.random((50_000, 4))))
    assert not exact.any() and body.contains(places.reshape(-1, 4)).all()
    assert np.all(found[0] <= values.min(axis=0)) and np.all(found[1] >= values.max(axis=0))
    at = SparseExpansion(exponents, c).evaluate(places[1]).diagonal()
    assert at == pytest.approx(found[1], abs=1e-12)


def test_slopes_of_both_forms():
    rng = np.random.default_rng(0)
    exponents = np.indices((3, 4, 2)).reshape(3, -1).T
    c, owner, x = rng.normal(size=(24, 5)), rng.integers(0, 5, 9), rng.uniform(-1, 1, (9, 3))
    value, slope = Terms(exponents, c).value_and_slope(owner, x)
    again, steep = Dense(exponents, c).value_and_slope(owner, x)
    assert value == pytest.approx(again, abs=1e-13) and slope == pytest.approx(steep, abs=1e-12)
    whole = SparseExpansion(exponents, c)
    for axis, step in enumerate(1e-6 * np.eye(3)):
        difference = (whole.evaluate(x + step) - whole.evaluate(x - step)) / 2e-6
        assert slope[:, axis] == pytest.approx(difference[np.arange(9), owner], abs=1e-7)


def test_points_of_a_ball_are_uniform():
    """Half of them are inside the radius 2^(-1/d)."""
    body = Body(np.eye(3), (((0, 1, 2), True),))
    length = np.linalg.norm(body.sample(np.random.default_rng(0).random((20_000, 3))), axis=1)
    assert length.max() <= 1 and np.mean(length < 0.5 ** (1 / 3)) == pytest.approx(0.5, abs=0.015)


def curved(a, b, c):
    return np.exp(a / 2) * b + c


@pytest.mark.parametrize("share", ["one", 0.01])
@pytest.mark.parametrize("within", [False, True])
def test_a_few_failed_runs_leave_the_bounds_within_their_error(share, within):
    def fail(samples):
        n = len(samples["a"])
        return np.arange(n) == 17 if share == "one" else np.random.default_rng(n).permutation(n) < max(1, round(share * n))

    method = ConvexBounds(degree=5, within=within, confirm=False)
    clean, _ = drive(method, ELLIPSOID, scalar(curved))
    result, _ = drive(method, ELLIPSOID, scalar(curved), fail=fail)
    assert result.attrs["runs_failed"] >= 1 and "failed" in result.facts.note
    slack = 4 * float(result.error["y"]) + 1e-3 * np.ptp(clean.bounds["y"].values)
    assert result.bounds["y"].values == pytest.approx(clean.bounds["y"].values, abs=slack)


def test_many_failed_runs_stop_the_method_and_say_where():
    with pytest.raises(StudyError, match="a > "):
        drive(ConvexBounds(degree=5), ELLIPSOID, scalar(curved), fail=lambda samples: samples["a"] > np.quantile(samples["a"], 0.8))


def test_who_treats_what():
    with pytest.raises(StudyError, match="needs a set"):
        ConvexBounds().check(BOX)
    with pytest.raises(StudyError, match="chebyshev cannot treat intervals that are bound") as error:
        Chebyshev(degree=2).check(ELLIPSOID)
    assert error.value.key == "sets" and "convex" in error.value.remedy
    normal = {name: Random({"type": "normal", "mean": 0, "std": 1}) for name in "ab"}
    MonteCarlo(samples=10).check(Space(normal, {"rank_correlation": [["a", "b", 0.5]]}))


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"split": True, "within": True}, "one total degree"),
        ({"corner_runs": True}, "corners of the box are not in the set"),
        ({"within": True, "degree": {"a": 3}}, "one total degree"),
        ({"within": True, "degree": 40}, "more than max_runs"),
        ({"confrim": True}, 'did you mean "confirm"'),
    ],
)
def test_wrong_settings(table, words):
    with pytest.raises(StudyError, match=words):
        read_method({"type": "convex", **table}).check(ELLIPSOID)


@given(st.lists(st.floats(-1, 1), min_size=7, max_size=7))
@settings(max_examples=40, deadline=None)
def test_linear_bound_over_a_part_of_a_set(numbers):
    """It holds all points that are in the set and in the box, and is the set's own where the box is whole."""
    *slope, low, middle, high, rho = numbers
    slope = np.array(slope)[:, None]
    body = Body(np.linalg.cholesky(np.array([[1, 0.9 * rho, 0], [0.9 * rho, 1, 0], [0, 0, 1]])), (((0, 1), True), ((2,), False)))
    box = np.array([sorted([low, high]), [-1, 1], sorted([middle, 1])])
    points = body.sample(np.random.default_rng(0).random((4000, 3)))
    inside = points[np.all((points >= box[:, 0]) & (points <= box[:, 1]), axis=1)]
    assert (inside @ slope).max(initial=-np.inf) <= body.linear_bound(slope, box)[0] + 1e-12
    whole = np.tile([-1.0, 1.0], (3, 1))
    assert body.linear_bound(slope, whole) == pytest.approx(body.linear_radius(slope), abs=1e-12)


@pytest.mark.parametrize("rho", [0.5, -0.8])
def test_split_grid_follows_a_kink_over_an_ellipse(rho):
    """|s| + t, s and t of the unit ellipse with correlation ρ: up to √(2 + 2|ρ|), down to -√(1 - ρ²) where s = 0."""
    space = Space({"a": Interval(0, 2), "b": Interval(1, 5)}, sets={"s": {"inputs": ["a", "b"], "correlation": [["a", "b", rho]]}})
    method = ConvexBounds(split=True, tolerance=1e-3, max_runs=3000)
    result, _ = drive(method, space, scalar(lambda a, b: np.abs(a - 1.0) + (b - 3) / 2))
    exact = np.array([-np.sqrt(1 - rho**2), np.sqrt(2 + 2 * abs(rho))])
    lower, upper = result.bounds["y"].values
    assert result.trusted["y"] and lower <= exact[0] + 1e-9 and upper >= exact[1] - 1e-9
    assert [lower, upper] == pytest.approx(exact, abs=1e-3)


def test_a_set_brings_its_inputs():
    """A covariance says where its inputs lie: 3 standard deviations about the centre."""
    made = ConvexSet(inputs=("x", "y"), covariance=[[4, 1], [1, 1]], center=[10, 5], radius=3, units=["mm", ""])
    space = Space({}, sets={"s": made})
    result, _ = drive(ConvexBounds(degree=1), space, scalar(lambda x, y: 1000 * x + y))
    radius = 3 * np.sqrt(4 + 1 + 2)
    assert space["x"].describe() == "[4, 16] mm" and result.bounds["y"].values == pytest.approx([15 - radius, 15 + radius], abs=1e-9)
