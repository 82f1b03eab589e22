"""What is said of a study that has not ended: it is what its first runs say, and looking changes nothing."""

import numpy as np
import pytest

import uqmbd as uq
from uqmbd.campaign.campaign import Campaign
from uqmbd.errors import StudyError
from uqmbd.outcomes import OutputInfo
from uqmbd.study import Study
from uqmbd.study.watching import Watch, so_far


def stop_after(monkeypatch, batches, look=None):
    """Have a campaign interrupted, or looked at, when so many batches are stored."""
    commit, left = Campaign.commit, [batches]

    def counted(self, *arguments):
        commit(self, *arguments)
        left[0] -= 1
        if left[0] == 0:
            if look is None:
                raise KeyboardInterrupt
            look()

    monkeypatch.setattr(Campaign, "commit", counted)


def content(folder):
    return {path.relative_to(folder): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture
def stopped(write_study, uqmbd, monkeypatch, tmp_path):
    """A folder of results with 12 of 40 runs."""
    study = write_study(("workers = 0", "workers = 0\nbatch = 4"))
    with monkeypatch.context() as patch:
        stop_after(patch, 3)
        assert uqmbd("run", study, "--out", "r")[0] == 130
    return tmp_path / "r"


def test_statistics_are_those_of_the_first_runs(stopped):
    found = so_far(Study.from_file(stopped / "study.toml"), stopped)
    assert (found.runs, found.failed, found.least, found.most) == (12, 0, 40, 40)
    name = next(name for name in found.result.outputs if found.result.statistics[name].dims == ("statistic",))
    values = found.result.runs[name].values[:12]
    assert float(found.result.statistics[name].sel(statistic="mean")) == pytest.approx(values.mean(), rel=1e-12)
    assert found.result.facts.note.startswith("The study has not ended")


def test_a_method_that_needs_all_runs_says_what_they_reached(write_study, uqmbd, monkeypatch, tmp_path):
    def model(k, c):
        return {"y": k * c}

    study = uq.Study(
        model=model,
        inputs={"k": uq.Interval(1.0, 2.0), "c": uq.Interval(1.0, 3.0)},
        outputs=["y"],
        method=uq.Chebyshev(degree=4),
        campaign={"workers": 0, "batch": 5},
    )
    with monkeypatch.context() as patch:
        stop_after(patch, 2)
        with pytest.raises(KeyboardInterrupt):
            study.run(out=tmp_path / "r", progress=False)
    found = so_far(study, tmp_path / "r")
    values = found.result.runs["y"].values
    ok = np.isfinite(values) & (found.result.runs["status"].values == 0)
    assert found.runs == ok.sum() == 10
    assert found.result.inner["y"].values.tolist() == [values[ok].min(), values[ok].max()]
    assert not found.result.bounds.data_vars


def test_more_runs_than_a_method_asks_for_are_said_to_be_of_others(write_study, uqmbd, tmp_path):
    assert uqmbd("run", write_study(), "--out", "r")[0] == 0
    assert uqmbd("run", write_study(("samples = 40", "samples = 8")), "--out", "r")[0] == 0
    found = so_far(Study.from_file(tmp_path / "r" / "study.toml"), tmp_path / "r")
    assert found.sentence().startswith("40 runs with those of other questions, 8 are asked for, 0 failed")


def test_looking_changes_nothing(stopped, uqmbd):
    before = content(stopped)
    code, output = uqmbd("watch", "r")
    assert code == 0 and "12 of 40 runs, 0 failed" in output, output
    assert (stopped / "so_far" / "report.html").is_file()
    after = content(stopped)
    assert {path: text for path, text in after.items() if path.parts[0] != "so_far"} == before
    assert uqmbd("resume", "r")[0] == 0
    code, output = uqmbd("watch", "r", "--every", "1")
    assert code == 0 and "40 of 40 runs" in output, output  # it has ended, so it is looked at once


def test_a_study_is_watched_while_it_runs(write_study, uqmbd, monkeypatch, tmp_path):
    study, seen = write_study(("workers = 0", "workers = 0\nbatch = 4")), []
    stop_after(monkeypatch, 3, lambda: seen.append(so_far(Study.from_file(tmp_path / "r" / "study.toml"), tmp_path / "r")))
    assert uqmbd("run", study, "--out", "r")[0] == 0
    assert seen[0].runs == 12 and uq.open_results(tmp_path / "r").attrs["runs"] == 40


def test_nothing_to_watch_is_said(write_study, uqmbd, tmp_path):
    (tmp_path / "empty").mkdir()
    code, output = uqmbd("watch", "empty")
    assert code == 2 and "holds no study" in output, output
    study = Study.from_file(write_study())
    with pytest.raises(StudyError, match="no runs yet"):
        so_far(study, tmp_path / "empty")


def test_failed_runs_are_named(tmp_path):
    def model(k, c):
        if k > 1.8e-3:
            raise ValueError("too stiff")
        return {"y": k * c}

    inputs = {"k": uq.Uniform(1.0, 2.0, unit="mm"), "c": uq.Uniform(1.0, 3.0)}
    study = uq.Study(model=model, inputs=inputs, outputs=["y"], method=uq.MonteCarlo(samples=20, max_failed=0.9), campaign={"workers": 0})
    study.run(out=tmp_path / "r", progress=False)
    found = so_far(study, tmp_path / "r")
    assert found.failed == uq.open_results(tmp_path / "r").attrs["runs_failed"] > 0
    assert len(found.messages) == 1 and "too stiff" in found.messages[0] and "mm" in found.messages[0]


@pytest.mark.parametrize("method", [uq.MonteCarlo(samples=40), uq.Chebyshev(degree=4)], ids=lambda one: one.name)
def test_each_look_reads_on_from_where_the_last_one_was(method, monkeypatch, tmp_path):
    kind = uq.Uniform if method.name == "montecarlo" else uq.Interval
    study = uq.Study(
        model=lambda k, c: {"y": k * c},
        inputs={"k": kind(1.0, 2.0), "c": kind(1.0, 3.0)},
        outputs=["y"],
        method=method,
        campaign={"workers": 0, "batch": 4},
    )
    watch, told, commit = Watch(study), [], Campaign.commit
    kind_of_run = type(method.start(study.inputs, {"y": OutputInfo(axis=None)}, np.zeros(0), 1))
    tell = kind_of_run.tell

    def looking(self, *arguments):
        commit(self, *arguments)
        with monkeypatch.context() as patch:
            patch.setattr(kind_of_run, "tell", lambda run, samples, *rest: (told.append(len(samples["k"])), tell(run, samples, *rest))[1])
            so_far(study, tmp_path / "r", watch)

    monkeypatch.setattr(Campaign, "commit", looking)
    result = study.run(out=tmp_path / "r", progress=False)
    assert sum(told) == result.attrs["runs"] and len(told) > 3  # each run once, not once a look
    last = so_far(study, tmp_path / "r", watch).result
    for key, group in result.groups():
        if key not in ("extreme_runs", "step_error"):
            assert group.equals(getattr(last, key)), key


def test_a_fault_of_a_method_is_not_hidden(stopped, uqmbd, monkeypatch):
    study = Study.from_file(stopped / "study.toml")
    run = type(study.method.start(study.inputs, {"y": OutputInfo(axis=None)}, np.zeros(0), 1))
    monkeypatch.setattr(run, "result", lambda self: 1 / 0)
    found = so_far(study, stopped)
    assert any("no result of a part of its runs: ZeroDivisionError" in note for note in found.result.facts.notes)
    assert found.result.inner.data_vars
    monkeypatch.undo()
    assert uqmbd("resume", stopped)[0] == 0
    monkeypatch.setattr(run, "result", lambda self: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        so_far(study, stopped)


FAILING = """
import os

def scalar(k, c):
    if k > float(os.environ.get("FAIL_ABOVE", "inf")):
        raise ValueError("no licence")
    return {"y": k * c + float(os.environ.get("OFFSET", "0"))}
"""
NUMBERS = ('include = ["x", "peak", "x:rms"]', 'include = ["y"]'), ("model.py:oscillator", "model.py:scalar")
SMALL_BATCHES = ("workers = 0", "workers = 0\nbatch = 4"), ("samples = 40", "samples = 40\nmax_failed = 0.9")


def test_a_look_is_as_one_from_the_start_whatever_became_of_the_runs(write_study, uqmbd, monkeypatch, tmp_path):
    """Killed and gone on with, failed runs done again, discarded and run anew: what a watch was told is no other than what is there."""
    file, out = write_study(*NUMBERS, *SMALL_BATCHES, model=FAILING), tmp_path / "r"
    study, commit, looks = Study.from_file(file), Campaign.commit, []
    watch = Watch(study)

    def look():
        found, fresh = so_far(study, out, watch), so_far(Study.from_file(file), out)
        assert found.sentence().split(", ")[:2] == fresh.sentence().split(", ")[:2] and watch.why == ""
        groups = dict(fresh.result.groups())
        assert groups and all(group.equals(getattr(found.result, key)) for key, group in groups.items())
        looks.append((found.runs, found.failed))

    def looking(self, *arguments):
        commit(self, *arguments)
        look()
        if len(looks) == 3:
            raise KeyboardInterrupt

    monkeypatch.setenv("FAIL_ABOVE", "10.5")
    monkeypatch.setattr(Campaign, "commit", looking)
    assert uqmbd("run", file, "--out", "r")[0] == 130
    assert uqmbd("resume", "r")[0] == 0
    assert looks[-1][0] == 40 and looks[-1][1] > 3
    monkeypatch.setenv("FAIL_ABOVE", "inf")
    assert uqmbd("retry", "r")[0] == 0
    look()
    assert looks[-1] == (40, 0)
    monkeypatch.setenv("OFFSET", "7.0")
    assert uqmbd("run", file, "--out", "r", "--overwrite")[0] == 0
    look()
    assert float(so_far(study, out, watch).result.statistics["y"].sel(statistic="min")) > 7.0
