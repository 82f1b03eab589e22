"""What a campaign did and what it cost, and who is told as it goes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from uqmbd.outcomes import STATUS
from uqmbd.request import Control, Cost, Progress
from uqmbd.runs.growing import Growing
from uqmbd.runs.reader import Runs


@dataclass
class CampaignStatistics:
    """What a campaign did and what it cost."""

    asked: int = 0  # runs the method asked for
    simulated: int = 0  # of them, those that were not in the store
    workers: int = 0  # runs done at once
    status: Counter[str] = field(default_factory=Counter)  # runs told to the method by status
    rows: Growing = field(default_factory=lambda: Growing(np.zeros(0, bool)))  # see `used`
    wall: float = 0.0  # s from start to end
    fan_out: float = 0.0  # s of it with batches under way
    simulating: float = 0.0  # s of all workers in the simulator
    packing: float = 0.0  # and in rounding, reducing and encoding
    deaths: int = 0  # batches whose worker died
    attributes: dict[str, Any] = field(default_factory=dict)  # what the simulator says of itself
    cost: dict[Control, tuple[int, Fraction]] = field(default_factory=dict)  # runs told, and their seconds: exact, as in a resumed study
    counted: set[tuple[int, int]] = field(default_factory=set)  # chunks whose seconds are in it

    @property
    def used(self) -> np.ndarray:
        """Rows of the store that were told, (rows,) bool."""
        return self.rows.rows

    def reach(self, rows: int) -> None:
        """There are so many rows."""
        self.rows.fill(rows - self.rows.count, False)

    def use(self, store: Runs, rows: np.ndarray, status: np.ndarray, control: np.ndarray, controls: Sequence[Control]) -> None:
        """These rows were told, which ended so; `control` (n,) is the number of each one's in `controls`."""
        self.used[rows] = True
        self.status.update({STATUS[code]: int(number) for code, number in enumerate(np.bincount(status)) if number})
        for number, runs in enumerate(np.bincount(control, minlength=len(controls)).tolist()):
            if runs:
                self.spend(controls[number], runs, 0.0)
        for number, at in store.by_chunk(rows):
            for part, (seconds, first) in store.chunks[number].seconds_of(rows[at]).items():
                if (number, part) not in self.counted:
                    self.counted.add((number, part))
                    self.spend(controls[control[at][first]], 0, seconds)

    def spend(self, control: Control, runs: int, seconds: float) -> None:
        """So many runs, and so many seconds, were of this control."""
        before = self.cost.get(control, (0, Fraction(0)))
        self.cost[control] = before[0] + runs, before[1] + Fraction(seconds)

    @property
    def progress(self) -> Progress:
        """What the method may know of it."""
        cost = {control: Cost(runs, float(seconds)) for control, (runs, seconds) in sorted(self.cost.items())}
        runs, seconds = self.status.total(), float(sum(seconds for _, seconds in self.cost.values()))
        return Progress(runs, runs - self.status["ok"], seconds, cost)

    @property
    def costs(self) -> dict[str, Any]:
        """Attributes of a result: runs and seconds by control, where there is one."""
        cost = self.progress.cost
        costs = [{"control": dict(control), "runs": each.runs, "seconds": each.seconds} for control, each in cost.items()]
        return {"costs": costs} if any(cost) else {}

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
