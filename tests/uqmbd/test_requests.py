"""Methods that ask for more than inputs: runs of a level, and runs that go on from others; also after any kill."""

from typing import ClassVar

import numpy as np
import pytest

import uqmbd as uq
from uqmbd.campaign import store
from uqmbd.errors import StudyError
from uqmbd.methods.base import Method, count_failures
from uqmbd.methods.staged import FixedSampler
from uqmbd.outcomes import Outcomes, OutputInfo
from uqmbd.request import Request
from uqmbd.result import Result
from uqmbd.runs.reader import Runs
from uqmbd.runs.states import decoded, encoded
from uqmbd.runs.storage import Folder

from .campaigns import assert_identical

MODEL = """
def integral(a, level=0):
    "The integral of x^2 from 0 to a by 2^level trapezoids: an error of a^3/6 4^-level."
    n = 2**level
    h = a / n
    return {"y": sum(h * ((k * h) ** 2 + ((k + 1) * h) ** 2) / 2 for k in range(n))}


def fold(a, start=None):
    "The branch of x^3 - x = a on which a run begins: the lower one at time zero."
    x = -2.0 if start is None else float(start["x"][0])
    for _ in range(200):
        x -= (x**3 - x - a) / (3 * x**2 - 1)
    if x != x:
        raise ValueError("no root")
    import numpy as np
    return {"y": x, "state": {"x": np.array([x]), "of": a}}
"""


class Killed(BaseException):
    """What comes from outside at any moment."""


class TwoLevelRun(FixedSampler):
    """Many runs of the coarse level, few of the difference: of as many as the costs so far advise, but for the first ones."""

    def hear(self, progress):
        self.progress = progress

    def _plan(self):
        rng = np.random.default_rng(self.seed)
        a = rng.random(8)
        yield Request({"a": np.tile(a, 2)}, {"level": np.repeat([1, 5], 8)})
        assert {dict(key)["level"]: cost.runs for key, cost in self.progress.cost.items()} == {1.0: 8, 5.0: 8}
        more = rng.random(64)
        yield Request({"a": more}, {"level": 1})

    def result(self):
        y = self.values[:, 0]
        estimate = y[16:].mean() + (y[8:16] - y[:8]).mean()
        return Result(attrs={"method": "levels", "level_mean": float(estimate), **count_failures(self.status)})


class Levels(Method):
    name: ClassVar[str] = "levels"
    accepts: ClassVar[frozenset] = frozenset({"interval"})

    def planned_runs(self, inputs):
        return 80, 80

    def _start(self, *study):
        return TwoLevelRun(self, *study)


class FollowRun(FixedSampler):
    """Follows a branch from one value to the next; runs of the same values from time zero beside it."""

    def _plan(self):
        values = np.linspace(-0.3, 0.9, 7)
        for number, a in enumerate(values):
            start = None if not number else np.array([2 * (number - 1), -1])
            yield Request({"a": np.array([a, a])}, start=start, keep_state=True)

    def result(self):
        y = self.values[:, 0].reshape(-1, 2)
        return Result(attrs={"method": "follow", "branch": y[:, 0].tolist(), "anew": y[:, 1].tolist(), **count_failures(self.status)})


class Follow(Levels):
    name: ClassVar[str] = "follow"

    def planned_runs(self, inputs):
        return 14, 14

    def _start(self, *study):
        return FollowRun(self, *study)


def study_of(folder, method, function, **more):
    (folder / "model.py").write_text(MODEL)
    return uq.Study(
        model=f"{folder}/model.py:{function}", inputs={"a": uq.Interval(-1.0, 1.0)}, outputs=["y"], method=method, name="s",
        campaign={"workers": 0, "seed": 1, **more},
    )  # fmt: skip


def all_of(directory):
    """The runs of a store by row, and where they ended."""
    runs = Runs(Folder(directory / "runs"))
    found = runs.read([name for name in runs.columns if name != "message"], runs.rows)
    return {**found, "states": np.array([state.hex() for state in runs.states(runs.rows)])}


def test_a_level_is_part_of_a_run_and_costs_are_kept_by_it(tmp_path):
    study = study_of(tmp_path, Levels(), "integral")
    result = study.run(out=tmp_path / "r", report=False)
    runs = result.runs
    level, a = runs["control:level"].values, runs["input:a"].values
    assert sorted(np.unique(level, return_counts=True)[1].tolist()) == [8, 72]
    np.testing.assert_allclose(runs["y"], a**3 / 3 + a**3 / 6 * 4.0**-level, rtol=1e-12)
    costs = result.facts.costs
    assert [(cost.control, cost.runs) for cost in costs] == [({"level": 1.0}, 72), ({"level": 5.0}, 8)]
    assert all(cost.seconds > 0 for cost in costs)
    assert uq.open_results(tmp_path / "r").facts.costs == costs
    (tmp_path / "r" / "done.json").unlink()
    again = study.run(out=tmp_path / "r", report=False)
    assert again.attrs["runs_simulated_last"] == 0 and again.facts.costs == costs


def test_runs_follow_a_branch_from_states(tmp_path):
    """Of x^3 - x = a three roots lie between the folds at a = 2/27^(1/2) = 0.385: the lower branch ends there."""
    result = study_of(tmp_path, Follow(), "fold").run(out=tmp_path / "r", report=False)
    values = np.linspace(-0.3, 0.9, 7)
    branch, anew = np.array(result.attrs["branch"]), np.array(result.attrs["anew"])
    np.testing.assert_allclose(branch**3 - branch, values, atol=1e-9)
    assert (branch[:4] < -0.57).all() and (branch[4:] > 1.0).all()
    np.testing.assert_allclose(anew**3 - anew, values, atol=1e-9)


@pytest.mark.parametrize("files", [128, 2])
@pytest.mark.parametrize(("method", "function", "commits"), [(Levels, "integral", 4), (Follow, "fold", 5), (Follow, "fold", 9)])
def test_a_kill_changes_nothing(method, function, commits, files, tmp_path, monkeypatch):
    for module in ("store", "merging"):
        monkeypatch.setattr(f"uqmbd.campaign.{module}.FILES", files)
    study = study_of(tmp_path, method(), function, batch=3)
    whole = study.run(out=tmp_path / "whole", report=False)
    commit, left = store.RunStore.commit, [commits]

    def counted(self, *about):
        if not left[0]:
            raise Killed
        left[0] -= 1
        commit(self, *about)

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(store.RunStore, "commit", counted)
        study.run(out=tmp_path / "r", report=False)
    again = study.run(out=tmp_path / "r", report=False)
    assert 0 < again.attrs["runs_simulated_last"] < again.attrs["runs"]
    for key in {"level_mean", "branch", "anew"} & whole.attrs.keys():
        assert again.attrs[key] == whole.attrs[key]
    assert_identical(all_of(tmp_path / "r"), all_of(tmp_path / "whole"))


def test_batches_never_mix_levels_or_starts(tmp_path, monkeypatch):
    from uqmbd.campaign import campaign

    seen, run_batch = [], campaign.run_batch
    monkeypatch.setattr(campaign, "run_batch", lambda key, sent, task, lengths: seen.append(task) or run_batch(key, sent, task, lengths))
    study_of(tmp_path, Levels(), "integral").run(out=tmp_path / "r", report=False)
    study_of(tmp_path, Follow(), "fold").run(out=tmp_path / "f", report=False)
    for task in seen:
        assert all(len(np.unique(values)) == 1 for name, values in task.extras.items() if name.startswith("control:"))
        assert task.start is None or (len(task.start) == task.runs and all(task.start))
    assert any(task.start for task in seen) and len({task.control for task in seen}) == 3


def test_equal_inputs_of_another_start_are_other_runs(tmp_path):
    study_of(tmp_path, Follow(), "fold").run(out=tmp_path / "r", report=False)
    runs = Runs(Folder(tmp_path / "r" / "runs"))
    a, y = runs.column("input:a", runs.rows), runs.column("y", runs.rows)
    assert len(runs.rows) == 14 and len(np.unique(a)) == 7
    assert [decoded(state)["x"][0] for state in runs.states(runs.rows)] == y.tolist()


def test_a_control_that_the_model_does_not_take_is_a_sentence(tmp_path):
    with pytest.raises(StudyError, match=r"the control 'level', which the model .* does not take"):
        study_of(tmp_path, Levels(), "fold").run(out=tmp_path / "r", report=False)


def test_a_model_without_start_is_a_sentence(tmp_path):
    with pytest.raises(StudyError, match="has no parameter 'start'"):
        study_of(tmp_path, Follow(), "integral").run(out=tmp_path / "r", report=False)


def test_runs_that_start_from_a_failed_one_fail(tmp_path):
    (tmp_path / "other.py").write_text(MODEL.replace("x = -2.0", 'x = float("nan") if a > -0.2 else -2.0'))
    study = uq.Study(
        model=f"{tmp_path}/other.py:fold", inputs={"a": uq.Interval(-1.0, 1.0)}, outputs=["y"], method=FailingFollow(max_failed=1.0),
        campaign={"workers": 0}, name="s",
    )  # fmt: skip
    runs = study.run(out=tmp_path / "r", report=False).runs
    assert runs["status"].values.tolist() == [0, 3, 0, 3]
    assert runs["message"].values[3] == "the run from which it starts failed"


class FailingRun(FixedSampler):
    def _plan(self):
        yield Request({"a": np.array([-0.3, 0.1])}, keep_state=True)
        yield Request({"a": np.array([-0.2, 0.2])}, start=np.array([0, 1]))

    def result(self):
        return Result(attrs={"method": "failing", **count_failures(self.status)})


class FailingFollow(Levels):
    name: ClassVar[str] = "failing"

    def planned_runs(self, inputs):
        return 4, 4

    def _start(self, *study):
        return FailingRun(self, *study)


def test_a_start_that_was_not_kept_or_not_asked_for_is_a_sentence(tmp_path):
    class Run(FailingRun):
        def _plan(self):
            yield Request({"a": np.array([-0.3])})
            yield Request({"a": np.array([-0.2])}, start=np.array([self.settings.at]))

    class Wrong(FailingFollow):
        at: int = 0

        def _start(self, *study):
            return Run(self, *study)

    with pytest.raises(StudyError, match="starts from run 0, whose end was not kept"):
        study_of(tmp_path, Wrong(), "fold").run(out=tmp_path / "r", report=False)
    with pytest.raises(StudyError, match="from run 5, and 1 were asked for before"):
        study_of(tmp_path, Wrong(at=5), "fold").run(out=tmp_path / "r", report=False)


def test_states_survive_joined_batches_and_checks():
    from uqmbd.campaign.batches import Task
    from uqmbd.campaign.worker import Job, run_safely
    from uqmbd.outcomes import concatenate

    def outcomes(n):
        return Outcomes({"y": np.zeros(n)}, np.zeros(n, np.int8), [""] * n, {}, [{"at": i} for i in range(n)])

    assert concatenate([outcomes(1), outcomes(2)]).states == [{"at": 0}, {"at": 0}, {"at": 1}]

    class Simulator:
        width = 1

        def check(self, samples):
            return {"y": OutputInfo("", None)}

        def go_on(self, samples, states):
            if len(states) > 1:
                raise ValueError("one at a time")
            return outcomes(1)

    done = run_safely(Job(Simulator(), ("y",), {"y": ()}, "float64"), Task({"a": np.zeros(3)}, keep_state=True))
    assert done.states == [{"at": 0}] * 3 and done.status.tolist() == [0, 0, 0]


def test_states_are_plain_data_and_come_back_to_the_bit():
    state = {"x": np.array([[1.0, np.nan], [-0.0, 3e-300]]), "n": np.int64(3), "of": ("a", None, True), "flags": np.array([True, False])}
    found = decoded(encoded(state))
    assert found["x"].tobytes() == state["x"].tobytes() and found["n"] == 3 and found["of"] == ["a", None, True]
    assert found["flags"].tolist() == [True, False] and decoded(encoded(None)) is None
    with pytest.raises(StudyError, match="the state of a run holds object"):
        encoded({"f": object()})


def block(word):
    """What a block of the page of plug-ins defines."""
    from pathlib import Path

    page = (Path(__file__).resolve().parents[2] / "docs" / "plugins.md").read_text(encoding="utf-8")
    found: dict = {"__name__": "two_levels"}
    exec(next(part for part in page.split("```python\n")[1:] if word in part).split("```")[0], found)
    return found


def test_the_method_of_the_page_of_plugins(tmp_path):
    """The mean of a^3/3 over [-1, 1] is zero; of the trapezoids' error a^3/6 4^-level too: what is left is that of the sample."""
    method = block("class TwoLevelRun")["TwoLevels"](samples=256, pairs=32)
    result = study_of(tmp_path, method, "integral").run(out=tmp_path / "r", report=False)
    assert [(cost.control["level"], cost.runs) for cost in result.facts.costs] == [(1.0, 256), (4.0, 32)]
    assert abs(result.attrs["mean"]) < 0.05


def test_runs_of_two_folders_are_merged_with_their_levels_and_ends(tmp_path):
    from uqmbd.study.shards import merge

    study_of(tmp_path, Levels(), "integral").run(out=tmp_path / "whole", report=False)
    study_of(tmp_path, Levels(), "integral").run(out=tmp_path / "a", report=False)
    file = sorted((tmp_path / "a" / "runs").glob("*.runs"))[3]
    file.unlink()
    assert merge(tmp_path / "a", [tmp_path / "whole"]) == 1 and merge(tmp_path / "b", [tmp_path / "a"]) == 80
    assert_identical(all_of(tmp_path / "b"), all_of(tmp_path / "whole"))
    study_of(tmp_path, Follow(), "fold").run(out=tmp_path / "f", report=False)
    assert merge(tmp_path / "g", [tmp_path / "f"]) == 14 and merge(tmp_path / "g", [tmp_path / "f"]) == 0
    assert_identical(all_of(tmp_path / "g"), all_of(tmp_path / "f"))


@pytest.mark.parametrize(
    "method", [uq.Multilevel(control="mesh", levels=[1, 2], error=0.1), uq.Multifidelity(control="mesh", fidelities=[1, 0], error=0.1)]
)
def test_a_control_of_a_setting_is_looked_at_before_the_runs(method):
    def model(a, fidelity=1):
        return {"y": a * fidelity}

    study = uq.Study(model=model, inputs={"a": uq.Uniform(0, 1)}, outputs=["y"], method=method)
    with pytest.raises(StudyError, match=r"control 'mesh', which the model .* does not take") as caught:
        study.check()
    assert caught.value.key == "method.control" and "fidelity" in caught.value.remedy
