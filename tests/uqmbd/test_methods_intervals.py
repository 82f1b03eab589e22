"""Interval methods for many inputs: sparse grids, Taylor inclusion, vertices, monotonic inputs; and when runs fail."""

import numpy as np
import pytest
from scipy.special import ellipk

from uqmbd.errors import StudyError
from uqmbd.inputs import Interval
from uqmbd.methods import METHODS, Chebyshev, Taylor1, Taylor2, Vertex, read_method

from .loop import drive
from .test_methods_chebyshev import KNOWN, LENGTHS, G, double_pendulum, scalar

NO_FALLBACK = {"fallback_runs": 0}


def box(d, low=-1.0, high=1.0):
    return {f"x{i}": Interval(low, high) for i in range(d)}


def of_points(function):
    """A model with the scalar output of a function of points (n, d)."""
    return lambda time, **samples: {"f:value": function(np.column_stack(list(samples.values())))}


def excess(result, low, high, name="f:value"):
    """By how much the bounds exceed the range, relative to it; negative if they do not hold it."""
    lower, upper = result.bounds[name].values
    return np.array([low - lower, upper - high]) / (high - low)


@pytest.mark.parametrize(("name", "runs"), [("x - sin x", 40), ("x sin x", 55), ("rastrigin", 60), ("e^-x cos 3x", 45)])
def test_known_ranges_in_one_input(name, runs):
    function, ends, (low, high) = KNOWN[name]
    result, count = drive(Chebyshev(grid="sparse", tolerance=1e-8), {"x": Interval(*ends)}, scalar(function))
    over = excess(result, low, high)
    assert bool(result.trusted["f:value"]) and count <= runs
    assert np.all(over >= -1e-14) and np.all(over <= 1e-6 + 2 * float(result.error["f:value"]) / (high - low))


def test_pendulum_period():
    def period(length, amplitude):
        return 4 * np.sqrt(length / G) * ellipk(np.sin(amplitude / 2) ** 2)

    inputs = {"length": Interval(950, 1050, "mm"), "amplitude": Interval(55, 65, "deg")}
    result, count = drive(Chebyshev(grid="sparse", tolerance=1e-6, corner_runs=True), inputs, scalar(period))
    assert count <= 45 and result.attrs["runs_corners"] <= 2
    assert result.bounds["f:value"].values == pytest.approx([2.07420964747429, 2.23428502171599], abs=5e-7)
    assert result.inner["f:value"].values == pytest.approx([2.07420964747429, 2.23428502171599], abs=1e-13)
    assert result.attrs["monotonic"] == {"length": 1.0, "amplitude": 1.0}


def test_double_pendulum():
    """REFERENCES, section 6."""
    time = np.linspace(0, 1, 201)
    result, count = drive(Chebyshev(grid="sparse", tolerance=1e-6), LENGTHS, double_pendulum, time=time)
    reference = {
        0.5: {"theta1": (0.171298967, 0.224293768), "theta2": (0.689599730, 0.719591041)},
        1.0: {"theta1": (-0.903783228, -0.861222793), "theta2": (-0.534122140, -0.411633228)},
    }
    assert count <= 41
    for at, angles in reference.items():
        for name, ends in angles.items():
            assert result.bounds[name].sel(time=at, method="nearest").values == pytest.approx(ends, abs=2e-6)


MANY = {  # inputs, function of points on [-1, 1]^d, range, most runs, largest excess relative to the range
    "separable": (8, lambda x: np.sin(x * np.arange(1, 9) / 6).sum(axis=1), np.sin(np.arange(1, 9) / 6).sum(), 420, 1e-4),
    "exponential": (8, lambda x: np.sinh(x @ np.linspace(0.02, 0.1, 8)), np.sinh(np.linspace(0.02, 0.1, 8).sum()), 1350, 1e-3),
    "pairs": (8, lambda x: np.sin(x[:, 0] * x[:, 1]) + x[:, 2] * x[:, 3] + x[:, 4:].sum(axis=1), np.sin(1) + 5, 340, 3e-4),
    "triples": (6, lambda x: x[:, 0] * x[:, 1] * x[:, 2] + x[:, 3] * np.sin(x[:, 4]) + x[:, 5], 2 + np.sin(1), 600, 1e-3),
}


@pytest.mark.parametrize("name", MANY)
def test_known_ranges_up_to_eight_inputs(name):
    """All ranges are symmetric. The tensor grid of degree 2 alone has 6561 nodes in 8 inputs."""
    d, function, high, most, over = MANY[name]
    result, count = drive(Chebyshev(grid="sparse", corner_runs=True), box(d), of_points(function))
    assert bool(result.trusted["f:value"]) and count <= most
    assert np.all(excess(result, -high, high) >= 0) and np.all(excess(result, -high, high) <= over)
    assert result.attrs["gap_reached_share"] == 1


def test_runs_go_where_they_matter():
    result, count = drive(
        Chebyshev(grid="sparse", tolerance=1e-6), box(8), of_points(lambda x: np.exp(np.sin(3 * x[:, 0])) + 0.1 * x[:, 1] * x[:, 2])
    )
    degrees = result.attrs["degrees"]
    assert degrees[0] >= 16 and max(degrees[1:]) <= 4 and count < 350


def test_sparse_grid_stops_at_tolerance_and_budget():
    def rough(x):
        return np.abs(x[:, 0] + 0.3 * x[:, 1]) + np.cos(3 * x[:, 2])

    loose, few = drive(Chebyshev(grid="sparse", tolerance=0.05, **NO_FALLBACK), box(3), of_points(rough))
    method = Chebyshev(grid="sparse", tolerance=1e-9, max_runs=300, **NO_FALLBACK)
    strict, many = drive(method, box(3), of_points(rough))
    assert few < many <= 300 and not strict.trusted["f:value"]
    assert float(loose.error["f:value"]) <= 0.05 * float(loose.inner["f:value"].diff("bound").item())
    assert method.planned_runs(box(3)) == (17, 300)


def test_interactions_that_the_axes_do_not_show_are_found_by_validation():
    result, count = drive(Chebyshev(grid="sparse"), box(3), of_points(lambda x: x[:, 0] * x[:, 1] * x[:, 2]))
    assert result.bounds["f:value"].values == pytest.approx([-1, 1], abs=1e-12) and count < 120
    assert result.attrs["coupled_inputs"] == 3


def test_histories_are_expanded_at_all_times_and_impacts_do_not_claim_all_runs():
    time = np.linspace(0, 1, 201)

    def model(time, a, b, c):
        smooth = np.exp(0.3 * np.outer(a, time)) * (1 + 0.2 * b * c)[:, None]
        return {"x": smooth + 0.3 * (np.asarray(time) > 0.5 + 0.004 * a[:, None])}

    inputs = {name: Interval(-1, 1) for name in "abc"}
    result, count = drive(Chebyshev(grid="sparse", max_runs=400, **NO_FALLBACK), inputs, model, time=time)
    trusted = result.trusted["x"].values
    assert count <= 400 and trusted[:95].all() and trusted[106:].all() and not trusted.all()
    assert np.isinf(result.trust_horizon["x"])


@pytest.mark.parametrize("method", [Chebyshev(grid="sparse", corner_runs=True), Taylor2(), Vertex()])
def test_batches_do_not_change_what_is_reported_and_inputs_may_change_places(method):
    def model(time, a, b, c):
        return {"f:value": np.exp(0.4 * a) + 0.3 * b - 0.2 * c + 0.1 * a * b}

    inputs = {name: Interval(-1, 1) for name in "abc"}
    one, count = drive(method, inputs, model, batch=1000)
    other, _ = drive(method, inputs, model, batch=7)
    for (_, a), (_, b) in zip(one.groups(), other.groups()):
        assert a.identical(b)
    swapped, _ = drive(method, {name: inputs[name] for name in "cab"}, model)
    width = float(one.bounds["f:value"].diff("bound").item())
    margin = 8 * max(float(r.error["f:value"]) for r in (one, swapped))
    assert swapped.bounds["f:value"].values == pytest.approx(one.bounds["f:value"].values, abs=1e-6 * width + margin)
    scaled, _ = drive(method, inputs, lambda time, **s: {"f:value": 1000 * model(time, **s)["f:value"]})
    assert scaled.bounds["f:value"].values == pytest.approx(1000 * one.bounds["f:value"].values, rel=1e-9)


def linear(x):
    return 3 * x[:, 0] - x[:, 1] + 0.5 * x[:, 2] + 2


def quadratic(x):
    return x[:, 0] ** 2 + x[:, 0] * x[:, 1] - 2 * x[:, 1] * x[:, 2] + x[:, 2]


def test_taylor_is_exact_for_its_order():
    """The quadratic: with z = -1 at y = -1 it is x² - x + ... : least -13/4 at x = 1/2, y = -1, z = -1; greatest 5."""
    first, count = drive(Taylor1(), box(3), of_points(linear))
    assert count == 7 + 10 and first.bounds["f:value"].values == pytest.approx([-2.5, 6.5], abs=1e-11)
    second, count = drive(Taylor2(), box(3), of_points(quadratic))
    assert count == 13 + 10 and second.bounds["f:value"].values == pytest.approx([-3.25, 5], abs=2e-5)
    assert second.bounds["f:value"].values[0] <= -3.25
    poor, count = drive(Taylor1(), box(3), of_points(quadratic))
    assert count == 2 * 17 and not poor.trusted["f:value"]


@pytest.mark.parametrize("method", [Taylor1(), Taylor2()])
def test_taylor_of_x_sin_x_is_not_trusted(method):
    function, ends, (low, high) = KNOWN["x sin x"]
    result, _ = drive(method.model_copy(update={"fallback_runs": 400}), {"x": Interval(*ends)}, scalar(function))
    assert result.bounds["f:value"].values == pytest.approx([low, high], abs=0.1)  # those of a search
    alone, _ = drive(method.model_copy(update=NO_FALLBACK), {"x": Interval(*ends)}, scalar(function))
    lower, upper = alone.bounds["f:value"].values
    assert not alone.trusted["f:value"] and float(alone.error["f:value"]) > 5 and lower < low and upper > high


def test_taylor_underestimates_what_only_the_ends_show():
    """Wu et al. compare on such functions: the parabola at the centre of 1 + x + x² / 2 + x⁴ does not know of x⁴."""
    model = scalar(lambda x: 1 + x + x**2 / 2 + x**4)
    result, _ = drive(Taylor2(trust_tolerance=0.9, safety=1.0, step=1e-2, **NO_FALLBACK), {"x": Interval(-1, 1)}, model)
    surrogate = float(result.bounds["f:value"].sel(bound="upper")) - float(result.error["f:value"])
    assert surrogate < 3.0 and float(result.error["f:value"]) > 0.3
    assert not drive(Taylor2(), {"x": Interval(-1, 1)}, model)[0].trusted["f:value"]


def test_vertex_is_exact_for_monotonic_responses_and_says_when_they_are_not():
    result, count = drive(Vertex(), box(3), of_points(lambda x: np.exp(0.8 * x[:, 0] + x[:, 1]) - x[:, 2] ** 3))
    assert count == 8 + 10 + 2 * 3 and bool(result.trusted["f:value"])
    assert result.bounds["f:value"].values == pytest.approx([np.exp(-1.8) - 1, np.exp(1.8) + 1], abs=1e-14)
    for function in (quadratic, lambda x: (x**2).sum(axis=1), lambda x: np.sin(3 * x[:, 0]) + x[:, 1]):
        assert not drive(Vertex(), box(3), of_points(function))[0].trusted["f:value"]
    product, _ = drive(Vertex(), box(3), of_points(lambda x: x[:, 0] * x[:, 1] * x[:, 2]))  # linear in each input
    assert bool(product.trusted["f:value"]) and product.bounds["f:value"].values.tolist() == [-1, 1]


def test_corner_runs_reach_the_range_of_monotonic_histories():
    time = np.linspace(0, 1, 11)

    def model(time, **x):
        return {"h": np.sinh(sum(k * value for k, value in enumerate(x.values(), 1))[:, None] * 0.05) * (0.5 + np.asarray(time))}

    result, count = drive(Chebyshev(grid="sparse", tolerance=0.01, trust_tolerance=0.01, corner_runs=True), box(5), model, time=time)
    exact = np.sinh(0.75) * (0.5 + time)
    assert np.array_equal(result.bounds["h"], result.inner["h"]) and result.attrs["runs_corners"] <= 2
    assert result.attrs["monotonic"] == {f"x{i}": 1.0 for i in range(5)}
    assert result.inner["h"].values == pytest.approx(np.array([-exact, exact]), rel=1e-14)


METHODS_THAT_COPE = [Chebyshev(grid="sparse"), Taylor2(max_failed=0.3), Vertex(max_failed=0.3), Chebyshev(degree=4)]


@pytest.mark.parametrize("method", METHODS_THAT_COPE, ids=lambda m: f"{m.name}-{getattr(m, 'grid', '')}")
def test_one_failed_run_does_not_ruin_the_study(method):
    """The run nearest to a point of the design fails: an end of one input, or a corner."""

    def model(time, x, y):
        return {"f:value": 2 * x + 0.3 * y + 0.1 * x * y + 0.05 * x**2}

    inputs = {"x": Interval(-1, 1), "y": Interval(-1, 1)}
    whole, count = drive(method, inputs, model)
    at = {"taylor2": (0.1, 0.0), "vertex": (1.0, -1.0)}.get(method.name, (1.0, 0.0))
    lost, _ = drive(method, inputs, model, fail=lambda s: (abs(s["x"] - at[0]) < 1e-9) & (abs(s["y"] - at[1]) < 1e-9))
    assert lost.attrs["runs_failed"] == 1 and "failed" in lost.facts.note
    width = float(whole.bounds["f:value"].diff("bound").item())
    margin = (0.05 if method.name == "taylor2" else 1e-3) * width  # one second derivative is lost
    assert lost.bounds["f:value"].values == pytest.approx(whole.bounds["f:value"].values, abs=margin)


@pytest.mark.parametrize("share", [0.04, 0.2])
def test_failed_runs_here_and_there(share):
    """A few are reported and cost accuracy; 20 % stops, or goes on where the user says so."""

    def model(time, **x):
        return {"f:value": np.exp(0.3 * sum(x.values())) + x["x0"] * x["x1"]}

    def fail(samples):
        return np.modf(np.abs(sum((k + 7.31) * 1e3 * value for k, value in enumerate(samples.values()))) + 0.377)[0] < share

    high = np.exp(1.2) + 1
    if share > 0.05:
        with pytest.raises(StudyError, match="runs failed"):
            drive(Chebyshev(grid="sparse"), box(4), model, fail=fail)
    result, _ = drive(Chebyshev(grid="sparse", tolerance=1e-5, max_failed=0.5, max_runs=600), box(4), model, fail=fail)
    assert result.attrs["runs_failed"] > 0 and (share < 0.05 or "runs at nodes failed" in result.facts.note)
    assert result.bounds["f:value"].values[1] == pytest.approx(high, rel=0.02 if share > 0.05 else 5e-3)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Vertex().check(box(17)), "131072 corners; the method vertex goes up to 16 inputs"),
        (lambda: Chebyshev(grid="sparse", degree=4), "a sparse grid finds its degrees itself"),
        (lambda: Chebyshev(grid="sparse", max_runs=20).check(box(8)), "the first nodes of a sparse grid need 17"),
        (lambda: Chebyshev(grid="spares"), "'tensor' or 'sparse'"),
        (lambda: Chebyshev(grid="sparse", split=True), "split cuts a tensor grid"),
        (lambda: Taylor1(step=0.0), "greater than 0"),
        (lambda: Taylor2(degree=2), "no key 'degree'"),
        (lambda: read_method({"type": "taylor3"}), 'did you mean "taylor'),
    ],
)
def test_mistakes_are_one_sentence(make, words):
    with pytest.raises(StudyError) as caught:
        make()
    assert words in str(caught.value)


def test_methods_are_registered_and_plan_what_they_ask_for():
    assert {"taylor1", "taylor2", "vertex"} <= set(METHODS)
    for method in (Taylor1(), Taylor2(), Vertex()):
        _, count = drive(method, box(3), of_points(linear))
        least, most = method.planned_runs(box(3))
        own, longest = method.own_runs(box(3))
        # a linear response has two extreme corners, each with a run beside it in every input
        assert count == own + (2 * 3 if method.name == "vertex" else 0) <= longest
        assert least == own and most == 2 * longest == longest + method.fallback_most(box(3))


def test_taylor_is_not_trusted_where_only_a_corner_differs():
    """A spring that is slack but near one corner of the box: flat at all differences, and at most random runs."""
    slack = scalar(lambda a, b, c: np.maximum(a + b / 2 + c / 4 - 1, 0.0))
    for method in (Taylor1, Taylor2):
        result, count = drive(method(**NO_FALLBACK), {name: Interval(-1, 1) for name in "abc"}, slack)
        assert not result.trusted["f:value"] and result.bounds["f:value"].values.tolist() == [-1.5, 1.5]  # reached 0.75, error 0.75
        assert count == {"taylor1": 7, "taylor2": 13}[method.name] + 10


def test_an_exact_expansion_is_not_split():
    """The last coefficients of a polynomial of the leaf's degree are large, and nothing is lacking."""
    rosenbrock = scalar(lambda a, b: 100 * (b - a**2) ** 2 + (1 - a) ** 2)
    result, count = drive(Chebyshev(split=True), {"a": Interval(-2, 2), "b": Interval(-2, 2)}, rosenbrock)
    assert bool(result.trusted["f:value"]) and result.attrs["leaves"] == 1 and count == 25 + 10
    assert result.bounds["f:value"].values == pytest.approx([0.0, 3609.0], abs=0.01)


def test_split_bounds_hold_kinks_at_random_places():
    """|x - a| and a slope: the least value, at a, is missed by no more than the stated error."""
    rng = np.random.default_rng(77)
    for seed in range(30):
        at, slope = rng.uniform(-0.9, 0.9), rng.uniform(-0.5, 0.5)
        kink = scalar(lambda x, at=at, slope=slope: abs(x - at) + slope * x)
        result, _ = drive(Chebyshev(split=True, **NO_FALLBACK), {"x": Interval(-1, 1)}, kink, seed=seed)
        assert bool(result.trusted["f:value"]) and result.bounds["f:value"].values[0] <= slope * at + float(result.error["f:value"])
