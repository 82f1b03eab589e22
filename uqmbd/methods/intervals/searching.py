"""The search for the extremes of all columns at once, in a box or in regions of it, and the fresh runs that say what it missed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from uqmbd.analysis import trust
from uqmbd.analysis.extremes import Extremes
from uqmbd.analysis.outside import exceedance, leaving, share_at_most
from uqmbd.analysis.populations import COUNT, Populations, doubt, populations
from uqmbd.methods.base import generator
from uqmbd.methods.columns import Columns
from uqmbd.methods.design import sobol
from uqmbd.methods.intervals.search import LEAST_ROUND

if TYPE_CHECKING:
    from uqmbd.analysis.regions import Region

FIRST, SEARCH, WIDENING, COUNTING = range(4)  # roles; the last two are fresh runs
BEGUN = 4  # whose random numbers say to which population a run belongs that was there already
LARGEST_ROUND = 2048  # runs of one round of the search
AGAIN = 4  # times a point is drawn anew that was run already, or is next to a run that failed
LEAST_COUNTED = 59  # fresh runs of which none is outside: less than 5 % of the box may be, and less is not trusted
APART = 0.5  # of the search's runs: the populations are joined then at the latest
LATE = 2 / 3  # of the search's runs: what it gained after these is what it may gain yet


@dataclass(frozen=True)
class Plan:
    """What a search may spend, and how it is judged; see `uqmbd.methods.intervals.search.Search`.

    Attributes
    ----------
    first, runs, fresh : int
        Sobol' points at the beginning, runs of the search with them at most, and fresh runs.
    settled, tolerance, margin : float
        Shares of the band's width.
    safety : float
    """

    first: int
    runs: int
    fresh: int
    settled: float
    tolerance: float
    safety: float
    margin: float


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


def keys(points: np.ndarray, group: np.ndarray) -> Iterator[tuple[int, bytes]]:
    """What tells points of populations from each other."""
    whole = np.ascontiguousarray(points).view(f"V{points.shape[1] * points.itemsize}").ravel()
    return zip(group.tolist(), whole.tolist(), strict=True)


def hits(out: np.ndarray, columns: Columns) -> np.ndarray:
    """How many runs are outside somewhere, by output, and anywhere, (outputs + 1,), of whether they are, (runs, columns)."""
    by_output = np.stack([out[:, at].any(axis=1) for at in columns.slices.values()])
    return np.append(by_output.sum(axis=1), by_output.any(axis=0).sum())


class BoundsSearch:
    """A search that says what to run, and is told what came of it. It keeps extremes of the outcomes, not the outcomes.

    Parameters
    ----------
    plan : Plan
    columns : Columns
    inputs : int
    seed : int
    regions : sequence of Region, optional
        A run counts for every region that it lies in, and each has extremes of its own; the whole box where nothing is said.
    sought : ndarray of bool, shape (regions, columns), optional
        Whose extremes are sought; the others only profit.
    stream : int
        Random numbers of its own begin here.

    Attributes
    ----------
    points, status : ndarray, shapes (runs, inputs) and (runs,)
        All runs so far, those of `begin` among them, in [-1, 1]^inputs; 0 is ok.
    """

    def __init__(
        self,
        plan: Plan,
        columns: Columns,
        inputs: int,
        seed: int,
        regions: Sequence[Region] | None = None,
        sought: np.ndarray | None = None,
        stream: int = 0,
    ) -> None:
        self.plan, self.columns, self._seed, self._stream = plan, columns, seed, stream
        self.regions = regions
        count = 1 if regions is None else len(regions)
        self._parts = [slice(k * columns.count, (k + 1) * columns.count) for k in range(count)]  # columns of each region
        outputs = len(columns.slices)
        one = np.repeat(np.arange(outputs), [at.stop - at.start for at in columns.slices.values()])
        by_name = np.concatenate([np.arange(at.start, at.stop) for _, at in sorted(columns.slices.items())])
        groups = np.concatenate([one + k * outputs for k in range(count)])
        order = np.concatenate([by_name + k * columns.count for k in range(count)])
        wanted = None if sought is None else sought.ravel()
        self.search = Populations(count * columns.count, inputs, groups, order, wanted, populations(APART * plan.runs, inputs))
        self.points, self.status, self._group = np.empty((0, inputs)), np.empty(0, np.int8), np.empty(0, np.int8)
        self._role, self._own, self._told = FIRST, np.empty(0, int), 0
        self._done: set[tuple[int, bytes]] = set()  # populations and points, so that none is run twice
        self._grown: list[tuple[int, list[np.ndarray]]] = []  # runs, and the bounds that they reached in each region
        self._fresh: list[Counts] = []

    # what is told --------------------------------------------------------------------------------------------------------------------
    def begin(self, points: np.ndarray, values: np.ndarray, status: np.ndarray) -> None:
        """Runs that are there already: points (runs, inputs), values (runs, columns), status (runs,)."""
        self._await(points, self._random(BEGUN).permutation(self.search.split(len(points))))  # a grid's halves would be of half the box
        self.take(values, status)
        self._remember()

    def take(self, values: np.ndarray, status: np.ndarray) -> None:
        """Outcomes (runs, columns) of the last step in run order, batch by batch; those of runs that failed count for nothing."""
        at = slice(self._told, self._told + len(status))
        if status.any():
            values = np.where((status != 0)[:, None], np.nan, values)
        self.status[at] = status
        self._told = at.stop
        numbers = np.arange(at.start, at.stop)
        for k, part in enumerate(self._parts):
            here = np.flatnonzero(self._inside(k, self.points[at]))
            if not len(here):
                continue
            some, which = (values, numbers) if len(here) == len(numbers) else (values[here], numbers[here])
            if self._role in (FIRST, SEARCH):
                self.search.take(some, which, self._group[which], part)
            elif self._role == WIDENING:
                self._fresh[k].widen(some, which)
            else:
                self._fresh[k].count(some, which, self._own[which - len(self.points) + len(self._own)] == k)

    def _inside(self, region: int, points: np.ndarray) -> np.ndarray:
        return np.ones(len(points), bool) if self.regions is None else self.regions[region].contains(points)

    # what is asked -------------------------------------------------------------------------------------------------------------------
    def steps(self, proposed: np.ndarray | None = None) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
        """Role of the next runs, their points (runs, inputs), and of fresh ones the region of which they are a sample, (runs,).

        All of a step must have been told before the next.

        Parameters
        ----------
        proposed : ndarray, shape (points, inputs), optional
            Points with which to begin.
        """
        plan, inputs, there = self.plan, self.points.shape[1], len(self.points)
        if plan.first:
            yield self._step(FIRST, self.into(2 * sobol(plan.first, inputs, self._random(FIRST)) - 1))
            self._remember()
        if proposed is not None and len(proposed):
            yield self._step(SEARCH, self.into(proposed)[: plan.runs])
            self._remember()
        draw = self._random(SEARCH)
        least = max(8, min(LEAST_ROUND, plan.runs // 6))
        while (left := plan.runs + there - len(self.points)) > 0 and not self._is_settled():
            count = min(left, max(least, min(LARGEST_ROUND, (len(self.points) - there) // 8)))
            if len(self.points) - there >= APART * plan.runs:
                self.search.join()
            first = len(self.points)
            ways = self.search.ways_of(count, draw)
            points, ways = self._worth_running(self._propose(ways, draw), ways, draw)
            if not len(points):
                break
            yield self._step(SEARCH, points, group=self.search.group(ways))
            self.search.learn(ways, first)
            self._remember()
        yield from self._check()

    def _check(self) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
        """Fresh runs: how far outside they are, and then how many are outside of the bounds that follow."""
        self.search.join()
        self._fresh = [
            Counts(self.columns, ends, growth, doubted, self.plan.margin * self._width(ends))
            for ends, growth, doubted in zip(self._grown[-1][1], self._growth(), self._doubt(), strict=True)
        ]
        count = self.plan.fresh
        for role, some in ((WIDENING, count - count // 2), (COUNTING, count // 2)):
            if some:
                yield self._step(role, *self._sample(some, role))
            for counts in self._fresh:
                counts.outer = self._widened(counts)

    def _sample(self, count: int, role: int) -> tuple[np.ndarray, np.ndarray]:
        """Independent points, as many in each region, and which region each is a sample of."""
        u = self._random(role).random((count, self.points.shape[1]))
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
        self._group = np.concatenate([self._group, group]).astype(np.int8)
        self.points = np.concatenate([self.points, points])
        self.status = np.concatenate([self.status, np.zeros(len(points), np.int8)])
        self._done.update(keys(points, group))

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

    def _propose(self, ways: np.ndarray, draw: np.random.Generator) -> np.ndarray:
        points, column = self.search.points(self.points, ways, draw)
        return self.into(points, column // self.columns.count)

    def _remember(self) -> None:
        self.search.remember(len(self.points))
        self._grown.append((len(self.points), [self.search.bounds[:, part] for part in self._parts]))

    def _is_settled(self) -> bool:
        """Whether over the last third of the runs no output's bounds grew by more than `settled` at 95 % of its times.

        Populations that are not joined yet have to agree as well.
        """
        now, bounds = self._grown[-1]
        if self._grown[0][0] > now * LATE:
            return False
        doubted = [0.0 * ends for ends in bounds] if self.search.count == 1 else self._doubt()
        for ends, growth, more in zip(bounds, self._growth(), doubted, strict=True):
            width = self._width(ends)
            grown = np.maximum(growth, more).max(axis=0) / np.where(width > 0, width, 1.0)
            if any(np.quantile(grown[at], 0.95) > self.plan.settled for at in self.columns.slices.values()):
                return False
        return True

    def _growth(self) -> list[np.ndarray]:
        """By how much the bounds of each region grew over the last third of the search, (2, columns)."""
        now, bounds = self._grown[-1]
        then = [old for runs, old in self._grown[:-1] if runs <= now * LATE] or [self._grown[0][1]]
        with np.errstate(invalid="ignore"):  # a region without a run yet has no bounds
            return [np.where(ends == old, 0.0, np.abs(ends - old)) for ends, old in zip(bounds, then[-1], strict=True)]

    def _doubt(self) -> list[np.ndarray]:
        """How much further the bounds of each region may reach, as the populations' disagreement says, (2, columns)."""
        before, now = self.search.disagreements()
        return [
            doubt(before[:, part], now[:, part], ends, self._width(ends), self.columns.slices.values())
            for part, ends in zip(self._parts, self._grown[-1][1], strict=True)
        ]

    def _worth_running(self, points: np.ndarray, ways: np.ndarray, draw: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Points and ways, but none that was run already and none next to a run that failed.

        Others by the same ways stand in their place, at last random ones.
        """
        failed = self.status != 0
        tree = None
        if failed.any():
            from scipy.spatial import cKDTree

            tree = cKDTree(self.points)
        for k in range(AGAIN):
            bad = self._known(points, ways)
            if tree is not None:
                bad |= failed[tree.query(points)[1]]
            if not bad.any():
                break
            if k == AGAIN - 1:
                ways[bad] = self.search.anywhere(ways[bad])
            points[bad] = self._propose(ways[bad], draw)
        new = ~self._known(points, ways)
        return points[new], ways[new]

    def _known(self, points: np.ndarray, ways: np.ndarray) -> np.ndarray:
        """Which points were run, or stand among them twice.

        What another population has run counts when they are joined: until then each has to find a corner by itself.
        """
        some, own = list(keys(points, self.search.group(ways))), set()
        found = np.array([key in self._done or key in own or own.add(key) is not None for key in some], bool)
        if self.search.count == 1:
            for other in range(1, COUNT):
                found |= [(other, point) in self._done for _, point in some]
        return found

    # what follows --------------------------------------------------------------------------------------------------------------------
    def _width(self, bounds: np.ndarray) -> np.ndarray:
        return trust.width(bounds, self.columns.slices.values())

    def _widened(self, counts: Counts) -> np.ndarray:
        slices = self.columns.slices.values()
        spread = np.stack([trust.over_neighbours(beyond, counts.bounds, slices) for beyond in counts.beyond])
        return counts.bounds + self.plan.safety * np.maximum(spread, counts.doubted) * np.array([[-1.0], [1.0]])

    def found(self, region: int = 0) -> Found:
        """What is known of a region when all steps are done."""
        counts = self._fresh[region]
        searched, reached = counts.bounds, counts.reached.bounds
        inner = np.stack([np.fmin(searched[0], reached[0]), np.fmax(searched[1], reached[1])])
        outer = np.stack([np.minimum(counts.outer[0], inner[0]), np.maximum(counts.outer[1], inner[1])])
        from_fresh = np.stack([inner[0] < searched[0], inner[1] > searched[1]])
        places = np.where(from_fresh, counts.reached.places, self.search.places[:, self._parts[region]])
        growth = self._growth()[region].max(axis=0)
        error = trust.over_neighbours(np.maximum(counts.error, growth), searched, self.columns.slices.values())
        error = np.maximum(error, counts.doubted.max(axis=0))
        trusted = (error <= self.plan.tolerance * self._width(inner)) & (counts.counted >= LEAST_COUNTED)
        most = int(counts.outside.max(initial=0))
        return Found(searched, inner, outer, places, error, trusted, counts.hits, most, counts.counted, counts.outer, counts.margin)


def statement(found: int, counted: int, anywhere: float, once: float, margin: float) -> str:
    """What the fresh runs say, in words."""
    return (
        f"{found} of {counted} fresh runs left the bounds, at some time of some output, by more than {100 * margin:.3g} % of the band's "
        f"width; so with 95 % confidence the response does so in less than {100 * anywhere:.2g} % of the box, "
        f"and at any single time in less than {100 * once:.2g} %; a peak in a smaller share of the box may be missed, however high it is"
    )
