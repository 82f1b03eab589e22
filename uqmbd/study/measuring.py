"""The trial run of a model and a few more, timed by a process of their own, which is ended when they take too long."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from uqmbd.errors import StudyError
from uqmbd.inputs.space import Space
from uqmbd.outcomes import OK, STATUS, OutputInfo
from uqmbd.simulators.apart import AWAY, Ended, Late, Process, Raised, Returned, packed, value_of
from uqmbd.simulators.command import Command
from uqmbd.simulators.derived import own, rebuilt
from uqmbd.simulators.detect import SimulatorSpec, ended_in_trial
from uqmbd.simulators.lanes import LanesSimulator
from uqmbd.simulators.limit import RunTimeout, tell, time_limit
from uqmbd.simulators.model import Model
from uqmbd.simulators.reads import watching
from uqmbd.simulators.times import simulator_at
from uqmbd.study.data import StudyData
from uqmbd.study.forecast import loading
from uqmbd.study.trial import Tried

LONGEST = 2.0  # seconds of trial runs


@dataclass(frozen=True)
class Measured:
    """What trial runs have shown so far."""

    trial: Tried | None  # None when the first run, in the middle of the inputs, was left
    runs: int  # of the last batch
    seconds: float  # that this took
    counts: dict[str, int]  # trial runs by status
    message: str = ""  # of the first that failed; empty if none did
    width: int = 1  # runs that the simulator does side by side
    built: float | None = None  # s that it took to build a mechanism and to have it compiled; None of other models
    least_call: float = 0.0  # s of the smallest batch, when all is loaded
    loading: float | None = None  # s in which a fresh process imports what a command loads; see `uqmbd.study.forecast.loading`

    def left(self, runs: int, patience: float) -> Measured:
        """The same after runs that were not done after `patience` seconds."""
        counts = {**self.counts, "timeout": self.counts.get("timeout", 0) + runs}
        message = self.message or f"left after {patience:g} s"
        return replace(self, runs=runs, seconds=patience, counts=counts, message=message)


NOTHING = Measured(None, 1, 0.0, {})


def measure(study: StudyData, samples: Mapping[str, np.ndarray], patience: float) -> Measured:
    """Try and time the model of a study; `samples` are those of its trial run."""
    spec = SimulatorSpec(study.model, study.outputs, study.grid(), samples, study.solver, study.campaign.timeout, patience)
    work = partial(measured, spec, study.inputs.to_si(), study.campaign.seed, study.time and study.time.grid())
    try:
        sent = packed(work)
    except StudyError:  # it has to be run here, where what waits cannot be ended
        return own_model(work(), study.model)
    process, latest = Process(sent), NOTHING
    try:
        while not isinstance(said := process.hear(), (Returned, Raised)):
            latest = said
    except Late:
        return own_model(latest.left(max(1, 4 * latest.runs if latest.counts else latest.width), patience), study.model)
    except Ended as ended:
        raise ended_in_trial(study.model, ended) from None
    process.end()
    return own_model(value_of(said), study.model)


def own_model(measured: Measured, model: Model) -> Measured:
    """What was found, with the model of this process."""
    if measured.trial is None:
        return measured
    return replace(measured, trial=measured.trial._replace(simulator=rebuilt(measured.trial.simulator, model=model)))


def measured(spec: SimulatorSpec, inputs: Space, seed: int, plain: Any = None) -> Measured:
    """Try the model, then time more and more runs; what is found is told on the way."""
    taken = loading() if AWAY else None
    model, patience = spec.model, spec.patience
    assert patience is not None
    began = time.perf_counter()
    if isinstance(model.bare, Command):  # which sees to its limit itself
        limit = patience if model.bare.timeout is None else min(patience, model.bare.timeout)
        model = replace(model, bare=replace(model.bare, timeout=limit))
    whole = model.simulator is not None or model.takes_arrays  # else a run alone is limited, and not what is compiled
    try:
        with watching() as reads, time_limit(patience if whole else None):
            simulator = simulator_at(replace(spec, model=model), plain)
            info: dict[str, OutputInfo] = simulator.check(spec.samples)
    except RunTimeout:
        return NOTHING.left(1, patience)
    except StudyError as error:
        if error.key == "campaign.timeout" and (spec.timeout is None or spec.timeout > patience):  # the limit was that of the trial
            return NOTHING.left(1, patience)
        raise
    built = time.perf_counter() - began if isinstance(own(simulator), LanesSimulator) else None
    width = max(1, simulator.width)
    shown = Measured(Tried(simulator, info, reads.files), width, 0.0, {}, width=width, built=built, loading=taken)
    tell(shown)
    timed = rebuilt(simulator, patience=patience) if hasattr(simulator, "patience") else simulator
    rng, runs, total = np.random.default_rng(seed), shown.runs, 0
    while shown.seconds < LONGEST / 4 and total < 4096:
        batch = inputs.samples(rng.random((runs, len(inputs))))
        began = time.perf_counter()
        try:
            with time_limit(patience):
                outcomes = timed.simulate(batch)
                seconds = time.perf_counter() - began
                if not total and seconds < LONGEST / 4:  # the first call loads what later ones have: it says nothing of them
                    began = time.perf_counter()
                    timed.simulate(batch)
                    seconds = time.perf_counter() - began
        except RunTimeout:
            return shown.left(runs, patience)
        status = np.asarray(outcomes.status)
        counts = {word: shown.counts.get(word, 0) + int(np.count_nonzero(status == code)) for code, word in enumerate(STATUS)}
        message = shown.message or next((text for text, code in zip(outcomes.message, status, strict=True) if code != OK and text), "")
        shown = replace(shown, runs=runs, seconds=seconds, counts=counts, message=message, least_call=shown.least_call or seconds)
        tell(shown)
        total, runs = total + runs, runs * 4
    return shown
