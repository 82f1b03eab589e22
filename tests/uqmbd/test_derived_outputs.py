"""Outputs that a study derives from those of its model: the language, units, every simulator, and what runs are shared."""

import sys
from pathlib import Path

import numpy as np
import pytest

import uqmbd as uq
from uqmbd.errors import StudyError
from uqmbd.outcomes import DOUBT, ERROR, NONNEGATIVE, Axis, Outcomes, OutputInfo
from uqmbd.simulators import formula
from uqmbd.simulators.derived import Derived, DerivedSimulator
from uqmbd.simulators.detect import SimulatorSpec
from uqmbd.simulators.formula import FormulaError
from uqmbd.simulators.model import find_model
from uqmbd.simulators.times import simulator_at
from uqmbd.study.available import outputs_of
from uqmbd.study.trial import Trial

from .test_simulators import PENDULUM

PAGE = Path(__file__).resolve().parents[2] / "docs" / "models.md"
TIME = np.linspace(0.0, 1.0, 41)
FORMULAS = {"deviation": "hypot(x - ideal.x, y - ideal.y)", "share": "deviation:max / span"}


def mechanism(a, b, time):
    """A point near a circle: it deviates by (a - 1) cos t, (b - 1) sin t."""
    angle = 2 * np.pi * time
    x, y = a * np.cos(angle), b * np.sin(angle)
    return {"x": (x, "m"), "y": (y, "m"), "ideal.x": (np.cos(angle), "m"), "ideal.y": (np.sin(angle), "m"), "span": (2.0, "m")}


def study_of(outputs=("deviation", "deviation:max", "share"), derived=None, method=None, model=mechanism, **more):
    inputs = {"a": uq.Interval(1.1, 1.2), "b": uq.Interval(1.02, 1.08)}
    if "random" in getattr(method, "accepts", ()) and not isinstance(method, uq.Chebyshev):
        inputs = {name: uq.Random({"type": "uniform", "lower": one.lower, "upper": one.upper}) for name, one in inputs.items()}
    more = {"time": uq.TimeGrid(end=1.0, points=41), "campaign": {"workers": 0}, "name": "deviating"} | more
    method = method or uq.Chebyshev(degree=6)
    return uq.Study(
        model=model, inputs=inputs, outputs=list(outputs), derived=FORMULAS if derived is None else derived, method=method, **more
    )


# the language -------------------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("hypot(x, y)", 5.0, "m"),
        ("sqrt(x**2 + y*y)", 5.0, "m"),
        ("-x + 2*y", 5.0, "m"),
        ("x - '3 mm'", 2.997, "m"),
        ("max(x, y) / min(x, y)", 4 / 3, "1"),
        ("abs(B.force:max) * v", 12.0, "N·m/s"),
        ("omega * x", 15.0, "m/s"),
        ("sqrt(2 * energy / mass)", 3.0, "m/s"),
        ("omega * '2 s'", 10.0, "rad"),
        ("J1.2.impacts + 1", 3.0, "1"),
        ("atan2(y, x)", np.arctan2(4, 3), "rad"),
        ("sin(atan2(y, x))", 0.8, "1"),
        ("log(exp(2)) * pi", 2 * np.pi, "1"),
        ("'B.force:max@0.1..0.3' / 2", 3.0, "N"),
        ("unsaid * x + y", 13.0, ""),
    ],
)
def test_a_formula_has_a_value_and_a_unit(text, value, unit):
    known = {"x": (3.0, "m"), "y": (4.0, "m"), "B.force:max": (-6.0, "N"), "v": (2.0, "m/s"), "omega": (5.0, "rad/s"), "unsaid": (3.0, "")}
    known |= {"energy": (9.0, "J"), "mass": (2.0, "kg")}
    known |= {"J1.2.impacts": (2.0, "1"), "B.force:max@0.1..0.3": (6.0, "N")}
    term = formula.read(text)
    np.testing.assert_allclose(term.values({name: x for name, (x, _) in known.items()}), value, rtol=1e-15)
    found = term.unit_from({name: unit for name, (_, unit) in known.items()})
    assert sorted(found.replace("·", " ").split("/")[0].split()) == sorted(unit.replace("·", " ").split("/")[0].split())


@pytest.mark.parametrize(
    ("text", "at", "words"),
    [
        ("x + omega", 0, "m and rad/s cannot be added"),
        ("2 * (x - 3)", 5, "m and a pure number"),
        ("1 + sin(x)", 4, "sin takes a pure number"),
        ("x ** omega", 0, "pure number"),
        ("hypott(x, y)", 0, 'did you mean "hypot"'),
        ("x + max(y)", 4, "tip.x:max"),
        ("x if y else x", 0, "no part of the language"),
        ("x; import os", 1, "cannot be read"),
        ("[x for x in y]", 0, "no part of the language"),
        ("x + (lambda: 1)()", 4, "no part of the language"),
        ("__import__('os').system('ls')", 0, "no part of the language"),
        ("x @ y", 0, "no part of the language"),
        ("x < y", 0, "no part of the language"),
        ("True * x", 0, "no part of the language"),
        ("µ.x + x.__class__ - f'{x}'", 20, "no part of the language"),
        ("B.force:max@0.1..0.3", 16, "between quotes"),
        ("x +", 3, "cannot be read"),
        ("x + '3 mmm'", 4, "mmm"),
        ("(" * 9000 + "x" + ")" * 9000, 0, "cannot be read"),
    ],
)
def test_what_is_no_formula_is_refused_with_its_place(text, at, words):
    with pytest.raises(FormulaError) as raised:
        formula.read(text).unit_from({"x": "m", "y": "m", "omega": "rad/s", "µ.x": "", "x.__class__": ""})
    assert words in f"{raised.value.text} {raised.value.remedy}"
    assert raised.value.at == at or len(text) > 1000


@pytest.mark.parametrize(
    ("text", "sure"),
    [("hypot(x, y)", True), ("x**2 + abs(y)", True), ("x - x", False), ("sqrt(x) * force", True), ("x**3", False), ("max(x, 0)", True)],
)
def test_what_cannot_be_negative_is_known(text, sure):
    assert formula.read(text).nonnegative({"force"}.__contains__) is sure


# studies ------------------------------------------------------------------------------------------------------------------------------
def test_bounds_of_a_deviation_are_exact_and_its_parts_are_not_kept(tmp_path):
    result = study_of().run(out=tmp_path / "r", progress=False)
    c, s = np.abs(np.cos(2 * np.pi * TIME)), np.abs(np.sin(2 * np.pi * TIME))
    np.testing.assert_allclose(result.bounds["deviation"].sel(bound="upper"), np.hypot(0.2 * c, 0.08 * s), atol=1e-4)
    np.testing.assert_allclose(result.bounds["deviation"].sel(bound="lower"), np.hypot(0.1 * c, 0.02 * s), atol=1e-4)
    np.testing.assert_allclose(result.bounds["share"], [0.05, 0.1], atol=1e-6)
    assert [result.bounds[name].attrs["unit"] for name in ("deviation", "share")] == ["m", "1"]
    assert {str(name) for name in result.runs.data_vars if not str(name).startswith("input:")} == {
        "status", "message", "deviation", "deviation:max", "share",
    }  # fmt: skip


def test_a_study_file_has_formulas_and_is_written_as_it_was(write_study, uqmbd, tmp_path):
    more = '\n[outputs.derived]\nenergy = """x**2 +\n  0.5 * abs(x)"""\nheight = "energy:max - peak**2"\n'
    path = write_study(('["x", "peak", "x:rms"]', '["energy", "energy:rms@0.5..", "height"]' + more))
    study = uq.Study.from_file(path)
    result = study.run(out=tmp_path / "r", progress=False)
    x = result.runs["energy"].values
    assert x.shape == (40, 21) and (x >= 0).all()
    again = uq.Study.from_file(tmp_path / "r" / "study.toml")
    assert again.model.derived == study.model.derived
    assert uqmbd("resume", str(tmp_path / "r"))[0] == 0
    shown = " ".join(uqmbd("outputs", str(path))[1].replace("│", " ").split())
    assert "energy = x**2 + 0.5 * abs(x)" in shown and "height = energy:max - peak**2" in shown


@pytest.mark.parametrize(
    ("derived", "words"),
    [
        (
            {"deviation": "hypot(x - ideal.x, y - idel.y)"},
            ["outputs.derived.deviation", "'idel.y'", "character 24", 'did you mean "ideal.y"'],
        ),
        ({"deviation": "x - a", "a": "2 * b", "b": "a + deviation:max"}, ["derived from itself, by way of", "a, b"]),
        ({"deviation": "deviation + x"}, ["'deviation' is derived from itself"]),
        ({"deviation": "x * y - span"}, ["m² and m cannot be added", "character 1"]),
        ({"deviation:max": "x"}, ["cannot have this name"]),
        ({"deviation": 3.0}, ["expected a formula as text"]),
        ({"deviation": "x - r", "r": "x:maxx"}, ["outputs.derived.r", 'did you mean "max"']),
    ],
)
def test_mistakes_name_formula_place_and_remedy(derived, words):
    with pytest.raises(StudyError) as raised:
        Trial(study_of(["deviation"], derived)).checked()
    assert all(word in str(raised.value) for word in [*words, "remedy"]), str(raised.value)


def test_a_file_with_a_mistake_is_named(write_study, uqmbd):
    path = write_study(('["x", "peak", "x:rms"]', '["double"]\nderived = { double = "2 * peek" }'))
    said = uqmbd("check", str(path))[1]
    assert "study.toml" in said and 'outputs.derived.double = "2 * peek"' in said and '"peak"' in said


def test_curves_of_two_axes_are_refused_and_numbers_go_with_curves():
    def model(a, b):
        f, s = np.linspace(1.0, 2.0, 5), np.linspace(0.0, 1.0, 5)
        return {"u": uq.Curve(a * f, f, "frequency", "m"), "v": uq.Curve(b * s, s, "place", "m"), "n": (a * b, "m")}

    with pytest.raises(StudyError, match="'u' is over frequency, and 'v' over place"):
        Trial(study_of(["w"], {"w": "u + v"}, model=model, time=None)).checked()
    info = Trial(study_of(["w", "w:frequency_of_max"], {"w": "u + v:max * n / n"}, model=model, time=None)).info
    assert info["w"].kind == "over frequency" and info["w:frequency_of_max"].kind == "number" and info["w"].unit == "m"


def test_a_run_without_a_finite_value_has_failed_and_says_so(tmp_path):
    study = study_of(["root"], {"root": "sqrt(x:max - '1.15 m')"}, method=uq.MonteCarlo(samples=32, max_failed=0.9))
    runs = study.run(out=tmp_path / "r", progress=False, report=False).runs.load()
    failed = runs["input:a"].values < 1.15
    assert np.array_equal(runs["status"].values == ERROR, failed) and 0 < failed.sum() < 32
    assert "the derived output 'root' is NaN or infinite: its formula is sqrt(x:max - '1.15 m')" in set(runs["message"].values)


def test_the_last_turn_of_a_derived_angle_is_a_window():
    def model(a, b, time):
        return {"angle": (4 * np.pi * a * time, "rad"), "force": (b * time, "N")}

    derived = {"turned": "angle / 2", "double": "2 * force"}
    study = study_of(["double:max@last turn of turned"], derived, model=model)
    found = simulator_at(SimulatorSpec(study.model, study.outputs, TIME, {"a": np.array([1.0, 0.9]), "b": np.array([1.0, 1.0])}, {}))
    found.check({"a": np.array([1.0]), "b": np.array([1.0])})
    done = found.simulate({"a": np.array([1.0, 0.5]), "b": np.array([3.0, 1.0])})
    assert done.outputs["double:max@last turn of turned"][0] == pytest.approx(6.0) and done.status.tolist() == [0, ERROR]
    assert "makes no whole turn" in done.message[1]


def test_the_example_of_the_page(tmp_path):
    """The tip of an arm that is 1 m long and turns by an angle up to 1 degree, against the straight line to its ideal place."""
    block = next(x for x in PAGE.read_text(encoding="utf-8").split("```python\n")[1:] if "ideal.x" in x.split("```")[0])
    place: dict = {}
    exec(block.split("```")[0], place)
    result = place["study"].run(out=tmp_path / "r", progress=False)
    length, angle = 1.001, np.radians(1.0)
    far = np.hypot(length * np.cos(angle) - 1.0, length * np.sin(angle))
    np.testing.assert_allclose(result.runs["deviation:max"].max(), far, rtol=1e-12)


# what runs are shared -----------------------------------------------------------------------------------------------------------------
def test_another_formula_is_another_question_and_other_runs(tmp_path):
    study_of().run(out=tmp_path / "r", progress=False, report=False)
    spaced = {"deviation": FORMULAS["deviation"], "share": FORMULAS["share"]}
    assert study_of(["deviation"], spaced).run(out=tmp_path / "r", progress=False, report=False).attrs["runs_simulated_last"] == 0
    with pytest.raises(StudyError, match="in which 'deviation' was derived as hypot") as raised:
        study_of(["deviation"], {"deviation": "abs(x - ideal.x)"}).run(out=tmp_path / "r", progress=False)
    assert raised.value.key == "outputs.derived.deviation" and "another name" in raised.value.remedy


def test_runs_are_added_whose_formulas_only_the_store_has(tmp_path):
    study_of(method=uq.MonteCarlo(samples=8)).run(out=tmp_path / "r", progress=False, report=False)
    more = study_of(["share"], {"share": FORMULAS["share"], "deviation": FORMULAS["deviation"]}, method=uq.MonteCarlo(samples=16))
    assert more.run(out=tmp_path / "r", progress=False, report=False).attrs["runs_simulated_last"] == 8
    shares = study_of(["deviation:max"], {"deviation": FORMULAS["deviation"]}, method=uq.MonteCarlo(samples=24))
    runs = shares.run(out=tmp_path / "r", progress=False, report=False).runs.load()
    np.testing.assert_allclose(runs["share"], runs["deviation:max"] / 2.0)


# simulators ---------------------------------------------------------------------------------------------------------------------------
def test_a_function_of_arrays_and_one_of_numbers_agree():
    @uq.vectorized
    def arrays(a, b, time):
        angle = 2 * np.pi * time
        both = {"x": a[:, None] * np.cos(angle), "y": b[:, None] * np.sin(angle), "span": 2.0 + 0 * a}
        return both | {"ideal.x": np.cos(angle) + 0 * both["x"], "ideal.y": np.sin(angle) + 0 * both["x"]}

    box = {"a": np.array([1.1, 1.2, 1.15]), "b": np.array([1.1, 1.0, 1.2])}
    names = ["deviation", "deviation:p95", "share"]
    first, second = (study_of(model=model).model for model in (mechanism, arrays))
    one, other = (simulator_at(SimulatorSpec(model, names, TIME, box, {})).simulate(box).outputs for model in (first, second))
    for name in names:
        np.testing.assert_allclose(one[name], other[name], rtol=1e-12)


def test_a_command(write_study, tmp_path):
    (tmp_path / "t").mkdir()
    program = "import json, sys\njson.dump({'x': float(sys.argv[1]), 'y': float(sys.argv[2])}, open('result.json', 'w'))"
    (tmp_path / "t" / "solve.py").write_text(program)
    command = f'command = ["{sys.executable}", "solve.py", "{{{{k}}}}", "{{{{c}}}}"]\ntemplate = "t"'
    outputs = '["length"]\nderived = { length = "hypot(x, y)" }'
    path = write_study(('model = "model.py:oscillator"', command), ('["x", "peak", "x:rms"]', outputs), ("samples = 40", "samples = 4"))
    runs = uq.Study.from_file(path).run(out=tmp_path / "r", report=False, progress=False).runs.load()
    np.testing.assert_allclose(runs["length"], np.hypot(runs["input:k"], runs["input:c"]))


class Plugin:
    """A simulator from outside with a field of words on its outputs."""

    width = 4

    def __init__(self, model, outputs, time, settings, timeout):
        self.outputs = outputs

    def check(self, samples):
        axis = Axis("place", np.linspace(0.0, 1.0, 3), "m")
        return {name: OutputInfo("N", axis if name == "load" else None) for name in self.outputs}

    def simulate(self, samples):
        n, a = len(samples["a"]), samples["a"]
        every = {"load": a[:, None] * np.ones(3), "weight": 2 * a}
        said = {NONNEGATIVE: "weight", DOUBT + "load": "it is made up"}
        return Outcomes({name: every[name] for name in self.outputs}, np.zeros(n, np.int8), [""] * n, said)


def test_a_simulator_from_outside_and_what_it_says_of_its_outputs():
    study = study_of(
        ["both", "both:mean", "root"], {"both": "load + weight", "root": "sqrt(weight)"}, model=None, simulator=Plugin, time=None
    )
    found = simulator_at(SimulatorSpec(study.model, study.outputs, None, {"a": np.ones(1), "b": np.ones(1)}, {}))
    assert isinstance(found, DerivedSimulator) and found.width == 4
    info = found.check({"a": np.ones(1), "b": np.ones(1)})
    assert info["both"].axis.name == "place" and info["both:mean"] == OutputInfo("N", None)
    done = found.simulate({"a": np.array([1.0, 2.0]), "b": np.ones(2)})
    np.testing.assert_allclose(done.outputs["both"], [[3.0] * 3, [6.0] * 3])
    assert done.attributes[NONNEGATIVE] == "root, weight"
    assert done.attributes[DOUBT + "both:mean"] == "it is derived from 'load': it is made up"


def test_mechanisms_in_lanes_with_outputs_of_the_solver(tmp_path):
    """A rod about its end: its centre stays at half its length from the pin, whatever the scheme does."""
    (tmp_path / "model.py").write_text(PENDULUM)
    derived = Derived.of({"arm": "hypot(rod.x, rod.y)", "off": "arm - arm:max", "twice": "2 * rod.angle"}, {})
    model = find_model("model.py:pendulum", tmp_path)
    model = type(model)(**{**vars(model), "derived": derived})
    box = {"length": np.array([1.0, 0.9, 1.1]), "angle": np.zeros(3)}
    found = simulator_at(SimulatorSpec(model, ["arm", "off", "twice", "rod.angle", "twice:max"], TIME, box, {"tolerance": 1e-8}))
    info = found.check(box)
    assert [info[name].unit for name in ("arm", "off", "twice")] == ["m", "m", "rad"]
    done = found.simulate(box)
    np.testing.assert_allclose(done.outputs["arm"], np.repeat([[0.5], [0.45], [0.55]], 41, axis=1), rtol=1e-6)
    np.testing.assert_array_equal(done.outputs["twice"], 2 * done.outputs["rod.angle"])
    alone = found.simulate({name: values[1:2] for name, values in box.items()})
    np.testing.assert_array_equal(alone.outputs["arm"][0], done.outputs["arm"][1])


def test_every_output_is_listed_with_its_unit():
    found = outputs_of(study_of())
    assert found["deviation"].unit == "m" and found["deviation"].over_time and found["share"].kind == "number"
    assert found["share"].formulas == tuple(FORMULAS.items())


@pytest.mark.parametrize(
    "method", [uq.MonteCarlo(samples=16), uq.PCE(degree=2, samples=32), uq.Grid(points=3), uq.Vertex()], ids=lambda one: one.name
)
def test_methods_treat_a_derived_output_as_any_other(method, tmp_path):
    runs = study_of(["deviation:max", "share"], method=method).run(out=tmp_path / "r", progress=False, report=False).runs.load()
    np.testing.assert_allclose(runs["deviation:max"], np.maximum(runs["input:a"], runs["input:b"]) - 1.0, rtol=1e-12)
    assert Path(tmp_path / "r" / "study.toml").read_text().count("hypot") == 1


@pytest.mark.usefixtures("tried_here")
@pytest.mark.parametrize("arrays", [False, True], ids=["numbers", "arrays"])
def test_a_derived_output_does_not_hide_one_of_the_model(arrays, write_study, uqmbd, tmp_path):
    def model(a, b):
        return {"x": a, "y": b}

    model = uq.vectorized(model) if arrays else model
    with pytest.raises(StudyError, match="the model has an output 'y' of its own, which the formula would hide") as raised:
        study_of(["y"], {"y": "2 * x"}, model=model, time=None).run(out=tmp_path / "r", progress=False)
    assert (raised.value.key, raised.value.value) == ("outputs.derived.y", "2 * x") and "y_derived" in raised.value.remedy
    if not arrays:
        said = uqmbd("check", str(write_study(('["x", "peak", "x:rms"]', '["peak"]\nderived = { peak = "x:max" }'))))[1]
        assert "study.toml" in said and 'outputs.derived.peak = "x:max"' in said and "peak_derived" in said


def test_a_derived_output_does_not_hide_one_of_a_mechanism(tmp_path):
    (tmp_path / "model.py").write_text(PENDULUM)
    derived = Derived.of({"rod.x": "2 * rod.y"}, {})
    model = find_model("model.py:pendulum", tmp_path)
    model = type(model)(**{**vars(model), "derived": derived})
    with pytest.raises(StudyError, match=r"has an output 'rod\.x' of its own"):
        simulator_at(SimulatorSpec(model, ["rod.x"], TIME, {"length": np.ones(1), "angle": np.zeros(1)}, {}))


# methods that ask something of it -----------------------------------------------------------------------------------------------------
def test_a_calibration_to_readings_of_a_derived_output(tmp_path):
    """Readings of the deviation, in mm and between the times of the study: a and b are found again, also from the number of it."""
    at = 2 * np.pi * np.arange(0.013, 1.0, 0.05)
    told = 1e3 * np.hypot(0.13 * np.cos(at), 0.04 * np.sin(at))
    rows = "\n".join(f"{t / (2 * np.pi)},{y}" for t, y in zip(at, told, strict=True))
    (tmp_path / "measured.csv").write_text(f"time,deviation [mm]\n{rows}\n")
    result = study_of(["deviation"], method=uq.Calibrate(data=str(tmp_path / "measured.csv"), starts=3)).run(
        out=tmp_path / "r", progress=False, report=False
    )
    assert result.attrs["estimate"]["a"] == pytest.approx(1.13, abs=1e-6) and result.attrs["estimate"]["b"] == pytest.approx(1.04, abs=1e-6)
    assert result.statistics["deviation"].attrs["unit"] == "m" and result.attrs["rms_residual"]["deviation"] < 1e-8


@pytest.mark.parametrize("approach", ["form", "subset", "montecarlo"])
def test_the_probability_that_a_derived_output_passes_a_limit(approach, tmp_path):
    """The largest deviation is a - 1 wherever a is above b: uniform from 1.1 to 1.2 it passes 0.19 with one in ten."""
    more = {} if approach == "form" else {"samples": 2000 if approach == "subset" else 4000}
    method = uq.Reliability(approach=approach, output="deviation:max", above=0.19, **more)
    found = study_of(["deviation:max"], method=method, time=uq.TimeGrid(end=1.0, points=5)).run(out=tmp_path, progress=False, report=False)
    assert float(found.statistics["deviation:max"].sel(statistic="probability")) == pytest.approx(
        0.1, abs=1e-3 if approach == "form" else 0.02
    )


TWINS = """
import flexmbd as fm

def twins(length, extra):
    s = fm.System(gravity=(0.0, -9.81))
    for name, l in (("rod", length + extra), ("twin", length)):
        body = s.body(name, mass=1.0, inertia=0.1, position=(l / 2, 0.0), points={"pin": (-l / 2, 0.0), "tip": (l / 2, 0.0)})
        s.add(fm.Revolute(name + "_pin", s.ground.at(0.0, 0.0), body["pin"]))
    return s
"""


def test_the_deviation_of_a_mechanism_from_its_twin(tmp_path):
    """Of a rod that is a little too long, from the one as it should be, in one system; the largest of runs and times."""
    (tmp_path / "model.py").write_text(TWINS)
    parts = ["rod.tip.x", "rod.tip.y", "twin.tip.x", "twin.tip.y"]
    inputs = {"length": uq.Interval(0.9, 1.1, unit="m"), "extra": uq.Interval(0.0, 2.0, unit="mm")}
    study = uq.Study(
        model=f"{tmp_path}/model.py:twins", inputs=inputs, outputs=["off", "off:max", *parts], method=uq.Vertex(), name="twins",
        derived={"off": "hypot(rod.tip.x - twin.tip.x, rod.tip.y - twin.tip.y)"}, time=uq.TimeGrid(end=0.5, points=26),
        campaign={"workers": 0},
    )  # fmt: skip
    result = study.run(out=tmp_path / "r", progress=False, report=False)
    x, y, ideal_x, ideal_y = (result.runs[name].values for name in parts)
    off = np.hypot(x - ideal_x, y - ideal_y)
    np.testing.assert_allclose(off[:, 0], result.runs["input:extra"], atol=1e-12)
    np.testing.assert_allclose(result.bounds["off"], [off.min(axis=0), off.max(axis=0)], rtol=1e-12)
    assert float(result.bounds["off:max"].sel(bound="upper")) == off.max() > 0.002 and result.bounds["off"].attrs["unit"] == "m"
