"""What a folder of results says of how it was made: another person can read and repeat it without the place where it was made."""

import hashlib
import importlib.metadata
import json
import subprocess
import sys
from datetime import datetime

import pytest

import uqmbd as uq
from uqmbd.study.manifest import repository

MODEL = """
from pathlib import Path
from helper import scale

FACTOR = float(Path(__file__).with_name("factor.txt").read_text())

def scalar(k, c):
    return {"y": FACTOR * scale(k) * c}
"""
CHANGES = (
    ("oscillator", "scalar"),
    ('include = ["x", "peak", "x:rms"]', 'include = ["y"]'),
    ("[time]\nend = 2.0\npoints = 21\n", ""),
    ("samples = 40", "samples = 8"),
)


@pytest.fixture
def folder(write_study, tmp_path):
    (tmp_path / "helper.py").write_text("def scale(k):\n    return 2.0 * k\n")
    (tmp_path / "factor.txt").write_text("3.0")
    study = write_study(*CHANGES, model=MODEL)
    uq.Study.from_file(study).run(out=tmp_path / "r", progress=False)
    return tmp_path / "r"


def manifest(folder):
    return json.loads((folder / "manifest.json").read_text())


def test_all_files_of_the_model_are_copied(folder, tmp_path):
    files = {entry["path"]: entry for entry in manifest(folder)["model"]["files"]}
    for name in ("model.py", "helper.py", "factor.txt"):
        original = (tmp_path / name).read_bytes()
        entry = files[str(tmp_path / name)]
        assert (folder / entry["copy"]).read_bytes() == original
        assert entry["sha256"] == hashlib.sha256(original).hexdigest()


def test_the_copied_model_gives_the_same_result(folder, write_study, tmp_path):
    first = uq.open_results(folder)
    again = folder / "model" / "study.toml"
    again.write_text((tmp_path / "study.toml").read_text())
    for name in ("model.py", "helper.py", "factor.txt"):
        (tmp_path / name).unlink()
    second = uq.Study.from_file(again).run(out=tmp_path / "again", progress=False)
    assert second.statistics.identical(first.statistics)


def test_versions_are_those_of_the_distributions(folder):
    found = manifest(folder)["packages"]
    assert {"numpy", "xarray", "zarr", "uqmbd"} <= set(found)
    assert all(importlib.metadata.version(name) == version for name, version in found.items())
    assert manifest(folder)["python"].endswith(".".join(map(str, sys.version_info[:3])))


def test_times_and_seed_are_there(folder):
    found = manifest(folder)
    began, ended = (datetime.fromisoformat(found[key]) for key in ("started", "ended"))
    assert began <= ended and began.tzinfo is not None and found["seed"] == 3


def test_the_result_has_it_when_it_is_opened(folder):
    assert uq.open_results(folder).manifest == manifest(folder)


def test_no_environment_and_no_password_is_kept(write_study, tmp_path, monkeypatch):
    monkeypatch.setenv("A_TOKEN", "a-very-secret-word")
    monkeypatch.setattr(sys, "argv", ["uqmbd", "run", "--scheduler", "tls://me:a-very-secret-word@host:1"])
    study = write_study(*CHANGES[:3], model="def scalar(k, c):\n    return {'y': k * c}\n")
    uq.Study.from_file(study).run(out=tmp_path / "r", progress=False)
    text = (tmp_path / "r" / "manifest.json").read_text()
    assert "a-very-secret-word" not in text and "tls://host:1" in text


def test_a_file_that_has_changed_meanwhile_is_not_passed_off_as_the_one_that_was_run(write_study, tmp_path):
    model = MODEL + "\n\nimport os\nold = scalar\ndef scalar(k, c):\n    found = old(k, c)\n    PLACE.write_text('4.0')\n    return found\n"
    model += "PLACE = Path(__file__).with_name('factor.txt')\n"
    (tmp_path / "helper.py").write_text("def scale(k):\n    return 2.0 * k\n")
    (tmp_path / "factor.txt").write_text("3.0")
    uq.Study.from_file(write_study(*CHANGES, model=model)).run(out=tmp_path / "r", progress=False)
    entry = next(entry for entry in manifest(tmp_path / "r")["model"]["files"] if entry["path"].endswith("factor.txt"))
    assert "copy" not in entry and "not as it had been" in entry["note"]


def test_the_file_of_a_function_of_a_script_is_copied(tmp_path):
    study = uq.Study(
        model=lambda a: {"y": a}, inputs={"a": uq.Interval(0.0, 1.0)}, outputs=["y"], method=uq.Vertex(), campaign={"workers": 0}
    )
    result = study.run(out=tmp_path / "r", progress=False)
    copies = [tmp_path / "r" / entry["copy"] for entry in result.manifest["model"]["files"]]
    assert any("test_the_file_of_a_function_of_a_script_is_copied" in copy.read_text() for copy in copies)


def test_the_commit_and_whether_all_is_in_it(tmp_path):
    def git(*words):
        who = ("-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false")
        return subprocess.run(["git", *who, *words], cwd=tmp_path, check=True, capture_output=True, text=True).stdout.strip()

    git("init", "-q")
    (tmp_path / "model.py").write_text("a = 1\n")
    git("add", ".")
    git("commit", "-qm", "first")
    assert repository(tmp_path) == {"commit": git("rev-parse", "HEAD"), "clean": True, "changed": 0}
    (tmp_path / "model.py").write_text("a = 2\n")
    assert repository(tmp_path)["clean"] is False


def test_outside_a_repository_nothing_is_said(tmp_path):
    assert repository(tmp_path) == {}


@pytest.mark.report
def test_the_page_says_how_it_was_made(folder):
    page = (folder / "report.html").read_text()
    assert "How it was made" in page and "3 in the folder model" in page
