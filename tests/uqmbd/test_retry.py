"""`uqmbd retry`: failed runs are done again, in their places, and nothing else is."""

import numpy as np
import pytest

import uqmbd as uq

MODEL = """
import os
import numpy as np

def oscillator(k, c, time):
    with open(os.environ["RUN_LOG"], "a") as log:
        log.write("x")
    if k > float(os.environ.get("FAIL_ABOVE", "inf")):
        raise ValueError("no licence")
    if c > float(os.environ.get("NAN_ABOVE", "inf")):
        return {"x": np.nan * time, "peak": 1.0}
    x = np.exp(-c * time) * np.cos(np.sqrt(k) * time)
    return {"x": x, "peak": float(abs(x[len(x) // 2 :]).max())}
"""


@pytest.fixture
def count(tmp_path, monkeypatch):
    """Runs of the model since the last call."""
    monkeypatch.setenv("RUN_LOG", str(tmp_path / "log"))
    (tmp_path / "log").write_text("")

    def since() -> int:
        done = len((tmp_path / "log").read_text())
        (tmp_path / "log").write_text("")
        return done

    return since


@pytest.mark.parametrize("store", ["all", "scalars"])
def test_failed_runs_are_done_again(store, write_study, uqmbd, tmp_path, monkeypatch, count):
    """A licence that was short for a while: afterwards the result is the one without failures."""
    study = write_study(("seed = 3", f'seed = 3\nstore = "{store}"'), ("samples = 40", "samples = 40\nmax_failed = 0.9"), model=MODEL)
    assert uqmbd("run", study, "--out", "whole")[0] == 0
    monkeypatch.setenv("FAIL_ABOVE", "10.5")
    assert uqmbd("run", study, "--out", "r")[0] == 0
    failed = uq.open_results(tmp_path / "r").runs["status"].values > 0
    assert 3 < failed.sum() < 20
    monkeypatch.setenv("FAIL_ABOVE", "inf")
    count()
    code, said = uqmbd("retry", "r")
    assert code == 0 and f"{failed.sum()} simulated, {(~failed).sum()} were there, " in said.replace("),", ",")
    assert count() == failed.sum() + 1
    whole, again = (uq.open_results(tmp_path / name) for name in ("whole", "r"))
    assert again.runs.drop_attrs().equals(whole.runs.drop_attrs())
    assert all(np.array_equal(again.statistics[name], whole.statistics[name]) for name in whole.statistics)
    assert "nothing to simulate" in uqmbd("resume", "r")[1]


def test_only_those_of_a_status(write_study, uqmbd, tmp_path, count):
    model = MODEL.replace("    if c > ", "    while 0.15 < c and k < 9.5:\n        pass\n    if c > ")
    study = write_study(("seed = 3", "seed = 3\ntimeout = 0.05"), ("samples = 40", "samples = 40\nmax_failed = 0.9"), model=model)
    assert uqmbd("run", study, "--out", "r")[0] == 0
    stopped = int((uq.open_results(tmp_path / "r").runs["status"].values == 2).sum())
    count()
    assert stopped > 2 and uqmbd("retry", "r", "--status", "error")[0] == 0 and count() == 0
    assert uqmbd("retry", "r", "--status", "timeout,error")[0] == 0 and count() == stopped + 1
    code, said = uqmbd("retry", "r", "--status", "eror")
    assert code == 2 and "did you mean" in said and "--status" in said
