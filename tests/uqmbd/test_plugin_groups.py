"""The method of `docs/plugins.md` that has a group with a dimension of its own, a figure and a table."""

import doctest
import re
import sys
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

import uqmbd as uq
from uqmbd.errors import StudyError
from uqmbd.figures import sections
from uqmbd.figures.plugin_sections import plugin_tables
from uqmbd.groups import GroupSpec
from uqmbd.report.terminal import terminal_table

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "plugins.md").read_text(encoding="utf-8")
CODE = re.search(r"```python\n(# levels\.py\n.*?)```", PAGE, re.S)[1]
EXAMPLE = re.search(r"```python\n(>>> (?:(?!```).)*from levels import.*?)```", PAGE, re.S)[1]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where the file is, and a study beside it."""
    (tmp_path / "levels.py").write_text(CODE)
    (tmp_path / "model.py").write_text("def sag(load, stiffness):\n    return {'sag': (load / stiffness, 'm')}\n")
    (tmp_path / "study.toml").write_text(
        '[study]\nname = "levels"\nmodel = "model.py:sag"\n[inputs.load]\ninterval = [90.0, 110.0]\n'
        "[inputs.stiffness]\ninterval = [1.8, 2.2]\n"
        '[outputs]\ninclude = ["sag"]\n[method]\ntype = "levels.py:Levels"\nmarks = 3\n[campaign]\nworkers = 0\n'
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    sys.modules.pop("levels", None)


def doctested(text: str) -> str:
    said: list[str] = []
    doctest.DocTestRunner().run(doctest.DocTestParser().get_doctest(text, {}, "plugins.md", None, None), out=said.append)
    return "".join(said)


def test_the_example_of_the_page_does_what_it_says(folder):
    assert doctested(EXAMPLE) == ""


def test_a_spec_has_an_example():
    first = "from uqmbd.groups import GroupSpec"
    assert doctested((GroupSpec.__doc__ or "").replace(">>> import", f">>> {first}\n    >>> import", 1)) == ""


@pytest.mark.report
def test_group_figure_and_table_stand_everywhere(folder):
    study = uq.Study.from_file(folder / "study.toml")
    result = study.run(out=folder / "r", progress=False)
    page = (folder / "r" / "report.html").read_text(encoding="utf-8")
    for words in ("Runs above each level", "Runs beyond each level: sag", "Middle of what runs reached", "middle [m]"):
        assert words in page, words
    shown = Console(width=80, file=StringIO(), record=True)
    shown.print(terminal_table(result))
    assert "Runs beyond each level: sag" in shown.export_text()
    assert {"passed_sag.csv", "passed_sag.tex"} <= {path.name for path in (folder / "r" / "tables").iterdir()}
    again = study.run(out=folder / "r", progress=False)
    assert again.trust and again.passed.identical(result.passed)  # nothing is computed again


@pytest.mark.report
def test_code_of_a_method_is_executed_only_where_the_result_is_trusted(folder):
    uq.Study.from_file(folder / "study.toml").run(out=folder / "r", progress=False)
    opened, trusted = uq.open_results(folder / "r"), uq.open_results(folder / "r", trust=True)
    assert "Further figures" not in sections(opened) and [one.key for one in sections(trusted)["Further figures"]] == ["passed"]
    titles = [[table.title for table in plugin_tables(one) if table.rows] for one in (opened, trusted)]
    assert titles == [["Runs beyond each level: sag"], ["Runs beyond each level: sag", "Middle of what runs reached"]]
    said = uq.write_report(opened, folder / "p", pictures=False).read_text(encoding="utf-8")
    assert "The figures and tables of" in said and "levels.py:middle are left out" in said


@pytest.mark.parametrize(
    ("made", "words"), [("return 3", "the tables are int"), ("return result.nothing", "the tables raise AttributeError")]
)
def test_a_table_that_is_none_is_said(folder, made, words):
    (folder / "levels.py").write_text(re.sub(r"def middle\(result\):\n(    .*\n)+", f"def middle(result):\n    {made}\n", CODE))
    result = uq.Study.from_file(folder / "study.toml").run(out=folder / "r", progress=False, report=False)
    with pytest.raises(StudyError, match=words):
        plugin_tables(result)


def test_figures_of_a_script_are_left_out_with_a_sentence(folder):
    space: dict = {"__name__": "__main__"}
    exec(compile(CODE, "script", "exec"), space)
    box = {"load": uq.Interval(90.0, 110.0), "stiffness": uq.Interval(1.8, 2.2)}
    study = uq.Study(model="model.py:sag", inputs=box, outputs=["sag"], method=space["Levels"](), campaign={"workers": 0})
    notes = study.run(out=folder / "r", progress=False, report=False).facts.notes
    assert any("the figures and tables of the method levels are left out" in note for note in notes)
