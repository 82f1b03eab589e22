"""The run of a Chebyshev study that cuts the box where the response is not smooth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import xarray as xr

from uqmbd.analysis import chebyshev
from uqmbd.analysis.chebyshev_expansions import TensorExpansion
from uqmbd.analysis.pieces import PiecewiseExpansion
from uqmbd.inputs import Input
from uqmbd.methods.intervals.chebyshev import node_count
from uqmbd.methods.intervals.chebyshev_grid import expansion
from uqmbd.methods.intervals.closing import joined
from uqmbd.methods.intervals.inclusion import LEAST_VALIDATION
from uqmbd.methods.intervals.inclusion_run import COARSE, NODE, VALIDATION, InclusionRun
from uqmbd.outcomes import OutputInfo
from uqmbd.result import Result

if TYPE_CHECKING:
    from uqmbd.methods.intervals.chebyshev import Chebyshev

BATCH_SHARE = 0.5  # leaves whose need is at least so much of the greatest are cut together
ROUND_SHARE = 0.25  # of the nodes, added before validation runs are asked again
LAST_BUT_ONE = 0.25  # weight
SMALLEST = 2.0**-20  # half of the box's width: a jump is not chased further
FINE = 1e-4  # of the width: leaves of a column that is not trusted need no closer range
LEAF_PARTS = ["lower", "upper", "error", "trusted"]
_DIGITS = 12  # to which points are the same run


@dataclass(frozen=True)
class Leaf:
    """A part of the box.

    Attributes
    ----------
    number : int
        In order of making.
    lower, upper : ndarray, shape (d,)
        In [-1, 1]^d.
    runs : ndarray, shape (nodes,)
        Run at each node of its grid, row-major.
    """

    number: int
    lower: np.ndarray
    upper: np.ndarray
    runs: np.ndarray


class SplitRun(InclusionRun):
    """Every leaf has a tensor grid of the same degrees. The leaves that need it most are halved, each across the input whose last
    coefficients lack the most; runs at shared nodes are reused, and runs of the parent that are nodes no more validate its halves.

    What a leaf needs is the bits that its error lacks to the target, on the mean over a history, times its volume.
    """

    settings: Chebyshev

    def __init__(
        self, settings: Chebyshev, inputs: Mapping[str, Input], outputs: Mapping[str, OutputInfo], time: np.ndarray, seed: int
    ) -> None:
        super().__init__(settings, inputs, outputs, time, seed)
        self._degrees = settings.first_degrees(inputs)
        self._run_at: dict[tuple[float, ...], int] = {}
        self._made = 0  # leaves
        self._by_leaf: tuple[np.ndarray, np.ndarray] | None = None  # errors and trust of the leaves, as of the last assessment
        self._expansions: dict[int, TensorExpansion] = {}  # by number of the leaf
        self._whole: set[int] = set()  # leaves that are not cut again: their halves failed

    def _build(self) -> Iterator[bool]:
        d = len(self._inputs)
        self._leaves = [self._leaf(-np.ones(d), np.ones(d))]
        self._add_validation(self.settings.validation_runs(len(self._run_at)))
        yield True
        while True:
            before = len(self._run_at)
            while len(self._run_at) - before <= ROUND_SHARE * before and (cuts := self._cuts()):
                if len(self._points) > self._told:  # halves may share all their nodes with others
                    yield True
                self._keep_good(cuts)
            lacking = self.settings.validation_runs(len(self._run_at)) - int(np.count_nonzero(self._roles == VALIDATION))
            if lacking > 0:
                self._add_validation(lacking)
                yield True
            self._assess()
            if len(self._run_at) == before:
                return

    def _leaf(self, lower: np.ndarray, upper: np.ndarray) -> Leaf:
        """A leaf, whose nodes are asked for where no run is."""
        nodes = np.array(list(product(*(chebyshev.nodes(n) for n in self._degrees))))
        points = 0.5 * (lower + upper) + 0.5 * (upper - lower) * nodes
        keys = [tuple(point) for point in (np.round(points, _DIGITS) + 0.0).tolist()]
        new = [i for i, key in enumerate(keys) if key not in self._run_at]
        self._run_at.update({keys[i]: len(self._points) + k for k, i in enumerate(new)})
        self._add(points[new], NODE)
        self._made += 1
        return Leaf(self._made, lower, upper, np.array([self._run_at[key] for key in keys]))

    def _cuts(self) -> list[tuple[Leaf, Leaf, Leaf]]:
        """The next leaves to cut, each with its halves; empty when all are content or the budget is spent."""
        self._stop_early()
        scale = self._scale()
        need = np.array([self._need(leaf, scale) for leaf in self._leaves])
        cuts = []
        for i in np.argsort(-need, kind="stable"):
            room = self.settings.most_nodes() - len(self._run_at) >= 2 * node_count(self._degrees)
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
            if all(np.mean(self._status[half.runs] == 0) > 0.5 for half in halves):
                at = next(i for i, other in enumerate(self._leaves) if other is leaf)
                self._leaves[at : at + 1] = halves
            else:
                self._whole.add(leaf.number)

    def _expansion_of(self, leaf: Leaf) -> TensorExpansion:
        if leaf.number not in self._expansions:
            runs = leaf.runs
            c = expansion(self._degrees, self._local(leaf, runs), self._values[runs], self._status[runs] == 0)
            self._expansions[leaf.number] = TensorExpansion(c)
        return self._expansions[leaf.number]

    def _local(self, leaf: Leaf, runs: np.ndarray) -> np.ndarray:
        """Points of runs in the leaf's own [-1, 1]^d."""
        return np.clip((2 * self._points[runs] - leaf.lower - leaf.upper) / (leaf.upper - leaf.lower), -1, 1)

    def _need(self, leaf: Leaf, scale: np.ndarray) -> float:
        if leaf.number in self._whole or np.min(leaf.upper - leaf.lower) < 2 * SMALLEST:
            return 0.0
        p, runs = self._expansion_of(leaf), self._inside(leaf)
        error = self._guess(leaf)
        if runs.size:
            error = np.maximum(error, np.abs(p.evaluate(self._local(leaf, runs)) - self._values[runs]).max(axis=0))
        return self._bits(error / scale) * float(np.prod(0.5 * (leaf.upper - leaf.lower)))

    def _inside(self, leaf: Leaf) -> np.ndarray:
        """Runs inside that are none of its nodes and were ok, indices."""
        inside = np.all((self._points >= leaf.lower) & (self._points <= leaf.upper), axis=1) & (self._status == 0)
        inside[leaf.runs] = False
        return np.flatnonzero(inside)

    def _guess(self, leaf: Leaf) -> np.ndarray:
        """Error of a leaf by its coefficients, (columns,); 0 where enough runs inside tell it.

        The last coefficients of an expansion that is exact need not be small.
        """
        if self._inside(leaf).size >= LEAST_VALIDATION:
            return np.zeros(self._columns.count)
        return self._last(self._expansion_of(leaf).c).max(axis=0)

    @staticmethod
    def _last(c: np.ndarray) -> np.ndarray:
        """What the terms beyond the last may add up to in each input, (d, columns).

        The coefficients of a kink fall as 1/k², so those beyond n add up to n times the last; those of a smooth response fall
        geometrically, which the last two against the two before show. A tenth of the last but one counts as well, since the last may
        vanish by symmetry.
        """
        found = []
        for axis in range(c.ndim - 1):
            n = c.shape[axis] - 1
            sizes = np.abs(np.moveaxis(c, axis, 0)).reshape(n + 1, -1, c.shape[-1]).sum(axis=1)
            fall = np.ones(c.shape[-1])
            if n >= 4:
                last, before = sizes[n - 1 :].max(axis=0), sizes[max(n - 3, 2) : n - 1].max(axis=0)
                fall = np.minimum(1.0, 2 * np.sqrt(np.divide(last, before, out=np.ones_like(last), where=before > 0)))
            found.append(fall * (n * sizes[n] + (LAST_BUT_ONE * n * sizes[n - 1] if n > 1 else 0.0)))
        return np.array(found)

    def _worst(self, rows: np.ndarray) -> np.ndarray:
        """Few validation runs lie in a small leaf, so its last coefficients count as well."""
        return np.maximum(super()._worst(rows), np.max([self._guess(leaf) for leaf in self._leaves], axis=0))

    def _axis(self, leaf: Leaf, scale: np.ndarray) -> int:
        """The input across which to cut: that whose last coefficients lack the most, the widest of equals."""
        tails = self._last(self._expansion_of(leaf).c) / scale
        width = leaf.upper - leaf.lower
        return max(range(len(tails)), key=lambda axis: (round(self._bits(tails[axis]), 9), float(tails[axis].max()) > 1e-12, width[axis]))

    def _unfitted(self) -> np.ndarray:
        fresh = np.ones(len(self._points), bool)
        fresh[self._node_runs()] = False
        return fresh

    def _node_runs(self) -> np.ndarray:
        return np.unique(np.concatenate([leaf.runs for leaf in self._leaves]))

    def _expand(self) -> PiecewiseExpansion:
        runs = self._node_runs()
        lost = int(np.count_nonzero(self._status[runs]))
        self._note = (
            f"{lost} of {len(runs)} runs at nodes failed; the expansions there are least-squares fits to the others" if lost else ""
        )
        boxes = np.array([[leaf.lower, leaf.upper] for leaf in self._leaves])
        return PiecewiseExpansion(boxes, tuple(self._expansion_of(leaf) for leaf in self._leaves))

    def _enclosed(self, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Union of what the leaves enclose, each widened by its own error."""
        found, met = self._enclosed_by_leaf(columns)
        return np.stack([found[:, 0].min(axis=0), found[:, 1].max(axis=0)]), met

    def _enclosed_by_leaf(self, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Range of each leaf's expansion, widened by its error, (leaves, 2, columns), and which columns reached their gap in all."""
        width = np.ptp(self._envelope(self._counted())[:, columns], axis=0)
        doubted = np.where(self._trusted[columns], 0.0, FINE * width)
        enclosures, met = [], np.ones(len(columns), bool)
        for leaf, error in zip(self._leaves, self._errors_by_leaf()[0][:, columns], strict=True):
            gap = np.maximum(np.maximum(self.settings.gap * width, doubted), np.where(self._trusted[columns], 0.0, COARSE * error))
            enclosure, reached = self._range(columns, gap, surrogate=self._expansion_of(leaf))
            met &= reached
            enclosures.append(enclosure + self.settings.safety * error * np.array([[-1.0], [1.0]]))
        return np.array(enclosures), met

    def _assess(self) -> None:
        self._by_leaf = None
        super()._assess()

    def _errors_by_leaf(self) -> tuple[np.ndarray, np.ndarray]:
        """Validated error of each leaf over neighbours in time, and whether it is trusted there, (leaves, columns) both."""
        if self._by_leaf is not None:
            return self._by_leaf
        found = []
        for leaf in self._leaves:
            runs, error = self._inside(leaf), self._guess(leaf)
            if runs.size:
                seen = self._expansion_of(leaf).evaluate(self._local(leaf, runs))
                error = np.maximum(error, np.abs(seen - self._values[runs]).max(axis=0))
            found.append(self._judged(error))
        self._by_leaf = tuple(np.array(each) for each in zip(*found, strict=True))
        return self._by_leaf

    def result(self) -> Result:
        """Bounds as of other surrogates, and those of each leaf."""
        result = super().result()
        _, trusted = self._errors_by_leaf()
        volume = np.array([np.prod(0.5 * (leaf.upper - leaf.lower)) for leaf in self._leaves])
        inside = volume @ trusted
        slices = self._columns.slices
        result.attrs["trusted_volume"] = {name: float(np.clip(inside[at].mean(), 0.0, 1.0)) for name, at in slices.items()}
        result.leaves = self._leaves_found()
        return result

    def _leaves_found(self) -> xr.Dataset:
        """The group `leaves`, see `uqmbd.result.Result`."""
        scalars = {name: at.start for name, at in self._columns.slices.items() if not self._columns.outputs[name].history}
        columns = np.array(sorted(scalars.values()), int)
        if not columns.size:
            return xr.Dataset()
        error, trusted = (each[:, columns] for each in self._errors_by_leaf())
        bounds, _ = self._enclosed_by_leaf(columns)
        ok = self._status == 0
        for k, leaf in enumerate(self._leaves):
            values = self._values[np.ix_(ok & np.all((self._points >= leaf.lower) & (self._points <= leaf.upper), axis=1), columns)]
            if len(values):
                bounds[k] = joined(bounds[k], np.stack([values.min(axis=0), values.max(axis=0)]))
        table = np.stack([bounds[:, 0], bounds[:, 1], error, trusted], axis=1)
        ends = {key: self._samples(np.array([getattr(leaf, key) for leaf in self._leaves])) for key in ("lower", "upper")}
        boxes = {f"{key}:{name}": ("leaf", ends[key][name]) for key in ends for name in self._inputs}
        coords = {"leaf": np.arange(len(self._leaves)), "part": np.array(LEAF_PARTS, object)} | boxes
        unit = {name: {"unit": self._columns.outputs[name].unit} for name in scalars}
        found = {name: (("leaf", "part"), table[..., np.searchsorted(columns, at)], unit[name]) for name, at in scalars.items()}
        return xr.Dataset(found, coords)

    def _facts(self) -> dict:
        return {"degrees": [int(degree) for degree in self._degrees], "leaves": len(self._leaves)}
