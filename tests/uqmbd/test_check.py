"""`uqmbd check` does not wait for ever, whatever runs the model, and says what its trial runs met."""

import math
import sys
import time
from dataclasses import dataclass
from io import StringIO

import numpy as np
import pytest
from rich.console import Console

import uqmbd
from uqmbd.outcomes import Outcomes, OutputInfo
from uqmbd.simulators import detect
from uqmbd.study import measuring

SENTENCE = "left at t = 0.12 s after 29309 steps: the time that was given is over; take integrator = 'generalized_alpha' [solver]"


@dataclass(frozen=True)
class Endless:
    """A simulator that is done with nothing when its patience ends."""

    model: object = None
    width = 4
    patience: float | None = None

    def check(self, samples):
        """Says what its output is."""
        return {"y": OutputInfo("m", None)}

    def simulate(self, samples):
        """All are left."""
        assert self.patience == 7.0, "without a limit this would hang"
        count = len(samples["a"])
        return Outcomes({"y": np.full(count, np.nan)}, np.full(count, 2, np.int8), [SENTENCE] * count, {})


def square(a):
    """y = a²."""
    return {"y": a * a}


def test_trial_runs_have_a_limit_and_say_what_they_met(monkeypatch):
    monkeypatch.setattr(detect, "make_simulator", lambda spec: Endless())
    monkeypatch.setattr(measuring, "LONGEST", 1e-12)  # one batch
    monkeypatch.setattr(measuring, "packed", lambda work: (_ for _ in ()).throw(uqmbd.StudyError("it is run here")))
    study = uqmbd.Study(model=square, inputs={"a": uqmbd.Interval(0.0, 1.0)}, outputs=["y"], method=uqmbd.Chebyshev(degree=3))
    found = study.check(patience=7.0)
    assert found.tried == {"timeout": 4} and found.message == SENTENCE
    page = StringIO()
    Console(file=page, width=300).print(found.table())
    assert SENTENCE in page.getvalue() and "more than" in page.getvalue()


SLOW = """
import time
import numpy as np
from uqmbd.outcomes import Outcomes, OutputInfo

def trial(a):
    time.sleep(60)

def later(a):  # all but the trial, in the middle
    if np.ndim(a) or abs(a - 1.5) > 1e-9:
        time.sleep(60)
    return {"y": a}

def arrays(a):
    if len(a) > 4:  # the trial has 4 runs
        time.sleep(60)
    return {"y": a}

class Checks:
    width = 2
    def __init__(self, model, outputs, time, settings, timeout): pass
    def check(self, samples):
        time.sleep(60)
    def simulate(self, samples): pass

class Runs(Checks):
    def check(self, samples):
        return {"y": OutputInfo("m", None)}
    def simulate(self, samples):
        time.sleep(60)
"""
KINDS = {
    "trial": ({"model": "model.py:trial"}, False), "later": ({"model": "model.py:later"}, True),
    "arrays": ({"model": "model.py:arrays", "vectorized": True}, True),
    "a simulator's check": ({"simulator": "model.py:Checks"}, False), "a simulator's runs": ({"simulator": "model.py:Runs"}, True),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_patience_holds_whatever_runs_the_model(kind, tmp_path):
    (tmp_path / "model.py").write_text(SLOW)
    model, known = KINDS[kind]
    study = uqmbd.Study(
        **model, inputs={"a": uqmbd.Interval(1.0, 2.0)}, outputs=["y"], method=uqmbd.Chebyshev(degree=3), directory=tmp_path, name="s"
    )
    began = time.monotonic()
    found = study.check(patience=0.5)
    assert time.monotonic() - began < 30
    assert set(found.tried) == {"timeout"} and found.message == "left after 0.5 s"
    assert found.seconds_per_run > 0 and math.isnan(found.megabytes) != known
    assert (found.outputs["y"] == "not known") != known
    found.table()


def test_patience_holds_for_a_command(tmp_path):
    (tmp_path / "s.toml").write_text(
        f'[study]\ncommand = ["{sys.executable}", "-c", "import time; time.sleep(60)", "{{{{a}}}}"]\n[inputs.a]\ninterval = [1.0, 2.0]\n'
        '[outputs]\ninclude = ["y"]\n[method]\ntype = "vertex"\n'
    )
    began = time.monotonic()
    found = uqmbd.Study.from_file(tmp_path / "s.toml").check(patience=0.5)
    assert found.tried == {"timeout": 1} and time.monotonic() - began < 30


def test_a_model_that_is_quick_is_timed(tmp_path):
    study = uqmbd.Study(model=square, inputs={"a": uqmbd.Interval(0.0, 1.0)}, outputs=["y"], method=uqmbd.Chebyshev(degree=3))
    found = study.check()
    assert set(found.tried) == {"ok"} and found.seconds_per_run < 0.01 and found.outputs == {"y": "-, number"}


@pytest.mark.parametrize(
    ("method", "words"),
    [
        ('type = "montecarlo"\nsamples = 20\nuntil = { mean = "5 %", outputs = ["peek"] }', "there is no output 'peek'"),
        ('type = "montecarlo"\nsamples = 20\nuntil = { probability = "5 %" }', "no output that is looked at has a limit to be beyond"),
        ('type = "posterior"\nscalars = { peek = 1.0 }\ndeviations = { peek = 0.1 }', "no output 'peek'"),
    ],
)
def test_what_a_method_cannot_do_with_the_outputs_is_said_before_the_study_runs(write_study, uqmbd, method, words):
    code, output = uqmbd("check", write_study(('type = "montecarlo"\nsamples = 40', method)))
    assert code == 2 and words in output and "remedy" in output, output
