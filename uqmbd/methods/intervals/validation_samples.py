"""What a search may spend, what it has reached, and what fresh runs say of that."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from uqmbd.analysis.base.columns import Columns
from uqmbd.analysis.search.extremes import Extremes
from uqmbd.analysis.search.outside import exceedance, leaving, share_at_most
from uqmbd.analysis.statistics import trust

LATE = 2 / 3  # of the search's runs: what it gained after these is what it may gain yet
LEAST_COUNTED = 59  # fresh runs of which none is outside: less than 5 % of the box may be, and less is not trusted


@dataclass(frozen=True)
class Plan:
    """What a search may spend, and how it is judged; see `uqmbd.methods.intervals.search.Search`."""

    first: int  # Sobol' points at the beginning
    runs: int  # of the search with them, at most
    fresh: int  # runs
    settled: float  # this and the next: shares of the band's width
    tolerance: float
    safety: float
    margin: float  # share of the band's width


@dataclass(frozen=True)
class SearchBound:
    """What is known of one region."""

    searched: np.ndarray  # (2, columns): what the search reached
    inner: np.ndarray  # (2, columns): what any run reached
    outer: np.ndarray  # (2, columns): the bounds
    places: np.ndarray  # int (2, columns): run that reached each of `inner`; -1 where none is known
    error: np.ndarray  # (columns,): how far fresh runs lay outside of `searched`, that still grew, or populations of the search disagreed
    trusted: np.ndarray  # bool (columns,)
    hits: np.ndarray  # int (outputs + 1,): counted fresh runs outside, by output, and anywhere
    once: int  # of the time with the most of them
    counted: int  # fresh runs that were counted
    judged: np.ndarray  # (2, columns): the bounds that they were counted against: `outer` without what they reached themselves
    margin: np.ndarray  # (columns,): by more than which they had to be outside


class SampleExtremes:
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

    def __init__(self, columns: Columns, bounds: np.ndarray, beyond: np.ndarray, doubted: np.ndarray, plan: Plan) -> None:
        self.bounds, self.outer, self.beyond, self.doubted, self.plan = bounds, bounds, beyond, doubted, plan
        self.columns, self.counted, self.margin = columns, 0, plan.margin * trust.width(bounds, columns.slices.values())
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

    def widened(self) -> np.ndarray:
        """The bounds, widened by what fresh runs have shown so far, (2, columns)."""
        slices = self.columns.slices.values()
        spread = np.stack([trust.over_neighbours(beyond, self.bounds, slices) for beyond in self.beyond])
        known = np.where(np.isfinite(self.bounds), self.bounds, np.nan)  # a region in which the search has no run
        return known + self.plan.safety * np.maximum(spread, self.doubted) * np.array([[-1.0], [1.0]])

    def search_bound(self, part: Extremes, growth: np.ndarray) -> SearchBound:
        """What is known when all runs are made: `part` is what the search's runs reached, which may grow by `growth` (2, columns)."""
        searched, reached, slices = self.bounds, self.reached.bounds, self.columns.slices.values()
        inner = trust.joined(searched, reached)
        outer = trust.joined(self.outer, inner)
        from_fresh = np.stack([inner[0] < searched[0], inner[1] > searched[1]])
        places = np.where(from_fresh, self.reached.places, part.places)
        error = trust.over_neighbours(np.maximum(self.error, growth.max(axis=0)), searched, slices)
        error = np.maximum(error, self.doubted.max(axis=0))
        trusted = (error <= self.plan.tolerance * trust.width(inner, slices)) & (self.counted >= LEAST_COUNTED)
        most = int(self.outside.max(initial=0))
        return SearchBound(searched, inner, outer, places, error, trusted, self.hits, most, self.counted, self.outer, self.margin)


def hits(out: np.ndarray, columns: Columns) -> np.ndarray:
    """How many runs are outside somewhere, by output, and anywhere, (outputs + 1,), of whether they are, (runs, columns)."""
    by_output = np.stack([out[:, at].any(axis=1) for at in columns.slices.values()])
    return np.append(by_output.sum(axis=1), by_output.any(axis=0).sum())


def share_outside(columns: Columns, outside: np.ndarray, once: int, counted: int, margin: float) -> dict:
    """Attributes that say in how much of the box the response may leave the bounds, with 95 % confidence.

    Of `counted` fresh runs so many, `outside` (outputs + 1,) as of `hits`, left them by more than `margin` times the band's width, and
    `once` at the time with the most of them.
    """
    shares, at_once, left = share_at_most(outside, counted), float(share_at_most(once, counted)), int(outside[-1])
    anywhere = float(shares[-1])
    return {
        "outside_at_most": dict(zip(columns.slices, shares[:-1].tolist(), strict=True)),
        "outside_anywhere_at_most": anywhere,
        "outside_at_one_time_at_most": at_once,
        "outside_found": left,
        "statement": f"{left} of {counted} fresh runs left the bounds, at some time of some output, by more than {100 * margin:.3g} % "
        f"of the band's width; so with 95 % confidence the response does so in less than {100 * anywhere:.2g} % of the box, "
        f"and at any single time in less than {100 * at_once:.2g} %; a peak in a smaller share of the box may be missed, "
        "however high it is",
    }
