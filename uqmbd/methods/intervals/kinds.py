"""A search in a box whose runs are of several kinds: extremes for each, and runs along the boundaries between them.

A kind is known by the outcome of a run only, such as the order of its impacts; the response may jump from one kind to the next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from uqmbd.analysis.base.columns import Columns
from uqmbd.analysis.search.boundary import Boundary
from uqmbd.analysis.search.extreme_search import Search, neighbours
from uqmbd.analysis.search.extremes import Extremes
from uqmbd.analysis.statistics.moment_limits import proportion_limits
from uqmbd.errors import StudyError
from uqmbd.methods.intervals.searching import FIRST, SEARCH, WIDENING, BoundsSearch
from uqmbd.methods.intervals.validation_samples import Counts, Plan, SampleExtremes

if TYPE_CHECKING:
    from uqmbd.result import Result

MOST = 32  # kinds
SPREAD = 8  # one run in so many goes between two of different kinds, wherever on their boundary
TOWARDS, BETWEEN = "to the boundary", "along the boundary"


class Kind:
    """What is known of the runs of one kind."""

    def __init__(self, columns: Columns, search: Callable[[Extremes], Search], keep: int) -> None:
        self.extremes = Extremes(columns.count, keep)  # of the search's runs; empty where only fresh runs are of this kind
        self.search, self.reached = search(self.extremes), SampleExtremes()  # where to run next
        self.fresh = Extremes(columns.count, 1)  # what fresh runs reached of a kind that the search has not seen
        self.counts: Counts | None = None  # what they show of one that it has seen
        self.runs = self.fresh_runs = 0  # those that were ok, of the search and fresh ones

    def known_bounds(self, beyond: np.ndarray | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What its runs reached and its bounds, (2, columns), and where these are trusted; it may reach `beyond` what the search did."""
        if self.counts is None or beyond is None:
            return self.fresh.bounds, self.fresh.bounds, np.zeros(self.fresh.bounds.shape[1], bool)
        bound = self.counts.search_bound(self.extremes, beyond)
        return bound.inner, bound.outer, bound.trusted & ~self.reached.young


class KindsSearch(BoundsSearch):
    """Extremes of all runs, and of those of each kind, told apart by the output `sequence`; the bounds of all are the union of theirs.

    The runs of a round are divided among the kinds. Some go along their boundaries, and some from extremes towards these: an extreme may be
    a limit that no run reaches.
    """

    def __init__(self, plan: Plan, columns: Columns, inputs: int, seed: int, sequence: str, over: Callable[[int], bool]) -> None:
        super().__init__(plan, columns, inputs, seed, over=over)
        self.sequence, self._column = sequence, columns.slices[sequence].start
        self._kinds: dict[float, Kind] = {}
        self._kind_of = np.empty(0)  # of each run, NaN if it failed
        self._boundary = Boundary(self.budget.points, self._kind_of)
        self._open: dict[float, np.ndarray] = {}
        self._tally = np.zeros((2, len(self.search.ways) + 2))

    # what is told --------------------------------------------------------------------------------------------------------------------
    def take(self, values: np.ndarray, status: np.ndarray) -> None:
        first = self._observed
        super().take(values, status)
        kinds = np.where(status == 0, values[:, self._column], np.nan)
        self._kind_of[first : self._observed] = kinds
        for value in np.unique(kinds[status == 0]):
            rows = np.flatnonzero(kinds == value)
            self._take(self._kind(float(value), first + int(rows[0])), values[rows], first + rows)

    def _take(self, kind: Kind, values: np.ndarray, numbers: np.ndarray) -> None:
        if self._role in (FIRST, SEARCH):
            kind.extremes.take(values, numbers)
            kind.runs += len(numbers)
            return
        kind.fresh_runs += len(numbers)
        if kind.counts is None:
            kind.fresh.take(values, numbers)
        elif self._role == WIDENING:
            kind.counts.widen(values, numbers)
        else:
            kind.counts.count(values, numbers, np.ones(len(numbers), bool))

    def _kind(self, value: float, run: int) -> Kind:
        if value not in self._kinds:
            if value != round(value):
                text = f"run {run} has {self.sequence} = {value:.6g}, which is no whole number: it cannot tell kinds of runs apart"
                remedy = "name an output that counts impacts, or whose digits are their order"
                raise StudyError(text, key="method.sequence", value=self.sequence, remedy=remedy)
            if len(self._kinds) == MOST:
                text = f"the runs have more than {MOST} different values of {self.sequence}: too many kinds for bounds of each"
                remedy = "name an output that tells fewer kinds apart, or leave sequence out"
                raise StudyError(text, key="method.sequence", value=self.sequence, remedy=remedy)
            self._kinds[value] = Kind(self.columns, self._search_of, neighbours(self.budget.points.shape[1]))
        return self._kinds[value]

    def _await(self, points: np.ndarray, group: np.ndarray | None = None) -> None:
        super()._await(points, group)
        self._kind_of = np.concatenate([self._kind_of, np.full(len(points), np.nan)])

    # what is asked -------------------------------------------------------------------------------------------------------------------
    def _search_of(self, extremes: Extremes) -> Search:
        """Proposals for a kind with these extremes."""

        def towards(points, side, column, rng):
            return self._boundary.towards(extremes.places[side, column], rng)

        def between(points, side, column, rng):
            kind = float(self._kind_of[extremes.places[0, 0]])
            return self._boundary.between(kind, len(side), rng)

        targets = np.ones(self.columns.count, bool)
        targets[self._column] = self.columns.count == 1
        more = [(TOWARDS, towards), (BETWEEN, between)]
        return Search(extremes, self._groups, self._order, self.budget.points.shape[1], targets, more)

    def _seen(self) -> list[Kind]:
        """Kinds that the search has seen."""
        return [kind for _, kind in sorted(self._kinds.items()) if kind.runs]

    def _ways(self, count: int, draw: np.random.Generator) -> np.ndarray:
        kinds, ways = self._seen(), self._tally.shape[1]
        self._boundary = Boundary(self.budget.points, self._kind_of)
        drawn = []
        for k, some in enumerate(np.array_split(np.arange(count), max(1, len(kinds)))):
            spread = len(some) // SPREAD if len(kinds) > 1 else 0
            own = kinds[k].search.ways_of(len(some) - spread, draw)
            drawn.append(k * ways + np.append(own, np.full(spread, ways - 1)))
        return np.concatenate(drawn)

    def _propose(self, ways: np.ndarray, draw: np.random.Generator) -> np.ndarray:
        kinds, (who, which) = self._seen(), np.divmod(ways, self._tally.shape[1])
        points = np.empty((len(ways), self.budget.points.shape[1]))
        for k in np.unique(who):
            points[who == k] = kinds[k].search.points(self.budget.points, which[who == k], draw)[0]
        return self.into(points)

    def _before(self) -> Any:
        return [(kind, kind.extremes.values[..., 0].copy(), kind.extremes.places.copy()) for kind in self._seen()]

    def _learn(self, ways: np.ndarray, first: int, before: Any) -> None:
        which = ways % self._tally.shape[1]
        self._tally[0] += np.bincount(which, minlength=self._tally.shape[1])
        for kind, values, places in before:
            gained = kind.search.tally[1].copy()
            kind.search.learn(which, first, values, places)
            self._tally[1] += kind.search.tally[1] - gained

    def _remember(self) -> None:
        super()._remember()
        for kind in self._seen():
            kind.reached.add(len(self.budget), kind.extremes.bounds)

    def _is_settled(self) -> bool:
        return super()._is_settled() and all(self._settled_in(kind.reached, np.zeros((2, 1))) for kind in self._seen())

    def _populations(self, inputs: int) -> int:
        return 1

    def _group_of(self, ways: np.ndarray) -> np.ndarray:
        return np.zeros(len(ways), int)

    def _anywhere(self, ways: np.ndarray) -> np.ndarray:
        return ways

    def _check(self) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
        boundary = Boundary(self.budget.points, self._kind_of)
        for value, kind in self._kinds.items():
            open_ = kind.reached.growth(), self._resolution(kind.extremes), boundary.open_ends(kind.extremes)
            self._open[value] = np.maximum.reduce(open_)
            kind.counts = Counts(self.columns, kind.reached.bounds, self._open[value], np.zeros_like(kind.reached.bounds), self.plan)
        yield from super()._check()

    def _growth(self) -> list[np.ndarray]:
        """As of one region, and up to where a kind may reach at its boundary."""
        (growth,), bounds = super()._growth(), self._reached[0].bounds
        for value, beyond in self._open.items():
            ends = self._kinds[value].reached.bounds
            growth = np.maximum(growth, np.stack([bounds[0] - (ends[0] - beyond[0]), ends[1] + beyond[1] - bounds[1]]))
        return [growth]

    def _widen(self) -> None:
        super()._widen()
        (whole,) = self._fresh
        for counts in (kind.counts for kind in self._seen() if kind.counts is not None):
            counts.outer = counts.widened()
            whole.outer = np.stack([np.minimum(whole.outer[0], counts.outer[0]), np.maximum(whole.outer[1], counts.outer[1])])

    # what follows --------------------------------------------------------------------------------------------------------------------
    @property
    def tally(self) -> dict[str, tuple[int, float]]:
        """Runs of each way, and what they gained."""
        names = [name for name, _ in self._seen()[0].search.ways] if self._seen() else []
        return {name: (int(runs), float(gain)) for name, runs, gain in zip(names, *self._tally)}

    def add_to(self, result: Result) -> None:
        """The groups `regions`, `regions_inner` and `regions_trusted`, and what they say in words: kinds in the order of their values."""
        from uqmbd.tables.regions import regions_said

        values, kinds = np.array(sorted(self._kinds), np.int64), [kind for _, kind in sorted(self._kinds.items())]
        fresh = np.array([kind.fresh_runs for kind in kinds])
        low, high = proportion_limits(fresh, max(int(fresh.sum()), 1))
        about = {"share": fresh / max(fresh.sum(), 1), "share_lower": low, "share_upper": high}  # of the box, with 95 % confidence limits
        about |= {"runs": fresh + [kind.runs for kind in kinds], "searched": [kind.counts is not None for kind in kinds]}
        along = {"region": values} | {key: ("region", numbers) for key, numbers in about.items()}
        known = [kind.known_bounds(self._open.get(value)) for value, kind in sorted(self._kinds.items())]
        inner, outer, trusted = (np.stack(arrays) for arrays in zip(*known, strict=True))
        for group, arrays in (("regions", outer), ("regions_inner", inner)):
            dataset = self.columns.dataset(arrays, {"region": values.tolist(), "bound": ["lower", "upper"]})
            result[group] = dataset.assign_coords(along).assign_attrs(sequence=self.sequence)
        result.regions_trusted = self.columns.dataset(trusted, {"region": values.tolist()}, unit="").assign_coords(region=values)
        names = [name for name, info in self.columns.outputs.items() if not info.axis and name != self.sequence]
        result.attrs |= {"sequence": self.sequence, "regions": {name: regions_said(result, name) for name in names}}
