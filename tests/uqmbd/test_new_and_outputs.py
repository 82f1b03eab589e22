"""What a newcomer starts from: `uqmbd new --mechanism`, `uqmbd outputs`, and the reference of keys."""

import importlib.util
from pathlib import Path

import pytest

from uqmbd.study import Study
from uqmbd.study.available import outputs_of
from uqmbd.study.worked import MECHANISMS

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_every_mechanism_has_the_outputs_that_its_study_asks_for(mechanism, uqmbd, tmp_path):
    code, output = uqmbd("new", "first", "--mechanism", mechanism)
    assert code == 0 and "wrote first/study.toml" in output
    study = Study.from_file(tmp_path / "first" / "study.toml")
    found = outputs_of(study)
    assert {name.partition(":")[0] for name in study.outputs} <= set(found) and study.name == "first"
    assert (study.title and study.description) or mechanism == "python"


def test_outputs_of_a_system_are_listed_with_units(uqmbd):
    uqmbd("new", "first", "--mechanism", "slider_crank")
    code, output = uqmbd("outputs", "first/study.toml", "B.force")
    assert code == 0 and "B.force" in output and " N " in output and "size of the contact force" in output and "name:max" in output
    code, output = uqmbd("outputs", "first/study.toml", "B.forse")
    assert code == 2 and "B.force" in output


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", ["python", "command", "four_bar"])
def test_every_mechanism_runs(mechanism, uqmbd):
    uqmbd("new", "first", "--mechanism", mechanism)
    code, output = uqmbd("run", "first/study.toml", "--workers", "0")
    assert code == 0 and "0 failed" in output


def test_an_unknown_mechanism_is_answered(uqmbd):
    code, output = uqmbd("new", "first", "--mechanism", "fourbar")
    assert code == 2 and 'did you mean "four_bar"?' in output


def test_the_reference_is_up_to_date_and_explains_every_key():
    spec = importlib.util.spec_from_file_location("reference", ROOT / "docs" / "reference.py")
    reference = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(reference)
    page = reference.page()
    assert [line for line in page.splitlines() if line.endswith("|  |")] == [], "keys that no docstring explains"
    assert page == reference.PAGE.read_text(encoding="utf-8"), "run: python docs/reference.py"


SLEEPS = """
import time

def oscillator(k, c):
    time.sleep(600.0)
    return {"y": k * c}
"""


@pytest.mark.slow
@pytest.mark.parametrize("outputs", ['["y"]', '["y*"]'])
def test_a_model_that_sleeps_is_stopped_where_its_outputs_are_asked_for(outputs, write_study, uqmbd):
    study = write_study(
        ('["x", "peak", "x:rms"]', outputs),
        ("[time]\nend = 2.0\npoints = 21\n", ""),
        ("workers = 0", "workers = 0\ntimeout = 0.2"),
        model=SLEEPS,
    )
    code, text = uqmbd("outputs" if "*" not in outputs else "run", study)
    assert code == 2 and "stopped after 0.2 s" in text


def test_outputs_of_a_model_with_a_limit_are_those_of_one_without(write_study, uqmbd):
    _, without = uqmbd("outputs", write_study())
    code, text = uqmbd("outputs", write_study(("workers = 0", "workers = 0\ntimeout = 60.0")))
    assert code == 0 and text == without
