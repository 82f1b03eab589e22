"""Maps in one line as models: functions of arrays whose runs go on from others; and the continuation of the page of plug-ins."""

import doctest
import re
import sys
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

import uqmbd as uq
from uqmbd.methods.base import Method, count_failures
from uqmbd.methods.staged import FixedSampler
from uqmbd.outcomes import OutputInfo
from uqmbd.request import Request
from uqmbd.result import Result
from uqmbd.simulators.model import wrap_callable
from uqmbd.simulators.vectorized import VectorizedSimulator

STEPS = 40


class OrbitRun(FixedSampler):
    """Each of many inputs is iterated by itself, each iteration from the end of the one before."""

    def _plan(self):
        values = np.linspace(0.0, 1.0, self.settings.runs)
        n = len(values)
        for step in range(STEPS):
            start = None if not step else np.arange(n) + (step - 1) * n
            yield Request({name: one.ppf(values) for name, one in self.inputs.items()}, start=start, keep_state=True)

    def result(self):
        orbits = self.values[:, 0].reshape(STEPS, -1)
        return Result(attrs={"method": "orbit", "last": orbits[-1].tolist(), **count_failures(self.status)})


class Orbit(Method):
    name: ClassVar[str] = "orbit"
    accepts: ClassVar[frozenset] = frozenset({"interval"})
    runs: int = 16

    def planned_runs(self, inputs):
        return STEPS * self.runs, STEPS * self.runs

    def _start(self, *study):
        return OrbitRun(self, *study)


def logistic(r, start=None):
    x = r * 0.3 * 0.7 if start is None else r * start * (1.0 - start)
    return {"x": x, "state": x}


def henon(a, start=None):
    x, y = (0.0 * a, 0.0 * a) if start is None else (start["x"], start["y"])
    x, y = 1.0 - a * x * x + y, 0.3 * x
    return {"x": x, "state": {"x": x, "y": y}}


LOW, HIGH = {"r": uq.Interval(2.5, 4.0)}, {"a": uq.Interval(0.1, 1.4)}


def last_of(model, inputs, folder):
    study = uq.Study(model=model, inputs=inputs, outputs=["x"], method=Orbit(), name="orbit", campaign={"workers": 0, "seed": 1})
    return np.array(study.run(out=folder, report=False).attrs["last"])


def test_a_map_of_arrays_is_iterated_in_a_study(tmp_path):
    """To the last bit as in a loop of numpy, chaotic orbits among them; and as the same function called run by run."""
    r, x = LOW["r"].ppf(np.linspace(0.0, 1.0, 16)), 0.3
    for _ in range(STEPS):
        x = r * x * (1.0 - x) if np.ndim(x) else r * 0.3 * 0.7
    found = last_of(uq.vectorized(lambda r, start=None: logistic(r, start)), LOW, tmp_path / "arrays")
    assert np.array_equal(found, x) and np.array_equal(last_of(logistic, LOW, tmp_path / "runs"), x)


def test_a_state_may_have_several_arrays(tmp_path):
    a, x, y = HIGH["a"].ppf(np.linspace(0.0, 1.0, 16)), np.zeros(16), np.zeros(16)
    for _ in range(STEPS):
        x, y = 1.0 - a * x * x + y, 0.3 * x
    found = last_of(uq.vectorized(lambda a, start=None: henon(a, start)), HIGH, tmp_path / "arrays")
    np.testing.assert_allclose(found, x, rtol=0.0, atol=1e-12)


def simulator(model):
    return VectorizedSimulator(wrap_callable(model), ("x",), None, {"x": OutputInfo("", None)})


def test_runs_from_states_and_from_time_zero_in_one_batch():
    one, samples = simulator(logistic), {"r": np.array([3.0, 3.2, 3.4, 3.6])}
    found = one.go_on(samples, [None, 0.5, None, 0.25])
    assert found.outputs["x"].tolist() == [3.0 * 0.3 * 0.7, 3.2 * 0.25, 3.4 * 0.3 * 0.7, 3.6 * 0.25 * 0.75] == found.states


def test_a_run_that_raises_fails_alone_and_ends_nowhere():
    def fussy(r, start=None):
        if np.any(r > 3.5):
            raise ValueError("too much")
        return logistic(r, start)

    found = simulator(fussy).go_on({"r": np.array([3.0, 3.6, 3.4])}, [0.5, 0.5, 0.5])
    assert found.status.tolist() == [0, 3, 0] and found.states == [0.75, None, 0.85]


def test_a_state_that_is_not_over_the_runs_is_a_sentence():
    model = simulator(lambda r, start=None: {"x": r, "state": np.zeros(3)})
    with pytest.raises(uq.StudyError, match=r"called with 2 runs, and its 'state' has float64 of shape \(3,\)"):
        model.go_on({"r": np.zeros(2)}, [None, None])
    with pytest.raises(uq.StudyError, match="no parameter 'start'"):
        simulator(lambda r: {"x": r}).go_on({"r": np.zeros(2)}, [None, None])


PAGE = (Path(__file__).resolve().parents[2] / "docs" / "plugins.md").read_text(encoding="utf-8")


def test_the_continuation_of_the_page_of_plugins(tmp_path, monkeypatch):
    """Its folds are where they should be, up and down: runs have a level and start from others."""
    code, example = re.search(r"```python\n(# continuation\.py\n.*?)```\n```python\n(.*?)```", PAGE, re.S).groups()
    (tmp_path / "continuation.py").write_text(code)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    said: list[str] = []
    doctest.DocTestRunner().run(doctest.DocTestParser().get_doctest(example, {}, "plugins.md", None, None), out=said.append)
    sys.modules.pop("continuation", None)
    assert not said, "".join(said)
