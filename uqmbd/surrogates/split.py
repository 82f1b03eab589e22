"""Chebyshev expansions on the parts of a box that is cut where the response is not smooth."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from uqmbd.analysis.chebyshev import chebyshev
from uqmbd.analysis.chebyshev.enclosures import cosine
from uqmbd.analysis.chebyshev.expansions import TensorExpansion
from uqmbd.analysis.chebyshev.pieces import PiecewiseExpansion
from uqmbd.analysis.statistics.trust import joined
from uqmbd.surrogates.base import COARSE, LEAST_VALIDATION, NODE, VALIDATION, Runs, Surrogate, note_of_failed, note_of_terms
from uqmbd.surrogates.tensor import coefficients, node_count

BATCH_SHARE = 0.5  # leaves whose need is at least so much of the greatest are cut together
ROUND_SHARE = 0.25  # of the nodes, added before validation runs are asked again
LAST_BUT_ONE = 0.25  # weight
SMALLEST = 2.0**-20  # half of the box's width: a jump is not chased further
FINE = 1e-4  # of the width: leaves of a column that is not trusted need no closer range
LEAF_PARTS = ["lower", "upper", "error", "trusted"]
_DIGITS = 12  # to which points are the same run


@dataclass(frozen=True)
class Leaf:
    """A part of the box."""

    number: int  # in order of making
    lower: np.ndarray  # (d,) in [-1, 1]^d
    upper: np.ndarray
    runs: np.ndarray  # (nodes,): run at each node of its grid, row-major

    def meets(self, box: np.ndarray) -> bool:
        """Whether a box (d, 2) has a point of this leaf."""
        return bool(np.all(box[:, 1] >= self.lower) and np.all(box[:, 0] <= self.upper))

    def part(self, box: np.ndarray) -> np.ndarray:
        """What of a box (d, 2) is in this leaf, in the leaf's own [-1, 1]^d."""
        return np.clip((2 * box - (self.lower + self.upper)[:, None]) / (self.upper - self.lower)[:, None], -1, 1)


class Split(Surrogate):
    """Every leaf has a tensor grid of the same degrees. The leaves that need it most are halved, each across the input whose last
    coefficients lack the most; runs at shared nodes are reused, and runs of the parent that are nodes no more validate its halves.

    What a leaf needs is the bits that its error lacks to the target, on the mean over a history, times its volume.
    """

    def __init__(self, runs: Runs) -> None:
        super().__init__(runs)
        self._degrees = runs.settings.first_degrees(runs.inputs)
        self._run_at: dict[tuple[float, ...], int] = {}
        self._made = 0  # leaves
        self._by_leaf: tuple[np.ndarray, np.ndarray] | None = None  # errors and trust of the leaves, as of the last assessment
        self._expansions: dict[int, TensorExpansion] = {}  # by number of the leaf
        self._whole: set[int] = set()  # leaves that are not cut again: their halves failed

    def design(self) -> Iterator[bool]:
        d = len(self.runs.inputs)
        self._leaves = [self._leaf(-np.ones(d), np.ones(d))]
        self.runs.add_validation(self.runs.settings.validation_runs(len(self._run_at)))
        yield True
        while True:
            before = len(self._run_at)
            while len(self._run_at) - before <= ROUND_SHARE * before and (cuts := self._cuts()):
                if len(self.runs.points) > self.runs.observed:  # halves may share all their nodes with others
                    yield True
                self._keep_good(cuts)
            missing = self.runs.settings.validation_runs(len(self._run_at)) - int(np.count_nonzero(self.runs.roles == VALIDATION))
            if missing > 0:
                self.runs.add_validation(missing)
                yield True
            self.runs.assess()
            if len(self._run_at) == before:
                return

    def _leaf(self, lower: np.ndarray, upper: np.ndarray) -> Leaf:
        """A leaf, whose nodes are asked for where no run is."""
        nodes = np.array(list(product(*(chebyshev.nodes(n) for n in self._degrees))))
        points = 0.5 * (lower + upper) + 0.5 * (upper - lower) * nodes
        keys = [tuple(point) for point in (np.round(points, _DIGITS) + 0.0).tolist()]
        new = [i for i, key in enumerate(keys) if key not in self._run_at]
        self._run_at.update({keys[i]: len(self.runs.points) + k for k, i in enumerate(new)})
        self.runs.add(points[new], NODE)
        self._made += 1
        return Leaf(self._made, lower, upper, np.array([self._run_at[key] for key in keys]))

    def _cuts(self) -> list[tuple[Leaf, Leaf, Leaf]]:
        """The next leaves to cut, each with its halves; empty when all are content or the budget is spent."""
        self.runs.stop_early()
        scale = self.runs.scale()
        need = np.array([self._need(leaf, scale) for leaf in self._leaves])
        cuts = []
        for i in np.argsort(-need, kind="stable"):
            room = self.runs.settings.most_nodes() - len(self._run_at) >= 2 * node_count(self._degrees)
            if need[i] <= 0 or need[i] < BATCH_SHARE * need.max() or not room:
                break
            leaf = self._leaves[i]
            axis = self._axis(leaf, scale)
            middle = 0.5 * (leaf.lower[axis] + leaf.upper[axis])
            upper, lower = leaf.upper.copy(), leaf.lower.copy()
            upper[axis] = lower[axis] = middle
            cuts.append((leaf, self._leaf(leaf.lower, upper), self._leaf(lower, leaf.upper)))
        return cuts

    def _keep_good(self, cuts: list[tuple[Leaf, Leaf, Leaf]]) -> None:
        """Halves take the place of their leaf, unless too many of their runs failed to expand them."""
        for leaf, *halves in cuts:
            if all(np.mean(self.runs.status[half.runs] == 0) > 0.5 for half in halves):
                at = next(i for i, other in enumerate(self._leaves) if other is leaf)
                self._leaves[at : at + 1] = halves
            else:
                self._whole.add(leaf.number)

    def _expansion_of(self, leaf: Leaf) -> TensorExpansion:
        if leaf.number not in self._expansions:
            runs = leaf.runs
            c = coefficients(self._degrees, self._local(leaf, runs), self.runs.values[runs], self.runs.status[runs] == 0)
            self._expansions[leaf.number] = TensorExpansion(c)
        return self._expansions[leaf.number]

    def _local(self, leaf: Leaf, runs: np.ndarray) -> np.ndarray:
        """Points of runs in the leaf's own [-1, 1]^d."""
        return np.clip((2 * self.runs.points[runs] - leaf.lower - leaf.upper) / (leaf.upper - leaf.lower), -1, 1)

    def _need(self, leaf: Leaf, scale: np.ndarray) -> float:
        if leaf.number in self._whole or np.min(leaf.upper - leaf.lower) < 2 * SMALLEST:
            return 0.0
        return self.bits(self._error(leaf) / scale) * float(np.prod(0.5 * (leaf.upper - leaf.lower)))

    def _error(self, leaf: Leaf) -> np.ndarray:
        """By the runs inside, and by its coefficients where these are few, (columns,)."""
        runs, error = self._inside(leaf), self._guess(leaf)
        if not runs.size:
            return error
        seen = self._expansion_of(leaf).evaluate(self._local(leaf, runs))
        return np.maximum(error, np.abs(seen - self.runs.values[runs]).max(axis=0))

    def _inside(self, leaf: Leaf) -> np.ndarray:
        """Runs inside that are none of its nodes and were ok, indices."""
        inside = np.all((self.runs.points >= leaf.lower) & (self.runs.points <= leaf.upper), axis=1) & (self.runs.status == 0)
        inside[leaf.runs] = False
        return np.flatnonzero(inside)

    def _guess(self, leaf: Leaf) -> np.ndarray:
        """Error of a leaf by its coefficients, (columns,); 0 where enough runs inside tell it: those of an exact one need not be small."""
        if self._inside(leaf).size >= LEAST_VALIDATION:
            return np.zeros(self.runs.columns.count)
        return self._last(self._expansion_of(leaf).c).max(axis=0)

    @staticmethod
    def _last(c: np.ndarray) -> np.ndarray:
        """What the terms beyond the last may add up to in each input, (d, columns)."""
        # the coefficients of a kink fall as 1/k², so those beyond n add up to n times the last; those of a smooth response fall
        # geometrically, which the last two against the two before show. The last may vanish by symmetry, so the last but one counts as well
        tails = []
        for axis in range(c.ndim - 1):
            n = c.shape[axis] - 1
            sizes = np.abs(np.moveaxis(c, axis, 0)).reshape(n + 1, -1, c.shape[-1]).sum(axis=1)
            fall = np.ones(c.shape[-1])
            if n >= 4:
                last, before = sizes[n - 1 :].max(axis=0), sizes[max(n - 3, 2) : n - 1].max(axis=0)
                fall = np.minimum(1.0, 2 * np.sqrt(np.divide(last, before, out=np.ones_like(last), where=before > 0)))
            tails.append(fall * (n * sizes[n] + (LAST_BUT_ONE * n * sizes[n - 1] if n > 1 else 0.0)))
        return np.array(tails)

    def validation_error(self, expansion: PiecewiseExpansion, rows: np.ndarray) -> np.ndarray:
        """Few validation runs lie in a small leaf, so its last coefficients count as well."""
        return np.maximum(super().validation_error(expansion, rows), np.max([self._guess(leaf) for leaf in self._leaves], axis=0))

    def _axis(self, leaf: Leaf, scale: np.ndarray) -> int:
        """The input across which to cut: that whose last coefficients lack the most, the widest of equals."""
        tails = self._last(self._expansion_of(leaf).c) / scale
        width = leaf.upper - leaf.lower
        return max(range(len(tails)), key=lambda axis: (round(self.bits(tails[axis]), 9), float(tails[axis].max()) > 1e-12, width[axis]))

    def held_out(self) -> np.ndarray:
        fresh = np.ones(len(self.runs.points), bool)
        fresh[self.fitted()] = False
        return fresh

    def fitted(self) -> np.ndarray:
        return np.unique(np.concatenate([leaf.runs for leaf in self._leaves]))

    def fit(self) -> PiecewiseExpansion:
        self._by_leaf = None
        nodes = self.fitted()
        ok = [self.runs.status[leaf.runs] == 0 for leaf in self._leaves]
        parts = [(leaf, good) for leaf, good in zip(self._leaves, ok, strict=True) if not good.all()]
        each = [chebyshev.determined(self._local(leaf, leaf.runs[good]), self._degrees) for leaf, good in parts if good.any()]
        fitted, rank = np.sum([[0, 0], *each], axis=0).tolist()
        then = "the expansions there are least-squares fits to the others, and "
        then += note_of_terms(fitted, sum(len(leaf.runs) for leaf, _ in parts), rank)
        self.note = note_of_failed(int(np.count_nonzero(self.runs.status[nodes])), len(nodes), then)
        boxes = np.array([[leaf.lower, leaf.upper] for leaf in self._leaves])
        return PiecewiseExpansion(boxes, tuple(self._expansion_of(leaf) for leaf in self._leaves))

    def enclosed(
        self, columns: np.ndarray, error: np.ndarray, trusted: np.ndarray, box: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Union of what the leaves enclose, each widened by its own error."""
        boxes = None if box is None else [[box] if leaf.meets(box) else [] for leaf in self._leaves]
        return self._union(columns, trusted, boxes)

    def covered(self, columns: np.ndarray, trusted: np.ndarray, region: Any) -> tuple[np.ndarray, np.ndarray]:
        """The same over a convex region in the cube, from boxes that `cover` it and its `support`; see `uqmbd.regions.body.ConvexBody`."""
        boxes = region.cover(np.array([np.stack([leaf.lower, leaf.upper], axis=1) for leaf in self._leaves]))
        return self._union(columns, trusted, boxes, region.support)

    def _union(self, *about: Any) -> tuple[np.ndarray, np.ndarray]:
        """The range of all leaves together, (2, columns), and which columns reached their gap; parameters of `_enclosed_by_leaf`."""
        ranges, met = self._enclosed_by_leaf(*about)
        return np.stack([np.nanmin(ranges[:, 0], axis=0), np.nanmax(ranges[:, 1], axis=0)]), met

    def _enclosed_by_leaf(
        self,
        columns: np.ndarray,
        trusted: np.ndarray,
        boxes: Sequence[Sequence[np.ndarray]] | None = None,
        support: Callable[[np.ndarray, np.ndarray], np.ndarray] | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Range of each leaf's expansion, widened by its error, (leaves, 2, columns), and which columns reached their gap in all.

        Over the whole leaves, or over the boxes (d, 2) of each; NaN of a leaf without any. With `support` over the part of a box that is
        in a convex region: in small boxes what is not linear is small, and what is linear has the region's support function.
        """
        runs = self.runs
        width = np.ptp(runs.envelope(runs.counted())[:, columns], axis=0)
        doubted = np.where(trusted, 0.0, FINE * width)
        enclosures, met = np.full((len(self._leaves), 2, len(columns)), np.nan), np.ones(len(columns), bool)
        for k, (leaf, error) in enumerate(zip(self._leaves, self._errors_by_leaf()[0][:, columns], strict=True)):
            gap = np.maximum(np.maximum(runs.settings.gap * width, doubted), np.where(trusted, 0.0, COARSE * error))
            margin = runs.settings.safety * error * np.array([[-1.0], [1.0]])
            for box in [None] if boxes is None else outermost_first(boxes[k]):
                part = None if box is None else leaf.part(box)
                at = np.arange(len(columns))
                if part is not None:
                    at = np.flatnonzero(self._beyond(leaf, part, columns, margin, enclosures[k]))
                if not at.size:
                    continue
                some, ends_at = columns[at], gap[at]
                enclosure, reached = runs.range(some, ends_at, surrogate=self._expansion_of(leaf), box=part)
                if support is not None and box is not None and part is not None:
                    bent, slope = without_slope(self._expansion_of(leaf).restricted(part), box)
                    curved, _ = runs.range(some, ends_at, surrogate=bent)
                    s, middle = slope[:, some], box.mean(axis=1)
                    ends = curved - s.T @ middle + np.stack([-support(-s, box), support(s, box)])
                    enclosure = np.stack([np.maximum(enclosure[0], ends[0]), np.minimum(enclosure[1], ends[1])])
                met[at] &= reached
                enclosures[k][:, at] = joined(enclosure + margin[:, at], enclosures[k][:, at])
        return enclosures, met

    def _beyond(self, leaf: Leaf, part: np.ndarray, columns: np.ndarray, margin: np.ndarray, known: np.ndarray) -> np.ndarray:
        """Which columns may leave what is `known` (2, columns) of the leaf, by a rough enclosure; most boxes inside need no closer one."""
        rough = cosine(self._expansion_of(leaf).select(columns).restricted(part).c, np.zeros(len(columns)))[0] + margin
        return ~((rough[0] >= known[0]) & (rough[1] <= known[1]))

    def _errors_by_leaf(self) -> tuple[np.ndarray, np.ndarray]:
        """Validated error of each leaf over neighbours in time, and whether it is trusted there, (leaves, columns) both."""
        if self._by_leaf is None:
            judged = [self.runs.judged(self._error(leaf)) for leaf in self._leaves]
            error, trusted = zip(*judged, strict=True)
            self._by_leaf = np.array(error), np.array(trusted)
        return self._by_leaf

    def groups(self) -> dict[str, Any]:
        """Bounds in each leaf, the group `leaves`, see `uqmbd.result.Result`."""
        runs = self.runs
        scalars = runs.columns.scalars
        if not scalars.count:
            return {}
        columns = np.array([runs.columns.slices[name].start for name in scalars.outputs])
        error, trusted = (each[:, columns] for each in self._errors_by_leaf())
        bounds, _ = self._enclosed_by_leaf(columns, runs.trusted[columns])
        for k, leaf in enumerate(self._leaves):
            here = (runs.status == 0) & np.all((runs.points >= leaf.lower) & (runs.points <= leaf.upper), axis=1)
            if here.any():
                bounds[k] = joined(bounds[k], runs.envelope(here)[:, columns])
        table = np.stack([bounds[:, 0], bounds[:, 1], error, trusted], axis=1)
        ends = {key: runs.samples(np.array([getattr(leaf, key) for leaf in self._leaves])) for key in ("lower", "upper")}
        boxes = {f"{key}:{name}": ("leaf", ends[key][name]) for key in ends for name in runs.inputs}
        return {"leaves": scalars.dataset(table, {"leaf": range(len(self._leaves)), "part": LEAF_PARTS}).assign_coords(boxes)}

    def facts(self) -> dict:
        volume = np.array([np.prod(0.5 * (leaf.upper - leaf.lower)) for leaf in self._leaves])
        inside = volume @ self._errors_by_leaf()[1]
        slices = self.runs.columns.slices
        return {
            "degrees": [int(degree) for degree in self._degrees],
            "leaves": len(self._leaves),
            "trusted_volume": {name: float(np.clip(inside[at].mean(), 0.0, 1.0)) for name, at in slices.items()},
        }


def outermost_first(boxes: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Boxes (d, 2) by the distance of their middle from that of all: those where a response that hardly bends has its ends come first."""
    if not boxes:
        return []
    middles = np.array(boxes).mean(axis=2)
    away = ((middles - middles.mean(axis=0)) ** 2).sum(axis=1)
    return [boxes[i] for i in np.argsort(-away, kind="stable")]


def without_slope(part: TensorExpansion, box: np.ndarray) -> tuple[TensorExpansion, np.ndarray]:
    """An expansion on a box (d, 2) without its linear terms, and their slopes in the coordinates of the box's ends, (d, columns)."""
    c, half = part.c.copy(), np.ptp(box, axis=1) / 2
    slope = np.zeros((len(box), c.shape[-1]))
    for axis in range(len(box)):
        at = tuple(int(i == axis) for i in range(len(box)))
        if half[axis] > 0:
            slope[axis] = c[at] / half[axis]
            c[at] = 0.0
    return TensorExpansion(c), slope
