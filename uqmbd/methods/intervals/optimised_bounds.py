"""What the methods with a surrogate do where it is not tight: a search takes over, and the tighter of both bounds stands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from uqmbd.analysis.base.design import sobol
from uqmbd.analysis.base.streams import generator
from uqmbd.analysis.search.outside import leaving
from uqmbd.analysis.sets.regions import Region
from uqmbd.analysis.statistics.trust import ENCLOSED, SEARCHED, Outer, joined
from uqmbd.methods.intervals.searching import COUNTING, SEARCH, BoundsSearch
from uqmbd.methods.intervals.validation_samples import LEAST_COUNTED, Plan, hits, share_outside
from uqmbd.surrogates.base import FALLBACK, OWN, Runs
from uqmbd.surrogates.base import SEARCH as CHOSEN

FRESH, ENOUGH = 0.25, 120  # share of the runs that are fresh; so many in each region, but no more than half of all
SETTLED, MARGIN = 3e-4, 0.01  # as of the method `search`
STREAM = 200  # where its random numbers begin
CANDIDATES, COLUMNS = 256, 64  # points and columns of which the surrogate says where its extremes are


class OptimisedBounds(BoundsSearch):
    """A search of `count` runs, fresh ones among them, after the runs of a surrogate, whose settings say what is trusted.

    `regions` is None for the whole box; `targets`, bool (regions, columns), says whose extremes are sought.
    """

    def __init__(self, runs: Runs, count: int, regions: Sequence[Region] | None, targets: np.ndarray) -> None:
        fresh = max(1, int(FRESH * count), min(ENOUGH * len(targets), count // 2))
        plan = Plan(0, count - fresh, fresh, SETTLED, runs.settings.width_tolerance, runs.settings.safety, MARGIN)
        super().__init__(plan, runs.columns, len(runs.inputs), runs.seed, regions, targets, STREAM)
        self.runs, self.targets = runs, targets
        self.counted, self.own = np.empty(0, int), np.empty(0, int)  # runs that are counted, and the region of each
        self.begin(runs.points, runs.values, runs.status)

    def close(self) -> Iterator[bool]:
        """One step for each ask: runs that begin where the surrogate has its extremes, and fresh ones."""
        runs, wanted = self.runs, np.flatnonzero(self.targets.any(axis=0))
        candidates = self.into(2 * sobol(CANDIDATES, len(runs.inputs), generator(runs.seed, STREAM - 1)) - 1)
        some = np.unique(wanted[np.linspace(0, len(wanted) - 1, COLUMNS).round().astype(int)])
        values = runs.expansion.select(some).evaluate(candidates)
        best = np.unique(np.concatenate([values.argmin(axis=0), values.argmax(axis=0)]))[: max(1, self.plan.runs // 4)]
        for role, points, own in self.steps(candidates[best]):
            first = len(runs.points)
            if role == COUNTING:
                self.counted, self.own = first + np.arange(len(points)), own
            runs.add(points, CHOSEN if role == SEARCH else np.where(own == 0, FALLBACK, OWN))
            yield True
            self.take(runs.values[first:], runs.status[first:])

    def outer(self, region: int, enclosure: np.ndarray, inner: np.ndarray, error: np.ndarray, trusted: np.ndarray) -> Outer:
        """The bounds of a region; `enclosure` (2, columns) is NaN where nothing was asked, `inner` (2, columns) what runs reached.

        Where the surrogate is trusted they are its own. Elsewhere those of the search, if that is trusted or tighter, or if runs have left
        the enclosure; but a search with few fresh runs has no say of its own.
        """
        search = self.search_bound(region)
        own = joined(enclosure, inner)
        holds = (enclosure[0] <= inner[0]) & (enclosure[1] >= inner[1])
        own = np.where(holds | trusted, own, joined(own, search.outer))
        taken = ~trusted & (search.trusted | ~holds | (np.ptp(search.outer, axis=0) < np.ptp(own, axis=0)))
        taken &= np.isfinite(search.searched).all(axis=0) & (search.counted >= LEAST_COUNTED)
        return Outer(
            np.where(taken, joined(search.outer, inner), own),
            np.where(taken, search.error, error),
            trusted | search.trusted & taken,
            np.where(taken, SEARCHED, ENCLOSED).astype(np.int8),
        )

    def attributes(self, outer: Outer) -> dict:
        """Attributes that say in how much of the box the response may leave those bounds of it that come from the search."""
        share = float(np.mean(outer.source == SEARCHED))
        if not share:
            return {"searched_share": share}
        rows = self.counted[self.own == 0]
        rows = rows[self.runs.status[rows] == 0]
        search = self.search_bound()
        out = leaving(self.runs.values[rows], search.judged, search.margin) & (outer.source == SEARCHED)
        about = share_outside(self.columns, hits(out, self.columns), int(out.sum(axis=0).max(initial=0)), len(rows), MARGIN)
        about["outside_at_most"] = {name: about["outside_at_most"][name] for name in self.columns.named(outer.source == SEARCHED)}
        statement = "where the bounds are those of a search, " + about.pop("statement")
        return about | {"searched_share": share, "statement": statement}
