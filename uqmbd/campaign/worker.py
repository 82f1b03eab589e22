"""What a worker does with a batch: simulate, isolate runs that break it, round to the stored precision, reduce, encode."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import uuid4

import numpy as np

from uqmbd.campaign.batches import Task
from uqmbd.errors import StudyError
from uqmbd.interrupts import of_the_model
from uqmbd.outcomes import ERROR, OK, Outcomes, concatenate, failed_outcomes, in_runs_alone, picked
from uqmbd.request import Control, Samples
from uqmbd.runs.chunk import Blocks
from uqmbd.runs.chunk import pack as pack_blocks
from uqmbd.runs.states import blocks_of, decoded, encoded
from uqmbd.simulators.apart import packed
from uqmbd.simulators.base import Simulator, controlled
from uqmbd.simulators.model import describe

Reduce = Callable[[Mapping[str, np.ndarray], Mapping[str, np.ndarray], np.ndarray], dict[str, np.ndarray]]


@dataclass(frozen=True)
class Job:
    """All that the batches of a campaign share."""

    simulator: Simulator
    kept: tuple[str, ...]  # outputs that are stored
    shapes: dict[str, tuple[int, ...]]  # of one run's output by name
    precision: str  # type in which histories are stored; everything downstream sees the rounded values
    reduce: Reduce | None = None  # the method's reduction of a chunk
    controlled: dict[Control, Simulator] = field(default_factory=dict)  # the simulator with what a control says, made in this process
    may_miss: frozenset[str] = frozenset()  # outputs that an ok run may lack

    def simulator_with(self, control: Control) -> Simulator:
        """The simulator as a control wants it."""
        if control not in self.controlled:
            self.controlled[control] = controlled(self.simulator, dict(control))
        return self.controlled[control]


@dataclass(frozen=True)
class Delivery:
    """A finished batch: its chunks, what the simulator says it used, and the seconds spent simulating and packing."""

    chunks: list[Blocks]
    attributes: dict[str, Any]
    simulating: float
    packing: float


JOBS: dict[str, Job] = {}  # of this process
DIED = "the worker process died while running it"


def packed_for(job: Job, *, here: bool) -> tuple[str, bytes | Job]:
    """Key and job as they are handed to workers; `here`, where this process is the only one, as it is when it cannot be pickled.

    `StudyError` when it has to be sent to other processes and cannot be.
    """
    try:
        sent = packed(job)
        if here:
            loaded(sent)
    except StudyError:
        if not here:
            raise
        return uuid4().hex, job
    return hashlib.sha256(sent).hexdigest(), sent


def unpack(key: str, sent: bytes | Job | None) -> Job | None:
    """The job of a key, unpickled once a process; None if it is not known here and did not come along."""
    if key not in JOBS and sent is not None:
        job = sent if isinstance(sent, Job) else loaded(sent)
        while len(JOBS) > 1:
            JOBS.pop(next(iter(JOBS)))
        JOBS[key] = job
    return JOBS.get(key)


def loaded(sent: bytes) -> Job:
    """A job that was sent."""
    import cloudpickle

    try:
        return cloudpickle.loads(sent)
    except StudyError:
        raise
    except Exception as error:
        raise StudyError(
            f"the model cannot be loaded in a worker process: {describe(error)}",
            key="study.model",
            remedy="install on the workers what it imports; or run it in this process, with workers = 0",
        ) from error


def run_batch(key: str, sent: bytes | Job | None, task: Task, lengths: list[int]) -> Delivery | None:
    """Simulate a batch; `lengths` are those of its chunks, in the order of the samples.

    The job is sent to a process once: a worker that has not heard of it yet answers None, and gets it with the batch.
    """
    job = unpack(key, sent)
    if job is None:
        return None
    began = time.perf_counter()
    outcomes = run_safely(job, task)
    simulated = time.perf_counter()
    chunks = pack(job, task, lengths, outcomes)
    return Delivery(chunks, dict(outcomes.attributes), simulated - began, time.perf_counter() - simulated)


def run_raw(key: str, sent: bytes | Job, task: Task) -> Outcomes:
    """Simulate a batch and return it as it is (for runs that are being isolated)."""
    job = unpack(key, sent)
    if job is None:
        raise RuntimeError("a job comes along with runs that are isolated")
    return run_safely(job, task)


def run_safely(job: Job, task: Task) -> Outcomes:
    """Simulate; when the whole batch raises, halve it until only the offending runs fail. `StudyError` ends the campaign."""
    n = task.runs
    if task.start is not None and not all(task.start):
        return without_starts(job, task)
    try:
        outcomes = simulate(job, task)
    except BaseException as error:
        if isinstance(error, StudyError) or not of_the_model(error):
            raise
        if n == 1:
            return replace(failed_outcomes(1, job.shapes, ERROR, f"the simulator raised {describe(error)}"), states=[None])
        return concatenate([run_safely(job, task.part(half)) for half in (slice(0, n // 2), slice(n // 2, n))])
    return checked(job, outcomes, n, task.keep_state)


def simulate(job: Job, task: Task) -> Outcomes:
    """What the simulator gives, from time zero or from states."""
    simulator = job.simulator_with(task.control)
    if task.start is None and not task.keep_state:
        return simulator.simulate(task.samples)
    go_on = getattr(simulator, "go_on", None)
    if go_on is None:  # of a simulator from outside
        text = f"runs of {type(simulator).__name__} cannot go on from others"
        raise StudyError(text, key="study.simulator", remedy="give it `go_on(samples, states)`, see uqmbd.simulators.base.Continuing")
    return go_on(task.samples, [None] * task.runs if task.start is None else [decoded(state) for state in task.start])


def without_starts(job: Job, task: Task) -> Outcomes:
    """The same of a batch in which runs have no state to start from: they fail."""
    start = task.start or [b""] * task.runs
    order = sorted(range(task.runs), key=lambda i: not start[i])
    count = sum(map(bool, start))
    failed = failed_outcomes(task.runs - count, job.shapes, ERROR, "the run from which it starts failed")
    failed = replace(failed, states=[None] * (task.runs - count))
    done = concatenate([run_safely(job, task.part(order[:count])), failed]) if count else failed
    return picked(done, np.argsort(order).tolist())


def checked(job: Job, outcomes: Outcomes, n: int, keep_state: bool = False) -> Outcomes:
    """Outputs of the right shape; a run that says ok and holds a NaN becomes an error."""
    status, message = np.array(outcomes.status, np.int8), list(outcomes.message)
    for name, shape in job.shapes.items():
        values = outcomes.outputs[name]
        if values.shape != (n, *shape) and not (shape == (0,) and values.shape[:1] == (n,) and values.ndim == 2):
            raise StudyError(
                f"the simulator gave {name!r} in shape {values.shape}, not {(n, *shape)}",
                key="outputs.include",
                value=name,
                remedy="every run has to return outputs of the same shape",
            )
        missing = name in job.may_miss or in_runs_alone(shape)  # NaN is then no failure
        fine = ~np.isinf(values) if missing else np.isfinite(values)
        finite = fine.reshape(n, -1).all(axis=1)
        for i in np.flatnonzero(~finite & (status == OK)).tolist():
            status[i], message[i] = ERROR, f"output {name!r} is NaN or infinite"
    if not keep_state:
        return Outcomes(outcomes.outputs, status, message, outcomes.attributes, outcomes.states)
    if not isinstance(outcomes.states, list) or len(outcomes.states) != n:
        remedy = "have `go_on` give Outcomes.states, a list with one for each run"
        raise StudyError(f"the simulator does not say where {n} runs ended", key="study.simulator", remedy=remedy)
    states = [None if code else state for state, code in zip(outcomes.states, status.tolist(), strict=True)]
    for i in np.flatnonzero((status == OK) & np.array([state is None for state in states])).tolist():
        status[i], message[i] = ERROR, "the run does not say where it ended, from which another one is to start"
    return Outcomes(outcomes.outputs, status, message, outcomes.attributes, states)


def pack(job: Job, task: Task, lengths: list[int], outcomes: Outcomes) -> list[Blocks]:
    """Encode each chunk as its file holds it."""
    chunks, at = [], 0
    for length in lengths:
        part = slice(at, at + length)
        at = part.stop
        status, inputs = outcomes.status[part], {name: np.asarray(array[part], np.float64) for name, array in task.samples.items()}
        values = {name: stored(job, name, outcomes.outputs[name][part]) for name in job.shapes}
        partial = None
        if job.reduce is not None:
            whole = {name: np.asarray(array, np.float64) for name, array in values.items()}
            control = {name: np.full(length, value) for name, value in task.control}
            partial = reduced(job.reduce, Samples(inputs, control), whole, status)
        columns = {f"input:{name}": array for name, array in inputs.items()} | {name: array[part] for name, array in task.extras.items()}
        columns |= {name: values[name] for name in job.kept}
        states = blocks_of([encoded(state) for state in outcomes.states[part]]) if task.keep_state else {}
        arrays = {**columns, "status": np.asarray(status, np.int8), "message": outcomes.message[part], **states}
        chunks.append(pack_blocks(arrays, status, partial))
    return chunks


def reduced(
    reduce: Reduce, inputs: Mapping[str, np.ndarray], outputs: Mapping[str, np.ndarray], status: np.ndarray
) -> dict[str, np.ndarray]:
    """What a method's reduction makes of a chunk; `StudyError` when it raises, or makes no arrays by name."""
    try:
        return {str(name): np.asarray(values) for name, values in reduce(inputs, outputs, status).items()}
    except StudyError:
        raise
    except Exception as error:
        remedy = "mend the method: `reduce(samples, outputs, status)` returns arrays by name"
        raise StudyError(f"reducing runs, the method raises {describe(error)}", key="method", remedy=remedy) from error


def stored(job: Job, name: str, values: np.ndarray) -> np.ndarray:
    """Values as the store keeps them; histories that it does not keep are not rounded."""
    values = values.reshape(len(values), -1) if values.ndim > 2 else values
    return values.astype(job.precision) if job.shapes[name] and name in job.kept else values
