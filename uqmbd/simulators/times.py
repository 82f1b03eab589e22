"""Times of histories that a model can be asked for besides those of the study's grid, as those of measurements."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from uqmbd.simulators import detect
from uqmbd.simulators.base import Simulator
from uqmbd.simulators.command import Command
from uqmbd.simulators.derived import DerivedSimulator, of_parts
from uqmbd.simulators.detect import SimulatorSpec
from uqmbd.simulators.function import FunctionSimulator, wants_time
from uqmbd.simulators.lanes import LanesSimulator
from uqmbd.simulators.model import Model
from uqmbd.simulators.vectorized import VectorizedSimulator

AtTimes = FunctionSimulator | VectorizedSimulator
LOG = logging.getLogger("uqmbd")
ALIKE = 1e-6  # of a history's range: by more its values at the grid's times do not depend on the further times


def may_have_times(model: Model) -> bool:
    """Whether a model may give histories at any times; False where it is known without a run that it does not.

    Mechanisms and functions that take `time` do, and before it is called a function may return a mechanism. A simulator from outside says
    that it does, ``any_times = True``.
    """
    if model.simulator is not None:
        return bool(getattr(model.simulator.load(), "any_times", False))
    return not isinstance(model.bare, Command)


def simulator_at(spec: SimulatorSpec, plain: np.ndarray | None = None) -> Simulator:
    """See `make_simulator`: at its times, or at those of the study's grid, `plain`, where the model does not have the others.

    A function has them if it takes them, and its histories at the grid's times do not depend on the others: one that
    takes its step from the first two times, say, would be another model. What is derived of the model's outputs is in the names too.
    """
    derived, names = spec.model.derived, tuple(spec.names)
    if not derived.definitions(names):
        return own_simulator(spec, plain)
    with of_parts(derived, names):
        inner = own_simulator(replace(spec, names=derived.parts(names)), plain)
    return DerivedSimulator(inner, names, derived, {})


def own_simulator(spec: SimulatorSpec, plain: np.ndarray | None) -> Simulator:
    """The same of outputs of the model alone."""
    model, time = spec.model, spec.time
    if time is None or plain is None or len(time) == len(plain) or model.simulator is not None:
        return detect.make_simulator(spec)
    found = detect.make_simulator(replace(spec, time=plain))
    if isinstance(found, LanesSimulator):
        return replace(found, time=time)
    if not isinstance(found, AtTimes) or not wants_time(model.load()):
        return found
    further = replace(found, time=time)
    own = np.flatnonzero(np.isin(time, plain))
    if not alike(found, further, own, {name: values[:1] for name, values in spec.samples.items()}):
        LOG.warning("the histories of %s depend on how many times it is asked for: it is asked for those of [time] alone", model.label)
        return found
    return further


def alike(plain: AtTimes, further: AtTimes, own: np.ndarray, samples: Mapping[str, np.ndarray]) -> bool:
    """Whether the histories of a run with further times are at the grid's times, `own` of them, those of the run without them."""
    first, second = plain.simulate(samples), further.simulate(samples)
    if first.status[0] or second.status[0]:
        return False
    pairs = [(values[0], second.outputs[name][0, own]) for name, values in first.outputs.items() if plain.info[name].over_time]
    return all(np.abs(one - other).max() <= ALIKE * np.ptp(one) for one, other in pairs)
