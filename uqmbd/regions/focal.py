"""Focal elements: all products of intervals with masses, in their hull."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from uqmbd.analysis.search.extremes import ENOUGH, distance_from
from uqmbd.analysis.search.extremes import ends as ends_of_runs
from uqmbd.analysis.sets import evidence
from uqmbd.analysis.statistics.order_statistics import LEVELS, level_name
from uqmbd.analysis.statistics.trust import Outer
from uqmbd.inputs import Focal as FocalInput
from uqmbd.inputs import Input
from uqmbd.regions.base import Box
from uqmbd.surrogates.base import Runs

MEMORY = 4_000_000  # ends of ranges held at a time
FAR_OFF = 0.1  # of the range of all runs: an expansion with a larger error takes the range of a box no farther beyond it


class Focal(Box):
    """The hull of the focal elements; what the masses say is computed from the surrogate."""

    scattered: ClassVar[bool] = True  # every focal box needs some runs, not only those that hold the extremes

    def __init__(self, runs: Runs) -> None:
        super().__init__(runs)
        self._ends, self._masses = evidence.boxes([elements_of(item) for item in runs.inputs.values()])

    def groups(self, outer: Outer, met: float, inner: np.ndarray) -> dict[str, Any]:
        columns, masses = self.runs.columns, self._masses
        names = ["mean", *(level_name(level) for level in LEVELS)]
        bounds = np.empty((len(names), 2, columns.count))
        step = max(1, MEMORY // len(masses))
        for first in range(0, columns.count, step):
            at = np.arange(first, min(first + step, columns.count))
            bounds[..., at] = list(evidence.statistics(*self._ranges_on(at), masses, LEVELS))
        return {"statistics": columns.dataset(bounds, {"statistic": names, "bound": ["lower", "upper"]}), **self._cdf()}

    def facts(self) -> dict[str, Any]:
        return {"focal_boxes": len(self._masses)}

    def notes(self) -> list[str]:
        """The note, where the expansion is not trusted."""
        runs = self.runs
        if runs.trusted.all():
            return []
        points = runs.points[runs.status == 0]
        few = sum(int(np.count_nonzero(distance_from(points, box) == 0) < ENOUGH) for box in self._ends)
        who = ", ".join(runs.columns.named(~runs.trusted))
        note = f"where the expansion is not trusted ({who}), a focal box has its range widened by its error and joined with that of runs"
        note += f"; {few} of {len(self._ends)} boxes hold fewer than {ENOUGH} runs and take those next to them as well" if few else ""
        return [note]

    def _ranges_on(self, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Lower and upper end of the `columns` on every focal box, 2 x (boxes, columns), widened by the validated error.

        Joined with what runs reached there where the expansion is not trusted.
        """
        runs, ends = self.runs, self._ends
        ok = runs.status == 0
        values, trusted, error = runs.values[np.ix_(ok, columns)], runs.trusted[columns], runs.error[columns]
        lower, upper = runs.surrogate.enclosed_on(ends, columns, error, trusted)
        if not trusted.all():
            points, values = runs.points[ok], values[:, ~trusted]
            least, most = values.min(axis=0), values.max(axis=0)
            beyond = np.where(error[~trusted] > FAR_OFF * (most - least), FAR_OFF * (most - least), np.inf)
            lower[:, ~trusted] = np.clip(lower[:, ~trusted], least - beyond, most)
            upper[:, ~trusted] = np.clip(upper[:, ~trusted], least, most + beyond)
            for row, box in enumerate(ends):
                low, high = ends_of_runs(values, distance_from(points, box))
                lower[row, ~trusted] = np.minimum(lower[row, ~trusted], low)
                upper[row, ~trusted] = np.maximum(upper[row, ~trusted], high)
        return lower, upper

    def _cdf(self) -> dict[str, Any]:
        """Belief and plausibility of scalars."""
        columns = self.runs.columns
        scalars = columns.scalars
        if not scalars.count:
            return {}
        tables = []
        for name in scalars.outputs:
            lower, upper = (side[:, 0] for side in self._ranges_on(np.array([columns.slices[name].start])))
            tables.append(evidence.belief_and_plausibility(lower, upper, self._masses))
        labels = {"level": range(evidence.LEVELS), "column": ["value", "lower", "upper"]}
        return {"cdf": scalars.dataset(np.stack(tables, axis=-1), labels)}


def elements_of(item: Input) -> tuple[np.ndarray, np.ndarray]:
    """Focal elements of an input in the coordinate that is [-1, 1] over its hull: ends (n, 2) and masses (n,)."""
    if not isinstance(item, FocalInput):
        return np.array([[-1.0, 1.0]]), np.ones(1)
    ends, masses = item.elements
    lower, upper = item.hull
    return np.clip((2 * ends - lower - upper) / (upper - lower), -1, 1), masses
