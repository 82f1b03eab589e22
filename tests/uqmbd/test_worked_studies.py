"""The worked studies come with uqmbd: `uqmbd studies` writes them, `uqmbd demo` runs one."""

from pathlib import Path

import pytest

from uqmbd.study.worked import DEMO, demo

ROOT = Path(__file__).resolve().parents[2] / "studies"


def test_the_studies_are_written_and_what_is_there_stays(uqmbd, tmp_path):
    code, output = uqmbd("studies")
    assert code == 0 and "studies/README.md" in output
    written = {file.relative_to(tmp_path / "studies"): file.read_bytes() for file in (tmp_path / "studies").rglob("*") if file.is_file()}
    assert {name: (ROOT / name).read_bytes() for name in written} == written
    assert {file.parent.relative_to(ROOT) for file in ROOT.glob("*/study.toml")} == {name.parent for name in written} - {Path()}
    changed = tmp_path / "studies" / DEMO / "study.toml"
    changed.write_text("mine")
    assert uqmbd("studies")[1].startswith("wrote 0 files") and changed.read_text() == "mine"


def test_the_demo_is_its_study_with_fewer_runs_if_these_are_asked_for(tmp_path):
    whole, few = demo(tmp_path), demo(tmp_path, 400)
    assert whole.name == DEMO and whole.method.max_runs == 28_000
    assert few.method.max_runs == few.spec.document()["method"]["max_runs"] == 400 and few.spec.outputs == whole.spec.outputs
    assert not (tmp_path / "README.md").exists() and (tmp_path / DEMO / "model.py").is_file()


def test_a_place_that_cannot_be_written_is_answered(uqmbd, tmp_path):
    (tmp_path / "studies").write_text("a file")
    code, output = uqmbd("demo", "--runs", 400, "--workers", 0)
    assert code == 2 and "cannot be written" in output


@pytest.mark.slow
def test_the_demo_runs(uqmbd, tmp_path):
    code, output = uqmbd("demo", "--runs", 400, "--workers", 0)
    assert code == 0 and "B.force:max" in output and (tmp_path / "results" / DEMO / "report.html").is_file()
    code, output = uqmbd("resume", f"results/{DEMO}", "--workers", 0)
    assert code == 0 and "nothing to simulate" in output
