"""Random variables by a call each, and from distributions of scipy, against their own quantiles."""

import numpy as np
import pytest
from scipy import stats

import uqmbd as uq

U = np.array([1e-6, 0.01, 0.3, 0.5, 0.9, 1 - 1e-6])
CALLS = [
    (uq.Uniform(0.02, 0.05), stats.uniform(0.02, 0.03)),
    (uq.Normal(1.0, 0.1), stats.norm(1.0, 0.1)),
    (uq.Normal(1.0, 0.1, truncate=(0.9, 1.2)), stats.truncnorm(-1.0, 2.0, 1.0, 0.1)),
    (uq.Lognormal(2.0, 0.5), stats.lognorm(np.sqrt(np.log1p(0.0625)), scale=2.0 / np.sqrt(1.0625))),
    (uq.Gumbel(3.0, 0.4), stats.gumbel_r(3.0 - np.euler_gamma * 0.4 * np.sqrt(6) / np.pi, 0.4 * np.sqrt(6) / np.pi)),
    (uq.Triangular(1.0, 1.5, 3.0), stats.triang(0.25, 1.0, 2.0)),
    (uq.Weibull(1.7, 2.0, shift=0.5), stats.weibull_min(1.7, 0.5, 2.0)),
    (uq.Gamma(2.0, 3.0, shift=1.0), stats.gamma(2.0, 1.0, 3.0)),
    (uq.Beta(2.0, 5.0, -1.0, 3.0), stats.beta(2.0, 5.0, -1.0, 4.0)),
    (uq.Exponential(0.3, shift=0.1), stats.expon(0.1, 0.3)),
]
MORE = [stats.rayleigh(0.2, 1.5), stats.t(5.0, 1.0, 0.3), stats.laplace(2.0, 0.1), stats.lognorm(0.4, loc=0.3, scale=1.2)]


@pytest.mark.parametrize(("variable", "exact"), CALLS, ids=lambda x: getattr(getattr(x, "dist", None), "name", None))
def test_a_call_is_the_distribution_of_that_name(variable, exact):
    np.testing.assert_allclose(variable.ppf(U), exact.ppf(U), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("exact", [exact for _, exact in CALLS] + MORE, ids=lambda x: x.dist.name)
def test_scipys_distributions_are_taken_as_they_are(exact):
    np.testing.assert_allclose(uq.Random(exact).ppf(U), exact.ppf(U), rtol=1e-9, atol=1e-12)


def test_a_unit_is_converted_once():
    assert uq.Uniform(20.0, 50.0, unit="mm").to_si().ppf(np.array([0.0, 1.0])) == pytest.approx([0.02, 0.05])
    assert uq.Random(stats.norm(20.0, 5.0), unit="mm").to_si().ppf(np.array([0.5])) == pytest.approx([0.02])


def test_a_study_with_them_is_stored_and_read_again(tmp_path):
    inputs = {"a": uq.Normal(1.0, 0.1), "b": uq.Random(stats.gamma(2.0, scale=3.0))}
    study = uq.Study(
        model=total, inputs=inputs, outputs=["y"], method=uq.MonteCarlo(samples=200), name="total", campaign=uq.CampaignSettings(workers=0)
    )
    result = study.run(out=tmp_path / "total")
    again = (tmp_path / "total/study.toml").read_text()
    assert 'type = "gamma"' in again and 'type = "normal"' in again
    assert float(result.statistics["y"].sel(statistic="mean")) == pytest.approx(7.0, abs=1.5)


def total(a, b):
    """A sum."""
    return {"y": a + b}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (lambda: uq.Random(stats.vonmises(2.0)), "the distribution 'vonmises' of scipy is not known here"),
        (lambda: uq.Uniform(2.0, 1.0), "lower 2 is not below upper 1"),
        (lambda: uq.Normal(1.0, -0.1), "std -0.1 is not positive"),
        (lambda: uq.Normal(1.0, 0.1, truncate=(2.0, 1.0)), "truncate"),
        (lambda: uq.Random(stats.norm([1.0, 2.0], 0.1)), "'norm' of scipy is of several variables"),
        (lambda: uq.Random(stats.norm), "a table with its type and parameters(?s:.)*frozen scipy"),
        (lambda: uq.Random(stats.gaussian_kde([1.0, 2.0, 4.0])), "a table with its type and parameters"),
    ],
)
def test_what_is_none_is_a_sentence(given, words):
    with pytest.raises(uq.StudyError, match=words):
        given()
