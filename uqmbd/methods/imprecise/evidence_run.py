"""The run of a study with focal elements."""

from __future__ import annotations

import dataclasses

import numpy as np
import xarray as xr

from uqmbd.analysis import evidence
from uqmbd.analysis.order_statistics import LEVELS, level_name
from uqmbd.methods.columns import Columns
from uqmbd.methods.imprecise.evidence import elements_of
from uqmbd.methods.intervals.chebyshev_run import ChebyshevRun
from uqmbd.result import Result

_MEMORY = 4_000_000  # ends of ranges held at a time


class EvidenceRun(ChebyshevRun):
    """Chebyshev's runs over the hull of the focal elements; what the masses say is computed from the expansion."""

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
            attrs=whole.attrs | {"focal_boxes": len(masses)},
        )

    def _ranges_on(self, ends: np.ndarray, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Lower and upper end of the `columns` on every focal box, 2 x (boxes, columns), widened by the validated error."""
        settings, ok = self.settings, self._status == 0
        lower, upper = np.empty((len(ends), len(columns))), np.empty((len(ends), len(columns)))
        values, trusted = self._values[np.ix_(ok, columns)], self._trusted[columns]
        if trusted.any():
            gap = settings.gap * np.ptp(values[:, trusted], axis=0)
            found = evidence.ranges(self._surrogate.c[..., columns[trusted]], ends, gap, settings.enclosure)
            margin = settings.safety * self._error[columns[trusted]]
            lower[:, trusted], upper[:, trusted] = found[0] - margin, found[1] + margin
        if not trusted.all():
            points, values = self._points[ok], values[:, ~trusted]
            for box, (low, high) in enumerate(zip(ends[..., 0], ends[..., 1], strict=True)):
                inside = np.all((points >= low) & (points <= high), axis=1)
                some = values[inside] if inside.any() else values  # nothing was run there: what all runs reached
                lower[box, ~trusted], upper[box, ~trusted] = some.min(axis=0), some.max(axis=0)
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
