"""Telling a method the runs of one ask: in the order it asked, and what the store gives back, so that a resumed study hears the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from uqmbd.campaign.store import RunStore
from uqmbd.campaign.tally import CampaignStatistics, Watcher
from uqmbd.campaign.worker import Reduce
from uqmbd.errors import StudyError
from uqmbd.request import RUNS, Progress, Request, Sampler, Samples
from uqmbd.runs.chunk import CONTROL, START


class Telling(Protocol):
    """What a method is told from; see `uqmbd.campaign.campaign.Campaign`."""

    method: Any
    store: RunStore
    outputs: tuple[str, ...] | None
    reduce: Any
    watcher: Watcher
    tally: CampaignStatistics

    def partial(self, rows: np.ndarray, first: int) -> dict[str, np.ndarray] | None: ...


@dataclass
class Feed:
    """Tells the method the runs of one ask, in the order it asked, as soon as they are complete."""

    campaign: Telling
    request: Request
    rows: np.ndarray
    groups: list[tuple[int, int]]
    next: int = 0  # number of the group that is told next

    def __post_init__(self) -> None:
        self.control, self.controls = self.request.controls()

    @property
    def ended(self) -> bool:
        """Whether all groups were told."""
        return self.next == len(self.groups)

    def advance(self, *, reused: bool = False) -> None:
        """Tell all groups that are complete, up to the first that is not."""
        campaign, tally = self.campaign, self.campaign.tally
        tally.reach(len(campaign.store.chunk_of))
        while not self.ended:
            begin, end = self.groups[self.next]
            rows = self.rows[begin:end]
            if not campaign.store.done(rows):
                return
            status = self.tell(slice(begin, end), rows)
            self.next += 1
            tally.use(campaign.store, rows, status, self.control[begin:end], self.controls)
            campaign.watcher.done(end - begin, int(np.count_nonzero(status)), reused=reused)

    def tell(self, part: slice, rows: np.ndarray) -> np.ndarray:
        """Tell one group, from what the store gives back; its status."""
        campaign, store = self.campaign, self.campaign.store
        if campaign.reduce is not None and (partial := campaign.partial(rows, part.start)) is not None:
            campaign.method.tell_reduced(partial)
            return store.column("status", rows)
        names = campaign.outputs or ()
        stored = store.read([*names, "status"], rows)
        asked = self.request.part(part)
        samples = Samples(asked.samples, asked.control)
        outputs = {name: np.asarray(stored[name], np.float64) for name in names}
        if campaign.reduce is None:
            campaign.method.tell(samples, outputs, stored["status"])
        else:
            campaign.method.tell_reduced(campaign.reduce(samples, outputs, stored["status"]))
        return stored["status"]


def next_ask(method: Sampler, progress: Callable[[], Progress]) -> Request | None:
    """What the method asks for next; it hears first what the runs so far took, from the store, as it would in a resumed study."""
    method.hear(progress())
    asked = method.ask()
    return None if asked is None else Request.of(asked)


def extras_of(store: RunStore, numbered: np.ndarray, request: Request) -> tuple[dict[str, np.ndarray], np.ndarray | None]:
    """What makes runs other ones besides their inputs: columns of controls and of the runs that they start from, and the rows of these.

    `numbered` are the rows of the runs that the method has asked for, in its order. Rows that runs start from are (n,), -1 for time zero.

    Raises
    ------
    StudyError
        If it starts from a run that it has not asked for yet.
    """
    columns = {CONTROL + name: values for name, values in request.control.items()}
    if request.start is None or (request.start == -1).all():
        return columns, None
    wrong = (request.start < -1) | (request.start >= len(numbered))
    if wrong.any():
        text = f"a run is to start from run {request.start[wrong][0]}, and {len(numbered)} were asked for before"
        raise StudyError(text, key=RUNS, remedy="number runs from 0 in the order in which they were asked for; -1 is time zero")
    there = request.start >= 0
    source = np.full(request.runs, -1)
    source[there] = numbered[request.start[there]]
    keys = np.zeros(request.runs, np.uint64)
    keys[there] = np.maximum(store.keys_of(source[there]), np.uint64(1))
    return {**columns, START: keys}, source


def reduce_some(
    reduce: Reduce, names: tuple[str, ...], samples: Mapping[str, np.ndarray], outputs: Mapping[str, np.ndarray], status: np.ndarray
) -> dict[str, np.ndarray]:
    """A method's `reduce` of some of the outputs."""
    return reduce(samples, {name: outputs[name] for name in names}, status)
