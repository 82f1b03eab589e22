"""The nested boxes of fuzzy numbers, one for each level of membership."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from uqmbd.analysis.base.columnwise import by_blocks
from uqmbd.analysis.sets.alpha_cuts import inside, nested
from uqmbd.analysis.sets.convex_body import Body
from uqmbd.analysis.sets.regions import Region, candidates, regions
from uqmbd.analysis.statistics.trust import ENCLOSED, Outer
from uqmbd.inputs import Fuzzy, Input
from uqmbd.regions.base import Box
from uqmbd.surrogates.base import LEAST_VALIDATION, OWN, VALIDATION, Runs

LEVEL = OWN  # a role: fresh runs of one level, no sample of the support
PLACES = 32  # of each level at which the surrogate says how wide its band is


class Cuts(Box):
    """A run in the middle of the core, and bounds by level.

    Where trust is missing one search serves all levels: a run counts for every level that it lies in.
    """

    def __init__(self, runs: Runs) -> None:
        super().__init__(runs)
        d = len(runs.inputs)
        self._boxes = boxes(runs.inputs, runs.settings.levels)
        wide = [box for box in self._boxes if np.ptp(box, axis=1).any()]  # levels that are no point, which are the first ones
        self._regions = regions(wide, Body(np.eye(d), ((tuple(range(d)), False),)))

    def before(self) -> None:
        """Every level has a run inside, and the surrogate is tried where it matters."""
        self.runs.add(self._boxes[-1].mean(axis=1)[None], VALIDATION)

    def judge(self) -> None:
        """Error and trust of every column at every level, both (levels, columns).

        The error of a level is the largest seen at runs inside its box; that of the next wider where fewer than ten for each input are
        inside. At a level that is a point its run is the response.
        """
        runs = self.runs
        rows = np.flatnonzero((runs.status == 0) & runs.surrogate.held_out())
        here = [inside(runs.points[rows], box) for box in self._boxes]
        self._error, self._trusted = np.tile(runs.error, (len(self._boxes), 1)), np.tile(runs.trusted, (len(self._boxes), 1))
        missed = runs.validation_error
        for k in range(1, len(self._boxes)):
            if np.count_nonzero(here[k]) >= LEAST_VALIDATION * len(runs.inputs):
                missed = self._missed(rows, here[k])
            if k < len(self._regions):
                self._error[k], self._trusted[k] = runs.judged(missed, self._width(k))
            elif here[k].any():
                self._error[k], self._trusted[k] = 0.0, True
            else:
                self._error[k], self._trusted[k] = self._error[k - 1], self._trusted[k - 1]

    def _missed(self, rows: np.ndarray, here: np.ndarray) -> np.ndarray:
        """Largest error of the surrogate at those of the runs `rows` that lie `here`, (columns,)."""
        runs, points, count = self.runs, self.runs.points[rows], self.runs.columns.count

        def of(at: slice) -> np.ndarray:
            return np.abs(runs.expansion.part(at).evaluate(points) - runs.values[rows, at])[here].max(axis=0)

        return by_blocks(of, count, 4 * len(rows))

    def _width(self, level: int) -> np.ndarray:
        """About the width of the band of a level, (columns,)."""
        some, count = self._regions[level].points(candidates(len(self.runs.inputs), PLACES)), self.runs.columns.count
        return by_blocks(lambda at: np.ptp(self.runs.expansion.part(at).evaluate(some), axis=0), count, 2 * len(some))

    def targets(self) -> tuple[list[Region], np.ndarray]:
        return self._regions, ~self._trusted[: len(self._regions)]

    def fallback(self, targets: np.ndarray, own: int) -> int:
        settings, doubtful = self.runs.settings, int(np.count_nonzero(targets[1:].any(axis=1)))
        of_levels = doubtful * settings.runs_of_level(own, doubtful) if doubtful else 0
        return of_levels + (settings.fallback(own) if targets[0].any() else 0)

    def groups(self, outer: Outer, met: float, inner: np.ndarray) -> dict[str, Any]:
        runs, levels = self.runs, self.runs.settings.levels
        ok = runs.status == 0
        reached = np.full((len(self._boxes), 2, runs.columns.count), np.nan)
        for k, box in enumerate(self._boxes):
            if (here := ok & inside(runs.points, box)).any():
                reached[k] = runs.envelope(np.flatnonzero(here))
        bounds = [(outer, met), *(self._level_bounds(k, reached[k]) for k in range(1, len(self._boxes)))]
        outers = [each for each, _ in bounds]
        trusted, errors = np.stack([each.trusted for each in outers]), np.stack([each.error for each in outers])
        self._facts = {
            "spread": "in the boxes of the levels, most where the membership is high",
            "levels": list(levels),
            "runs_levels": int(np.count_nonzero(runs.roles == LEVEL)),
            "trusted_share_by_level": trusted.mean(axis=1).tolist(),
            "error_by_level": {name: errors[:, at].max(axis=1).tolist() for name, at in runs.columns.slices.items()},
        }
        if runs.settings.enclosure == "bernstein" and runs.expansion.verified:
            self._facts["gap_reached_share"] = min(share for _, share in bounds)
        labels = {"alpha": levels, "bound": ["lower", "upper"]}
        return {
            "bounds": runs.columns.dataset(nested(np.stack([each.bounds for each in outers]), trusted), labels),
            "inner": runs.columns.dataset(reached, labels),
            "source": runs.columns.dataset(np.stack([each.source for each in outers]), {"alpha": levels}),
        }

    def _level_bounds(self, k: int, inner: np.ndarray) -> tuple[Outer, float]:
        """Outer bounds of a level above the lowest, and the share of the trusted columns whose enclosure reached its gap."""
        runs, error, trusted, box = self.runs, self._error[k], self._trusted[k], self._boxes[k]
        if k >= len(self._regions):
            point = np.repeat(runs.expansion.evaluate(box.mean(axis=1)[None]), 2, axis=0)
            margin = runs.settings.safety * error * np.array([[-1.0], [1.0]])
            bounds = np.where(np.isnan(inner), point + margin, inner)
            return Outer(bounds, error, trusted, np.full(len(error), ENCLOSED, np.int8)), 1.0
        return runs.outer(k, lambda at: runs.surrogate.enclosed(at, error[at], trusted[at], box), inner, error, trusted)

    def facts(self) -> dict[str, Any]:
        return self._facts


def boxes(inputs: Mapping[str, Input], levels: tuple[float, ...]) -> np.ndarray:
    """Box of every level in the support's coordinates [-1, 1]^d, shape (levels, d, 2)."""
    out = np.tile([-1.0, 1.0], (len(levels), len(inputs), 1))
    for i, item in enumerate(inputs.values()):
        if isinstance(item, Fuzzy):
            lower, upper = item.cut(0.0)
            cuts = np.array([item.cut(alpha) for alpha in levels])
            out[:, i] = np.clip(2 * (cuts - lower) / (upper - lower) - 1, -1, 1)
    return out
