"""Campaigns from end to end in this process: what is stored, what is run again and what is not."""

import errno

import numpy as np
import pytest
import xarray as xr

import uqmbd as uq
from uqmbd.campaign.campaign import Campaign
from uqmbd.campaign.opening import lock_store, store_in
from uqmbd.campaign.pool import open_pool
from uqmbd.errors import StudyError
from uqmbd.outcomes import Outcomes
from uqmbd.runs.chunk import Column
from uqmbd.runs.view import RunsBackend
from uqmbd.study.session import run_study

from .campaigns import LOGGED, assert_identical, chunks, numbers

INTERVALS = (
    ('distribution = { type = "uniform", lower = 9.0, upper = 11.0 }', "interval = [9.0, 11.0]"),
    ('distribution = { type = "uniform", lower = 0.1, upper = 0.2 }', "interval = [0.1, 0.2]"),
    ('type = "montecarlo"\nsamples = 40', 'type = "chebyshev"\ndegree = 3\ntrust_tolerance = 1e-9\nfallback_runs = 41'),
)


def cut_store(directory, keep: float) -> None:
    """What a kill leaves: some of the files of the runs, and one that was not renamed yet."""
    files = chunks(directory)
    kept = int(keep * len(files))
    if kept < len(files):
        (directory / "runs" / f".{files[kept].name}.new").write_bytes(files[kept].read_bytes()[:-9])
    for file in files[kept:]:
        file.unlink()
    (directory / "done.json").unlink(missing_ok=True)


def test_store_holds_what_the_model_returned(write_study, tmp_path, runs_done):
    result = uq.Study.from_file(write_study(model=LOGGED)).run(out=tmp_path / "r")
    assert runs_done() == 41  # one to see what the model returns
    with xr.open_dataset(tmp_path / "r" / "runs", engine=RunsBackend) as runs:
        k, c, time = runs["input:k"].values, runs["input:c"].values, runs["time"].values
        x = np.exp(-c[:, None] * time) * np.cos(np.sqrt(k)[:, None] * time)
        assert runs["x"].dtype == np.float64
        np.testing.assert_allclose(runs["x"], x, rtol=0, atol=1e-15)
        assert runs["x:rms"].dtype == np.float64
        np.testing.assert_allclose(runs["x:rms"], np.sqrt(np.trapezoid(x**2, time) / 2.0), rtol=1e-12)
        assert runs["status"].values.tolist() == [0] * 40
        assert runs["input:k"].attrs["unit"] == "kg/s²"
    assert result.attrs["runs_ok"] == 40
    assert result.runs.sizes == {"run": 40, "time": 21}


def test_second_run_does_nothing(write_study, uqmbd, runs_done):
    study = write_study(model=LOGGED)
    assert uqmbd("run", study)[0] == 0
    assert runs_done() == 41
    code, output = uqmbd("run", study)
    assert (code, runs_done()) == (0, 0)
    assert "nothing to simulate" in output


@pytest.mark.parametrize("store", ["all", "scalars"])
def test_a_small_study_that_grows_has_as_few_files_as_a_large_one(store, tmp_path):
    """Its first runs are one a file, those that come later are not; the result is that of all at once."""

    def grown(samples, out):
        study = uq.Study(
            model=lambda a, time: {"s": a**2, "h": a * time}, inputs={"a": uq.Uniform(0.0, 1.0)}, outputs=["s", "h"],
            method=uq.MonteCarlo(samples=samples), time=uq.TimeGrid(end=1.0, points=3), campaign={"workers": 0, "store": store, "seed": 3},
        )  # fmt: skip
        study.run(out=tmp_path / out, report=False)
        return len(chunks(tmp_path / out))

    assert grown(100, "grown") == 100
    assert grown(20_000, "grown") < 100 + 200 and grown(20_000, "once") < 200
    assert_identical(numbers(tmp_path / "grown"), numbers(tmp_path / "once"))


@pytest.mark.parametrize("store", ["all", "scalars"])
def test_more_samples_extend(store, write_study, tmp_path, runs_done):
    chosen = ("seed = 3", f'seed = 3\nstore = "{store}"')
    uq.Study.from_file(write_study(chosen, model=LOGGED)).run(out=tmp_path / "r")
    runs_done()
    more = uq.Study.from_file(write_study(chosen, ("samples = 40", "samples = 64"), model=LOGGED))
    more.run(out=tmp_path / "r")
    assert runs_done() == 25
    more.run(out=tmp_path / "fresh")
    assert_identical(numbers(tmp_path / "r"), numbers(tmp_path / "fresh"))


@pytest.mark.parametrize("keep", [0.0, 0.3, 0.7, 0.99])
@pytest.mark.parametrize("kind", ["all", "scalars", "chebyshev"])
def test_resume_is_identical(kind, keep, write_study, uqmbd, tmp_path, runs_done):
    changes = INTERVALS if kind == "chebyshev" else [("seed = 3", f'seed = 3\nstore = "{kind}"')]
    study = write_study(*changes, ("workers = 0", "workers = 0\nbatch = 8"), model=LOGGED)
    assert uqmbd("run", study, "--out", "r")[0] == 0
    extra = 2 if kind == "chebyshev" else 1  # the trial, and after a search the nominal run
    whole, done = numbers(tmp_path / "r"), runs_done() - extra
    assert len(whole["status"]) == done
    cut_store(tmp_path / "r", keep)
    code, output = uqmbd("resume", tmp_path / "r")
    assert code == 0, output
    again = runs_done() - extra
    assert abs(again - (1 - keep) * done) <= 8
    assert_identical(numbers(tmp_path / "r"), whole)


def test_few_runs_are_one_a_file(write_study, tmp_path, runs_done):
    study = uq.Study.from_file(write_study(*INTERVALS, ("workers = 0", "workers = 0\nbatch = 7"), model=LOGGED))
    finished = run_study(study, out=tmp_path / "r")
    assert len(chunks(tmp_path / "r")) == finished.tally.simulated  # so that a slow function is spread over all workers
    assert finished.tally.asked == len(finished.result.runs["status"])


class Double:
    """Twice the input; large ones fail."""

    width = 1

    def simulate(self, samples):
        a = samples["a"]
        return Outcomes({"y": 2 * a}, (a > 0.9).astype(np.int8), ["big" if x > 0.9 else "" for x in a])


class Asks:
    """A method that asks for given inputs, and keeps what it is told."""

    def __init__(self, *asks):
        self.left, self.told = list(asks), []

    def ask(self):
        return {"a": self.left.pop(0)} if self.left else None

    def tell(self, samples, outputs, status):
        assert np.array_equal(outputs["y"], 2 * samples["a"])
        self.told.append((samples["a"], status))


COLUMNS = (Column("input:a", "float64"), Column("y", "float64"), Column("status", "int8"), Column("message", "str"))


def go(directory, *asks):
    """A campaign by hand: its tally, all runs, and what the method was told."""
    method = Asks(*asks)
    with open_pool(0) as pool, lock_store(directory) as locked:
        store = store_in(locked, {}, COLUMNS, 4, None)
        tally = Campaign(method, store, Double, lambda: pool, {"y": ()}, "float64", batch=4).run()
    runs = xr.open_dataset(directory / "runs", engine=RunsBackend).load()
    return tally, runs, [np.concatenate(part) for part in zip(*method.told, strict=True)]


def test_three_asks_survive_the_loss_of_any_files(tmp_path):
    """Every file alone, and all from one on: what is lost is run again, and nothing else, in the places where it was."""
    asks = np.linspace(0, 1, 10), np.linspace(0.05, 0.95, 7), np.linspace(0, 1, 25)
    _, whole, told = go(tmp_path, *asks)
    assert np.array_equal(whole["y"], 2 * whole["input:a"])
    assert np.array_equal(whole["status"], whole["input:a"] > 0.9)
    assert np.array_equal(whole["message"] == "big", whole["input:a"] > 0.9)
    count = len(chunks(tmp_path))
    for first in range(count):
        for last in {first + 1, count}:
            files = chunks(tmp_path)[first:last]
            for file in files:
                file.unlink()
            tally, again, told_again = go(tmp_path, *asks)
            assert 0 < tally.simulated <= 4 * len(files)
            assert again.identical(whole), (first, last)
            assert all(np.array_equal(*pair) for pair in zip(told, told_again, strict=True))


@pytest.mark.parametrize("bits", [64, 2])
def test_runs_are_found_by_their_inputs(bits, tmp_path, monkeypatch):
    """In any order, twice in one ask, and when different inputs have the same hash."""
    import uqmbd.campaign.store as store

    whole = store.hashes
    monkeypatch.setattr(store, "hashes", lambda *a: whole(*a) & np.uint64(2**bits - 1))
    first = np.array([0.1, 0.2, 0.2, 0.3, 0.4, 0.5, 0.1, -0.0])
    assert go(tmp_path, first)[0].simulated == 8
    tally, runs, told = go(tmp_path, first[::-1], np.array([0.6, 0.2, 0.7, 0.0, 0.1, 0.6]))
    assert tally.simulated == 3 and runs.sizes["run"] == 11
    assert np.array_equal(told[0], [*first[::-1], 0.6, 0.2, 0.7, 0.0, 0.1, 0.6])
    assert go(tmp_path, first, first, np.array([0.7, 0.6]))[0].simulated == 0


def test_results_of_another_study(write_study, uqmbd, tmp_path):
    uqmbd("run", write_study(), "--out", "r")
    whole = numbers(tmp_path / "r")
    code, output = uqmbd("run", write_study(("points = 21", "points = 31")), "--out", "r")
    assert code == 2
    assert "another study" in output and "time" in output and "--out" in output and "--overwrite" in output and "r" in output
    assert_identical(numbers(tmp_path / "r"), whole)
    assert uqmbd("run", write_study(("points = 21", "points = 31")), "--out", "r", "--overwrite")[0] == 0


def test_changed_model_is_another_study(write_study, uqmbd, tmp_path):
    uqmbd("run", write_study(), "--out", "r")
    code, output = uqmbd("run", write_study(model=LOGGED), "--out", "r")
    assert code == 2
    assert "model" in output and "another study" in output


def test_place_that_cannot_be_written(write_study, uqmbd, tmp_path):
    (tmp_path / "file").write_text("")
    code, output = uqmbd("run", write_study(), "--out", "file/r")
    assert code == 2
    assert "--out" in output and "file/r" in output and "Not a directory" in output and "remedy" in output


@pytest.mark.parametrize("room", [0, 1, 2, 3, 20, 42])
def test_disk_full(room, write_study, uqmbd, tmp_path, monkeypatch):
    import uqmbd.runs.files as files

    study = write_study()
    uqmbd("run", study, "--out", "whole")
    left = [room]
    write = files.write

    def full(path, *parts):
        left[0] -= path.parent.name == "runs"
        if left[0] < 0:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(bytes(parts[0])[: len(parts[0]) // 2])
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        write(path, *parts)

    with monkeypatch.context() as patch:
        patch.setattr(files, "write", full)
        code, output = uqmbd("run", study, "--out", "r")
    assert code == 2
    assert "No space left" in output and "resume" in output and "--out" in output
    there = room > 1  # the first file says what the model reads, the second what all runs share: without it nothing can be resumed
    assert (uqmbd("resume", "r") if there else uqmbd("run", study, "--out", "r"))[0] == 0
    assert_identical(numbers(tmp_path / "r"), numbers(tmp_path / "whole"))


def test_failures_are_recorded(write_study, uqmbd, tmp_path, runs_done, monkeypatch):
    monkeypatch.setenv("FAIL_ABOVE", "10.98")
    study = write_study(("samples = 40", "samples = 400"), model=LOGGED)
    code, output = uqmbd("run", study, "--out", "r")
    assert code == 0
    runs = uq.open_results(tmp_path / "r").runs.load()
    failed = runs["status"].values == 3
    assert 0 < failed.sum() < 20 and f"{failed.sum()} failed" in output
    assert np.array_equal(failed, runs["input:k"].values > 10.98)
    assert all("spring broken" in message and "model.py:9" in message for message in runs["message"].values[failed])
    assert not any(runs["message"].values[~failed])
    assert np.isnan(runs["x"].values[failed]).all() and np.isfinite(runs["x"].values[~failed]).all()


def test_every_run_fails(write_study, uqmbd, runs_done):
    model = LOGGED.replace('k > float(os.environ.get("FAIL_ABOVE", "inf"))', "abs(k - 10) > 1e-9 and abs(k - 9.6) > 1e-9")
    code, output = uqmbd("run", write_study(model=model))
    assert code == 2
    assert "every one of the 40 runs failed" in output and "spring broken" in output and "study.model" in output


def test_one_writer(write_study, tmp_path):
    study = uq.Study.from_file(write_study())
    study.run(out=tmp_path / "r")
    (tmp_path / "r" / "done.json").unlink()
    with lock_store(tmp_path / "r"), pytest.raises(StudyError, match="another uqmbd is writing here"):
        study.run(out=tmp_path / "r")


def test_python_study_with_a_closure(tmp_path):
    scale = 2.0
    study = uq.Study(
        model=lambda a, b: {"y": scale * a + b},
        inputs={"a": uq.Interval(1.0, 2.0), "b": uq.Interval(0.0, 1.0, unit="mm")},
        outputs=["y"],
        method=uq.Chebyshev(degree=1),
        campaign={"workers": 0, "seed": 5},
    )
    result = study.run(out=tmp_path / "r")
    np.testing.assert_allclose(result.bounds["y"].values, [2.0, 4.001], atol=1e-12)
    assert study.check().least == result.attrs["runs"]


def test_timeout_stops_a_slow_run(write_study, tmp_path):
    model = """
    import time
    def slow(k, c):
        while k > 10.5:
            time.sleep(0.001)
        return {"y": k}
    """
    changes = [
        ("model.py:oscillator", "model.py:slow"),
        ('["x", "peak", "x:rms"]', '["y"]'),
        ("seed = 3", "seed = 3\ntimeout = 0.05"),
        ("[time]\nend = 2.0\npoints = 21\n", ""),
        ("samples = 40", "samples = 12\nmax_failed = 0.5"),
    ]
    result = uq.Study.from_file(write_study(*changes, model=model)).run(out=tmp_path / "r")
    runs = result.runs.load()
    assert np.array_equal(runs["status"].values == 2, runs["input:k"].values > 10.5)
    assert "stopped after 0.05 s" in runs["message"].values[runs["status"].values == 2]
