"""The simulator of a study, made and tried on first use."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from uqmbd.errors import StudyError
from uqmbd.inputs.space import Space
from uqmbd.inputs.units import same_dimension
from uqmbd.methods.base import Method
from uqmbd.outcomes import OutputInfo
from uqmbd.simulators.apart import Ended, Late, apart
from uqmbd.simulators.base import Simulator, controlled
from uqmbd.simulators.controls import require_start
from uqmbd.simulators.curve import alike, check_axes
from uqmbd.simulators.derived import own, rebuilt
from uqmbd.simulators.detect import SimulatorSpec, ended_in_trial, too_slow
from uqmbd.simulators.function import FunctionSimulator
from uqmbd.simulators.model import Model
from uqmbd.simulators.reads import watching
from uqmbd.simulators.times import simulator_at
from uqmbd.simulators.vectorized import VectorizedSimulator
from uqmbd.study.data import StudyData
from uqmbd.study.reuse import remember_files

Units = Mapping[str, tuple[str, str]]


class Tried(NamedTuple):
    """A simulator that has been tried, its outputs, and hashes of the user's files that the model read, by path."""

    simulator: Simulator
    info: dict[str, OutputInfo]
    files: dict[str, str]

    @property
    def time(self) -> np.ndarray | None:
        """Times of its histories; None where it has none or does not say."""
        return getattr(self.simulator, "time", None)


def tried(spec: SimulatorSpec, plain: np.ndarray | None, units: Units) -> Tried:
    """Make the simulator, see `uqmbd.simulators.times.simulator_at`, and check it."""
    with watching() as reads:
        simulator = simulator_at(spec, plain)
    argument_units = getattr(simulator, "argument_units", None)
    if argument_units is not None and units:  # before the model is compiled
        check_dimensions(units, argument_units(spec.samples))
    return Tried(simulator, simulator.check(spec.samples), reads.files)


def tried_apart(spec: SimulatorSpec, *how: Any) -> Tried:
    """As `tried`, by another process."""
    try:
        trial = apart(partial(tried, spec, *how))
    except Ended as ended:
        raise ended_in_trial(spec.model, ended) from None
    except Late:
        raise too_slow(spec, f"stopped after {spec.timeout:g} s", spec.timeout) from None
    return trial._replace(simulator=rebuilt(trial.simulator, model=spec.model))


def units_of(inputs: Space) -> Units:
    """Units as they were written, each with the key that says it, of the inputs that have one."""
    units = {name: ((item.written or item).unit, f"inputs.{name}.unit") for name, item in inputs.items()}
    for label, one in inputs.sets.items():
        units |= {name: (units[name][0], f"sets.{label}.units") for name in one.inputs if one.units}
    return {name: said for name, said in units.items() if said[0]}


def check_dimensions(units: Units, arguments: Mapping[str, Sequence[tuple[str, str]]]) -> None:
    """`StudyError` where an input with a unit becomes a number of the model that is always of another dimension."""
    for name, (written, key) in units.items():
        places = arguments.get(name, ())
        if not places or any(same_dimension(written, unit) for _, unit in places):
            continue
        what, unit = places[0]
        kind = "a pure number" if unit == "1" else f"in {unit}"
        fault = f"'{name}' is given in {written}, and the model takes it for {what}, which is {kind}"
        remedy = "leave the unit out" if unit == "1" else f"give it in {unit}, or a multiple of that"
        raise StudyError(fault, key=key, value=written, remedy=remedy)


def require_controls(simulator: Simulator, methods: Mapping[str, Method]) -> None:
    """`StudyError` where a method gives its runs what the model does not take, or has runs go on and a function cannot."""
    made = own(simulator)
    for label, method in methods.items():
        if method.goes_on and isinstance(made, (FunctionSimulator, VectorizedSimulator)):
            require_start(made.model)
        try:
            controlled(simulator, method.controls())
        except StudyError as error:
            key = "method.control" if len(methods) == 1 else f"method.{label}.control"
            raise StudyError(error.message, key=key, value=error.value, remedy=error.remedy) from error


@dataclass
class Trial:
    """The simulator of a study, made and checked on first use."""

    study: StudyData
    stored: dict[str, OutputInfo] | None = None  # what runs of a store have to give: perhaps more than is asked for, in another order
    elsewhere: bool = False  # other processes do the runs: where the solver is not loaded here, it is not loaded for the trial either
    seconds: float = 0.0  # that it took; 0 before

    @cached_property
    def samples(self) -> dict[str, np.ndarray]:
        """A few points well inside the inputs' ranges, the middle first; shape (4,) each."""
        spread = np.array([[0.5, 0.3, 0.7, 0.45], [0.5, 0.6, 0.35, 0.8]])
        inputs = self.study.inputs
        if inputs.sets:
            spread = 0.5 + 0.2 * (spread - 0.5)  # near the middle every set has its points
        with np.errstate(all="ignore"):  # what overflows is told below
            samples = inputs.to_si().samples(np.stack([spread[i % 2] for i in range(len(inputs))], axis=1))
        for name, values in samples.items():
            if np.shape(values) != (len(spread[0]),):
                text = f"asked for {len(spread[0])} numbers, the kind of input gives shape {np.shape(values)}"
                raise StudyError(text, key=f"inputs.{name}", remedy="let `ppf` return a number for each point")
            if not np.isfinite(values).all():
                text, remedy = "numbers in its range are beyond what a computer can hold", "take another unit, or a range below 1e307"
                raise StudyError(text, key=f"inputs.{name}", value=inputs[name].describe(), remedy=remedy)
        return samples

    @property
    def model(self) -> Model:
        """The model, with the formulas of outputs that only the store has."""
        model, stored = self.study.model, (self.stored or {}).values()
        more = {name: text for info in stored for name, text in info.formulas} | dict(model.derived.formulas)
        return replace(model, derived=replace(model.derived, formulas=tuple(more.items()))) if more else model

    @cached_property
    def tried(self) -> Tried:
        """What came of a run with the middle of the inputs.

        Raises
        ------
        StudyError
            When the model cannot be run, an axis cannot be one, or is not that of the stored runs.
        """
        study = self.study
        names = study.outputs if self.stored is None else list(self.stored)
        spec = SimulatorSpec(self.model, names, study.grid(), self.samples, study.solver, study.campaign.timeout)
        how = None if study.known_times is not None else study.time and study.time.grid(), units_of(study.inputs)
        began = time.perf_counter()
        unloaded = self.elsewhere and "flexmbd" in sys.modules and "flexmbd.running" not in sys.modules
        trial = (tried_apart if unloaded else tried)(spec, *how)
        self.seconds = time.perf_counter() - began
        self.take(trial)
        return trial

    def take(self, tried: Tried) -> dict[str, OutputInfo]:
        """Use what another process has found, see `tried`; units and axes of the outputs."""
        self.study.model.saw(tried.files)
        check_axes(tried.info)
        require_controls(tried.simulator, self.study.methods)
        for name, known in (self.stored or {}).items():
            if name in tried.info and not alike(tried.info[name].over, known.over):
                text = f"the output '{name}' is {tried.info[name].kind}, and in the stored runs {known.kind}"
                text += " at other values" if tried.info[name].kind == known.kind else ""
                remedy = "have the model give it as it did, or discard the stored runs (--overwrite; in Python overwrite=True)"
                raise StudyError(text, key="outputs.include", value=name, remedy=remedy)
        vars(self)["tried"] = tried
        return tried.info

    def checked(self) -> Simulator:
        """The simulator, made from what the model returns, with the model checked and the compiled code on disk."""
        return self.tried.simulator

    @property
    def info(self) -> dict[str, OutputInfo]:
        """Units and axes of the outputs."""
        return self.tried.info

    def remember(self, directory: Path) -> None:
        """Keep what the model was seen to read; its files count as the model does."""
        from uqmbd.simulators.lanes import LanesSimulator

        remember_files(self.study, directory, solver="tried" in vars(self) and isinstance(own(self.checked()), LanesSimulator))
