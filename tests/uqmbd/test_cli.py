"""The command line as a user types it."""

import subprocess
import sys
import time

import numpy as np

import uqmbd as uq
from uqmbd.study import Study


def test_help_is_quick_and_light():
    best = np.inf
    for _ in range(5):
        began = time.perf_counter()
        done = subprocess.run([sys.executable, "-m", "uqmbd.cli", "--help"], capture_output=True, text=True, check=True)
        best = min(best, time.perf_counter() - began)
    assert all(command in done.stdout for command in ("run", "resume", "report", "check", "new"))
    assert best < 0.5
    loaded = "import sys, uqmbd, uqmbd.cli; print(*{'numpy', 'dask', 'xarray', 'pydantic', 'numba', 'pint'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True).stdout.strip() == ""


def test_version(uqmbd):
    assert uqmbd("--version") == (0, f"uqmbd {uq.__version__}\n")


def test_everything_promised_is_there():
    for name in uq.__all__:
        assert getattr(uq, name).__name__ == name
    assert set(dir(uq)) >= {"Study", "TimeGrid", "Interval", "Random", "MonteCarlo", "Chebyshev", "open_results"}


def test_new_check_run_resume_report(uqmbd, tmp_path):
    code, output = uqmbd("new", "first")
    assert code == 0 and "uqmbd run first/study.toml" in output
    code, output = uqmbd("check", "first/study.toml")
    assert code == 0 and "62 to 124" in output and "angle" in output
    code, output = uqmbd("run", "first/study.toml", "--workers", "0")
    assert code == 0 and "62 runs (62 simulated), 0 failed" in output and "results/first/report.html" in output
    code, output = uqmbd("resume", "results/first")
    assert code == 0 and "nothing to simulate" in output
    code, output = uqmbd("report", "results/first")
    assert code == 0 and "report.html" in output
    assert Study.from_file(tmp_path / "results" / "first" / "study.toml").name == "first"


def test_new_does_not_overwrite(uqmbd):
    uqmbd("new", "first")
    code, output = uqmbd("new", "first")
    assert code == 2 and "there already" in output and "remedy" in output


def test_a_fault_of_ours_is_no_traceback_either(uqmbd, monkeypatch, write_study):
    def fail(*_, **__):
        raise RuntimeError("a bug")

    monkeypatch.setattr(Study, "from_file", fail)
    code, output = uqmbd("run", write_study())
    assert code == 1 and "a bug" in output and "--debug" in output and "Traceback" not in output


def test_unknown_option_is_the_users(uqmbd):
    code, output = uqmbd("run", "x.toml", "--wrokers", "2")
    assert code == 2 and "--wrokers" in output
