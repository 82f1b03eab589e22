"""What a worker does with a batch: simulate, isolate runs that break it, round to the stored precision, reduce, encode."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from uqmbd.campaign.layout import Layout, checksum, encode, overlay
from uqmbd.campaign.store import Piece, pack_partial
from uqmbd.errors import StudyError
from uqmbd.outcomes import ERROR, OK, Outcomes, concatenate, failed_outcomes, sample_count
from uqmbd.simulators.base import Simulator
from uqmbd.simulators.model import describe

Reduce = Callable[[Mapping[str, np.ndarray], Mapping[str, np.ndarray], np.ndarray], dict[str, np.ndarray]]


@dataclass(frozen=True)
class Job:
    """All that the batches of a campaign share.

    Attributes
    ----------
    simulator : Simulator
    layout : Layout
    shapes : dict of str to tuple
        Shape of one run's output by name.
    precision : str
        Type in which histories are stored; everything downstream sees the rounded values.
    reduce : callable, optional
        The method's reduction of a piece.
    """

    simulator: Simulator
    layout: Layout
    shapes: dict[str, tuple[int, ...]]
    precision: str
    reduce: Reduce | None = None


@dataclass(frozen=True)
class Delivery:
    """A finished batch: its pieces, what the simulator says it used, and the seconds spent simulating and packing."""

    pieces: list[Piece]
    attributes: dict[str, Any]
    simulating: float
    packing: float


@lru_cache(maxsize=2)
def unpack(job: bytes) -> Job:
    """The job, unpickled once a process."""
    import cloudpickle

    return cloudpickle.loads(job)


def run_batch(packed: bytes, spans: list[tuple[int, int]], samples: Mapping[str, np.ndarray]) -> Delivery:
    """Simulate a batch; `spans` are the rows ``(start, stop)`` of its pieces, in the order of the samples."""
    job = unpack(packed)
    began = time.perf_counter()
    outcomes = run_safely(job, samples)
    simulated = time.perf_counter()
    pieces = pack(job, spans, samples, outcomes)
    return Delivery(pieces, dict(outcomes.attributes), simulated - began, time.perf_counter() - simulated)


def run_raw(packed: bytes, samples: Mapping[str, np.ndarray]) -> Outcomes:
    """Simulate a batch and return it as it is (for runs that are being isolated)."""
    return run_safely(unpack(packed), samples)


def run_safely(job: Job, samples: Mapping[str, np.ndarray]) -> Outcomes:
    """Simulate; when the whole batch raises, halve it until only the offending runs fail. `StudyError` ends the campaign."""
    n = sample_count(samples)
    try:
        outcomes = job.simulator.simulate(samples)
    except (StudyError, KeyboardInterrupt):
        raise
    except Exception as error:
        if n == 1:
            return failed_outcomes(1, job.shapes, ERROR, f"the simulator raised {describe(error)}")
        halves = (slice(0, n // 2), slice(n // 2, n))
        return concatenate([run_safely(job, {key: values[half] for key, values in samples.items()}) for half in halves])
    return checked(job, outcomes, n)


def checked(job: Job, outcomes: Outcomes, n: int) -> Outcomes:
    """Outputs of the right shape; a run that says ok and holds a NaN becomes an error."""
    status, message = np.array(outcomes.status, np.int8), list(outcomes.message)
    for name, shape in job.shapes.items():
        values = outcomes.outputs[name]
        if values.shape != (n, *shape):
            raise StudyError(
                f"the simulator gave {name!r} in shape {values.shape}, not {(n, *shape)}",
                key="outputs.include",
                value=name,
                remedy="every run has to return outputs of the same shape",
            )
        finite = np.isfinite(values) if not shape else np.isfinite(values).all(axis=tuple(range(1, values.ndim)))
        for i in np.flatnonzero(~finite & (status == OK)).tolist():
            status[i], message[i] = ERROR, f"output {name!r} is NaN or infinite"
    return Outcomes(outcomes.outputs, status, message, outcomes.attributes)


def pack(job: Job, spans: list[tuple[int, int]], samples: Mapping[str, np.ndarray], outcomes: Outcomes) -> list[Piece]:
    """Encode each piece as the store's files hold it."""
    pieces, at = [], 0
    for start, stop in spans:
        part = slice(at, at + stop - start)
        at = part.stop
        values: dict[str, Any] = {f"input:{name}": array[part] for name, array in samples.items()}
        values.update({name: stored(job, name, outcomes.outputs[name][part]) for name in job.shapes})
        values["status"] = outcomes.status[part]
        values["message"] = outcomes.message[part]
        files = {}
        for column in job.layout.columns:
            if column.name == "message" and not any(values["message"]):
                continue
            whole = overlay(column, job.layout.chunk, start % job.layout.chunk, values[column.name])
            files[column.name] = np.frombuffer(encode(column, whole), np.uint8)  # arrays travel without a copy, bytes do not
        partial = None
        if job.reduce is not None:
            told = {name: np.asarray(values[name], np.float64) for name in job.shapes}
            reduced = job.reduce({name: array[part] for name, array in samples.items()}, told, outcomes.status[part])
            partial = np.frombuffer(pack_partial(reduced), np.uint8)
        sums = {name: checksum(data) for name, data in files.items()}
        pieces.append(Piece(start, stop, files, sums, outcomes.status[part], partial))
    return pieces


def stored(job: Job, name: str, values: np.ndarray) -> np.ndarray:
    """Values as the store keeps them; histories that it does not keep are not rounded."""
    kept = job.shapes[name] and any(column.name == name for column in job.layout.columns)
    return values.astype(job.precision) if kept else values
