"""`uqmbd check` does not wait for ever, and says what its trial runs met."""

from dataclasses import dataclass
from io import StringIO

import numpy as np
from rich.console import Console

import uqmbd
from uqmbd.outcomes import Outcomes, OutputInfo
from uqmbd.study import cost

SENTENCE = "left at t = 0.12 s after 29309 steps: the time that was given is over; take integrator = 'generalized_alpha' [solver]"


@dataclass(frozen=True)
class Endless:
    """A simulator that is done with nothing when its patience ends."""

    width = 4
    patience: float | None = None

    def simulate(self, samples):
        """All are left."""
        assert self.patience == 7.0, "without a limit this would hang"
        count = len(samples["a"])
        return Outcomes({"y": np.full(count, np.nan)}, np.full(count, 2, np.int8), [SENTENCE] * count, {})


class Trial:
    """Stands for that of `uqmbd.study.running`."""

    info = {"y": OutputInfo("m", None)}

    def __init__(self, study):
        self.study = study

    def checked(self):
        return Endless()


def square(a):
    """y = a²."""
    return {"y": a * a}


def test_trial_runs_have_a_limit_and_say_what_they_met(monkeypatch):
    monkeypatch.setattr(cost, "Trial", Trial)
    monkeypatch.setattr(cost, "LONGEST", 1e-12)  # one batch
    study = uqmbd.Study(model=square, inputs={"a": uqmbd.Interval(0.0, 1.0)}, outputs=["y"], method=uqmbd.Chebyshev(degree=3))
    found = study.check(patience=7.0)
    assert found.tried == {"timeout": 4} and found.message == SENTENCE
    page = StringIO()
    Console(file=page, width=300).print(found.table())
    assert SENTENCE in page.getvalue() and "more than" in page.getvalue()
