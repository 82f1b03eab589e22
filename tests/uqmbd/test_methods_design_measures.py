"""Objectives and limits of a design that are moments, quantiles, probabilities and worst cases: closed forms, and what is wrong."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.stats import norm

from uqmbd.decision_facts import Designed
from uqmbd.errors import StudyError
from uqmbd.inputs import Interval, Random
from uqmbd.methods import Design
from uqmbd.methods.design.measures import Measure

from .loop import drive

S = 0.3
INPUTS = {"x": Interval(-3.0, 5.0), "b": Random({"type": "normal", "mean": 0.0, "std": S})}
BOX = INPUTS | {"u": Interval(1.0, 3.0)}
RUNS = 400


def found(model, inputs=INPUTS, **keys):
    return drive(Design(**{"minimise": "y", "limits": {}, "samples": RUNS, **keys}), inputs, lambda time, **x: model(**x))[0]


def square(x, b):
    """Its mean is (x - 1)² + s² + x, its variance 4 (x - 1)² s² + 2 s⁴."""
    return {"y": (x - 1 + b) ** 2 + x}


@pytest.mark.parametrize("k", [0.0, 1.0, 3.0])
def test_the_least_mean_and_spread_of_a_square_is_the_closed_form(k):
    exact = minimize_scalar(lambda x: (x - 1) ** 2 + S**2 + x + k * np.sqrt(4 * (x - 1) ** 2 * S**2 + 2 * S**4), (0.0, 1.0), tol=1e-12)
    facts = found(square, measure=f"mean + {k} std").facts_of(Designed)
    np.testing.assert_allclose([facts.design["x"], facts.objective], [exact.x, exact.fun], rtol=1e-5, atol=1e-6)
    assert facts.objective_limits[0] < facts.objective < facts.objective_limits[1] and facts.verified


LINEAR = {  # y = x + b: least x with the limit
    "mean - 3 std >= 1": 1 + 3 * S,
    "mean >= 1": 1.0,
    "quantile 0.01 >= 1": 1 + norm.ppf(0.99) * S,
    "P(< 1) <= 0.01": 1 + norm.ppf(0.99) * S,
}


@pytest.mark.parametrize("limit", LINEAR)
def test_limits_of_a_sum_are_at_their_closed_forms(limit):
    result = found(lambda x, b: {"y": x + 0 * b, "z": x + b}, limits={"z": limit})
    facts = result.facts_of(Designed)
    assert facts.design["x"] == pytest.approx(LINEAR[limit], abs=1e-7) and facts.verified and facts.limits[0].met
    assert facts.limits[0].lower is not None and facts.limits[0].lower <= facts.limits[0].runs <= facts.limits[0].higher


def test_a_standard_deviation_alone_is_limited():
    result = found(lambda x, b: {"y": -x + 0 * b, "z": (4 + x) * b}, limits={"z": "std <= 1.5"})
    assert result.attrs["design"]["x"] == pytest.approx(1.5 / S - 4, abs=1e-6)


def test_the_worst_of_a_monotonic_output_is_at_a_corner():
    inputs = {"x": Interval(-3.0, 5.0), "u": Interval(1.0, 3.0), "v": Interval(-0.5, 0.5)}
    result = found(lambda x, u, v: {"y": -x + 0 * u, "z": x + 2 * u - 3 * v}, inputs, limits={"z": "worst <= 9"}, uncertain=["u", "v"])
    facts = result.facts_of(Designed)
    assert facts.design["x"] == pytest.approx(9 - 7.5, abs=1e-7) and facts.verified
    assert facts.limits[0].runs == pytest.approx(9.0, abs=1e-6), "runs at the corners, which are the worst"


@pytest.mark.parametrize("approach", ["pma", "sora"])
def test_the_worst_within_a_box_is_found_where_it_is(approach):
    """x - (u - 1.6)²: the largest is in the middle, the least at a corner."""
    inputs = {"x": Interval(-3.0, 5.0), "u": Interval(1.0, 3.0)}
    limits = {"z": ["worst <= 2", "worst >= -3"]}
    result = found(lambda x, u: {"y": -x + 0 * u, "z": x - (u - 1.6) ** 2}, inputs, limits=limits, uncertain=["u"], approach=approach)
    assert result.attrs["design"]["x"] == pytest.approx(2.0, abs=1e-7) and result.attrs["verified"]
    low = found(lambda x, u: {"y": x + 0 * u, "z": x - (u - 1.6) ** 2}, inputs, limits=limits, uncertain=["u"], approach=approach)
    assert low.attrs["design"]["x"] == pytest.approx(-3 + 1.4**2, abs=1e-7)


def test_probabilities_are_those_at_the_worst_of_uncertain_intervals():
    """Mixed variables (Du, Sudjianto, Huang, J. Mech. Des. 127 (2005) 1068): x + b + u, whose worst u is 3."""
    result = found(lambda x, b, u: {"y": -x + 0 * b, "z": x + b + u}, BOX, limits={"z": "beta(> 5) >= 2"}, uncertain=["u"])
    assert result.attrs["design"]["x"] == pytest.approx(5 - 3 - 2 * S, abs=1e-6) and result.attrs["verified"]


def test_an_interval_that_moves_keeps_its_width():
    inputs = {"w": Interval(2.9, 3.1)}
    result = found(lambda w: {"y": w, "z": w}, inputs, limits={"z": "worst >= 2"}, move={"w": [1.0, 4.0]})
    assert result.attrs["design"]["w"] == pytest.approx(2.1, abs=1e-8)


@pytest.mark.parametrize("measure", ["quantile 0.99", "worst", "P(> 2)"])
def test_other_objectives_have_their_closed_forms(measure):
    def model(x, b, u):
        return {"y": (x - 1) ** 2 + b + u * (1 if measure == "worst" else 0.5)}

    facts = found(model, BOX, measure=measure, uncertain=["u"]).facts_of(Designed)
    exact = {"quantile 0.99": 1.5 + norm.ppf(0.99) * S, "worst": 3.0, "P(> 2)": norm.sf((2 - 1.5) / S)}[measure]
    assert facts.design["x"] == pytest.approx(1.0, abs=1e-4) and facts.objective == pytest.approx(exact, abs=1e-6)
    assert facts.measure == measure


def test_runs_refute_moments_that_no_polynomial_has():
    """Of |b| the four points of a straight line have another mean than b has."""
    result = found(lambda x, b: {"y": -x + 0 * b, "z": x - 3 * np.abs(b)}, limits={"z": "mean <= 1"}, samples=3000, degree=1)
    assert not result.attrs["verified"] and "fresh runs refute z mean <= 1" in result.facts.note


def test_a_design_is_not_verified_where_fresh_runs_fail():
    method = Design(minimise="y", limits={"z": "mean >= 1"}, samples=RUNS, max_failed=0.5)
    model, fails = (lambda time, x, b: {"y": x + 0 * b, "z": x + b}), lambda samples: samples["b"] > 2.5 * S
    result = drive(method, INPUTS, model, fail=fails)[0]
    assert result.attrs["design"]["x"] == pytest.approx(1.0, abs=1e-6) and not result.attrs["verified"]
    assert "fresh runs of the design failed" in result.facts.note


@given(st.floats(0.1, 9.0), st.booleans(), st.booleans())
@settings(max_examples=20, deadline=None)
def test_what_is_written_of_a_spread_is_read(times, plus, tight):
    text = f"mean {'+' if plus else '-'} {times:.3f}{'' if tight else ' '}std"
    read = Measure.read(text)
    assert (read.mean, read.std) == (1.0, pytest.approx(round(times, 3) * (1 if plus else -1)))


WRONG = [
    ({"measure": "median"}, "what is taken of an output is a text"),
    ({"measure": "mean 3 std"}, "what is taken of an output is a text"),
    ({"measure": "quantile 0.5"}, "not the median"),
    ({"limits": {"y": "quantile 0.99 >= 3"}}, "a quantile above 0.5 has a limit <="),
    ({"uncertain": ["b"]}, "'b' is no interval"),
    ({"uncertain": ["q"]}, "no input 'q'"),
    ({"optimiser": "simplex"}, "optimiser"),
    ({"approach": "sorm"}, "approach"),
]


@pytest.mark.parametrize(("changes", "words"), WRONG)
def test_what_is_written_wrongly_is_said(changes, words):
    with pytest.raises(StudyError, match=words):
        found(square, **changes)
