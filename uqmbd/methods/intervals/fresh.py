"""What a search has reached, and what fresh runs say of that."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from uqmbd.analysis.columns import Columns
from uqmbd.analysis.extremes import Extremes
from uqmbd.analysis.outside import exceedance, leaving, share_at_most

LATE = 2 / 3  # of the search's runs: what it gained after these is what it may gain yet


@dataclass(frozen=True)
class Found:
    """What is known of one region.

    Attributes
    ----------
    searched, inner, outer : ndarray, shape (2, columns)
        What the search reached, what any run reached, and the bounds.
    places : ndarray of int, shape (2, columns)
        Run that reached each of `inner`; -1 where none is known.
    error : ndarray, shape (columns,)
        How far fresh runs lay outside of `searched`, or by how much that still grew, or what the populations of the search disagreed about.
    trusted : ndarray of bool, shape (columns,)
    hits : ndarray of int, shape (outputs + 1,)
        Counted fresh runs outside, by output, and anywhere.
    once : int
        Of the time with the most of them.
    counted : int
        Fresh runs that were counted.
    judged : ndarray, shape (2, columns)
        The bounds that they were counted against: `outer` without what they reached themselves.
    margin : ndarray, shape (columns,)
        By more than which they had to be outside.
    """

    searched: np.ndarray
    inner: np.ndarray
    outer: np.ndarray
    places: np.ndarray
    error: np.ndarray
    trusted: np.ndarray
    hits: np.ndarray
    once: int
    counted: int
    judged: np.ndarray
    margin: np.ndarray

    @property
    def shares(self) -> np.ndarray:
        """Share of the region in which, with 95 % confidence, the response leaves the bounds at most: by output, and anywhere."""
        return share_at_most(self.hits, self.counted)

    @property
    def share_at_one_time(self) -> float:
        """The same at any single time."""
        return float(share_at_most(self.once, self.counted))


class Reached:
    """The bounds that a search has reached in one region, after each of its rounds."""

    def __init__(self) -> None:
        self._rounds: list[tuple[int, np.ndarray]] = []  # runs so far, bounds

    def add(self, runs: int, bounds: np.ndarray) -> None:
        """The bounds (2, columns) after so many runs."""
        self._rounds.append((runs, bounds))

    @property
    def bounds(self) -> np.ndarray:
        """Those after the last round, (2, columns)."""
        return self._rounds[-1][1]

    @property
    def young(self) -> bool:
        """Whether the last third of the runs is all that is known."""
        return self._rounds[0][0] > self._rounds[-1][0] * LATE

    def growth(self) -> np.ndarray:
        """By how much the bounds grew over the last third of the runs, (2, columns)."""
        now, bounds = self._rounds[-1]
        then = [old for runs, old in self._rounds[:-1] if runs <= now * LATE] or [self._rounds[0][1]]
        with np.errstate(invalid="ignore"):  # a region without a run yet has no bounds
            return np.where(bounds == then[-1], 0.0, np.abs(bounds - then[-1]))


class Counts:
    """What fresh runs show in one region; `bounds` are those of the search, (2, columns)."""

    def __init__(self, columns: Columns, bounds: np.ndarray, beyond: np.ndarray, doubted: np.ndarray, margin: np.ndarray) -> None:
        self.bounds, self.outer, self.beyond, self.doubted, self.margin = bounds, bounds, beyond, doubted, margin
        self.columns, self.counted = columns, 0
        self.reached = Extremes(columns.count, 1)
        self.error = np.zeros(columns.count)
        self.outside = np.zeros(columns.count, int)
        self.hits = np.zeros(len(columns.slices) + 1, int)

    def widen(self, values: np.ndarray, numbers: np.ndarray) -> None:
        """Runs (runs, columns) of these numbers that may move the bounds."""
        left = self._look(values, numbers)
        self.beyond = np.maximum(self.beyond, left)

    def count(self, values: np.ndarray, numbers: np.ndarray, own: np.ndarray) -> None:
        """Runs that may not, and those of them, (runs,) bool, that are a sample of the region."""
        self._look(values, numbers)
        values = values[own]
        out = leaving(values, self.outer, self.margin)
        self.outside += out.sum(axis=0)
        self.hits += hits(out, self.columns)
        self.counted += int(np.count_nonzero(~np.isnan(values[:, 0])))

    def _look(self, values: np.ndarray, numbers: np.ndarray) -> np.ndarray:
        left = exceedance(values, self.bounds)
        self.error = np.maximum(self.error, left.max(axis=0))
        self.reached.take(values, numbers)
        return left


def hits(out: np.ndarray, columns: Columns) -> np.ndarray:
    """How many runs are outside somewhere, by output, and anywhere, (outputs + 1,), of whether they are, (runs, columns)."""
    by_output = np.stack([out[:, at].any(axis=1) for at in columns.slices.values()])
    return np.append(by_output.sum(axis=1), by_output.any(axis=0).sum())


def statement(found: int, counted: int, anywhere: float, once: float, margin: float) -> str:
    """What the fresh runs say, in words."""
    return (
        f"{found} of {counted} fresh runs left the bounds, at some time of some output, by more than {100 * margin:.3g} % of the band's "
        f"width; so with 95 % confidence the response does so in less than {100 * anywhere:.2g} % of the box, "
        f"and at any single time in less than {100 * once:.2g} %; a peak in a smaller share of the box may be missed, however high it is"
    )
