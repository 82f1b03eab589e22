"""The search for the extremes of all columns at once, in a box or in regions of it, and the fresh runs that say what it missed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from uqmbd.analysis.base.columns import Columns
from uqmbd.analysis.base.design import sobol
from uqmbd.analysis.base.streams import generator
from uqmbd.analysis.search.extremes import Extremes
from uqmbd.analysis.search.populations import Populations, doubt, populations
from uqmbd.analysis.statistics import trust
from uqmbd.methods.intervals.run_budget import RunBudget
from uqmbd.methods.intervals.validation_samples import Counts, Plan, SampleExtremes, SearchBound

if TYPE_CHECKING:
    from uqmbd.analysis.sets.regions import Region
    from uqmbd.result import Result

FIRST, SEARCH, WIDENING, COUNTING = range(4)  # roles; the last two are fresh runs
BEGUN = 4  # whose random numbers say to which population a run belongs that was there already
LEAST_ROUND, LARGEST_ROUND = 64, 1024  # runs of one round of the search
LEAST_FIRST = 256  # runs of the first step
ROUND = 16  # the next round is this part of the runs so far
APART = 0.5  # of the search's runs: the populations are joined then at the latest


class BoundsSearch:
    """A search that says what to run, and is told what came of it. It keeps extremes of the outcomes, not the outcomes.

    Parameters
    ----------
    regions : sequence of Region, optional
        A run counts for every region that it lies in, and each has extremes of its own; the whole box where nothing is said.
    targets : ndarray of bool, shape (regions, columns), optional
        Whose extremes are sought; the others only profit.
    stream : int
        Random numbers of its own begin here.
    over : callable
        Whether the search has to end rather than make so many further runs.
    """

    def __init__(
        self,
        plan: Plan,
        columns: Columns,
        inputs: int,
        seed: int,
        regions: Sequence[Region] | None = None,
        targets: np.ndarray | None = None,
        stream: int = 0,
        over: Callable[[int], bool] = lambda runs: False,
    ) -> None:
        self.plan, self.columns, self._seed, self._stream = plan, columns, seed, stream
        self.regions, self.over = regions, over
        count = 1 if regions is None else len(regions)
        self._parts = [slice(k * columns.count, (k + 1) * columns.count) for k in range(count)]  # columns of each region
        outputs = len(columns.slices)
        one = np.repeat(np.arange(outputs), [at.stop - at.start for at in columns.slices.values()])
        by_name = np.concatenate([np.arange(at.start, at.stop) for _, at in sorted(columns.slices.items())])
        self._groups = np.concatenate([one + k * outputs for k in range(count)])
        self._order = np.concatenate([by_name + k * columns.count for k in range(count)])
        wanted = None if targets is None else targets.ravel()
        self.search = Populations(count * columns.count, inputs, self._groups, self._order, wanted, self._populations(inputs))
        self.budget = RunBudget(inputs)
        self._role, self._own, self._observed = FIRST, np.empty(0, int), 0
        self._reached = [SampleExtremes() for _ in range(count)]  # in each region
        self._fresh: list[Counts] = []
        self.ended = ""  # by what: settled, budget, max_runs

    # what is told --------------------------------------------------------------------------------------------------------------------
    def begin(self, points: np.ndarray, values: np.ndarray, status: np.ndarray) -> None:
        """Runs that are there already: points (runs, inputs), values (runs, columns), status (runs,)."""
        self._await(points, self._random(BEGUN).permutation(self.search.split(len(points))))  # a grid's halves would be of half the box
        self.take(values, status)
        self._remember()

    def take(self, values: np.ndarray, status: np.ndarray) -> None:
        """Outcomes (runs, columns) of the last step in run order, batch by batch; those of runs that failed count for nothing."""
        at = slice(self._observed, self._observed + len(status))
        if status.any():
            values = np.where((status != 0)[:, None], np.nan, values)
        self.budget.status[at] = status
        self._observed = at.stop
        numbers = np.arange(at.start, at.stop)
        for k, part in enumerate(self._parts):
            here = np.flatnonzero(self._inside(k, self.budget.points[at]))
            if not len(here):
                continue
            some, which = (values, numbers) if len(here) == len(numbers) else (values[here], numbers[here])
            if self._role in (FIRST, SEARCH):
                self.search.take(some, which, self.budget.group[which], part)
            elif self._role == WIDENING:
                self._fresh[k].widen(some, which)
            else:
                self._fresh[k].count(some, which, self._own[which - len(self.budget) + len(self._own)] == k)

    def _inside(self, region: int, points: np.ndarray) -> np.ndarray:
        return np.ones(len(points), bool) if self.regions is None else self.regions[region].contains(points)

    # what is asked -------------------------------------------------------------------------------------------------------------------
    def steps(self, proposed: np.ndarray | None = None) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
        """Role of the next runs, their points (runs, inputs), and of fresh ones the region of which they are a sample, (runs,).

        All of a step must have been told before the next; the search begins at `proposed` (points, inputs).
        """
        plan, inputs, there = self.plan, self.budget.points.shape[1], len(self.budget)
        if plan.first:
            yield from self._first(self.into(2 * sobol(plan.first, inputs, self._random(FIRST)) - 1))
            self._remember()
        if proposed is not None and len(proposed):
            yield self._step(SEARCH, self.into(proposed)[: plan.runs])
            self._remember()
        draw = self._random(SEARCH)
        least = max(8, min(LEAST_ROUND, plan.runs // 6))
        self.ended = "max_runs"
        while (left := plan.runs + there - len(self.budget)) > 0:
            count = min(left, max(least, min(LARGEST_ROUND, (len(self.budget) - there) // ROUND)))
            if self._is_settled() or self.over(count):
                self.ended = "settled" if self._is_settled() else "budget"
                break
            if len(self.budget) - there >= APART * plan.runs:
                self.search.join()
            before, first = self._before(), len(self.budget)
            ways = self._ways(count, draw)
            points, ways = self._worth_running(self._propose(ways, draw), ways, draw)
            if not len(points):
                break
            yield self._step(SEARCH, points, group=self._group_of(ways))
            self._learn(ways, first, before)
            self._remember()
        yield from self._check()

    def _first(self, points: np.ndarray) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
        """The points in a few steps, the first of which says what a run takes."""
        at, count = 0, LEAST_FIRST
        while at < len(points) and not (at and self.over(count)):
            yield self._step(FIRST, points[at : at + count])
            at = count = at + count

    def _check(self) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
        """Fresh runs: how far outside they are, and then how many are outside of the bounds that follow."""
        self.search.join()
        some = [self._resolution(self.search.extremes.part(part)) for part in self._parts]
        self._fresh = [
            Counts(self.columns, reached.bounds, np.maximum(growth, open_), doubted, self.plan)
            for reached, growth, open_, doubted in zip(self._reached, self._growth(), some, self._doubt(), strict=True)
        ]
        count = self.plan.fresh
        for role, some in ((WIDENING, count - count // 2), (COUNTING, count // 2)):
            if some:
                yield self._step(role, *self._sample(some, role))
            self._widen()

    def _widen(self) -> None:
        """The bounds of all regions, of what fresh runs have shown so far."""
        for counts in self._fresh:
            counts.outer = counts.widened()

    def _sample(self, count: int, role: int) -> tuple[np.ndarray, np.ndarray]:
        """Independent points, as many in each region, and which region each is a sample of."""
        u = self._random(role).random((count, self.budget.points.shape[1]))
        if self.regions is None:
            return 2 * u - 1, np.zeros(count, int)
        own = np.arange(count) % len(self.regions)
        points = np.empty_like(u)
        for k, region in enumerate(self.regions):
            points[own == k] = region.sample(u[own == k])
        return points, own

    def _step(
        self, role: int, points: np.ndarray, own: np.ndarray | None = None, group: np.ndarray | None = None
    ) -> tuple[int, np.ndarray, np.ndarray]:
        self._role, self._own = role, np.zeros(len(points), int) if own is None else own
        self._await(points, group)
        return role, points, self._own

    def _await(self, points: np.ndarray, group: np.ndarray | None = None) -> None:
        group = self.search.split(len(points)) if group is None else group
        self.budget.add(points, group)

    def _populations(self, inputs: int) -> int:
        """How many searches begin that know nothing of each other."""
        return populations(APART * self.plan.runs, inputs)

    def _group_of(self, ways: np.ndarray) -> np.ndarray:
        """Population of each run of these ways."""
        return self.search.group(ways)

    def _random(self, role: int) -> np.random.Generator:
        return generator(self._seed, self._stream + role)

    def into(self, points: np.ndarray, region: np.ndarray | None = None) -> np.ndarray:
        """The nearest points of their regions, of the first one where nothing is said."""
        if self.regions is None:
            return np.clip(points, -1.0, 1.0)
        region, out = np.zeros(len(points), int) if region is None else region, np.empty_like(points)
        for k in np.unique(region):
            some = region == k
            out[some] = self.regions[k].points(self.regions[k].places(points[some]))
        return out

    def _ways(self, count: int, draw: np.random.Generator) -> np.ndarray:
        """By which ways the runs of a round are proposed."""
        return self.search.ways_of(count, draw)

    def _propose(self, ways: np.ndarray, draw: np.random.Generator) -> np.ndarray:
        points, column = self.search.points(self.budget.points, ways, draw)
        return self.into(points, column // self.columns.count)

    def _before(self) -> Any:
        """What `_learn` has to know of the time before a round."""

    def _learn(self, ways: np.ndarray, first: int, before: Any) -> None:
        """A round of these ways was run, as runs number `first` on."""
        self.search.learn(ways, first)

    def _remember(self) -> None:
        self.search.remember(len(self.budget))
        bounds = self.search.bounds
        for reached, part in zip(self._reached, self._parts, strict=True):
            reached.add(len(self.budget), bounds[:, part])

    def _is_settled(self) -> bool:
        """Whether no bounds grew over the last third of the runs, at 95 % of the times; populations not yet joined have to agree."""
        if any(reached.young for reached in self._reached):
            return False
        doubted = self._doubt() if self.search.count > 1 else [np.zeros((2, 1))] * len(self._reached)
        return all(self._settled_in(*both) for both in zip(self._reached, doubted, strict=True))

    def _settled_in(self, reached: SampleExtremes, doubted: np.ndarray) -> bool:
        if reached.young:
            return False
        width = self._width(reached.bounds)
        grown = np.maximum(reached.growth(), doubted).max(axis=0) / np.where(width > 0, width, 1.0)
        return not any(np.quantile(grown[at], 0.95) > self.plan.settled for at in self.columns.slices.values())

    def _growth(self) -> list[np.ndarray]:
        """How much further each region may reach, by what its bounds grew lately, (2, columns)."""
        return [reached.growth() for reached in self._reached]

    def _doubt(self) -> list[np.ndarray]:
        """How much further the bounds of each region may reach, as the populations' disagreement says, (2, columns)."""
        before, now = self.search.disagreements()
        return [
            doubt(before[:, part], now[:, part], reached.bounds, self._width(reached.bounds), self.columns.slices.values())
            for part, reached in zip(self._parts, self._reached, strict=True)
        ]

    def _resolution(self, part: Extremes) -> np.ndarray:
        """How much further an end may reach that the best runs only come near, (2, columns); a corner of the box was reached."""
        best = (part.values == part.values[..., :1]) & (part.runs >= 0)
        # rounding may make others as good as the corner
        at_corner = best & (np.abs(self.budget.points[part.runs]) == 1.0).all(axis=3)
        return np.where(at_corner.any(axis=2), 0.0, part.resolution())

    def _worth_running(self, points: np.ndarray, ways: np.ndarray, draw: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Points and ways, but none that was run already and none next to a run that failed: others by the same ways in their place."""

        def again(which: np.ndarray, last: bool) -> np.ndarray:
            if last:
                ways[which] = self._anywhere(ways[which])
            return self._propose(ways[which], draw)

        new = self.budget.worth_running(points, self._group_of(ways), self.search.count == 1, again)
        return points[new], ways[new]

    def _anywhere(self, ways: np.ndarray) -> np.ndarray:
        """The way that takes a random point, of the same population."""
        return self.search.anywhere(ways)

    @property
    def tally(self) -> dict[str, tuple[int, float]]:
        """Runs of each way of stepping, and what they gained."""
        return {name: (int(runs), float(gain)) for (name, _), runs, gain in zip(self.search.ways, *self.search.tally, strict=True)}

    # what follows --------------------------------------------------------------------------------------------------------------------
    def add_to(self, result: Result) -> None:
        """Add groups of its own to a result: here none."""

    def _width(self, bounds: np.ndarray) -> np.ndarray:
        return trust.width(bounds, self.columns.slices.values())

    def search_bound(self, region: int = 0) -> SearchBound:
        """What is known of a region when all steps are done."""
        return self._fresh[region].search_bound(self.search.extremes.part(self._parts[region]), self._growth()[region])
