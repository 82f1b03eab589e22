"""How many runs go into a batch: enough that handing it over costs nothing beside running it, few enough that all workers end together."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from uqmbd.request import Control, Request
from uqmbd.runs.chunk import CONTROL

TARGET = 1.0  # seconds a batch should take; handing one over takes about 10 ms, so 1 %
LARGEST = 64 << 20  # bytes of float64 outputs a batch may hold on its worker
CHUNKS = 128  # chunks that planned runs are cut into, as long as these hold between `width` and CHUNK_RUNS runs
CHUNK_RUNS, CHUNK_BYTES = 1 << 16, 32 << 20  # runs, and bytes of float64 outputs, in a chunk at most
GROWTH = 8  # largest growth from one measurement to the next (the first one holds imports and compilation)


@dataclass(frozen=True)
class Shard:
    """A share of the runs of every ask: every `of`-th chunk, from number `part` on, counted from 1."""

    part: int
    of: int

    def __str__(self) -> str:
        return f"{self.part}/{self.of}"

    def has(self, rows: np.ndarray, length: int) -> np.ndarray:
        """Which rows, of chunks of this length, are its own, (runs,) bool."""
        return rows // length % self.of == self.part - 1


@dataclass
class BatchSizer:
    """Batch length from the measured speed."""

    bytes_per_run: int  # float64 outputs of a run
    fixed: int | None = None  # batch length the user asks for
    length: int = 1
    seconds_per_run: float | None = None

    def measured(self, runs: int, seconds: float) -> None:
        """Take a finished batch into account."""
        self.seconds_per_run = max(seconds, 1e-9) / runs
        self.length = int(np.clip(TARGET / self.seconds_per_run, 1, GROWTH * max(runs, self.length)))

    def runs(self, remaining: int, workers: int) -> int:
        """Runs the next batch should hold, when `remaining` are left."""
        if self.fixed is not None:
            return self.fixed
        share = remaining // (2 * workers) + 1
        return max(1, min(self.length, share, LARGEST // max(self.bytes_per_run, 1)))


@dataclass
class Queue:
    """Runs still to be done of one ask, handed out in order, whole chunks at a time."""

    request: Request  # all runs of the ask
    missing: np.ndarray  # those of them that are to be done, by number, int64
    rows: np.ndarray  # row in the store of each of these, int64
    kind: np.ndarray  # of each of these, a number of its control and of whether it starts from another run: a batch has one of them
    extras: Mapping[str, np.ndarray]  # columns of all runs of the ask besides inputs: controls, keys of starts
    source: np.ndarray | None  # rows from whose ends the runs of the ask start, int64
    states: Callable[[np.ndarray], list[bytes]]  # of such rows
    chunks: deque[tuple[int, int]]  # positions ``[begin, end)`` in `missing` of the chunks left

    @property
    def remaining(self) -> int:
        """Runs not handed out yet."""
        return len(self.rows) - self.chunks[0][0] if self.chunks else 0

    def take(self, runs: int) -> Batch:
        """The next batch: whole chunks, at least one, of about `runs` runs."""
        first = self.chunks[0][0]
        taken = [self.chunks.popleft()]
        while self.chunks and self.chunks[0][1] - first <= runs and self.kind[self.chunks[0][0]] == self.kind[first]:
            taken.append(self.chunks.popleft())
        at: Any = self.missing[first : taken[-1][1]]
        if at[-1] - at[0] + 1 == len(at) and (np.diff(at) == 1).all():
            at = slice(int(at[0]), int(at[-1]) + 1)
        samples, extras = ({name: values[at] for name, values in each.items()} for each in (self.request.samples, self.extras))
        source = None if self.source is None or (self.source[at] < 0).all() else self.source[at]
        task = Task(samples, extras, None if source is None else self.states(source), self.request.keep_state)
        return Batch([self.rows[begin:end] for begin, end in taken], task)


@dataclass(frozen=True)
class Task:
    """What a worker does at once."""

    samples: Mapping[str, np.ndarray]  # (n,) each
    extras: Mapping[str, np.ndarray] = field(default_factory=dict)  # (n,) each: controls, the same for all; keys of the runs to start from
    start: Sequence[bytes] | None = None  # states from which they start; empty where there is none, since that run failed
    keep_state: bool = False  # whether their own are kept

    @property
    def runs(self) -> int:
        """Number of runs."""
        return len(next(iter(self.samples.values())))

    @property
    def control(self) -> Control:
        """Of all of them."""
        return tuple((name.removeprefix(CONTROL), float(values[0])) for name, values in self.extras.items() if name.startswith(CONTROL))

    def part(self, at: slice | list[int]) -> Task:
        """Some of the runs."""
        samples, extras = ({name: values[at] for name, values in each.items()} for each in (self.samples, self.extras))
        start = self.start if self.start is None else self.start[at] if isinstance(at, slice) else [self.start[i] for i in at]
        return Task(samples, extras, start, self.keep_state)


@dataclass(frozen=True)
class Batch:
    """Rows of the chunks of a task."""

    rows: list[np.ndarray]
    task: Task

    @property
    def lengths(self) -> list[int]:
        """Runs of each chunk."""
        return [len(rows) for rows in self.rows]

    @property
    def runs(self) -> int:
        """Number of runs."""
        return self.task.runs

    def split(self) -> list[Batch]:
        """One batch for each chunk."""
        ends = np.cumsum(self.lengths).tolist()
        return [Batch([rows], self.task.part(slice(end - len(rows), end))) for rows, end in zip(self.rows, ends, strict=True)]


def chunk_length(n: int, width: int, batch: int | None, bytes_per_run: int) -> int:
    """Runs in a chunk, from the number of runs that are planned and their size (never from timing): a multiple of `width` if it can be."""
    fair = 1 << max(0, (n // CHUNKS).bit_length() - 1)
    length = max(1, min(multiple(fair, width), CHUNK_RUNS // width * width, CHUNK_BYTES // max(bytes_per_run, 1) // width * width))
    return length if batch is None else max(1, min(length, batch))


def multiple(length: int, of: int) -> int:
    """The least multiple that is not less than a length."""
    return -(-length // of) * of


def partition(rows: np.ndarray, length: int, breaks: np.ndarray) -> list[tuple[int, int]]:
    """Cut runs into chunks ``(begin, end)`` of their positions: rows that have the same number when divided by `length`.

    `breaks` holds True at positions where a new chunk has to begin. So the division depends on rows alone, never on timing.
    """
    if not len(rows):
        return []
    number = rows // length
    starts = np.flatnonzero(np.concatenate([[True], number[1:] != number[:-1]]) | breaks)
    return list(pairwise([*starts.tolist(), len(rows)]))
