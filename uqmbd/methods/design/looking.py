"""How a design is looked at: worst points and moments of outputs, and slopes in the design, from runs."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from uqmbd.analysis.reliability.designs import Looked
from uqmbd.analysis.reliability.form import NotFoundError
from uqmbd.analysis.reliability.performance import differences, star_within, worst_points
from uqmbd.inputs import Space
from uqmbd.methods.design.measures import LARGEST, Measure, What, index_of_share
from uqmbd.methods.design.moments import Moments
from uqmbd.methods.design.several import Several, Together, indices

CORNERS = 6  # uncertain intervals up to which all corners are tried; of more 64 corners are drawn
T = TypeVar("T")
Rows = Generator[np.ndarray, np.ndarray, T]  # yields samples (n, inputs), SI; is sent the outputs of the items there (n, items)


@dataclass(frozen=True)
class Item:
    """What is looked at: the objective, which comes first, or a limit. Its margin is ``sign (level - y)``, positive where all is well."""

    what: What
    column: int
    level: float
    sign: float
    share: float = 0.0
    mean: float = 1.0
    std: float = 0.0

    @classmethod
    def of(cls, measure: Measure, column: int, level: float) -> Item:
        """The objective; `level` is that of a probability."""
        sign = 1.0 if measure.upper else -1.0
        return cls(measure.what, column, level, sign, measure.share, measure.mean, measure.std)

    @property
    def beta(self) -> float:
        """Distance of its worst point from the nominals; 0 where it has none."""
        return index_of_share(self.share) if self.share > 0 else 0.0


def answered(search: Generator[Any, Any, T], answer: Callable[[Any], Generator[Any, Any, Any]]) -> Generator[Any, Any, T]:
    """Go through a search, whose questions the generator `answer` answers; returns what the search returns."""
    said = None
    while True:
        try:
            asked = search.send(said)
        except StopIteration as ended:
            return ended.value
        said = yield from answer(asked)


class Looking:
    """Inputs at designs x, shares of the ranges, and points v: standard normal variables, then places in the uncertain intervals.

    Where the objective is a probability, x has one number more: the reliability index, as a share of `LARGEST`, which is made large. Then
    come those of the parts of systems, which are the last items.
    """

    def __init__(self, settings: Any, inputs: Space, items: Sequence[Item], seed: int, systems: Sequence[Several] = ()) -> None:
        self.settings, self.inputs, self.items, self.seed = settings, inputs, items, seed
        every = list(inputs.items())
        ranges = [settings.range_of(name, item) for name, item in every]
        ends = np.array([one for one in ranges if one is not None], float).reshape(-1, 2)
        self.moved = np.array([one is not None for one in ranges])
        self.low, self.high = ends[:, 0], ends[:, 1]
        self.random = np.array([item.kind == "random" for _, item in every])
        self.uncertain = np.array([item.kind == "interval" and settings.stays(name) for name, item in every])
        at = [item.ppf(np.array([0.0, 0.5, 1.0])) if item.kind == "interval" else item.ppf(np.array([0.5] * 3)) for _, item in every]
        self.middle, self.half = np.array([float(one[1]) for one in at]), np.array([float(one[2] - one[0]) / 2 for one in at])
        self.randoms, self.boxed = int(self.random.sum()), int(self.uncertain.sum())
        self.indexed = items[0].what == "probability"
        at, item = int(self.moved.sum()) + self.indexed, len(items) - sum(len(one.parts) for one in systems)
        self._index_at = np.full(len(items), -1)  # number of the design that is the reliability index of an item
        self._index_at[0] = at - 1 if self.indexed else -1
        self.systems: list[Together] = []
        for one in systems:
            more = len(one.parts)
            self.systems.append(Together(one, slice(item, item + more), slice(at, at + more), seed))
            self._index_at[item : item + more] = np.arange(at, at + more)
            at, item = at + more, item + more
        self.size = at
        self.roams = np.array([item.what in ("worst", "probability", "quantile") for item in items]) & (self.boxed > 0)
        self._beta = np.array([item.beta for item in items])
        self._spread = np.array([item.what == "spread" for item in items])
        self._level, self._sign = np.array([item.level for item in items]), np.array([item.sign for item in items])
        self._moments = Moments(self.randoms, settings.degree, seed) if self._spread.any() else None
        self.settled = True
        self.begin()

    def begin(self) -> None:
        """Forget where worst points were."""
        self.points = np.zeros((len(self.items), self.randoms + self.boxed))
        self._fresh = True

    # designs and points as inputs ---------------------------------------------------------------------------------------------------------
    def design(self, x: np.ndarray) -> np.ndarray:
        """Nominals (..., moved inputs), SI."""
        return self.low + x[..., : len(self.low)] * (self.high - self.low)

    def samples(self, x: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Inputs (n, inputs), SI, of designs (n, d) at points (n, v)."""
        whole = np.zeros((len(v), len(self.inputs)))
        whole[:, self.random] = v[:, : self.randoms]
        drawn = self.inputs.from_normal(whole)
        base = np.where(self.random, np.column_stack([drawn[name] for name in self.inputs]) - self.middle, 0.0)
        base[:, self.uncertain] = self.half[self.uncertain] * v[:, self.randoms :]
        nominal = np.tile(self.middle, (len(v), 1))
        nominal[:, self.moved] = self.design(x)
        return nominal + base  # an input is moved as a whole

    def beta(self, x: np.ndarray) -> np.ndarray:
        """Distances (n, items) of worst points at designs (n, d)."""
        beta = np.tile(self._beta, (len(x), 1))
        known = self._index_at >= 0
        beta[:, known] = indices(x[:, self._index_at[known]])
        return beta

    def margins(self, values: np.ndarray, item: np.ndarray) -> np.ndarray:
        """Of outputs (n,) of the items with these numbers (n,)."""
        return self._sign[item] * (self._level[item] - values)

    # looking ------------------------------------------------------------------------------------------------------------------------------
    def worst(self, x: np.ndarray) -> Rows[np.ndarray]:
        """Worst points (n, items, v) of designs (n, d); those of the first are where the next search begins."""
        n, k = len(x), len(self.items)
        if not (self.roams.any() or (self.beta(x) > 0).any()):
            return np.tile(self.points, (n, 1, 1))
        if self._fresh and self.roams.any():
            yield from self._corners(x[0])
        self._fresh = False
        s, beta = self.settings, self.beta(x)
        begin = np.tile(self.points, (n, 1, 1))
        search = worst_points(
            beta.ravel(), self._scaled(begin, beta).reshape(n * k, -1), np.tile(self.roams, n),
            randoms=self.randoms, step=s.step, tolerance=s.tolerance, iterations=s.iterations,
        )  # fmt: skip

        def runs(asked: tuple[np.ndarray, np.ndarray]) -> Rows[np.ndarray]:
            points, number = asked
            values = yield self.samples(x[number // k], points)
            return self.margins(values[np.arange(len(points)), number % k], number % k)

        found = yield from answered(search, runs)
        points, sure = found.points.reshape(n, k, -1), found.converged.reshape(n, k)
        self.points, self.settled = points[0], bool(sure[0].all())
        return points

    def _scaled(self, points: np.ndarray, beta: np.ndarray) -> np.ndarray:
        """Points (n, items, v), at the distances (n, items) where these are part of the design."""
        known = self._index_at >= 0
        if not known.any():
            return points
        z = points[:, known, : self.randoms]
        norm = np.linalg.norm(z, axis=2, keepdims=True)
        points = points.copy()
        points[:, known, : self.randoms] = np.where(norm > 0, z / np.where(norm > 0, norm, 1.0) * beta[:, known, None], 0.0)
        return points

    def corners(self) -> np.ndarray:
        """Corners of the box of uncertain intervals, (n, v), at the nominals of all else."""
        from uqmbd.analysis.base.streams import generator

        m = self.boxed
        if m <= CORNERS:
            places = np.stack(np.meshgrid(*[[-1.0, 1.0]] * m, indexing="ij"), -1).reshape(-1, m)
        else:
            places = generator(self.seed, 310).choice([-1.0, 1.0], (2**CORNERS, m))
        return np.column_stack([np.zeros((len(places), self.randoms)), places])

    def _corners(self, x: np.ndarray) -> Rows[None]:
        """Begin in the box where the margins are least among its corners."""
        points = self.corners()
        values = yield self.samples(np.tile(x, (len(points), 1)), points)
        for k in np.flatnonzero(self.roams):
            margins = self.margins(values[:, k], np.full(len(points), k))
            if np.isfinite(margins).any():
                self.points[k, self.randoms :] = points[np.nanargmin(margins), self.randoms :]

    def look(self, x: np.ndarray, slopes: bool, fixed: bool = False) -> Rows[list[Looked]]:
        """What there is of designs (n, d); with `fixed`, at the worst points that are known."""
        points = np.tile(self.points, (len(x), 1, 1)) if fixed else (yield from self.worst(x))
        star = np.stack([star_within(one, self.settings.design_step, 0) if slopes else one[None] for one in self._inside(x, slopes)])
        star[:, 0] = x
        n, sides, k = len(x), star.shape[1], len(self.items)
        at = np.stack([self._scaled(points, self.beta(star[:, side])) for side in range(sides)], 1)  # (n, sides, items, v)
        rows = [self.samples(np.repeat(star.reshape(-1, self.size), k, axis=0), at.reshape(n * sides * k, -1))]
        if self._moments is not None:
            scattered = np.pad(self._moments.points, ((0, 0), (0, self.boxed)))
            many = np.repeat(star.reshape(-1, self.size), len(scattered), axis=0)
            rows.append(self.samples(many, np.tile(scattered, (n * sides, 1))))
        said = yield np.concatenate(rows)
        number = np.tile(np.arange(k), n * sides)
        values = said[np.arange(len(number)), number].reshape(n, sides, k)
        if self._moments is not None:
            moments = self._moments.of(said[len(number) :].reshape(n * sides, -1, k))
            for j in np.flatnonzero(self._spread).tolist():
                item = self.items[j]
                values[:, :, j] = (item.mean * moments[0][:, j] + item.std * moments[1][:, j]).reshape(n, sides)
        return [self._looked(one, design, at, slopes) for one, design, at in zip(values, x, points, strict=True)]

    def _inside(self, x: np.ndarray, slopes: bool) -> np.ndarray:
        """Designs about which differences are taken, within the ranges."""
        h = self.settings.design_step
        return np.clip(x, h, 1 - h) if slopes else x

    def _looked(self, values: np.ndarray, x: np.ndarray, points: np.ndarray, slopes: bool) -> Looked:
        """One design (d,) from the outputs (sides, items) of its star, and its worst points (items, v)."""
        margins = self._sign * (self._level - values[0])
        objective, steep = float(values[0, 0]), None
        if slopes:
            along = differences(values.T, self.settings.design_step)
            if np.isnan(along).any() or np.isnan(values[0]).any():
                raise NotFoundError("runs failed where the search for the best design needs slopes")
            steep = -self._sign[:, None] * along
        first = 0 if self.indexed else 1  # the margin of a probability that is made small is a limit too
        slope = np.empty(0) if steep is None else -self._sign[0] * steep[0]
        if self.indexed:
            at = self._index_at[0]
            objective = -LARGEST * float(x[at])
            slope = slope if steep is None else np.where(np.arange(self.size) == at, -LARGEST, 0.0)
        several = [one.margin(x, points[:, : self.randoms]) for one in self.systems]
        margins = np.append(margins[first:], [margin for margin, _ in several])
        rest = {} if steep is None else {"slope": slope, "slopes": np.concatenate([steep[first:], *(s[None] for _, s in several)])}
        return Looked(objective, margins, **rest)
