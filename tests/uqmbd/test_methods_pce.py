"""Chaos expansions of models against published and closed-form values, and what they do when runs fail or cannot be trusted."""

import numpy as np
import pytest
from scipy import stats

from uqmbd.analysis.chaos.expansion import basis
from uqmbd.errors import StudyError
from uqmbd.inputs import Interval, Random
from uqmbd.inputs.space import Space
from uqmbd.methods import PCE, read_method
from uqmbd.result import open_results
from uqmbd.surrogates import chaos_fit

from .loop import drive


def uniform(lower, upper):
    return Random({"type": "uniform", "lower": lower, "upper": upper})


def normal(mean, std):
    return Random({"type": "normal", "mean": mean, "std": std})


def scalar(function):
    return lambda time, **samples: {"f:value": function(**samples)}


def statistic(result, name, output="f:value"):
    return result.statistics[output].sel(statistic=name).values


def indices(result, kind, output="f:value"):
    return result.sensitivity[output].sel(kind=kind).values


CUBE = {name: uniform(-np.pi, np.pi) for name in "xyz"}
ISHIGAMI = {  # REFERENCES, section 6
    "variance": 13.844587940719254,
    "first": [0.31390519114781146, 0.4424111447900409, 0],
    "total": [0.5575888552099592, 0.4424111447900409, 0.24368366406214773],
}


def ishigami(x, y, z):
    return np.sin(x) + 7 * np.sin(y) ** 2 + 0.1 * z**4 * np.sin(x)


def check_ishigami(result, tolerance):
    assert statistic(result, "std") ** 2 == pytest.approx(ISHIGAMI["variance"], rel=tolerance)
    for kind in ("first", "total"):
        assert indices(result, kind) == pytest.approx(ISHIGAMI[kind], abs=tolerance)
    assert result.interaction["f:value"].sel(pair="x*z") == pytest.approx(ISHIGAMI["total"][2], abs=tolerance)


@pytest.mark.parametrize("how", [{}, {"regression": "omp"}, {"truncation": "hyperbolic", "max_degree": 14}, {"design": "sobol"}])
def test_ishigami_from_300_runs(how):
    result, count = drive(PCE(samples=300, **how), CUBE, scalar(ishigami))
    assert count == 300 and bool(result.trusted["f:value"])
    check_ishigami(result, 1e-3)


def test_ishigami_by_quadrature():
    method = PCE(design="quadrature", degree={"x": 17, "y": 26, "z": 4})
    result, count = drive(method, CUBE, scalar(ishigami))
    assert count == 18 * 27 * 5 + 270 and result.attrs["terms"] == {"f:value": 2430}
    check_ishigami(result, 1e-8)


def test_a_sparse_grid_of_gauss_points_gives_what_the_tensor_grid_does():
    """A cubic in six inputs of four kinds: 455 points for 4,096, and the same moments and indices to rounding."""
    inputs = {"x": uniform(-1, 1), "y": uniform(0, 2), "z": normal(0, 1), "w": normal(2, 0.5)}
    inputs |= {"g": Random({"type": "gamma", "shape": 2.0}), "b": Random({"type": "beta", "alpha": 2.0, "beta": 3.0})}
    model = scalar(lambda x, y, z, w, g, b: x * y * z + w**3 + g * g + b * x + g)
    sparse, count = drive(PCE(design="quadrature", degree=3, grid="sparse"), inputs, model)
    tensor, most = drive(PCE(design="quadrature", degree=3, truncation="total"), inputs, model)
    assert sparse.attrs["terms"] == tensor.attrs["terms"] and most == 4096 + 456 and count < 700
    for name in ("mean", "std"):
        assert statistic(sparse, name) == pytest.approx(statistic(tensor, name), rel=1e-10)
    assert indices(sparse, "total") == pytest.approx(indices(tensor, "total"), abs=1e-9)


def test_the_tensor_grid_is_taken_where_a_sparse_one_has_more_points():
    """83 against 64 in three inputs of degree 3; what is planned is what is asked, and `check` says which."""
    method, inputs = PCE(design="quadrature", degree=3, grid="sparse"), {name: normal(0, 1) for name in "xyz"}
    _, count = drive(method, inputs, scalar(lambda x, y, z: x + y * z))
    assert method.planned_runs(inputs) == (count, count) and method.counts(inputs)[0] == 64
    assert "tensor grid of 64 Gauss points" in method.design_in_words(inputs)
    more = {f"x{i}": normal(0, 1) for i in range(6)}
    assert method.design_in_words(more) == "sparse grid of 455 Gauss points instead of 4,096 of the tensor grid"
    assert PCE(design="quadrature", degree=3).design_in_words(more) == ""


def test_a_study_that_names_no_grid_is_what_it_was():
    assert "grid" not in PCE(samples=20).model_dump() and PCE(design="quadrature", degree=2, grid="sparse").model_dump()["grid"] == "sparse"


def test_sobol_g():
    """Eight inputs, a kink in each: 600 runs give the indices to 0.02."""
    a = np.array([0, 1, 4.5, 9, 99, 99, 99, 99])
    model = scalar(lambda **x: np.prod([(np.abs(4 * x[f"x{i}"] - 2) + a[i]) / (1 + a[i]) for i in range(8)], axis=0))
    method = PCE(samples=600, truncation="hyperbolic", q=0.6, max_degree=8, regression="omp", trust_tolerance=0.5)
    result, _ = drive(method, {f"x{i}": uniform(0, 1) for i in range(8)}, model)
    first = [0.7161921688790331, 0.17904804221975829, 0.02367577417781928, 0.007161921688790333, *[7.1e-5] * 4]
    total = [0.7871441266592748, 0.2421981928182384, 0.03431691015408282, 0.010460387065239534, *[1.05e-4] * 4]
    assert indices(result, "first") == pytest.approx(first, abs=0.02)
    assert indices(result, "total") == pytest.approx(total, abs=0.02)
    assert statistic(result, "std") ** 2 == pytest.approx(0.4654244319022067, rel=0.04)


BOREHOLE = {
    "rw": (0.05, 0.15),
    "r": (100, 50000),
    "Tu": (63070, 115600),
    "Hu": (990, 1110),
    "Tl": (63.1, 116),
    "Hl": (700, 820),
    "L": (1120, 1680),
    "Kw": (9855, 12045),
}


def borehole(rw, r, Tu, Hu, Tl, Hl, L, Kw):
    log = np.log(r / rw)
    return 2 * np.pi * Tu * (Hu - Hl) / (log * (1 + 2 * L * Tu / (log * rw**2 * Kw) + Tu / Tl))


def test_borehole():
    result, _ = drive(PCE(samples=400), {name: uniform(*ends) for name, ends in BOREHOLE.items()}, scalar(borehole))
    assert borehole(**{name: sum(ends) / 2 for name, ends in BOREHOLE.items()}) == pytest.approx(70.87291263681897, rel=1e-12)
    assert bool(result.trusted["f:value"])
    assert statistic(result, "mean") == pytest.approx(77.6513, rel=5e-4)
    assert statistic(result, "std") ** 2 == pytest.approx(2078.93, rel=2e-3)


def test_exponential_decay():
    """u' = -k u, u(0) = 1, k ~ N(0, 1), at t = 1: the mean is e^½, the variance e² - e; quantiles are those of a lognormal variable."""
    result, count = drive(PCE(samples=60, design="sobol"), {"k": normal(0, 1)}, scalar(lambda k: np.exp(-k)))
    assert count == 60 and result.attrs["families"] == {"k": "hermite"}
    assert statistic(result, "mean") == pytest.approx(np.exp(0.5), rel=1e-4)
    assert statistic(result, "std") == pytest.approx(np.sqrt(np.e**2 - np.e), rel=1e-3)
    for level in (5, 25, 50, 75, 95):
        assert statistic(result, f"q{level:02d}") == pytest.approx(np.exp(stats.norm.ppf(level / 100)), rel=5e-3)


def test_picked_points_determine_nearly_as_many_terms_as_they_are():
    """Ishigami by 135 points that were picked for its 120 terms of degree 7."""
    result, _ = drive(PCE(samples=150, design="doptimal"), CUBE, scalar(ishigami))
    assert result.attrs["candidates"] == 120
    assert indices(result, "first") == pytest.approx(ISHIGAMI["first"], abs=0.03)


def oscillator(time, k, c=None):
    """x'' + k x = 0, x(0) = 1."""
    return {"x": np.cos(np.sqrt(k)[:, None] * time)}


def test_oscillator_with_random_stiffness():
    """Mean and variance over time in closed form: E cos(√k t) = [2 (cos(st)/t² + s sin(st)/t)] / (b - a), s from √a to √b."""
    time, (a, b) = np.linspace(0, 8, 201), (3.0, 5.0)

    def mean_cosine(t):
        t = np.where(t == 0, 1.0, t)
        ends = [2 * (np.cos(s * t) / t**2 + s * np.sin(s * t) / t) for s in np.sqrt([a, b])]
        return np.where(time == 0, 1.0, (ends[1] - ends[0]) / (b - a))

    mean = mean_cosine(time)
    std = np.sqrt(np.maximum(0.5 + mean_cosine(2 * time) / 2 - mean**2, 0))
    result, _ = drive(PCE(samples=40), {"k": uniform(a, b)}, oscillator, time=time)
    assert result.trusted["x"].values.all() and np.isinf(result.trust_horizon["x"])
    assert statistic(result, "mean", "x") == pytest.approx(mean, abs=1e-7)
    assert statistic(result, "std", "x") == pytest.approx(std, abs=1e-6)
    assert float(result.aggregated["x"].sel(kind="total", input="k")) == pytest.approx(1.0)


def polynomial(x, y, z):
    return 1 + 2 * x + y**2 - 3 * x * z + 0.5 * x * y * z


UNIT = {name: uniform(-1, 1) for name in "xyz"}


def test_permuting_inputs_permutes_indices():
    one, _ = drive(PCE(samples=80), UNIT, scalar(polynomial))
    other, _ = drive(PCE(samples=80), {name: UNIT[name] for name in "zxy"}, scalar(polynomial))
    for kind in ("first", "total"):
        assert indices(other, kind) == pytest.approx(indices(one, kind)[[2, 0, 1]], abs=1e-10)
    assert other.interaction["f:value"].sel(pair="z*x") == pytest.approx(float(one.interaction["f:value"].sel(pair="x*z")), abs=1e-10)


def test_scaling_an_output_scales_its_statistics():
    one, _ = drive(PCE(samples=120, degree=4), UNIT, scalar(lambda x, y, z: np.exp(x + 0.3 * y * z)))
    other, _ = drive(PCE(samples=120, degree=4), UNIT, scalar(lambda x, y, z: 1e3 * np.exp(x + 0.3 * y * z)))
    for name in ("mean", "std", "q05", "q95"):
        assert statistic(other, name) == pytest.approx(1e3 * statistic(one, name), rel=1e-9)
    assert statistic(other, "skewness") == pytest.approx(statistic(one, "skewness"), rel=1e-8)
    assert other.sensitivity["f:value"].values == pytest.approx(one.sensitivity["f:value"].values, abs=1e-9)


def test_an_interval_is_a_uniform_variable():
    one, _ = drive(PCE(samples=60), UNIT, scalar(polynomial))
    other, _ = drive(PCE(samples=60), {name: Interval(-1, 1) for name in "xyz"}, scalar(polynomial))
    assert other.statistics["f:value"].values == pytest.approx(one.statistics["f:value"].values, abs=1e-12)


def test_dependent_inputs():
    """A sum of normal variables with the rank correlation ρ has the variance 2 + 2 r, r = 2 sin(π ρ / 6)."""
    space = Space({"x": normal(0, 1), "y": normal(5, 1)}, dependence={"rank_correlation": [["x", "y", 0.6]]})
    result, _ = drive(PCE(samples=40), space, scalar(lambda x, y: x + y))
    assert statistic(result, "mean") == pytest.approx(5.0, abs=1e-10)
    assert statistic(result, "std") ** 2 == pytest.approx(2 + 4 * np.sin(np.pi * 0.1), abs=1e-9)


def test_heavy_tails_have_polynomials_of_their_probability():
    inputs = {"x": Random({"type": "cauchy"}), "y": Random({"type": "lognormal", "mean": 1, "std": 0.3})}
    result, _ = drive(PCE(samples=200), inputs, scalar(lambda x, y: np.arctan(x) + np.log(y)))
    assert result.attrs["families"] == {"x": "legendre of the probability", "y": "hermite of the logarithm"}
    assert statistic(result, "std") ** 2 == pytest.approx(np.pi**2 / 12 + np.log1p(0.09), rel=1e-8)


def test_distribution_function_of_a_scalar():
    result, _ = drive(PCE(samples=40), {"x": normal(2, 3)}, scalar(lambda x: 2 * x))
    table = result.cdf["f:value"]
    assert table.sizes == {"level": 201, "column": 3}
    inner = table.sel(level=slice(5, 195))
    exact = stats.norm.cdf(inner.sel(column="value"), 4, 6)
    for column in ("lower", "upper"):
        assert inner.sel(column=column).values == pytest.approx(exact, abs=1e-3)


def test_convergence_with_the_number_of_runs():
    result, _ = drive(PCE(samples=400), CUBE, scalar(ishigami))
    table = result.convergence["f:value"]
    assert 5 <= table.sizes["count"] <= 8 and table["count"].values[-1] == 360
    assert table.sel(statistic="loo").values[-1] < 1e-3 * table.sel(statistic="loo").values[0]
    assert float(table.sel(statistic="std")[-1]) == pytest.approx(float(statistic(result, "std")))


def contact(time, gap, stiffness):
    """Velocity after a contact whose time depends on the gap: a jump from `time` 0.3 to 0.7, smooth before and after."""
    hit = 0.5 + 0.2 * gap[:, None]
    return {"v": np.where(time > hit, -1.0, 1.0) * (1 + 0.1 * stiffness[:, None] * time)}


def test_trust_is_lost_at_kinks_and_statistics_are_those_of_the_runs():
    time, told = np.linspace(0, 1, 101), []

    def model(time, **samples):
        values = contact(time, **samples)
        told.append(values["v"])
        return values

    result, _ = drive(PCE(samples=120), {"gap": uniform(-1, 1), "stiffness": uniform(-1, 1)}, model, time=time)
    runs, trusted = told[-1], result.trusted["v"].values
    inside, outside = (time > 0.32) & (time < 0.68), (time < 0.29) | (time > 0.71)
    assert not trusted[inside].any() and trusted[outside].all() and np.isinf(result.trust_horizon["v"])
    assert statistic(result, "mean", "v")[~trusted] == pytest.approx(runs.mean(axis=0)[~trusted])
    assert statistic(result, "std", "v")[~trusted] == pytest.approx(runs.std(axis=0, ddof=1)[~trusted])
    assert statistic(result, "q05", "v")[~trusted] == pytest.approx(np.quantile(runs, 0.05, axis=0)[~trusted])
    assert statistic(result, "mean", "v")[time > 0.71] == pytest.approx(-1.0, abs=1e-10)
    assert "statistics are those of 120 runs" in result.facts.note and 0.5 < result.attrs["trusted_share"] < 0.7


def test_a_constant_output_is_trusted():
    def model(time, x, y, z):
        return {"c": np.full((len(x), 3), 0.1), "z:max": 0 * x}

    result, _ = drive(PCE(samples=40), UNIT, model, time=[0, 1, 2])
    assert result.trusted["c"].values.all() and bool(result.trusted["z:max"])
    assert statistic(result, "mean", "c") == pytest.approx(np.full(3, 0.1), abs=1e-15)
    assert not result.sensitivity["c"].values.any() and not result.aggregated["c"].values.any()


def test_d_optimal_points_determine_the_terms_better():
    conditions = {}
    for design in ("random", "doptimal"):
        run = PCE(samples=60, degree=4, design=design, sparse=False).start(UNIT, {}, np.zeros(1), 1)
        u = np.stack(list(run.ask().values()), axis=1)[:50] / 2 + 0.5
        conditions[design] = np.linalg.cond(basis(run.surrogate.fitting.families, run.surrogate.fitting.indices, u))
    assert conditions["doptimal"] < 0.5 * conditions["random"]


def test_batches_do_not_change_the_result(tmp_path):
    time = np.linspace(0, 2, 11)
    one, _ = drive(PCE(samples=40), {"k": uniform(3, 5)}, oscillator, time=time)
    other, _ = drive(PCE(samples=40), {"k": uniform(3, 5)}, oscillator, time=time, batch=7)
    for (_, a), (_, b) in zip(one.groups(), other.groups()):
        assert a.identical(b)
    kept = open_results(one.save(tmp_path))
    assert kept.attrs["degree"] == one.attrs["degree"] and kept.aggregated["x"].equals(one.aggregated["x"])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: PCE(), "'samples' is missing"),
        (lambda: PCE(samples=100, degree="high"), 'or "auto"'),
        (lambda: PCE(samples=100, degree=0), "whole number from 1"),
        (lambda: PCE(samples=100, degree=[2, 2.5]), "whole number from 1"),
        (lambda: PCE(samples=100, degree=[]), "a list of them"),
        (lambda: PCE(samples=100, degree=[2, {"a": 3}]), "a list of degrees holds whole numbers"),
        (lambda: PCE(samples=100, degree=[None, 3]), "a list of degrees holds whole numbers"),
        (lambda: PCE(samples=100, sparse=True, regression="least_squares"), "exclude each other"),
        (lambda: PCE(samples=100, sparse=False, regression="lars"), "exclude each other"),
        (lambda: PCE(samples=100, design="quadrature", degree=3), "remove samples"),
        (lambda: PCE(design="quadrature"), "one degree"),
        (lambda: PCE(samples=100, grid="sparse"), "goes with the design quadrature"),
        (lambda: PCE(design="quadrature", degree=2, grid="sparse", truncation="tensor"), "total degree"),
        (lambda: PCE(design="quadrature", degree=4, grid="sparse").check({f"x{i}": uniform(0, 1) for i in range(40)}), "135751 runs"),
        (lambda: PCE(design="quadrature", degree=3, regression="omp"), "no regression"),
        (lambda: PCE(design="quadrature", degree=9).check({f"x{i}": uniform(0, 1) for i in range(6)}), "1000000 runs at Gauss points"),
        (lambda: PCE(samples=13).check(UNIT), "use 15 samples"),
        (lambda: PCE(samples=80, degree=6, sparse=False).check(UNIT), "95 samples are the least"),
        (lambda: PCE(samples=80, degree=6, sparse=False).check(UNIT), "84 terms, more than 70 fitted runs"),
        (lambda: PCE(samples=80, degree={"w": 3}).check(UNIT), "no input 'w'"),
        (lambda: PCE(samples=80, degree=9).check({f"x{i}": uniform(0, 1) for i in range(40)}), "more than 200000 terms"),
        (lambda: PCE(samples=80, truncation="totl"), "total"),
        (lambda: read_method({"type": "pce", "samples": 50, "degre": 3}), 'did you mean "degree"'),
    ],
)
def test_mistakes_are_one_sentence(make, words):
    with pytest.raises(StudyError) as caught:
        make()
    assert words in str(caught.value)


def test_planned_runs_are_the_runs_asked_for():
    assert PCE(samples=100).planned_runs(UNIT) == (100, 100)
    assert PCE(design="quadrature", degree=4).planned_runs(UNIT) == (139, 139)
    assert read_method({"type": "pce", "samples": 50, "degree": [2, 3]}) == PCE(samples=50, degree=[3, 2])


def test_more_runs_than_a_matrix_holds_give_the_same_expansion(monkeypatch):
    def found():
        return drive(PCE(samples=4000, degree=[8, 9, 10]), CUBE, scalar(ishigami))[0]

    whole = found()
    assert "runs_choosing_terms" not in whole.attrs
    monkeypatch.setattr(chaos_fit, "WHOLE", 286 * 1500)
    parts = found()
    assert parts.attrs["runs_choosing_terms"] == 1500
    for kind in ("first", "total"):
        np.testing.assert_allclose(indices(parts, kind), ISHIGAMI[kind], atol=1e-4)
        np.testing.assert_allclose(indices(parts, kind), indices(whole, kind), atol=1e-4)
    means = [result.convergence["f:value"].sel(statistic="mean") for result in (parts, whole)]
    np.testing.assert_allclose(*means, rtol=1e-3)
    assert parts.attrs["loo_error"]["f:value"] == pytest.approx(whole.attrs["loo_error"]["f:value"], rel=0.3)
