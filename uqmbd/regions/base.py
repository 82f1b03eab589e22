"""What a region is to a study: where random runs go, which runs count, and the range of the surrogate there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np

from uqmbd.analysis.sets.regions import Region
from uqmbd.analysis.statistics.trust import Outer
from uqmbd.surrogates.base import Runs


class Box:
    """The whole box of the intervals; other regions change what is different in them. A region is one file."""

    # whether runs that are made where trust is missing lie all over the box; else they are those of a search for extremes
    scattered: ClassVar[bool] = False

    def __init__(self, runs: Runs) -> None:
        self.runs = runs

    def before(self) -> None:
        """Add points that go with the surrogate's first ask."""

    def random(self, u: np.ndarray) -> np.ndarray:
        """Points (n, d) of the region from points of the unit cube."""
        return 2 * u - 1

    def edge(self, ways: np.ndarray) -> np.ndarray:
        """Points of the region that are farthest in the directions of corners, `ways` (n, d)."""
        return ways

    def contains(self, points: np.ndarray) -> np.ndarray:
        """Which of the points (n, d) are in the region, (n,)."""
        return np.ones(len(points), bool)

    def confirm(self) -> Iterator[bool]:
        """Steps of runs at places where the surrogate has its extremes."""
        yield from ()

    def judge(self) -> None:
        """See how far the surrogate is trusted in parts of the region, after each fit."""

    def targets(self) -> tuple[Sequence[Region] | None, np.ndarray]:
        """Parts in which a search seeks extremes, the whole box if None, and of which columns, bool (parts, columns)."""
        return None, ~self.runs.trusted[None]

    def fallback(self, targets: np.ndarray, own: int) -> int:
        """Number of runs of that search, after `own` others."""
        return self.runs.settings.fallback(own) if targets.any() else 0

    def enclosed(self, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Range of the surrogate of some columns over the region, widened by the error, and which of them reached their gap."""
        runs = self.runs
        return runs.surrogate.enclosed(columns, runs.error[columns], runs.trusted[columns])

    def bounds(self, inner: np.ndarray) -> tuple[Outer, float]:
        """Outer bounds over the whole region, and the share of the trusted columns whose enclosure reached its gap."""
        return self.runs.outer(0, self.enclosed, inner, self.runs.error, self.runs.trusted)

    def groups(self, outer: Outer, met: float, inner: np.ndarray) -> dict[str, Any]:
        """Groups of the result that are others than those of a box; `outer`, `met` as of `bounds`."""
        return {}

    def facts(self) -> dict[str, Any]:
        """Attributes of the result."""
        return {}

    def notes(self) -> list[str]:
        """Sentences about the result."""
        return []
