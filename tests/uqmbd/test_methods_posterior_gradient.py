"""Posteriors by moves down the slope: exact ones, derivatives of outputs and of runs close by, the runs they save, wrong settings."""

import numpy as np
import pytest

from uqmbd.analysis.bayes.langevin import Near
from uqmbd.errors import StudyError
from uqmbd.inputs import Random
from uqmbd.inputs.space import Space
from uqmbd.methods import Posterior
from uqmbd.outcomes import OutputInfo

from .loop import drive

TIME = np.linspace(0, 2, 21)
SCATTER = 0.2
Y = 1.5 - 0.7 * TIME + SCATTER * np.random.default_rng(3).standard_normal(len(TIME))
SCALARS = {f"y{k}": value for k, value in enumerate(Y.tolist())}
WIDE = {"a": Random({"type": "normal", "mean": 0, "std": 1}), "b": Random({"type": "normal", "mean": 0, "std": 2})}
ONLY = {"moves": {"langevin": 1.0}}
ABOUT = {"scalars": SCALARS, "deviations": dict.fromkeys(SCALARS, SCATTER)}


def line(time, a, b):
    return {name: a + b * t for name, t in zip(SCALARS, TIME, strict=True)}


def exact(prior, scatter=SCATTER):
    """Mean and covariance of the posterior of a straight line with a normal prior of mean 0."""
    design = np.column_stack([np.ones(len(TIME)), TIME])
    covariance = np.linalg.inv(design.T @ design / scatter**2 + np.linalg.inv(prior))
    return covariance @ design.T @ Y / scatter**2, covariance


def close(found, mean, covariance):
    """Mean within four of the errors that the effective size leaves, covariance within its own."""
    size = np.array(list(found.attrs["effective_size"].values()))
    assert (np.abs(np.array(list(found.attrs["estimate"].values())) - mean) < 4 * np.sqrt(np.diag(covariance) / size)).all()
    scale = np.sqrt(np.outer(np.diag(covariance), np.diag(covariance)))
    assert np.abs((np.array(found.attrs["covariance"]) - covariance) / scale).max() < 6 / np.sqrt(size.min())


def test_linear_gaussian_posterior_is_exact_and_every_move_is_taken():
    found, count = drive(Posterior(**ABOUT, **ONLY), WIDE, line)
    close(found, *exact(np.diag([1.0, 4.0])))
    assert found.attrs["chains_converged"] and found.attrs["acceptance"] > 0.99 and found.attrs["langevin_step"] == 1.0
    assert count == 32 * 3 * (1 + found.attrs["steps"]) and found.attrs["derivatives"] == "differences"


def with_slopes(time, a, b):
    """The line and its derivatives, which the study names."""
    ones = np.ones_like(a)
    return line(time, a, b) | {"by_a": ones} | {f"{name}_by_b": t * ones for name, t in zip(SCALARS, TIME, strict=True)}


NAMED = {"derivatives": {name: {"a": "by_a", "b": f"{name}_by_b"} for name in SCALARS}}


def test_derivatives_of_the_model_save_the_runs_of_differences():
    """The same walk as by differences, which are exact of a straight line but for rounding, with a third of the runs."""
    found, count = drive(Posterior(**ABOUT, **ONLY, **NAMED, max_steps=48), WIDE, with_slopes)
    close(found, *exact(np.diag([1.0, 4.0])))
    assert count == 32 * (1 + found.attrs["steps"]) and found.attrs["derivatives"] == "outputs"


BENT = {"a": Random({"type": "uniform", "lower": 0.0, "upper": 4.0}), "b": Random({"type": "gamma", "shape": 2.0, "scale": 0.5})}


def bent(time, a, b):
    return {"p": a * b, "q": a / b}


def test_skewed_posterior_is_that_of_quadrature():
    """Of a bent posterior whose prior ends: quantiles of both inputs by sums over a grid, within four of their standard errors."""
    half = {"langevin": 0.5, "differential": 0.5}
    method = Posterior(scalars={"p": 1.0, "q": 2.0}, deviations={"p": 0.4, "q": 1.0}, walkers=300, max_steps=80, draws=50_000, moves=half)
    found, _ = drive(method, BENT, bent)
    u = (np.arange(1000) + 0.5) / 1000
    a, b = (grid.ravel() for grid in np.meshgrid(*(item.ppf(u) for item in BENT.values()), indexing="ij"))
    weight = np.exp(-0.5 * (((a * b - 1.0) / 0.4) ** 2 + ((a / b - 2.0) / 1.0) ** 2))
    assert max(found.attrs["rhat"].values()) < 1.02 and 0.3 < found.attrs["acceptance"] < 0.95
    assert min(found.attrs["effective_size"].values()) > 400
    for name, values in (("a", a), ("b", b)):
        order, size = np.argsort(values), found.attrs["effective_size"][name]
        share = np.cumsum(weight[order]) / weight.sum()
        for level in (0.05, 0.25, 0.5, 0.75, 0.95):
            at = values[order[np.searchsorted(share, level)]]
            rank = np.mean(found.posterior[f"input:{name}"].values <= at)
            assert abs(rank - level) < 4 * np.sqrt(level * (1 - level) / size), (name, level)


def test_gradient_is_that_of_the_density(tmp_path):
    """Of bound inputs with a skewed prior, a scatter and a discrepancy that are not known, against central differences of the density."""
    time = np.linspace(0.1, 1.0, 5)
    (tmp_path / "y.csv").write_text("time,y\n" + "\n".join(f"{t},{1 + t}" for t in time))
    inputs = Space(
        {"a": Random({"type": "lognormal", "mean": 1.0, "std": 0.3}), "b": Random({"type": "uniform", "lower": -1.0, "upper": 2.0})},
        dependence={"rank_correlation": [["a", "b", 0.6]]},
    )
    size = Random({"type": "lognormal", "mean": 0.3, "std": 0.2})
    unknown = {"noise": {"y": size}, "discrepancy": {"y": {"size": size, "time": 0.3}}, "correlation_time": {"y": 0.2}}
    method = Posterior(data=str(tmp_path / "y.csv"), **unknown, **ONLY, derivatives={"y": {"a": "ya", "b": "yb"}})
    run = method.start(inputs, dict.fromkeys(("y", "ya", "yb"), OutputInfo("")), time, 1)

    def values(z):
        a, b = (x[:, None] for x in run.samples(z[:, :2]).values())
        return np.concatenate([a**2 * np.exp(b * time), 2 * a * np.exp(b * time), a**2 * time * np.exp(b * time)], axis=1)

    def density(z):
        return run.likelihood.log(values(z), run.scatter(z)) - 0.5 * (z**2).sum(axis=1)

    z, h = np.random.default_rng(1).standard_normal((4, 4)), 1e-5
    slopes = run.slopes.of_runs(z[:, :2], values(z), np.zeros(4), np.arange(4), None)
    gradient, metric = run.slopes.log_posterior(z, slopes, run.scatter)
    for i, step in enumerate(h * np.eye(4)):
        np.testing.assert_allclose(gradient[:, i], (density(z + step) - density(z - step)) / (2 * h), rtol=1e-5)
    assert (np.linalg.eigvalsh(metric) > 1.0 - 1e-12).all()


def test_failed_runs_have_no_weight_and_stop_no_walker():
    """Runs fail where b > -0.6, those close to others too: the posterior is that of a prior that ends there."""
    found, _ = drive(Posterior(**ABOUT, **ONLY, max_failed=0.9, walkers=60, max_steps=48), WIDE, line, fail=lambda x: x["b"] > -0.6)
    mean, covariance = exact(np.diag([1.0, 4.0]))
    b = np.random.default_rng(1).multivariate_normal(mean, covariance, 20_000)[:, 1]
    b = b[b <= -0.6]
    assert found.posterior["input:b"].max() <= -0.6 and found.attrs["chains_converged"]
    assert abs(found.attrs["estimate"]["b"] - b.mean()) < 4 * b.std() / np.sqrt(found.attrs["effective_size"]["b"])


@pytest.mark.parametrize("share", [1.0, 0.3])
def test_moves_keep_a_skewed_density(share):
    """Draws of a lognormal reading's posterior, by sums over a grid, have the same quantiles after three moves of each."""
    grid, rng, n = np.linspace(-6, 3, 20_001), np.random.default_rng(1), 100_000

    def log_density(z):
        return -0.5 * z**2 - 0.5 * ((np.exp(z) - 1.5) / 0.5) ** 2

    def near(z):
        slope = np.exp(z) / 0.5
        return Near(z[:, None], (-z - slope * (np.exp(z) - 1.5) / 0.5)[:, None], (1 + slope**2)[:, None, None])

    share_below = np.cumsum(np.exp(log_density(grid)))
    places = np.interp([0.02, 0.1, 0.5, 0.9, 0.98], share_below / share_below[-1], grid)
    z = np.interp((np.arange(n) + 0.5) / n, share_below / share_below[-1], grid)
    for _ in range(3):
        here = near(z)
        to = here.draw(rng.standard_normal((n, 1)), share)[:, 0]
        back = near(to).log_density(z[:, None], share) - here.log_density(to[:, None], share)
        z = np.where(np.log(rng.random(n)) < log_density(to) - log_density(z) + back, to, z)
    for level, place in zip([0.02, 0.1, 0.5, 0.9, 0.98], places, strict=True):
        assert abs(np.mean(z <= place) - level) < 4 * np.sqrt(level * (1 - level) / n)


@pytest.mark.slow
def test_ten_inputs_need_fewer_runs_than_by_moves_without_slopes():
    """Runs for each independent draw of a linear model: less than a twentieth, by differences too."""
    rng = np.random.default_rng(5)
    names, slopes = [f"x{i}" for i in range(10)], rng.standard_normal((20, 10))
    readings = {f"y{k}": value for k, value in enumerate((slopes @ rng.standard_normal(10)).tolist())}
    inputs = dict.fromkeys(names, WIDE["a"])

    def model(time, **x):
        return dict(zip(readings, slopes @ np.array([x[name] for name in names]), strict=True))

    cost = {}
    for moves in ({"langevin": 1.0}, {"stretch": 1.0}):
        method = Posterior(scalars=readings, deviations=dict.fromkeys(readings, 0.5), max_steps=100, walkers=40, moves=moves)
        found, count = drive(method, inputs, model)
        cost[next(iter(moves))] = count / min(found.attrs["effective_size"].values())
    assert cost["langevin"] < 0.05 * cost["stretch"], cost


def test_metric_that_is_not_finite_is_that_of_the_prior():
    near = Near(np.ones((2, 1)), np.array([[np.nan], [-1.0]]), np.array([[[2.0]], [[np.inf]]]))
    np.testing.assert_allclose(near.draw(np.zeros((2, 1)), 0.5), 0.5)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (NAMED, "setting of the move langevin"),
        ({"step": 0.01}, "setting of the move langevin"),
        (ONLY | {"surrogate": "kriging"}, "do not move by derivatives"),
        (ONLY | {"derivatives": {"s": {"a": "t"}}}, "derivative of 's' by 'b' is not named"),
        (ONLY | {"derivatives": {"s": {"a": "u", "b": "t"}}}, "no output 'u'"),
        (ONLY | {"derivatives": {"s": {"a": "t", "b": "t", "c": "t"}}}, "no random input 'c'"),
        (ONLY | {"derivatives": {"s": {"a": "t", "b": "t"}, "t": {}}}, "'t' is not measured"),
        (ONLY | {"derivatives": {"s": {"a": "t", "b": "h"}}}, "'h' has 3 numbers and 's' has 1"),
        (ONLY | {"derivatives": {"s": {"a": "t", "b": "n"}}}, "and 'n' is in N"),
    ],
)
def test_bad_settings(settings, words):
    outputs = {"s": OutputInfo("m", None), "t": OutputInfo("", None), "n": OutputInfo("N", None), "h": OutputInfo("m")}
    inputs = {"a": WIDE["a"], "b": Random({"type": "normal", "mean": 0, "std": 2}, unit="m")}
    with pytest.raises(StudyError, match=words) as error:
        Posterior(**{"scalars": {"s": 1.0}, "deviations": {"s": 0.1}} | settings).start(inputs, outputs, np.arange(3.0), 1)
    assert error.value.remedy
