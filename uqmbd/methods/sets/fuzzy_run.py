"""The run of a fuzzy study on one surrogate of the support."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from uqmbd.analysis.alpha_cuts import inside, nested
from uqmbd.analysis.convex_body import Body
from uqmbd.analysis.regions import Region, candidates, regions
from uqmbd.analysis.trust import ENCLOSED
from uqmbd.methods.intervals.chebyshev_run import ChebyshevRun
from uqmbd.methods.intervals.chebyshev_sparse import SparseRun
from uqmbd.methods.intervals.closing import Outer
from uqmbd.methods.intervals.inclusion import LEAST_VALIDATION
from uqmbd.methods.intervals.inclusion_run import COARSE, NODE, OWN, VALIDATION, InclusionRun
from uqmbd.methods.sets.fuzzy import boxes
from uqmbd.result import Result

if TYPE_CHECKING:
    from uqmbd.methods.sets.fuzzy import FuzzyBounds

LEVEL = OWN  # a role: fresh runs of one level, no sample of the support
_PLACES = 32  # of each level at which the surrogate says how wide its band is


class AlphaLevels(InclusionRun):
    """What a fuzzy study adds to a surrogate's run: a run in the middle of the core, and bounds by level.

    Where trust is missing one search serves all levels: a run counts for every level that it lies in.
    """

    settings: FuzzyBounds

    @cached_property
    def _boxes(self) -> np.ndarray:
        return boxes(self._inputs, self.settings.levels)

    @cached_property
    def _regions(self) -> list[Region]:
        """Of the levels that are no point, which are the first ones."""
        d = len(self._inputs)
        wide = [box for box in self._boxes if np.ptp(box, axis=1).any()]
        return regions(wide, Body(np.eye(d), ((tuple(range(d)), False),)))

    def _plan(self) -> Iterator[bool]:
        # every level has a run inside, and the surrogate is tried where it matters
        self._add(self._boxes[-1].mean(axis=1)[None], VALIDATION)
        yield from super()._plan()

    def _assess(self) -> None:
        super()._assess()
        self._judge()

    def _judge(self) -> None:
        """Error and trust of every column at every level, both (levels, columns).

        The error of a level is the largest seen at runs inside its box; that of the next wider where fewer than ten for each input are
        inside. At a level that is a point its run is the response.
        """
        rows = np.flatnonzero((self._status == 0) & (self._roles != NODE))
        misses = np.abs(self._surrogate.evaluate(self._points[rows]) - self._values[rows])
        self._level_error, self._level_trusted = np.tile(self._error, (len(self._boxes), 1)), np.tile(self._trusted, (len(self._boxes), 1))
        missed = self._missed
        for k in range(1, len(self._boxes)):
            here = inside(self._points[rows], self._boxes[k])
            if np.count_nonzero(here) >= LEAST_VALIDATION * len(self._inputs):
                missed = misses[here].max(axis=0)
            if k < len(self._regions):
                self._level_error[k], self._level_trusted[k] = self._judged(missed, self._width(k))
            elif here.any():
                self._level_error[k], self._level_trusted[k] = 0.0, True
            else:
                self._level_error[k], self._level_trusted[k] = self._level_error[k - 1], self._level_trusted[k - 1]

    def _width(self, level: int) -> np.ndarray:
        """About the width of the band of a level, (columns,)."""
        some = self._regions[level].points(candidates(len(self._inputs), _PLACES))
        return np.ptp(self._surrogate.evaluate(some), axis=0)

    def _sought(self) -> tuple[list[Region], np.ndarray]:
        return self._regions, ~self._level_trusted[: len(self._regions)]

    def _fallback(self, sought: np.ndarray) -> int:
        doubtful = int(np.count_nonzero(sought[1:].any(axis=1)))
        of_levels = doubtful * self.settings.runs_of_level(self._own, doubtful) if doubtful else 0
        return of_levels + (self.settings.fallback(self._own) if sought[0].any() else 0)

    def result(self) -> Result:
        result = super().result()
        ok = self._status == 0
        inner = np.full((len(self._boxes), 2, self._columns.count), np.nan)
        for k, box in enumerate(self._boxes):
            if (here := ok & inside(self._points, box)).any():
                inner[k] = self._envelope(np.flatnonzero(here))
        found, reached = [], []
        for k in range(len(self._boxes)):
            outer, met = self._bounds(inner[0]) if k == 0 else self._level_bounds(k, inner[k])
            found.append(outer)
            reached.append(met)
        trusted = np.stack([outer.trusted for outer in found])
        labels = {"alpha": self.settings.levels, "bound": ["lower", "upper"]}
        result.bounds = self._labelled(nested(np.stack([outer.bounds for outer in found]), trusted), labels)
        result.inner = self._labelled(inner, labels)
        result.source = self._labelled(np.stack([outer.source for outer in found]), {"alpha": self.settings.levels})
        errors = np.stack([outer.error for outer in found])
        result.attrs |= {
            "levels": list(self.settings.levels),
            "runs_levels": int(np.count_nonzero(self._roles == LEVEL)),
            "trusted_share_by_level": trusted.mean(axis=1).tolist(),
            "error_by_level": {name: errors[:, at].max(axis=1).tolist() for name, at in self._columns.slices.items()},
        }
        if self.settings.enclosure == "bernstein":
            result.attrs["gap_reached_share"] = min(reached)
        return result

    def _labelled(self, array: np.ndarray, labels: dict):
        """Dataset whose levels are numbers."""
        return self._columns.dataset(array, labels).assign_coords(alpha=np.array(self.settings.levels))

    def _level_bounds(self, k: int, inner: np.ndarray) -> tuple[Outer, float]:
        """Outer bounds of a level, and the share of the trusted columns whose enclosure reached its gap."""
        error, trusted, box = self._level_error[k], self._level_trusted[k], self._boxes[k]
        margin = self.settings.safety * error * np.array([[-1.0], [1.0]])
        if k >= len(self._regions):
            point = np.repeat(self._surrogate.evaluate(box.mean(axis=1)[None]), 2, axis=0)
            bounds = np.where(np.isnan(inner), point + margin, inner)
            return Outer(bounds, error, trusted, np.full(len(error), ENCLOSED, np.int8)), 1.0
        asked = np.ones(len(error), bool) if self._closing is None else trusted | ~self._closing.found(k).trusted
        enclosure, met = np.full_like(margin, np.nan), np.ones(0)
        if asked.any():
            width = np.ptp(self._values[self._status == 0], axis=0)
            gap = np.maximum(self.settings.gap * width, np.where(trusted, 0.0, COARSE * error))[asked]
            enclosure[:, asked], met = self._range(np.flatnonzero(asked), gap, box=box)
            met = met[trusted[asked]]
        outer = self._outer(k, enclosure + margin, inner, error, trusted)
        return outer, float(met.mean()) if met.size else 1.0


class FuzzyRun(AlphaLevels, ChebyshevRun):
    """On a tensor grid."""


class SparseFuzzyRun(AlphaLevels, SparseRun):
    """On a sparse grid."""
