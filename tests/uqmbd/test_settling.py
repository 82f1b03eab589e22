"""How estimates settle with the runs, in results and on the page of a study under way."""

from itertools import count

import numpy as np
import pytest

import uqmbd as uq
from uqmbd.analysis.statistics.moment_limits import mean_limits
from uqmbd.campaign.campaign import Campaign
from uqmbd.errors import StudyError
from uqmbd.figures import convergence_figures, growing_figures
from uqmbd.figures.diagrams import diagram_figures
from uqmbd.figures.marks import Bars, Curve
from uqmbd.figures.scalars import scalar_figures
from uqmbd.inputs.space import Space
from uqmbd.methods.bayes.shown import posterior_figures
from uqmbd.outcomes import Axis, OutputInfo
from uqmbd.report.diagrams import unsure
from uqmbd.report.words import runs_reaching
from uqmbd.study import Study
from uqmbd.study.looked_at import study_to_look_at
from uqmbd.study.watching import Watch, so_far

from .loop import drive, told

RATE = {"rate": uq.Uniform(0.5, 1.5)}
OPTIONS = {"error": "4 %", "costs": [4, 8, 16]}


def euler(time, rate, steps=4.0):
    return {"x": (1.0 - rate / steps) ** steps, "h": np.outer(1.0 - rate / steps, time)}


def study(method, **more):
    def model(rate, steps=4.0):
        return {"x": (1.0 - rate / steps) ** steps}

    return uq.Study(model=model, inputs=RATE, outputs=["x"], method=method, campaign={"workers": 0, "batch": 64}, **more)


METHODS = {
    "multilevel": uq.Multilevel(control="steps", levels=[4, 8, 16], **OPTIONS),
    "multifidelity": uq.Multifidelity(control="steps", fidelities=[16, 8, 4], **OPTIONS),
    "montecarlo": uq.MonteCarlo(samples=40, until={"mean": "2 %"}),
}


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_convergence_ends_at_the_statistics_of_the_result(method):
    result, _ = drive(method, Space.of(RATE), euler, time=(0.0, 1.0))
    table, statistics = result.convergence["x"], result.statistics["x"]
    for name in ("mean", "mean_lower", "mean_upper"):
        assert float(table.sel(statistic=name)[-1]) == float(statistics.sel(statistic=name))
    share = {"montecarlo": 0.02}.get(method.name, 0.04)
    assert float(table.sel(statistic="mean_wanted")[-1]) == pytest.approx(share * float(statistics.sel(statistic="mean")), rel=1e-12)
    assert (np.diff(table["count"]) > 0).all() and table.sizes["count"] > 1


def test_limits_of_the_first_runs_are_those_of_students_t():
    result, _ = drive(uq.MonteCarlo(samples=200), Space.of(RATE), euler)
    table = result.convergence["x"]
    samples, _ = drive(uq.MonteCarlo(samples=10), Space.of(RATE), euler)
    mean, std = (float(samples.statistics["x"].sel(statistic=name)) for name in ("mean", "std"))
    assert table["count"].values[0] == 10 and list(table["statistic"].values) == ["mean", "mean_lower", "mean_upper"]
    assert table.values[0] == pytest.approx([mean, *mean_limits(mean, std, 10)], rel=1e-12)


def test_the_figure_has_the_goal_about_the_last_estimate():
    result, _ = drive(METHODS["multilevel"], Space.of(RATE), euler)
    (figure,) = convergence_figures(result, ["x"])
    goal = [mark for mark in figure.panels[0].marks if isinstance(mark, Curve) and mark.label == "asked for"]
    mean = float(result.statistics["x"].sel(statistic="mean"))
    assert [mark.y[0] / mean for mark in goal] == pytest.approx([1.04, 0.96], rel=1e-12)
    assert figure.growing and growing_figures(result, "x")[-1].key == figure.key


@pytest.mark.parametrize("name", ["multilevel", "multifidelity"])
def test_a_part_of_the_runs_has_the_estimate_of_the_last_whole_step(name, monkeypatch, tmp_path):
    asked, commit, seen, commits = study(METHODS[name]), Campaign.commit, [], count()
    watch = Watch(asked)

    def looking(self, *arguments):
        commit(self, *arguments)
        if next(commits) % (2 if name == "multifidelity" else 6) == 0:
            seen.append(so_far(asked, tmp_path / "r", watch).result)

    monkeypatch.setattr(Campaign, "commit", looking)
    result = asked.run(out=tmp_path / "r", progress=False)
    assert not seen[0].statistics.data_vars, "no step is whole after the first batch"
    parts = [one for one in seen if one.statistics.data_vars]
    assert len(parts) > 1 and not any("asked for" in note for one in parts[:-1] for note in one.attrs["notes"])
    last, whole = parts[-1].convergence["x"], result.convergence["x"]
    assert last.equals(whole.isel(count=slice(last.sizes["count"])))
    monkeypatch.undo()
    again = asked.run(out=tmp_path / "s", progress=False)
    assert again.statistics.equals(result.statistics), "who looks changes nothing"


def test_chains_are_seen_as_they_grow_and_looking_changes_nothing():
    def model(time, a, b):
        return {"y": a + b}

    prior = Space.of({name: uq.Normal(0.0, 1.0) for name in "ab"})
    method = uq.Posterior(scalars={"y": 1.0}, deviations={"y": 0.5}, walkers=8, max_steps=60, effective=20, rhat=1.2)
    run, steps = method.start(prior, {"y": OutputInfo(axis=None)}, np.zeros(0), 1), []
    run.watch()
    while (asked := run.ask()) is not None:
        part = run.so_far()
        if part is not None and part.chains.sizes["step"] not in steps:
            steps.append(part.chains.sizes["step"])
            assert "raise" not in " ".join(part.attrs["notes"])
        samples = told(asked)
        run.tell(samples, model(None, **samples), np.zeros(len(samples["a"]), np.int8))
    assert steps[:4] == [12, 24, 36, 48]
    whole, _ = drive(method, prior, model)
    result = run.result()
    assert result.posterior.equals(whole.posterior) and result.chains.attrs == whole.chains.attrs
    assert result.chains.attrs["looks"][0] == 48 and len(result.chains.attrs["rhat"]) == len(result.chains.attrs["looks"])
    figures = posterior_figures(result)["Posterior"]
    assert [figure.key for figure in figures if figure.growing] == ["chains", "chains.judged"]


def test_the_diagram_of_a_study_that_follows_branches_is_seen_and_its_map_is_not_executed(tmp_path):
    (tmp_path / "maps.py").write_text(f"open({str(tmp_path / 'executed')!r}, 'w')\n")
    (tmp_path / "study.toml").write_text(
        '[study]\nname = "s"\nmodel = "model.py:logistic"\n[inputs]\nr = { interval = [2.8, 3.6] }\n[outputs]\ninclude = ["x"]\n'
        '[method]\ntype = "bifurcation"\npoints = 4\nfollow = "maps.py:logistic"\nfollow_code = "0"\n'
    )
    found = study_to_look_at(tmp_path)
    assert isinstance(found, Study) and found.method.points == 4 and found.method.follow is None
    assert not (tmp_path / "executed").exists()


def test_values_of_a_diagram_that_are_not_run_yet_are_not_doubted():
    def model(r):
        x, found = 0.4, []
        for _ in range(100):
            x = r * x * (1 - x)
            found.append(x)
        return np.array(found)

    inputs = Space.of({"r": uq.Interval(2.0, 2.9)})
    run = uq.Bifurcation(points=6, keep=20).start(inputs, {"x": OutputInfo(axis=Axis("iterate", np.arange(100.0)))}, np.zeros(0), 1)
    asked = run.ask()
    part = {"r": asked["r"][:3]}
    run.tell(part, {"x": np.array([model(r) for r in part["r"]])}, np.zeros(3, np.int8))
    result = run.so_far()
    assert result.motion_period["x"].values.ravel().tolist() == [1, 1, 1, -4, -4, -4]
    assert unsure(result, "x") == 0.0 and not diagram_figures(result)[0].panels[0].shades


@pytest.mark.parametrize("name", ["multilevel", "multifidelity"])
def test_an_error_in_another_unit_is_said_before_there_are_runs(name):
    settings = {"multilevel": {"levels": [4, 8]}, "multifidelity": {"fidelities": [1, 0]}}
    method = type(METHODS[name])(control="steps", error="1 kg", **settings[name])
    with pytest.raises(StudyError, match="1 kg is not") as raised:
        method.start(Space.of(RATE), {"x": OutputInfo("m", axis=None)}, np.zeros(0), 1)
    assert raised.value.key == "method.error"


def test_probabilities_settle_beside_the_mean_with_limits_and_goal():
    """Until the probability is known: the last numbers are those of the group `beyond`, and the page says how sure limits at looks are."""
    method = uq.MonteCarlo(samples=40, beyond={"x": "> 0.4"}, until={"probability": "40 %"})
    result, _ = drive(method, Space.of(RATE), euler)
    table = result.convergence["x"].isel(count=-1)
    words = ["probability", "probability_lower", "probability_upper"]
    assert table.sel(statistic=words).values.tolist() == result["beyond"]["x"].values.tolist()
    assert float(table.sel(statistic="probability_wanted")) == pytest.approx(0.4 * float(table.sel(statistic="probability")))
    (figure,) = convergence_figures(result, ["x"])
    assert [panel.y_label for panel in figure.panels] == ["mean [m]", "probability > 0.4"]
    assert f"{100 * result.attrs['confidence_at_last_look']:.4g} %" in figure.caption[-1]


def test_probabilities_and_quantiles_by_levels_settle_with_limits_and_goal():
    method = uq.Multilevel(
        control="steps", levels=[4, 8, 16], error={"quantile": "8 %"}, beyond={"x": "> 0.4"}, quantiles=[0.5], costs=[4, 8, 16]
    )
    result, _ = drive(method, Space.of(RATE), euler)
    table = result.convergence["x"].isel(count=-1)
    for name in ("q50", "q50_lower", "q50_upper"):
        assert float(table.sel(statistic=name)) == float(result.statistics["x"].sel(statistic=name))
    assert float(table.sel(statistic="q50_wanted")) == pytest.approx(0.08 * float(table.sel(statistic="q50")))
    words = ["probability", "probability_lower", "probability_upper"]
    assert table.sel(statistic=words).values.tolist() == result["beyond"]["x"].values.tolist()


@pytest.mark.parametrize("name", ["multilevel", "multifidelity"])
def test_histograms_are_of_one_model(name, tmp_path):
    """Of the finest level in use, or the first model: its runs and no others, and the caption says so."""
    result = study(METHODS[name]).run(out=tmp_path / "r", progress=False)
    own = result.runs["control:steps"].values == 16.0
    (figure,) = scalar_figures(result, "x")
    bars = next(mark for mark in figure.panels[0].marks if isinstance(mark, Bars))
    assert bars.counts.sum() == own.sum() < len(own) and (bars.edges[0], bars.edges[-1]) == tuple(
        f(result.runs["x"].values[own]) for f in (np.min, np.max)
    )
    assert (
        figure.caption[-1] == f"Runs of steps 16 alone, {own.sum()} of {len(own)}."
        and runs_reaching(result) == f"{own.sum()} runs of steps 16"
    )
    assert result.inner["x"].values.tolist() == [bars.edges[0], bars.edges[-1]]
