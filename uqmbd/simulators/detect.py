"""Choose the simulator by what the model returns: a `flexmbd.System` goes to the lanes, anything else is a black box."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from uqmbd.errors import StudyError
from uqmbd.interrupts import of_the_model
from uqmbd.outcomes import TIME, OutputInfo, sample_count
from uqmbd.simulators.apart import AWAY, Ended, Late, apart, packed
from uqmbd.simulators.base import Simulator
from uqmbd.simulators.chosen import Values, value_of
from uqmbd.simulators.controls import arguments_of
from uqmbd.simulators.curve import taken
from uqmbd.simulators.function import FunctionSimulator, call, declared, may_miss, output_info, wants_time
from uqmbd.simulators.lanes import LanesSimulator
from uqmbd.simulators.limit import RunTimeout, time_limit
from uqmbd.simulators.model import Model, describe
from uqmbd.simulators.outside import OutsideSimulator
from uqmbd.simulators.reads import noted, watching
from uqmbd.simulators.sections import refuse_sections
from uqmbd.simulators.vectorized import called, make_vectorized, refuse_timeout
from uqmbd.simulators.windows import lacks_times

TRIALS = 3


@dataclass(frozen=True)
class SimulatorSpec:
    """What a simulator is made of.

    Attributes
    ----------
    model : Model
    names : sequence of str
        Outputs, ``"name"`` or ``"name:reduction"``.
    time : ndarray of shape (points,), optional
        Times of histories [s].
    samples : mapping of str to ndarray, shape (n,)
        With which the model is tried, SI.
    settings : mapping
        The section ``[solver]``.
    timeout, patience : float, optional
        Longest time of a run, and of the trial alone [s].
    """

    model: Model
    names: Sequence[str]
    time: np.ndarray | None
    samples: Mapping[str, np.ndarray]
    settings: Mapping[str, Any] = field(default_factory=dict)
    timeout: float | None = None
    patience: float | None = None

    @property
    def limit(self) -> float | None:
        """Of the trial [s]."""
        return min((limit for limit in (self.timeout, self.patience) if limit is not None), default=None)


def make_simulator(spec: SimulatorSpec) -> Simulator:
    """Run the model once (on the first of a few samples that works) and wrap it by what it returned.

    A model whose runs have a limit of time is tried by a process of its own, which can be ended; the caller takes care of `patience`.
    """
    model, names, time = spec.model, tuple(spec.names), spec.time
    if model.simulator is not None or model.takes_arrays:
        refuse_sections(model.sections)
    if model.simulator is not None:
        refuse_choices(model)
        return OutsideSimulator(replace(model, values={}), names, time, dict(spec.settings), spec.timeout)
    reduced = next((name for name in names if ":" in name), None)
    if time is None and reduced and wants_time(model.load()) and not takes(model.load(), spec.samples, None):
        raise lacks_times(reduced)
    if model.takes_arrays:
        refuse_settings(spec.settings)
        refuse_timeout(spec.timeout)
        return make_vectorized(model, names, time, spec.samples)
    if spec.timeout is not None and not AWAY and not model.fixed:  # where it has to be ended is as where the model raises
        return replace(within_limit(make_simulator, spec), model=model)
    raw = trial(spec)
    if model.derived.formulas:
        model.derived.refuse_hidden(sys.modules["flexmbd"].output_units(raw) if is_system(raw) else raw)
    if is_system(raw):
        if time is None:
            raise StudyError("a model that returns a System needs times", key="time", remedy="add a section [time] with end and points")
        return LanesSimulator(model, names, time, dict(spec.settings))
    refuse_settings(spec.settings)
    refuse_sections(model.sections)
    limits = declared(model.load(), raw if isinstance(raw, Mapping) else None)
    info = output_info(raw, names, time, may_miss(model.load(), raw))
    return FunctionSimulator(model, names, time, info, spec.timeout, limits)


def within_limit(make: Callable[[SimulatorSpec], Any], spec: SimulatorSpec) -> Any:
    """What `make` makes in another process, which is ended where a run does not stop; then it is tried with the next sample."""
    require_sendable(spec.model, spec.timeout)
    for i in range(min(TRIALS, sample_count(spec.samples))):
        rest = {key: values[i:] for key, values in spec.samples.items()}
        try:
            found, files = apart(partial(watched, make, replace(spec, samples=rest, patience=None)))
        except Late:
            continue
        except Ended as ended:
            raise ended_in_trial(spec.model, ended) from None
        noted(files)
        return found
    raise too_slow(spec, f"stopped after {spec.timeout:g} s", spec.timeout)


def require_sendable(model: Model, timeout: float | None) -> None:
    """`StudyError` for a model that another process cannot get."""
    try:
        packed(model)
    except StudyError as error:
        text = f"runs with a limit of time are made by another process, and {error.message}"
        remedy = 'leave the limit out, or write the model into a file of its own and name it, "model.py:function"'
        raise StudyError(text, key="campaign.timeout", value=timeout, remedy=remedy) from error


def watched(make: Callable[[SimulatorSpec], Any], spec: SimulatorSpec) -> tuple[Any, dict[str, str]]:
    """What `make` returns, and the user's files that the model read."""
    with watching() as reads:
        found = make(spec)
    return found, reads.files


def ended_in_trial(model: Model, ended: Ended) -> StudyError:
    """The error for a model that ends its process."""
    text = f"the model ended the process in which it was tried, {ended}"
    return StudyError(text, key=model.key, value=model.label, remedy="run it by hand for the middle of the inputs")


def too_slow(spec: SimulatorSpec, how: str, limit: float | None) -> StudyError:
    """The error for a trial run that takes longer than it may."""
    remedy = "allow more time, or take inputs in whose middle the model is quicker"
    return StudyError(
        f"the trial run of {spec.model.label} at {sample_text(spec.samples, spec.model.values)} was {how}",
        key="campaign.timeout",
        value=limit,
        remedy=remedy,
    )


def refuse_settings(settings: Mapping[str, Any]) -> None:
    """`StudyError` for settings of the solver where there is none."""
    if settings:
        key = next(iter(settings))
        raise StudyError(
            "only models that return a flexmbd System have solver settings",
            key=f"solver.{key}",
            value=settings[key],
            remedy="remove the section [solver]",
        )


def refuse_choices(model: Model) -> None:
    """`StudyError` where an input chooses among values, for a simulator from outside, which is handed numbers."""
    for name, values in model.values.items():
        if not isinstance(values, range):
            text = f"the simulator {model.label} is handed numbers, and the input '{name}' is one of several values"
            remedy = "make a study of each value, or give the input as integers and let the model choose by the number"
            raise StudyError(text, key=f"inputs.{name}", value=list(values), remedy=remedy)


def sample_text(samples: Mapping[str, np.ndarray], values: Values) -> str:
    """The first sample in words."""
    first = {key: float(x[0]) for key, x in samples.items()}
    chosen = {key: value_of(values[key], first[key], False) for key in first if key in values}
    return ", ".join(f"{key}={chosen[key] if key in chosen else f'{first[key]:g}'}" for key in first)


def available_outputs(spec: SimulatorSpec) -> dict[str, OutputInfo]:
    """Every output that a model has, from one run of a Python model, or from the system that it returns.

    As a trial run, it is made by a process of its own where runs have a limit of time.
    """
    model = spec.model
    if spec.timeout is not None and not AWAY and not model.fixed and model.simulator is None:
        return within_limit(available_outputs, spec)
    if model.simulator is not None:
        text = "a simulator from outside does not say which outputs there are"
        raise StudyError(text, key="study.simulator", value=model.simulator.label, remedy="see its documentation")
    raw = called(model, spec.samples, spec.time) if model.takes_arrays else trial(spec)
    if is_system(raw):
        import flexmbd

        units = flexmbd.output_units(raw)
        words = flexmbd.output_meanings(raw, units)
        return {name: OutputInfo(unit, meaning=words.get(name, "")) for name, unit in units.items()}
    if raw is None or not isinstance(raw, Mapping):
        what = "nothing (None)" if raw is None else type(raw).__name__
        raise StudyError(f"the model returned {what}", key="study.model", value=model.label, remedy='return a dict: {"name": values}')
    no_outputs = ("time", "state") if "start" in (arguments_of(model) or ()) else ("time",)
    found, missing = {str(name): taken(value) for name, value in raw.items() if name not in no_outputs}, may_miss(model.load(), raw)
    return {
        name: OutputInfo(unit, axis or (TIME if np.ndim(value) > model.takes_arrays else None), may_miss=name in missing)
        for name, (value, unit, axis) in found.items()
    }


def takes(function: Callable[..., Any], names: Iterable[str], time: np.ndarray | None) -> bool:
    """Whether the function can be called with inputs of these names; True where it does not say what it takes."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return True
    given = dict.fromkeys(names) | ({"time": None} if time is not None and wants_time(function) else {})
    try:
        signature.bind(**given)
    except TypeError:
        return False
    return True


def is_system(raw: Any) -> bool:
    """True for a `flexmbd.System`, without importing flexmbd for models that do not."""
    flexmbd = sys.modules.get("flexmbd")
    return flexmbd is not None and isinstance(raw, flexmbd.System)


def trial(spec: SimulatorSpec) -> Any:
    """What the model returns for the first sample that does not fail; `StudyError` when the first few all do."""
    model, samples, function = spec.model, spec.samples, spec.model.load()
    first: BaseException | None = None
    for i in range(min(TRIALS, sample_count(samples))):
        try:
            with time_limit(None if model.fixed else spec.limit):
                return call(function, {key: float(values[i]) for key, values in samples.items()}, spec.time)
        except BaseException as error:
            if not of_the_model(error):
                raise
            first = first or error
    first = first or ValueError("there is no sample")
    if isinstance(first, RunTimeout):
        raise too_slow(spec, str(first), spec.limit) from first
    if not takes(function, samples, spec.time):
        remedy = f"the function is called with the study's inputs by name: {', '.join(samples)}"
    else:
        remedy = (
            getattr(first, "remedy", "") or f"run it by hand with {sample_text(samples, model.values)}, or take inputs for which it works"
        )
    text = f"the model raises {describe(first)} at {sample_text(samples, model.values)}"
    raise StudyError(text, key=model.key, value=model.label, remedy=remedy) from first
