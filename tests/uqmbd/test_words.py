"""What is said, and how shortly: objects in a notebook, scripts without a guard, models that stop Python, other words for distributions."""

import subprocess
import sys
import textwrap

import pytest

import uqmbd as uq
from uqmbd.errors import StudyError


def double(a):
    return {"y": 2 * a}


def study(model=double, **more):
    return uq.Study(model=model, inputs={"a": uq.Interval(1.0, 2.0, unit="mm")}, outputs=["y"], method=uq.Vertex(), **more)


def test_studies_and_results_are_told_in_a_line(tmp_path):
    asked = study(name="doubled", campaign={"workers": 0})
    assert repr(asked) == f"<Study doubled: {asked.model.label}, vertex; inputs a [1, 2] mm; outputs y>"
    found = asked.run(out=tmp_path / "r")
    assert repr(found).startswith("<Result of doubled (vertex): ") and "y; groups: bounds, inner" in repr(found)
    assert len(repr(found)) < 200 and "<table" in found._repr_html_() and "&lt;Result" in found._repr_html_()


def test_a_study_is_a_table_in_a_notebook():
    shown = study(name="doubled", title="Twice <a>")._repr_html_()
    assert "Twice &lt;a&gt;" in shown and "<td>a</td><td>[1, 2] mm</td>" in shown and "method: vertex" in shown


@pytest.mark.slow
def test_a_script_without_a_guard_is_answered_shortly(tmp_path):
    script = """
    import time
    import uqmbd as uq

    def model(a):
        time.sleep(WAIT)
        return {"y": 2 * a}

    study = uq.Study(model=model, inputs={"a": uq.Interval(1, 2)}, outputs=["y"], method=uq.Vertex(), name="unguarded")
    study.run(workers=2, report=False, overwrite=True)
    """
    how = {"cwd": tmp_path, "capture_output": True, "text": True, "timeout": 300}
    (tmp_path / "script.py").write_text(textwrap.dedent(script).replace("WAIT", "0.0"))
    assert subprocess.run([sys.executable, "script.py"], **how).returncode == 0, "one process does few runs, and runs no script again"
    (tmp_path / "script.py").write_text(textwrap.dedent(script).replace("WAIT", "2.0"))
    done = subprocess.run([sys.executable, "script.py"], **how)
    assert done.returncode == 1 and 'if __name__ == "__main__":' in done.stderr
    assert len(done.stderr.splitlines()) < 25, done.stderr


def test_a_model_that_leaves_python_is_a_model_that_raises():
    def leaves(a):
        sys.exit(3)

    with pytest.raises(StudyError, match="the model raises SystemExit: 3"):
        study(leaves).check()


@pytest.mark.usefixtures("tried_here")
def test_a_mistake_in_a_mechanism_names_the_users_line(tmp_path):
    text = "import flexmbd as fm\n\ndef model(a):\n    s = fm.System()\n    s.body('b', mass=-a, inertia=1.0)\n    return s\n"
    (tmp_path / "model.py").write_text(text)
    asked = uq.Study(
        model="model.py:model", directory=tmp_path, inputs={"a": uq.Interval(1.0, 2.0)}, outputs=["b.x"], method=uq.Vertex(),
        time=uq.TimeGrid(end=1.0),
    )  # fmt: skip
    with pytest.raises(StudyError, match=r"\(model\.py:5\)"):
        asked.check()


@pytest.mark.parametrize(("word", "meant"), [("gauss", "normal"), ("Gaussian", "normal"), ("lognorm", "lognormal"), ("norml", "normal")])
def test_other_words_for_distributions(word, meant):
    with pytest.raises(StudyError, match=f'did you mean "{meant}"'):
        uq.Random({"type": word, "mean": 1.0, "std": 0.1})


def test_an_unknown_distribution_is_answered_with_the_usual_ones():
    with pytest.raises(StudyError, match="use one of: uniform, normal, lognormal"):
        uq.Random({"type": "zzzz"})
