"""Designs with a limit on a system: linear Gaussian limits, independent and correlated, whose optimum is known; what is written wrongly."""

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import multivariate_normal, norm

import uqmbd as uq
from uqmbd.analysis.reliability.systems import slopes_of, together
from uqmbd.decision_facts import Designed
from uqmbd.errors import StudyError
from uqmbd.inputs.space import Space
from uqmbd.report.designs import design_said
from uqmbd.tables.decided import designed

from .loop import drive

SHARE = 0.01


def model(rho):
    """Two outputs that scatter by 1 about 0, with a correlation, against strengths that cost the same: both are the index of a limit."""

    def found(time, first, second, u, v):
        return {"cost": first + second, "y": u - first, "t": rho * u + np.sqrt(1 - rho**2) * v - second}

    return found


def inputs(low=0.0):
    return Space.of({"first": uq.Interval(low, 6.0), "second": uq.Interval(low, 6.0), "u": uq.Normal(0.0, 1.0), "v": uq.Normal(0.0, 1.0)})


def found(rho, system, **settings):
    method = uq.Design(minimise="cost", systems=[system], **{"samples": 400, **settings})
    return drive(method, inputs(), model(rho))[0]


def index(rho, word):
    """Of both limits, where the probability of the system is `SHARE`; the cheapest by symmetry where the probability is convex there."""
    matrix = [[1.0, rho], [rho, 1.0]]

    def probability(beta):
        both = float(multivariate_normal.cdf([-beta, -beta], cov=matrix))
        return both if word == "and" else 2 * norm.sf(beta) - both

    return brentq(lambda beta: probability(beta) - SHARE, 0.01, 6.0, xtol=1e-12)


@pytest.mark.parametrize("approach", ["pma", "sora"])
@pytest.mark.parametrize("rho", [0.0, 0.5, -0.4])
def test_any_of_two_limits_has_the_design_of_the_bivariate_normal(rho, approach):
    result = found(rho, f"P(y > 0 or t > 0) <= {SHARE}", approach=approach)
    facts = result.facts_of(Designed)
    np.testing.assert_allclose(list(facts.design.values()), index(rho, "or"), rtol=1e-4)
    np.testing.assert_allclose(facts.objective, 2 * index(rho, "or"), rtol=1e-7)
    assert facts.feasible and facts.verified and facts.limits[0].lower < SHARE < facts.limits[0].higher


def test_independent_limits_have_the_closed_form():
    """Both safe with sqrt(1 - p) each."""
    facts = found(0.0, "P(y > 0 or t > 0) <= 0.01").facts_of(Designed)
    np.testing.assert_allclose(facts.objective, 2 * norm.ppf(np.sqrt(0.99)), rtol=1e-7)


def test_both_of_two_limits():
    """Correlated limits that are both passed: the optimum is symmetric, and cheaper than that of either limit alone."""
    facts = found(0.7, "P(y > 0 and t > 0) <= 0.01").facts_of(Designed)
    np.testing.assert_allclose(facts.objective, 2 * index(0.7, "and"), rtol=1e-6)


def test_words_and_tables_have_the_probability():
    result = found(0.5, "beta(y > 0 or t > 0) >= 2")
    assert any("beta(y > 0 or t > 0) >= 2: 0.02275 by the planes" in text for text in design_said(result))
    (table,) = [frame.table for frame in designed(result) if frame.key == "systems"]
    np.testing.assert_allclose(table["by search"], norm.sf(2.0), rtol=1e-5)
    assert list(result["designs"]["limit"].values) == ["beta(y > 0 or t > 0) >= 2"]


def test_a_system_that_cannot_be_met_is_named():
    method = uq.Design(minimise="cost", systems=["P(y > 6 or t > 5) <= 1e-9"], limits={"y": "<= -7"}, samples=20)
    result = drive(method, inputs(), model(0.0))[0]
    assert not result.facts_of(Designed).feasible and "is nearest to being met" in result.attrs["notes"][0]
    assert result.attrs["notes"][0].endswith("designs that were looked at meets y <= -7")


@pytest.mark.parametrize("system", ["series", "parallel"])
def test_slopes_of_a_system_are_those_of_differences(system):
    """Of three limits the probability is a multinormal integral that scipy has to 1e-6: differences of it are rough."""
    beta, rho = np.array([1.0, 1.6, 2.1]), np.array([[1.0, 0.5, 0.2], [0.5, 1.0, -0.3], [0.2, -0.3, 1.0]])
    for size in (2, 3):
        some, part, h = beta[:size], rho[:size, :size], 1e-3
        sides = [together(some + h * way, part, system, 1) - together(some - h * way, part, system, 1) for way in np.eye(size)]
        np.testing.assert_allclose(slopes_of(some, part, system, 1), np.array(sides) / (2 * h), rtol=1e-5 if size == 2 else 2e-2)


WRONG = [
    ("P(y > 1) <= 0.1", "joined by 'or', or by 'and', not by neither"),
    ("P(y > 1 or t > 1 and y < 3) <= 0.1", "not by both"),
    ("P(y > 1 or t) <= 0.1", "an output, < or >, and a level"),
    ("P(y > 1 or t > 1) <= 2", "from 0 to 0.5"),
    ("P(y > 1 or t > 1) >= 0.1", "a limit on a system is a text"),
    ("P(y > 1 or s > 1) <= 0.1", "no output 's'"),
    ("P(y > 1 or t > 1 kg) <= 0.1", "which 1 kg is not"),
]


@pytest.mark.parametrize(("text", "words"), WRONG)
def test_what_is_written_wrongly_is_said(text, words):
    with pytest.raises(StudyError, match=words) as raised:
        found(0.0, text)
    assert "systems" in raised.value.key


def test_intervals_that_stay_uncertain_are_refused():
    method = uq.Design(minimise="cost", systems=["P(y > 0 or t > 0) <= 0.1"], uncertain=["second"])
    with pytest.raises(StudyError, match="is an interval that stays uncertain"):
        drive(method, inputs(), model(0.0))
