"""The trial run of a model and a few more, timed by a process of their own, which is ended when they take too long."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from uqmbd.errors import StudyError
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
from uqmbd.study.forecast import loading
from uqmbd.study.trial import Tried

if TYPE_CHECKING:
    from uqmbd.inputs.space import Space
    from uqmbd.study.data import StudyData

LONGEST = 2.0  # seconds of trial runs


@dataclass(frozen=True)
class Measured:
    """What trial runs have shown so far.

    Attributes
    ----------
    trial : Tried or None
        None when the first run, in the middle of the inputs, was left.
    runs, seconds : float
        Of the last batch of runs: how many, and how long it took [s].
    counts : dict of str to int
        Trial runs by status.
    message : str
        Of the first that failed; "" if none did.
    width : int
        Runs that the simulator does side by side.
    built : float, optional
        Seconds that it took to build a mechanism and to have it compiled; None of other models.
    least_call : float
        Seconds of the smallest batch, when all is loaded.
    loading : float, optional
        Seconds in which a fresh process imports what a command loads; see `uqmbd.study.forecast.loading`.
    """

    trial: Tried | None
    runs: int
    seconds: float
    counts: dict[str, int]
    message: str = ""
    width: int = 1
    built: float | None = None
    least_call: float = 0.0
    loading: float | None = None

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
    process, found = Process(sent), NOTHING
    try:
        while not isinstance(said := process.hear(), (Returned, Raised)):
            found = said
    except Late:
        return own_model(found.left(max(1, 4 * found.runs if found.counts else found.width), patience), study.model)
    except Ended as ended:
        raise ended_in_trial(study.model, ended) from None
    process.end()
    return own_model(value_of(said), study.model)


def own_model(found: Measured, model: Model) -> Measured:
    """What was found, with the model of this process."""
    if found.trial is None:
        return found
    return replace(found, trial=found.trial._replace(simulator=rebuilt(found.trial.simulator, model=model)))


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
    found = Measured(Tried(simulator, info, reads.files), width, 0.0, {}, width=width, built=built, loading=taken)
    tell(found)
    timed = rebuilt(simulator, patience=patience) if hasattr(simulator, "patience") else simulator
    rng, runs, total = np.random.default_rng(seed), found.runs, 0
    while found.seconds < LONGEST / 4 and total < 4096:
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
            return found.left(runs, patience)
        status = np.asarray(outcomes.status)
        counts = {word: found.counts.get(word, 0) + int(np.count_nonzero(status == code)) for code, word in enumerate(STATUS)}
        message = found.message or next((text for text, code in zip(outcomes.message, status, strict=True) if code != OK and text), "")
        found = replace(found, runs=runs, seconds=seconds, counts=counts, message=message, least_call=found.least_call or seconds)
        tell(found)
        total, runs = total + runs, runs * 4
    return found
