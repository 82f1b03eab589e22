"""Distributions of chaospy as inputs, as they are: against closed forms, scipy, and chaospy itself where it is right."""

import json
import pickle
import subprocess
import sys

import chaospy
import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtr

import uqmbd as uq
from uqmbd.inputs.chaospy_univariate import Mixture, Parts
from uqmbd.inputs.of_chaospy import digest_of
from uqmbd.inputs.space import Space

P = np.array([1e-12, 1e-9, 1e-4, 0.3])  # probabilities below, or above
U = np.array([0.01, 0.3, 0.5, 0.9])
HALF = 0.5 - 2**-54


def made(text):
    return eval(text, vars(chaospy))


NAMED = {  # all of these have a name in study files, and with it the digits of both tails
    "Uniform(1, 3)": {"type": "uniform", "lower": 1.0, "upper": 3.0},
    "Normal(1.0, 0.1)": {"type": "normal", "mean": 1.0, "std": 0.1},
    "LogNormal(0.1, 0.2, shift=1.0)": {
        "type": "powerlognormal", "shape": 1.0, "mu": 0.1, "sigma": 0.2, "shift": 1.0, "scale": 1.0,
    },
    "Triangle(0, 0.3, 1)": {"type": "triangular", "lower": 0.0, "mode": 0.3, "upper": 1.0},
    "Beta(2, 3, 1, 4)": {"type": "beta", "alpha": 2.0, "beta": 3.0, "lower": 1.0, "upper": 4.0},
    "Gamma(2, scale=3)": {"type": "gamma", "shape": 2.0, "scale": 3.0, "shift": 0.0},
    "StudentT(5)": {"type": "studentt", "df": 5.0, "mu": 0.0, "sigma": 1.0},
    "LogUniform(0, 1)": {"type": "loguniform", "lower": 0.0, "upper": 1.0, "scale": 1.0, "shift": 0.0},
    "TruncNormal(-1, 2, 0.5, 1)": {"type": "truncnormal", "lower": -1.0, "upper": 2.0, "mu": 0.5, "sigma": 1.0},
    "TruncNormal(mu=1)": {"type": "truncnormal", "mu": 1.0, "sigma": 1.0},
    "TruncExponential(2, scale=3)": {"type": "truncexponential", "upper": 2.0, "scale": 3.0, "shift": 0.0},
    "FoldedNormal(1, shift=0.5)": {"type": "foldednormal", "mu": 1.0, "scale": 1.0, "shift": 0.5},
    "ChiSquared()": {"type": "chisquared", "df": 1.0, "nc": 1.0, "scale": 1.0, "shift": 0.0},
    "Binomial(5, 0.4)": {"type": "binomial", "size": 5.0, "prob": 0.4},
    "Normal(0, 1) * 2 + 3": {"type": "normal", "mean": 3.0, "std": 2.0},
    "3 - Uniform(0, 2)": {"type": "uniform", "lower": 1.0, "upper": 3.0},
    "2 * Gamma(2) + 1": {"type": "gamma", "shape": 2.0, "scale": 2.0, "shift": 1.0},
}  # fmt: skip


@pytest.mark.parametrize("text", NAMED)
def test_what_study_files_have_a_name_for_is_that(text):
    assert uq.Random(made(text)).distribution == NAMED[text]


@pytest.mark.filterwarnings("ignore")  # chaospy's own
@pytest.mark.parametrize("text", [text for text in NAMED if "Binomial" not in text and "+" not in text])
def test_its_quantiles_are_those_of_chaospy(text):
    assert uq.Random(made(text)).ppf(U) == pytest.approx(made(text).inv(U), rel=1e-7, abs=1e-9)


EXPRESSIONS = {  # quantiles in closed form, at p below and at q above
    "1 - Gamma(2)": (lambda p: 1 - stats.gamma(2).isf(p), lambda q: 1 - stats.gamma(2).ppf(q)),
    "1 / Uniform(1, 2)": (lambda p: 1 / (2 - p), lambda q: 1 / (1 + q)),
    "2 ** Normal(0, 1)": (lambda p: 2 ** stats.norm.ppf(p), lambda q: 2 ** stats.norm.isf(q)),
    "0.5 ** Exponential() * 4 - 1": (lambda p: 4 * p ** np.log(2) - 1, lambda q: 4 * np.exp(np.log1p(-q) * np.log(2)) - 1),
    "Normal(0, 1) ** 3": (lambda p: stats.norm.ppf(p) ** 3, lambda q: stats.norm.isf(q) ** 3),
    "Gamma(2.0) ** -0.5": (lambda p: stats.gamma(2).isf(p) ** -0.5, lambda q: stats.gamma(2).ppf(q) ** -0.5),
    "Log(Uniform(1, 2))": (lambda p: np.log1p(p), lambda q: np.log(2 - q)),
    "Log10(Uniform(1, 10)) * 2": (lambda p: 2 * np.log1p(9 * p) / np.log(10), lambda q: 2 * np.log10(10 - 9 * q)),
}


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_a_monotone_function_of_one_variable_keeps_its_digits_in_both_tails(text):
    """To 1e-12 below and above, where chaospy has no survival quantile; and operators within operators, at which it fails."""
    below, above = EXPRESSIONS[text]
    input_ = uq.Random(made(text))
    tolerance = 1e-4 if text.startswith("Log") else 1e-9  # the logarithm of a number near 1 has lost the digits of its distance
    assert input_.ppf(P) == pytest.approx(below(P), rel=tolerance, abs=0) and input_.isf(P) == pytest.approx(above(P), rel=1e-9, abs=0)
    assert np.all(np.diff(input_.ppf(np.linspace(0.01, 0.99, 99))) > 0)
    assert np.array_equal(pickle.loads(pickle.dumps(input_)).ppf(U), input_.ppf(U))
    assert uq.Random(made(text), unit="mm").to_si().ppf(U) == pytest.approx(1e-3 * input_.ppf(U), rel=1e-15)


def test_kernels_around_data_are_exact_in_both_tails():
    """chaospy's own quantile at 1e-12 lies where the probability is 3e-14."""
    values = np.random.default_rng(3).normal(2.0, 0.3, 40)
    density = chaospy.GaussianKDE(values)
    width = float(np.sqrt(density.h_mat[0, 0, 0]))
    input_ = uq.Random(density)
    for p in P:
        assert ndtr((input_.ppf(p) - values) / width).mean() == pytest.approx(p, rel=1e-11)
        assert ndtr((values - input_.isf(p)) / width).mean() == pytest.approx(p, rel=1e-11)
    mixed = uq.Random(chaospy.GaussianMixture([[1.0], [50.0]], [[[1.0]], [[0.25]]], weights=[0.9, 0.1]))
    assert mixed.ppf(np.array([0.45])) == pytest.approx(1.0, rel=1e-12) and mixed.isf(np.array([0.05])) == pytest.approx(50.0, rel=1e-12)
    assert isinstance(mixed._built, Mixture) and mixed._built.cdf(np.array([1.0])) == pytest.approx(0.45)


SUMS = {  # mean and variance of what is made of several variables
    "Normal(0, 1) + Uniform(0, 1)": (0.5, 1 + 1 / 12),
    "(Normal(0, 1) + Uniform(0, 1)) * 2 - 1": (0.0, 4 + 4 / 12),
    "Normal(1, 1) * Uniform(0, 1)": (0.5, 2 / 3 - 0.25),
    "Normal(Uniform(0, 1), 1)": (0.5, 1 + 1 / 12),
    "Gamma(Uniform(1, 2))": (1.5, 1.5 + 1 / 12),
    "Normal(0, 1) ** 2": (1.0, 2.0),
}


@pytest.mark.parametrize("text", SUMS)
def test_what_is_made_of_several_variables_is_sampled_by_its_parts(text):
    input_ = uq.Random(made(text))
    assert not input_.has_quantiles and isinstance(input_._built, Parts)
    x = input_.ppf(np.random.default_rng(5).random(200_000))
    mean, variance = SUMS[text]
    assert x.mean() == pytest.approx(mean, abs=5 * np.sqrt(variance / len(x))) and x.var() == pytest.approx(variance, rel=0.03)
    u = np.random.default_rng(6).random(100)
    assert np.array_equal(input_.ppf(u)[::-1], input_.ppf(u[::-1]))  # whatever the others are


def test_a_variable_that_occurs_twice_is_one():
    x = chaospy.Uniform(0, 1)
    u = np.random.default_rng(5).random(50_000)
    same, other = uq.Random(x + x**2), uq.Random(x + chaospy.Uniform(0, 1) ** 2)
    assert same.ppf(u) == pytest.approx(u + u**2) and other.ppf(u).var() == pytest.approx(1 / 12 + 4 / 45, rel=0.03)
    assert digest_of(same.made) != digest_of(other.made)


@pytest.mark.parametrize(
    "text", ["Trunc(Normal(0, 1), upper=1)", "2 * Trunc(Gamma(2), upper=3) + 1", "J(Uniform(), Trunc(Gamma(2), upper=3))"]
)
def test_trunc_is_refused_anywhere(text):
    with pytest.raises(uq.StudyError, match="other quantiles") as error:
        uq.Random(made(text))
    assert "chaospy.TruncNormal" in error.value.remedy and "truncate" in error.value.remedy


def test_the_copula_of_clayton_is_one():
    """Kendall's tau is θ/(θ + 2), and both inputs keep their distributions."""
    u = stats.qmc.Sobol(2, rng=np.random.default_rng(1)).random(4096)
    found = Space({"a, b": uq.Random(made("Clayton(J(Uniform(), Normal(1, 2)), 2.0)"))}).samples(u)
    assert stats.kendalltau(found["a"], found["b"])[0] == pytest.approx(0.5, abs=0.01)
    assert stats.kstest(found["b"], stats.norm(1, 2).cdf)[0] < 0.005


WRONG = ["Gumbel({}, 2.0)", "Joe({}, 2.0)", "TCopula({}, 5, [[1, 0.5], [0.5, 1]])", "MvStudentT(5, [0, 0], [[1, 0.5], [0.5, 1]])"]


@pytest.mark.parametrize("text", WRONG)
def test_a_copula_that_is_none_is_refused(text):
    """Still so: as many points of the unit cube as were even for Clayton's leave the second input with another distribution."""
    wrong = made(text.format("J(Uniform(), Uniform())"))
    with pytest.raises(uq.StudyError, match="other distributions than they have") as error:
        uq.Random(wrong)
    assert "chaospy.Clayton" in error.value.remedy
    with np.errstate(all="ignore"):
        x = wrong.inv(stats.qmc.Sobol(2, rng=np.random.default_rng(1)).random(4096).T)[1]
    exact = stats.t(5).cdf if "MvStudentT" in text else stats.uniform.cdf
    assert stats.kstest(x, exact)[0] > 0.01


def test_chaospys_trunc_is_wrong_still():
    """The reason for the refusal; when this fails, chaospy has mended it."""
    theirs = chaospy.Trunc(chaospy.Normal(0, 1), lower=-1, upper=1).inv([0.9])
    assert theirs != pytest.approx(stats.truncnorm(-1, 1).ppf([0.9]), rel=0.01)


CONTENT = "uqmbd.inputs.of_chaospy.digest_of(chaospy.Nataf(chaospy.J(chaospy.Normal(0, 1) * 2, chaospy.Gamma(2)), [[1, 0.5], [0.5, 1]]))"


def test_the_fingerprint_is_of_the_content_and_the_same_in_every_process():
    code = f"import chaospy, json, uqmbd.inputs.of_chaospy; chaospy.Uniform(); print(json.dumps({CONTENT}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    import uqmbd.inputs.of_chaospy

    one = eval(CONTENT, {"chaospy": chaospy, "uqmbd": uqmbd})
    assert json.loads(done.stdout) == one
    assert one != eval(CONTENT.replace("0.5", "0.25"), {"chaospy": chaospy, "uqmbd": uqmbd})
    square = chaospy.Normal(0, 1) ** 3
    before = digest_of(square)
    square.inv([0.1, 0.5])  # what it notes while it computes is no content
    assert digest_of(square) == before


def test_the_correlation_of_nataf_is_that_of_a_gaussian_copula():
    """Its normal variables have the correlation r, so the inputs the rank correlation 6/π arcsin(r/2), and their own tails."""
    joint = chaospy.Nataf(chaospy.J(chaospy.Normal(1, 2), chaospy.Weibull(1.5)), [[1, 0.5], [0.5, 1]])
    space = Space({"a, b": uq.Random(joint)})
    (pair,) = space.dependence.rank_correlation
    assert pair[:2] == ("a", "b") and pair[2] == pytest.approx(6 / np.pi * np.arcsin(0.25))
    assert space["a"].distribution["type"] == "normal" and space.described()["a, b"]["kind"] == "joint (Gaussian copula)"
    u = np.random.default_rng(1).random((1000, 2))
    found, exact = space.samples(u), joint.inv(u.T)
    assert np.array([found["a"], found["b"]]) == pytest.approx(exact, rel=1e-8)
    assert space.sampled == {} and space.from_normal(np.array([[-20.0, 0.0]]))["a"] == pytest.approx([-39.0])
    same = Space({"a": space["a"], "b": space["b"]}, {"rank_correlation": [list(pair)]})
    assert same.bindings() == space.bindings()


JOINTS = {
    "Clayton(J(Normal(0, 1), Uniform(0, 1)), 2.0)": "joint (Clayton copula)",
    "MvLogNormal([0.0, 1.0], [[1.0, 0.5], [0.5, 1.0]])": "joint (MvLogNormal)",
    "GaussianKDE([[1.0, 2.0, 3.0, 5.0], [0.0, 1.0, 0.0, 2.0]])": "joint (GaussianKDE)",
}


@pytest.mark.parametrize("text", JOINTS)
def test_other_joint_distributions_are_sampled_as_chaospy_does(text):
    joint = made(text)
    space = Space({"a, b": uq.Random(joint, unit="mm, N"), "c": uq.Uniform(0, 1)}).to_si()
    u = np.random.default_rng(1).random((50, 3))
    found = space.samples(u)
    a, b = joint.inv(u[:, :2].T)
    assert (
        found["a"] == pytest.approx(1e-3 * a, rel=1e-8) and found["b"] == pytest.approx(b, rel=1e-8) and np.array_equal(found["c"], u[:, 2])
    )
    from_normal = space.from_normal(stats.norm.ppf(u))
    assert from_normal["b"] == pytest.approx(found["b"], rel=1e-8)
    assert space.described()["a, b"]["kind"] == JOINTS[text] and set(space.joint) == {"a", "b"} and not space.sampled
    assert len(space.rough_tails()) == 1 and "few digits" in space.rough_tails()[0]


def test_a_parameter_that_is_another_input():
    x = chaospy.Uniform(0, 1)
    space = Space({"x, y, z": uq.Random(chaospy.J(x, chaospy.Normal(x, 0.1), 2 * x + chaospy.Normal(0, 1)))})
    u = np.random.default_rng(1).random((40, 3))
    found = space.samples(u)
    assert np.array_equal(found["x"], u[:, 0]) and found["z"] == pytest.approx(2 * u[:, 0] + stats.norm.ppf(u[:, 2]))
    assert found["y"] == pytest.approx(u[:, 0] + 0.1 * stats.norm.ppf(u[:, 1]))


def test_inputs_of_a_normal_vector():
    space = Space({"a, b": uq.Random(chaospy.MvNormal([1, 2], [[1, 0.5], [0.5, 4]]))})
    x = space.samples(np.random.default_rng(1).random((100_000, 2)))
    assert np.cov([x["a"], x["b"]]) == pytest.approx(np.array([[1, 0.5], [0.5, 4]]), abs=0.05)


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ({"a, b, c": "J(Normal(), Uniform())"}, "is of 2 variables, and 'a, b, c' names 3"),
        ({"a, a": "J(Normal(), Uniform())"}, "names 1"),
        ({"a": "J(Normal(), Uniform())"}, "name an input to each: x1, x2"),
        ({"a, 1": "J(Normal(), Uniform())"}, "Python name"),
        ({"a, b": "Normal()"}, "Python name"),
        ({"a": "Normal(0, 1) * 0"}, "is the number 0"),
    ],
)
def test_names_and_variables_that_do_not_fit_are_a_sentence(inputs, words):
    with pytest.raises(uq.StudyError, match=words):
        uq.Study(
            model=lambda **x: {"y": 1.0},
            inputs={name: made(text) for name, text in inputs.items()},
            outputs=["y"],
            method=uq.MonteCarlo(samples=9),
        )


def test_what_holds_a_function_of_the_user_is_refused():
    own = chaospy.UserDistribution(lambda x: np.clip(x, 0, 1), lower=lambda: 0.0, upper=lambda: 1.0, ppf=lambda q: q)
    with pytest.raises(uq.StudyError, match="cannot be told from others"):
        uq.Random(own)


@pytest.mark.parametrize(
    "text",
    [
        "Clayton(J(Uniform(), Normal(1, 2), Gamma(2)), 2.0)",
        "MvLogNormal([0.1, 0.2], [[1, 0.5], [0.5, 1]])",
        "GaussianKDE([[1.0, 2.0, 4.0], [1.0, 3.0, 3.5]])",
    ],
)
def test_a_sample_does_not_depend_on_those_beside_it(text):
    """Bit for bit: runs are found again by their inputs."""
    item = uq.Random(made(text))
    space, u = Space({", ".join("abc"[: item.count]): item}), np.random.default_rng(0).random((40, item.count))
    whole, few = space.samples(u), space.samples(u[7:12])
    assert all(np.array_equal(whole[name][7:12], few[name]) for name in whole)


@pytest.mark.parametrize("text", ["GaussianKDE([1.0, 2.0, 4.0])", "Wald(2.0)", "GeneralizedExponential()", "Normal(0, 1) + Gamma(2)"])
def test_a_quantile_does_not_depend_on_those_beside_it(text):
    item, u = uq.Random(made(text)), np.random.default_rng(0).random(5000)
    assert np.array_equal(item.ppf(u)[7:12], item.ppf(u[7:12]))


def test_claytons_copula_is_that_of_chaospy():
    """Its conditional distribution functions bring the points back."""
    copula = made("Clayton(J(Uniform(), Uniform(), Uniform()), 1.7)")
    u = np.random.default_rng(0).random((50, 3))
    points = Space({"a, b, c": uq.Random(copula)}).samples(u)
    np.testing.assert_allclose(copula.fwd(np.array([points[name] for name in "abc"])), u.T, atol=1e-12)
