"""The run of Hanss's transformation method."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from uqmbd.analysis.alpha_cuts import transformation_points
from uqmbd.inputs import Input
from uqmbd.methods.base import count_failures
from uqmbd.methods.staged import StagedRun
from uqmbd.outcomes import OutputInfo
from uqmbd.regions.cuts import boxes
from uqmbd.result import Result
from uqmbd.surrogates.base import NODE

if TYPE_CHECKING:
    from uqmbd.methods.sets.fuzzy import FuzzyBounds


class TransformationRun(StagedRun):
    """Asks once, for the points of all levels; no point is run twice."""

    def __init__(
        self, settings: FuzzyBounds, inputs: Mapping[str, Input], outputs: Mapping[str, OutputInfo], time: np.ndarray, seed: int
    ) -> None:
        super().__init__(inputs, outputs, time, seed)
        self.settings = settings
        self._level_of = np.empty(0, int)

    def _plan(self) -> Iterator[bool]:
        levels = self.settings.levels
        table = boxes(self._inputs, levels)
        cuts = [lambda alpha, i=i: tuple(table[levels.index(alpha), i]) for i in range(len(self._inputs))]
        points = transformation_points(cuts, np.array(levels), general=self.settings.variant == "general")
        level_of = np.repeat(np.arange(len(levels)), [len(part) for part in points])
        every = np.concatenate(points)
        # of equal points the one of the highest level is kept: its value counts at all lower ones
        _, last = np.unique(np.round(every[::-1], 12), axis=0, return_index=True)
        kept = np.sort(len(every) - 1 - last)
        self._level_of = level_of[kept]
        self._add(every[kept], NODE)
        yield True
        self._stop_if_too_many_failed(self.settings)

    def result(self) -> Result:
        self._require_finished()
        levels = self.settings.levels
        ok = self._status == 0
        bounds = np.full((len(levels), 2, self._columns.count), np.nan)
        for k in range(len(levels)):
            values = self._values[ok & (self._level_of >= k)]
            if len(values):
                bounds[k] = values.min(axis=0), values.max(axis=0)
        labelled = self._columns.dataset(bounds, {"alpha": levels, "bound": ["lower", "upper"]})
        attrs = {
            "method": self.settings.name,
            "approach": "transformation",
            "variant": self.settings.variant,
            "levels": list(levels),
            "seed": self._seed,
            **count_failures(self._status),
        }
        notes = ["smallest and largest values of runs, which bound the response only where it is monotonic or the grid is dense"]
        failed = int(np.count_nonzero(~ok))
        if failed:
            notes.append(f"{failed} of {len(ok)} runs failed and are left out")
        return Result(bounds=labelled, inner=labelled.copy(), attrs={**attrs, "notes": notes})
