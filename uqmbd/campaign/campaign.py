"""The campaign: takes samples from a method, has the missing ones run, stores them, and tells the method in the order it asked."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from uqmbd.campaign.batches import Batch, BatchSizer, Queue, Shard, Task, chunk_length, multiple, partition
from uqmbd.campaign.merging import merge_small
from uqmbd.campaign.pool import Pool, lost_worker
from uqmbd.campaign.store import RunStore
from uqmbd.campaign.tally import CampaignStatistics, Watcher
from uqmbd.campaign.telling import Feed, extras_of, next_ask, reduce_some
from uqmbd.campaign.worker import DIED, Delivery, Job, pack, packed_for, run_batch, run_raw
from uqmbd.errors import StudyError
from uqmbd.outcomes import ERROR, WARNING, Outcomes, concatenate, failed_outcomes
from uqmbd.processes import give_memory_back
from uqmbd.request import RUNS, Request, sampler
from uqmbd.runs.growing import Growing

MANY = 1 << 14  # runs of a large ask
IN_FLIGHT = 2  # batches a worker has at hand: one running, one waiting


@dataclass
class Campaign:
    """One method, one store, one pool."""

    method: Any  # a `Sampler`
    store: RunStore
    prepare: Callable[[], Any]  # makes the `Job`'s simulator; called only if a run is missing
    get_pool: Callable[[], Pool]  # called only if a run is missing
    shapes: Mapping[str, tuple[int, ...]]  # of one run's output by name, of all that the store holds
    precision: str  # type in which histories are stored
    keep_histories: bool = True  # False when histories live on only in the method's partials
    tag: str = ""  # fingerprint of the method as far as its partials depend on it
    earlier_tags: frozenset[str] = frozenset()  # the same as earlier versions said it
    outputs: tuple[str, ...] | None = None  # that the method is told; all of them unless said
    shard: Shard | None = None  # of each ask only its runs are done; it ends where a method would have to hear of the others
    batch: int | None = None  # runs of a batch, if the user says so
    may_miss: frozenset[str] = frozenset()  # outputs that an ok run may lack
    watcher: Watcher = field(default_factory=Watcher)
    tally: CampaignStatistics = field(default_factory=CampaignStatistics)

    def run(self) -> CampaignStatistics:
        """Ask, run, store, tell, until the method has enough."""
        began = time.perf_counter()
        self.pool: Pool | None = None
        self.outputs = tuple(self.shapes) if self.outputs is None else self.outputs
        self.method = sampler(self.method)
        self.numbered = Growing(np.empty(0, np.int64))  # rows of the runs in the order in which the method asked for them
        # what is stored anyway is not stored once more as a partial
        self.reduce = self.method.reduce if any(self.shapes[name] for name in self.outputs) else None
        if self.reduce is not None and set(self.outputs) != set(self.shapes):
            self.reduce = partial(reduce_some, self.reduce, self.outputs)
        self.sizer = BatchSizer(8 * sum(int(np.prod(shape)) for shape in self.shapes.values()), self.batch)
        try:
            while (request := next_ask(self.method, lambda: self.tally.progress)) is not None:
                self.tally.asked += request.runs
                self.watcher.asked(self.tally.asked)
                if not self.answer(request):
                    break
            if self.shard is None:
                merge_small(self.store)
        finally:
            self.tally.wall = time.perf_counter() - began
        return self.tally

    # one ask -----------------------------------------------------------------------------------------------------------------------------
    def answer(self, request: Request) -> bool:
        """Have the runs of one ask that are missing done, and tell the method all of them; False where others are to do some of them."""
        store, (kind, _) = self.store, request.controls()
        extras, source = extras_of(store, self.numbered.rows, request)
        kind = 2 * kind + (0 if source is None else source >= 0)
        rows = store.find(request.samples, extras)
        again = self.without_partial(rows)
        if request.keep_state:
            again |= store.stateless(rows)
        store.stale[rows[again]] = True
        new = np.flatnonzero(rows < 0)
        rows[new[np.argsort(kind[new], kind="stable")]] = store.allocate(len(new))
        self.numbered.add(rows)
        missing = np.flatnonzero((store.chunk_of[rows] < 0) | store.stale[rows])
        if self.shard is not None:
            missing = missing[self.shard.has(rows[missing], self.length_for(len(rows)))]
        fresh = rows[missing]
        if self.reduce is None and (fresh[1:] < fresh[:-1]).any():
            order = np.argsort(fresh, kind="stable")
            missing, fresh = missing[order], fresh[order]
        breaks = np.zeros(len(missing), bool)
        breaks[1:] = (fresh[1:] <= fresh[:-1]) | (np.diff(kind[missing]) != 0)
        if self.reduce is not None and len(missing):
            # a chunk's partial is told as a whole, so it must not reach over runs already there
            breaks[1:] |= (np.diff(missing) != 1) | (np.diff(fresh) != 1) | (np.diff(again[missing]) != 0)
        chunks = deque(partition(fresh, self.length_for(len(rows)), breaks))
        work = Queue(request, missing, fresh, kind[missing], extras, source, self.states, chunks)
        feed = Feed(self, request, rows, self.groups(rows, work))
        feed.advance(reused=True)
        if work.chunks:
            self.fan_out(work, feed)
        feed.advance()
        return feed.ended

    def states(self, rows: np.ndarray) -> list[bytes]:
        """Where stored runs ended; nothing for those that failed; `StudyError` if the end of an ok run was not kept."""
        if (lost := self.store.stateless(rows)).any():
            text = f"a run starts from run {int(np.flatnonzero(self.numbered.rows == rows[lost][0])[0])}, whose end was not kept"
            raise StudyError(text, key=RUNS, remedy="have the method ask for that one with keep_state=True")
        return self.store.states(rows)

    def length_for(self, runs: int) -> int:
        """Runs in a chunk of an ask of so many: those that the store was made for, more where it is asked for many more."""
        return multiple(chunk_length(runs, 1, self.batch, self.sizer.bytes_per_run), self.store.chunk_runs)

    def without_partial(self, rows: np.ndarray) -> np.ndarray:
        """Which stored runs are done again, (runs,) bool: of histories that are not kept this method needs a partial that is not there."""
        again = np.zeros(len(rows), bool)
        if self.keep_histories or {*self.shapes} <= self.store.columns.keys():
            return again
        for begin, end in self.groups(rows):
            there = rows[begin] >= 0 and self.store.done(rows[begin:end])
            again[begin:end] = there and self.partial(rows[begin:end], begin) is None
        return again

    def groups(self, rows: np.ndarray, work: Queue | None = None) -> list[tuple[int, int]]:
        """What is told at once: chunks where partials are told, also those that `work` will make, else blocks of a chunk's length."""
        n, length = len(rows), self.length_for(len(rows))
        if self.reduce is None:
            return [(begin, min(begin + length, n)) for begin in range(0, n, length)]
        chunk, there = np.full(n, -1), np.flatnonzero(rows >= 0)
        there = there[~self.store.stale[rows[there]]]
        chunk[there] = self.store.chunk_of[rows[there]]
        if work is not None:
            for number, (begin, end) in enumerate(work.chunks):
                chunk[work.missing[begin:end]] = len(self.store.chunks) + number
        starts = np.flatnonzero(np.concatenate([[True], (np.diff(rows) != 1) | (np.diff(chunk) != 0)]))
        return list(pairwise([*starts.tolist(), n]))

    def partial(self, rows: np.ndarray, first: int) -> dict[str, np.ndarray] | None:
        """What `reduce` made of these rows, which are runs number `first` and on of an ask; None if that is not there, or is too little."""
        number = int(self.store.chunk_of[rows[0]])
        chunk, spans = self.store.chunks[number], [[int(rows[0]), int(rows[-1]) + 1]]
        if not chunk.has_partial or chunk.head["tag"] not in {self.tag, *self.earlier_tags} or chunk.spans.tolist() != spans:
            return None
        partial = self.method.arranged(self.store.partial(number))
        return partial if partial is not None and self.method.suffices(partial, first) else None

    # fan-out -----------------------------------------------------------------------------------------------------------------------------
    def fan_out(self, work: Queue, feed: Feed) -> None:
        """Keep every worker supplied, commit what comes back, tell what is complete."""
        pool = self.start()
        if len(work.rows) > MANY:
            give_memory_back()  # what finding them took
        began = self.mark = time.perf_counter()
        under_way: dict[Any, Batch] = {}

        def supply() -> None:
            per_worker = 1 if self.sizer.seconds_per_run is None else IN_FLIGHT
            while work.chunks and len(under_way) < per_worker * pool.workers:
                batch = work.take(self.sizer.runs(work.remaining, pool.workers))
                under_way[pool.start(run_batch, self.key, None, batch.task, batch.lengths)] = batch

        try:
            supply()
            while under_way:
                task, outcome = pool.next()
                self.tally.workers = max(self.tally.workers, pool.workers)
                if task is not None:
                    batch = under_way.pop(task)
                    if outcome is None:  # a worker that has not heard of the job
                        under_way[pool.start(run_batch, self.key, self.packed, batch.task, batch.lengths)] = batch
                    else:
                        self.receive(batch, outcome)
                    del batch
                del task, outcome
                supply()
                feed.advance()
        finally:
            self.tally.fan_out += time.perf_counter() - began
            if under_way:
                pool.cancel()

    def start(self) -> Pool:
        """The pool; when it is wanted first it is got, and the job is packed."""
        if self.pool is None:
            kept = tuple(name for name in self.shapes if name in self.store.columns)
            self.job = Job(self.prepare(), kept, dict(self.shapes), self.precision, self.reduce, may_miss=self.may_miss)
            self.pool = self.get_pool()
            self.key, self.packed = packed_for(self.job, here=self.pool.here)
            self.pool.waiting = self.watcher.waiting
            self.tally.workers = self.pool.workers
        return self.pool

    def receive(self, batch: Batch, outcome: Any) -> None:
        """Commit a batch; one that lost its worker is taken apart."""
        if isinstance(outcome, Delivery):
            self.commit(batch, outcome)
            return
        if not lost_worker(outcome):
            raise outcome
        self.tally.deaths += 1
        for part in batch.split():
            outcomes = self.isolate(part.task, part.runs if len(batch.rows) > 1 else part.runs // 2)
            self.commit(part, Delivery(pack(self.job, part.task, part.lengths, outcomes), {}, 0.0, 0.0))

    def isolate(self, task: Task, size: int) -> Outcomes:
        """Do runs in ever smaller parts, until only the one that kills its worker is left."""
        size, outcomes = max(size, 1), []
        for begin in range(0, task.runs, size):
            part = task.part(slice(begin, begin + size))
            try:
                outcomes.append(self.start().call(run_raw, self.key, self.packed, part))
            except Exception as error:
                if not lost_worker(error):
                    raise
                dead = replace(failed_outcomes(1, self.shapes, ERROR, DIED), states=[None])
                outcomes.append(self.isolate(part, part.runs // 2) if part.runs > 1 else dead)
        return concatenate(outcomes)

    def commit(self, batch: Batch, delivery: Delivery) -> None:
        """Write a finished batch, and before it what the simulator says of it: no kill parts runs from their warnings."""
        self.hear(delivery.attributes)
        for rows, blocks in zip(batch.rows, delivery.chunks, strict=True):
            now = time.perf_counter()
            self.store.commit(rows, blocks, self.tag, now - self.mark)
            self.mark = now
        self.tally.simulated += batch.runs
        self.tally.simulating += delivery.simulating
        self.tally.packing += delivery.packing
        if delivery.simulating:
            self.sizer.measured(batch.runs, delivery.simulating + delivery.packing)

    def hear(self, attributes: Mapping[str, Any]) -> None:
        """Keep what the simulator says of itself with the first batch, and the warnings of all, those of earlier sessions among them."""
        known = self.tally.attributes
        new = {key: text for key, text in attributes.items() if key not in known and (not known or key.startswith(WARNING))}
        if new:
            stored = self.store.about().get("simulator", {})
            warned = {key: text for key, text in stored.items() if key.startswith(WARNING)}
            self.tally.attributes = {**warned, **known, **new}
            self.store.describe({"simulator": self.tally.attributes})
