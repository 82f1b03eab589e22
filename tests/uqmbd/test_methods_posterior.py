"""Posteriors by ensembles of walkers: exact ones, those of emcee, what is said of chains, priors and readings, every wrong setting."""

import emcee
import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm

from uqmbd.errors import StudyError
from uqmbd.inputs import Interval, Random
from uqmbd.inputs.space import Space
from uqmbd.methods import Posterior, read_method
from uqmbd.methods.bayes.shown import posterior_figures
from uqmbd.outcomes import OutputInfo
from uqmbd.report.estimates import chains_table, estimates_said
from uqmbd.report.judged import judged
from uqmbd.result import open_results
from uqmbd.spec.tables import method_table

from .loop import drive

TIME = np.linspace(0, 2, 21)
SCATTER = 0.2
Y = 1.5 - 0.7 * TIME + SCATTER * np.random.default_rng(3).standard_normal(len(TIME))
WIDE = {"a": Random({"type": "normal", "mean": 0, "std": 1}), "b": Random({"type": "normal", "mean": 0, "std": 2})}


def line(time, a, b):
    return {"y": a[:, None] + b[:, None] * np.asarray(time)}


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    path = tmp_path_factory.mktemp("line") / "line.csv"
    path.write_text("time,y\n" + "\n".join(f"{t!r},{y!r}" for t, y in zip(TIME.tolist(), Y.tolist(), strict=True)))
    return str(path)


@pytest.fixture(scope="module")
def found(data):
    return drive(Posterior(data=data, deviations={"y": SCATTER}), WIDE, line, time=TIME)[0]


def exact(prior, scatter=SCATTER):
    """Mean and covariance of the posterior of a straight line with a normal prior of mean 0."""
    design = np.column_stack([np.ones(len(TIME)), TIME])
    covariance = np.linalg.inv(design.T @ design / scatter**2 + np.linalg.inv(prior))
    return covariance @ design.T @ Y / scatter**2, covariance


def test_linear_gaussian_posterior_is_exact(found):
    """Mean within four of the errors that the effective size leaves, covariance within its own."""
    attrs = found.attrs
    mean, covariance = exact(np.diag([1.0, 4.0]))
    size = np.array(list(attrs["effective_size"].values()))
    assert attrs["chains_converged"] and size.min() > 400 and not found.facts.notes
    assert (np.abs(np.array(list(attrs["estimate"].values())) - mean) < 4 * np.sqrt(np.diag(covariance) / size)).all()
    scale = np.sqrt(np.outer(np.diag(covariance), np.diag(covariance)))
    assert np.abs((np.array(attrs["covariance"]) - covariance) / scale).max() < 6 / np.sqrt(size.min())
    draws = np.column_stack([found.posterior[f"input:{name}"] for name in "ab"])
    assert np.abs((np.cov(draws.T) - covariance) / scale).max() < 6 / np.sqrt(size.min())


@pytest.mark.slow
def test_dependent_priors(data):
    """A rank correlation of the prior is one of the normal variables: 2 sin(pi rho / 6)."""
    space = Space(WIDE, dependence={"rank_correlation": [["a", "b", 0.8]]})
    result, _ = drive(Posterior(data=data, deviations={"y": 2.0}), space, line, time=TIME)
    rho = 2 * np.sin(np.pi * 0.8 / 6)
    mean, covariance = exact(np.array([[1.0, 2 * rho], [2 * rho, 4.0]]), scatter=2.0)
    size = min(result.attrs["effective_size"].values())
    assert (np.abs(np.array(list(result.attrs["estimate"].values())) - mean) < 4 * np.sqrt(np.diag(covariance) / size)).all()


def test_readings_far_from_the_prior_are_followed_there():
    """A reading 20 ± 0.5 of a normal input of mean 0 and deviation 1: mean 16, deviation 0.447, evidence of N(20; 0, 1.25)."""
    settings = Posterior(scalars={"x": 20.0}, deviations={"x": 0.5})
    attrs = drive(settings, {"a": WIDE["a"]}, lambda time, a: {"x": a}, time=TIME)[0].attrs
    size = attrs["effective_size"]["a"]
    assert attrs["chains_converged"] and abs(attrs["estimate"]["a"] - 16.0) < 4 * np.sqrt(0.2 / size)
    assert attrs["estimate_std"]["a"] == pytest.approx(np.sqrt(0.2), abs=4 * np.sqrt(0.1 / size))
    half = 0.5 * (attrs["log_evidence_upper"] - attrs["log_evidence_lower"])
    assert abs(attrs["log_evidence"] - norm(0, np.sqrt(1.25)).logpdf(20.0)) < 2 * half


def skewed(time, a, b):
    return {"p": a * b, "q": a / b}


CURVED = {"a": Random({"type": "uniform", "lower": 0.0, "upper": 4.0}), "b": Random({"type": "gamma", "shape": 2.0, "scale": 0.5})}


@pytest.mark.slow
def test_quantiles_are_those_of_emcee():
    """Of a bent posterior with a prior that ends: emcee 3, its stretch and differential moves, 32 x 3000 draws."""
    method = Posterior(scalars={"p": 1.0, "q": 2.0}, deviations={"p": 0.4, "q": 1.0}, effective=800)
    result, _ = drive(method, CURVED, skewed)

    def log_density(x):
        a, b = x.T
        with np.errstate(divide="ignore", invalid="ignore"):
            found = np.log(b) - b / 0.5 - 0.5 * (((a * b - 1.0) / 0.4) ** 2 + ((a / b - 2.0) / 1.0) ** 2)
        return np.where((a > 0) & (a < 4) & (b > 0), found, -np.inf)

    start = np.random.default_rng(1).uniform([0.9, 0.5], [1.6, 1.0], (32, 2))
    moves = [(emcee.moves.DEMove(), 0.7), (emcee.moves.StretchMove(), 0.3)]
    sampler = emcee.EnsembleSampler(32, 2, log_density, vectorize=True, moves=moves)
    sampler.random_state = np.random.RandomState(1).get_state()
    sampler.run_mcmc(start, 3500, progress=False)
    draws = sampler.get_chain(discard=500, flat=True)
    for i, name in enumerate("ab"):
        ours = result.posterior[f"input:{name}"].values
        size = result.attrs["effective_size"][name]
        for level in (0.05, 0.25, 0.5, 0.75, 0.95):
            rank = np.mean(draws[:, i] <= np.quantile(ours, level))
            assert abs(rank - level) < 4 * np.sqrt(level * (1 - level) / size), (name, level)


def test_band_covers_what_was_measured(found):
    """The fitted history is the run of greatest density; mean and quantiles are of the line, without the scatter of readings."""
    table = found.statistics["y"]
    mean, covariance = exact(np.diag([1.0, 4.0]))
    design = np.column_stack([np.ones(len(TIME)), TIME])
    spread = np.sqrt(np.einsum("ij,jk,ik->i", design, covariance, design))
    np.testing.assert_allclose(table.sel(statistic="mean"), design @ mean, atol=4 * spread.max() / 20)
    np.testing.assert_allclose(table.sel(statistic="std"), spread, rtol=0.2)
    assert (table.sel(statistic="q05") < table.sel(statistic="q95")).all()
    np.testing.assert_allclose(table.sel(statistic="measured"), Y, atol=1e-12)


# what is said -----------------------------------------------------------------------------------------------------------------------------
def test_two_valleys_that_one_ensemble_cannot_leave_are_said():
    """A sharp valley at a = -1 and one at 1: walkers that fall into different ones do not agree, and nothing is trusted."""
    uniform = {"a": Random({"type": "uniform", "lower": -2.0, "upper": 2.0})}
    method = Posterior(scalars={"s": 1.0}, deviations={"s": 1e-3}, max_steps=100, walkers=8, moves={"stretch": 1.0})
    result, _ = drive(method, uniform, lambda time, a: {"s": a**2})
    assert not result.attrs["chains_converged"] and result.facts.notes[0].startswith("the chains have not converged")
    assert judged(result, "s").state == "no"


def test_a_posterior_that_leaves_the_box_is_said(data):
    box = {"a": Random({"type": "uniform", "lower": 0.0, "upper": 1.2}), "b": WIDE["b"]}
    result, _ = drive(Posterior(data=data, deviations={"y": SCATTER}, max_steps=300), box, line, time=TIME)
    assert result.attrs["leaning"] == ["a"] and any("lie in the upper 1 % of its prior" in note for note in result.facts.notes)


def test_an_input_that_the_readings_do_not_tell_is_said():
    inputs = {"a": WIDE["a"], "idle": WIDE["b"]}
    result, _ = drive(Posterior(scalars={"s": 0.3}, deviations={"s": 0.1}), inputs, lambda time, a, idle: {"s": a})
    assert result.attrs["untold"] == ["idle"] and "the readings tell nothing of idle" in result.facts.note
    assert result.attrs["estimate_std"]["idle"] == pytest.approx(2.0, rel=0.15)


def test_failed_runs_have_no_weight(data):
    """Runs fail where b > -0.6: the posterior is that of a prior that ends there."""
    result, _ = drive(Posterior(data=data, deviations={"y": SCATTER}, max_failed=0.9), WIDE, line, time=TIME, fail=lambda x: x["b"] > -0.6)
    assert result.posterior["input:b"].max() <= -0.6 and result.attrs["runs_failed"] > 100
    mean, covariance = exact(np.diag([1.0, 4.0]))
    rng = np.random.default_rng(1)
    b = rng.multivariate_normal(mean, covariance, 20_000)[:, 1]
    assert result.attrs["estimate"]["b"] == pytest.approx(b[b <= -0.6].mean(), abs=0.01)


def test_words_and_tables(found, tmp_path):
    said = estimates_said(found)
    assert said[0].startswith("After the measurements a is 1.4") and said[-1].startswith("The logarithm of the evidence")
    assert [row[0] for row in chains_table(found).rows] == ["a", "b"] and "logarithm of the evidence" in chains_table(found).note
    again = open_results(found.save(tmp_path))
    assert again.posterior.identical(found.posterior) and again.chains.identical(found.chains)
    assert again.chains.sizes["walker"] == 32 and again.chains.attrs["kept_from"] == found.attrs["steps_left_out"]


def test_densities_before_and_after_are_those_of_prior_and_posterior(found):
    """Normal ones: heights at the mean; kernels make the posterior a little wider."""
    ((a, b, *_),) = posterior_figures(found).values()
    covariance = exact(np.diag([1.0, 4.0]))[1]
    for figure, prior, after in ((a, 1.0, covariance[0, 0] ** 0.5), (b, 2.0, covariance[1, 1] ** 0.5)):
        band, curve, before = figure.panels[0].marks
        assert curve.y.max() == pytest.approx(1 / (np.sqrt(2 * np.pi) * after), rel=0.12) and (band.upper == curve.y).all()
        normal = np.exp(-0.5 * (before.x / prior) ** 2) / (np.sqrt(2 * np.pi) * prior)
        np.testing.assert_allclose(before.y, normal, rtol=2e-3)


def test_figures_show_draws_and_ensembles(found):
    ((*_, corner, traces, judged),) = posterior_figures(found).values()
    (draws,), (panel, _) = corner.panels[0].marks, traces.panels
    assert len(draws.x) == len(draws.y) == 600 and (corner.panels[0].x_label, corner.panels[0].y_label) == ("a", "b")
    assert [mark.label for mark in panel.marks] == [
        "ensemble 1, 5 % to 95 %", "its mean (1)", "ensemble 2, 5 % to 95 %", "its mean (2)", "draws begin"
    ]  # fmt: skip
    assert [mark.label for mark in judged.panels[0].marks] == ["worst input", "looks", "asked for"] and len(judged.panels) == 2


@pytest.mark.parametrize(
    ("settings", "inputs", "words"),
    [
        ({"deviations": {}}, WIDE, "'s' has no standard deviation"),
        ({"walkers": 9}, WIDE, "their number is even"),
        ({"walkers": 8}, {name: WIDE["a"] for name in "abcde"}, "8 walkers cannot move in all directions of 5 inputs"),
        ({"moves": {"stretching": 1.0}}, WIDE, "there is no such move"),
        ({"moves": {"stretch": -1.0}}, WIDE, "a share of 0 or more"),
        ({"moves": {"stretch": 0.0}}, WIDE, "no move is made"),
        ({}, {"a": Interval(0, 1)}, "cannot treat the input 'a' of kind interval"),
    ],
)
def test_bad_settings(settings, inputs, words):
    with pytest.raises(StudyError, match=words) as error:
        Posterior(**{"scalars": {"s": 1.0}, "deviations": {"s": 0.1}} | settings).start(
            inputs, {"s": OutputInfo("m", None)}, np.zeros(0), 1
        )
    assert error.value.remedy


# evidence and scatter ---------------------------------------------------------------------------------------------------------------------
def test_evidence_of_a_linear_gaussian_model_is_exact(found):
    """Normal density of the readings with the covariance of prior and scatter together; within twice the half width of the limits."""
    design = np.column_stack([np.ones(len(TIME)), TIME])
    exact = multivariate_normal(np.zeros(len(TIME)), design @ np.diag([1.0, 4.0]) @ design.T + SCATTER**2 * np.eye(len(TIME))).logpdf(Y)
    value, lower, upper = (found.attrs[f"log_evidence{end}"] for end in ("", "_lower", "_upper"))
    assert abs(value - exact) < upper - lower < 0.3


def lognormal(mean, std, **unit):
    return Random({"type": "lognormal", "mean": mean, "std": std}, **unit)


def test_scatter_that_is_not_known_is_estimated(data):
    """Against integration over a grid of both inputs, which are normal given the scatter, and of the scatter."""
    method = Posterior(data=data, noise={"y": {"distribution": {"type": "lognormal", "mean": 0.3, "std": 0.2}}})
    result, _ = drive(method, WIDE, line, time=TIME)
    prior, design = lognormal(0.3, 0.2), np.column_stack([np.ones(len(TIME)), TIME])
    std = prior.ppf((np.arange(400) + 0.5) / 400)
    covariance = design @ np.diag([1.0, 4.0]) @ design.T
    weight = np.array([multivariate_normal(np.zeros(len(TIME)), covariance + s**2 * np.eye(len(TIME))).logpdf(Y) for s in std])
    weight = np.exp(weight - weight.max()) / np.exp(weight - weight.max()).sum()
    mean = weight @ std
    spread = np.sqrt(weight @ (std - mean) ** 2)
    size = result.attrs["effective_size"]["scatter of y"]
    assert abs(result.attrs["scatter"]["y"]["mean"] - mean) < 4 * spread / np.sqrt(size)
    assert result.posterior["noise:y"].std() == pytest.approx(spread, rel=4 / np.sqrt(size))
    assert estimates_said(result)[-1].startswith("The readings of y scatter by 260.6 mm")
    assert "fit" not in result.attrs and set(result.attrs["estimate"]) == {"a", "b"}


def test_scatter_that_is_bound_over_time_is_a_gaussian_process(data):
    """Logarithm of the density against that of scipy with the whole covariance, times in disorder."""
    method = Posterior(data=data, deviations={"y": SCATTER}, correlation_time={"y": 0.3})
    run = method.start(WIDE, {"y": OutputInfo("m")}, TIME, 1)
    values = 0.1 * np.random.default_rng(2).standard_normal((3, len(TIME)))
    covariance = SCATTER**2 * np.exp(-np.abs(TIME[:, None] - TIME) / 0.3)
    exact = multivariate_normal(np.zeros(len(TIME)), covariance).logpdf(values - Y)
    np.testing.assert_allclose(run.likelihood.log(values, np.empty((3, 0))), exact, rtol=1e-10)


def test_settings_of_the_scatter_are_written_and_read(data):
    given = Posterior(data=data, noise={"y": lognormal(30.0, 20.0, unit="mm")}, correlation_time={"y": 0.3})
    table = method_table(given)
    assert table["noise"]["y"]["unit"] == "mm" and read_method(table) == given


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"noise": {"y": lognormal(0.1, 0.1)}, "deviations": {"y": 0.1}}, "known or it is not"),
        ({"noise": {"y": lognormal(0.1, 0.1, unit="N")}}, "the output is in m"),
        ({"noise": {"y": WIDE["a"]}}, "reaches 0 or below"),
        ({"noise": {"y": {"interval": [1, 2]}}}, "is a distribution"),
        ({"noise": {"z": lognormal(0.1, 0.1)}, "deviations": {"y": 0.1}}, "'z' is not measured"),
        ({"deviations": {"y": 0.1}, "correlation_time": {"z": 1.0}}, "'z' is no measured history"),
        ({"deviations": {"y": 0.1}, "correlation_time": {"y": -1.0}}, "a correlation time is positive"),
    ],
)
def test_bad_scatter(data, settings, words):
    with pytest.raises(StudyError, match=words) as error:
        Posterior(data=data, **settings).start(WIDE, {"y": OutputInfo("m")}, TIME, 1)
    assert error.value.remedy


def test_pruned_walkers_find_the_one_deep_valley():
    """A frequency has many valleys: walkers that begin in shallow ones do not stay there."""
    readings = np.cos(np.sqrt(97.0) * TIME) + 0.05 * np.random.default_rng(1).standard_normal(len(TIME))
    scalars = {f"x{k}": value for k, value in enumerate(readings.tolist())}

    def model(time, k):
        return {name: np.cos(np.sqrt(k) * t) for name, t in zip(scalars, TIME, strict=True)}

    box = {"k": Random({"type": "uniform", "lower": 50.0, "upper": 150.0})}
    result, _ = drive(Posterior(scalars=scalars, deviations=dict.fromkeys(scalars, 0.05), max_steps=300), box, model)
    assert result.attrs["chains_converged"] and result.attrs["estimate"]["k"] == pytest.approx(97.0, abs=1.0)
