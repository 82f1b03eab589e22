"""How many runs go into a batch: enough that handing it over costs nothing beside running it, few enough that all workers end together."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

TARGET = 1.0  # seconds a batch should take; handing one over takes about 10 ms, so 1 %
LARGEST = 64 << 20  # bytes of float64 outputs a batch may hold on its worker
PIECES = 128  # pieces that planned runs are cut into, as long as these hold between `width` and PIECE_RUNS runs
PIECE_RUNS, PIECE_BYTES = 1 << 16, 32 << 20  # runs, and bytes of float64 outputs, in a piece at most
GROWTH = 8  # largest growth from one measurement to the next (the first one holds imports and compilation)


@dataclass(frozen=True)
class Shard:
    """A share of the runs of every ask: every `of`-th piece, from number `part` on, counted from 1."""

    part: int
    of: int

    def __str__(self) -> str:
        return f"{self.part}/{self.of}"

    def has(self, rows: np.ndarray, length: int) -> np.ndarray:
        """Which rows, of pieces of this length, are its own, (runs,) bool."""
        return rows // length % self.of == self.part - 1


@dataclass
class Sizer:
    """Batch length from the measured speed.

    Attributes
    ----------
    bytes_per_run : int
        float64 outputs of a run.
    fixed : int, optional
        Batch length the user asks for.
    """

    bytes_per_run: int
    fixed: int | None = None
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
class Work:
    """Runs still to be done of one ask, handed out in order, whole pieces at a time.

    Attributes
    ----------
    samples : dict of str to ndarray
        All runs of the ask.
    missing : ndarray of int64
        Those of them that are to be done, by number.
    rows : ndarray of int64
        Row in the store of each of these.
    pieces : deque of (int, int)
        Positions ``[begin, end)`` in `missing` of the pieces left.
    """

    samples: Mapping[str, np.ndarray]
    missing: np.ndarray
    rows: np.ndarray
    pieces: deque[tuple[int, int]] = field(default_factory=deque)

    @property
    def remaining(self) -> int:
        """Runs not handed out yet."""
        return len(self.rows) - self.pieces[0][0] if self.pieces else 0

    def take(self, runs: int) -> Batch:
        """The next batch: whole pieces, at least one, of about `runs` runs."""
        first = self.pieces[0][0]
        taken = [self.pieces.popleft()]
        while self.pieces and self.pieces[0][1] - first <= runs:
            taken.append(self.pieces.popleft())
        at: Any = self.missing[first : taken[-1][1]]
        if at[-1] - at[0] + 1 == len(at) and (np.diff(at) == 1).all():
            at = slice(int(at[0]), int(at[-1]) + 1)
        return Batch([self.rows[begin:end] for begin, end in taken], {name: values[at] for name, values in self.samples.items()})


@dataclass(frozen=True)
class Batch:
    """What a worker does at once: rows of its pieces, and the samples of all of them in order."""

    rows: list[np.ndarray]
    samples: dict[str, np.ndarray]

    @property
    def lengths(self) -> list[int]:
        """Runs of each piece."""
        return [len(rows) for rows in self.rows]

    @property
    def runs(self) -> int:
        """Number of runs."""
        return sum(self.lengths)

    def split(self) -> list[Batch]:
        """One batch for each piece."""
        parts, at = [], 0
        for rows in self.rows:
            part = slice(at, at + len(rows))
            at = part.stop
            parts.append(Batch([rows], {name: values[part] for name, values in self.samples.items()}))
        return parts


def piece_length(n: int, width: int, batch: int | None, bytes_per_run: int) -> int:
    """Runs in a piece, from the number of runs that are planned and their size (never from timing): a multiple of `width` if it can be."""
    fair = 1 << max(0, (n // PIECES).bit_length() - 1)
    length = max(1, min(multiple(fair, width), PIECE_RUNS // width * width, PIECE_BYTES // max(bytes_per_run, 1) // width * width))
    return length if batch is None else max(1, min(length, batch))


def multiple(length: int, of: int) -> int:
    """The least multiple that is not less than a length."""
    return -(-length // of) * of


def cut(rows: np.ndarray, length: int, breaks: np.ndarray) -> list[tuple[int, int]]:
    """Cut runs into pieces ``(begin, end)`` of their positions: rows that have the same number when divided by `length`.

    `breaks` holds True at positions where a new piece has to begin. So the division depends on rows alone, never on timing.
    """
    if not len(rows):
        return []
    number = rows // length
    starts = np.flatnonzero(np.concatenate([[True], number[1:] != number[:-1]]) | breaks)
    return list(zip(starts.tolist(), [*starts[1:].tolist(), len(rows)], strict=True))
