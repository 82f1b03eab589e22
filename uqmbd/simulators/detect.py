"""Choose the simulator by what the model returns: a `flexmbd.System` goes to the lanes, anything else is a black box."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from uqmbd.errors import StudyError
from uqmbd.outcomes import TIME, OutputInfo, sample_count
from uqmbd.simulators.base import Simulator
from uqmbd.simulators.curve import taken
from uqmbd.simulators.function import FunctionSimulator, call, output_info, wants_time
from uqmbd.simulators.lanes import LanesSimulator
from uqmbd.simulators.model import Model, describe
from uqmbd.simulators.outside import OutsideSimulator
from uqmbd.simulators.vectorized import called, make_vectorized, refuse_timeout
from uqmbd.simulators.windows import lacks_times

TRIALS = 3


def make_simulator(
    model: Model,
    names: Sequence[str],
    time: np.ndarray | None,
    samples: Mapping[str, np.ndarray],
    settings: Mapping[str, Any],
    timeout: float | None = None,
) -> Simulator:
    """Run the model once (on the first of a few samples that works) and wrap it by what it returned."""
    if model.simulator is not None:
        return OutsideSimulator(model, tuple(names), time, dict(settings), timeout)
    reduced = next((name for name in names if ":" in name), None)
    if time is None and reduced and wants_time(model.load()) and not takes(model.load(), samples, None):
        raise lacks_times(reduced)
    if model.takes_arrays:
        refuse_settings(settings)
        refuse_timeout(timeout)
        return make_vectorized(model, tuple(names), time, samples)
    raw = trial(model, time, samples)
    if is_system(raw):
        if time is None:
            raise StudyError("a model that returns a System needs times", key="time", remedy="add a section [time] with end and points")
        return LanesSimulator(model, tuple(names), time, dict(settings))
    refuse_settings(settings)
    return FunctionSimulator(model, tuple(names), time, output_info(raw, tuple(names), time), timeout)


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


def available_outputs(model: Model, time: np.ndarray | None, samples: Mapping[str, np.ndarray]) -> dict[str, OutputInfo]:
    """Every output that a model has, from one run of a Python model, or from the system that it returns."""
    if model.simulator is not None:
        text = "a simulator from outside does not say which outputs there are"
        raise StudyError(text, key="study.simulator", value=model.simulator.label, remedy="see its documentation")
    raw = called(model, samples, time) if model.takes_arrays else trial(model, time, samples)
    if is_system(raw):
        import flexmbd

        units = flexmbd.output_units(raw)
        words = flexmbd.output_meanings(raw, units)
        return {name: OutputInfo(unit, meaning=words.get(name, "")) for name, unit in units.items()}
    if raw is None or not isinstance(raw, Mapping):
        what = "nothing (None)" if raw is None else type(raw).__name__
        raise StudyError(f"the model returned {what}", key="study.model", value=model.label, remedy='return a dict: {"name": values}')
    found = {str(name): taken(value) for name, value in raw.items() if name != "time"}
    return {
        name: OutputInfo(unit, axis or (TIME if np.ndim(value) > model.takes_arrays else None))
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


def trial(model: Model, time: np.ndarray | None, samples: Mapping[str, np.ndarray]) -> Any:
    """What the model returns for the first sample that does not fail; `StudyError` when the first few all do."""
    function = model.load()
    first: BaseException | None = None
    for i in range(min(TRIALS, sample_count(samples))):
        try:
            return call(function, {key: float(values[i]) for key, values in samples.items()}, time)
        except (Exception, SystemExit) as error:
            first = first or error
    at = ", ".join(f"{key}={float(values[0]):g}" for key, values in samples.items())
    if not takes(function, samples, time):
        remedy = f"the function is called with the study's inputs by name: {', '.join(samples)}"
    else:
        remedy = f"run it by hand with {at}, or take inputs for which it works"
    raise StudyError(f"the model raises {describe(first)} at {at}", key=model.key, value=model.label, remedy=remedy) from first
