"""Adapters: black-box functions, commands, and flexmbd systems."""

import pickle
import sys

import numpy as np
import pytest

import uqmbd as uq
from uqmbd.errors import StudyError
from uqmbd.outcomes import ERROR, OK, TIMEOUT
from uqmbd.simulators.detect import SimulatorSpec, make_simulator
from uqmbd.simulators.lanes import LanesSimulator
from uqmbd.simulators.model import find_model

TIME = np.linspace(0.0, 1.0, 101)
PENDULUM = """
import flexmbd as fm

def pendulum(length, angle):
    system = fm.System(gravity=(0.0, -9.81))
    rod = system.body("rod", mass=1.0, inertia=0.1, position=(length / 2, 0.0), points={"pin": (-length / 2, 0.0)})
    system.add(fm.Revolute("pin", system.ground.at(0.0, 0.0, "pin"), rod["pin"]))
    return system
"""


def model_file(folder, text, name="f"):
    (folder / "model.py").write_text(text)
    return find_model(f"model.py:{name}", folder)


def simulator_of(function, names, time=TIME, samples=None, **settings):
    samples = samples or {"a": np.array([1.0])}
    return make_simulator(SimulatorSpec(find_model(function, None), names, time, samples, settings))


def test_histories_scalars_and_reductions():
    simulator = simulator_of(lambda a, time: {"y": a * time, "z": 2 * a}, ["y", "z", "y:max", "y:rms", "y:time_of_max", "y:mean"])
    found = simulator.simulate({"a": np.array([1.0, -3.0])})
    assert {name: info.over_time for name, info in simulator.check({}).items()}["y"]
    np.testing.assert_array_equal(found.outputs["y"], [TIME, -3 * TIME])
    np.testing.assert_array_equal(found.outputs["z"], [2.0, -6.0])
    np.testing.assert_allclose(found.outputs["y:rms"], np.array([1.0, 3.0]) / np.sqrt(3), rtol=1e-4)
    np.testing.assert_allclose(found.outputs["y:mean"], [0.5, -1.5])
    assert found.outputs["y:max"].tolist() == [1.0, 0.0] and found.outputs["y:time_of_max"].tolist() == [1.0, 0.0]
    assert found.status.tolist() == [OK, OK]


def test_time_is_optional_and_a_bare_number_will_do():
    assert simulator_of(lambda a: 3 * a, ["y"], time=None).simulate({"a": np.array([2.0])}).outputs["y"].tolist() == [6.0]


def test_a_run_fails_alone():
    def model(a, time):
        if a == 2:
            raise ZeroDivisionError("a is two")
        return {"y": time if a < 4 else time[1:] if a < 5 else np.nan * time}

    found = simulator_of(model, ["y"]).simulate({"a": np.arange(1.0, 6.0)})
    assert found.status.tolist() == [OK, ERROR, OK, ERROR, ERROR]
    assert "ZeroDivisionError: a is two" in found.message[1] and "test_simulators.py" in found.message[1]
    assert "shape (100,)" in found.message[3]
    assert "NaN or infinite at 101 of 101 times" in found.message[4]
    assert np.isnan(found.outputs["y"][[1, 3, 4]]).all() and np.isfinite(found.outputs["y"][[0, 2]]).all()


@pytest.mark.parametrize("wrong", [TIME * 1j, uq.Curve(TIME * 1j, TIME, "x"), np.full(len(TIME), np.datetime64("2020-01-01")), 2j])
def test_what_is_not_real_is_no_output(wrong):
    with pytest.raises(uq.StudyError, match=r"'y' is not a real number or an array of real numbers but (complex128|datetime64)"):
        simulator_of(lambda a: {"y": wrong}, ["y"])


@pytest.mark.parametrize("masked", [np.ma.masked, np.ma.array(TIME, mask=TIME > 0.5), np.ma.array([1] * len(TIME), mask=True)])
def test_what_is_masked_is_no_number(masked):
    found = simulator_of(lambda a: {"y": TIME if masked is not np.ma.masked else 1.0} if a < 2 else {"y": masked}, ["y"])
    assert found.simulate({"a": np.array([1.0, 3.0])}).status.tolist() == [OK, ERROR]


def test_a_whole_batch_that_raises_is_halved():
    from uqmbd.campaign.batches import Task
    from uqmbd.campaign.worker import Job, run_safely
    from uqmbd.outcomes import Outcomes

    class Fragile:
        width = 4
        calls = 0

        def simulate(self, samples):
            self.calls += 1
            if 13.0 in samples["a"]:
                raise RuntimeError("thirteen")
            return Outcomes({"y": samples["a"]}, np.zeros(len(samples["a"]), np.int8), [""] * len(samples["a"]))

    simulator = Fragile()
    found = run_safely(Job(simulator, ("y",), {"y": ()}, "float64"), Task({"a": np.arange(100.0)}))
    assert np.flatnonzero(found.status).tolist() == [13]
    assert "thirteen" in found.message[13] and np.isnan(found.outputs["y"][13])
    assert simulator.calls < 20


def test_a_file_that_a_model_names_is_part_of_it(tmp_path):
    (tmp_path / "data.csv").write_text("1.0\n")
    source = "from pathlib import Path\nDATA = Path(__file__).parent / 'data.csv'\n"
    source += "def f(a):\n    return {'y': a * float(DATA.read_text())}\n"
    digest = model_file(tmp_path, source).digest
    assert find_model("model.py:f", tmp_path).digest == digest
    (tmp_path / "data.csv").write_text("2.0\n")
    assert find_model("model.py:f", tmp_path).digest != digest


def test_a_file_model_can_be_pickled_and_knows_its_sources(tmp_path):
    (tmp_path / "helper_of_model.py").write_text("SCALE = 2.0\ndef scaled(a):\n    return SCALE * a\n")
    model = model_file(tmp_path, "from helper_of_model import scaled\ndef f(a):\n    return {'y': scaled(a)}\n")
    assert pickle.loads(pickle.dumps(model)).load()(2.0) == {"y": 4.0}
    digest = model.digest
    (tmp_path / "helper_of_model.py").write_text("SCALE = 3.0\ndef scaled(a):\n    return SCALE * a\n")
    assert find_model("model.py:f", tmp_path).digest != digest
    sys.path.remove(str(tmp_path))
    del sys.modules["helper_of_model"]


def test_closures_differ():
    def make(scale):
        return lambda a: {"y": scale * a}

    assert find_model(make(1.0), None).digest == find_model(make(1.0), None).digest
    assert find_model(make(1.0), None).digest != find_model(make(2.0), None).digest


SOLVER = """
import json, sys
values = dict(line.split("=") for line in open("input.txt"))
k, c = float(values["k"]), float(sys.argv[1])
if k > 10.9:
    sys.exit("spring too stiff")
t = [i / 10 for i in range(31)]
json.dump({"time": t, "x": [k * s for s in t], "energy": c}, open("result.json", "w"))
"""


@pytest.mark.parametrize("kind", ["json", "csv"])
def test_command(kind, write_study, tmp_path):
    import uqmbd as uq

    template = tmp_path / "template"
    template.mkdir()
    (template / "input.txt").write_text("k={{k}}\nc={{c}}\n")
    program = SOLVER
    if kind == "csv":
        program = program.replace(
            'json.dump({"time": t, "x": [k * s for s in t], "energy": c}, open("result.json", "w"))',
            'open("out.csv", "w").write("time,x,energy\\n" + "".join(f"{s!r},{k * s!r},{c!r}\\n" for s in t))',
        )
    (template / "solve.py").write_text(program)
    command = f'command = ["{sys.executable}", "solve.py", "{{{{c}}}}"]\ntemplate = "template"'
    command += '\nresult = "out.csv"' if kind == "csv" else ""
    outputs = '["x"]' if kind == "csv" else '["x", "energy"]'
    changes = [
        ('model = "model.py:oscillator"', command),
        ('["x", "peak", "x:rms"]', outputs),
        ("samples = 40", "samples = 12"),
        ("seed = 3", "seed = 3\ntimeout = 20.0"),
    ]
    runs = uq.Study.from_file(write_study(*changes)).run(out=tmp_path / "r").runs.load()
    k = runs["input:k"].values
    failed = k > 10.9
    assert np.array_equal(runs["status"].values == ERROR, failed)
    assert all("spring too stiff" in message for message in runs["message"].values[failed])
    np.testing.assert_allclose(runs["x"].values[~failed], np.outer(k[~failed], runs["time"]), rtol=1e-6)


def test_command_times_out():
    from uqmbd.outcomes import OutputInfo
    from uqmbd.simulators.command import Command
    from uqmbd.simulators.function import FunctionSimulator
    from uqmbd.simulators.model import Model

    model = Model("sleep", "", bare=Command(("sleep", "{{a}}"), "", "result.json", timeout=0.1))
    found = FunctionSimulator(model, ("y",), None, {"y": OutputInfo("", None)}).simulate({"a": np.array([10.0, 0.0])})
    assert found.status.tolist() == [TIMEOUT, ERROR]
    assert found.message == ["stopped after 0.1 s", "the model raised CommandFailed: the program left no file result.json"]


def systems(tmp_path, text=PENDULUM):
    return model_file(tmp_path, text, "pendulum")


BOX = {"length": np.array([1.0, 0.9, 1.1]), "angle": np.array([0.1, 0.2, 0.3])}


def test_a_function_that_returns_a_system_goes_to_the_lanes(tmp_path):
    simulator = make_simulator(SimulatorSpec(systems(tmp_path), ["rod.angle"], TIME, BOX, {"tolerance": 1e-8}))
    assert isinstance(simulator, LanesSimulator)
    info = simulator.check(BOX)
    assert info["rod.angle"].unit == "rad" and info["rod.angle"].over_time
    found = pickle.loads(pickle.dumps(simulator)).simulate(BOX)
    assert found.outputs["rod.angle"].shape == (3, 101) and found.status.tolist() == [OK] * 3


@pytest.mark.parametrize(
    ("names", "settings", "key", "value", "words"),
    [
        (["rod.angel"], {}, "outputs.include", "rod.angel", "rod.angle"),
        (["rod.angle:maxx"], {}, "outputs.include", "rod.angle:maxx", "max"),
        (["rod.angle"], {"tolerence": 1e-6}, "solver.tolerence", 1e-6, "tolerance"),
        (["rod.angle"], {"integrator": "rk5"}, "solver.integrator", "rk5", "rk4"),
    ],
)
def test_mistakes_in_a_system_study(names, settings, key, value, words, tmp_path):
    with pytest.raises(StudyError) as raised:
        make_simulator(SimulatorSpec(systems(tmp_path), names, TIME, BOX, settings)).check(BOX)
    assert (raised.value.key, raised.value.value) == (key, value)
    assert words in str(raised.value)


def test_a_changing_topology_is_refused(tmp_path):
    text = PENDULUM.replace("    return", "    if length > 1:\n        system.body('more', mass=1.0, inertia=0.1)\n    return")
    with pytest.raises(StudyError, match="topology") as raised:
        make_simulator(SimulatorSpec(systems(tmp_path, text), ["rod.angle"], TIME, BOX, {})).check(BOX)
    assert raised.value.key == "study.model" and raised.value.remedy
