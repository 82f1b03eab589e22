"""Quantiles of all distributions far out in both tails, in the unit interval and in normal scores."""

import csv
import inspect
import json
import math
import pickle
from pathlib import Path

import chaospy
import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtr

from uqmbd.errors import StudyError
from uqmbd.inputs import Interval, Random
from uqmbd.inputs.catalogue import FAMILIES, frozen
from uqmbd.inputs.distributions import NAMED, parameters
from uqmbd.inputs.space import Space
from uqmbd.inputs.univariate import Foreign

TAILS = np.array([1e-12, 1e-9, 1e-4, 0.3])
# whole numbers have tests of their own
ROWS = csv.reader(Path(__file__).with_name("quantiles.csv").read_text().splitlines()[1:])
EXACT = [(row[0], json.loads(row[1]), np.array(row[2:], float)) for row in ROWS]


@pytest.mark.parametrize(("name", "numbers", "exact"), EXACT, ids=[f"{name}-{i}" for i, (name, *_) in enumerate(EXACT)])
def test_quantiles_of_both_tails(name, numbers, exact):
    """Against 50 digits by mpmath, see make_quantiles.py, and scaled, shifted and in another unit."""
    input_ = Random({"type": name, **numbers})
    below, above = np.split(exact, 2)
    assert input_.ppf(TAILS) == pytest.approx(below, rel=1e-9, abs=0)
    assert input_.isf(TAILS) == pytest.approx(above, rel=1e-9, abs=0)
    si = Random({"type": name, **numbers}, "mm").to_si()
    assert si.ppf(TAILS) == pytest.approx(1e-3 * below, rel=1e-9, abs=0) and si.isf(TAILS) == pytest.approx(1e-3 * above, rel=1e-9, abs=0)
    # u = 1 - q as doubles have it
    u = 1 - TAILS
    assert input_.ppf(u) == pytest.approx(input_.isf(1 - u), rel=1e-12, abs=0)
    assert np.all(np.diff(input_.ppf(np.concatenate([TAILS, u[::-1]]))) > 0)
    again = pickle.loads(pickle.dumps(input_))
    assert np.array_equal(again.ppf(TAILS), input_.ppf(TAILS))


def test_every_distribution_has_exact_quantiles_to_compare_with():
    assert {name for name, *_ in EXACT} == {*NAMED, *FAMILIES} - {"binomial", "discreteuniform"}


def chaospy_distributions():
    found = {name.lower(): getattr(chaospy, name) for name in dir(chaospy) if inspect.isclass(getattr(chaospy, name))}
    return {name: kind for name, kind in found.items() if kind.__module__.startswith("chaospy.distributions.collection")}


@pytest.mark.filterwarnings("ignore")  # chaospy's own
def test_names_and_parameters_are_chaospys():
    """All one-dimensional ones, with their defaults; where ours differ from chaospy's it is on purpose."""
    theirs = chaospy_distributions()
    assert set(theirs) - set(FAMILIES) - set(NAMED) == {"frechet", "wald", "mvlognormal", "mvnormal", "mvstudentt"}
    u = np.linspace(0.02, 0.98, 49)
    needed = {"lower": 0.5, "upper": 2.0, "mode": 1.25, "shape1": 2.2, "shape2": 1.4, "shape": 0.7, "alpha": 2.2, "beta": 3.1}
    moved = {"scale": 1.7, "shift": 0.3, "sigma": 1.7, "mu": 0.3, "df": 2.5, "shape": 0.8, "kappa": 1.6, "skew": 1.3}
    for name in set(theirs) & set(FAMILIES) - {"discreteuniform"}:
        own = parameters(name)
        assert {key for key in inspect.signature(theirs[name].__init__).parameters if key != "self"} == set(own)
        for more in ({}, moved):
            numbers = {key: needed[key] for key, must in own.items() if must} | {key: value for key, value in more.items() if key in own}
            if name == "chisquared":  # theirs is non-central unless said
                numbers["nc"] = 1.0
            found = Random({"type": name, **numbers}).ppf(u)
            assert found == pytest.approx(np.asarray(theirs[name](**numbers).inv(u), float), rel=1e-8, abs=1e-8), name


def of_chaospy(name, numbers):
    """The same distribution by chaospy; None where it has none of the name."""
    if name == "lognormal":
        variance = math.log1p((numbers["std"] / numbers["mean"]) ** 2)
        return chaospy.LogNormal(math.log(numbers["mean"]) - variance / 2, math.sqrt(variance))
    if name in ("normal", "triangular"):
        return {"normal": chaospy.Normal, "triangular": chaospy.Triangle}[name](*numbers.values())
    kind = None if name == "pert" else chaospy_distributions().get(name)
    return None if kind is None else kind(**({"nc": 0.0, **numbers} if name == "chisquared" else numbers))


@pytest.mark.filterwarnings("ignore")  # chaospy's own
def test_chaospy_makes_what_it_has_to_the_digits_of_both_tails():
    """Measured against 50 digits. It has no survival quantile: above, 1 - q is all that it can be asked.

    Of what it has within 1e-9 in both tails it makes what it has to the last bit as scipy does, so that runs that are stored are found.
    """
    exact, same = {name: True for name, *_ in EXACT}, {name: True for name, *_ in EXACT}
    u = np.concatenate([TAILS, np.random.default_rng(1).random(2000) / 2])
    for name, numbers, quantiles in EXACT:
        theirs = of_chaospy(name, numbers)
        if theirs is None:
            exact[name] = False
            continue
        below, above = theirs.inv(TAILS), theirs.inv(1 - TAILS)
        exact[name] &= np.allclose(np.concatenate([below, above]), quantiles, rtol=1e-9, atol=0)
        by_scipy = OF_SCIPY.get(name, lambda numbers, name=name: Random({"type": name, **numbers})._built)(numbers)
        same[name] &= np.array_equal(theirs.inv(u), by_scipy.ppf(u)) and np.array_equal(theirs.inv(1 - u), by_scipy.isf(u))
    within = {"anglit", "arcsinus", "beta", "loguniform", "powerlaw", "reciprocal", "triangle", "triangular", "wigner", "wrappedcauchy"}
    assert {name for name, good in exact.items() if good} == within
    made = {name for name in {*NAMED, *FAMILIES} - {"binomial", "discreteuniform"} if isinstance(first_of(name), Foreign)}
    assert made == {name for name in within if same[name]} == {"anglit", "wigner", "wrappedcauchy"}


OF_SCIPY = {  # what chaospy makes, as scipy does
    "anglit": lambda numbers: frozen("anglit"),
    "wigner": lambda numbers: frozen("semicircular", (), 0.0, numbers["radius"]),
    "wrappedcauchy": lambda numbers: frozen("wrapcauchy", (numbers["shape"],)),
}


def first_of(name):
    """Its law, with the first parameters of the table."""
    return Random({"type": name, **next(numbers for kind, numbers, _ in EXACT if kind == name)})._built


def test_chisquared_is_central_unless_said():
    assert Random({"type": "chisquared", "df": 3}).ppf(0.5) == pytest.approx(2.3659738843753377, rel=1e-12)
    assert Random({"type": "chisquared", "df": 3, "nc": 1}).ppf(0.5) == pytest.approx(stats.ncx2.ppf(0.5, 3, 1), rel=1e-12)


def test_the_mode_of_a_pert_distribution_is_where_it_says():
    x = np.linspace(2, 5, 30_001)
    law = Random({"type": "pert", "lower": 2, "mode": 2.5, "upper": 5, "gamma": 6})._built
    assert x[np.argmax(np.diff(law.cdf(x)))] == pytest.approx(2.5, abs=1e-3)


@pytest.mark.parametrize(("name", "words"), [("frechet", "inverseweibull"), ("Wald", "inversegaussian")])
def test_names_with_two_meanings_are_refused(name, words):
    with pytest.raises(StudyError, match="two meanings") as error:
        Random({"type": name})
    assert words in error.value.remedy and error.value.key == "distribution.type"


def test_whole_numbers_in_the_tails():
    x = np.arange(0, 41.0)
    for p, q in ((1e-12, 1e-12), (1e-6, 1e-3), (0.3, 0.4)):
        input_ = Random({"type": "binomial", "size": 40, "prob": 0.3})
        assert input_.ppf(p) == stats.binom.ppf(p, 40, 0.3) == x[np.searchsorted(stats.binom.cdf(x, 40, 0.3), p)]
        assert input_.isf(q) == x[np.flatnonzero(stats.binom.sf(x, 40, 0.3) <= q)[0]]


def test_truncation_in_a_tail_keeps_digits():
    """Beyond 4.5 standard deviations: quantiles of the normal distribution at a probability that is known to all digits."""
    for side in (1, -1):
        ends = [4.5, math.inf] if side > 0 else [-math.inf, -4.5]
        law = Random({"type": "normal", "mean": 0, "std": 1, "truncate": ends})
        u = np.array([1e-9, 0.01, 0.5, 0.99])
        assert law.isf(u) * side == pytest.approx(stats.norm.isf(stats.norm.sf(4.5) * (u if side > 0 else 1 - u)), rel=1e-9)


@pytest.mark.parametrize("distribution", [{"type": "normal", "mean": 2, "std": 3}, {"type": "lognormal", "mean": 1, "std": 0.5}])
def test_normal_scores(distribution):
    """To 15 standard deviations on both sides, where there is no u."""
    z = np.array([-15, -8, -3, 0, 0.5, 8, 15.0])
    s = math.sqrt(math.log1p(0.25))
    exact = 2 + 3 * z if distribution["type"] == "normal" else np.exp(s * z - s * s / 2)
    assert Random(distribution).from_normal(z) == pytest.approx(exact, rel=1e-12)
    assert Random(distribution).from_normal(z[2:5]) == pytest.approx(Random(distribution).ppf(ndtr(z[2:5])), rel=1e-12)


def test_normal_scores_of_dependent_inputs():
    normal = Random({"type": "normal", "mean": 0, "std": 1})
    space = Space({"a": normal, "i": Interval(0, 1), "b": normal}, {"rank_correlation": [["a", "b", 0.5]]})
    r = 2 * np.sin(np.pi * 0.5 / 6)
    found = space.from_normal(np.array([[9.0, -12.0, 3.0], [-8.0, 0.0, -8.0]]))
    assert found["a"] == pytest.approx([9, -8], rel=1e-12) and found["i"] == pytest.approx([0, 0.5], abs=1e-12)
    assert found["b"] == pytest.approx([9 * r + 3 * np.sqrt(1 - r * r), -8 * r - 8 * np.sqrt(1 - r * r)], rel=1e-12)


def test_the_ends_of_a_support_and_of_a_design():
    """The quantile at 0 may be infinite; a point of a design there is moved inside, so that a model gets a number. Intervals have ends."""
    normal = Random({"type": "normal", "mean": 0, "std": 1})
    assert normal.ppf(np.array([0.0, 1.0])).tolist() == [-math.inf, math.inf] and normal.isf(0.0) == math.inf
    found = Space({"a": normal, "i": Interval(0, 1)}).samples(np.array([[0.0, 0.0], [1.0, 1.0]]))
    assert np.abs(found["a"]) == pytest.approx([8.2, 8.2], abs=0.02) and found["i"].tolist() == [0, 1]
