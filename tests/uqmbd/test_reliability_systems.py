"""Systems of several limits: bivariate and independent closed forms, Ditlevsen's bounds, simulation, what is written wrongly."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm

from uqmbd.analysis.reliability.systems import ditlevsen, pair, together
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


@pytest.mark.parametrize(("approach", "settings"), [("montecarlo", {"samples": 20_000}), ("subset", {"samples": 2000})])
@pytest.mark.parametrize("system", EXACT)
def test_simulation_of_a_system_has_its_probability(system, approach, settings):
    table = found(system, approach, **settings).statistics["y"]
    estimate, lower, upper = (float(table.sel(statistic=f"probability{side}")) for side in ("", "_lower", "_upper"))
    assert abs(estimate - EXACT[system]) < upper - lower, "twice the half width of 95 % limits"


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
    ({"approach": "sorm"}, "the approach sorm treats one limit"),
]


@pytest.mark.parametrize(("changes", "words"), WRONG)
def test_what_is_written_wrongly_is_said(changes, words):
    settings = {"output": "y", "above": 2.0, "also": {"t": "< -1.5"}, "system": "series", "approach": "form", **changes}
    with pytest.raises(StudyError, match=words):
        drive(Reliability(**settings), INPUTS, planes)
