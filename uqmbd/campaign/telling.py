"""Telling a method the runs of one ask: in the order it asked, and what the store gives back, so that a resumed study hears the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from uqmbd.campaign.store import RunStore
from uqmbd.campaign.tally import CampaignStatistics, Watcher
from uqmbd.request import Progress, Request, Sampler, Samples

if TYPE_CHECKING:
    from uqmbd.campaign.worker import Reduce


class Telling(Protocol):
    """What a method is told from; see `uqmbd.campaign.campaign.Campaign`."""

    method: Any
    store: RunStore
    told: tuple[str, ...] | None
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
    told: int = 0

    def __post_init__(self) -> None:
        self.control, self.controls = self.request.controls()

    def advance(self, *, reused: bool = False) -> None:
        """Tell all groups that are complete, up to the first that is not."""
        campaign, tally = self.campaign, self.campaign.tally
        tally.reach(len(campaign.store.piece_of))
        while self.told < len(self.groups):
            begin, end = self.groups[self.told]
            rows = self.rows[begin:end]
            if not campaign.store.done(rows):
                return
            status = self.tell(slice(begin, end), rows)
            self.told += 1
            tally.use(campaign.store, rows, status, self.control[begin:end], self.controls)
            campaign.watcher.done(end - begin, int(np.count_nonzero(status)), reused=reused)

    def tell(self, part: slice, rows: np.ndarray) -> np.ndarray:
        """Tell one group, from what the store gives back; its status."""
        campaign, store = self.campaign, self.campaign.store
        if campaign.reduce is not None and (partial := campaign.partial(rows, part.start)) is not None:
            campaign.method.tell_reduced(partial)
            return store.column("status", rows)
        told = campaign.told or ()
        stored = store.read([*told, "status"], rows)
        asked = self.request.part(part)
        samples = Samples(asked.samples, asked.control)
        outputs = {name: np.asarray(stored[name], np.float64) for name in told}
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


def reduce_some(
    reduce: Reduce, names: tuple[str, ...], samples: Mapping[str, np.ndarray], outputs: Mapping[str, np.ndarray], status: np.ndarray
) -> dict[str, np.ndarray]:
    """A method's `reduce` of some of the outputs."""
    return reduce(samples, {name: outputs[name] for name in names}, status)
