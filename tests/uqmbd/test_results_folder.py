"""The folder of results: moved, removed, incomplete, read-only, empty; and what is left of a study that stops."""

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import uqmbd as uq
from uqmbd.campaign.campaign import Campaign
from uqmbd.campaign.progress import Lines

READ_ONLY = 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && shift && exec "$@"'  # in a mount namespace of its own


@pytest.fixture
def during(monkeypatch):
    """Have something done after the third batch of a study."""

    def do(action) -> None:
        commit, left = Campaign.commit, [3]

        def commit_and_act(self, *arguments):
            commit(self, *arguments)
            left[0] -= 1
            if left[0] == 0:
                action()

        monkeypatch.setattr(Campaign, "commit", commit_and_act)

    return do


SMALL_BATCHES = ("workers = 0", "workers = 0\nbatch = 4")


@pytest.mark.parametrize("store", ["all", "scalars"])
@pytest.mark.parametrize("action", ["removed", "moved"])
def test_a_folder_that_goes_while_the_study_runs(action, store, write_study, uqmbd, tmp_path, during):
    place = tmp_path / "r"
    during((lambda: shutil.rmtree(place)) if action == "removed" else (lambda: place.rename(tmp_path / "elsewhere")))
    code, output = uqmbd("run", write_study(SMALL_BATCHES, ("seed = 3", f'seed = 3\nstore = "{store}"')), "--out", "r")
    assert code == 2, output
    assert "moved or removed while the study was running" in output and "fault of uqmbd" not in output
    if action == "moved":
        (tmp_path / "elsewhere").rename(place)
        code, output = uqmbd("resume", "r")
        assert code == 0 and "were there" in output


def third(place):
    """The third file of the runs."""
    return sorted(place.glob("runs/*.runs"))[2]


@pytest.mark.parametrize("part", ["a file", "runs", "runs/head.json"])
def test_parts_that_go_while_the_study_runs(part, write_study, uqmbd, tmp_path, during):
    def go():
        gone = third(tmp_path / "r") if part == "a file" else tmp_path / "r" / part
        shutil.rmtree(gone) if gone.is_dir() else gone.unlink()

    during(go)
    code, output = uqmbd("run", write_study(SMALL_BATCHES), "--out", "r")
    assert "fault of uqmbd" not in output and "KeyError" not in output
    assert uqmbd("run", write_study(SMALL_BATCHES), "--out", "whole")[0] == 0
    (tmp_path / "r" / "done.json").unlink(missing_ok=True)
    code, output = uqmbd("resume", "r")
    assert code == 0, output
    first, second = (uq.open_results(tmp_path / name).runs.load() for name in ("r", "whole"))
    assert first.equals(second)


@pytest.mark.parametrize("part", ["a file", "runs/head.json", "runs", "result.zarr/statistics"])
def test_parts_that_go_afterwards(part, write_study, uqmbd, tmp_path):
    study = write_study()
    uqmbd("run", study, "--out", "r")
    whole = uq.open_results(tmp_path / "r").runs.load()
    gone = third(tmp_path / "r") if part == "a file" else tmp_path / "r" / part
    shutil.rmtree(gone) if gone.is_dir() else gone.unlink()
    code, output = uqmbd("report", "r")
    assert code == 2 and ("missing" in output or "no runs here" in output) and part in output.replace("of runs 2 to 2", "a file"), output
    (tmp_path / "r" / "done.json").unlink()
    code, output = uqmbd("resume", "r")
    assert code == 0, output
    assert uq.open_results(tmp_path / "r").runs.load().equals(whole)


def test_an_empty_place_is_refused(write_study, uqmbd, tmp_path):
    study = write_study()
    code, output = uqmbd("run", study, "--out", "")
    assert code == 2 and "--out" in output and "empty" in output and "results/osc" in output
    with pytest.raises(uq.StudyError, match="empty"):
        uq.Study.from_file(study).run(out="")
    assert not (tmp_path / "runs").exists() and not (tmp_path / "lock").exists()


@pytest.mark.slow
def test_finished_results_on_a_read_only_disk(write_study, uqmbd, tmp_path):
    study = write_study()
    assert uqmbd("run", study, "--out", "r")[0] == 0

    def read_only(*command: str):
        start = ["unshare", "--mount", "sh", "-c", READ_ONLY, "sh", str(tmp_path / "r"), *command]
        return subprocess.run(start, cwd=tmp_path, capture_output=True, text=True)

    if shutil.which("unshare") is None or read_only("true").returncode:
        pytest.skip("mounting takes rights that are not given here")
    assert read_only("touch", "r/x").returncode != 0
    done = read_only(sys.executable, "-m", "uqmbd.cli", "run", str(study), "--out", "r")
    assert done.returncode == 0 and "nothing to simulate" in done.stdout, done.stdout + done.stderr
    program = "import uqmbd; print(uqmbd.open_results('r').runs['x'].values.shape)"
    assert read_only(sys.executable, "-c", program).stdout.strip() == "(40, 21)"
    done = read_only(sys.executable, "-m", "uqmbd.cli", "report", "r")
    assert done.returncode == 2 and "--out" in done.stderr and "Read-only" in done.stderr
    done = read_only(sys.executable, "-m", "uqmbd.cli", "report", "r", "--out", "shown")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "shown" / "report.html").is_file() and list((tmp_path / "shown" / "figures").glob("*.png"))


# studies that stop ----------------------------------------------------------------------------------------------------------------------
FAILING = """
def model(k, c):
    if k > 10.5:
        raise ValueError("spring broken")
    if c > 0.18:
        raise RuntimeError("damper leaks")
    if c < 0.11:
        return {"y": float("nan")}
    if k < 9.1:
        raise KeyError("a fourth one")
    return {"y": k * c}
"""


def test_a_study_that_stops_says_what_its_runs_said_and_can_be_reported(write_study, tmp_path, uqmbd):
    import uqmbd.report.page as page

    study = write_study(
        ("model.py:oscillator", "model.py:model"), ('["x", "peak", "x:rms"]', '["y"]'), ("[time]\nend = 2.0\npoints = 21\n", ""),
        ('unit = "N/m"', 'unit = "N/mm"'), ("samples = 40", "samples = 60"), model=FAILING.replace("(k, c):", "(k, c):\n    k /= 1000"),
    )  # fmt: skip
    code, output = uqmbd("run", study, "--out", "r")
    assert code == 2 and "of 60 runs failed" in output and "max_failed" in output
    said = [line for line in output.splitlines() if line.startswith("    at k = ")]
    assert len(said) == 3 and all(" N/mm, c = 0.1" in line for line in said)
    assert len({line.split(": ", 1)[1] for line in said}) == 3
    assert "uqmbd report r" in output and not (tmp_path / "r" / "done.json").exists()
    result = uq.open_results(tmp_path / "r")
    failed = int((result.runs["status"].values > 0).sum())
    assert result.attrs["runs_failed"] == failed and "The study stopped" in result.facts.note
    code, output = uqmbd("report", "r")
    assert code == 0, output
    text = Path(page.write_page(result, tmp_path / "page")).read_text(encoding="utf-8")
    assert "spring broken" in text and f"{failed} of 60 runs failed" in text and "The study stopped" in text
    again = write_study(
        ("model.py:oscillator", "model.py:model"), ('["x", "peak", "x:rms"]', '["y"]'), ("[time]\nend = 2.0\npoints = 21\n", ""),
        ('unit = "N/m"', 'unit = "N/mm"'), ("samples = 40", "samples = 60\nmax_failed = 0.9"),
        model=FAILING.replace("(k, c):", "(k, c):\n    k /= 1000"),
    )  # fmt: skip
    code, output = uqmbd("run", again, "--out", "r")
    assert code == 0 and "0 simulated, 60 were there" in output


def test_without_a_terminal_a_line_tells_of_progress(monkeypatch, capsys):
    import uqmbd.campaign.progress as progress

    clock = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: clock[0])
    lines = Lines("crank")
    lines.asked(1000)
    lines.done(100, 0, reused=True)
    for second in np.arange(1.0, 31.0):
        clock[0] = second
        lines.done(10, 1)
    told = capsys.readouterr().err.splitlines()
    assert told == [
        "crank: 200/1,000 runs, 10 runs/s, about 80 s left, 10 failed",
        "crank: 300/1,000 runs, 10 runs/s, about 70 s left, 20 failed",
        "crank: 400/1,000 runs, 10 runs/s, about 60 s left, 30 failed",
    ]
