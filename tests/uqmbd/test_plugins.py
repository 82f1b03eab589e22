"""Methods, simulators, kinds of input and figures from outside: by file, by module, and by what installed packages offer."""

import sys
from importlib import metadata
from importlib.metadata import EntryPoint
from pathlib import Path

import numpy as np
import pytest

import uqmbd as uq
from uqmbd import figures, plugins
from uqmbd.errors import StudyError

CORNERS = (Path(__file__).resolve().parents[2] / "docs" / "extending.md").read_text().split("```python\nfrom itertools import product")[1]
METHOD = "from itertools import product" + CORNERS.split("```")[0]

SIMULATOR = """
import numpy as np
from uqmbd.outcomes import Outcomes, OutputInfo

FACTOR = 3.0

class Spring:
    width = 8

    def __init__(self, model, outputs, time, settings, timeout):
        self.model, self.outputs, self.factor = model, outputs, FACTOR * settings.get("scale", 1.0)

    def check(self, samples):
        return {name: OutputInfo("N", None) for name in self.outputs}

    def simulate(self, samples):
        force = self.factor * np.prod(list(samples.values()), axis=0)
        if self.model is not None:
            force = force + self.model()
        n = len(force)
        return Outcomes({name: force for name in self.outputs}, np.zeros(n, np.int8), [""] * n, {"simulator": "spring"})

class Nothing:
    def __init__(self, **arguments):
        pass
"""

INPUT = """
from uqmbd.inputs import Interval

class Around(Interval):
    key = "around"

    @property
    def around(self):
        return [(self.lower + self.upper) / 2, (self.upper - self.lower) / 2]

    @classmethod
    def from_value(cls, value, unit):
        middle, half = value
        return cls(middle - half, middle + half, unit=unit)
"""

FIGURES = """
from uqmbd.figures.marks import Curve, Figure, Panel

def peaks(result):
    curve = Curve(result.runs["run"].values, result.runs["peak"].values, "all", "mean")
    return Figure("peaks", "The peaks", (Panel("run", "peak", (curve,)),))

def sectioned(result):
    return {"Mine": [peaks(result)], "Empty": []}

def wrong(result):
    return 3

def failing(result):
    return result.nothing
"""

TO_INTERVALS = (
    ('distribution = { type = "uniform", lower = 9.0, upper = 11.0 }', "interval = [9.0, 11.0]"),
    ('distribution = { type = "uniform", lower = 0.1, upper = 0.2 }', "interval = [0.1, 0.2]"),
)


@pytest.fixture
def beside(tmp_path):
    """Write a Python file beside the study."""

    def write(name, text):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return write


@pytest.fixture
def package(tmp_path, monkeypatch):
    """An importable package; its modules are forgotten afterwards."""
    monkeypatch.syspath_prepend(tmp_path / "site")

    def write(name, text):
        (tmp_path / "site").mkdir(exist_ok=True)
        (tmp_path / "site" / f"{name}.py").write_text(text)

    before = set(sys.modules)
    yield write
    for name in set(sys.modules) - before:
        if "site" in str(getattr(sys.modules[name], "__file__", "")) and str(tmp_path) in str(sys.modules[name].__file__):
            del sys.modules[name]


@pytest.fixture
def offer(monkeypatch):
    """Have an installed package offer something."""

    def add(noun, name, value):
        entry, known = EntryPoint(name, value, f"uqmbd.{noun}s"), metadata.entry_points
        monkeypatch.setattr(metadata, "entry_points", lambda **how: [entry] if how.get("group") == entry.group else known(**how))
        plugins.offered.cache_clear()

    yield add
    plugins.offered.cache_clear()


def corners_study(write_study, kind):
    return write_study(*TO_INTERVALS, ('type = "montecarlo"\nsamples = 40', f'type = "{kind}"'))


def numbers(directory):
    return uq.open_results(directory).inner["peak"].values


@pytest.mark.parametrize("kind", ["my_method.py:Corners", "my_package:Corners", "corners"])
def test_a_method_from_outside_resumes(kind, write_study, beside, package, offer, uqmbd, tmp_path):
    beside("my_method.py", METHOD)
    package("my_package", METHOD)
    offer("method", "corners", "my_package:Corners")
    code, output = uqmbd("run", corners_study(write_study, kind), "--out", "r")
    assert code == 0, output
    assert "4 runs (4 simulated)" in output
    found = numbers(tmp_path / "r")
    runs = uq.open_results(tmp_path / "r").runs
    assert sorted(zip(runs["input:k"].values, runs["input:c"].values, strict=True)) == [(9.0, 0.1), (9.0, 0.2), (11.0, 0.1), (11.0, 0.2)]
    assert found.tolist() == [runs["peak"].min(), runs["peak"].max()]
    (tmp_path / "r" / "done.json").unlink()
    code, output = uqmbd("resume", "r")
    assert code == 0 and "4 were there" in output, output
    assert np.array_equal(numbers(tmp_path / "r"), found)


def test_a_changed_method_reduces_anew_and_runs_nothing(write_study, beside, uqmbd):
    beside("my_method.py", METHOD)
    path = corners_study(write_study, "my_method.py:Corners")
    uqmbd("run", path, "--out", "r")
    assert "nothing to simulate" in uqmbd("run", path, "--out", "r")[1]
    beside("my_method.py", METHOD.replace("np.nanmax(values, axis=0)", "np.nanmax(values, axis=0) + 0.0"))
    assert "(0 simulated, 4 were there)" in uqmbd("run", path, "--out", "r")[1]


def test_a_method_from_outside_on_workers(write_study, beside, tmp_path):
    beside("my_method.py", METHOD)
    study = uq.Study.from_file(corners_study(write_study, "my_method.py:Corners"))
    there = study.run(out=tmp_path / "there", workers=1)
    assert np.array_equal(there.inner["peak"], study.run(out=tmp_path / "here", workers=0).inner["peak"])


SPRING = ('model = "model.py:oscillator"', 'simulator = "spring.py:Spring"')
FORCE = ('include = ["x", "peak", "x:rms"]', 'include = ["force"]')


@pytest.mark.parametrize("workers", ["0", "1"])
def test_a_simulator_from_outside_runs_a_study(workers, write_study, beside, uqmbd, tmp_path):
    beside("spring.py", SIMULATOR)
    solver = ("[campaign]", "[solver]\nscale = 2.0\n[campaign]")
    code, output = uqmbd("run", write_study(SPRING, FORCE, solver), "--workers", workers, "--out", "r")
    assert code == 0, output
    runs = uq.open_results(tmp_path / "r").runs
    assert np.allclose(runs["force"], 6.0 * runs["input:k"] * runs["input:c"], rtol=1e-15)
    assert runs["force"].attrs["unit"] == "N"
    code, output = uqmbd("resume", "r")
    assert code == 0 and "nothing to simulate" in output, output


def test_a_simulator_may_be_handed_a_model(write_study, beside, tmp_path):
    beside("spring.py", SIMULATOR)
    path = write_study((SPRING[0], 'model = "model.py:base"\n' + SPRING[1]), FORCE, model="def base():\n    return 100.0\n")
    runs = uq.Study.from_file(path).run(out=tmp_path / "r").runs
    assert np.allclose(runs["force"], 100.0 + 3.0 * runs["input:k"] * runs["input:c"], rtol=1e-15)


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        ("None", "NoneType instead of Outcomes"),
        ("{'force': force}", "dict instead of Outcomes"),
        ("Outcomes({}, np.zeros(n, np.int8), [''] * n)", "no output 'force'"),
        ("Outcomes({'force': force * 1j}, np.zeros(n, np.int8), [''] * n)", "'force' as complex128 instead of real numbers"),
        ("Outcomes({'force': force}, np.full(n, 9), [''] * n)", "not one number from 0 to 3 for each run"),
        ("Outcomes({'force': force}, np.zeros(1), [''])", "not one number from 0 to 3 for each run"),
        ("Outcomes({'force': force}, np.zeros(n, np.int8), [])", "0 messages"),
    ],
)
def test_what_a_simulator_must_not_return(returned, words, write_study, beside, tmp_path):
    beside("spring.py", SIMULATOR.replace("return Outcomes(", f"return {returned}\n        Outcomes("))
    with pytest.raises(StudyError, match=words):
        uq.Study.from_file(write_study(SPRING, FORCE)).run(out=tmp_path / "r", workers=0)


def test_a_simulator_may_return_lists(write_study, beside, tmp_path):
    beside("spring.py", SIMULATOR.replace("{name: force for", "{name: force.tolist() for").replace("np.zeros(n, np.int8)", "[0] * n"))
    runs = uq.Study.from_file(write_study(SPRING, FORCE)).run(out=tmp_path / "r").runs
    assert np.allclose(runs["force"], 3.0 * runs["input:k"] * runs["input:c"], rtol=1e-15)


def test_changed_code_of_a_simulator_makes_new_runs(write_study, beside):
    beside("spring.py", SIMULATOR)
    path = write_study(SPRING, FORCE)
    before = uq.Study.from_file(path).model.digest
    assert uq.Study.from_file(path).model.digest == before
    beside("spring.py", SIMULATOR.replace("FACTOR = 3.0", "FACTOR = 4.0"))
    assert uq.Study.from_file(path).model.digest != before
    with_model = (SPRING[0], 'model = "model.py:oscillator"\n' + SPRING[1])
    first = uq.Study.from_file(write_study(with_model, FORCE)).model.digest
    beside("spring.py", SIMULATOR)
    assert uq.Study.from_file(write_study(with_model, FORCE)).model.digest != first


def test_a_simulator_class_in_python(tmp_path, package):
    package("springs", SIMULATOR)
    import springs

    inputs = {"a": uq.Uniform(1.0, 2.0)}
    study = uq.Study(simulator=springs.Spring, inputs=inputs, outputs=["force"], method=uq.MonteCarlo(samples=20), name="spring")
    runs = study.run(out=tmp_path / "r", workers=0, progress=False).runs
    assert np.allclose(runs["force"], 3.0 * runs["input:a"])
    again = uq.Study.from_file(tmp_path / "r" / "study.toml")
    assert again.model.label.endswith("springs.py:Spring")  # a file of the user, wherever its folder is on the path


@pytest.mark.parametrize("key", ["kinds.py:Around", "my_kinds:Around", "around"])
def test_a_kind_of_input_from_outside(key, write_study, beside, package, offer, uqmbd, tmp_path):
    beside("kinds.py", INPUT)
    package("my_kinds", INPUT)
    offer("input", "around", "my_kinds:Around")
    around = (TO_INTERVALS[0][0], f'"{key}" = [10.0, 1.0]')
    method = ('type = "montecarlo"\nsamples = 40', 'type = "vertex"')
    code, output = uqmbd("run", write_study(around, TO_INTERVALS[1], method), "--out", "r")
    assert code == 0, output
    reference = uq.Study.from_file(write_study(*TO_INTERVALS, method)).run(out=tmp_path / "vertex")
    assert np.array_equal(numbers(tmp_path / "r"), reference.inner["peak"].values)
    (tmp_path / "r" / "done.json").unlink()
    code, output = uqmbd("resume", "r")
    assert code == 0 and "4 were there" in output, output


def test_figures_from_outside_stand_in_the_report(write_study, beside, package, offer, tmp_path):
    beside("figures.py", FIGURES)
    package("my_figures", FIGURES)
    offer("figure", "mine", "my_figures:sectioned")
    path = write_study(("[campaign]", '[report]\nfigures = ["figures.py:peaks"]\n[campaign]'))
    result = uq.Study.from_file(path).run(out=tmp_path / "r")
    sections = figures.sections(uq.open_results(tmp_path / "r", trust=True))
    assert [figure.title for figure in sections["Mine"]] == [figure.title for figure in sections["Further figures"]] == ["The peaks"]
    assert "Further figures" not in figures.sections(uq.open_results(tmp_path / "r"))
    assert "Empty" not in sections
    assert result.attrs["report"]["figures"] == [f"{tmp_path / 'figures.py'}:peaks"]


@pytest.mark.parametrize("returned", ["3", "[3]"])
@pytest.mark.parametrize(("name", "words"), [("wrong", "figures are int"), ("failing", "figures raise AttributeError")])
def test_figures_that_are_none_are_said(name, words, returned, write_study, beside, tmp_path):
    beside("figures.py", FIGURES.replace("return 3", f"return {returned}"))
    path = write_study(("[campaign]", f'[report]\nfigures = ["figures.py:{name}"]\n[campaign]'))
    result = uq.Study.from_file(path).run(out=tmp_path / "r")
    with pytest.raises(StudyError, match=words):
        figures.sections(result)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ([('type = "montecarlo"', 'type = "cornerz"')], ["method.type", "there is no method 'cornerz'", 'did you mean "corners"']),
        ([('type = "montecarlo"', 'type = "my_method.py:Cornerz"')], ["method.type", "no function 'Cornerz'", 'did you mean "Corners"']),
        ([('type = "montecarlo"', 'type = "nowhere:Corners"')], ["method.type", "No module named 'nowhere'"]),
        (
            [('type = "montecarlo"', 'type = "my_method.py:CornersRun"')],
            ["method.type", "'CornersRun' is no method", "uqmbd.methods.base.Method"],
        ),
        ([SPRING, FORCE, ("spring.py:Spring", "springs.py:Spring")], ["study.simulator", "there is no file", 'did you mean "spring.py"']),
        ([SPRING, FORCE, ("spring.py:Spring", "sprung")], ["study.simulator", "there is no simulator 'sprung'"]),
        (
            [SPRING, FORCE, ("spring.py:Spring", "spring.py:Nothing")],
            ["study.simulator", "Nothing is no simulator: it has no width and no check"],
        ),
        ([SPRING, FORCE, ("spring.py:Spring", "spring.py:Outcomes")], ["study.simulator", "making the simulator raises TypeError"]),
        ([('unit = "N/m"', '"spring.py:Spring" = 3')], ["inputs.k", "'Spring' is no input"]),
        ([("[campaign]", '[report]\nfigures = ["peaks"]\n[campaign]')], ["report.figures", "there is no figure 'peaks'"]),
    ],
)
def test_what_is_not_there_is_said_in_one_sentence(changes, words, write_study, beside, offer, uqmbd):
    beside("my_method.py", METHOD)
    beside("spring.py", SIMULATOR)
    offer("method", "corners", "my_method:Corners")
    path = write_study(*[change for change in changes if not change[0].startswith("spring.py")])
    for old, new in (change for change in changes if change[0].startswith("spring.py")):
        path.write_text(path.read_text().replace(old, new))
    code, output = uqmbd("run", path)
    assert code == 2 and all(word in output for word in words), output


def test_the_schema_lets_names_from_outside_in(write_study):
    import tomllib

    jsonschema = pytest.importorskip("jsonschema")
    from uqmbd.spec.schema import schema

    around = (TO_INTERVALS[0][0], '"kinds.py:Around" = [10.0, 1.0]')
    path = write_study(around, SPRING, ('type = "montecarlo"', 'type = "my_method.py:Corners"'))
    validator = jsonschema.Draft202012Validator(schema())
    assert not list(validator.iter_errors(tomllib.loads(path.read_text())))
    for wrong in (('"kinds.py:Around"', "around"), ("my_method.py:Corners", "cornerz")):
        assert list(validator.iter_errors(tomllib.loads(path.read_text().replace(*wrong))))
