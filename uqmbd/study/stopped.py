"""A study that stops because too many runs failed: what the runs said, and a result of what is there, so that it can be reported."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from uqmbd.campaign.store import RunStore
from uqmbd.inputs import Choice
from uqmbd.inputs.units import to_si
from uqmbd.methods.base import count_failures
from uqmbd.methods.failures import TooManyFailed
from uqmbd.printing import near
from uqmbd.result import Result
from uqmbd.runs.files import writing
from uqmbd.runs.listing import unlist
from uqmbd.runs.where import keep_used
from uqmbd.spec.labels import OF_ONE
from uqmbd.study.data import StudyData
from uqmbd.study.manifest import metadata_of
from uqmbd.study.reuse import list_result

SHOWN = 3


@contextmanager
def explaining(study: StudyData, store: RunStore, directory: Path) -> Iterator[None]:
    """When the block stops for failed runs, add their first messages to the error, and keep a result without statistics."""
    try:
        yield
    except TooManyFailed as error:
        keep_unfinished(study, store, directory, error.message)
        lines = "".join(f"\n    {line}" for line in first_messages(study, store))
        remedy = f"{error.remedy}; `uqmbd report {near(directory)}` shows where they lie"
        raise TooManyFailed(f"{error.message}; the first messages are{lines}", key=error.key, value=error.value, remedy=remedy) from error


def first_messages(study: StudyData, store: RunStore) -> list[str]:
    """The first different messages of failed runs, each with the inputs of its run in the units that the user wrote."""
    rows = store.rows
    rows = rows[store.column("status", rows) > 0]
    first: dict[str, int] = {}
    for row, message in zip(rows.tolist(), store.column("message", rows).tolist(), strict=True):
        first.setdefault(message, row)
    return [f"at {inputs_said(study, store, row)}: {message}" for message, row in list(first.items())[:SHOWN]]


def inputs_said(study: StudyData, store: RunStore, row: int) -> str:
    """The inputs of a run in the units that the user wrote: ``clearance = 0.2 mm, speed = 10 rad/s``."""
    words = []
    for name, item in study.inputs.items():
        unit, stored = (item.written or item).unit, store.column(f"input:{name}", np.array([row]))[0]
        value = f"{to_si(unit).back(stored):.6g}" if not isinstance(item, Choice) else item.labels[round(float(stored))]
        words.append(f"{name} = {value} {unit}".strip())
    return ", ".join(words)


def keep_unfinished(study: StudyData, store: RunStore, directory: Path, why: str) -> None:
    """Save a result that holds the runs and why there is no more; it does not count as finished."""
    note = f"The study stopped, so there are no results but its runs: {why}"
    attrs = {
        **metadata_of(study),
        "method": study.method.name,
        **count_failures(store.column("status", store.rows)),
        "wall_time": store.seconds,
        "notes": [note],
        "failures_note": note,
    }
    with writing(directory):
        unlist(directory, *OF_ONE)
        Result(attrs=attrs).save(directory)
        keep_used(directory, store.chunk_of >= 0)
        list_result(study, directory, store.chunk_of >= 0)
