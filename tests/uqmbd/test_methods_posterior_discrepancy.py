"""What a model lacks, as a Gaussian process over time beside the scatter of readings."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from uqmbd.errors import StudyError
from uqmbd.inputs import Random
from uqmbd.methods import Posterior, read_method
from uqmbd.outcomes import OutputInfo
from uqmbd.spec.tables import method_table

from .loop import drive

TIME = np.linspace(0, 2, 21)
Y = 1.5 - 0.7 * TIME + 0.3 * np.sin(4 * TIME) + 0.05 * np.random.default_rng(3).standard_normal(len(TIME))
WIDE = {"a": Random({"type": "normal", "mean": 0, "std": 1}), "b": Random({"type": "normal", "mean": 0, "std": 2})}
GAUSS = np.exp(-0.5 * ((TIME[:, None] - TIME) / 0.3) ** 2)
DESIGN, PRIOR = np.column_stack([np.ones(len(TIME)), TIME]), np.diag([1.0, 4.0])


def line(time, a, b):
    return {"y": a[:, None] + b[:, None] * np.asarray(time)}


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    path = tmp_path_factory.mktemp("line") / "line.csv"
    path.write_text("time,y\n" + "\n".join(f"{t!r},{y!r}" for t, y in zip(TIME.tolist(), Y.tolist(), strict=True)))
    return str(path)


def method(data, **more):
    return Posterior(**{"data": data, "deviations": {"y": 0.05}, "discrepancy": {"y": {"size": 0.3, "time": 0.3}}} | more)


def exact(size):
    """Mean and covariance of the posterior of a straight line, and logarithm of the evidence."""
    noise = 0.05**2 * np.eye(len(TIME)) + size**2 * GAUSS
    covariance = np.linalg.inv(DESIGN.T @ np.linalg.solve(noise, DESIGN) + np.linalg.inv(PRIOR))
    evidence = multivariate_normal(np.zeros(len(TIME)), DESIGN @ PRIOR @ DESIGN.T + noise).logpdf(Y)
    return covariance @ DESIGN.T @ np.linalg.solve(noise, Y), covariance, evidence


def test_posterior_of_a_line_with_a_known_discrepancy_is_exact(data):
    """Closed form, on a surrogate, whose error of a straight line is nothing; without a discrepancy b is off by six deviations."""
    result, _ = drive(method(data, surrogate="kriging"), WIDE, line, time=TIME)
    mean, covariance, evidence = exact(0.3)
    size = min(result.attrs["effective_size"].values())
    assert (np.abs(np.array(list(result.attrs["estimate"].values())) - mean) < 4 * np.sqrt(np.diag(covariance) / size)).all()
    scale = np.sqrt(np.outer(np.diag(covariance), np.diag(covariance)))
    assert np.abs((np.array(result.attrs["covariance"]) - covariance) / scale).max() < 6 / np.sqrt(size)
    assert abs(result.attrs["log_evidence"] - evidence) < result.attrs["log_evidence_upper"] - result.attrs["log_evidence_lower"]
    assert "fit" not in result.attrs


def test_a_size_with_a_prior_is_estimated(data):
    """Against integration over 400 sizes, each with its evidence."""
    prior = {"distribution": {"type": "lognormal", "mean": 0.3, "std": 0.3}}
    result, _ = drive(method(data, surrogate="kriging", discrepancy={"y": {"size": prior, "time": 0.3}}), WIDE, line, time=TIME)
    sizes = Random(prior["distribution"]).ppf((np.arange(400) + 0.5) / 400)
    log = np.array([exact(size)[2] for size in sizes])
    weight = np.exp(log - log.max()) / np.exp(log - log.max()).sum()
    mean = weight @ sizes
    spread = np.sqrt(weight @ (sizes - mean) ** 2)
    effective = result.attrs["effective_size"]["discrepancy of y"]
    assert result.attrs["lacking"]["y"]["mean"] == pytest.approx(mean, abs=4 * spread / np.sqrt(effective))
    assert result.posterior["discrepancy:y"].std() == pytest.approx(spread, rel=5 / np.sqrt(effective))


@pytest.mark.parametrize("kernel", ["gauss", "matern52"])
def test_density_is_that_of_the_whole_covariance(data, kernel):
    """With scatter that is bound over time beside it; scipy."""
    said = {"y": {"size": "200 mm", "time": 0.4, "kernel": kernel}}
    run = method(data, discrepancy=said, correlation_time={"y": 0.2}).start(WIDE, {"y": OutputInfo("m")}, TIME, 1)
    r = np.abs(TIME[:, None] - TIME) / 0.4
    root = np.sqrt(5) * r
    shape = np.exp(-0.5 * r**2) if kernel == "gauss" else (1 + root + root**2 / 3) * np.exp(-root)
    covariance = 0.05**2 * np.exp(-np.abs(TIME[:, None] - TIME) / 0.2) + 0.04 * shape
    values = np.random.default_rng(2).standard_normal((3, len(TIME)))
    exact = multivariate_normal(np.zeros(len(TIME)), covariance).logpdf(values - Y)
    np.testing.assert_allclose(run.likelihood.log(values, np.empty((3, 0))), exact, rtol=1e-9)


def test_it_is_written_and_read(data):
    said = {"y": {"size": {"distribution": {"type": "lognormal", "mean": 30.0, "std": 20.0}, "unit": "mm"}, "time": 0.3}}
    for given in (method(data), method(data, discrepancy={"y": {"size": "2 mm", "time": 1.0}}), method(data, discrepancy=said)):
        assert read_method(method_table(given)) == given
    assert "discrepancy" not in method(data, discrepancy={}).model_dump()


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"z": {"size": 0.1, "time": 1.0}}, "'z' is no measured history"),
        ({"y": {"size": -0.1, "time": 1.0}}, "is positive, or has a distribution"),
        ({"y": {"size": 0.1, "time": 0.0}}, "greater than 0"),
        ({"y": {"size": "2 N", "time": 1.0}}, "which 2 N is not"),
        ({"y": {"size": WIDE["a"], "time": 1.0}}, "reaches 0 or below"),
        ({"y": {"size": 0.1, "time": 1.0, "kernel": "cubic"}}, "gauss"),
        ({"y": {"time": 1.0}}, "size"),
    ],
)
def test_bad_settings(data, said, words):
    with pytest.raises(StudyError, match=words):
        method(data, discrepancy=said).start(WIDE, {"y": OutputInfo("m")}, TIME, 1)
