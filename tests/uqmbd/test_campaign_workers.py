"""Campaigns on worker processes: they give the same numbers, and may die."""

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import Future

import numpy as np
import pytest

import uqmbd as uq
from uqmbd.campaign import kept
from uqmbd.campaign import pool as pools
from uqmbd.campaign.pool import EarlyPool, SerialExecutor
from uqmbd.errors import StudyError

MODEL = """
import os, signal, time
import numpy as np

def oscillator(k, c, time):
    if k > 10.95:
        flag = os.environ["DEATHS"]
        with open(flag, "a") as log:
            log.write("x")
        if os.path.getsize(flag) <= int(os.environ["DEADLY"]):
            os.kill(os.getpid(), signal.SIGKILL)
    x = np.exp(-c * time) * np.cos(np.sqrt(k) * time)
    return {"x": x, "peak": float(abs(x[len(x) // 2 :]).max())}
"""


def numbers(result):
    return {name: result.runs[name].values for name in result.runs.data_vars}


def assert_same(first, second, *, but=()):
    a, b = numbers(first), numbers(second)
    for name in a:
        kept = np.delete(np.arange(len(a[name])), but)
        assert np.array_equal(a[name][kept], b[name][kept]), name


@pytest.fixture
def deaths(tmp_path, monkeypatch):
    """Say how many runs with large k kill their worker."""

    def set_deaths(number: int) -> None:
        (tmp_path / "deaths").write_text("")
        monkeypatch.setenv("DEATHS", str(tmp_path / "deaths"))
        monkeypatch.setenv("DEADLY", str(number))

    set_deaths(0)
    return set_deaths


@pytest.fixture(params=["kept", "cluster"])
def workers(request, monkeypatch):
    """How many do runs at once: one process, which does few and short runs, or two of a cluster."""
    if request.param == "cluster":
        monkeypatch.setattr(pools, "FEW", 0)
    monkeypatch.setattr(kept, "ALONE", np.inf)  # however slow this machine is now
    monkeypatch.delitem(sys.modules, "flexmbd", raising=False)  # loaded by another test: the model might be a mechanism
    return 1 if request.param == "kept" else 2


def test_processes_give_the_same_numbers(workers, write_study, tmp_path, deaths):
    here = uq.Study.from_file(write_study(model=MODEL)).run(out=tmp_path / "here")
    there = uq.Study.from_file(write_study(("workers = 0", "workers = 2"), model=MODEL)).run(out=tmp_path / "there")
    assert_same(here, there)
    assert there.attrs["workers"] == workers


def test_an_existing_scheduler(write_study, tmp_path, deaths, uqmbd):
    from distributed import LocalCluster

    study = write_study(model=MODEL)
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address="127.0.0.1:0", local_directory=tmp_path / "dask") as cluster:
        code, output = uqmbd("run", study, "--scheduler", cluster.scheduler_address, "--out", "there")
    assert code == 0, output
    assert_same(uq.open_results(tmp_path / "there"), uq.Study.from_file(study).run(out=tmp_path / "here"))


def test_a_worker_that_dies_once_is_replaced(workers, write_study, tmp_path, deaths):
    study = write_study(("samples = 40", "samples = 100"), ("workers = 0", "workers = 2"), model=MODEL)
    whole = uq.Study.from_file(study).run(out=tmp_path / "whole")
    deaths(1)
    hurt = uq.Study.from_file(study).run(out=tmp_path / "hurt")
    assert (tmp_path / "deaths").stat().st_size > 1
    assert_same(whole, hurt)
    assert hurt.attrs["runs_failed"] == 0


@pytest.mark.slow
def test_runs_that_always_kill_their_worker_are_recorded(workers, write_study, tmp_path, deaths):
    study = write_study(("samples = 40", "samples = 100"), ("workers = 0", "workers = 2"), model=MODEL)
    whole = uq.Study.from_file(study).run(out=tmp_path / "whole")
    deaths(10**6)
    hurt = uq.Study.from_file(study).run(out=tmp_path / "hurt")
    killers = np.flatnonzero(whole.runs["input:k"].values > 10.95)
    assert 0 < len(killers) < 6
    assert_same(whole, hurt, but=killers)
    assert (hurt.runs["status"].values[killers] == 3).all()
    assert all("worker process died" in message for message in hurt.runs["message"].values[killers])


SLOW_MODEL = MODEL.replace("    x = ", "    import time as clock\n    clock.sleep(0.01)\n    x = ")


def start(study, *arguments) -> subprocess.Popen:
    command = [sys.executable, "-m", "uqmbd.cli", "run", str(study), *arguments]
    return subprocess.Popen(command, cwd=study.parent, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)


def wait_for_runs(directory, files: int, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while len(list((directory / "runs").glob("*.runs"))) < files:
        assert time.monotonic() < end, "the study does not get on"
        time.sleep(0.02)


@pytest.mark.parametrize("runs", [200, 2000])
def test_interrupting(runs, write_study, tmp_path, deaths, uqmbd):
    """Few runs are done by one process."""
    study = write_study(("samples = 40", f"samples = {runs}"), ("workers = 0", "workers = 2"), model=SLOW_MODEL)
    process = start(study)
    wait_for_runs(tmp_path / "results" / "osc", 4)
    os.killpg(process.pid, signal.SIGINT)
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 130, output
    assert "uqmbd resume results/osc" in output and "Traceback" not in output


def test_an_interrupt_during_a_deletion_is_not_lost(tmp_path):
    from uqmbd.cli import interruptible

    class Deleted:
        def __del__(self):
            signal.raise_signal(signal.SIGINT)

    before = sys.unraisablehook
    with pytest.raises(SystemExit) as stopped, interruptible(tmp_path):
        Deleted()
        threading.Event().wait(10)
    assert stopped.value.code == 130
    assert sys.unraisablehook is before


@pytest.mark.parametrize("runs", [200, 2000])
def test_killing_the_driver_ends_its_workers(runs, write_study, tmp_path, deaths):
    import psutil

    study = write_study(("samples = 40", f"samples = {runs}"), ("workers = 0", "workers = 2"), model=SLOW_MODEL)
    process = start(study)
    wait_for_runs(tmp_path / "results" / "osc", 4)
    children = psutil.Process(process.pid).children(recursive=True)
    process.kill()
    process.wait()
    process.stdout.close()
    _, alive = psutil.wait_procs(children, timeout=20)
    assert not alive


@pytest.mark.parametrize("forgets", [False, True])
def test_the_job_is_sent_once_to_each_process(forgets, write_study, tmp_path, deaths, monkeypatch):
    """Also to one that comes in the middle: here a process that forgets the job before its tenth batch."""
    from uqmbd.campaign import worker

    sent, start = [], SerialExecutor.start

    def watched(self, function, key, packed, *arguments):
        sent.append(packed is not None)
        if forgets and len(sent) == 10:
            worker.JOBS.clear()
        return start(self, function, key, packed, *arguments)

    worker.JOBS.clear()
    monkeypatch.setattr(SerialExecutor, "start", watched)
    result = uq.Study.from_file(write_study(("workers = 0", "workers = 0\nbatch = 2"), model=MODEL)).run(out=tmp_path / "r")
    assert result.attrs["runs_ok"] == 40
    assert 1 + forgets <= sum(sent) <= 1 + 2 * forgets and len(sent) > 20  # two batches are at hand when it forgets


def test_one_process_is_followed_by_a_cluster_when_there_is_more_to_do(monkeypatch):
    monkeypatch.setattr(kept, "ALONE", -1.0)  # at once
    asked, larger = [], Future()
    pool = kept.Kept(grow=lambda: asked.append(1) or larger)
    try:
        first, second = (pool.start(os.getpid) for _ in range(2))
        found, pid = pool.next()
        assert found is first and pid not in (None, os.getpid()) and asked == [1] and pool.workers == 1
        larger.set_result(SerialExecutor())
        assert pool.next() == (second, pid), "what is begun stays where it is"
        third = pool.start(os.getpid)
        assert pool.next() == (third, os.getpid()) and pool.process is None
    finally:
        pool.end()


def test_where_no_cluster_starts_one_process_goes_on(monkeypatch, caplog):
    monkeypatch.setattr(kept, "ALONE", -1.0)
    larger = Future()
    larger.set_exception(StudyError("the worker processes cannot start"))
    pool = kept.Kept(grow=lambda: larger)
    try:
        assert pool.call(os.getpid) == pool.call(os.getpid) != os.getpid()
        assert "one process goes on with the runs: the worker processes cannot start" in caplog.text and pool.grow is None
    finally:
        pool.end()


def test_a_task_that_ends_its_process_is_said_and_the_next_has_a_new_one():
    pool = kept.Kept()
    try:
        pid = pool.call(os.getpid)
        pool.start(os._exit, 3)
        assert "with code 3" in str(pool.next()[1])
        assert pool.call(os.getpid) != pid
        with pytest.raises(ZeroDivisionError):
            pool.call(divmod, 1, 0)
    finally:
        pool.end()


@pytest.mark.parametrize(("seconds", "cluster"), [(0.5, False), (60.0, True)])
def test_long_runs_have_a_cluster_at_once(seconds, cluster, monkeypatch):
    monkeypatch.setattr(EarlyPool, "begin", lambda self: setattr(self, "future", Future()) or self.future.set_result(SerialExecutor()))
    pool = EarlyPool(2, runs=9)
    try:
        pool.foretold = lambda: seconds
        assert isinstance(pool.get(), SerialExecutor if cluster else kept.Kept)
    finally:
        pool.close()


def with_a_lock(lock):
    def model(a):
        with lock:
            return {"y": 2 * a}

    return uq.Study(model=model, inputs={"a": uq.Interval(1.0, 2.0)}, outputs=["y"], method=uq.Grid(points=3), name="locked")


def test_a_model_that_cannot_be_pickled_runs_in_this_process(tmp_path):
    result = with_a_lock(threading.Lock()).run(workers=0, out=tmp_path / "r", report=False, progress=False)
    assert result.runs["y"].values.tolist() == [2.0, 3.0, 4.0]


def test_a_model_that_cannot_be_pickled_is_refused_for_workers(workers, tmp_path, deaths):
    with pytest.raises(uq.StudyError, match=r"cannot be sent to worker processes: TypeError.*(?s:.)*workers = 0"):
        with_a_lock(threading.Lock()).run(workers=1, out=tmp_path / "r", report=False, progress=False)


def test_a_model_that_cannot_be_unpickled_is_one_sentence(tmp_path):
    from uqmbd.campaign.worker import unpack

    with pytest.raises(uq.StudyError, match="cannot be loaded in a worker process: ModuleNotFoundError"):
        unpack("of no job", b"cnot_installed\nmodel\n.")


@pytest.mark.parametrize("workers", [-1, 1.5, "2"])
def test_a_number_of_workers_is_a_whole_number(workers, tmp_path):
    with pytest.raises(uq.StudyError, match=r"workers = .*: the number of processes is a whole number from 0"):
        with_a_lock(threading.Lock()).run(workers=workers, out=tmp_path / "r", report=False, progress=False)
