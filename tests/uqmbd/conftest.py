"""A study in a folder of its own, the command line called in this process, and made-up results."""

import functools
import sys
import textwrap
from pathlib import Path

import pytest
import typer.main

from . import made_up_mechanism

GET_COMMAND, HERE = typer.main.get_command, Path(__file__).parent

MODEL = """
import numpy as np

def oscillator(k, c, time):
    x = np.exp(-c * time) * np.cos(np.sqrt(k) * time)
    return {"x": x, "peak": float(abs(x[len(x) // 2 :]).max())}

def scalar(k, c):
    return {"y": k * c}
"""

STUDY = """
[study]
name = "osc"
model = "model.py:oscillator"

[time]
end = 2.0
points = 21

[inputs.k]
distribution = { type = "uniform", lower = 9.0, upper = 11.0 }
unit = "N/m"

[inputs.c]
distribution = { type = "uniform", lower = 0.1, upper = 0.2 }

[outputs]
include = ["x", "peak", "x:rms"]

[method]
type = "montecarlo"
samples = 40

[campaign]
workers = 0
seed = 3
"""


@pytest.fixture
def write_study(tmp_path):
    """Write ``study.toml`` (with replacements) and ``model.py``; returns the path of the study."""

    def write(*changes: tuple[str, str], model: str = MODEL, text: str = STUDY, name: str = "study.toml"):
        for old, new in changes:
            assert old in text, f"{old!r} is not in the study"
            text = text.replace(old, new)
        (tmp_path / name).write_text(text, encoding="utf-8")
        (tmp_path / "model.py").write_text(textwrap.dedent(model), encoding="utf-8")
        return tmp_path / name

    return write


@functools.cache
def asked_once(ask, folder):
    """What git says of a folder of the tests, which takes 0.02 s and stays."""
    return ask(folder)


@pytest.fixture(autouse=True)
def no_report(request, monkeypatch):
    """The report of `Study.run` and of the command, which takes seconds to draw and has tests of its own, is an empty page.

    Tests marked ``report`` have the whole one, but for the mechanism moving, which has tests of its own too (`test_motion`).
    """
    import uqmbd.study.motions
    from uqmbd.study import manifest

    ask = manifest.repository

    def repository(folder):
        return asked_once(ask, folder) if folder is not None and folder.is_relative_to(HERE) else ask(folder)

    monkeypatch.setattr(uqmbd.study.motions, "keep_motion", lambda finished: None)
    monkeypatch.setattr(manifest, "repository", repository)
    if request.node.get_closest_marker("report"):
        return
    import uqmbd.report

    def write_report(result, directory, *, study_text="", pictures=True):
        directory.mkdir(parents=True, exist_ok=True)
        (directory / "report.html").write_text(study_text)
        return directory / "report.html"

    monkeypatch.setattr(uqmbd.report, "write_report", write_report)


@functools.cache
def command_of(app):
    """Commands and their options as click has them; a process of its own reads them once, too."""
    return GET_COMMAND(app)


@pytest.fixture
def uqmbd(monkeypatch, capsys, tmp_path):
    """Call the command line: ``code, output = uqmbd("run", study)``; relative results land in the test's folder."""
    from uqmbd import cli

    monkeypatch.setattr(typer.main, "get_command", command_of)

    def call(*arguments) -> tuple[int, str]:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", ["uqmbd", *map(str, arguments)])
        with pytest.raises(SystemExit) as leaving:
            cli.main()
        captured = capsys.readouterr()
        return leaving.value.code or 0, captured.out + captured.err

    return call


@pytest.fixture
def tried_here(monkeypatch):
    """`check` tries and times a model shortly, in this process; `test_check` and `test_apart` have the other one, which takes seconds."""
    from uqmbd.errors import StudyError
    from uqmbd.study import measuring

    def cannot_be_sent(work):
        raise StudyError("the model holds what cannot be sent to worker processes", key="study.model", remedy="none is needed here")

    monkeypatch.setattr(measuring, "packed", cannot_be_sent)
    monkeypatch.setattr(measuring, "LONGEST", 0.02)


@pytest.fixture
def runs_done(tmp_path, monkeypatch):
    """Number of runs that the model `campaigns.LOGGED` has done since the last call."""
    log = tmp_path / "runs.log"
    monkeypatch.setenv("RUN_LOG", str(log))

    def count() -> int:
        done = len(log.read_text().splitlines()) if log.exists() else 0
        log.write_text("")
        return done

    return count


@pytest.fixture
def bounded():
    """A made-up result with bounds."""
    return made_up_mechanism.bounded()


@pytest.fixture
def counted():
    """A made-up result with statistics."""
    return made_up_mechanism.counted()
