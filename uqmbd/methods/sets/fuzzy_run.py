"""The run of a fuzzy study on one surrogate of the support."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from uqmbd.analysis import trust
from uqmbd.analysis.alpha_cuts import inside, nested, restricted
from uqmbd.methods.base import generator
from uqmbd.methods.intervals.chebyshev_run import ChebyshevRun
from uqmbd.methods.intervals.chebyshev_sparse import SparseRun
from uqmbd.methods.intervals.inclusion import LEAST_VALIDATION
from uqmbd.methods.intervals.inclusion_run import EXTREME, NODE, VALIDATION, InclusionRun
from uqmbd.methods.sets.fuzzy import boxes
from uqmbd.result import Result

if TYPE_CHECKING:
    from uqmbd.methods.sets.fuzzy import FuzzyBounds

LEVEL = EXTREME + 1  # a role: random runs of one level, no sample of the support
_STREAM = 100  # random numbers of the levels, one stream each


class AlphaLevels(InclusionRun):
    """What a fuzzy study adds to a surrogate's run: a run in the middle of the core, random runs of levels, and bounds by level."""

    settings: FuzzyBounds

    @cached_property
    def _boxes(self) -> np.ndarray:
        return boxes(self._inputs, self.settings.levels)

    def _plan(self) -> Iterator[bool]:
        self._add(
            self._boxes[-1].mean(axis=1)[None], VALIDATION
        )  # every level has a run inside, and the surrogate is tried where it matters
        yield from super()._plan()
        self._judge()
        doubtful = [k for k in range(1, len(self._boxes)) if not self._level_trusted[k].all() and np.ptp(self._boxes[k], axis=1).any()]
        if doubtful and (count := self.settings.runs_of_level(self._own, len(doubtful))):
            for k in doubtful:
                u = generator(self._seed, _STREAM + k).random((count, len(self._inputs)))
                self._add(self._boxes[k, :, 0] + u * np.ptp(self._boxes[k], axis=1), LEVEL)
            yield True
            self._assess()
            self._judge()

    def _judge(self) -> None:
        """Error and trust of every column at every level, both (levels, columns).

        The error of a level is the largest seen at runs inside its box;
        that of the next wider where fewer than ten for each input are inside.
        """
        ok = self._status == 0
        rows = np.flatnonzero(ok & (self._roles != NODE))
        misses = np.abs(self._surrogate.evaluate(self._points[rows]) - self._values[rows])
        smallest, largest = self._ranges(self._values[ok])
        self._level_error = np.tile(self._error, (len(self._boxes), 1))
        self._level_trusted = np.tile(self._trusted, (len(self._boxes), 1))
        for k in range(1, len(self._boxes)):
            here = inside(self._points[rows], self._boxes[k])
            if np.count_nonzero(here) < LEAST_VALIDATION * len(self._inputs):
                self._level_error[k], self._level_trusted[k] = self._level_error[k - 1], self._level_trusted[k - 1]
                continue
            error = misses[here].max(axis=0)
            slices = self._columns.slices.values()
            self._level_error[k], self._level_trusted[k] = trust.assessed(error, slices, smallest, largest, self.settings.trust_tolerance)

    def result(self) -> Result:
        result = super().result()
        ok = self._status == 0
        count = self._columns.count
        inner = np.full((len(self._boxes), 2, count), np.nan)
        for k, box in enumerate(self._boxes):
            values = self._values[ok & inside(self._points, box)]
            if len(values):
                inner[k] = values.min(axis=0), values.max(axis=0)
        bounds = inner.copy()
        bounds[0], met = self._bounds(inner[0])
        reached = [met]
        for k in range(1, len(self._boxes)):
            bounds[k], met = self._level_bounds(k, inner[k])
            reached.append(met)
        labels = {"alpha": self.settings.levels, "bound": ["lower", "upper"]}
        result.bounds = self._labelled(nested(bounds, self._level_trusted), labels)
        result.inner = self._labelled(inner, labels)
        result.attrs |= {
            "levels": list(self.settings.levels),
            "runs_levels": int(np.count_nonzero(self._roles == LEVEL)),
            "trusted_share_by_level": self._level_trusted.mean(axis=1).tolist(),
            "error_by_level": {name: self._level_error[:, at].max(axis=1).tolist() for name, at in self._columns.slices.items()},
        }
        if self.settings.enclosure == "bernstein":
            result.attrs["gap_reached_share"] = min(reached)
        return result

    def _labelled(self, array: np.ndarray, labels: dict):
        """Dataset whose levels are numbers."""
        return self._columns.dataset(array, labels).assign_coords(alpha=np.array(self.settings.levels))

    def _level_bounds(self, k: int, inner: np.ndarray) -> tuple[np.ndarray, float]:
        """Outer bounds (2, columns) of a level, and the share of the trusted columns whose enclosure reached its gap."""
        bounds = inner.copy()
        trusted = np.flatnonzero(self._level_trusted[k])
        if not trusted.size:
            return bounds, 1.0
        part = self._surrogate.select(trusted)
        box = self._boxes[k]
        if np.ptp(box, axis=1).any():
            width = np.ptp(self._values[self._status == 0][:, trusted], axis=0)
            enclosure, met = restricted(part, box).range(self.settings.enclosure, self.settings.gap * width, None)
        else:
            enclosure, met = np.repeat(part.evaluate(box.mean(axis=1)[None]), 2, axis=0), np.ones(1)
        margin = self.settings.safety * self._level_error[k, trusted]
        bounds[0, trusted] = np.fmin(enclosure[0] - margin, inner[0, trusted])
        bounds[1, trusted] = np.fmax(enclosure[1] + margin, inner[1, trusted])
        return bounds, float(met.mean())


class FuzzyRun(AlphaLevels, ChebyshevRun):
    """On a tensor grid."""


class SparseFuzzyRun(AlphaLevels, SparseRun):
    """On a sparse grid."""
