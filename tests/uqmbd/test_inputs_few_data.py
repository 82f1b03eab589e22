"""Distributions from few values: what is said of them, what is refused, the smoothed sample, the predictive distribution of a fit."""

import numpy as np
import pytest
from scipy import stats

import uqmbd as uq
from uqmbd.errors import StudyError
from uqmbd.inputs import Random
from uqmbd.inputs.few_data import predictive, smoothed
from uqmbd.methods import Reliability

FIVE = [1.61, 1.74, 1.79, 1.85, 1.888]  # of N(2, 0.3): a limit of 2.7 is beyond all of them
MIDDLES = (np.arange(400_000) + 0.5) / 400_000


@pytest.fixture
def five(tmp_path):
    path = tmp_path / "five.csv"
    path.write_text("a\n" + "\n".join(map(str, FIVE)) + "\n")
    return str(path)


def of(path, **keys):
    return Random({"data": path, "column": "a", **keys}, "mm")


@pytest.mark.parametrize("n", [5, 12, 60, 700])
def test_smoothed_has_the_unbiased_moments(n):
    sample = np.sort(np.random.default_rng(n).gamma(2.0, 1.5, n))
    x = smoothed(sample).ppf(MIDDLES)
    assert x.mean() == pytest.approx(sample.mean(), rel=1e-5)
    assert x.var() == pytest.approx(sample.var(ddof=1), rel=1e-3)


def test_smoothed_is_the_sum_of_its_kernels():
    """Against the formula, also far in both tails, where probabilities keep their digits."""
    sample = np.sort(np.random.default_rng(1).normal(size=9))
    width = sample.std(ddof=1) * 9**-0.2
    shrink = sample.std(ddof=1) / np.sqrt(sample.var() + width**2)
    kernels = stats.norm(sample.mean() + shrink * (sample - sample.mean()), shrink * width)
    law = smoothed(sample)
    for q in (0.3, 1e-2, 1e-6, 1e-12):
        assert kernels.sf(law.isf(np.array([q]))).mean() == pytest.approx(q, rel=1e-3)
        assert kernels.cdf(law.ppf(np.array([q]))).mean() == pytest.approx(q, rel=1e-3)
        assert law.sf(law.isf(np.array([q]))) == pytest.approx(q, rel=1e-9)


def test_spread_of_the_values_as_they_are_is_too_small_and_that_of_the_smoothed_ones_is_right():
    """Root mean square of the standard deviation over samples of a normal variable: 0.70 of the true one, against 1."""
    rng = np.random.default_rng(3)
    own, smooth = [], []
    u = (np.arange(2000) + 0.5) / 2000
    for _ in range(300):
        sample = np.sort(rng.normal(size=5))
        own.append(np.quantile(sample, u).var())
        smooth.append(smoothed(sample).ppf(u).var())
    assert np.sqrt(np.mean(own)) == pytest.approx(0.70, abs=0.04)
    assert np.sqrt(np.mean(smooth)) == pytest.approx(1.0, abs=0.05)


def test_predictive_of_a_normal_fit_is_students(five):
    item = of(five, fit="normal", predictive=True)
    t = stats.t(4, np.mean(FIVE), np.std(FIVE, ddof=1) * np.sqrt(1.2))
    u = np.array([1e-9, 0.01, 0.5, 0.99])
    assert item.ppf(u) == pytest.approx(t.ppf(u), rel=1e-9) and item.isf(u) == pytest.approx(t.isf(u), rel=1e-9)
    assert "predictive" in item.describe() and item.named is None
    logs = of(five, fit="lognormal", predictive=True).ppf(u[1:])
    theirs = stats.t(4, np.log(FIVE).mean(), np.log(FIVE).std(ddof=1) * np.sqrt(1.2)).ppf(u[1:])
    assert np.log(logs) == pytest.approx(theirs, rel=1e-9)


DRAWN = {
    "normal": stats.norm(3, 0.5),
    "lognormal": stats.lognorm(0.4),
    "exponential": stats.expon(scale=2),
    "uniform": stats.uniform(1, 2),
    "gumbel": stats.gumbel_r(1, 2),
    "weibull": stats.weibull_min(2, scale=3),
    "logistic": stats.logistic(1, 2),
}
SLOW = ("gumbel", "logistic", "uniform")


@pytest.mark.parametrize("family", [pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name for name in DRAWN])
def test_predictive_quantiles_are_exceeded_as_often_as_they_say(family):
    """On average over samples of five; the fit's own 5 % quantile is exceeded far more often."""
    law, rng, beyond, fitted = DRAWN[family], np.random.default_rng(8), [], []
    count = 400 if family in ("normal", "lognormal", "exponential") else 25
    for sample in law.rvs((count, 5), random_state=rng):
        found = predictive(np.sort(sample), family)
        beyond.append([law.sf(found.isf(np.array([0.05])))[0], law.cdf(found.ppf(np.array([0.05])))[0]])
        fitted.append(law.sf(sample.mean() + 1.645 * sample.std()))
    error = np.std(beyond, axis=0) / np.sqrt(count)
    assert np.all(np.abs(np.mean(beyond, axis=0) - 0.05) < 3.5 * error)
    if family == "normal":
        assert np.mean(fitted) > 0.1


def test_shapes_of_gamma_variables_cover():
    """A variable of a large shape is normal: then its predictive distribution is Student's. With many values it is the fit."""
    sample = np.sort(stats.gamma(4e4, scale=1 / 4e4).rvs(8, random_state=2))
    at, t = np.array([0.02, 0.5, 0.98]), stats.t(7, sample.mean(), sample.std(ddof=1) * np.sqrt(9 / 8))
    assert predictive(sample, "gamma").ppf(at) == pytest.approx(t.ppf(at), abs=0.03 * t.std())
    many = np.sort(stats.gamma(2, scale=3).rvs(3000, random_state=1))
    fitted = stats.gamma(*stats.gamma.fit(many, floc=0))
    assert predictive(many, "gamma").ppf(at) == pytest.approx(fitted.ppf(at), rel=0.03)


def total(a):
    return {"y": a}


def test_the_report_says_what_the_values_leave_out(five, tmp_path):
    def study(item, method):
        made = uq.Study(model=total, inputs={"a": item}, outputs=["y"], units={"y": "m"}, method=method)
        return made.run(workers=0, out=tmp_path / item.notation().replace(" ", ""), progress=False, report=False)

    notes = study(of(five), uq.MonteCarlo(samples=200)).facts.notes
    (note,) = (note for note in notes if "drawn from" in note)
    ratio = np.quantile(FIVE, MIDDLES).std() / np.std(FIVE, ddof=1)
    assert "no run lies beyond 1.61 and 1.888 mm" in note and f"{100 * ratio:.0f} % of that of the values" in note
    assert "smooth = true" in note and "predictive = true" in note
    (note,) = study(of(five, smooth=True), uq.MonteCarlo(samples=200)).facts.notes
    assert "the kernels around 5 values, whose far tails" in note and "predictive = true with a fit" in note


def test_what_is_said_of_a_fit_to_few_values(five, tmp_path):
    assert "a fit to 5 values, whose far tails" in of(five, fit="normal").remark("a")
    assert not of(five, fit="normal", predictive=True).remark("a")
    (tmp_path / "many.csv").write_text("a\n" + "\n".join(map(str, np.linspace(1, 2, 1000) ** 2)))
    assert not any(of(str(tmp_path / "many.csv"), **keys).remark("a") for keys in ({}, {"smooth": True}, {"fit": "normal"}))


@pytest.mark.parametrize("approach", ["form", "sorm", "importance", "subset", "ak_mcs"])
def test_reliability_refuses_values_without_tails(five, approach):
    """Five values below the limit gave "probability 0, limits 0 and 1.3e-10"; the true one is 0.0098."""
    with pytest.raises(StudyError, match="have no tails") as error:
        Reliability(output="y", above=2.7e-3, approach=approach).check({"a": of(five).to_si()})
    assert error.value.key == "inputs.a.distribution" and "smooth = true" in error.value.remedy
    Reliability(output="y", above=2.7e-3, approach="montecarlo").check({"a": of(five)})


def test_reliability_of_the_predictive_distribution(five, tmp_path):
    """FORM of one input is exact: Student's tail, and that of the kernels."""
    for keys, exact in (
        ({"fit": "normal", "predictive": True}, stats.t(4, np.mean(FIVE), np.std(FIVE, ddof=1) * np.sqrt(1.2)).sf(2.2)),
        ({"smooth": True}, smoothed(np.array(FIVE)).sf(np.array([2.2]))[0]),
    ):
        method = Reliability(output="y", above="2.2 mm", approach="form")
        study = uq.Study(model=total, inputs={"a": of(five, **keys)}, outputs=["y"], units={"y": "m"}, method=method)
        result = study.run(workers=0, out=tmp_path / str(len(keys)), progress=False, report=False)
        assert result.statistics["y"].sel(statistic="probability").item() == pytest.approx(exact, rel=1e-3)


@pytest.mark.parametrize(
    ("keys", "key", "words"),
    [
        ({"smooth": True, "fit": "normal"}, "distribution.smooth", "not with fit"),
        ({"smooth": "yes"}, "distribution.smooth", "true or false"),
        ({"predictive": True}, "distribution.predictive", "no predictive distribution"),
        ({"predictive": True, "fit": "kde"}, "distribution.predictive", "no predictive distribution of the fit 'kde'"),
        ({"predictive": 1, "fit": "normal"}, "distribution.predictive", "true or false"),
    ],
)
def test_mistakes(five, keys, key, words):
    with pytest.raises(StudyError, match=words) as error:
        of(five, **keys)
    assert error.value.key == key and error.value.remedy
