"""Any Python function as the simulator: called run by run, a dict of numbers or arrays over time comes back."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from uqmbd.errors import StudyError, did_you_mean
from uqmbd.outcomes import ERROR, TIMEOUT, Outcomes, OutputInfo, sample_count
from uqmbd.simulators.limit import RunTimeout, time_limit
from uqmbd.simulators.model import Model, describe

REDUCTIONS: dict[str, Callable[[np.ndarray, np.ndarray], float]] = {
    "max": lambda y, t: y.max(),
    "min": lambda y, t: y.min(),
    "abs_max": lambda y, t: np.abs(y).max(),
    "mean": lambda y, t: np.trapezoid(y, t) / (t[-1] - t[0]),
    "rms": lambda y, t: np.sqrt(np.trapezoid(y * y, t) / (t[-1] - t[0])),
    "final": lambda y, t: y[-1],
    "time_of_max": lambda y, t: t[np.argmax(y)],
    "time_of_min": lambda y, t: t[np.argmin(y)],
}


class BadOutput(Exception):
    """What the function returned is not what the study asks for."""


@dataclass(frozen=True)
class FunctionSimulator:
    """A black box of keyword arguments.

    Attributes
    ----------
    model : Model
        Where the function is.
    names : tuple of str
        Outputs, ``"name"`` or ``"name:reduction"`` (a reduction over the time grid).
    time : ndarray of shape (points,) or None
        The study's time grid [s]; handed to the function if it has a parameter `time`.
    info : dict of str to OutputInfo
        Which outputs are histories, from a trial run.
    timeout : float, optional
        Longest time a run may take [s].
    """

    width: ClassVar[int] = 1

    model: Model
    names: tuple[str, ...]
    time: np.ndarray | None = None
    info: dict[str, OutputInfo] = field(default_factory=dict)
    timeout: float | None = None

    def check(self, samples: Mapping[str, np.ndarray]) -> dict[str, OutputInfo]:
        """What the outputs are; runs the first sample unless the trial run that made this simulator has said so."""
        if self.info:
            return self.info
        raw = call(self.model.load(), {key: float(values[0]) for key, values in samples.items()}, self.time)
        return output_info(raw, self.names, self.time)

    def simulate(self, samples: Mapping[str, np.ndarray]) -> Outcomes:
        """Run the samples one by one; an exception, a NaN or a wrong shape is that run's failure."""
        function = self.model.load()
        n = sample_count(samples)
        info = self.info or self.check(samples)
        points = 0 if self.time is None else len(self.time)
        outputs = {name: np.full((n, points) if info[name].history else n, np.nan) for name in self.names}
        status = np.zeros(n, np.int8)
        message = [""] * n
        for i in range(n):
            try:
                with time_limit(self.timeout):
                    raw = call(function, {key: float(values[i]) for key, values in samples.items()}, self.time)
                row = {name: pick(raw, name, self.names, self.time, info[name].history) for name in self.names}
            except RunTimeout as error:
                status[i], message[i] = TIMEOUT, str(error)
            except BadOutput as error:
                status[i], message[i] = ERROR, str(error)
            except (Exception, SystemExit) as error:
                status[i], message[i] = ERROR, f"the model raised {describe(error)}"
            else:
                for name, value in row.items():
                    outputs[name][i] = value
        return Outcomes(outputs, status, message, {"simulator": "function"})


def call(function: Callable[..., Any], inputs: Mapping[str, Any], time: np.ndarray | None) -> Any:
    """Call the function with its inputs, and with the time grid if it has a parameter `time`; a recursion limit it sets ends with it."""
    more = {"time": time.copy()} if time is not None and "time" not in inputs and wants_time(function) else {}
    limit = sys.getrecursionlimit()
    try:
        return function(**inputs, **more)
    finally:
        sys.setrecursionlimit(limit)


def wants_time(function: Callable[..., Any]) -> bool:
    """True if the function has a parameter named `time`."""
    try:
        return "time" in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False


def lookup(raw: Any, name: str, names: tuple[str, ...]) -> np.ndarray:
    """The array the function returned for the base name of an output."""
    base = name.partition(":")[0]
    if raw is None:
        raise BadOutput("the model returned nothing (None); end it with a `return` of its outputs")
    if not isinstance(raw, Mapping):
        if len({n.partition(":")[0] for n in names}) != 1:
            raise BadOutput(f"the model returned {type(raw).__name__}, not a dict of outputs")
        raw = {base: raw}
    if base not in raw:
        raise BadOutput(f"the model returned no output {base!r} (it returned {', '.join(map(str, raw)) or 'nothing'})")
    values, _ = with_unit(raw[base])
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise BadOutput(f"output {base!r} is not a number or an array of numbers but {type(values).__name__}") from None


def with_unit(value: Any) -> tuple[Any, str]:
    """What a model returned for an output, and its unit: ``(values, "N")``, or values alone, which have none."""
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[1], str):
        return value
    return value, ""


def unit_of(raw: Any, name: str) -> str:
    """The unit that the model gives an output; of a time at which something happens, the second."""
    base, _, reduction = name.partition(":")
    if reduction.startswith("time_of_"):
        return "s"
    return with_unit(raw[base] if isinstance(raw, Mapping) else raw)[1]


def pick(raw: Any, name: str, names: tuple[str, ...], time: np.ndarray | None, history: bool) -> np.ndarray | float:
    """One output of one run, checked: right shape, all finite, reduced over time if its name says so."""
    value = lookup(raw, name, names)
    reduction = name.partition(":")[2]
    expected = (len(time),) if time is not None and (history or reduction) else ()
    if value.shape != expected:
        raise BadOutput(f"output {name!r} has shape {value.shape} where {expected} is expected")
    bad = int(np.count_nonzero(~np.isfinite(value)))
    if bad:
        raise BadOutput(f"output {name!r} is NaN or infinite" + (f" at {bad} of {value.size} times" if value.ndim else ""))
    return REDUCTIONS[reduction](value, time) if reduction else value


def output_info(raw: Any, names: tuple[str, ...], time: np.ndarray | None) -> dict[str, OutputInfo]:
    """Which outputs are histories, from what one run returned; `StudyError` names an output that cannot be had."""
    info = {}
    for name in names:
        known_reduction(raw, name)
        try:
            history = lookup(raw, name, names).ndim > 0 and ":" not in name
            pick(raw, name, names, time, history)
        except BadOutput as error:
            raise StudyError(str(error), key="outputs.include", value=name, remedy=shape_remedy(time)) from None
        info[name] = OutputInfo(unit_of(raw, name), history)
    return info


def known_reduction(raw: Any, name: str) -> None:
    """`StudyError` for an output that the model did not return, or a reduction that there is not."""
    base, _, reduction = name.partition(":")
    if isinstance(raw, Mapping) and base not in raw:
        raise StudyError(
            f"the model has no output {base!r}", key="outputs.include", value=name, remedy=did_you_mean(base, raw, noun="output")
        )
    if reduction and reduction not in REDUCTIONS:
        raise StudyError(
            f"there is no reduction {reduction!r}", key="outputs.include", value=name, remedy=did_you_mean(reduction, REDUCTIONS)
        )


def shape_remedy(time: np.ndarray | None) -> str:
    """What a model's outputs have to look like."""
    if time is None:
        return "return a finite number for it, or give the study a [time] section for outputs over time"
    return f"return a finite number for it, or {len(time)} finite numbers, one for each time"
