"""Where to run next so that the extremes of all columns grow: steps from the runs that reached them, and models of what is around these.

A run serves all columns. So parents are drawn among the runs that are extreme for some column, and a way of stepping is taken as often as
it has paid: by what it gained, in widths of the columns' bands, for a run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from uqmbd.analysis.search.extremes import SIGNS, Extremes

SCALES = 10.0 ** -np.arange(0.0, 4.5, 0.5)  # of a step, in half widths of the box
STILL = 0.3  # probability that a coordinate does not move
LEAST = 0.01  # share of every way of stepping, however little it pays
RIDGE = 1e-9  # of the diagonal of a local model's normal equations
REACH = 2.0  # how far outside the points a model's top may lie, in their spread
MEMORY = 0.7  # weight of the rounds before in what pays


def neighbours(inputs: int) -> int:
    """Runs for each column and side that a local model of second degree is fitted to: a few more than it has coefficients."""
    return (inputs + 1) * (inputs + 2) // 2 + inputs + 2


class Search:
    """Proposals of runs in ``[-1, 1]^inputs``.

    Parameters
    ----------
    extremes : Extremes
    groups : ndarray of int, shape (columns,)
        Output of each column, ascending. An output counts by the square root of its columns: a history more than a number, not 500 times.
    order : ndarray of int, shape (columns,)
        Columns in an order that does not depend on that of the outputs; so the search does not either.
    inputs : int
    targets : ndarray of bool, shape (columns,), optional
        Columns whose extremes are sought; all unless said.
    more : sequence of (name, callable)
        Further ways: ``(points, side, column, rng)`` to a point for each of the extremes ``side, column``.
    """

    def __init__(
        self,
        extremes: Extremes,
        groups: np.ndarray,
        order: np.ndarray,
        inputs: int,
        targets: np.ndarray | None = None,
        more: Sequence[tuple[str, Callable]] = (),
    ) -> None:
        self._extremes, self._inputs, self._order = extremes, inputs, order
        self._ends = np.searchsorted(groups, groups), np.searchsorted(groups, groups, side="right") - 1  # columns of each one's output
        share = np.bincount(groups)[groups] ** -0.5 * (1.0 if targets is None else targets)
        self._share = share / share.sum()
        self._recent = np.zeros((2, len(groups)))
        self._chances: np.ndarray | None = None  # of the extremes from which to step, summed up
        self._before = np.full((2, len(groups)), -1)
        self.ways: list[tuple[str, Callable]] = [(f"step {scale:.2g}", self._steps(scale)) for scale in SCALES]
        self.ways += [("between neighbours", self._between), ("onwards", self._onwards), ("to an end", self._to_an_end)]
        self.ways += [("local model", self._local), ("like the best", self._like_the_best(1.0)), ("closer", self._like_the_best(0.3))]
        self.ways += [("anywhere", self._anywhere), *more]
        self._paid, self._tried = np.zeros((2, len(self.ways)))
        self.tally = np.zeros((2, len(self.ways)))  # runs of each way so far, and what they gained

    def ways_of(self, count: int, rng: np.random.Generator) -> np.ndarray:
        """Numbers of the ways for so many runs of a round, by what they have paid; ascending."""
        rate = np.divide(self._paid, self._tried, out=np.full(len(self.ways), np.inf), where=self._tried > 0)
        known = np.isfinite(rate)
        rate = np.where(known, rate, rate[known].max(initial=0.0)) + 1e-300
        chance = LEAST + (1 - LEAST * len(self.ways)) * rate / rate.sum()
        return np.sort(rng.choice(len(self.ways), count, p=chance))

    def points(self, points: np.ndarray, ways: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """A point to run by each of `ways` (ascending numbers), (ways, inputs), perhaps outside of the box; and for which column.

        `points` (runs, inputs) are all runs so far, of which some are the extremes.
        """
        proposals, who = np.empty((len(ways), self._inputs)), np.empty(len(ways), int)
        for way in np.unique(ways):
            at = ways == way
            side, who[at] = self._drawn(int(at.sum()), rng)
            proposals[at] = self.ways[way][1](points, side, who[at], rng)
        return proposals, who

    def learn(self, ways: np.ndarray, first: int, values: np.ndarray, places: np.ndarray) -> None:
        """A round of these `ways` has been run, as runs number `first` on; before it the extremes had `values` at the runs `places`.

        What happened within the round does not count, so nothing depends on the batches in which runs come.
        """
        now, where = self._extremes.values[..., 0], self._extremes.places
        side, column = np.nonzero(now > values)
        low, high = self._extremes.bounds
        with np.errstate(invalid="ignore"):  # nothing is known yet of some columns
            gain, width = (now - values)[side, column], (high - low)[column]
        relative = np.divide(gain, width, out=np.zeros(len(gain)), where=np.isfinite(gain) & (width > 0)) * self._share[column]
        gained = np.bincount(ways[where[side, column] - first], relative, minlength=len(self.ways))
        tried = np.bincount(ways, minlength=len(self.ways))
        self.tally += [tried, gained]
        self._paid, self._tried = MEMORY * self._paid + gained, MEMORY * self._tried + tried
        self._recent *= MEMORY
        self._chances = None
        self._recent[side, column] += (1 - MEMORY) * relative
        self._before = np.where(where != places, places, self._before)

    def inherit(self, others: Sequence[Search]) -> None:
        """What the ways have paid in these searches."""
        none = np.zeros(len(self.ways))
        self._paid, self._tried = sum((one._paid for one in others), none), sum((one._tried for one in others), none)
        self._recent, self._chances = sum((one._recent for one in others), np.zeros_like(self._recent)) / len(others), None

    def _drawn(self, count: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Extremes from which to step: half of them any, half those that have grown lately."""
        sums = self._chances
        if sums is None:  # a round draws many times
            usual = np.tile(self._share / 2, (2, 1))
            lately = self._recent.sum()
            chance = usual if lately <= 0 else 0.5 * usual + 0.5 * self._recent / lately
            chance = chance[:, self._order]
            sums = np.cumsum(chance / chance.sum())
            sums = self._chances = sums / sums[-1]
        side, at = np.divmod(np.searchsorted(sums, rng.random(count), side="right"), len(self._order))
        return side, self._order[at]

    def _at(self, points: np.ndarray, side: np.ndarray, column: np.ndarray) -> np.ndarray:
        return points[self._extremes.places[side, column]]

    def _steps(self, scale: float) -> Callable:
        def step(points, side, column, rng):
            move = rng.standard_normal((len(side), self._inputs)) * scale
            still = rng.random(move.shape) < STILL
            still[np.arange(len(still)), rng.integers(0, self._inputs, len(still))] = False
            return self._at(points, side, column) + np.where(still, 0.0, move)

        return step

    def _between(self, points: np.ndarray, side: np.ndarray, column: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """From an extreme along the way between those of two columns near by, as differential evolution does."""
        a, b = (self._near(column, rng) for _ in range(2))
        way = self._at(points, side, a) - self._at(points, side, b)
        return self._at(points, side, column) + way * rng.uniform(0.1, 1.2, (len(side), 1))

    def _near(self, column: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """A column of the same output, a few further on or back."""
        first, last = self._ends
        return np.clip(column + rng.integers(-6, 7, len(column)), first[column], last[column])

    def _onwards(self, points: np.ndarray, side: np.ndarray, column: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Further along the way that the extreme has come, or a small step where it has come none."""
        here, before = self._at(points, side, column), self._before[side, column]
        way = np.where((before >= 0)[:, None], here - points[before], 1e-2 * rng.standard_normal(here.shape))
        return here + way * rng.uniform(0.0, 2.0, (len(side), 1))

    def _to_an_end(self, points: np.ndarray, side: np.ndarray, column: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """One coordinate to an end of its interval."""
        moved, who = self._at(points, side, column).copy(), np.arange(len(side))
        moved[who, rng.integers(0, self._inputs, len(side))] = rng.choice(SIGNS, len(side))
        return moved

    def _local(self, points: np.ndarray, side: np.ndarray, column: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """The top of a polynomial of second degree through the best runs of the column."""
        runs, values = self._extremes.runs[side, column], self._extremes.values[side, column]
        whole = runs[:, -1] >= 0
        proposals = self._steps(1e-2)(points, side, column, rng)
        if whole.any():
            proposals[whole] = ascents(points[runs[whole]], values[whole], rng)
        return proposals

    def _like_the_best(self, scale: float) -> Callable:
        """Steps whose lengths and ways are those between the best runs of the column."""

        def step(points, side, column, rng):
            runs = self._extremes.runs[side, column]
            known = runs >= 0
            away = np.where(known[..., None], points[runs] - points[runs[:, :1]], 0.0)
            weights = rng.standard_normal(runs.shape) * (scale / np.sqrt(np.maximum(known.sum(axis=1, keepdims=True), 1)))
            moved = points[runs[:, 0]] + np.einsum("ak,aki->ai", weights, away)
            return np.where(known[:, 1:2], moved, self._steps(1e-2)(points, side, column, rng))

        return step

    def _anywhere(self, points: np.ndarray, side: np.ndarray, column: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return rng.uniform(-1.0, 1.0, (len(side), self._inputs))


def ascents(places: np.ndarray, values: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A point (groups, inputs) uphill of the best of each group: the top of the quadratic model where it has one, else its steepest way.

    Of points `places` (groups, points, inputs), the best of each group first, and `values` (groups, points), greater is better. `rng`
    shortens some of the ways, for models that promise too much.
    """
    groups, count, d = places.shape
    origin = places[:, 0]
    away = places - origin[:, None]
    spread = np.maximum(np.abs(away).max(axis=1), 1e-12)
    x = away / spread[:, None]
    i, j = np.triu_indices(d)
    design = np.concatenate([np.ones((groups, count, 1)), x, x[..., i] * x[..., j]], axis=-1)
    rise = values - values[:, :1]
    height = np.maximum(np.abs(rise).max(axis=1), 1e-300)
    normal = np.einsum("gpa,gpb->gab", design, design)
    normal[:, range(normal.shape[1]), range(normal.shape[1])] *= 1 + RIDGE
    normal[:, range(normal.shape[1]), range(normal.shape[1])] += RIDGE
    c = np.linalg.solve(normal, np.einsum("gpa,gp->ga", design, rise / height[:, None])[..., None])[..., 0]
    hessian = np.zeros((groups, d, d))
    hessian[:, i, j] = c[:, 1 + d :]
    hessian = hessian + hessian.transpose(0, 2, 1)
    bend, axes = np.linalg.eigh(hessian)
    slope = np.einsum("gij,gi->gj", axes, c[:, 1 : 1 + d])
    step = np.einsum("gij,gj->gi", axes, slope / np.maximum(np.abs(bend), 1e-6))
    far = np.abs(step).max(axis=1, keepdims=True)
    step *= np.minimum(1.0, REACH / np.maximum(far, 1e-300)) * rng.choice([1.0, 1.0, 0.5, 0.25], (groups, 1))
    return origin + step * spread
