"""One store for several studies: which runs are used again, which are refused, and what a finished or killed study leaves."""

import os
import shutil
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import uqmbd as uq
from uqmbd.errors import StudyError
from uqmbd.sealing import sealed, unsealed
from uqmbd.study.session import run_study


# one store for several studies ------------------------------------------------------------------------------------------------------------
def oscillator(k, c, time):
    x = np.exp(-c * time) * np.cos(np.sqrt(k) * time)
    return {"x": x, "peak": float(abs(x[len(x) // 2 :]).max()), "k": k}


def asked(directory, **changes):
    """A study with some of its settings changed, run in `directory`."""
    settings = {
        "model": oscillator,
        "inputs": {"k": uq.Interval(9.0, 11.0, unit="N/m"), "c": uq.Interval(0.1, 0.2)},
        "outputs": ["x", "peak"],
        "method": uq.Chebyshev(degree=2, fallback_runs=0),
        "time": uq.TimeGrid(end=2.0, points=21),
        "campaign": {"workers": 0},
    }
    return run_study(uq.Study(**{**settings, **changes}), out=directory)


def test_fewer_and_reordered_outputs_are_there(tmp_path):
    first = asked(tmp_path)
    for outputs in (["peak", "x"], ["peak"], ["x"]):
        again = asked(tmp_path, outputs=outputs)
        assert again.tally.simulated == 0 and list(again.result.outputs) == outputs
        for name in outputs:
            np.testing.assert_allclose(again.result.bounds[name], first.result.bounds[name], rtol=1e-12)


def test_outputs_that_were_not_stored_are_named(tmp_path):
    asked(tmp_path)
    with pytest.raises(StudyError, match="without the outputs k, x:max") as raised:
        asked(tmp_path, outputs=["x", "k", "x:max"])
    assert raised.value.key == "outputs.include" and "overwrite" in raised.value.remedy


def test_more_runs_for_fewer_outputs_give_all_that_the_store_holds(tmp_path):
    asked(tmp_path)
    wider = {"k": uq.Interval(8.0, 11.0, unit="N/m"), "c": uq.Interval(0.1, 0.2)}
    assert asked(tmp_path, outputs=["peak"], inputs=wider).tally.simulated > 0
    assert asked(tmp_path, inputs=wider).tally.simulated == 0


def test_wider_interval_and_another_method_share_runs(tmp_path):
    random = {
        "k": uq.Random({"type": "uniform", "lower": 9.0, "upper": 11.0}, unit="N/m"),
        "c": uq.Random({"type": "uniform", "lower": 0.1, "upper": 0.2}),
    }
    chosen = {"campaign": {"workers": 0, "precision": "float64"}}
    first = asked(tmp_path, inputs=random, method=uq.MonteCarlo(samples=20), **chosen)
    other = asked(tmp_path, inputs=random, method=uq.MonteCarlo(samples=20), campaign={**chosen["campaign"], "seed": np.int64(2)})
    assert other.tally.simulated == 20 and other.result.runs.sizes["run"] == 20
    vertex = asked(tmp_path, **chosen)
    again = asked(tmp_path, inputs=random, method=uq.MonteCarlo(samples=20), **chosen)
    assert again.tally.simulated == 0 and vertex.tally.simulated > 0
    assert np.array_equal(again.result.statistics["x"], first.result.statistics["x"])
    assert np.array_equal(again.result.runs["input:k"], first.result.runs["input:k"])
    wider = {**random, "k": uq.Random({"type": "uniform", "lower": 8.0, "upper": 11.0}, unit="N/m")}
    assert asked(tmp_path, inputs=wider, method=uq.MonteCarlo(samples=20), **chosen).tally.simulated == 20
    assert np.array_equal(uq.open_results(tmp_path).runs["input:k"] < 9.0, uq.open_results(tmp_path).runs["input:k"].values < 9.0)
    fresh = asked(tmp_path / "fresh", inputs=wider, method=uq.MonteCarlo(samples=20), **chosen)
    assert fresh.result.statistics.identical(uq.open_results(tmp_path).statistics)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"inputs": {"k": uq.Interval(9.0, 11.0), "c": uq.Interval(0.1, 0.2)}}, "names or units of inputs"),
        (
            {"inputs": {"k": uq.Interval(9.0, 11.0, unit="N/m")}, "model": lambda k, time: {"x": k * time, "peak": k}},
            "names or units of inputs",
        ),
        ({"time": uq.TimeGrid(end=3.0, points=21)}, "time"),
        ({"model": lambda k, c, time: {"x": k * time, "peak": c}}, "model"),
    ],
)
def test_runs_of_another_kind_are_refused(change, words, tmp_path):
    asked(tmp_path)
    with pytest.raises(StudyError, match="another study") as raised:
        asked(tmp_path, **change)
    assert words in raised.value.message


def test_histories_that_were_not_kept_are_missed(tmp_path):
    random = {
        "k": uq.Random({"type": "uniform", "lower": 9.0, "upper": 11.0}),
        "c": uq.Random({"type": "uniform", "lower": 0.1, "upper": 0.2}),
    }
    chosen = {"inputs": random, "method": uq.MonteCarlo(samples=20)}
    asked(tmp_path, campaign={"workers": 0, "store": "scalars"}, **chosen)
    with pytest.raises(StudyError, match="histories were not kept: x"):
        asked(tmp_path, **chosen)
    assert asked(tmp_path, outputs=["peak"], **chosen).tally.simulated == 0


def test_a_raised_timeout_does_stopped_runs_again(tmp_path):
    model = """
    import os, time
    def slow(a):
        with open(os.path.join(os.path.dirname(__file__), "runs.log"), "a") as log:
            log.write("x")
        began = time.monotonic()
        while a > 1.75 and time.monotonic() - began < 0.3:
            time.sleep(0.001)
        return {"y": a}
    """
    (tmp_path / "model.py").write_text(textwrap.dedent(model))
    (tmp_path / "points.csv").write_text("a\n1.0\n1.9\n1.5\n1.8\n1.2\n")

    def go(**campaign):
        study = uq.Study(
            model="model.py:slow",
            inputs={"a": uq.Interval(1.0, 2.0)},
            outputs=["y"],
            method=uq.List(data=str(tmp_path / "points.csv"), max_failed=0.9),
            directory=tmp_path,
            campaign={"workers": 0, **campaign},
        )
        finished = run_study(study, out=tmp_path / "r")
        runs = finished.result.runs
        return finished.tally and finished.tally.simulated, runs["status"].values.tolist(), runs["y"].values.tolist()

    simulated, status, _ = go(timeout=0.05)
    assert simulated == 5 and status == [0, 2, 0, 2, 0]
    assert go(timeout=0.04)[0] is None  # the result is there
    simulated, status, values = go(timeout=20.0)
    assert simulated == 2 and status == [0] * 5 and values == [1.0, 1.9, 1.5, 1.8, 1.2]
    assert go()[0] is None


# a finished study, a killed one -----------------------------------------------------------------------------------------------------------
def test_a_finished_study_is_not_looked_through(tmp_path, monkeypatch):
    """Neither its data nor, by those that do not look at its runs, the heads of its files."""
    from uqmbd.campaign import store
    from uqmbd.runs import reader

    asked(tmp_path)

    def looked(*_):
        raise AssertionError("the store was read")

    monkeypatch.setattr(reader, "decode", looked)
    monkeypatch.setattr(store, "RunStore", looked)
    assert asked(tmp_path).tally is None


def test_opening_reads_no_data(tmp_path, monkeypatch):
    from uqmbd.runs import reader
    from uqmbd.runs.storage import Folder

    asked(tmp_path)
    monkeypatch.setattr(reader, "decode", None)
    assert len(reader.Runs(Folder(tmp_path / "runs")).rows) == uq.open_results(tmp_path).runs.sizes["run"]


def test_killed_before_the_first_run(write_study, uqmbd, tmp_path):
    model = """
    import os, signal
    def scalar(k, c):
        if "KILL" in os.environ:
            os.kill(os.getpid(), signal.SIGKILL)
        return {"y": k * c}
    """
    changes = [("model.py:oscillator", "model.py:scalar"), ('["x", "peak", "x:rms"]', '["y"]')]
    study = write_study(*changes, model=model)
    command = "import sys; from uqmbd.study import Study; Study.from_file(sys.argv[1]).run(out=sys.argv[2], report=False)"
    killed = subprocess.run([sys.executable, "-c", command, str(study), str(tmp_path / "r")], env={**os.environ, "KILL": "1"})
    assert killed.returncode == -9
    code, output = uqmbd("resume", tmp_path / "r")
    assert code == 0 and "40 runs (40 simulated)" in output


def test_a_model_that_fails_at_once_leaves_nothing(tmp_path):
    with pytest.raises(StudyError, match="ZeroDivisionError"):
        asked(tmp_path / "results" / "r", model=lambda k, c: 1 / 0)
    assert not (tmp_path / "results").exists()


def test_a_study_file_is_not_replaced_by_results(write_study, uqmbd, tmp_path):
    study = write_study()
    text = study.read_text()
    code, output = uqmbd("run", study, "--out", tmp_path)
    assert code == 2 and "replace this study file" in output and "--out" in output
    assert study.read_text() == text and not (tmp_path / "runs").exists()


@pytest.mark.parametrize("age", ["of another format", "runs.zarr with its journal"])
def test_an_old_store_is_refused(age, tmp_path):
    asked(tmp_path)
    if age == "of another format":
        head = tmp_path / "runs" / "head.json"
        head.write_bytes(sealed({**unsealed(head.read_bytes())[0], "format": 9}))
    else:
        shutil.rmtree(tmp_path / "runs")
        (tmp_path / "journal.jsonl").write_text("")
    with pytest.raises(StudyError, match=r"another version of uqmbd(?s:.)*overwrite"):
        asked(tmp_path)


# what `check` says ------------------------------------------------------------------------------------------------------------------------
@pytest.mark.usefixtures("tried_here")
@pytest.mark.parametrize(
    ("settings", "bytes_per_run"),
    [
        ({"precision": "float64"}, 8 * 21 + 8 + 16 + 1),
        ({"precision": "float32"}, 4 * 21 + 8 + 16 + 1),
        ({"store": "scalars"}, 8 + 16 + 1),
    ],
)
def test_disk_that_a_study_takes(settings, bytes_per_run):
    random = {
        "k": uq.Random({"type": "uniform", "lower": 9.0, "upper": 11.0}),
        "c": uq.Random({"type": "uniform", "lower": 0.1, "upper": 0.2}),
    }
    study = uq.Study(
        model=oscillator,
        inputs=random,
        outputs=["x", "peak"],
        method=uq.MonteCarlo(samples=1000),
        time=uq.TimeGrid(end=2.0, points=21),
        campaign={"workers": np.int64(0), "seed": np.uint32(5), **settings},
    )
    cost = study.check()
    assert cost.megabytes == pytest.approx(1000 * bytes_per_run / 1e6) and cost.workers == 1
    assert "with one process" in "".join(str(cell) for cell in cost.table().columns[1].cells)


@pytest.mark.parametrize("seed", [True, 1.0, "1", -1, np.int64(-1), np.True_])
def test_what_is_no_seed(seed):
    with pytest.raises(StudyError, match=r"integer|greater"):
        uq.CampaignSettings(seed=seed)
