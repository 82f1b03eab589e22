"""A study is the same wherever it was made and whatever is said of it: from Python and from its file, with another title, other outputs."""

import os
import shutil
import subprocess
import sys
import textwrap
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import uqmbd as uq
from uqmbd.runs.storage import Folder
from uqmbd.study import Study
from uqmbd.study.identity import EARLIER, identity_of, known_digests, study_digest
from uqmbd.study.running_methods import run_methods

UNIFORM = {"type": "uniform", "lower": 1.0, "upper": 2.0}
TRIANGLE = {"type": "triangular", "lower": 1.0, "mode": 2.0, "upper": 3.0}
PAIR = {name: uq.Interval(0.0, 1.0, unit="deg") for name in "ab"}
KINDS = {
    "no unit": {"inputs": {"a": uq.Interval(1, 2)}},
    "mm": {"inputs": {"a": uq.Interval(0.1, 0.7, unit="mm")}},
    "N/m": {"inputs": {"a": uq.Interval(1.0, 2.0, unit="N/m")}},
    "degC": {"inputs": {"a": uq.Interval(1.0, 2.0, unit="degC")}},
    "random mm": {"inputs": {"a": uq.Random(UNIFORM, unit="mm")}, "method": uq.MonteCarlo(samples=16)},
    "fuzzy deg": {"inputs": {"a": uq.Fuzzy(TRIANGLE, unit="deg")}, "method": uq.FuzzyBounds(degree=3, levels=3)},
    "set": {"inputs": PAIR, "sets": {"s": {"inputs": ["a", "b"], "correlation": [["a", "b", 0.5]]}}, "method": uq.ConvexBounds(degree=3)},
    "several": {"inputs": {"a": uq.Interval(1.0, 2.0, unit="mm")}, "method": [uq.Vertex(), uq.Chebyshev(degree=2)]},
    "words": {"inputs": {"a": uq.Interval(1.0, 2.0)}, "title": 'A "title"', "units": {"y": "N"}, "report": {"key": "y"}},
}


def made(tmp_path, **changes) -> Study:
    (tmp_path / "model.py").write_text("def f(a, b=1.0):\n    return {'y': a**2 + b, 'z': a - b}\n")
    settings = dict(model=str(tmp_path / "model.py:f"), outputs=["y"], method=uq.Chebyshev(degree=2), name="s", campaign={"workers": 0})
    return uq.Study(**{"inputs": {"a": uq.Interval(1.0, 2.0)}, **settings, **changes})


def simulated(study, folder) -> list[int | None]:
    """Runs that each method simulated; None where its result was there."""
    return [one.tally and one.tally.simulated for one in run_methods(study, out=folder, progress=False).values()]


@pytest.mark.parametrize("kind", KINDS)
def test_a_study_made_in_python_and_its_file_are_one(tmp_path, kind):
    study, folder = made(tmp_path, **KINDS[kind]), tmp_path / "r"
    assert all(simulated(study, folder))
    read = Study.from_file(folder / "study.toml")
    assert identity_of(read) == identity_of(study) and study_digest(read, identity_of(read)) == study_digest(study, identity_of(study))
    for each in (read, study, read):
        assert set(simulated(each, folder)) == {None}


SCRIPT = """import uqmbd as uq
from spring_beside import f
inputs = {"a": uq.Interval(1.0, 2.0, unit="mm"), "b": uq.Interval(1.0, 7.0, unit="deg"), "c": uq.Fixed(0.1, unit="N/m")}
study = uq.Study(model=f, inputs=inputs, outputs=["y"], method=uq.Vertex(), name="s", campaign={"workers": 0})
assert __name__ != "__main__" or study.run(report=False, progress=False, out="r")
"""
FILE = """[study]
name = "s"
model = "spring_beside.py:f"
[inputs]
a = { interval = [1, 2], unit = "mm" }
b = { interval = [1, 7], unit = "deg" }
c = { value = 0.1, unit = "N/m" }
[outputs]
include = ["y"]
[method]
type = "vertex"
[campaign]
workers = 0
"""


def test_a_study_of_a_script_and_that_of_a_file_use_each_others_results(tmp_path):
    """The model is a module beside the script, which the command does not find by its name."""
    (tmp_path / "factor_beside.py").write_text("FACTOR = 2.0\n")
    (tmp_path / "spring_beside.py").write_text("from factor_beside import FACTOR\ndef f(a, b, c):\n    return {'y': FACTOR * a * b + c}\n")
    (tmp_path / "script.py").write_text(SCRIPT)
    (tmp_path / "study.toml").write_text(FILE)

    def python(*words, folder=tmp_path):
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path and path != str(tmp_path))}
        done = subprocess.run([sys.executable, *map(str, words)], cwd=folder, capture_output=True, text=True, env=environment, timeout=300)
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    python("script.py")
    (elsewhere := tmp_path / "elsewhere").mkdir()
    (tmp_path / "r" / "done.json").unlink()
    assert "(0 simulated" in python("-m", "uqmbd.cli", "resume", tmp_path / "r", folder=elsewhere)
    assert "reused" in python("script.py")
    run = ("-m", "uqmbd.cli", "run", tmp_path / "study.toml", "--out", tmp_path / "r", "--no-report")
    assert "reused" in python(*run, folder=elsewhere)
    shutil.rmtree(tmp_path / "r")
    assert "(18 simulated" in python(*run, folder=elsewhere)
    assert "reused" in python("script.py")
    equal = "import script, uqmbd; assert script.study == uqmbd.Study.from_file('study.toml')"
    python("-c", equal)


@pytest.mark.parametrize("label", ["file", "module"])
def test_a_model_that_has_gone_is_taken_from_its_copy(tmp_path, uqmbd, label):
    """`module`: as version 0.1.0 wrote it, of a module beside a script."""
    (tmp_path / "there").mkdir()
    study, folder = made(tmp_path / "there"), tmp_path / "r"
    assert all(simulated(study, folder))
    if label == "module":
        for file in ("study.toml", "manifest.json"):
            text = (folder / file).read_text()
            (folder / file).write_text(text.replace(f"{tmp_path}/there/model.py:f", "model_of_a_script:f"))
        (folder / "checksums.json").unlink()
    (folder / "done.json").unlink()
    shutil.rmtree(tmp_path / "there")
    code, said = uqmbd("resume", folder)
    assert code == 0 and "(0 simulated" in said and "the copy of it in" in said, said
    shutil.rmtree(folder / "model")
    (folder / "done.json").unlink()
    code, said = uqmbd("resume", folder)
    assert code == 2 and "there is no file" in said, said


def test_a_result_of_before_is_known_where_its_file_says_the_same_unit(tmp_path):
    """Before, the digest did not say in which unit a distribution's parameters are: a study in m was given the result of one in mm."""

    def asked(unit):
        item = uq.Random(UNIFORM, unit=unit)
        return made(tmp_path, inputs={"a": item}, method=uq.MonteCarlo(samples=16))

    run_methods(asked("mm"), out=tmp_path / "r", progress=False)
    same, other = asked("mm"), asked("m")
    drawn, how = same.drawn_as_before(), dict(earlier=EARLIER[1], number="0.1.0")
    earlier = study_digest(drawn, identity_of(same), **how)
    assert earlier == study_digest(other, identity_of(other), **how)
    assert {study_digest(same, identity_of(same)), earlier} < known_digests(same, identity_of(same), tmp_path / "r")
    assert known_digests(other, identity_of(other), tmp_path / "r") == {study_digest(other, identity_of(other))}


# outputs, where histories are not kept ----------------------------------------------------------------------------------------------------
def waves(tmp_path, outputs, method, store="scalars", **campaign) -> Study:
    (tmp_path / "waves.py").write_text(
        "import numpy as np\nTIME = np.linspace(0.0, 6.0, 9)\n"
        "def f(a, b):\n    return {'h': a * np.sin(TIME) + b, 'g': b * TIME, 's': a + b * b, 't': a * b}\n"
    )
    inputs = {name: uq.Random({"type": "normal", "mean": 1.0, "std": 0.1}) for name in "ab"}
    time, campaign = uq.TimeGrid(end=6.0, points=9), {"workers": 0, "store": store, **campaign}
    return uq.Study(
        model=str(tmp_path / "waves.py:f"), inputs=inputs, outputs=outputs, time=time, method=method, name="w", campaign=campaign
    )


@pytest.mark.parametrize("method", [uq.MonteCarlo(samples=40), uq.Sensitivity(approach="sobol", samples=16)], ids=lambda one: one.name)
def test_partials_serve_for_other_lists_of_outputs(tmp_path, method):
    every = ["h", "s", "g", "t"]
    first = run_methods(waves(tmp_path, every, method), out=tmp_path / "r", progress=False)
    assert all(one.tally.simulated == one.tally.asked for one in first.values())
    for outputs in (["t", "g", "s", "h"], ["g"], ["s", "h"], ["t"], every):
        one = next(iter(run_methods(waves(tmp_path, outputs, method), out=tmp_path / "r", progress=False).values()))
        assert one.tally.simulated == 0
        whole = waves(tmp_path, outputs, method, store="all").run(out=tmp_path / "all", overwrite=True, progress=False, report=False)
        for key, group in one.result.groups():
            for name in group.data_vars:
                np.testing.assert_allclose(
                    group[name].values, getattr(whole, key)[name].values, rtol=1e-12, atol=1e-14, err_msg=f"{key} {name}"
                )
        assert one.result.outputs == outputs


# words, and the time limit ----------------------------------------------------------------------------------------------------------------
def test_words_and_a_time_limit_compute_nothing(tmp_path):
    folder = tmp_path / "r"
    assert all(simulated(made(tmp_path), folder))
    for change in ({"campaign": {"workers": 0, "timeout": 60.0}}, {"title": "Another title"}, {"description": "What is asked?"}, {}):
        (folder / "report.html").write_text("before")
        done = run_methods(made(tmp_path, **change), out=folder, progress=False)["chebyshev"]
        assert done.tally is None
        facts = uq.open_results(folder).facts
        assert (facts.title, facts.description) == (change.get("title", ""), change.get("description", ""))
        assert (folder / "report.html").exists() == ("campaign" in change)  # the page that says the words of before is written again
        assert Study.from_file(folder / "study.toml").spec.words() == made(tmp_path, **change).spec.words()


def test_a_unit_that_says_the_same_computes_nothing(tmp_path):
    folder = tmp_path / "r"
    assert all(simulated(made(tmp_path, inputs={"a": uq.Interval(1.0, 2.0, unit="m")}), folder))
    assert simulated(made(tmp_path, inputs={"a": uq.Interval(100.0, 200.0, unit="cm")}), folder) == [None]
    assert uq.open_results(folder).facts.inputs["a"].unit == "cm"


def test_runs_that_the_limit_stopped_are_done_again_with_a_larger_one(tmp_path):
    text = """
        import time
        def f(a):
            end = time.time() + (5 if a > 1.9 else 0)
            while time.time() < end:
                pass
            return {"y": a}
    """
    (tmp_path / "slow.py").write_text(textwrap.dedent(text))

    def limited(seconds):
        settings = dict(inputs={"a": uq.Interval(1.0, 2.0)}, outputs=["y"], method=uq.List(samples={"a": [1.0, 1.2, 2.0]}, max_failed=0.9))
        return uq.Study(model=str(tmp_path / "slow.py:f"), name="s", campaign={"workers": 0, "timeout": seconds}, **settings)

    folder = tmp_path / "r"
    assert simulated(limited(0.2), folder) == [3]
    assert simulated(limited(0.1), folder) == [None]
    assert simulated(limited(0.3), folder) == [1]


# reading ----------------------------------------------------------------------------------------------------------------------------------
def test_a_result_that_is_there_reads_no_run(tmp_path, monkeypatch):
    study, folder = made(tmp_path), tmp_path / "r"
    study.run(out=folder, progress=False, report=False)
    read = Counter()
    real = Folder.read, Folder.beginnings

    def one(self, name, *more):
        read[name] += name.endswith(".runs")
        return real[0](self, name, *more)

    def several(self, names, *more):
        read.update(names)
        return real[1](self, names, *more)

    monkeypatch.setattr(Folder, "read", one)
    monkeypatch.setattr(Folder, "beginnings", several)
    result = study.run(out=folder, progress=False, report=False)
    assert not +read
    assert result.bounds["y"].values == pytest.approx([2.0, 5.0]) and not +read
    assert result.runs["y"].values.max() == pytest.approx(5.0) and +read
    assert Path(folder, "done.json").is_file()
    with pytest.raises(AttributeError, match="no attribute 'walks'"):
        _ = result.walks
