"""A few runs beside those of a method, none of which is stored: as stored ones were made, with their controls, from their starts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from uqmbd.campaign.batches import Task
from uqmbd.campaign.pool import Pool, lost_worker
from uqmbd.campaign.store import RunStore
from uqmbd.campaign.worker import DIED, Job, packed_for, run_raw, simulate
from uqmbd.errors import StudyError
from uqmbd.outcomes import ERROR, OK, Outcomes, concatenate, failed_outcomes, picked
from uqmbd.runs.chunk import CONTROL, START, key_column
from uqmbd.runs.reader import HEADER
from uqmbd.runs.where import storage_in

if TYPE_CHECKING:
    from uqmbd.figures.extremes import Extreme


def store_of(folder: Path) -> RunStore | None:
    """The runs of a folder of results, to be read; None where there are none, or those of an earlier version."""
    storage = storage_in(folder)
    return RunStore(storage, folder, shared=True) if HEADER in storage.names() else None


def as_it_was(end: Extreme, name: str, store: RunStore | None) -> Extreme | None:
    """A run that reached something, with the control and the start that it had.

    Of several stored ones with its inputs it is that whose value of the output is nearest; None where the store has not kept the values,
    and they differ in more.
    """
    if store is None or not store.extras:
        return end
    rows = store.rows
    there = np.all([store.column(f"input:{key}", rows) == value for key, value in end.inputs.items()], axis=0)
    rows = rows[there & (store.column("status", rows) == OK)]
    if not len(rows):
        return None
    extras = store.read(store.extras, rows)
    if name in store.columns:
        values = store.column(name, rows)
        off = np.abs((values if end.at is None else values[:, end.at]) - end.value)
        best = int(np.where(np.isnan(off), np.inf, off).argmin())
    elif any(len(np.unique(values)) > 1 for values in extras.values()):
        return None
    else:
        best = 0
    found = {key: values[best] for key, values in extras.items()}
    return replace(end, extras={key: value for key, value in found.items() if (value != 0 if key == START else np.isfinite(value))})


def task_of(points: Sequence[Mapping[str, Any]], inputs: Sequence[str]) -> Task:
    """Runs of which each is a mapping of its inputs, SI, and of what makes it another one (`Extreme.extras`)."""
    extras = {}
    for name in sorted({name for point in points for name in point} - set(inputs)):
        if (column := key_column(name)) is not None:
            extras[name] = column.empty(len(points))
            for i, point in enumerate(points):
                extras[name][i] = point.get(name, extras[name][i])
    return Task({name: np.array([point[name] for point in points]) for name in inputs}, extras)


def task_at(store: RunStore, rows: np.ndarray) -> Task:
    """Stored runs, as they were asked for."""
    return Task({name: store.column(f"input:{name}", rows) for name in store.inputs}, store.read(store.extras, rows))


def repeated(task: Task, store: RunStore | None, run: Callable[[Task], Outcomes]) -> Outcomes:
    """What `run` makes of runs of several controls and starts, which it gets one kind after the other.

    Raises
    ------
    StudyError
        If the end from which one started is not there any more.
    """
    if not task.extras:
        return run(task)
    kinds: dict[Any, list[int]] = {}
    for i, row in enumerate(zip(*task.extras.values(), strict=True)):
        said = [bool(value) if name == START else value for name, value in zip(task.extras, row, strict=True)]
        kinds.setdefault(tuple(value if value == value else None for value in said), []).append(i)
    done = []
    for kind, at in kinds.items():
        has = dict(zip(task.extras, kind, strict=True))
        part = task.part(at)
        extras = {name: values for name, values in part.extras.items() if name.startswith(CONTROL) and has[name] is not None}
        done.append(run(Task(part.samples, extras, ends_of(store, part.extras[START]) if has.get(START) else None)))
    return picked(concatenate(done), np.argsort([i for at in kinds.values() for i in at]).tolist())


def ends_of(store: RunStore | None, keys: np.ndarray) -> list[bytes]:
    """Where the stored runs of these keys ended."""
    if store is not None:
        rows = store.rows_of(keys)
        ends = store.states(rows[rows >= 0])
        if len(ends) == len(keys) and all(ends):
            return ends
    text = "the run from whose end it started is not stored any more"
    raise StudyError(text, key="campaign.runs", remedy="run the study again, which makes it anew")


def run_here(simulator: Any, task: Task, store: RunStore | None) -> Outcomes:
    """What a simulator gives for some runs, in this process."""
    return repeated(task, store, partial(simulate, Job(simulator, (), {}, "float64")))


def run_few(pool: Pool, simulator: Any, shapes: Mapping[str, tuple[int, ...]], task: Task, store: RunStore | None) -> Outcomes:
    """The same in a pool, outputs of these `shapes` by name; where runs end their process, all of them fail."""
    job = packed_for(Job(simulator, (), dict(shapes), "float64"), here=pool.here)

    def run(part: Task) -> Outcomes:
        try:
            return pool.call(run_raw, *job, part)
        except Exception as error:
            if not lost_worker(error):
                raise
            return failed_outcomes(part.runs, shapes, ERROR, DIED)

    return repeated(task, store, run)
