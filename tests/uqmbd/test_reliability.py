"""`kill -9` at random moments: each study resumed gives the identical result. UQMBD_KILLS=20 for the full count."""

import os
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from .campaigns import numbers

KILLS = int(os.environ.get("UQMBD_KILLS", "1"))
MODEL = """
import time as clock
import numpy as np

def oscillator(k, c, time):
    clock.sleep(0.002)
    if int(k * 1e6) % 100 == 7:
        raise ValueError("one in a hundred")
    x = np.exp(-c * time) * np.cos(np.sqrt(k) * time)
    return {"x": x, "peak": float(abs(x[len(x) // 2 :]).max())}
"""
CHEBYSHEV = (
    ('distribution = { type = "uniform", lower = 9.0, upper = 11.0 }', "interval = [9.0, 11.0]"),
    ('distribution = { type = "uniform", lower = 0.1, upper = 0.2 }', "interval = [0.1, 0.2]"),
    ('type = "montecarlo"\nsamples = 40', 'type = "chebyshev"\ndegree = 12\ntrust_tolerance = 1e-12\nfallback_runs = 800'),
)
RUN = "import sys; from uqmbd.study import Study; Study.from_file(sys.argv[1]).run(out=sys.argv[2], report=False)"


def run(study, out, *, kill_after: float | None = None) -> bool:
    """Run or resume in a process of its own; True if it came to its end."""
    process = subprocess.Popen([sys.executable, "-c", RUN, str(study), str(out)], start_new_session=True)
    try:
        return process.wait(timeout=kill_after if kill_after is not None else 240) == 0
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return False


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["montecarlo", pytest.param("scalars", marks=pytest.mark.slow), "chebyshev"])
def test_kill_at_any_moment(kind, write_study, tmp_path):
    samples = ("samples = 40", "samples = 1500")
    changes = {"montecarlo": [samples], "scalars": [samples, ("seed = 3", 'seed = 3\nstore = "scalars"')], "chebyshev": CHEBYSHEV}[kind]
    study = write_study(*changes, ("workers = 0", "workers = 2"), model=MODEL)
    began = time.monotonic()
    assert run(study, tmp_path / "whole")
    whole, span = numbers(tmp_path / "whole"), time.monotonic() - began
    moments = random.Random(kind)
    for number in range(KILLS):
        out = tmp_path / f"killed{number}"
        run(study, out, kill_after=moments.uniform(0.3, 1.0) * span)
        if number % 2 == 0:  # a second time, while resuming
            run(study, out, kill_after=moments.uniform(0.3, 0.8) * span)
        assert run(study, out)
        found = numbers(out)
        assert found.keys() == whole.keys()
        for name, values in whole.items():
            same = values.tobytes() == found[name].tobytes() if values.dtype.kind == "f" else np.array_equal(values, found[name])
            assert same, f"{name} differs after kill {number}"
    if kind == "montecarlo":
        assert 0 < (whole["status"] == 3).sum() < 60
