"""The campaign: takes samples from a method, has the missing ones run, stores them, and tells the method in the order it asked."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from uqmbd.campaign.batches import Batch, Sizer, Work
from uqmbd.campaign.pool import Pool
from uqmbd.campaign.store import RunStore
from uqmbd.campaign.worker import Delivery, Job, Reduce, pack, run_batch, run_raw
from uqmbd.outcomes import ERROR, STATUS, Outcomes, concatenate, failed_outcomes

IN_FLIGHT = 2  # batches a worker has at hand: one running, one waiting


@dataclass
class Tally:
    """What a campaign did and what it cost.

    Attributes
    ----------
    asked, simulated : int
        Runs the method asked for, and how many of them were not in the store.
    status : Counter
        Runs told to the method by status.
    rows : list of ndarray
        Where they are in the store.
    workers, deaths : int
        Runs done at once, and batches whose worker died.
    wall, fan_out : float
        Seconds from start to end, and of it with batches under way.
    simulating, packing : float
        Seconds of all workers in the simulator, and in rounding, reducing and encoding.
    """

    asked: int = 0
    simulated: int = 0
    workers: int = 0
    status: Counter[str] = field(default_factory=Counter)
    rows: list[np.ndarray] = field(default_factory=list)
    wall: float = 0.0
    fan_out: float = 0.0
    simulating: float = 0.0
    packing: float = 0.0
    deaths: int = 0
    attributes: dict[str, Any] = field(default_factory=dict)

    @property
    def overhead(self) -> float:
        """Share of the workers' time, while batches were under way, in which they neither simulated nor packed: what handing over costs."""
        total = self.fan_out * self.workers
        return max(0.0, 1 - (self.simulating + self.packing) / total) if total else 0.0


class Watcher:
    """Told how the campaign goes; this one is silent."""

    def asked(self, runs: int) -> None:
        """So many runs were asked for (in total)."""

    def done(self, runs: int, failed: int, *, reused: bool = False) -> None:
        """So many runs were told to the method."""

    def waiting(self, seconds: float) -> None:
        """There has been no worker for so long; 0 when there are some again."""


@dataclass
class Campaign:
    """One method, one store, one pool.

    Attributes
    ----------
    method : MethodRun
    store : RunStore
    prepare : callable
        Makes the `Job`'s simulator; called only if a run is missing.
    get_pool : callable
        Gives the `Pool`; called only if a run is missing.
    shapes : dict of str to tuple
        Shape of one run's output by name, of all that the store holds.
    told : tuple of str
        Outputs that the method is told; all of them unless said.
    precision : str
        Type in which histories are stored.
    keep_histories : bool
        False when histories live on only in the method's partials.
    tag : str
        Fingerprint of the method as far as its partials depend on it.
    """

    method: Any
    store: RunStore
    prepare: Callable[[], Any]
    get_pool: Callable[[], Pool]
    shapes: Mapping[str, tuple[int, ...]]
    precision: str
    keep_histories: bool = True
    tag: str = ""
    told: tuple[str, ...] | None = None
    batch: int | None = None
    watcher: Watcher = field(default_factory=Watcher)
    tally: Tally = field(default_factory=Tally)

    def run(self) -> Tally:
        """Ask, run, store, tell, until the method has enough."""
        began = time.perf_counter()
        self.pool: Pool | None = None
        self.reduce = getattr(self.method, "reduce", None)
        if self.told is None:
            self.told = tuple(self.shapes)
        if self.reduce is not None and set(self.told) != set(self.shapes):
            self.reduce = partial(reduce_some, self.reduce, self.told)
        self.sizer = Sizer(8 * sum(int(np.prod(shape)) for shape in self.shapes.values()), self.batch)
        try:
            while (samples := self.ask()) is not None:
                self.tally.asked += len(next(iter(samples.values())))
                self.watcher.asked(self.tally.asked)
                self.answer({name: np.asarray(values, np.float64) for name, values in samples.items()})
        finally:
            self.tally.wall = time.perf_counter() - began
        return self.tally

    def ask(self) -> dict[str, np.ndarray] | None:
        """The method's next samples; it hears first what the runs so far took, from the journal, as it would in a resumed study."""
        if hasattr(self.method, "spent"):
            pieces = np.unique(self.store.segment[np.concatenate(self.tally.rows)]) if self.tally.rows else []
            self.method.spent(sum(self.store.took.get(int(start), 0.0) for start in pieces))
        return self.method.ask()

    # one ask -----------------------------------------------------------------------------------------------------------------------------
    def answer(self, samples: dict[str, np.ndarray]) -> None:
        """Have the runs of one ask that are missing done, and tell the method all of them."""
        rows = self.store.find(samples)
        again = self.without_partial(rows)
        missing = np.flatnonzero((rows < 0) | again)
        free = np.flatnonzero(rows < 0)
        if len(free):
            rows[free] = self.store.allocate(len(free))
        self.store.expect(rows[again])
        fresh = rows[missing]
        breaks = np.zeros(len(missing), bool)
        if self.reduce is not None and len(missing):
            breaks[1:] = np.diff(missing) != 1  # a piece's partial is told as a whole, so it must not reach over runs already there
            breaks[1:] |= np.diff(again[missing]) != 0
        work = Work({name: values[missing] for name, values in samples.items()}, fresh)
        work.pieces = deque(self.store.layout.cut(fresh, breaks))
        segment = self.store.segment[rows]
        for begin, end in work.pieces:
            segment[missing[begin:end]] = fresh[begin]
        teller = Teller(self, samples, rows, self.groups(rows, segment))
        teller.advance(reused=True)
        if work.pieces:
            self.fan_out(work, teller)
        teller.advance()

    def without_partial(self, rows: np.ndarray) -> np.ndarray:
        """Which stored runs are done again, (runs,) bool: of histories that are not kept this method needs a partial that is not there."""
        again = np.zeros(len(rows), bool)
        if self.keep_histories or {*self.shapes} <= {column.name for column in self.store.layout.columns}:
            return again
        segment = np.full(len(rows), -1)
        segment[rows >= 0] = self.store.segment[rows[rows >= 0]]
        for begin, end in self.groups(rows, segment):
            again[begin:end] = rows[begin] >= 0 and self.partial(rows[begin:end], begin) is None
        return again

    def groups(self, rows: np.ndarray, segment: np.ndarray) -> list[tuple[int, int]]:
        """What is told at once: pieces where partials are told, else blocks of a chunk's length."""
        n, length = len(rows), self.store.layout.chunk
        if self.reduce is None:
            return [(begin, min(begin + length, n)) for begin in range(0, n, length)]
        starts = np.flatnonzero(np.concatenate([[True], (np.diff(rows) != 1) | (np.diff(segment) != 0)]))
        return list(zip(starts.tolist(), [*starts[1:].tolist(), n], strict=True))

    def partial(self, rows: np.ndarray, first: int) -> dict[str, np.ndarray] | None:
        """What `reduce` made of these rows, which are runs number `first` and on of an ask; None if that is not there, or is too little."""
        start = int(rows[0])
        stop, checksum, tag = self.store.pieces.get(start, (0, None, ""))
        if checksum is None or tag != self.tag or stop != rows[-1] + 1:
            return None
        partial = self.store.partial(start)
        return partial if self.method.suffices(partial, first) else None

    # fan-out -----------------------------------------------------------------------------------------------------------------------------
    def fan_out(self, work: Work, teller: Teller) -> None:
        """Keep every worker supplied, commit what comes back, tell what is complete."""
        packed = self.start()
        began = self.mark = time.perf_counter()
        under_way: dict[Any, Batch] = {}

        def supply() -> None:
            per_worker = 1 if self.sizer.seconds_per_run is None else IN_FLIGHT
            while work.pieces and len(under_way) < per_worker * self.pool.workers:
                batch = work.take(self.sizer.runs(work.remaining, self.pool.workers))
                under_way[self.pool.start(run_batch, packed, batch.spans, batch.samples)] = batch

        try:
            supply()
            while under_way:
                task, outcome = self.pool.next()
                self.tally.workers = max(self.tally.workers, self.pool.workers)
                if task is not None:
                    self.receive(under_way.pop(task), outcome, packed)
                del task, outcome
                supply()
                teller.advance()
        finally:
            self.tally.fan_out += time.perf_counter() - began
            if under_way:
                self.pool.cancel()

    def start(self) -> bytes:
        """Get the pool if need be; the job as bytes."""
        import cloudpickle

        if self.pool is None:
            self.job = Job(self.prepare(), self.store.layout, dict(self.shapes), self.precision, self.reduce)
            self.packed = cloudpickle.dumps(self.job)
            self.pool = self.get_pool()
            self.pool.waiting = self.watcher.waiting
            self.tally.workers = self.pool.workers
        return self.packed

    def receive(self, batch: Batch, outcome: Any, packed: bytes) -> None:
        """Commit a batch; one that lost its worker is taken apart."""
        if isinstance(outcome, Delivery):
            self.commit(batch, outcome)
            return
        if not lost_worker(outcome):
            raise outcome
        self.tally.deaths += 1
        for part in batch.split():
            outcomes = self.isolate(part.samples, packed, part.runs if len(batch.spans) > 1 else part.runs // 2)
            self.commit(part, Delivery(pack(self.job, part.spans, part.samples, outcomes), {}, 0.0, 0.0))

    def isolate(self, samples: Mapping[str, np.ndarray], packed: bytes, size: int) -> Outcomes:
        """Run samples in ever smaller parts, until only the run that kills its worker is left."""
        n = len(next(iter(samples.values())))
        size = max(size, 1)
        found = []
        for begin in range(0, n, size):
            part = {name: values[begin : begin + size] for name, values in samples.items()}
            runs = min(size, n - begin)
            try:
                found.append(self.pool.call(run_raw, packed, part))
            except Exception as error:
                if not lost_worker(error):
                    raise
                dead = failed_outcomes(1, self.shapes, ERROR, "the worker process died while running it")
                found.append(self.isolate(part, packed, runs // 2) if runs > 1 else dead)
        return concatenate(found)

    def commit(self, batch: Batch, delivery: Delivery) -> None:
        """Write a finished batch."""
        at = 0
        for piece in delivery.pieces:
            part = slice(at, at + piece.stop - piece.start)
            at = part.stop
            now = time.perf_counter()
            self.store.commit(piece, {name: values[part] for name, values in batch.samples.items()}, self.tag, now - self.mark)
            self.mark = now
        if delivery.attributes and not self.tally.attributes:
            self.tally.attributes = dict(delivery.attributes)
            self.store.describe({"simulator": delivery.attributes})
        self.tally.simulated += batch.runs
        self.tally.simulating += delivery.simulating
        self.tally.packing += delivery.packing
        if delivery.simulating:
            self.sizer.measured(batch.runs, delivery.simulating + delivery.packing)


@dataclass
class Teller:
    """Tells the method the runs of one ask, in the order it asked, as soon as they are complete."""

    campaign: Campaign
    samples: Mapping[str, np.ndarray]
    rows: np.ndarray
    groups: list[tuple[int, int]]
    told: int = 0

    def advance(self, *, reused: bool = False) -> None:
        """Tell all groups that are complete, up to the first that is not."""
        store = self.campaign.store
        while self.told < len(self.groups):
            begin, end = self.groups[self.told]
            rows = self.rows[begin:end]
            status = store.status[rows]
            if status.min() < 0:
                return
            self.tell(slice(begin, end), rows, status)
            self.told += 1
            self.campaign.tally.rows.append(rows)
            counts = {STATUS[code]: int(number) for code, number in enumerate(np.bincount(status, minlength=1)) if number}
            self.campaign.tally.status.update(counts)
            self.campaign.watcher.done(end - begin, end - begin - counts.get("ok", 0), reused=reused)

    def tell(self, part: slice, rows: np.ndarray, status: np.ndarray) -> None:
        """Tell one group, from what the store gives back."""
        campaign = self.campaign
        if campaign.reduce is not None and (partial := campaign.partial(rows, part.start)) is not None:
            campaign.method.tell_reduced(partial)
            return
        samples = {name: values[part] for name, values in self.samples.items()}
        outputs = {name: campaign.store.read(name, rows) for name in campaign.told}
        if campaign.reduce is None:
            campaign.method.tell(samples, outputs, status)
        else:
            campaign.method.tell_reduced(campaign.reduce(samples, outputs, status))


def reduce_some(
    reduce: Reduce, names: tuple[str, ...], samples: Mapping[str, np.ndarray], outputs: Mapping[str, np.ndarray], status: np.ndarray
) -> dict[str, np.ndarray]:
    """A method's `reduce` of some of the outputs."""
    return reduce(samples, {name: outputs[name] for name in names}, status)


def lost_worker(error: BaseException) -> bool:
    """True for what Dask raises when the process that ran a task is gone (by name, since Dask is not loaded before it is needed)."""
    return type(error).__name__ in ("KilledWorker", "CancelledError", "FutureCancelledError", "CommClosedError")
