"""Methods, simulators and kinds of input from outside that raise or answer nonsense: they are named, with their key."""

import re

import pytest

import uqmbd as uq
from uqmbd.errors import StudyError

METHOD = """
import numpy as np
from uqmbd.methods.base import Method
from uqmbd.outcomes import OutputInfo
from uqmbd.result import Result
import xarray as xr

class Run:
    def __init__(self):
        self.values, self.asked = [], False
    def ask(self):
        if self.asked:
            return None
        self.asked = True
        return {"k": np.array([9.5, 10.5]), "c": np.array([0.15, 0.16])}
    def tell(self, samples, outputs, status):
        self.values.append(outputs["y"])
    def result(self):
        return Result(inner=xr.Dataset({"y": (("bound",), np.array([0.0, 1.0]), {"unit": ""})}, {"bound": ["lower", "upper"]}))

class Mine(Method):
    name = "mine"
    accepts = frozenset({"interval"})
    def planned_runs(self, inputs):
        return 2, 2
    def _start(self, inputs, outputs, time, seed):
        return Run()
"""
CHANGES = (
    ("model.py:oscillator", "model.py:scalar"), ('["x", "peak", "x:rms"]', '["y"]'), ("[time]\nend = 2.0\npoints = 21\n", ""),
    ('distribution = { type = "uniform", lower = 9.0, upper = 11.0 }', "interval = [9.0, 11.0]"),
    ('distribution = { type = "uniform", lower = 0.1, upper = 0.2 }', "interval = [0.1, 0.2]"),
)  # fmt: skip
OURS = ('type = "montecarlo"\nsamples = 40', 'type = "mine.py:Mine"')
ASK = '{"k": np.array([9.5, 10.5]), "c": np.array([0.15, 0.16])}'
FAULTS = {
    "no runs are planned": ("return 2, 2", "return None", "plans None runs"),
    "planning raises": ("return 2, 2", "return 1 / 0", "raises ZeroDivisionError"),
    "starting raises": ("return Run()", "return 1 / 0", r"raises ZeroDivisionError: division by zero \(mine.py:\d+\)"),
    "nothing is started": ("return Run()", "return None", "starts NoneType, which has no ask"),
    "asking raises": (f"return {ASK}", "raise ValueError('oh')", r"raises ValueError: oh \(mine.py:\d+\)"),
    "asking answers a list": (ASK, "[1, 2]", "asks for list, where the study has k, c"),
    "an input is missing": (ASK, '{"k": np.array([9.5])}', "asks for the inputs k, where"),
    "an input is not there": (ASK, ASK[:-1] + ', "z": np.array([1.0, 2.0])}', "asks for the inputs k, c, z"),
    "columns differ in length": ("np.array([0.15, 0.16])", "np.array([0.15])", "asks for 2 of 'k', 1 of 'c'"),
    "no run is asked for": (ASK, '{"k": np.zeros(0), "c": np.zeros(0)}', "asks for 0 of 'k', 0 of 'c'"),
    "NaN": ("0.16]", "np.nan]", "asks for c = nan"),
    "outside the box": ("10.5]", "11.5]", r"asks for k = 11.5, which is not in its range from 9 to 11 \(SI\)"),
    "text": ("np.array([0.15, 0.16])", 'np.array(["a", "b"])', "asks for 'c' as"),
    "a table": ("np.array([0.15, 0.16])", "np.ones((2, 1))", r"shape \(2, 1\)"),
    "a number": ("np.array([0.15, 0.16])", "0.15", r"shape \(\)"),
    "telling raises": ("self.values.append(outputs", "self.values.append(1 / 0 + outputs", r"raises ZeroDivisionError: .* \(mine"),
    "the result raises": ("return Result(", "raise KeyError('y')\n        return Result(", "raises KeyError: 'y'"),
    "no result": ("return Result(", "return None and Result(", "has NoneType as its result"),
    "checking raises": ("def planned", "def check(self, inputs):\n        raise OSError('no')\n    def planned", "raises OSError: no"),
    "settings raise": ("def planned", "def model_post_init(self, _):\n        raise OSError('no')\n    def planned", "raises OSError: no"),
}  # fmt: skip


@pytest.fixture
def ask(write_study, uqmbd, tmp_path):
    """Run a study with a method from a file: its code and what is said."""

    def run(text):
        (tmp_path / "mine.py").write_text(text)
        return uqmbd("run", write_study(*CHANGES, OURS), "--out", "r")

    return run


def test_the_method_itself_is_sound(ask):
    assert ask(METHOD)[0] == 0


@pytest.mark.parametrize("fault", FAULTS)
def test_a_method_from_outside_is_named(fault, ask):
    old, new, said = FAULTS[fault]
    assert METHOD.count(old) == 1
    code, output = ask(METHOD.replace(old, new))
    assert code == 2 and "fault of uqmbd" not in output and "Traceback" not in output, output
    assert re.search(said, output) and "study.toml: method" in output and "mine.py:Mine" in output and "remedy: " in output, output


SIMULATOR = """
import numpy as np
from uqmbd.outcomes import Outcomes, OutputInfo

class Spring:
    width = 8
    def __init__(self, model, outputs, time, settings, timeout):
        self.outputs = outputs
    def check(self, samples):
        return {name: OutputInfo("N", None) for name in self.outputs}
    def simulate(self, samples):
        n = len(samples["k"])
        return Outcomes({name: np.ones(n) for name in self.outputs}, np.zeros(n, np.int8), [""] * n)
"""


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("width = 8", "width = 'a'", "width is 'a'"),
        ("width = 8", "width = 0", "width is 0"),
        ("return {name: Out", "return 1 / 0 or {name: Out", "checking the model, the simulator raises ZeroDivisionError"),
        ("return {name: Out", "raise GeneratorExit\n        return {name: Out", "checking the model, the simulator raises GeneratorExit"),
        ('return {name: OutputInfo("N", None) for name in self.outputs}', "return 3", "`check` returns int"),
        ("np.ones(n)", "np.ones(n, bool)", "as bool instead of real numbers"),
        ("np.ones(n)", "np.full(n, '1.5')", "instead of real numbers"),
    ],
)
def test_a_simulator_from_outside_is_named(old, new, said, write_study, uqmbd, tmp_path):
    (tmp_path / "sim.py").write_text(SIMULATOR.replace(old, new))
    study = write_study(*CHANGES[1:], ('model = "model.py:oscillator"', 'simulator = "sim.py:Spring"'), (OURS[0], 'type = "vertex"'))
    code, output = uqmbd("run", study, "--out", "r")
    assert code == 2 and said in output and "study.simulator" in output and "fault of uqmbd" not in output, output


INPUT = """
from uqmbd.inputs import Interval
import numpy as np

class Around(Interval):
    key = "around"
    @property
    def around(self):
        return [self.lower, self.upper]
    @classmethod
    def from_value(cls, value, unit):
        return cls(*value, unit=unit)
    def ppf(self, u):
        return super().ppf(u)
"""


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("return cls(", "raise KeyError('x')\n        return cls(", "the kind of input raises KeyError: 'x'"),
        ("return cls(", "return None and cls(", "the kind of input makes NoneType"),
        ("return super().ppf(u)", "return 0.15", "gives shape ()"),
        ("return super().ppf(u)", "return super().ppf(u) * np.nan", "beyond what a computer can hold"),
    ],
)
def test_a_kind_of_input_from_outside_is_named(old, new, said, write_study, uqmbd, tmp_path):
    (tmp_path / "around.py").write_text(INPUT.replace(old, new))
    study = write_study(*CHANGES[:-1], (CHANGES[-1][0], '"around.py:Around" = [0.1, 0.2]'), (OURS[0], 'type = "vertex"'))
    code, output = uqmbd("run", study, "--out", "r")
    assert code == 2 and said in output and "inputs.c" in output and "fault of uqmbd" not in output, output


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("'1.5'", "but text"), ("True", "but True or False"), ("b'1.5'", "but text"), ("np.array(['1', '2'])", "but text"),
        ("np.array([True, False])", "but True or False"), ("[True, '2']", "but text"),
        ("np.array([1.0, True], dtype=object)", "True and False"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("arrays", [False, True])
def test_text_and_truth_are_no_numbers(value, said, arrays, tmp_path):
    space = {}
    exec(f"import numpy as np\ndef f(a):\n    return {{'y': {value}}}", space)
    study = uq.Study(
        model=space["f"], inputs={"a": uq.Interval(1, 2)}, outputs=["y"], method=uq.Vertex(), vectorized=arrays,
        time=None if np_number(value) else uq.TimeGrid(end=1.0, points=2), campaign={"workers": 0},
    )  # fmt: skip
    with pytest.raises(StudyError, match=said) as caught:
        study.run(out=tmp_path / "r")
    assert caught.value.key == "outputs.include"


def np_number(value):
    """Whether a text is one of a single value."""
    return "[" not in value


def test_a_file_of_results_has_numbers_that_are_numbers(tmp_path):
    from uqmbd.outcomes import OutputInfo
    from uqmbd.simulators.command import Command
    from uqmbd.simulators.function import FunctionSimulator
    from uqmbd.simulators.model import Model

    for value in ('"1.5"', "true", '["1", 2]'):
        command = Command(("sh", "-c", f'echo \'{{"y": {value}, "a": {{{{a}}}}}}\' > result.json'), "", "result.json")
        found = FunctionSimulator(Model("x", "x", bare=command), ("y",), None, {"y": OutputInfo("", None)}).simulate({"a": [1.0]})
        assert found.status.tolist() == [3] and "is not a real number" in found.message[0]
