"""Posteriors by chains on a surrogate: exact ones with few runs, wider ones where runs do not suffice, what is said and refused."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from uqmbd.analysis.bayes.density import log_normal
from uqmbd.errors import StudyError
from uqmbd.inputs import Random
from uqmbd.methods import Posterior, read_method
from uqmbd.methods.bayes.learned import Learned
from uqmbd.outcomes import OutputInfo
from uqmbd.report.estimates import chains_table
from uqmbd.report.judged import judged
from uqmbd.spec.tables import method_table

from .loop import drive

TIME = np.linspace(0, 2, 21)
WIDE = {"a": Random({"type": "normal", "mean": 0, "std": 1}), "b": Random({"type": "normal", "mean": 0, "std": 2})}
BENT = {"a": Random({"type": "uniform", "lower": 0.5, "upper": 4.0})}


def line(time, a, b):
    return {"y": a[:, None] + b[:, None] * np.asarray(time), "end": a + 2 * b}


def kept(folder, y):
    (folder / "y.csv").write_text("time,y\n" + "\n".join(f"{t!r},{v!r}" for t, v in zip(TIME.tolist(), y.tolist(), strict=True)))
    return str(folder / "y.csv")


def test_linear_gaussian_posterior_and_evidence_are_exact_with_few_runs(tmp_path):
    """Closed form; chains that run the model want 14,000 runs for as many independent draws."""
    y = 1.5 - 0.7 * TIME + 0.2 * np.random.default_rng(3).standard_normal(len(TIME))
    result, runs = drive(Posterior(data=kept(tmp_path, y), deviations={"y": 0.2}, surrogate="kriging"), WIDE, line, time=TIME)
    design, prior = np.column_stack([np.ones(len(TIME)), TIME]), np.diag([1.0, 4.0])
    covariance = np.linalg.inv(design.T @ design / 0.04 + np.linalg.inv(prior))
    mean = covariance @ design.T @ y / 0.04
    attrs = result.attrs
    size = min(attrs["effective_size"].values())
    assert runs == 36 and attrs["surrogate_converged"] and attrs["surrogate_error"] < 1e-6 and size > 400
    assert (np.abs(np.array(list(attrs["estimate"].values())) - mean) < 4 * np.sqrt(np.diag(covariance) / size)).all()
    scale = np.sqrt(np.outer(np.diag(covariance), np.diag(covariance)))
    assert np.abs((np.array(attrs["covariance"]) - covariance) / scale).max() < 6 / np.sqrt(size)
    exact = multivariate_normal(np.zeros(len(TIME)), design @ prior @ design.T + 0.04 * np.eye(len(TIME))).logpdf(y)
    assert abs(attrs["log_evidence"] - exact) < attrs["log_evidence_upper"] - attrs["log_evidence_lower"] < 0.4
    assert result.statistics["end"].sel(statistic="mean") == pytest.approx(mean @ [1, 2], abs=0.02)
    assert judged(result, "y").state == "yes" and "off by" in chains_table(result).note


def waves(time, a):
    return {f"s{k}": np.sin(k * a) + a / k for k in range(1, 5)}


def test_the_rounds_are_seen_while_they_run_and_change_nothing():
    """After each round the posterior as its surrogate has it, and how far that is off; at last the result of who looks at nothing."""
    truth = {name: float(value[0]) for name, value in waves(0, np.array([2.2])).items()}
    few = {"samples": 6, "batch": 4, "max_runs": 14, "walkers": 16, "max_steps": 40}
    method = Posterior(scalars=truth, deviations=dict.fromkeys(truth, 0.3), surrogate="kriging", **few)
    run, seen = method.start(BENT, dict.fromkeys(truth, OutputInfo("m", None)), np.zeros(0), 1), []
    run.watch()
    while (asked := run.ask()) is not None:
        part = run.so_far()
        assert part is None or "raise" not in " ".join(part.attrs["notes"])
        seen.append(None if part is None else part.attrs["runs_fresh"])
        run.tell(asked, waves(0, **asked), np.zeros(len(asked["a"]), np.int8))
    whole, _ = drive(method, BENT, waves)
    assert seen == [None, None, 4] and run.result().posterior.equals(whole.posterior)
    assert run.result().statistics.equals(whole.statistics) and "raise max_runs" in " ".join(whole.attrs["notes"])


def of_waves(scatter, **more):
    truth = {name: float(value[0]) for name, value in waves(0, np.array([2.2])).items()}
    settings = {"scalars": truth, "deviations": dict.fromkeys(truth, scatter), "surrogate": "kriging", **more}
    x = np.linspace(0.5, 4.0, 200_001)
    log = -0.5 * sum(((value - truth[name]) / scatter) ** 2 for name, value in waves(0, x).items())
    weight = np.exp(log) / np.exp(log).sum()
    return Posterior(**settings), weight @ x, np.sqrt(weight @ (x - weight @ x) ** 2)


def test_fresh_runs_are_learnt_from_until_the_posterior_is_that_of_the_model():
    """Against integration over the one input; the first runs are not enough."""
    method, mean, std = of_waves(0.02, samples=5, batch=4)
    result, runs = drive(method, BENT, waves)
    size = result.attrs["effective_size"]["a"]
    assert result.attrs["surrogate_converged"] and 9 < runs < 60
    assert result.attrs["estimate"]["a"] == pytest.approx(mean, abs=4 * std / np.sqrt(size))
    assert result.attrs["estimate_std"]["a"] == pytest.approx(std, rel=5 / np.sqrt(size))
    assert (result.posterior["run"] == -1).all()


def test_a_bad_surrogate_widens_the_posterior_and_is_said():
    method, mean, std = of_waves(0.02, samples=5, batch=2, max_runs=7, max_steps=60)
    result, runs = drive(method, BENT, waves)
    assert runs == 7 and not result.attrs["surrogate_converged"] and "log_evidence" not in result.attrs
    assert result.attrs["estimate_std"]["a"] > 3 * std and abs(result.attrs["estimate"]["a"] - mean) < 2 * result.attrs["estimate_std"]["a"]
    assert any(note.startswith("the surrogate has not converged after 7 runs") for note in result.facts.notes)
    assert judged(result, "s1").state == "no"


def test_where_runs_fail_there_is_no_posterior():
    method, *_ = of_waves(1.0, samples=12, max_failed=0.9, max_steps=60, max_runs=30)
    result, _ = drive(method, BENT, waves, fail=lambda x: x["a"] > 2.5)
    assert result.posterior["input:a"].max() < 2.7 and result.attrs["runs_failed"] > 2


@pytest.mark.parametrize("variance", [1, 6])
def test_density_with_errors_in_some_directions_is_that_of_the_whole_covariance(variance):
    rng = np.random.default_rng(1)
    directions = np.linalg.qr(rng.standard_normal((6, 3)))[0]
    a, v, r = rng.random((4, variance)) + 0.1, rng.random((4, 3)) * 5, rng.standard_normal((4, 6))
    v[0] = 0.0
    found = log_normal(r, a, directions, v) - 3 * np.log(2 * np.pi)
    whole = [np.diag(np.broadcast_to(a[i], 6)) + directions @ np.diag(v[i]) @ directions.T for i in range(4)]
    np.testing.assert_allclose(found, [multivariate_normal(np.zeros(6), whole[i]).logpdf(r[i]) for i in range(4)], rtol=1e-10)


def test_learned_values_and_variances_are_those_of_kriging():
    rng = np.random.default_rng(2)
    z = rng.standard_normal((30, 2))
    learned = Learned.fit(z, np.column_stack([np.sin(k * z[:, 0]) * z[:, 1] + z[:, 0] for k in range(1, 9)]), 1e-9)
    at = rng.standard_normal((5, 2))
    mean, variance = learned.at(at)
    np.testing.assert_allclose(mean, learned.kriging.evaluate(at), rtol=1e-9)
    np.testing.assert_allclose(variance, learned.factor * learned.kriging.std(at) ** 2, atol=1e-9 * variance.max())
    assert (learned.factor >= 1).all() and learned.kriging.count == 8


def test_settings_are_written_only_with_a_surrogate():
    plain, _ = Posterior(scalars={"s": 1.0}, deviations={"s": 0.1}), None
    assert "surrogate" not in method_table(plain) and "max_runs" not in plain.model_dump()
    given = Posterior(scalars={"s": 1.0}, deviations={"s": 0.1}, surrogate="kriging", max_runs=50)
    assert read_method(method_table(given)) == given and given.planned_runs(BENT) == (26, 50)
    with pytest.raises(StudyError, match="a setting of a surrogate, and there is none"):
        Posterior(scalars={"s": 1.0}, deviations={"s": 0.1}, batch=4)


def test_impossible_readings_are_said():
    """All first runs but those of the design fail nearby, so that no point of the prior has a density."""
    method = Posterior(scalars={"s": 1.0}, deviations={"s": 0.1}, surrogate="kriging", max_failed=1.0)
    with pytest.raises(StudyError) as error:
        run = method.start(BENT, {"s": OutputInfo("m", None)}, np.zeros(0), 1)
        asked = run.ask()
        run.tell(asked, {"s": np.full(10, np.nan)}, np.ones(10, np.int8))
        run.ask()
    assert error.value.remedy
