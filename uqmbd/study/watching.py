"""A study under way, or one that was stopped: what its runs say so far. Files are read; nothing is simulated, locked or changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from uqmbd.analysis.base.columns import Columns
from uqmbd.campaign.batches import chunk_length
from uqmbd.campaign.opening import read_header
from uqmbd.campaign.store import RunStore
from uqmbd.campaign.tally import CampaignStatistics
from uqmbd.campaign.telling import extras_of, next_ask
from uqmbd.errors import StudyError
from uqmbd.outcomes import OutputInfo
from uqmbd.request import Request
from uqmbd.result import Result
from uqmbd.runs.view import open_view
from uqmbd.runs.where import storage_in
from uqmbd.simulators.model import describe
from uqmbd.spec.showing import written
from uqmbd.study.data import StudyData
from uqmbd.study.identity import as_stored
from uqmbd.study.manifest import metadata_of, shown_by
from uqmbd.study.running import start
from uqmbd.study.sign import cut_at_limits
from uqmbd.study.stopped import first_messages
from uqmbd.study.storing import stored_outputs, stored_times
from uqmbd.study.trust import take_trust


@dataclass(frozen=True)
class SoFar:
    """What is there."""

    result: Result  # of the runs before the first missing one where the method has one of a part of its runs; else what all reached
    runs: int
    failed: int
    least: int  # runs that the method asks for
    most: int
    rate: float  # runs a second since the study began, without the time in which it was stopped
    messages: list[str]  # the first different ones of failed runs, with their inputs

    def sentence(self) -> str:
        """How far the study is."""
        of = f"{self.least:,}" if self.least == self.most else f"{self.least:,} to {self.most:,}"
        left = max(self.least - self.runs, 0)
        more = f", about {left / self.rate:.0f} s left" if left and self.rate else ""
        done = f"{self.runs:,} of {of} runs"
        if self.runs > self.most:  # of other methods, or of earlier settings
            done = f"{self.runs:,} runs with those of other questions, {of} are asked for"
        return f"{done}, {self.failed:,} failed, {self.rate:,.0f} runs/s{more}"


class Watch:
    """Looks at one folder of results, as often as it is asked: a method is told what is new since the last look.

    Where runs that it was told are others now (done again, lost, discarded with their store), it is told all from the start.
    """

    def __init__(self, study: StudyData) -> None:
        self.study = study
        self.why = ""  # the method has no result of what is there; empty if it has one
        self.begin("")

    def begin(self, store_id: str) -> None:
        """Tell a method from the start, of the store of this id."""
        self._id = store_id
        self._method: Any = None
        self._request: Request | None = None  # that is being told
        self._done = 0  # runs of it
        self._ended = False
        self._rows, self._sessions = [np.empty(0, int)], [np.empty(0, int)]  # of all that was told, and when each of these was stored
        self._before: list[Any] = []  # rows, status, and controls of what was told

    def stale(self, store: RunStore) -> bool:
        """Whether something that was told is not there any more, or was done again since."""
        rows = np.concatenate(self._rows)
        if store.header["id"] != self._id or (rows >= len(store.chunk_of)).any():
            return True
        return not np.array_equal(sessions_of(store, rows), np.concatenate(self._sessions))

    def tally(self, store: RunStore) -> CampaignStatistics:
        """What was told so far, as a campaign counts it."""
        tally = CampaignStatistics()
        tally.reach(len(store.chunk_of))
        for asked in self._before:
            tally.use(store, *asked)
        return tally

    def tell(self, store: RunStore, info: Mapping[str, OutputInfo]) -> None:
        """Tell the method the runs that have come, up to the first that is missing."""
        if self.stale(store):
            self.begin(store.header["id"])
        if self._method is None:
            self._method = start(self.study, info)
            self._method.watch()
        tally = self.tally(store)
        while not self._ended:
            if self._request is None:
                self._request, self._done = next_ask(self._method, lambda: tally.progress), 0
                if self._request is None:
                    self._ended = True
                    break
            rest = self._request.part(slice(self._done, None))
            rows = store.find(rest.samples, extras_of(store, np.concatenate(self._rows), rest)[0])
            there = (rows >= 0) & (store.chunk_of[rows] >= 0)
            count = len(rows) if there.all() else int(there.argmin())
            if count:
                read = store.read([*info, "status"], rows[:count])
                outputs = {name: np.asarray(read[name], float) for name in info}
                self._method.tell({name: values[:count] for name, values in rest.samples.items()}, outputs, read["status"])
                self._done += count
                self._rows.append(rows[:count])
                self._sessions.append(sessions_of(store, rows[:count]))
                control, controls = rest.part(slice(0, count)).controls()
                self._before.append((rows[:count], read["status"], control, controls))
                tally.use(store, *self._before[-1])
            if count < len(rows):
                break
            self._request = None

    def result(self, store: RunStore, stored: Mapping[str, OutputInfo]) -> Result | None:
        """The method's own result of the runs that come before the first missing one; None where it has none, and `why`.

        Not every method can say something of a part. Once it has all its runs, what it raises is raised.
        """
        info, self.why = self.study.in_units({name: stored[name] for name in self.study.outputs}), ""
        info = self.study.method.treated(info)
        if any(name not in store.columns for name in info):
            self.why = "histories are not kept, and what is kept of them is told at the end"
            return None
        try:
            try:
                self.tell(store, info)
            except Exception:
                self.begin("")  # what it has been told nobody knows: the next look begins anew
                raise
            found = self._method.so_far()
            self.why = "" if found is not None else "it has one later"
            return found
        except Exception as error:
            if self._ended and not isinstance(error, StudyError):
                raise
            self.why = error.message if isinstance(error, StudyError) else describe(error)
            return None


def sessions_of(store: RunStore, rows: np.ndarray) -> np.ndarray:
    """Number of the session that stored each of these rows; -1 where there is no run."""
    return np.array([*(chunk.order[0] for chunk in store.chunks), -1])[store.chunk_of[rows]]


def so_far(study: StudyData, directory: Path, watch: Watch | None = None) -> SoFar:
    """What the runs in a folder of results say, as a `watch` that has looked there before goes on; `StudyError` if there are none yet."""
    header, place = read_header(directory, study.campaign.runs), storage_in(directory, study.campaign.runs)
    store = None if header is None else RunStore(place, directory, shared=True)
    if header is None or store is None or not len(store.rows):
        raise StudyError("there are no runs yet", file=directory, remedy="look again when the first ones are done")
    study = as_stored(study, header, directory).at_times(stored_times(header))
    status = store.column("status", store.rows)
    failed = int(np.count_nonzero(status))
    watch = watch or Watch(study)
    watch.study = study
    own = watch.result(store, stored_outputs(header))
    result = own or reached(study, store, stored_outputs(header))
    simulator = store.about().get("simulator", {})
    take_trust(result, study, store, store.rows, simulator)
    cut_at_limits(result, simulator)
    least, most = study.method.planned_runs(study.inputs.uncertain)
    rate = len(status) / store.seconds if store.seconds else 0.0
    seen = SoFar(result, len(status), failed, least, most, rate, first_messages(study, store))
    result.runs = open_view(store)
    note = f"The study has not ended: this is of what is there, {seen.sentence()}."
    why = [f"The method has no result of a part of its runs: {watch.why}"] if watch.why else []
    notes = [note, *why, *result.attrs.get("notes", ())]
    said = {**metadata_of(study), "method": study.method.name, "runs": len(status), "runs_failed": failed}
    report = shown_by(study)[0] if own else written(study.report)  # figures of the method are of its own result
    result.attrs = {**said, **({"report": report} if report else {}), **result.attrs, "notes": notes}
    return seen


def reached(study: StudyData, store: RunStore, stored: dict[str, Any]) -> Result:
    """What the ok runs reached: least and greatest value of each output that was kept."""
    info = study.in_units({name: stored[name] for name in study.outputs if name in store.columns and not stored[name].in_runs_alone})
    columns = Columns(info, study.times())
    rows = store.rows[store.column("status", store.rows) == 0]
    if not len(rows):
        return Result()
    ends = np.stack([np.full(columns.count, np.inf), np.full(columns.count, -np.inf)])
    length = chunk_length(len(rows), 1, None, 8 * columns.count)
    for begin in range(0, len(rows), length):
        part = rows[begin : begin + length]
        values = columns.pack(store.read(list(info), part), len(part))
        ends = np.stack([np.minimum(ends[0], values.min(axis=0)), np.maximum(ends[1], values.max(axis=0))])
    return Result(inner=columns.dataset(ends, {"bound": ["lower", "upper"]}))
