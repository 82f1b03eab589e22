"""What a campaign did and what it cost, and who is told as it goes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from uqmbd.runs.growing import Growing

if TYPE_CHECKING:
    from uqmbd.runs.reader import Runs


@dataclass
class Tally:
    """What a campaign did and what it cost.

    Attributes
    ----------
    asked, simulated : int
        Runs the method asked for, and how many of them were not in the store.
    status : Counter
        Runs told to the method by status.
    used : ndarray of bool
        Rows of the store in which they are.
    taken : Fraction
        Seconds of all runs told to the method.
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
    rows: Growing = field(default_factory=lambda: Growing(np.zeros(0, bool)))
    wall: float = 0.0
    fan_out: float = 0.0
    simulating: float = 0.0
    packing: float = 0.0
    deaths: int = 0
    attributes: dict[str, Any] = field(default_factory=dict)
    taken: Fraction = Fraction(0)  # exact: the sum is that of a resumed study, whatever was told first
    counted: set[tuple[int, int]] = field(default_factory=set)  # pieces whose seconds are in it

    @property
    def used(self) -> np.ndarray:
        """Rows of the store that were told, (rows,) bool."""
        return self.rows.rows

    def reach(self, rows: int) -> None:
        """There are so many rows."""
        self.rows.fill(rows - self.rows.count, False)

    def use(self, store: Runs, rows: np.ndarray) -> None:
        """These rows were told."""
        self.used[rows] = True
        for number, at in store.by_piece(rows):
            for part, seconds in store.pieces[number].seconds_of(rows[at]).items():
                if (number, part) not in self.counted:
                    self.counted.add((number, part))
                    self.taken += Fraction(seconds)

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
