"""What the methods with a surrogate do where it is not tight: a search takes over, and the tighter of both bounds stands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from uqmbd.analysis.columns import Columns
from uqmbd.analysis.outside import leaving
from uqmbd.analysis.regions import Region
from uqmbd.analysis.trust import ENCLOSED, SEARCHED, Outer, joined
from uqmbd.methods.intervals.fresh import LEAST_COUNTED, Found, Plan, hits, said
from uqmbd.methods.intervals.searching import COUNTING, SEARCH, BoundsSearch

FRESH, ENOUGH = 0.25, 120  # share of the runs that are fresh; so many in each region, but no more than half of all
SETTLED, MARGIN = 3e-4, 0.01  # as of the method `search`
STREAM = 200  # where its random numbers begin
CANDIDATES, COLUMNS = 256, 64  # points and columns of which the surrogate says where its extremes are


class Closing:
    """A search after the runs of a surrogate.

    Parameters
    ----------
    runs : int
        Those of the search and the fresh ones.
    columns : Columns
    inputs, seed : int
    regions : sequence of Region or None
        The whole box where None.
    sought : ndarray of bool, shape (regions, columns)
    tolerance, safety : float
        Share of the band's width that is trusted; by how much errors widen the bounds.
    """

    def __init__(
        self,
        runs: int,
        columns: Columns,
        inputs: int,
        seed: int,
        regions: Sequence[Region] | None,
        sought: np.ndarray,
        tolerance: float,
        safety: float,
    ) -> None:
        fresh = max(1, int(FRESH * runs), min(ENOUGH * len(sought), runs // 2))
        plan = Plan(0, runs - fresh, fresh, SETTLED, tolerance, safety, MARGIN)
        self.columns, self.sought = columns, sought
        self.counted, self.own = np.empty(0, int), np.empty(0, int)  # runs that are counted, and the region of each
        self.search = BoundsSearch(plan, columns, inputs, seed, regions, sought, STREAM)

    def steps(self, surrogate, candidates: np.ndarray) -> Iterator[tuple[bool, np.ndarray, np.ndarray]]:
        """Whether the next runs are chosen, their points, and of fresh ones the region of which they are a sample.

        Parameters
        ----------
        surrogate : Expansion
        candidates : ndarray, shape (points, inputs)
            Where the surrogate is asked for its extremes.
        """
        plan, wanted = self.search.plan, np.flatnonzero(self.sought.any(axis=0))
        some = np.unique(wanted[np.linspace(0, len(wanted) - 1, COLUMNS).round().astype(int)])
        values = surrogate.select(some).evaluate(candidates)
        best = np.unique(np.concatenate([values.argmin(axis=0), values.argmax(axis=0)]))[: max(1, plan.runs // 4)]
        for role, points, own in self.search.steps(candidates[best]):
            if role == COUNTING:
                self.counted, self.own = len(self.search.asked) - len(points) + np.arange(len(points)), own
            yield role == SEARCH, points, own

    def outer(self, region: int, enclosure: np.ndarray, inner: np.ndarray, error: np.ndarray, trusted: np.ndarray) -> Outer:
        """The bounds of a region.

        Where the surrogate is trusted they are its own. Elsewhere those of the search, if that is trusted or tighter, or if runs have left
        the enclosure; but a search with few fresh runs has no say of its own.

        Parameters
        ----------
        enclosure, inner : ndarray, shape (2, columns)
            Range of the surrogate, widened by its error (NaN where it was not asked for), and what runs reached.
        """
        found = self.search.found(region)
        own = joined(enclosure, inner)
        holds = (enclosure[0] <= inner[0]) & (enclosure[1] >= inner[1])
        own = np.where(holds | trusted, own, joined(own, found.outer))
        taken = ~trusted & (found.trusted | ~holds | (np.ptp(found.outer, axis=0) < np.ptp(own, axis=0)))
        taken &= np.isfinite(found.searched).all(axis=0) & (found.counted >= LEAST_COUNTED)
        return Outer(
            np.where(taken, joined(found.outer, inner), own),
            np.where(taken, found.error, error),
            trusted | found.trusted & taken,
            np.where(taken, SEARCHED, ENCLOSED).astype(np.int8),
        )

    def said(self, outer: Outer, values: np.ndarray, status: np.ndarray) -> dict:
        """Attributes that say in how much of the box the response may leave those bounds of it that come from the search.

        Parameters
        ----------
        values, status : ndarray, shapes (runs, columns) and (runs,)
            Of all runs.
        """
        share = float(np.mean(outer.source == SEARCHED))
        if not share:
            return {"searched_share": share}
        rows = self.counted[self.own == 0]
        rows = rows[status[rows] == 0]
        found = self.search.found()
        out = leaving(values[rows], found.judged, found.margin) & (outer.source == SEARCHED)
        about = said(self.columns, hits(out, self.columns), int(out.sum(axis=0).max(initial=0)), len(rows), MARGIN)
        about["outside_at_most"] = {name: about["outside_at_most"][name] for name in self.columns.named(outer.source == SEARCHED)}
        statement = "where the bounds are those of a search, " + about.pop("statement")
        return about | {"searched_share": share, "statement": statement}

    def found(self, region: int = 0) -> Found:
        """What the search knows of a region."""
        return self.search.found(region)
