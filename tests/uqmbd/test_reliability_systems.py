"""Systems of several limits: bivariate and independent closed forms, Ditlevsen's bounds, simulation, what is written wrongly."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm

from uqmbd.analysis.reliability.form import NotFoundError
from uqmbd.analysis.reliability.systems import Mixture, ditlevsen, pair, together
from uqmbd.errors import StudyError
from uqmbd.inputs import Random
from uqmbd.methods import Reliability

from .loop import drive

INPUTS = {name: Random({"type": "normal", "mean": 0.0, "std": 1.0}) for name in "ab"}
RHO = 0.6
BOTH = float(multivariate_normal.cdf([-2.0, -1.5], cov=[[1.0, RHO], [RHO, 1.0]]))
EXACT = {"series": norm.sf(2.0) + norm.sf(1.5) - BOTH, "parallel": BOTH}


def planes(time, a, b):
    return {"y": a, "t": -(RHO * a + np.sqrt(1 - RHO**2) * b)}


def found(system, approach, seed=1, **settings):
    method = Reliability(output="y", above=2.0, also={"t": "< -1.5"}, system=system, approach=approach, **settings)
    return drive(method, INPUTS, planes, seed=seed)[0]


@pytest.mark.parametrize("system", EXACT)
def test_form_of_two_planes_is_the_bivariate_normal(system):
    result = found(system, "form")
    table = result.statistics["y"]
    np.testing.assert_allclose(table.sel(statistic="probability"), EXACT[system], rtol=1e-6)
    np.testing.assert_allclose([table.sel(statistic="beta:y"), table.sel(statistic="beta:t")], [2.0, 1.5], rtol=1e-6)
    assert result.attrs["unsafe"] == f"y > 2 {'or' if system == 'series' else 'and'} t < -1.5"


SAMPLING = {"montecarlo": {"samples": 20_000}, "subset": {"samples": 2000}, "importance": {"samples": 2000}, "ak_mcs": {"cov": 0.03}}


@pytest.mark.parametrize(("approach", "settings"), SAMPLING.items())
@pytest.mark.parametrize("system", EXACT)
def test_simulation_of_a_system_has_its_probability(system, approach, settings):
    table = found(system, approach, **settings).statistics["y"]
    estimate, lower, upper = (float(table.sel(statistic=f"probability{side}")) for side in ("", "_lower", "_upper"))
    assert abs(estimate - EXACT[system]) < upper - lower, "twice the half width of 95 % limits"


@pytest.mark.parametrize("system", EXACT)
@pytest.mark.parametrize("levels", [(-2.0, -1.5), (-1.0, 2.0), (4.5, 4.2)])
def test_importance_of_a_system_is_unbiased_on_either_side_of_the_medians(system, levels):
    """The rare side is a union or an intersection of half spaces, and the medians are on the safe side or not."""
    u, v = levels
    both = float(multivariate_normal.cdf([-u, -v], cov=[[1.0, RHO], [RHO, 1.0]]))
    exact = both if system == "parallel" else float(norm.sf(u) + norm.sf(v) - both)
    method = Reliability(output="y", above=u, also={"t": f"< {-v}"}, system=system, approach="importance", samples=300)
    tables = [drive(method, INPUTS, planes, seed=seed)[0].statistics["y"] for seed in range(10)]
    found = np.array([[table.sel(statistic=f"probability{end}") for end in ("", "_lower", "_upper")] for table in tables])
    rare = exact if exact < 0.5 else 1 - exact
    assert abs(found[:, 0].mean() - exact) < 0.1 * rare
    assert ((found[:, 1] <= exact) & (exact <= found[:, 2])).sum() >= 8


def test_importance_samples_about_the_nearest_point_beyond_all_planes():
    """In a plane, beyond ``a > 1`` and ``b > 2``: their corner; and of planes that have no point together there is none."""
    mixed = Mixture.of(np.array([1.0, 2.0]), np.eye(2), "parallel")
    np.testing.assert_allclose(mixed.centres, [[1.0, 2.0]], atol=1e-12)
    np.testing.assert_allclose(mixed.beta, np.sqrt(5.0))
    with pytest.raises(NotFoundError, match="no point together"):
        Mixture.of(np.array([1.0, 2.0]), np.array([[1.0, 0.0], [-1.0, 0.0]]), "parallel")


def test_weights_of_a_mixture_have_the_mean_one():
    z, weights = Mixture.of(np.array([2.0, 2.5]), np.eye(2), "series").draw(20_000, np.random.default_rng(1))
    np.testing.assert_allclose(weights.mean(), 1.0, atol=5 * weights.std() / np.sqrt(len(z)))


def test_importance_counts_where_planes_decide_the_system():
    """Both above 2 and below -2 is no output ever: 0 of 200 runs, with the limit 1 - 0.05^(1/200)."""
    method = Reliability(output="y", above=2.0, also={"y": "< -2"}, system="parallel", approach="importance", samples=200)
    result = drive(method, INPUTS, planes)[0]
    table = result.statistics["y"]
    found = [float(table.sel(statistic=f"probability{end}")) for end in ("", "_lower", "_upper")]
    np.testing.assert_allclose(found, [0.0, 0.0, 1 - 0.05 ** (1 / 200)], rtol=1e-9)
    assert "independent runs were counted" in result.attrs["notes"][-1]


def test_sorm_of_a_system_bends_each_limit():
    """Where the other limit is never met, the probability is that of the bent limit alone."""

    def bent(time, a, b):
        return {"y": a + 0.1 * b * b, "t": -a}

    alone = drive(Reliability(output="y", above=3.0, approach="sorm"), INPUTS, bent)[0].statistics["y"]
    both = Reliability(output="y", above=3.0, also={"t": "> 40"}, system="series", approach="sorm")
    system = drive(both, INPUTS, bent)[0].statistics["y"]
    np.testing.assert_allclose(system.sel(statistic="probability"), alone.sel(statistic="probability"), rtol=1e-12)


@pytest.mark.parametrize(("system", "limit", "probability"), [
    ("series", "> 2", norm.sf(2.0)), ("series", "< 2", 1.0), ("parallel", "> 2", 0.0), ("parallel", "< 2", norm.sf(2.0)),
])  # fmt: skip
def test_a_limit_that_is_never_or_always_passed_is_known(system, limit, probability):
    def constant(time, a, b):
        return {"y": a, "t": 1.0 + 0.0 * b}

    method = Reliability(output="y", above=2.0, also={"t": limit}, system=system, approach="form")
    result = drive(method, INPUTS, constant)[0]
    np.testing.assert_allclose(result.statistics["y"].sel(statistic="probability"), probability, rtol=1e-6)
    assert f"it is taken to be {'never' if limit == '> 2' else 'always'} passed" in result.attrs["notes"][0]


@pytest.mark.parametrize("rho", [-1.0, -0.9, -0.3, 0.0, 0.5, 0.95, 1.0])
def test_pairs_are_those_of_the_bivariate_normal(rho):
    exact = multivariate_normal.cdf([-1.2, -0.7], cov=[[1.0, rho], [rho, 1.0]], allow_singular=True)
    np.testing.assert_allclose(pair((1.2, 0.7), rho), exact, rtol=1e-6, atol=1e-9)


def test_independent_limits_have_their_products():
    beta, rho = np.array([1.0, 1.5, 2.0]), np.eye(3)
    each = norm.sf(beta)
    np.testing.assert_allclose(together(beta, rho, "parallel", 1), each.prod(), rtol=1e-3)
    exact = 1 - (1 - each).prod()
    np.testing.assert_allclose(together(beta, rho, "series", 1), exact, rtol=1e-4)
    lower, upper = ditlevsen(beta, rho)
    assert lower <= exact <= upper < each.sum()


def test_ditlevsen_of_equal_correlations_holds_the_exact_probability():
    """Margins with one common factor: P = 1 - ∫ Π Φ((β - √ρ u) / √(1 - ρ)) φ(u) du (Dunnett, Sobel, Biometrika 42 (1955) 258)."""
    beta, rho = np.full(4, 2.0), 0.5
    u, weights = np.polynomial.hermite_e.hermegauss(80)
    exact = 1 - (weights / np.sqrt(2 * np.pi)) @ norm.cdf((2.0 - np.sqrt(rho) * u) / np.sqrt(1 - rho)) ** 4
    matrix = np.full((4, 4), rho) + (1 - rho) * np.eye(4)
    lower, upper = ditlevsen(beta, matrix)
    assert lower <= exact <= upper
    np.testing.assert_allclose(together(beta, matrix, "series", 1), exact, rtol=1e-3)


WRONG = [
    ({"system": None}, "a system has several limits"),
    ({"also": None}, "a system has several limits"),
    ({"also": {"t": "1.5"}}, "a limit of an output is a text"),
    ({"also": {"u": "> 1"}}, "no scalar output 'u'"),
    ({"also": {"t": "> 1 kg"}}, "'t' is in m, which 1 kg is not"),
    ({"approach": "interval"}, "the approach interval treats one limit"),
]


@pytest.mark.parametrize(("changes", "words"), WRONG)
def test_what_is_written_wrongly_is_said(changes, words):
    settings = {"output": "y", "above": 2.0, "also": {"t": "< -1.5"}, "system": "series", "approach": "form", **changes}
    with pytest.raises(StudyError, match=words):
        drive(Reliability(**settings), INPUTS, planes)
