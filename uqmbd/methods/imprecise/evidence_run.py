"""The run of a study with focal elements."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np
import xarray as xr

from uqmbd.analysis import evidence
from uqmbd.analysis.order_statistics import LEVELS, level_name
from uqmbd.analysis.reached import ENOUGH, distance_from
from uqmbd.analysis.reached import ends as ends_of_runs
from uqmbd.methods.columns import Columns
from uqmbd.methods.imprecise.evidence import elements_of
from uqmbd.methods.intervals.chebyshev_run import ChebyshevRun
from uqmbd.methods.intervals.inclusion_run import FALLBACK
from uqmbd.result import Result

_MEMORY = 4_000_000  # ends of ranges held at a time
_FAR_OFF = 0.1  # of the range of all runs: an expansion with a larger error takes the range of a box no farther beyond it
_COARSE = 0.01  # of the error: an expansion that is not trusted needs no closer range


class EvidenceRun(ChebyshevRun):
    """Chebyshev's runs over the hull of the focal elements; what the masses say is computed from the expansion."""

    def _search(self) -> Iterator[bool]:
        """Random runs where trust is missing: every focal box needs some, not only those that hold the extremes."""
        if (count := self.settings.fallback(self._own)) and not self._trusted.all():
            self._add_random(count, FALLBACK)
            yield True
            self._assess()

    def result(self) -> Result:
        whole = super().result()
        ends, masses = evidence.boxes([elements_of(item) for item in self._inputs.values()])
        names = ["mean", *(level_name(level) for level in LEVELS)]
        bounds = np.empty((len(names), 2, self._columns.count))
        step = max(1, _MEMORY // len(masses))
        for first in range(0, self._columns.count, step):
            at = np.arange(first, min(first + step, self._columns.count))
            bounds[..., at] = list(evidence.statistics(*self._ranges_on(ends, at), masses, LEVELS))
        return dataclasses.replace(
            whole,
            statistics=self._columns.dataset(bounds, {"statistic": names, "bound": ["lower", "upper"]}),
            cdf=self._cdf(ends, masses),
            attrs=whole.attrs | {"focal_boxes": len(masses)} | self._said(ends),
        )

    def _said(self, ends: np.ndarray) -> dict:
        """The note, where the expansion is not trusted."""
        if self._trusted.all():
            return {}
        points = self._points[self._status == 0]
        few = sum(int(np.count_nonzero(distance_from(points, box) == 0) < ENOUGH) for box in ends)
        who = ", ".join(name for name, at in self._columns.slices.items() if not self._trusted[at].all())
        note = f"where the expansion is not trusted ({who}), a focal box has its range widened by its error and joined with that of runs"
        note += f"; {few} of {len(ends)} boxes hold fewer than {ENOUGH} runs and take those next to them as well" if few else ""
        return {"note": "; ".join([*([self._note] if self._note else []), note])}

    def _ranges_on(self, ends: np.ndarray, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Lower and upper end of the `columns` on every focal box, 2 x (boxes, columns), widened by the validated error.

        Joined with what runs reached there where the expansion is not trusted.
        """
        settings, ok = self.settings, self._status == 0
        values, trusted, error = self._values[np.ix_(ok, columns)], self._trusted[columns], self._error[columns]
        gap = np.maximum(settings.gap * np.ptp(values, axis=0), np.where(trusted, 0.0, _COARSE * error))
        lower, upper = evidence.ranges(self._surrogate.c[..., columns], ends, gap, settings.enclosure)
        lower, upper = lower - settings.safety * error, upper + settings.safety * error
        if not trusted.all():
            points, values = self._points[ok], values[:, ~trusted]
            least, most = values.min(axis=0), values.max(axis=0)
            beyond = np.where(error[~trusted] > _FAR_OFF * (most - least), _FAR_OFF * (most - least), np.inf)
            lower[:, ~trusted] = np.clip(lower[:, ~trusted], least - beyond, most)
            upper[:, ~trusted] = np.clip(upper[:, ~trusted], least, most + beyond)
            for row, box in enumerate(ends):
                low, high = ends_of_runs(values, distance_from(points, box))
                lower[row, ~trusted] = np.minimum(lower[row, ~trusted], low)
                upper[row, ~trusted] = np.maximum(upper[row, ~trusted], high)
        return lower, upper

    def _cdf(self, ends: np.ndarray, masses: np.ndarray) -> xr.Dataset:
        """Belief and plausibility of scalars."""
        scalars = Columns({name: info for name, info in self._columns.outputs.items() if not info.history}, self._columns.time)
        if not scalars.count:
            return xr.Dataset()
        table = np.empty((evidence.LEVELS, 3, scalars.count))
        for name, at in scalars.slices.items():
            lower, upper = (side[:, 0] for side in self._ranges_on(ends, np.array([self._columns.slices[name].start])))
            values = evidence.levels(lower, upper)
            both = evidence.belief_and_plausibility(values, lower, upper, masses)
            table[:, :, at.start] = np.stack([values, *both], axis=1)
        found = scalars.dataset(table, {"level": range(evidence.LEVELS), "column": ["value", "lower", "upper"]})
        return found.assign_coords(level=np.arange(evidence.LEVELS))
