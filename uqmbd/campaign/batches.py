"""How many runs go into a batch: enough that handing it over costs nothing beside running it, few enough that all workers end together."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

TARGET = 1.0  # seconds a batch should take; handing one over takes about 10 ms, so 1 %
LARGEST = 64 << 20  # bytes of float64 outputs a batch may hold on its worker
GROWTH = 8  # largest growth from one measurement to the next (the first one holds imports and compilation)


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
        The missing runs of the ask.
    pieces : deque of (int, int)
        Positions ``[begin, end)`` in `samples` of the pieces left.
    rows : ndarray of int64
        Row in the store of each missing run.
    """

    samples: Mapping[str, np.ndarray]
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
        part = slice(first, taken[-1][1])
        spans = [(int(self.rows[begin]), int(self.rows[end - 1]) + 1) for begin, end in taken]
        return Batch(spans, {name: values[part] for name, values in self.samples.items()})


@dataclass(frozen=True)
class Batch:
    """What is sent to a worker: rows of the pieces, and the samples of all of them in order."""

    spans: list[tuple[int, int]]
    samples: dict[str, np.ndarray]

    @property
    def runs(self) -> int:
        """Number of runs."""
        return sum(stop - start for start, stop in self.spans)

    def split(self) -> list[Batch]:
        """One batch for each piece."""
        parts, at = [], 0
        for start, stop in self.spans:
            part = slice(at, at + stop - start)
            at = part.stop
            parts.append(Batch([(start, stop)], {name: values[part] for name, values in self.samples.items()}))
        return parts
