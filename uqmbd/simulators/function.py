"""Any Python function as the simulator: called run by run, a dict of numbers or arrays over time comes back."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from uqmbd.errors import StudyError, did_you_mean
from uqmbd.interrupts import of_the_model
from uqmbd.outcomes import AT_MOST_ONE, ERROR, NONNEGATIVE, OK, TIME, TIMEOUT, Axis, Outcomes, OutputInfo, sample_count
from uqmbd.simulators.apart import AWAY
from uqmbd.simulators.controls import require_start, with_control
from uqmbd.simulators.curve import alike, check_axis, reductions_over, taken
from uqmbd.simulators.events import COUNT, PURE, fault_of, is_field_or_events, padded, reduce_values, shape_of, why_none
from uqmbd.simulators.folder import kept_folder
from uqmbd.simulators.limit import RunTimeout, time_limit
from uqmbd.simulators.limited import Run, runs_of
from uqmbd.simulators.model import Model, describe
from uqmbd.simulators.windows import NotTurned, OutputName, check_reduction, read_name, reduced

NOT_REAL = "cmMbUS"  # kinds of arrays that numpy would turn into numbers: complex ones, times, dates, True and text


class BadOutput(Exception):
    """What the function returned is not what the study asks for."""


LIMITS = {"nonnegative": (NONNEGATIVE, "cannot be negative"), "at_most_one": (AT_MOST_ONE, "cannot exceed one")}


@dataclass(frozen=True)
class FunctionSimulator:
    """A black box of keyword arguments.

    Attributes
    ----------
    model : Model
        Where the function is.
    names : tuple of str
        Outputs, ``"name"`` or ``"name:reduction"`` (a reduction over the time grid, or over the output's own axis).
    time : ndarray of shape (points,) or None
        The study's time grid [s]; handed to the function if it has a parameter `time`.
    info : dict of str to OutputInfo
        What the outputs are over, from a trial run.
    timeout : float, optional
        Longest time a run may take [s]. Then a process of their own makes the runs (`limited`); a command sees to it itself.
    limits : dict of str to str
        What the model says that its outputs cannot pass, see `declared`.
    """

    width = 1

    model: Model
    names: tuple[str, ...]
    time: np.ndarray | None = None
    info: dict[str, OutputInfo] = field(default_factory=dict)
    timeout: float | None = None
    limits: dict[str, str] = field(default_factory=dict)

    def check(self, samples: Mapping[str, np.ndarray]) -> dict[str, OutputInfo]:
        """What the outputs are; runs the first sample unless the trial run that made this simulator has said so."""
        if self.info:
            return self.info
        function = self.model.load()
        raw = call(function, {key: float(values[0]) for key, values in samples.items()}, self.time)
        return output_info(raw, self.names, self.time, may_miss(function, raw))

    def with_control(self, control: Mapping[str, float]) -> FunctionSimulator:
        """See `uqmbd.simulators.base.Controlled`: the function gets them as arguments."""
        return replace(self, model=with_control(self.model, control))

    def go_on(self, samples: Mapping[str, np.ndarray], states: list[Any]) -> Outcomes:
        """See `uqmbd.simulators.base.Continuing`: the function gets a state as ``start``, and returns another one as ``state``."""
        require_start(self.model)
        return self.simulate(samples, states)

    def simulate(self, samples: Mapping[str, np.ndarray], states: list[Any] | None = None) -> Outcomes:
        """Run the samples one by one; an exception, a NaN or a wrong shape is that run's failure."""
        n = sample_count(samples)
        info = self.info or self.check(samples)
        points = 0 if self.time is None else len(self.time)
        outputs: dict[str, Any] = {name: np.full((n, *info[name].shape(points)), np.nan) for name in self.names}
        events = [name for name in self.names if info[name].shape(points) == (0,)]
        outputs |= {name: [np.empty(0)] * n for name in events}
        status, message = np.zeros(n, np.int8), [""] * n
        ready = self if self.info else replace(self, info=info)
        ends: list[Any] = [None] * n
        for i, run in enumerate(ready.runs(samples, states)):
            status[i], message[i], ends[i] = run.status, run.message, run.state
            for name, value in run.outputs.items():
                outputs[name][i] = value
        outputs |= {name: padded(outputs[name]) for name in events}
        return Outcomes(outputs, status, message, {"simulator": "function", **self.limits}, None if states is None else ends)

    def runs(self, samples: Mapping[str, np.ndarray], states: list[Any] | None = None) -> Iterator[Run]:
        """The runs of a batch one by one, in this process or, where they have a limit of time, in another one."""
        if self.timeout is not None and not self.model.fixed and not AWAY:
            yield from runs_of(self, samples, states)
            return
        function = self.model.load()
        for i in range(sample_count(samples)):
            yield self.run(function, {key: float(values[i]) for key, values in samples.items()}, states and [states[i]])

    def run(self, function: Callable[..., Any], inputs: dict[str, float], start: list[Any] | None = None) -> Run:
        """One run, from a state if there is one in `start`; what it raises is its failure."""
        try:
            with time_limit(None if self.model.fixed else self.timeout):
                raw = call(function, inputs if start is None else {**inputs, "start": start[0]}, self.time)
            outputs = {name: pick(raw, name, self.names, self.time, self.info[name]) for name in self.names}
            return Run(OK, "", outputs, None if start is None or not isinstance(raw, Mapping) else raw.get("state"))
        except RunTimeout as error:
            return Run(TIMEOUT, str(error), {})
        except BadOutput as error:
            return Run(ERROR, str(error), {})
        except BaseException as error:
            if not of_the_model(error):
                raise
            return Run(ERROR, f"the model raised {describe(error)}", {})


def call(function: Callable[..., Any], inputs: Mapping[str, Any], time: np.ndarray | None) -> Any:
    """Call the function with its inputs, and with the time grid if it has a parameter `time`.

    Afterwards the recursion limit and the working folder are those of before.
    """
    more = {"time": time.copy()} if time is not None and "time" not in inputs and wants_time(function) else {}
    limit = sys.getrecursionlimit()
    try:
        with kept_folder(function):
            return function(**inputs, **more)
    finally:
        sys.setrecursionlimit(limit)


def declared(function: Callable[..., Any], known: Mapping[str, Any] | None = None) -> dict[str, str]:
    """What a model says that its outputs cannot pass, in its attributes ``nonnegative`` and ``at_most_one``, as attributes of outcomes.

    Their bounds end there, those of reductions too.

    Raises
    ------
    StudyError
        When it is no list of names, or names what is not among the `known` outputs.
    """
    found = {attribute: named_by(function, key, words, known) for key, (attribute, words) in LIMITS.items()}
    return {attribute: ", ".join(said) for attribute, said in found.items() if said}


def may_miss(function: Callable[..., Any], raw: Any = None) -> list[str]:
    """Outputs that a model says its runs may lack, in its attribute ``may_miss``; `raw` is what it has returned."""
    return named_by(function, "may_miss", "may be missing", raw if isinstance(raw, Mapping) else None)


def named_by(function: Callable[..., Any], key: str, words: str, known: Mapping[str, Any] | None) -> list[str]:
    """The outputs that an attribute of a model names."""
    said = getattr(function, key, ())
    if not isinstance(said, (list, tuple, set, frozenset)) or not all(isinstance(name, str) for name in said):
        text = f"the model's attribute '{key}' is no list of names of outputs"
        raise StudyError(text, key="study.model", value=said, remedy=f'write function.{key} = ["speed"], say')
    for name in said if known is not None else ():
        if name not in known:
            text = f"the model says that its output '{name}' {words}, and has no such output"
            raise StudyError(text, key="study.model", value=name, remedy=did_you_mean(name, known or (), noun="output"))
    return sorted(said)


def wants_time(function: Callable[..., Any]) -> bool:
    """True if the function has a parameter named `time`."""
    try:
        return "time" in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False


def lookup(raw: Any, name: str, names: tuple[str, ...]) -> tuple[np.ndarray, Any]:
    """The array the function returned for the base name of an output, and its axis if that is its own, or the axes of a field."""
    base = name.partition(":")[0]
    if raw is None:
        raise BadOutput("the model returned nothing (None); end it with a `return` of its outputs")
    if not isinstance(raw, Mapping):
        if len({n.partition(":")[0] for n in names}) != 1:
            raise BadOutput(f"the model returned {type(raw).__name__}, not a dict of outputs")
        raw = {base: raw}
    if base not in raw:
        raise BadOutput(f"the model returned no output {base!r} (it returned {', '.join(map(str, raw)) or 'nothing'})")
    try:
        values, _, axis = taken(raw[base])
    except (TypeError, ValueError):
        raise BadOutput(f"the grid of output {base!r} is not an array of numbers") from None
    try:
        found = as_array(values)
        text = found.dtype == object and any(isinstance(one, (bool, np.bool_, str, bytes)) for one in found.flat)
        if found.dtype.kind not in NOT_REAL and not text:
            return np.asarray(found, dtype=np.float64), axis
    except (TypeError, ValueError):
        raise BadOutput(f"output {base!r} is not a number or an array of numbers but {type(values).__name__}") from None
    kind = {"b": "True or False", "U": "text", "S": "text", "O": "text, or True and False"}.get(found.dtype.kind, found.dtype.name)
    raise BadOutput(f"output {base!r} is not a real number or an array of real numbers but {kind}")


def as_array(values: Any) -> np.ndarray:
    """Values as an array, in which what is masked is NaN."""
    if isinstance(values, np.ma.MaskedArray):
        return np.ma.filled(values.astype(np.result_type(values.dtype, np.float64)), np.nan)
    return np.asarray(values)


def unit_of(raw: Any, name: str) -> str:
    """The unit that the model gives an output; of a place on an axis that of the axis, of a time the second."""
    parts = read_name(name)
    _, unit, axis = taken(raw[parts.base] if isinstance(raw, Mapping) else raw)
    return "1" if parts.how in PURE and is_field_or_events(axis) else (axis or TIME).unit if parts.is_place else unit


def pick(raw: Any, name: str, names: tuple[str, ...], time: np.ndarray | None, info: OutputInfo) -> np.ndarray | float:
    """One output of one run, checked: over what it should be over, all finite or missing, reduced if its name says so."""
    value, axis = lookup(raw, name, names)
    over: Any = info.over
    parts = read_name(name)
    reduction = parts.how
    if is_field_or_events(axis):
        return pick_field_or_events(value, axis, parts, time, over)
    if not reduction:
        check_over(name, axis, over)
    elif reduction not in reductions_over(axis) and parts.percentile is None:
        raise BadOutput(f"output {name!r} is over {'time' if axis is None else axis.name}, which it was not when the model was tried")
    grid = axis.values if axis is not None else time if over is not None or reduction else None
    expected = () if grid is None else grid.shape
    if value.shape != expected:
        raise BadOutput(f"output {name!r} has shape {value.shape} where {expected} is expected")
    bad = int(np.count_nonzero(np.isinf(value) if info.may_miss else ~np.isfinite(value)))
    if bad:
        where = "times" if axis is None else f"values of {axis.name}"
        raise BadOutput(f"output {name!r} is NaN or infinite" + (f" at {bad} of {value.size} {where}" if value.ndim else ""))
    try:
        return reduced(name, value, axis, time, lambda angle: turning(raw, angle, value.shape)) if reduction else value
    except NotTurned as error:
        raise BadOutput(f"output {name!r}: {error}") from None


def pick_field_or_events(value: np.ndarray, axis: Any, parts: OutputName, time: np.ndarray | None, over: Any) -> np.ndarray | float:
    """A field, or events, of one run; NaN is a value that is missing."""
    name = parts.name
    if not parts.how:
        check_over(name, axis, over)
    elif fault := fault_of(name, parts.how, parts.window, axis):
        raise BadOutput(f"{fault[0]}; {fault[1]}")
    expected = shape_of(axis, time)
    if value.ndim != 1 if expected is None else value.shape != expected:
        raise BadOutput(f"output {name!r} has shape {value.shape} where {expected or 'one number an event'} is expected")
    if np.isinf(value).any():
        raise BadOutput(f"output {name!r} is infinite at {int(np.isinf(value).sum())} of {value.size} values")
    found = reduce_values(parts.how, value) if parts.how else value
    if parts.how and np.isnan(found):
        none = f"the run has no value of '{parts.base}'; ask for '{parts.base}:{COUNT}'"
        raise BadOutput(f"output {name!r}: {why_none(parts.how, parts.base, value, none)}")
    return found


def turning(raw: Any, name: str, shape: tuple[int, ...]) -> np.ndarray:
    """The angle whose last turn is a window, of the shape of what is reduced."""
    values, axis = lookup(raw, name, (name,))
    if values.shape != shape or axis is not None or not isinstance(raw, Mapping):
        raise BadOutput(f"output {name!r} is no history, and its last turn is asked for")
    return values


def check_over(name: str, axis: Axis | None, over: Axis | None) -> None:
    """Raise `BadOutput` when an output has another axis of its own than in the trial run, where it was over `over`."""
    own = None if isinstance(over, Axis) and over.name == TIME.name else over
    if alike(axis, own):
        return
    if is_field_or_events(axis) or is_field_or_events(own):
        raise BadOutput(f"output {name!r} is not over the same as when the model was tried")
    if axis is None or own is None or axis.name != own.name:
        was, now = ("no axis of its own" if one is None else one.label for one in (own, axis))
        raise BadOutput(f"output {name!r} is over {now}, and was over {was} when the model was tried")
    at = f"is not at the same {len(own.values)} values of {own.label} as when the model was tried"
    raise BadOutput(f"output {name!r} {at}; of what each run has its own number return uqmbd.Events")


def output_info(raw: Any, names: tuple[str, ...], time: np.ndarray | None, missing: Collection[str] = ()) -> dict[str, OutputInfo]:
    """What the outputs are over, from what one run returned; `StudyError` names an output that cannot be had.

    Parameters
    ----------
    missing : collection of str
        Outputs that runs may lack, see `may_miss`.
    """
    info = {}
    for name in names:
        known_output(raw, name)
        try:
            value, axis = lookup(raw, name, names)
            for each in axis if isinstance(axis, tuple) else [axis] if axis is not None else []:
                if each != TIME:
                    check_axis(name, each, names)
            if not isinstance(axis, tuple) and not is_field_or_events(axis):
                check_reduction(name, axis, time)
            over = None if ":" in name else axis or (TIME if value.ndim else None)
            info[name] = OutputInfo(unit_of(raw, name), over, may_miss=read_name(name).base in missing and not is_field_or_events(axis))
            pick(raw, name, names, time, info[name])
        except BadOutput as error:
            raise StudyError(str(error), key="outputs.include", value=name, remedy=shape_remedy(time)) from None
    return info


def known_output(raw: Any, name: str) -> None:
    """`StudyError` for an output that the model did not return."""
    base = name.partition(":")[0]
    if isinstance(raw, Mapping) and base not in raw and base.partition("@")[0] in raw:
        remedy = "name what it is reduced to within the window: name:max@0.1.., say"
        raise StudyError(f"the output {name!r} has a window and no reduction", key="outputs.include", value=name, remedy=remedy)
    if isinstance(raw, Mapping) and base not in raw:
        remedy = did_you_mean(base, raw, noun="output")
        raise StudyError(f"the model has no output {base!r}", key="outputs.include", value=name, remedy=remedy)


def shape_remedy(time: np.ndarray | None) -> str:
    """What a model's outputs have to look like."""
    if time is None:
        return "return a finite number for it, or a uqmbd.Curve, or give the study a [time] section for outputs over time"
    return f"return a finite number for it, or {len(time)} finite numbers, one for each time, or a uqmbd.Curve"
