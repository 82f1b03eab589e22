"""FORM and SORM against exact probabilities, published formulas and OpenTURNS."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import gamma, norm

from uqmbd.analysis.reliability import form
from uqmbd.errors import StudyError
from uqmbd.inputs import Random
from uqmbd.inputs.space import Space

from .reliability_models import STANDARD, found, four_branches, normal, search


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
    assert count == statistics["runs"] == 2 * 7 + 4 + (5 * 3 + 4) + (1 + 2 * 2)
    assert result.attrs["points_against_plane"] == [0, 19] and not result.facts.notes


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


def four(a, b):
    return -four_branches(np.column_stack([a, b]))


def two_points(a, b):
    """Der Kiureghian, Dakessian, Struct. Saf. 20 (1998) 37: design points at both sides of a parabola."""
    return b + 0.5 * (a - 0.1) ** 2 - 5


def waves(a, b):
    """A limit of Rastrigin's kind, which is crossed many times."""
    return a**2 + b**2 - 5 * np.cos(2 * np.pi * a) - 5 * np.cos(2 * np.pi * b) - 10


@pytest.mark.parametrize("approach", ["form", "sorm", "importance"])
@pytest.mark.parametrize("function", [four, two_points, waves])
def test_a_limit_with_other_parts_is_noted(function, approach):
    _, result, _ = found(STANDARD, function, above=0.0, approach=approach)
    assert result.attrs["points_against_plane"][0] > 0 and "there are other design points" in result.facts.note


def test_a_bent_limit_is_not_noted():
    """A design point, and no other; the medians safe, and unsafe. FORM is off by 10 and 20 %."""
    for limit in (3.0, -3.0):
        _, result, _ = found(STANDARD, lambda a, b: b - 0.05 * a**2, above=limit, approach="form")
        assert result.attrs["points_against_plane"][0] == 0 and not result.facts.notes
        bent = 1 + (0.3 if limit > 0 else -0.3)  # 1 + β κ
        assert result.attrs["second_order_factor"] == pytest.approx(bent**-0.5, rel=1e-6)


def exponentials(d):
    """Inputs whose sum has a gamma distribution, and the limit that it crosses with the probability 1e-4."""
    return {f"x{i}": Random({"type": "exponential"}) for i in range(d)}, float(gamma.isf(1e-4, d))


def total(**x):
    return sum(x.values())


@pytest.mark.parametrize("d", [2, 5, 10, 20, 50])
def test_a_bend_that_makes_form_wrong_is_noted(d):
    """FORM is 0.45 to 1e-5 of the exact 1e-4. The bend is seen in at most five directions, by at most eleven runs."""
    inputs, limit = exponentials(d)
    statistics, result, _ = found(inputs, total, above=limit, approach="form")
    assert statistics["probability"] < 0.5e-4 and "the limit bends" in result.facts.note and "of FORM is off" in result.facts.note
    assert result.attrs["directions_of_bend"] == [min(5, d - 1), d - 1]
    assert result.attrs["second_order_factor"] * statistics["probability"] > 1e-4
    assert (f"the {d - 6} others are taken to be like these" in result.facts.note) == (d > 6)


@pytest.mark.parametrize("d", [5, 10, 20])
def test_a_bend_that_makes_sorm_wrong_is_noted(d):
    """Breitung's formula gives 1.5, 2.3 and 5.6 times the exact 1e-4."""
    inputs, limit = exponentials(d)
    statistics, result, _ = found(inputs, total, above=limit, approach="sorm")
    assert statistics["probability"] > 1.4e-4 and "two formulas of second order differ" in result.facts.note


def test_inputs_that_only_one_direction_depends_on_have_no_bend():
    """One input, and a plane in twelve."""
    _, result, _ = found({"a": STANDARD["a"]}, lambda a: a**3, above=27.0, approach="form")
    assert result.attrs["second_order_factor"] == 1 and result.attrs["directions_of_bend"] == [0, 0] and not result.facts.notes
    _, result, _ = found({f"x{i}": normal(0, 1) for i in range(12)}, total, above=12.0, approach="form")
    assert result.attrs["second_order_factor"] == pytest.approx(1, abs=1e-6) and not result.facts.notes


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


@pytest.mark.parametrize("beta", [7.0, 7.5, 8.0, 9.5])
@pytest.mark.parametrize("side", ["above", "below"])
def test_far_tails_keep_their_digits(beta, side):
    """One and two inputs, with a probability down to 1e-21 above and below: a limit that is exactly so many standard deviations away."""
    sign = 1 if side == "above" else -1
    spread = np.sqrt(np.log1p(0.25))
    lognormal = {"a": Random({"type": "lognormal", "mean": 1, "std": 0.5})}
    for inputs, function, limit in (
        ({"a": STANDARD["a"]}, lambda a: a, sign * beta),
        (STANDARD, lambda a, b: (a + b) / np.sqrt(2), sign * beta),
        (lognormal, lambda a: a, np.exp(sign * beta * spread - spread**2 / 2)),
        ({**lognormal, "b": lognormal["a"]}, lambda a, b: a * b, np.exp(sign * beta * spread * np.sqrt(2) - spread**2)),
    ):
        statistics, _, _ = found(inputs, function, approach="form", **{side: limit})
        assert statistics["probability"] == pytest.approx(norm.sf(beta), rel=1e-6, abs=0)
