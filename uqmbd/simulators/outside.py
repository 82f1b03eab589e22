"""A simulator from outside: made in each process anew, from the class that the study names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np

from uqmbd.errors import StudyError
from uqmbd.interrupts import of_the_model
from uqmbd.outcomes import STATUS, Axis, Outcomes, OutputInfo, sample_count
from uqmbd.simulators.base import Simulator, controlled
from uqmbd.simulators.folder import kept_folder
from uqmbd.simulators.function import as_array
from uqmbd.simulators.model import Model, describe


@dataclass
class OutsideSimulator:
    """What the class is called with; it is called when it is first needed.

    Attributes
    ----------
    model : Model
        Where the class is (`Model.simulator`), and the function that it is handed, if there is one.
    outputs : tuple of str
    time : ndarray of shape (points,) or None
        The study's time grid [s].
    settings : dict
        The section ``[solver]``.
    timeout : float, optional
        Longest time a run may take [s].
    step : float, optional
        Another fixed step than the settings have [s].
    control : dict of str to float
        What a method sets of runs besides their inputs.
    """

    model: Model
    outputs: tuple[str, ...]
    time: np.ndarray | None
    settings: dict[str, Any]
    timeout: float | None
    step: float | None = None
    control: Mapping[str, float] = field(default_factory=dict)

    @cached_property
    def made(self) -> Simulator:
        """The simulator; `StudyError` when it cannot be made, or is none."""
        assert self.model.simulator is not None
        label = self.model.simulator.label
        more = {"outputs": self.outputs, "time": self.time, "settings": dict(self.settings), "timeout": self.timeout}
        try:
            with kept_folder(self.model.simulator.load()):
                made = self.model.simulator.load()(model=None if self.model.is_simulator else self.model.load(), **more)
        except StudyError:
            raise
        except Exception as error:
            remedy = "it is called with model, outputs, time, settings and timeout by name"
            raise StudyError(f"making the simulator raises {describe(error)}", key="study.simulator", value=label, remedy=remedy) from error
        absent = [name for name in ("width", "check", "simulate") if getattr(made, name, None) is None]
        if absent:
            text = f"{type(made).__name__} is no simulator: it has no {' and no '.join(absent)}"
            raise StudyError(text, key="study.simulator", value=label, remedy="see uqmbd.simulators.base.Simulator")
        if not isinstance(made.width, Integral) or isinstance(made.width, bool) or made.width < 1:
            remedy = "let `width` be the number of runs that are done side by side, 1 or more"
            raise StudyError(f"the simulator's width is {made.width!r}", key="study.simulator", value=label, remedy=remedy)
        made = controlled(made, self.control)
        if self.step is None:
            return made
        if not hasattr(made, "with_step"):
            raise StudyError(f"{type(made).__name__} takes no other step", key="study.simulator", value=label)
        return made.with_step(self.step)

    def with_step(self, step: float) -> OutsideSimulator:
        """See `uqmbd.simulators.base.Stepping`."""
        return replace(self, step=step)

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in vars(self).items() if key != "made"}

    @property
    def width(self) -> int:
        """Runs that are done side by side."""
        return self.made.width

    def check(self, samples: Mapping[str, np.ndarray]) -> dict[str, OutputInfo]:
        """See `Simulator.check`; every output that is asked for has to be there."""
        assert self.model.simulator is not None
        label, made = self.model.simulator.label, self.made
        try:
            with kept_folder(made.check):
                said = made.check(samples)
        except StudyError:
            raise
        except BaseException as error:
            if not of_the_model(error):
                raise
            text = f"checking the model, the simulator raises {describe(error)}"
            raise StudyError(text, key="study.simulator", value=label, remedy="mend its `check`") from error
        if not isinstance(said, Mapping):
            remedy = "return a dict of uqmbd.outcomes.OutputInfo by output"
            raise StudyError(f"`check` returns {type(said).__name__}", key="study.simulator", value=label, remedy=remedy)
        found = dict(said)
        absent = [name for name in self.outputs if not isinstance(found.get(name), OutputInfo)]
        if absent:
            text = f"the simulator says nothing of the output '{absent[0]}'"
            raise StudyError(text, key="outputs.include", value=absent[0], remedy="have its `check` return an OutputInfo for each output")
        wrong = [name for name in self.outputs if not all(isinstance(axis, Axis) for axis in found[name].axes)]
        if wrong:
            remedy = "write OutputInfo(unit) for a history, OutputInfo(unit, None) for a number, OutputInfo(unit, Axis(...)) else"
            raise StudyError(f"the axis of the output '{wrong[0]}' is none", key="outputs.include", value=wrong[0], remedy=remedy)
        return {name: found[name] for name in self.outputs}

    def with_control(self, control: Mapping[str, float]) -> OutsideSimulator:
        """See `uqmbd.simulators.base.Controlled`."""
        return replace(self, control=dict(control))

    def go_on(self, samples: Mapping[str, np.ndarray], states: list[Any]) -> Outcomes:
        """See `uqmbd.simulators.base.Continuing`."""
        go_on = getattr(self.made, "go_on", None)
        if go_on is None:
            text = f"runs of {type(self.made).__name__} cannot go on from a state"
            raise StudyError(text, key="study.simulator", remedy="it needs what uqmbd.simulators.base.Continuing has")
        with kept_folder(go_on):
            return self.done(samples, go_on(samples, states))

    def simulate(self, samples: Mapping[str, np.ndarray]) -> Outcomes:
        """See `Simulator.simulate`."""
        with kept_folder(self.made.simulate):
            return self.done(samples, self.made.simulate(samples))

    def done(self, samples: Mapping[str, np.ndarray], found: Any) -> Outcomes:
        """What was returned for these runs; `StudyError` if it is not what a simulator returns."""
        n = sample_count(samples)
        try:
            return self.as_promised(found, n)
        except (TypeError, ValueError) as error:
            assert self.model.simulator is not None
            raise StudyError(
                f"for {n} runs the simulator returned {error}",
                key="study.simulator",
                value=self.model.simulator.label,
                remedy="return uqmbd.outcomes.Outcomes(outputs, status, message), with an array, a status and a sentence for each run",
            ) from error

    def as_promised(self, found: Any, n: int) -> Outcomes:
        """What was returned for `n` runs, outputs as arrays; TypeError or ValueError with the end of a sentence if it is not."""
        if not isinstance(found, Outcomes):
            raise TypeError(f"{type(found).__name__} instead of Outcomes")
        outputs = {}
        for name in self.outputs:
            if name not in found.outputs:
                raise ValueError(f"no output '{name}'")
            outputs[name] = as_array(found.outputs[name])
            if outputs[name].dtype.kind not in "fiu":
                raise TypeError(f"the output '{name}' as {outputs[name].dtype.name} instead of real numbers")
        status = np.asarray(found.status)
        if status.shape != (n,) or not np.isin(status, range(len(STATUS))).all():
            raise ValueError(f"as status not one number from 0 to {len(STATUS) - 1} for each run")
        if len(found.message) != n:
            raise ValueError(f"{len(found.message)} messages")
        return replace(found, outputs=outputs)
