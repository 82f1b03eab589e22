"""A limit of time holds whatever a model does: it sleeps, waits for a process or a lock, catches all exceptions, ends its process."""

import os
import time

import numpy as np
import psutil
import pytest

import uqmbd as uq
from uqmbd.errors import StudyError
from uqmbd.simulators.limit import RunTimeout, margin, time_limit

LIMIT = 1.5
MODEL = """
import os, signal, subprocess, threading, time

def sleeps():
    time.sleep(60)

def waits():
    subprocess.run(["sleep", "61.5"])

def locks():
    lock = threading.Lock()
    with lock:
        lock.acquire()

def swallows():
    end = time.time() + 60
    while time.time() < end:
        try:
            time.sleep(0.01)
        except Exception:
            pass

def swallows_all_and_returns():
    end = time.time() + 2.0
    while time.time() < end:
        try:
            time.sleep(0.01)
        except BaseException:
            pass

def ends():
    os._exit(3)

def dies():
    os.kill(os.getpid(), signal.SIGSEGV)

def like_ctrl_c():
    raise KeyboardInterrupt

def leaves_a_generator():
    raise GeneratorExit("left")

BAD = [sleeps, waits, locks, swallows, swallows_all_and_returns, ends, dies, like_ctrl_c, leaves_a_generator]

def f(a):
    if a >= 10:
        BAD[int(a) - 10]()
    return {"y": a, "process": float(os.getpid())}
"""
POINTS = [1.0, 10.0, 2.0, 11.0, 12.0, 3.0, 13.0, 14.0, 4.0, 15.0, 16.0, 17.0, 18.0, 5.0]
TIMEOUTS = {10.0, 11.0, 12.0, 13.0, 14.0}


def study(folder, points=POINTS, timeout=LIMIT, workers=0, model=MODEL, upper=9.0):
    (folder / "model.py").write_text(model)
    return uq.Study(
        model="model.py:f", inputs={"a": uq.Interval(0.0, upper)}, outputs=["y"], directory=folder, name="s",
        method=uq.List(samples={"a": points}, max_failed=0.9), campaign={"timeout": timeout, "workers": workers},
    )  # fmt: skip


@pytest.mark.parametrize("workers", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_a_limit_holds_and_the_other_runs_stay(workers, tmp_path):
    began = time.monotonic()
    asked = study(tmp_path, workers=workers, upper=19.9)  # whose middle works
    result = asked.run(out=tmp_path / "r", report=False, progress=False)
    took = time.monotonic() - began
    runs = result.runs.load()
    points, status, message = np.array(POINTS), runs["status"].values, runs["message"].values
    assert status.tolist() == [2 if a in TIMEOUTS else 3 if a >= 10 else 0 for a in POINTS]
    assert runs["y"].values[status == 0].tolist() == points[points < 10].tolist()
    assert set(message[status == 2]) == {"stopped after 1.5 s"}
    assert [text.partition(" (")[0] for text in message[status == 3]] == [
        "the model ended the process that ran it, with code 3", "the model ended the process that ran it, by signal SIGSEGV",
        "the model raised KeyboardInterrupt", "the model raised GeneratorExit: left",
    ]  # fmt: skip
    assert took < 60  # what is not stopped takes a minute
    assert not [one for one in psutil.process_iter(["cmdline"]) if one.info["cmdline"] == ["sleep", "61.5"]]
    again = asked.run(out=tmp_path / "r", report=False, progress=False)
    assert again.runs.load().identical(runs)


def test_results_are_those_of_a_study_without_a_limit(tmp_path):
    """To the last bit, and so are those of a study that was resumed."""
    model = "import math\ndef f(a):\n    return {'y': math.sin(a) / 3}\n"
    points = np.linspace(0.1, 8.9, 40).tolist()
    free = study(tmp_path, points, None, model=model).run(out=tmp_path / "free", report=False)
    held = study(tmp_path, points, 20.0, model=model).run(out=tmp_path / "held", report=False)
    assert held.runs["y"].values.tobytes() == free.runs["y"].values.tobytes()
    chunks = sorted(file for file in (tmp_path / "held" / "runs").iterdir() if file.name not in ("head.json", "about.json", "reads.json"))
    chunks[len(chunks) // 2].unlink()
    (tmp_path / "held" / "done.json").unlink()
    resumed = study(tmp_path, points, 20.0, model=model).run(out=tmp_path / "held", report=False)
    assert resumed.runs["y"].values.tobytes() == free.runs["y"].values.tobytes()


def test_the_trial_run_has_the_limit_too(tmp_path):
    """The middle of the inputs sleeps for a minute; at three samples that do, the study ends with a sentence."""
    began = time.monotonic()
    with pytest.raises(StudyError, match=r"the trial run of .* was stopped after 0.5 s") as caught:
        study(tmp_path, [1.0], 0.5, model="import time\ndef f(a):\n    time.sleep(60)\n").run(out=tmp_path / "r")
    assert caught.value.key == "campaign.timeout" and time.monotonic() - began < 40
    few = study(tmp_path, [1.0], 0.5, model="import time\ndef f(a):\n    time.sleep(60 * (abs(a - 4.5) < 0.1))\n    return {'y': a}\n")
    assert few.run(out=tmp_path / "few", report=False).runs["y"].values.tolist() == [1.0]  # only the middle does


def test_processes_of_a_stopped_run_end_with_it(tmp_path):
    model = "import subprocess\ndef f(a):\n    if a > 5:\n        subprocess.run(['sh', '-c', WORDS])\n    return {'y': a}\n"
    model = model.replace("WORDS", "'sleep 62.5 & setsid sleep 62.5'")
    result = study(tmp_path, [1.0, 6.0, 2.0], model=model).run(out=tmp_path / "r", report=False)
    assert result.runs["status"].values.tolist() == [0, 2, 0]
    assert not [one for one in psutil.process_iter(["cmdline"]) if one.info["cmdline"] == ["sleep", "62.5"]]


def test_a_model_that_cannot_be_sent_is_told(tmp_path):
    import threading

    lock = threading.Lock()
    asked = uq.Study(
        model=lambda a: {"y": a if lock else 0}, inputs={"a": uq.Interval(1, 2)}, outputs=["y"], method=uq.Vertex(),
        campaign={"timeout": 1.0, "workers": 0},
    )  # fmt: skip
    with pytest.raises(StudyError, match="cannot be sent") as caught:
        asked.run(out=tmp_path / "r")
    assert caught.value.key == "campaign.timeout"


def test_no_exception_stands_for_a_limit():
    assert not issubclass(RunTimeout, Exception)
    with pytest.raises(RunTimeout, match=r"stopped after 0.1 s"), time_limit(0.1):
        try:
            while True:
                pass
        except Exception:
            time.sleep(10)


@pytest.mark.parametrize("end", ["return", "raise"])
def test_a_run_that_ends_late_is_a_timeout_whatever_comes_of_it(end):
    with pytest.raises(RunTimeout), time_limit(0.1):
        try:
            time.sleep(0.3)
        except BaseException:
            pass
        if end == "raise":
            raise ValueError
    with time_limit(5.0):
        pass


def test_the_margin_is_small():
    assert margin(0.1) == 0.5 and margin(20.0) == 2.0 and margin(3600.0) == 5.0


def test_no_process_stays_when_nothing_is_asked_of_it(tmp_path, monkeypatch):
    import uqmbd.simulators.limited as limited

    study(tmp_path, [1.0, 2.0]).run(out=tmp_path / "r", report=False)
    ((_, process),) = limited.KEPT
    assert process.process.pid != os.getpid()
    process.process.wait(timeout=30)  # by itself
    assert study(tmp_path, [3.0]).run(out=tmp_path / "q", report=False).runs["y"].values.tolist() == [3.0]
