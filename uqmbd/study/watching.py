"""A study under way, or one that was stopped: what its runs say so far. Files are read; nothing is simulated, locked or changed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from uqmbd.errors import StudyError
from uqmbd.study.identity import versions
from uqmbd.study.running import start
from uqmbd.study.sign import cut_at_zero
from uqmbd.study.stopped import first_messages
from uqmbd.study.storing import stored_outputs
from uqmbd.study.trust import take_trust

if TYPE_CHECKING:
    from uqmbd.campaign.store import RunStore
    from uqmbd.result import Result
    from uqmbd.study.study import Study


@dataclass(frozen=True)
class SoFar:
    """What is there.

    Attributes
    ----------
    result : Result
        Of the runs up to the first that is missing where the method has one of a part of its runs; else what all runs reached.
    runs, failed : int
    least, most : int
        Runs that the method asks for.
    rate : float
        Runs a second since the study began, without the time in which it was stopped.
    messages : list of str
        The first different ones of failed runs, with their inputs.
    """

    result: Result
    runs: int
    failed: int
    least: int
    most: int
    rate: float
    messages: list[str]

    def sentence(self) -> str:
        """How far the study is."""
        of = f"{self.least:,}" if self.least == self.most else f"{self.least:,} to {self.most:,}"
        left = max(self.least - self.runs, 0)
        more = f", about {left / self.rate:.0f} s left" if left and self.rate else ""
        done = f"{self.runs:,} of {of} runs"
        if self.runs > self.most:  # of other methods, or of earlier settings
            done = f"{self.runs:,} runs with those of other questions, {of} are asked for"
        return f"{done}, {self.failed:,} failed, {self.rate:,.0f} runs/s{more}"


def so_far(study: Study, directory: Path) -> SoFar:
    """What the runs in a folder of results say.

    Raises
    ------
    StudyError
        If there are none yet.
    """
    from uqmbd.campaign.opening import peek
    from uqmbd.campaign.store import RunStore
    from uqmbd.runs.view import open_view
    from uqmbd.runs.where import place_in

    header, place = peek(directory, study.campaign.runs), place_in(directory, study.campaign.runs)
    store = None if header is None else RunStore(place, directory, shared=True)
    if store is None or not len(store.rows):
        raise StudyError("there are no runs yet", file=directory, remedy="look again when the first ones are done")
    status = store.column("status", store.rows)
    failed = int(np.count_nonzero(status))
    result = told_result(study, store, stored_outputs(header)) or reached(study, store, stored_outputs(header))
    simulator = store.about().get("simulator", {})
    take_trust(result, study, store, store.rows, simulator)
    cut_at_zero(result, simulator)
    least, most = study.method.planned_runs(study.inputs)
    rate = len(status) / store.seconds if store.seconds else 0.0
    found = SoFar(result, len(status), failed, least, most, rate, first_messages(study, store))
    result.runs = open_view(store)
    described = {"study": study.name, **study.words(), "method": study.method.name, "inputs": study.inputs.described()}
    described |= {"settings": study.method.model_dump(exclude_none=True), "seed": study.campaign.seed}
    described |= {"model": study.model.label, "versions": versions()}
    note = f"The study has not ended: this is of what is there, {found.sentence()}."
    notes = [note, *result.attrs.get("notes", ())]
    result.attrs = {**described, "runs": len(status), "runs_failed": failed, **result.attrs, "notes": notes}
    return found


def told_result(study: Study, store: RunStore, stored: dict[str, Any]) -> Result | None:
    """The method's own result of the runs that come before the first missing one; None where it has none of a part."""
    info = study.in_units({name: stored[name] for name in study.outputs})
    method = start(study, info)
    try:
        while (samples := method.ask()) is not None:
            rows = store.find(samples)
            there = (rows >= 0) & (store.piece_of[rows] >= 0)
            count = len(rows) if there.all() else int(there.argmin())
            if count:
                read = store.read([*info, "status"], rows[:count])
                outputs = {name: np.asarray(read[name], float) for name in info}
                method.tell({name: np.asarray(values)[:count] for name, values in samples.items()}, outputs, read["status"])
            if count < len(rows):
                break
        return method.result()
    except Exception:  # not every method can say something of a part, and each says so in its own way
        return None


def reached(study: Study, store: RunStore, stored: dict[str, Any]) -> Result:
    """What the ok runs reached: least and greatest value of each output that was kept."""
    from uqmbd.analysis.columns import Columns
    from uqmbd.campaign.batches import piece_length
    from uqmbd.result import Result

    info = study.in_units({name: stored[name] for name in study.outputs if name in store.columns})
    time = study.grid()
    columns = Columns(info, np.zeros(0) if time is None else time)
    rows = store.rows[store.column("status", store.rows) == 0]
    if not len(rows):
        return Result()
    ends = np.stack([np.full(columns.count, np.inf), np.full(columns.count, -np.inf)])
    length = piece_length(len(rows), 1, None, 8 * columns.count)
    for begin in range(0, len(rows), length):
        part = rows[begin : begin + length]
        values = columns.pack(store.read(list(info), part), len(part))
        ends = np.stack([np.minimum(ends[0], values.min(axis=0)), np.maximum(ends[1], values.max(axis=0))])
    return Result(inner=columns.dataset(ends, {"bound": ["lower", "upper"]}))
