"""Reliability by sampling and for intervals against exact values, and what all approaches do when runs fail."""

import numpy as np
import pytest
from scipy.stats import norm

from uqmbd.analysis.reliability import form, sampling
from uqmbd.analysis.reliability import subset as reliability_subset
from uqmbd.errors import StudyError
from uqmbd.inputs import Fuzzy, Interval, Random
from uqmbd.inputs.space import Space
from uqmbd.methods.reliability.settings import Reliability
from uqmbd.outcomes import OutputInfo

from .loop import drive
from .reliability_models import FOUR, LINEAR, STANDARD, found, four_branches, linear, normal, scalar, search, slab


@pytest.mark.parametrize(
    ("d", "g", "exact"), [(2, four_branches, FOUR), (200, slab(200, 3.5), norm.sf(3.5)), (1, slab(1, 0.5), norm.sf(0.5))]
)
def test_subset_simulation_over_seeds(d, g, exact):
    many = [search(reliability_subset.subset(d, 1000, 10, np.random.default_rng(seed)), g)[0] for seed in range(20)]
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
        many.append(sampling.weighted(g(z), weights, point.beta))
    estimates, covs = np.array([one.unsafe for one in many]), np.array([one.cov for one in many])
    assert abs(estimates.mean() - exact) <= 3 * covs.mean() * exact / np.sqrt(20)
    assert 0.5 < estimates.std(ddof=1) / (covs.mean() * exact) < 1.6


def test_the_variance_of_subset_simulation_counts_families():
    """Ten points, two seeds: the members of level 2 all descend from one run of the first, so that its weight is 1 and all others' 0."""
    first = np.isin(np.arange(10), [3, 7])
    second = np.tile([True, False], 5)
    variance, freedom = reliability_subset.spread([first, second], [np.array([3, 7])])
    weights = np.where(np.arange(10) == 3, 1.0, 0.0) - 0.1
    assert variance == pytest.approx(weights @ weights)
    assert freedom == pytest.approx(2 * (weights @ weights) ** 2 / (weights**4).sum())
    alone, _ = reliability_subset.spread([first], [])
    assert alone == pytest.approx(0.8 / (0.2 * 10))  # (1 - P) / (n P) of independent runs


@pytest.mark.parametrize(("name", "limit", "lower", "upper"), [("always", -9.0, 0.99632, 1.0), ("never", 9.0, 0.0, 0.00368)])
def test_limits_of_one_level_are_exact(name, limit, lower, upper):
    """None of 1,000 runs leaves ``1 - 0.025^(1/1000)``."""
    statistics, result, _ = found(STANDARD, linear, above=limit, approach="subset", levels=1)
    assert statistics["probability_lower"] == pytest.approx(lower, abs=1e-5)
    assert statistics["probability_upper"] == pytest.approx(upper, abs=1e-5)
    assert ("not reached" in result.facts.note) == (name == "never")


def test_importance_sampling_of_a_likely_event():
    """With unsafe medians it is the safe side that is rare."""
    statistics, _, _ = found(STANDARD, linear, above=-3.0, approach="importance")
    safe = 1 - np.array([statistics[f"probability_{end}"] for end in ("upper", "lower")])
    assert safe[0] < norm.sf(3) < safe[1] < 1.3 * norm.sf(3) and statistics["probability"] == pytest.approx(norm.cdf(3), abs=2e-4)


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
    sampled = {"importance": 4000, "subset": 2000, "montecarlo": 9000}
    for approach, keys in {"form": {}, "sorm": {}, **{name: {"samples": count} for name, count in sampled.items()}}.items():
        statistics, _, _ = found(inputs, lambda a, b: a / b, above=1.2, approach=approach, **keys)
        if "cov" in statistics:
            assert abs(statistics["probability"] - exact) <= 3 * statistics["cov"] * exact
            assert statistics["probability_lower"] < statistics["probability"] < statistics["probability_upper"]
        else:
            assert statistics["probability"] == pytest.approx(exact, rel=2e-3)


def test_a_replay_asks_for_the_same_runs():
    """What resume stands on: told the same, a run asks for the same, bit for bit."""
    for approach in ("form", "importance", "subset", "montecarlo"):
        asked = []
        for _ in range(2):
            run = Reliability(output="y:max", above=2.5, approach=approach).start(
                STANDARD, {"y:max": OutputInfo("m", None)}, np.zeros(1), 4
            )
            asked.append([])
            while (samples := run.ask()) is not None:
                asked[-1].append(samples)
                run.tell(samples, {"y:max": np.sin(samples["a"]) + samples["b"]}, np.zeros(len(samples["a"]), np.int8))
        assert len(asked[0]) == len(asked[1]) >= (1 if approach == "montecarlo" else 2)
        assert all(np.array_equal(one[name], other[name]) for one, other in zip(*asked) for name in one)


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
    assert np.isnan(statistics["distance"]) and not result.trusted["y:max"] and "not trusted" in result.facts.note


def test_other_outputs_have_their_envelope():
    def model(time, a, b):
        return {"h": a[:, None] * np.array([1.0, 0.0, -2.0]), "y:max": a + b, "z": b}

    result, _ = drive(Reliability(output="y:max", above=3.0, approach="subset", samples=100), STANDARD, model, time=[0, 1, 2], batch=7)
    low, high = result.inner["h"].values
    assert high[0] == -low[2] / 2 > 1 and low[1] == high[1] == 0 and result.inner["z"].shape == (2,)
    assert list(result.inner) == ["h", "y:max", "z"] and list(result.statistics) == ["y:max"]


def test_batches_do_not_change_the_result():
    for approach in ("form", "importance", "subset", "montecarlo"):
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


@pytest.mark.parametrize("approach", ["form", "sorm", "importance", "subset", "montecarlo"])
def test_one_failed_run(approach):
    fail = Once(2 if approach in ("form", "sorm") else 700)
    statistics, result, _ = found(STANDARD, linear, above=2.5, approach=approach, fail=fail)
    assert result.attrs["runs_failed"] == 1
    if approach in ("form", "sorm"):
        assert statistics["beta"] == pytest.approx(2.5, abs=1e-4)
    else:
        assert statistics["probability_failed_safe"] <= statistics["probability_failed_unsafe"] == statistics["probability"]
        assert statistics["probability_lower"] < norm.sf(2.5) < statistics["probability_upper"]


@pytest.mark.parametrize("approach", ["importance", "subset", "montecarlo"])
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


def beyond_three(samples):
    return linear(samples["a"], samples["b"]) > 3


def test_a_failing_region_near_the_limit_counts():
    """Runs fail beyond 3 standard deviations only: nothing of that is seen in the first level, and P(fail) is still found."""
    found_ = [found(STANDARD, linear, above=2.5, approach="subset", fail=beyond_three, max_failed=0.3, seed=seed)[0] for seed in range(6)]
    safe, unsafe = (np.mean([one[f"probability_failed_{word}"] for one in found_]) for word in ("safe", "unsafe"))
    assert safe == pytest.approx(norm.sf(2.5) - norm.sf(3), rel=0.25) and unsafe == pytest.approx(norm.sf(2.5), rel=0.4)


@pytest.mark.parametrize("approach", ["form", "sorm", "importance", "subset", "montecarlo", "interval"])
def test_twenty_percent_are_too_many(approach):
    inputs = LINEAR if approach == "interval" else STANDARD
    with pytest.raises(StudyError, match=r"runs failed|all runs along|needs the slope"):
        found(inputs, linear, above=2.5, approach=approach, fail=lambda s: s["b"] > np.quantile(s["b"], 0.8))


def test_a_limit_out_of_reach_is_said():
    with pytest.raises(StudyError, match="not reached within 10 standard deviations"):
        found(STANDARD, linear, above=20.0, approach="form")
    statistics, result, _ = found(STANDARD, linear, above=20.0, approach="subset", levels=3, samples=100)
    assert statistics["probability"] == 0 and "not reached in 3 levels" in result.facts.note
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
        (lambda: Reliability(output="y:max", approach="subset", above=1, samples=60), "samples = 100"),
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


@pytest.mark.parametrize(("approach", "keys"), [("form", {}), ("sorm", {}), ("importance", {"samples": 60}), ("subset", {"samples": 100})])
def test_runs_are_as_many_as_planned(approach, keys):
    method = Reliability(output="y:max", above=2.0, approach=approach, **keys)
    least, most = method.planned_runs(STANDARD)
    _, count = drive(method, STANDARD, scalar(linear))
    assert least <= count <= most
