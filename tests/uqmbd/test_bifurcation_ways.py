"""Diagrams whose runs go on from each other, up and down: hysteresis at known folds, kills, looks at a part, runs that fail."""

from pathlib import Path

import numpy as np
import pytest

import uqmbd as uq
from uqmbd.campaign.campaign import Campaign
from uqmbd.errors import StudyError
from uqmbd.figures import sections
from uqmbd.outcomes import ORDER, STEP, Axis, Outcomes, OutputInfo
from uqmbd.report.answers import answer_of
from uqmbd.study import Study
from uqmbd.study.watching import so_far

from .exact_impacts import impact

CUBIC = 2 / 27**0.5  # folds of load + x - x^3 = 0 are at plus and minus this
STUDIES = Path(__file__).parents[2] / "studies"


def cubic(load, start=None):
    """Newton's iteration on the branch where the run starts; where that has ended it comes to the other one."""
    x, found = -1.0 if start is None else start, []
    for _ in range(400):
        x += 0.2 * (load + x - x**3)
        found.append(x)
    return {"x": uq.Events(found[-20:], "iterate"), "state": x}


@uq.vectorized
def hammer(w):
    """Velocities after impacts of the oscillator with a stop, from near its orbit of one impact a period."""
    phase, v, found = np.full(len(w), 3.04), np.full(len(w), -0.36), np.empty((len(w), 32))
    for k in range(-400, 32):
        phase, v = impact(phase, v, w, z=0.02, r=0.8)
        if k >= 0:
            found[:, k] = v
    return {"v": uq.Curve(found, np.arange(32.0), "hit", unit="m/s")}


def study_of(model, inputs, output, method, **campaign):
    campaign = {"workers": 0, **campaign}
    return uq.Study(model=model, inputs=inputs, outputs=[output], method=method, campaign=campaign, name="diagram")


LOADS = {"load": uq.Interval(-0.6, 0.6)}
BOTH = uq.Bifurcation(values=[-0.6, -0.42, -0.3, 0.0, 0.3, 0.42, 0.6], continuation=True, keep=8, skip=0)


def test_up_and_down_differ_between_the_folds(tmp_path):
    result = study_of(cubic, LOADS, "x", BOTH).run(out=tmp_path, progress=False)
    up, down = (result.branches["x"].sel(way=way).values[:, 0, 0, -1] for way in ("up", "down"))
    inside = np.abs(result.branches["value"].values) < CUBIC
    assert (np.sign(up[inside]) == -1).all() and (np.sign(down[inside]) == 1).all()
    np.testing.assert_allclose(up[~inside], down[~inside], atol=1e-8)
    assert (result.hysteresis["x"].values.ravel() > 0.5).tolist() == inside.tolist()
    assert result.attrs["diagram"]["hysteresis"]["x"] == [[-0.3, 0.3]]
    assert answer_of(result, "x")[1] == "On the way up and on the way down motions differ at load = -0.3 to 0.3."
    figure = sections(result)["Bifurcation diagrams"][0]
    assert [mark.label for mark in figure.panels[0].marks] == ["up", "down"] and "-0.3 to 0.3" in " ".join(figure.caption)
    assert {"up, period 1", "down, period 1"} <= set(result.windows["window"].values)


def test_the_fold_of_duffings_equation(tmp_path):
    """The study's runs: on the way up the upper branch ends at the fold, on the way down they come to it where the lower one ends."""
    study = Study.from_file(STUDIES / "duffing_fold" / "study.toml")
    values = [1.2, 1.4, *np.arange(1.6, 2.15, 0.1).round(2).tolist(), 2.175, 2.205, 2.215, 2.4]
    result = study.changed(method=study.method.remade(follow=None, follow_code=None, values=values)).run(out=tmp_path, report=False)
    ((first, last),) = result.attrs["diagram"]["hysteresis"]["v"]
    assert first == pytest.approx(1.6) and last in (pytest.approx(2.205), pytest.approx(2.215))
    up = result.branches["v"].sel(way="up").values[:, 0, 0, -1]
    assert up[-3] == pytest.approx(4.44, abs=0.05) and up[-1] < 0.1  # 2.205 is below the fold at 2.2119
    assert result.motion_period["v"].sel(way="up").values[-2] != 1 or up[-2] < 0.1  # 2.215 above it: on its way, or on the lower branch


def test_the_flip_of_the_impact_oscillator(tmp_path):
    """At w = 2.65562 one impact a period becomes two in two periods (REFERENCES section 9)."""
    values = np.arange(2.642, 2.672, 0.004).round(4).tolist()
    method = uq.Bifurcation(values=values, keep=32, skip=0)
    result = study_of(hammer, {"w": uq.Interval(2.6, 2.7)}, "v", method).run(out=tmp_path, progress=False)
    period, w = result.motion_period["v"].values.ravel(), result.motion_period["value"].values
    assert set(period.tolist()) == {1, 2}
    change = np.flatnonzero(np.diff(period))
    assert len(change) == 1 and w[change[0]] < 2.6556212360828315 < w[change[0] + 1]


@pytest.mark.parametrize("commits", [1, 5, 9])
def test_a_kill_changes_nothing(commits, tmp_path, monkeypatch):
    study = study_of(cubic, LOADS, "x", BOTH)
    whole = study.run(out=tmp_path / "whole", progress=False)
    commit, left = Campaign.commit, [commits]

    def counted(self, *arguments):
        commit(self, *arguments)
        left[0] -= 1
        if not left[0]:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Campaign, "commit", counted)
        with pytest.raises((KeyboardInterrupt, StudyError)):
            study.run(out=tmp_path / "r", progress=False)
    again = study.run(out=tmp_path / "r", progress=False)
    assert 0 < again.attrs["runs_simulated_last"] < again.attrs["runs"] == 14
    for key, group in whole.groups():
        if key not in ("extreme_runs", "step_error"):
            assert group.equals(again[key]), key


def test_the_branch_is_seen_as_it_grows(tmp_path, monkeypatch):
    """A look at a study under way has the section points that are there, and no more."""
    study, seen, commit = study_of(cubic, LOADS, "x", BOTH), [], Campaign.commit

    def looking(self, *arguments):
        commit(self, *arguments)
        seen.append(so_far(study, tmp_path / "r").result)

    monkeypatch.setattr(Campaign, "commit", looking)
    study.run(out=tmp_path / "r", progress=False)
    assert [int(np.isfinite(result.branches["x"].values[..., -1]).sum()) for result in seen] == list(range(1, 15))
    assert all(sections(result)["Bifurcation diagrams"] for result in seen)


def test_a_run_that_fails_does_not_end_the_branch(tmp_path):
    """The next one goes on from the end before it, which is said."""

    def fails(load, start=None):
        return cubic(load, start) if abs(load - 0.3) > 0.01 or start is None or start > 0 else {"x": None, "state": 0.0}

    result = study_of(fails, LOADS, "x", BOTH.remade(max_failed=0.2)).run(out=tmp_path, progress=False)
    up = result.branches["x"].sel(way="up").values[:, 0, 0, -1]
    assert np.isnan(up[4]) and np.isfinite(np.delete(up, 4)).all() and result.attrs["runs_failed"] == 1
    assert any("1 run started from the end of an earlier value" in note for note in result.facts.notes)


class Stepped:
    """A simulator of fixed steps with events, as those of mechanisms with sections."""

    width = 8

    def __init__(self, model, outputs, time, settings, timeout):
        self.outputs, self.step = outputs, settings.get("step", 0.01)

    def check(self, samples):
        known = {"x": OutputInfo("m", Axis("hit", [])), "size": OutputInfo("m", axis=None)}
        return {name: known[name] for name in self.outputs}

    def with_step(self, step):
        return Stepped(None, self.outputs, None, {"step": step}, None)

    def simulate(self, samples):
        load = samples["load"]
        found = {"x": load[:, None] + np.tile([0.0, 1.0], 8), "size": load + self.step}
        status = np.zeros(len(load), np.int8)
        return Outcomes({name: found[name] for name in self.outputs}, status, [""] * len(load), {STEP: self.step, ORDER: 1})


@pytest.mark.parametrize("outputs", [["x"], ["x", "size"]])
def test_the_error_of_a_fixed_step_is_that_of_outputs_that_are_no_events(outputs, tmp_path):
    study = uq.Study(simulator=Stepped, inputs=LOADS, outputs=outputs, method=uq.Bifurcation(points=9), campaign={"workers": 0})
    result = study.run(out=tmp_path, report=False, progress=False)
    assert set(result.motion_period["x"].values.ravel()) == {2}
    assert set(result.step_error.data_vars) == set(outputs) - {"x"}


def test_a_model_that_cannot_go_on_is_a_sentence_also_of_a_check(tmp_path):
    study = study_of(lambda load: {"x": uq.Events([load], "hit")}, LOADS, "x", BOTH)
    for call in (study.check, lambda: study.run(out=tmp_path, progress=False)):
        with pytest.raises(StudyError, match="no parameter 'start'") as error:
            call()
        assert error.value.remedy
