"""Folders of an edition before are used: its runs are found again, refused only for what really differs.

`edition_0_1_0` was written by version 0.1.0 with Python 3.11, from a study made in Python: Monte Carlo, 8 runs, one input in mm.
"""

import json
import shutil
import sys
from pathlib import Path

import pandas as pd
import pytest

import uqmbd as uq
from uqmbd.errors import StudyError
from uqmbd.study import identity
from uqmbd.study.running_methods import run_methods

from . import sources_of_runs

HERE = Path(__file__).parent / "edition_0_1_0"
SAME_BYTECODE = pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="version 0.1.0 counted functions by the bytecode of Python 3.11")


@pytest.fixture
def old(tmp_path):
    """The folders, with the model beside them."""
    shutil.copytree(HERE, tmp_path, dirs_exist_ok=True)
    for name in ("all", "scalars"):
        file = tmp_path / name / "study.toml"
        file.write_text(file.read_text().replace("FOLDER/", f"{tmp_path}/"))
    return tmp_path


def again(folder, **changes):
    """Run the study of a folder again, in it."""
    study = uq.Study.from_file(folder / "study.toml").changed(**changes)
    return next(iter(run_methods(study, out=folder, progress=False).values()))


@SAME_BYTECODE
@pytest.mark.parametrize("kind", ["all", "scalars"])
def test_runs_of_the_edition_before_are_used(old, kind):
    done = again(old / kind)
    assert (done.tally.simulated, done.tally.asked) == (0, 8)
    before = pd.read_csv(old / kind / "scalars.csv", index_col="output")
    now = done.result.table()
    assert now["mean"].to_dict() == before["mean"].to_dict() and now["q95"].to_dict() == before["q95"].to_dict()
    assert again(old / kind).tally is None
    wider = again(old / kind, method=uq.MonteCarlo(samples=12))
    assert (wider.tally.simulated, wider.tally.asked) == (4, 12)


@SAME_BYTECODE
def test_the_command_takes_them_up_and_says_what_really_differs(old, uqmbd):
    assert "8 runs (0 simulated" in uqmbd("resume", old / "all")[1]
    (old / "parameters.py").write_text("MASS = 3.0\n")
    code, said = uqmbd("resume", old / "scalars")
    assert code == 2 and "differs in: model: MASS in spring.py, parameters.py)" in said


def test_runs_of_a_version_with_other_runs_are_refused(old, monkeypatch):
    monkeypatch.setitem(identity.FORMATS, "0.1.0", 0)
    with pytest.raises(StudyError, match="format of runs"):
        again(old / "all")


def small(tmp_path, **changes):
    (tmp_path / "f.py").write_text("def f(a):\n    return {'y': a * a}\n")
    settings = dict(model=str(tmp_path / "f.py:f"), inputs={"a": uq.Interval(1.0, 2.0)}, outputs=["y"], method=uq.Chebyshev(degree=2))
    study = uq.Study(**settings, campaign={"workers": 0}, name="s", **changes)
    return next(iter(run_methods(study, out=tmp_path / "r", progress=False).values()))


def test_a_patch_version_and_another_python_use_the_runs(tmp_path, monkeypatch):
    asked = small(tmp_path).tally.asked
    real = identity.version
    monkeypatch.setattr(identity, "version", lambda package: "0.1.1" if package == "uqmbd" else real(package))
    assert small(tmp_path).tally is None, "the result is reused"
    monkeypatch.setattr(identity, "FORMAT_OF_RESULTS", identity.FORMAT_OF_RESULTS + 1)
    again = small(tmp_path)
    assert (again.tally.simulated, again.tally.asked) == (0, asked)  # methods that conclude something else have their say
    assert not any("python" in key for key in json.loads((tmp_path / "r" / "runs" / "head.json").read_text())["identity"])
    monkeypatch.setattr(identity, "FORMAT_OF_RUNS", identity.FORMAT_OF_RUNS + 1)
    with pytest.raises(StudyError, match="format of runs"):
        small(tmp_path)


def test_who_changes_what_runs_mean_decides_on_the_format_of_runs():
    known, now = json.loads(sources_of_runs.FILE.read_text(encoding="utf-8")), sources_of_runs.hashes()
    changed = [name for name, digest in now["sources"].items() if known["sources"].get(name) != digest]
    changed += [name for name in known["sources"] if name not in now["sources"]]
    assert not changed and known["format"] == now["format"], f"{changed or 'the number'} changed: {sources_of_runs.__doc__}"


def test_a_changed_adapter_is_seen(monkeypatch, tmp_path):
    for name in sources_of_runs.SOURCES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(sources_of_runs.ROOT / name, tmp_path / name)
    before = sources_of_runs.hashes()
    monkeypatch.setattr(sources_of_runs, "ROOT", tmp_path)
    file = tmp_path / "simulators" / "curve.py"
    file.write_text("# a remark\n" + file.read_text())
    assert sources_of_runs.hashes() == before
    file.write_text(file.read_text() + "\nREDUCTIONS = {}\n")
    assert sources_of_runs.hashes() != before
