"""Bounds by the Chebyshev method against known ranges, and what it does when runs fail or cannot be trusted."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipk

from uqmbd.analysis.statistics.trust import ENCLOSED, SEARCHED
from uqmbd.errors import StudyError
from uqmbd.inputs import Interval, Random
from uqmbd.methods import Chebyshev, read_method

from .loop import drive

G = 9.81
UNIT_BOX = {"x": Interval(-1, 1), "y": Interval(-1, 1)}


def scalar(function):
    return lambda time, **samples: {"f:value": function(**samples)}


KNOWN = {  # REFERENCES, section 6
    "x - sin x": (lambda x: x - np.sin(x), (0, 4 * np.pi), (0.0, 12.566370614359172)),
    "x sin x": (lambda x: x * np.sin(x), (0, 10), (-5.440211108893697, 7.91672737158571)),
    "rastrigin": (lambda x: x**2 - 10 * np.cos(2 * np.pi * x) + 10, (-1.3, 0.8), (0.0, 20.25127299098985)),
    "e^-x cos 3x": (lambda x: np.exp(-x) * np.cos(3 * x), (0, 3), (-0.3706016087418619, 1.0)),
}


@pytest.mark.parametrize("name", KNOWN)
@pytest.mark.parametrize("how", [{"degree": 40}, {"tolerance": 1e-8}])
def test_known_ranges_are_contained_and_met(name, how):
    function, ends, (low, high) = KNOWN[name]
    result, count = drive(Chebyshev(gap=1e-6, **how), {"x": Interval(*ends)}, scalar(function))
    lower, upper = result.bounds["f:value"].values
    excess = 1e-6 * (high - low) + 2 * float(result.error["f:value"])
    assert bool(result.trusted["f:value"]) and count <= 85
    # the published ends are rounded to 16 digits
    assert low - excess - 1e-13 <= lower <= low + 1e-13
    assert high - 1e-13 <= upper <= high + excess + 1e-13


def test_range_of_a_poor_expansion_is_not_trusted():
    """Degree 2 on x sin x gives [-5.06, 2.73]: the error widens that, or a search takes its place."""
    function, ends, (low, high) = KNOWN["x sin x"]
    poor, _ = drive(Chebyshev(degree=2, fallback_runs=0), {"x": Interval(*ends)}, scalar(function))
    lower, upper = poor.bounds["f:value"].values
    assert not poor.trusted["f:value"] and lower < low and upper > high and poor.source["f:value"] == ENCLOSED
    result, count = drive(Chebyshev(degree=2, fallback_runs=2000), {"x": Interval(*ends)}, scalar(function))
    assert bool(result.trusted["f:value"]) and count <= 3 + 10 + 2000 and result.source["f:value"] == SEARCHED
    assert result.bounds["f:value"].values == pytest.approx([low, high], abs=1e-2)
    assert "fresh runs left the bounds" in result.attrs["statement"]
    assert result.statistics["f:value"].sel(statistic="q50") == pytest.approx(np.median(function(np.linspace(0, 10, 9999))), abs=0.3)


@pytest.mark.parametrize("enclosure", ["bernstein", "cosine", "scan"])
def test_pendulum_period(enclosure):
    """T = 4 √(L/g) K(sin² (a/2)), L in [.95, 1.05] m, a in [55, 65]°."""

    def period(length, amplitude):
        return 4 * np.sqrt(length / G) * ellipk(np.sin(amplitude / 2) ** 2)

    inputs = {"length": Interval(950, 1050, "mm"), "amplitude": Interval(55, 65, "deg")}
    result, _ = drive(Chebyshev(degree=8, enclosure=enclosure), inputs, scalar(period))
    assert result.bounds["f:value"].values == pytest.approx(
        [2.07420964747429, 2.23428502171599], abs=4e-3 if enclosure == "cosine" else 2e-7
    )


def double_pendulum(time, l1, l2):
    """Two point masses of 1 kg from (90°, 0) at rest; DOP853 at 1e-12, all samples as one system."""
    n = len(l1)

    def rates(_, y):
        a, b, p, q = y.reshape(4, n)
        s, c = np.sin(a - b), np.cos(a - b)
        first, second = -(l2 * q * q * s + 2 * G * np.sin(a)), l1 * p * p * s - G * np.sin(b)
        return np.concatenate([p, q, (first - c * second) / (l1 * (2 - c * c)), (2 * second - c * first) / (l2 * (2 - c * c))])

    start = np.concatenate([np.full(n, np.pi / 2), np.zeros(3 * n)])
    found = solve_ivp(rates, (0, time[-1]), start, method="DOP853", rtol=1e-12, atol=1e-12, t_eval=time)
    angles = found.y.reshape(4, n, -1)
    return {"theta1": angles[0], "theta2": angles[1]}


LENGTHS = {"l1": Interval(0.98, 1.02), "l2": Interval(0.98, 1.02)}


@pytest.mark.parametrize("degree", [5, 7])
def test_double_pendulum_with_at_most_81_runs(degree):
    time = np.linspace(0, 1, 201)
    result, count = drive(Chebyshev(degree=degree), LENGTHS, double_pendulum, time=time)
    reference = {
        0.5: {"theta1": (0.171298967, 0.224293768), "theta2": (0.689599730, 0.719591041)},
        1.0: {"theta1": (-0.903783228, -0.861222793), "theta2": (-0.534122140, -0.411633228)},
    }
    assert count <= 81
    for at, angles in reference.items():
        for name, ends in angles.items():
            assert result.bounds[name].sel(time=at, method="nearest").values == pytest.approx(ends, abs=1e-6)


def test_double_pendulum_to_three_seconds():
    """Against a dense reference: 41 x 41 runs on the extrema of T_40, which hold the corners."""
    time = np.linspace(0, 3, 61)
    result, count = drive(Chebyshev(degree=12), LENGTHS, double_pendulum, time=time)
    x = 1 + 0.02 * np.cos(np.pi * np.arange(41) / 40)
    dense = double_pendulum(time, *(axis.ravel() for axis in np.meshgrid(x, x)))
    assert count <= 250
    for name, values in dense.items():
        reached = np.stack([values.min(axis=0), values.max(axis=0)])
        bounds = result.bounds[name].values
        assert np.all(result.trusted[name]) and np.isinf(result.trust_horizon[name])
        noise = 1e-10  # the integrator's: its steps depend on all samples of a call
        assert np.all(bounds[0] <= reached[0] + noise) and np.all(bounds[1] >= reached[1] - noise)
        assert np.abs(bounds - reached).max() < 1e-4


def bouncing(time, height, restitution, drag):
    """A ball on a floor: impacts at different times in different samples; `drag` is a smooth third influence."""
    t, h, e, c = np.asarray(time)[None], height[:, None], restitution[:, None], drag[:, None]
    y, v = h - G * t**2 / 2, -G * t + 0 * h
    hit, speed = np.sqrt(2 * h / G), e * np.sqrt(2 * h * G)
    for _ in range(4):
        s = t - hit
        y, v = np.where(s > 0, speed * s - G * s**2 / 2, y), np.where(s > 0, speed - G * s, v)
        hit, speed = hit + 2 * speed / G, e * speed
    return {"y": y * (1 + 0.1 * np.sin(3 * c * t)), "v": v * (1 + 0.1 * np.cos(c * t)), "y:rms": np.sqrt((y**2).mean(axis=1)) * drag}


BALL = {"height": Interval(0.9, 1.1), "restitution": Interval(0.45, 0.55), "drag": Interval(0.5, 1.5)}


@pytest.mark.parametrize("seed", [1, 2])
def test_fresh_runs_stay_inside_at_trusted_times(seed):
    time = np.linspace(0, 0.9, 361)
    result, count = drive(Chebyshev(degree=6), BALL, bouncing, time=time, seed=seed)
    assert 343 + 86 < count <= 2 * (343 + 86)
    rng = np.random.default_rng(100 + seed)
    fresh = bouncing(time, *(rng.uniform(item.lower, item.upper, 2000) for item in BALL.values()))
    first = np.sqrt(2 * np.array([0.9, 1.1]) / G)
    impact = (time >= first[0]) & (time <= first[1])
    for name in ("y", "v"):
        trusted, (lower, upper) = result.trusted[name].values & (result.source[name].values == ENCLOSED), result.bounds[name].values
        inside = (fresh[name] >= lower - 1e-12) & (fresh[name] <= upper + 1e-12)
        assert inside.all(axis=0)[trusted].all()
        assert not trusted[impact].any()
        between = (time < first[0] - 0.01) | ((time > first[1] + 0.01) & (time < 0.78))
        assert trusted[between].all()


def test_degree_grows_where_it_is_needed():
    result, count = drive(Chebyshev(tolerance=1e-9), UNIT_BOX, scalar(lambda x, y: np.exp(np.sin(3 * x)) + 0.1 * y**2))
    degrees = result.attrs["degrees"]
    assert degrees[0] >= 16 and degrees[1] <= 4
    assert count == result.attrs["runs_nodes"] + result.attrs["runs_validation"]
    assert float(result.error["f:value"]) < 1e-7


def test_degree_by_input():
    result, count = drive(Chebyshev(degree={"x": 12}), UNIT_BOX, scalar(lambda x, y: np.exp(x) * np.cos(y)))
    assert result.attrs["degrees"] == [12, 8] and count == 13 * 9 + 30


def test_growth_respects_the_budget():
    method = Chebyshev(tolerance=1e-12, max_runs=60, fallback_runs=0)
    result, count = drive(method, UNIT_BOX, scalar(lambda x, y: np.abs(x + 0.3 * y)))
    assert count <= 60 and not result.trusted["f:value"]


def test_main_effects():
    result, _ = drive(Chebyshev(degree=4), UNIT_BOX, scalar(lambda x, y: 3 * x + y + x * y))
    shares = result.sensitivity["f:value"].sel(kind="main_effect")
    assert shares.sel(input="x") == pytest.approx(0.75) and shares.sel(input="y") == pytest.approx(0.25)


def test_constant_output_is_trusted():
    result, count = drive(
        Chebyshev(degree=4), UNIT_BOX, lambda time, x, y: {"c": np.full((len(x), 3), 0.1), "z:max": 0 * x}, time=[0, 1, 2]
    )
    assert count == 25 + 10
    assert result.trusted["c"].all() and bool(result.trusted["z:max"])
    assert result.bounds["c"].values == pytest.approx(np.full((2, 3), 0.1), abs=1e-12)
    assert result.bounds["z:max"].values.tolist() == [0.0, 0.0]
    assert result.sensitivity["c"].values.max() == 0.0


def test_batches_and_failures_do_not_change_what_is_reported():
    model = scalar(lambda x, y: np.exp(x) * np.cos(y))
    one, _ = drive(Chebyshev(degree=8), UNIT_BOX, model, batch=1000)
    other, _ = drive(Chebyshev(degree=8), UNIT_BOX, model, batch=7)
    for (_, a), (_, b) in zip(one.groups(), other.groups()):
        assert a.identical(b)
    lost, _ = drive(Chebyshev(degree=8), UNIT_BOX, model, fail=lambda s: (s["x"] > 0.9) & (s["y"] > 0.92) & (s["y"] < 0.93))
    assert lost.attrs["runs_failed"] >= 2 and "least-squares" in lost.facts.note
    assert lost.bounds["f:value"].values == pytest.approx(one.bounds["f:value"].values, abs=1e-4)
    with pytest.raises(StudyError, match=r"runs failed, most of them where x > 0\.5"):
        drive(Chebyshev(degree=8), UNIT_BOX, model, fail=lambda s: s["x"] > 0.5)
    with pytest.raises(StudyError, match="all validation runs failed"):
        drive(Chebyshev(degree=1, max_failed=1.0), UNIT_BOX, model, fail=lambda s: np.abs(s["x"]) < 1)


def test_nan_in_an_ok_run_is_an_error():
    with pytest.raises(StudyError, match=r"run \d+ is reported as ok, but its output 'f:value' is nan"):
        drive(Chebyshev(degree=2), UNIT_BOX, scalar(lambda x, y: np.where(x > 0.99, np.nan, y)))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: Chebyshev(degree=2).check({"k": Random({"type": "uniform", "lower": 0, "upper": 1})}),
            "montecarlo, multifidelity, multilevel, pce",
        ),
        (lambda: Chebyshev(degree=8).check({f"x{i}": Interval(0, 1) for i in range(6)}), "531441 runs at nodes"),
        (lambda: Chebyshev(degree={"z": 3}).check(UNIT_BOX), "no input 'z'"),
        (lambda: Chebyshev(degree={"x": 0}), "whole number from 1"),
        (lambda: Chebyshev(degree="eight"), "whole number from 1"),
        (lambda: Chebyshev(degree=8).check({}), "at least one input"),
        (lambda: Chebyshev(degree=0), "whole number from 1"),
        (lambda: Chebyshev(degree=8, tolerance=1e-3), "exclude each other"),
        (lambda: Chebyshev(enclosure="bernstien"), "bernstein"),
        (lambda: read_method({"type": "chebyshev", "degre": 3}), 'did you mean "degree"'),
        (lambda: read_method({"type": "chebychev"}), 'did you mean "chebyshev"'),
        (lambda: read_method({"degree": 3}), "needs its type"),
    ],
)
def test_mistakes_are_one_sentence(make, words):
    with pytest.raises(StudyError) as caught:
        make()
    assert words in str(caught.value)


def test_planned_runs_are_the_runs_asked_for():
    method = Chebyshev(degree=7)
    assert method.planned_runs(LENGTHS) == (80, 160)
    assert read_method({"type": "chebyshev", "degree": 7}) == method


def test_degree_grows_although_the_first_nodes_see_nothing():
    """x⁴ - x² vanishes at -1, 0 and 1."""
    result, count = drive(Chebyshev(tolerance=1e-4), {"x": Interval(-1, 1)}, scalar(lambda x: x**4 - x**2))
    assert bool(result.trusted["f:value"]) and result.attrs["degrees"] == [4] and count == 5 + 10
    assert result.bounds["f:value"].values == pytest.approx([-0.25, 0.0], abs=1e-6)


def test_degree_grows_no_further_than_an_exact_expansion():
    """Styblinski and Tang: the sum of (x⁴ - 16 x² + 5 x) / 2 is least, -39.16616570377142 an input, at -2.903534."""
    box = {name: Interval(-5, 5) for name in "abc"}
    result, count = drive(Chebyshev(tolerance=1e-4), box, scalar(lambda a, b, c: sum(x**4 - 16 * x**2 + 5 * x for x in (a, b, c)) / 2))
    assert bool(result.trusted["f:value"]) and result.attrs["degrees"] == [4, 4, 4] and count == 125 + 32
    assert result.bounds["f:value"].values == pytest.approx([-3 * 39.16616570377142, 375], abs=1e-3)


@pytest.mark.parametrize("how", [{"tolerance": 1e-4}, {"degree": 64}])
def test_a_long_expansion_of_a_kink_is_not_trusted_where_it_is_wrong(how):
    """Validation runs lie too far apart to see the kink, its coefficients show it."""
    for seed, at in enumerate(np.random.default_rng(77).uniform(-0.9, 0.9, 30)):
        result, _ = drive(Chebyshev(fallback_runs=0, **how), {"x": Interval(-1, 1)}, scalar(lambda x, at=at: abs(x - at)), seed=seed)
        assert not result.trusted["f:value"] or result.bounds["f:value"].values[0] <= 1e-12
