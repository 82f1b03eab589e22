"""Reliability against exact probabilities, published formulas and OpenTURNS, and what it does when runs fail."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import norm

from uqmbd.analysis import reliability_form as form
from uqmbd.analysis import reliability_sampling as sampling
from uqmbd.errors import StudyError
from uqmbd.inputs import Fuzzy, Interval, Random
from uqmbd.inputs.space import Space
from uqmbd.methods.reliability.settings import Reliability
from uqmbd.simulators.base import OutputInfo

from .loop import drive


def normal(mean, std):
    return Random({"type": "normal", "mean": mean, "std": std})


FUZZY = Fuzzy({"type": "triangular", "lower": 0, "mode": 1, "upper": 2})
STANDARD = {"a": normal(0, 1), "b": normal(0, 1)}


def scalar(function):
    return lambda time, **samples: {"y:max": function(**samples)}


def found(inputs, function, **keys):
    """Statistics by name, the result, and the number of runs."""
    drive_keys = {key: keys.pop(key) for key in ("seed", "batch", "fail") if key in keys}
    result, count = drive(Reliability(output="y:max", **keys), inputs, scalar(function), **drive_keys)
    values = result.statistics["y:max"]
    return dict(zip(values["statistic"].values.tolist(), values.values.tolist(), strict=True)), result, count


def search(coroutine, g):
    """Drive a coroutine of `uqmbd.analysis` on ``g(z)``; what it returns, and the number of points."""
    count, values = 0, None
    try:
        while True:
            points = next(coroutine) if values is None else coroutine.send(values)
            count, values = count + len(points), g(points)
    except StopIteration as end:
        return end.value, count


def test_form_on_a_plane_is_exact():
    """``a - 2b + 3c > 20``: β = (20 - mean) / std, in the second batch."""
    inputs = {"a": normal(2, 1), "b": normal(-1, 0.5), "c": normal(1, 2)}
    statistics, result, count = found(inputs, lambda a, b, c: a - 2 * b + 3 * c, above=20.0, approach="form")
    mean, std = 2 + 2 + 3, np.sqrt(1 + 1 + 36)
    beta = (20 - mean) / std
    assert statistics["beta"] == pytest.approx(beta, rel=1e-11)
    assert statistics["probability"] == pytest.approx(norm.sf(beta), rel=1e-10)
    direction = np.array([1, -1, 6]) / std
    assert result.sensitivity["y:max"].sel(kind="importance").values == pytest.approx(direction**2, rel=1e-9)
    design = [statistics[f"design:{name}"] for name in "abc"]
    assert design == pytest.approx([2 + beta * direction[0], -1 + 0.5 * beta * direction[1], 1 + 2 * beta * direction[2]], rel=1e-9)
    assert count == statistics["runs"] == 2 * 7 + 4


def test_an_unsafe_median_has_a_negative_index():
    statistics, _, _ = found(STANDARD, lambda a, b: a + b, below=1.0, approach="form")
    assert statistics["beta"] == pytest.approx(-1 / np.sqrt(2), rel=1e-10)
    assert statistics["probability"] == pytest.approx(norm.cdf(1 / np.sqrt(2)), rel=1e-10)


def test_dependent_inputs():
    """Two normal variables with correlation r are behind the rank correlation: ``a + b`` has the variance ``2 (1 + r)``."""
    space = Space(STANDARD, dependence={"rank_correlation": [["a", "b", 0.5]]})
    r = 2 * np.sin(np.pi * 0.5 / 6)
    statistics, result, _ = found(space, lambda a, b: a + b, above=4.0, approach="form")
    assert statistics["beta"] == pytest.approx(4 / np.sqrt(2 * (1 + r)), rel=1e-9)
    assert result.sensitivity["y:max"].sel(kind="importance").values == pytest.approx([0.5, 0.5], rel=1e-9)


def paraboloid(beta, *bends):
    return lambda z: beta + sum(0.5 * bend * z[:, i] ** 2 for i, bend in enumerate(bends)) - z[:, len(bends)]


@pytest.mark.parametrize(("beta", "bends"), [(3.0, (0.4,)), (2.0, (0.3, -0.1)), (4.0, (-0.1, 0.0, 0.2))])
def test_sorm_on_paraboloids(beta, bends):
    g = paraboloid(beta, *bends)
    point, _ = search(form.design_point(len(bends) + 1, np.random.default_rng(0)), g)
    assert point.beta == pytest.approx(beta, abs=1e-9)
    found_bends, count = search(form.curvatures(point), g)
    assert found_bends == pytest.approx(sorted(bends), abs=1e-9) and count == 1 + len(bends) * (len(bends) + 1)
    assert form.breitung(beta, found_bends) == pytest.approx(
        norm.sf(beta) / np.sqrt(np.prod([1 + beta * bend for bend in bends])), rel=1e-8
    )
    if len(bends) == 1:  # E Φ(-(β + κ v²/2)): Hohenbichler's weight is nearer to it
        exact = quad(lambda v: norm.pdf(v) * norm.sf(beta + 0.5 * bends[0] * v * v), -10, 10, epsabs=1e-14)[0]
        assert form.hohenbichler(beta, found_bends) == pytest.approx(exact, rel=0.02)
        assert form.breitung(beta, found_bends) == pytest.approx(exact, rel=0.08)


def test_sorm_through_the_method():
    statistics, result, _ = found(STANDARD, lambda a, b: b - 0.2 * a**2, above=3.0, approach="sorm")
    assert statistics["probability"] == pytest.approx(norm.sf(3) / np.sqrt(1 + 3 * 0.4), rel=1e-8)
    assert statistics["beta_form"] == pytest.approx(3, abs=1e-9) and statistics["beta"] > 3
    assert result.attrs["curvatures"] == pytest.approx([0.4], abs=1e-8)


def test_a_surface_that_bends_around_the_medians_is_refused():
    with pytest.raises(StudyError, match="not the nearest point"):
        found(STANDARD, lambda a, b: b + 0.3 * a**2, above=3.0, approach="sorm")


def test_form_begins_again_where_the_slope_vanishes():
    point, _ = search(form.design_point(2, np.random.default_rng(3)), lambda z: 9 - (z**2).sum(axis=1) - 3 * z[:, 0] ** 2)
    assert abs(point.beta) == pytest.approx(1.5, abs=1e-3) or abs(point.beta) == pytest.approx(3, abs=1e-3)


def four_branches(z):
    a, b = z.T
    s, t = (a + b) / np.sqrt(2), (a - b) / np.sqrt(2)
    return np.min([3 + 0.2 * t**2 - s, 3 + 0.2 * t**2 + s, 3.5 + t, 3.5 - t], axis=0)


FOUR = 2 * norm.sf(3.5) + quad(lambda t: 2 * norm.pdf(t) * norm.sf(3 + 0.2 * t * t), -3.5, 3.5, epsabs=1e-14)[0]


def slab(d, beta):
    return lambda z: beta - z.sum(axis=1) / np.sqrt(d)


@pytest.mark.parametrize(
    ("d", "g", "exact"), [(2, four_branches, FOUR), (200, slab(200, 3.5), norm.sf(3.5)), (1, slab(1, 0.5), norm.sf(0.5))]
)
def test_subset_simulation_over_seeds(d, g, exact):
    many = [search(sampling.subset(d, 1000, 10, np.random.default_rng(seed)), g)[0] for seed in range(20)]
    estimates, covs = np.array([one.unsafe for one in many]), np.array([one.cov for one in many])
    assert abs(estimates.mean() - exact) <= 3 * covs.mean() * exact / np.sqrt(20)
    assert 0.5 < estimates.std(ddof=1) / (covs.mean() * exact) < 1.7  # the stated spread is the real one
    assert sum(one.lower <= exact <= one.upper for one in many) >= 16
    assert all(one.safe == one.unsafe for one in many)


@pytest.mark.parametrize(("d", "g", "exact"), [(200, slab(200, 3.5), norm.sf(3.5)), (2, slab(2, -0.5), norm.sf(-0.5))])
def test_importance_sampling_over_seeds(d, g, exact):
    point, _ = search(form.design_point(d, np.random.default_rng(0)), g)
    many = []
    for seed in range(20):
        z, weights = sampling.around(point.z, 1000, np.random.default_rng(seed))
        many.append(sampling.weighted(g(z), weights))
    estimates, covs = np.array([one.unsafe for one in many]), np.array([one.cov for one in many])
    assert abs(estimates.mean() - exact) <= 3 * covs.mean() * exact / np.sqrt(20)
    assert 0.5 < estimates.std(ddof=1) / (covs.mean() * exact) < 1.6


def test_convergence_ends_with_the_result():
    statistics, result, _ = found(STANDARD, lambda a, b: a + b, above=4.0, approach="importance")
    history = result.convergence["y:max"]
    assert history.dims == ("count", "statistic") and history["count"].values[-1] == 1000
    assert history.sel(count=1000).values == pytest.approx([statistics["probability"], statistics["cov"]])
    assert history.sel(statistic="cov").values[-1] < history.sel(statistic="cov").values[0]


def test_lognormal_loads_by_all_approaches():
    """``a / b`` of lognormal variables: ln a - ln b is normal."""
    inputs = {name: Random({"type": "lognormal", "mean": m, "std": s}) for name, m, s in (("a", 10, 2), ("b", 20, 3))}
    spreads = np.sqrt(np.log1p([(2 / 10) ** 2, (3 / 20) ** 2]))
    middles = np.log([10, 20]) - spreads**2 / 2
    exact = norm.sf((np.log(1.2) - middles[0] + middles[1]) / np.hypot(*spreads))
    for approach, keys in {"form": {}, "sorm": {}, "importance": {"samples": 4000}, "subset": {"samples": 2000}}.items():
        statistics, _, _ = found(inputs, lambda a, b: a / b, above=1.2, approach=approach, **keys)
        if "cov" in statistics:
            assert abs(statistics["probability"] - exact) <= 3 * statistics["cov"] * exact
            assert statistics["probability_lower"] < statistics["probability"] < statistics["probability_upper"]
        else:
            assert statistics["probability"] == pytest.approx(exact, rel=2e-3)


def test_against_openturns():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ot = pytest.importorskip("openturns")
        function = ot.SymbolicFunction(["a", "b", "c"], ["exp(0.4*a) * (4 + b) - 0.5 * c^2 + 0.3*a*c"])
        lognormal = ot.ParametrizedDistribution(ot.LogNormalMuSigma(1.2, 0.5, 0.0))
        laws = [ot.Normal(1.0, 0.5), lognormal, ot.Uniform(-1.0, 2.0)]
        event = ot.ThresholdEvent(ot.CompositeRandomVector(function, ot.RandomVector(ot.JointDistribution(laws))), ot.Greater(), 22.0)
        start = [law.computeQuantile(0.5)[0] for law in laws]
        optimiser = ot.AbdoRackwitz()
        for setter in ("setMaximumAbsoluteError", "setMaximumRelativeError", "setMaximumConstraintError", "setMaximumResidualError"):
            getattr(optimiser, setter)(1e-8)
        optimiser.setStartingPoint(start)
        study = ot.SORM(optimiser, event)
        study.run()
        theirs = study.getResult()
        breitung, beta = theirs.getEventProbabilityBreitung(), theirs.getHasoferReliabilityIndex()
        place, bends = list(theirs.getPhysicalSpaceDesignPoint()), list(theirs.getSortedCurvatures())
    inputs = {
        "a": normal(1, 0.5),
        "b": Random({"type": "lognormal", "mean": 1.2, "std": 0.5}),
        "c": Random({"type": "uniform", "lower": -1, "upper": 2}),
    }
    statistics, result, _ = found(
        inputs, lambda a, b, c: np.exp(0.4 * a) * (4 + b) - 0.5 * c**2 + 0.3 * a * c, above=22.0, approach="sorm", tolerance=1e-5
    )
    assert statistics["beta_form"] == pytest.approx(beta, rel=1e-5)
    assert [statistics[f"design:{name}"] for name in "abc"] == pytest.approx(place, rel=1e-3)
    kept = sorted(bends, key=abs)[-2:]  # theirs has a zero for the normal direction
    assert sorted(np.abs(result.attrs["curvatures"])) == pytest.approx(sorted(np.abs(kept)), rel=0.02)
    assert statistics["probability"] == pytest.approx(breitung, rel=0.01)


def test_dependent_inputs_against_openturns():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ot = pytest.importorskip("openturns")
        r = 2 * np.sin(np.pi * 0.6 / 6)
        copula = ot.NormalCopula(ot.CorrelationMatrix([[1, r], [r, 1]]))
        law = ot.JointDistribution([ot.ParametrizedDistribution(ot.LogNormalMuSigma(2.0, 0.6, 0.0)), ot.Uniform(0.0, 3.0)], copula)
        vector = ot.CompositeRandomVector(ot.SymbolicFunction(["a", "b"], ["a * (1 + b)"]), ot.RandomVector(law))
        optimiser = ot.AbdoRackwitz()
        for setter in ("setMaximumAbsoluteError", "setMaximumRelativeError", "setMaximumConstraintError", "setMaximumResidualError"):
            getattr(optimiser, setter)(1e-9)
        optimiser.setStartingPoint([2.0, 1.5])
        study = ot.FORM(optimiser, ot.ThresholdEvent(vector, ot.Greater(), 14.0))
        study.run()
        beta, place = study.getResult().getHasoferReliabilityIndex(), list(study.getResult().getPhysicalSpaceDesignPoint())
    space = Space(
        {"a": Random({"type": "lognormal", "mean": 2, "std": 0.6}), "b": Random({"type": "uniform", "lower": 0, "upper": 3})},
        dependence={"rank_correlation": [["a", "b", 0.6]]},
    )
    statistics, _, _ = found(space, lambda a, b: a * (1 + b), above=14.0, approach="form", tolerance=1e-5)
    assert statistics["beta"] == pytest.approx(beta, rel=1e-6)
    assert [statistics["design:a"], statistics["design:b"]] == pytest.approx(place, rel=1e-3)


def test_a_replay_asks_for_the_same_runs():
    """What resume stands on: told the same, a run asks for the same, bit for bit."""
    for approach in ("form", "importance", "subset"):
        asked = []
        for _ in range(2):
            run = Reliability(output="y:max", above=2.5, approach=approach).start(
                STANDARD, {"y:max": OutputInfo("m", False)}, np.zeros(1), 4
            )
            asked.append([])
            while (samples := run.ask()) is not None:
                asked[-1].append(samples)
                run.tell(samples, {"y:max": np.sin(samples["a"]) + samples["b"]}, np.zeros(len(samples["a"]), np.int8))
        assert len(asked[0]) == len(asked[1]) > 1
        assert all(np.array_equal(one[name], other[name]) for one, other in zip(*asked) for name in one)


LINEAR = {"a": Interval(1, 3), "b": Interval(-1, 1)}


@pytest.mark.parametrize(("limit", "index", "distance"), [(9.0, 7 / 3, 1.0), (4.4, 0.8, 0.8), (2.0, 0.0, 0.0), (1.4, -0.2, 0.0)])
def test_interval_index_of_a_linear_margin(limit, index, distance):
    """``a - 2b`` is 2 ± 3: (limit - 2) / 3."""
    statistics, result, _ = found(LINEAR, lambda a, b: a - 2 * b, above=limit, approach="interval", degree=2)
    assert statistics["index"] == pytest.approx(index, abs=1e-6)  # by the gap of the verified range
    assert statistics["distance"] == pytest.approx(distance, abs=1e-5)
    assert ("distance_note" in result.attrs) == (distance == 1.0) and result.trusted["y:max"]


@pytest.mark.parametrize("shape", ["ellipsoid", "box"])
def test_interval_index_on_sets(shape):
    """On the ellipsoid ``xᵀ R⁻¹ x <= 1`` a linear margin m - a·x has the index ``m / √(aᵀ R a)``."""
    space = Space(LINEAR, sets={"s": {"inputs": ["a", "b"], "correlation": [["a", "b", 0.6]], "shape": shape}})
    statistics, _, _ = found(space, lambda a, b: a - 2 * b, above=3.2, approach="interval", degree=2)
    slope = np.array([1.0, -2.0])
    radius = np.sqrt(slope @ [[1, 0.6], [0.6, 1]] @ slope) if shape == "ellipsoid" else np.abs(space.sets["s"].generators.T @ slope).sum()
    assert statistics["index"] == pytest.approx(1.2 / radius, abs=1e-9)
    assert statistics["distance"] == pytest.approx(min(1.0, 1.2 / radius), abs=1e-9)


def test_interval_distance_of_a_bent_margin():
    """``a² + b²`` on [-1, 1]² reaches 0.5 at the corner of [-0.5, 0.5]², while the range says 0 = 0.5 - (0 + 2)/2 + 0.5."""
    box = {"a": Interval(-1, 1), "b": Interval(-1, 1)}
    statistics, _, _ = found(box, lambda a, b: a**2 + b**2, above=0.5, approach="interval", degree=2)
    assert statistics["distance"] == pytest.approx(0.5, abs=1e-5) and statistics["index"] == pytest.approx(-0.5, abs=1e-5)


def test_an_untrusted_expansion_has_no_distance():
    statistics, result, _ = found(LINEAR, lambda a, b: np.where(a > 2.1, 1.0, 0.0), above=0.5, approach="interval", degree=4)
    assert np.isnan(statistics["distance"]) and not result.trusted["y:max"] and "not trusted" in result.attrs["note"]


@settings(max_examples=20, deadline=None)
@given(st.floats(0.3, 3), st.floats(-3, 3), st.floats(0.2, 4))
def test_scaling_the_output_and_permuting_inputs_change_nothing(scale, slope, limit):
    one, result, _ = found(STANDARD, lambda a, b: a + slope * b, above=limit, approach="form")
    other, swapped, _ = found(
        {"b": STANDARD["b"], "a": STANDARD["a"]}, lambda a, b: -scale * (a + slope * b), below=-scale * limit, approach="form"
    )
    assert other["beta"] == pytest.approx(one["beta"], rel=1e-9)
    importance, theirs = (item.sensitivity["y:max"].sel(kind="importance") for item in (result, swapped))
    assert importance.sel(input=["a", "b"]).values == pytest.approx(theirs.sel(input=["a", "b"]).values, abs=1e-9)


def test_other_outputs_have_their_envelope():
    def model(time, a, b):
        return {"h": a[:, None] * np.array([1.0, 0.0, -2.0]), "y:max": a + b, "z": b}

    result, _ = drive(Reliability(output="y:max", above=3.0, approach="subset", samples=100), STANDARD, model, time=[0, 1, 2], batch=7)
    low, high = result.inner["h"].values
    assert high[0] == -low[2] / 2 > 1 and low[1] == high[1] == 0 and result.inner["z"].shape == (2,)
    assert list(result.inner) == ["h", "y:max", "z"] and list(result.statistics) == ["y:max"]


def test_batches_do_not_change_the_result():
    for approach in ("form", "importance", "subset"):
        one, _, _ = found(STANDARD, lambda a, b: np.sin(a) + b, above=2.5, approach=approach)
        other, _, _ = found(STANDARD, lambda a, b: np.sin(a) + b, above=2.5, approach=approach, batch=7)
        assert one == other


def some(share):
    """Runs that fail, here and there: by the digits of an input."""
    return lambda samples: (samples["a"] * 1e4 + 0.5) % 1 < share


class Once:
    """The run of this number fails."""

    def __init__(self, number):
        self.number, self.count = number, 0

    def __call__(self, samples):
        n = len(samples["a"])
        at = np.arange(self.count, self.count + n) == self.number
        self.count += n
        return at


def linear(a, b):
    return (a + b) / np.sqrt(2)


@pytest.mark.parametrize("approach", ["form", "sorm", "importance", "subset"])
def test_one_failed_run(approach):
    fail = Once(2 if approach in ("form", "sorm") else 700)
    statistics, result, _ = found(STANDARD, linear, above=2.5, approach=approach, fail=fail)
    assert result.attrs["runs_failed"] == 1
    if approach in ("form", "sorm"):
        assert statistics["beta"] == pytest.approx(2.5, abs=1e-4)
    else:
        assert statistics["probability_failed_safe"] <= statistics["probability_failed_unsafe"] == statistics["probability"]
        assert statistics["probability_lower"] < norm.sf(2.5) < statistics["probability_upper"]


@pytest.mark.parametrize("approach", ["importance", "subset"])
def test_one_percent_fails(approach):
    """The truth with failed runs as safe, and as unsafe, is between the limits."""
    statistics, result, _ = found(STANDARD, linear, above=2.5, approach=approach, fail=some(0.01), samples=2000)
    assert 0.002 < result.attrs["failed_share"] < 0.03
    assert statistics["probability_failed_safe"] < statistics["probability_failed_unsafe"]
    if approach == "importance":  # sees only what is near the design point
        assert statistics["probability_failed_unsafe"] > 1.005 * statistics["probability_failed_safe"]
    else:
        assert statistics["probability_failed_unsafe"] == pytest.approx(norm.sf(2.5) + 0.01, rel=0.4)
    assert statistics["probability_lower"] < 0.99 * norm.sf(2.5) < statistics["probability_upper"]


def test_a_failing_region_near_the_limit_counts():
    """Runs fail beyond 3 standard deviations only: nothing of that is seen in the first level, and P(fail) is still found."""
    fails = lambda samples: linear(samples["a"], samples["b"]) > 3  # noqa: E731
    found_ = [found(STANDARD, linear, above=2.5, approach="subset", fail=fails, max_failed=0.3, seed=seed)[0] for seed in range(6)]
    safe, unsafe = (np.mean([one[f"probability_failed_{word}"] for one in found_]) for word in ("safe", "unsafe"))
    assert safe == pytest.approx(norm.sf(2.5) - norm.sf(3), rel=0.25) and unsafe == pytest.approx(norm.sf(2.5), rel=0.4)


@pytest.mark.parametrize("approach", ["form", "sorm", "importance", "subset", "interval"])
def test_twenty_percent_are_too_many(approach):
    inputs = LINEAR if approach == "interval" else STANDARD
    with pytest.raises(StudyError, match=r"runs failed|all runs along|needs the slope"):
        found(inputs, linear, above=2.5, approach=approach, fail=lambda s: s["b"] > np.quantile(s["b"], 0.8))


def test_a_limit_out_of_reach_is_said():
    with pytest.raises(StudyError, match="not reached within 8 standard deviations"):
        found(STANDARD, linear, above=20.0, approach="form")
    statistics, result, _ = found(STANDARD, linear, above=20.0, approach="subset", levels=3, samples=100)
    assert statistics["probability"] == 0 and "not reached in 3 levels" in result.attrs["note"]
    with pytest.raises(StudyError, match="same value"):
        found(STANDARD, lambda a, b: np.round(0 * a), above=1.0, approach="subset")
    with pytest.raises(StudyError, match="does not change with the inputs"):
        found(STANDARD, lambda a, b: 0 * a, above=1.0, approach="form")


def start(inputs=STANDARD, **keys):
    return drive(Reliability(**keys), inputs, lambda time, a, b: {"y:max": a, "y": np.ones((len(a), 3))}, time=[0, 1, 2])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Reliability(output="y:max", approach="form"), "there are neither"),
        (lambda: Reliability(output="y:max", approach="form", above=1, below=0), "there are both"),
        (lambda: Reliability(output="y:max", approach="fosm", above=1), "'form'"),
        (lambda: Reliability(output="y:max", approach="form", above=1, samples=100), "the approach form has no key 'samples'"),
        (lambda: Reliability(output="y:max", approach="interval", above=1, step=0.1), "has no key 'step'"),
        (lambda: Reliability(output="y:max", approach="subset", above=1, samples=125), "samples = 120"),
        (lambda: Reliability(output="y:max", approach="subset", above=float("nan")), "a finite number"),
        (lambda: Reliability(approach="form", above=1), "the key 'output' is missing"),
        (lambda: start(output="y:min", approach="form", above=1), 'did you mean "y:max"'),
        (lambda: start(output="y", approach="form", above=1), "is a history"),
        (lambda: start(LINEAR, output="y:max", approach="form", above=1), "an approach for interval inputs: interval"),
        (lambda: start(output="y:max", approach="interval", above=1), "takes interval inputs"),
        (lambda: start({"a": Interval(0, 1), "b": normal(0, 1)}, output="y:max", approach="subset", above=1), "'a' is of kind interval"),
        (
            lambda: start(
                {"a": Fuzzy({"type": "triangular", "lower": 0, "mode": 1, "upper": 2}), "b": normal(0, 1)},
                output="y:max",
                approach="form",
                above=1,
            ),
            "cannot treat the input 'a' of kind fuzzy",
        ),
        (lambda: start(LINEAR, output="y:max", approach="interval", above=1, degree=30, max_runs=100), "more than max_runs = 100"),
    ],
)
def test_mistakes_are_one_sentence(make, words):
    with pytest.raises(StudyError) as caught:
        make()
    assert words in str(caught.value)


@pytest.mark.parametrize(("approach", "keys"), [("form", {}), ("sorm", {}), ("importance", {"samples": 60}), ("subset", {"samples": 50})])
def test_runs_are_as_many_as_planned(approach, keys):
    method = Reliability(output="y:max", above=2.0, approach=approach, **keys)
    least, most = method.planned_runs(STANDARD)
    _, count = drive(method, STANDARD, scalar(linear))
    assert least <= count <= most
