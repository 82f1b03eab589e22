"""Models and commands that leave threads and processes behind, write without end, or change the interpreter: all the same it ends."""

import io
import os
import signal
import subprocess
import sys
import time

import numpy as np
import psutil
import pytest

import uqmbd as uq
from uqmbd.simulators.command import KEPT, Command, CommandFailed, Listener
from uqmbd.simulators.function import call
from uqmbd.simulators.limit import RunTimeout

MODEL = """
import subprocess, sys, threading, time

sys.setrecursionlimit(150)

def runaway(k, c):
    sys.setrecursionlimit(150)
    threading.Thread(target=time.sleep, args=(600,)).start()
    subprocess.Popen(["sleep", "SECONDS"], start_new_session=True)
    subprocess.run(["setsid", "sh", "-c", "sleep SECONDS >/dev/null 2>&1 &"])
    return {"y": k * c}
"""


@pytest.fixture
def seconds():
    """A time to sleep by which the processes of one test are known."""
    return f"600.{os.getpid()}{time.monotonic_ns() % 10**6:06d}"


def sleeping(seconds: str) -> list[int]:
    """Processes that sleep so long; one that has been killed is given a moment to end."""
    found = []
    for process in psutil.process_iter(["cmdline", "status"]):
        if process.info["cmdline"] == ["sleep", seconds] and process.info["status"] != psutil.STATUS_ZOMBIE:
            found.append(process)
    return [process.pid for process in psutil.wait_procs(found, timeout=2.0)[1] if process.status() != psutil.STATUS_ZOMBIE]


@pytest.mark.slow
@pytest.mark.parametrize("workers", [0, 1])
def test_the_command_ends_and_leaves_no_process(workers, write_study, seconds, tmp_path):
    study = write_study(
        ("model.py:oscillator", "model.py:runaway"),
        ('["x", "peak", "x:rms"]', '["y"]'),
        ("[time]\nend = 2.0\npoints = 21\n", ""),
        ("samples = 40", "samples = 6"),
        ("workers = 0", f"workers = {workers}"),
        model=MODEL.replace("SECONDS", seconds),
    )
    done = subprocess.run([sys.executable, "-m", "uqmbd.cli", "run", str(study)], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "6 simulated" in done.stdout and "0 failed" in done.stdout
    assert sleeping(seconds) == []


def test_what_a_model_does_to_the_recursion_limit_ends_with_it():
    before = sys.getrecursionlimit()

    def lowers(a):
        sys.setrecursionlimit(before - 100)
        raise ValueError(a)

    with pytest.raises(ValueError, match=r"1\.0"):
        call(lowers, {"a": 1.0}, None)
    assert sys.getrecursionlimit() == before


@pytest.mark.parametrize("workers", [0, 1])
def test_a_model_that_leaves_python_is_a_failed_run(workers, write_study, uqmbd, tmp_path):
    study = write_study(
        ("model.py:oscillator", "model.py:leaves"),
        ('["x", "peak", "x:rms"]', '["y"]'),
        ("[time]\nend = 2.0\npoints = 21\n", ""),
        ("samples = 40", "samples = 20\nmax_failed = 0.9"),
        ("workers = 0", f"workers = {workers}"),
        model="import sys\ndef leaves(k, c):\n    if k > 10.5:\n        sys.exit(3)\n    return {'y': k}\n",
    )
    code, output = uqmbd("run", study, "--out", "r")
    assert code == 0, output
    runs = uq.open_results(tmp_path / "r").runs.load()
    failed = runs["input:k"].values > 10.5
    assert failed.any() and np.array_equal(runs["status"].values == 3, failed)
    assert all("SystemExit: 3" in message for message in runs["message"].values[failed])


def test_a_time_limit_ends_the_children_of_a_command(seconds):
    command = Command(("sh", "-c", f"sleep {seconds} & setsid sleep {seconds} & sleep {seconds}"), "", "result.json", timeout=0.5)
    with pytest.raises(RunTimeout, match=r"stopped after 0.5 s"):
        command()
    assert sleeping(seconds) == []


def test_children_that_a_command_leaves_end_with_it(seconds):
    """One of them holds the command's output open, for which a reader would wait."""
    command = Command(("sh", "-c", f"sleep {seconds} & echo '{{\"y\": {{{{a}}}}}}' > result.json"), "", "result.json", timeout=60.0)
    assert command(a=2.5) == {"y": 2.5}
    assert sleeping(seconds) == []


def test_a_command_does_not_wait_for_the_terminal():
    with pytest.raises(CommandFailed, match="ended with code 1: nothing to read"):
        Command(("sh", "-c", "read line || { echo nothing to read; exit 1; }"), "", "result.json")()


def test_of_endless_output_the_beginning_and_the_end_are_kept():
    lines = b"".join(b"line %08d\n" % i for i in range(50_000))
    listener = Listener(io.BufferedReader(io.BytesIO(lines)))
    heard = listener.heard()
    assert heard.startswith("line 00000000\n") and heard.endswith("line 00049999")
    assert f"... {len(lines) - 2 * KEPT} bytes are left out ..." in heard
    assert len(heard) < 2 * KEPT + 100
    with pytest.raises(CommandFailed, match="ended with code 3: the last word"):
        Command(("sh", "-c", "yes | head -c 3000000; yes | head -c 3000000 >&2; echo the last word >&2; exit 3"), "", "result.json")()


INTERRUPTS = """
def oscillator(k, c):
    if k > 10.5:
        raise KeyboardInterrupt("mine")
    return {"y": k * c}
"""


def test_a_keyboard_interrupt_of_a_model_is_a_failed_run(write_study, tmp_path):
    """No signal has come, so it is not the user's Ctrl-C."""
    study = uq.Study.from_file(
        write_study(
            ("model.py:oscillator", "model.py:oscillator"),
            ('["x", "peak", "x:rms"]', '["y"]'),
            ("[time]\nend = 2.0\npoints = 21\n", ""),
            ("samples = 40", "samples = 40\nmax_failed = 1.0"),
            model=INTERRUPTS,
        )
    )
    before = signal.getsignal(signal.SIGINT)
    runs = study.run(out=tmp_path / "out", progress=False).runs
    failed = runs["status"].values != 0
    assert 0 < failed.sum() < 40 and (failed == (runs["input:k"].values > 10.5)).all()
    assert {str(text) for text in runs["message"].values[failed]} == {"the model raised KeyboardInterrupt: mine (model.py:4)"}
    assert signal.getsignal(signal.SIGINT) is before


def test_ctrl_c_during_a_run_ends_the_study(tmp_path):
    def model(a):
        os.kill(os.getpid(), signal.SIGINT) if a > 1.5 else None
        return {"y": a}

    inputs = {"a": uq.Random({"type": "uniform", "lower": 1, "upper": 2})}
    study = uq.Study(model=model, inputs=inputs, outputs=["y"], method=uq.MonteCarlo(samples=20), name="s", campaign={"workers": 0})
    with pytest.raises(KeyboardInterrupt):
        study.run(out=tmp_path / "out", progress=False)
