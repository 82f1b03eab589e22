"""What ends a command: a sentence that says how to go on, the code of the signal, and nothing that stays behind."""

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress

import psutil
import pytest

import uqmbd as uq
from uqmbd.campaign.pool import EarlyPool

SLOW = """
import os, time
def f(k, c):
    time.sleep(float(os.environ.get("SECONDS_OF_A_RUN", 0.05)))
    return {"y": k * c}
"""
CHANGES = (("model.py:oscillator", "model.py:f"), ('["x", "peak", "x:rms"]', '["y"]'), ("[time]\nend = 2.0\npoints = 21\n", ""))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "workers", "group"),
    [("SIGTERM", 0, False), ("SIGTERM", 1, False), ("SIGTERM", 1, True), ("SIGHUP", 1, True), ("SIGINT", 1, True)],
)
def test_a_signal_ends_a_study_in_good_order(name, workers, group, write_study, tmp_path):
    """`group`: it reaches the workers too, as from a terminal or a queue."""
    study = write_study(*CHANGES, ("samples = 40", "samples = 120"), ("workers = 0", f"workers = {workers}\nbatch = 2"), model=SLOW)
    # SIGINT is ignored in background jobs of a shell, SIGHUP below nohup, and this test may run in either
    code = "import signal as s; s.signal(s.SIGINT, s.default_int_handler); s.signal(s.SIGHUP, s.SIG_DFL); "
    code += "from uqmbd.cli import program; program()"
    words = [sys.executable, "-c", code, "run", str(study), "--out", "r"]
    command = subprocess.Popen(words, cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True)
    runs = tmp_path / "r" / "runs"
    while not (runs.is_dir() and len(list(runs.iterdir())) > 4):
        assert command.poll() is None, command.communicate()
        time.sleep(0.05)
    children = psutil.Process(command.pid).children(recursive=True)
    (os.killpg if group else os.kill)(command.pid, getattr(signal, name))
    _, said = command.communicate(timeout=60)
    what = "interrupted" if name == "SIGINT" else f"ended by {name}"
    assert f"{what}; what is done is stored. To go on: uqmbd resume r" in said, said
    assert command.returncode == 128 + getattr(signal, name)
    assert "leaked" not in said and "Traceback" not in said and "resource_tracker" not in said, said
    assert psutil.wait_procs(children, timeout=5)[1] == []
    rest = {**os.environ, "SECONDS_OF_A_RUN": "0"}
    done = subprocess.run([*words[:3], "resume", "r"], cwd=tmp_path, capture_output=True, text=True, env=rest)
    assert done.returncode == 0 and "were there" in done.stdout, done.stderr
    assert len(uq.open_results(tmp_path / "r").runs["status"]) == 120


def test_signals_that_are_ignored_stay_so():
    """`nohup` lets a study go on when its terminal closes."""
    code = "import signal as s; s.signal(s.SIGHUP, s.SIG_IGN); from uqmbd.interrupts import heed_signals, stop; heed_signals(); "
    code += "print(s.getsignal(s.SIGHUP) is s.SIG_IGN, s.getsignal(s.SIGTERM) is stop)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "True True\n"


def test_what_a_model_forks_is_ended_by_the_signal_as_always():
    """A pool of processes in a model ends them by SIGTERM."""
    code = "import os, signal, time; from uqmbd.interrupts import {0}; {0}(); pid = os.fork() or time.sleep(60) or os._exit(0); "
    code += "time.sleep(0.2); os.kill(pid, signal.SIGTERM); print(os.waitpid(pid, 0)[1])"
    for start in ("shield", "heed_signals"):
        done = subprocess.run([sys.executable, "-c", code.format(start)], capture_output=True, text=True, timeout=50)
        assert done.stdout == f"{signal.SIGTERM:d}\n", done.stderr


@pytest.mark.parametrize("workers", [1, 2])
def test_ctrl_c_does_not_reach_a_process_that_is_starting(workers):
    """It is for the driver, also while a worker still imports what it needs to leave it to the driver."""
    begun, here = threading.Event(), psutil.Process()

    def press():
        while not begun.is_set():
            for child in here.children(recursive=True):
                with suppress(psutil.Error):
                    if "resource_tracker" not in " ".join(child.cmdline()):
                        child.send_signal(signal.SIGINT)
            time.sleep(0.005)

    pressing = threading.Thread(target=press)
    pressing.start()
    try:
        pool = EarlyPool(workers, runs=1 if workers == 1 else None)
        try:
            assert pool.get().call(pow, 2, 3) == 8
        finally:
            pool.close()
    finally:
        begun.set()
        pressing.join()
