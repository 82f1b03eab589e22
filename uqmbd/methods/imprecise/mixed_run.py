"""The run of a study with random and interval inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import xarray as xr

from uqmbd.analysis import probability_box, trust
from uqmbd.analysis.chaos_expansion import cube_sample
from uqmbd.analysis.order_statistics import LEVELS, level_name
from uqmbd.analysis.threads import one_thread
from uqmbd.methods.base import count_failures, generator
from uqmbd.methods.probabilistic.pce_run import CDF_LEVELS, SAMPLED, PCERun
from uqmbd.result import Result

if TYPE_CHECKING:
    from uqmbd.methods.imprecise.mixed import Mixed

HISTORY_SHARE = 4  # histories have so many columns that a part of the germs has to do: the first ones, which are Sobol' points too
HALF_WIDTH = 0.98  # of the 95 % interval of a probability of 1/2 from one independent point; of n points this over √n


class MixedRun(PCERun):
    """The runs and the expansion of polynomial chaos; statistics are bounded over the intervals."""

    settings: Mixed

    @one_thread
    def result(self) -> Result:
        self._require_finished()
        self._assess()
        columns, values, ends = self._columns, self._values[self._rows()], {"bound": ["lower", "upper"]}
        self._reached = np.stack([values.min(axis=0), values.max(axis=0)])
        self._intervals = [i for i, item in enumerate(self._inputs.values()) if item.kind != "random"]
        self._germs = cube_sample(len(self._inputs) - len(self._intervals), generator(self._seed, SAMPLED), self.settings.germs)
        self._margin = self.settings.safety * self._error
        histories = [name for name, info in columns.outputs.items() if info.history]
        horizons = {name: trust.horizon(self._trusted[columns.slices[name]], columns.time) for name in histories}
        return Result(
            inner=columns.dataset(self._reached, ends),
            error=columns.dataset(self._error),
            trusted=columns.dataset(self._trusted, unit=""),
            trust_horizon=xr.Dataset({name: ((), value, {"unit": "s"}) for name, value in horizons.items()}),
            statistics=self._statistics(),
            cdf=self._cdf(),
            attrs=self._attributes(),
        )

    def _statistics(self) -> xr.Dataset:
        """Bounds of statistics. Where the expansion is not trusted all that is known of them is where the runs are: the mean and the
        quantiles between the ends, the standard deviation up to half the distance (Popoviciu)."""
        names = ["mean", "std", "variance", *map(level_name, LEVELS)]
        low, high = self._reached
        out = np.empty((len(names), 2, self._columns.count))
        out[:] = self._reached
        out[1] = np.stack([np.zeros_like(low), (high - low) / 2])
        self._verified = True
        trusted = np.flatnonzero(self._trusted)
        if trusted.size:
            part, outwards = self._expansion.columns(trusted), np.array([[-1.0], [1.0]]) * self._margin[trusted]
            mean, variance, self._verified = probability_box.moment_bounds(part, self._intervals)
            out[0][:, trusted] = mean + outwards
            out[1][:, trusted] = np.maximum(np.sqrt(variance) + outwards, 0.0)
            history = np.concatenate(
                [np.full(at.stop - at.start, self._columns.outputs[name].history) for name, at in self._columns.slices.items()]
            )
            for columns, germs in ((~history, self._germs), (history, self._germs[: len(self._germs) // HISTORY_SHARE])):
                some = columns[trusted]
                if some.any():
                    found = probability_box.quantile_bounds(part.columns(some), self._intervals, LEVELS, germs)
                    out[3:, :, trusted[some]] = found + outwards[:, some]
        out[2] = out[1] ** 2
        return self._columns.dataset(out, {"statistic": names, "bound": ["lower", "upper"]})

    def _cdf(self) -> xr.Dataset:
        """Probability boxes of the scalars."""
        found = {}
        for name, info in self._columns.outputs.items():
            at = self._columns.slices[name]
            if info.history:
                continue
            if self._trusted[at.start]:
                part = self._expansion.columns(at)
                table = probability_box.box(part, self._intervals, self._germs, float(self._margin[at.start]), rows=CDF_LEVELS)
            else:
                low, high = self._reached[:, at.start]
                value = np.linspace(low, high, CDF_LEVELS)
                table = value, (value >= high).astype(float), np.ones(CDF_LEVELS)
            found[name] = (("level", "column"), np.column_stack(table), {"unit": info.unit})
        coords = {"level": np.arange(CDF_LEVELS), "column": np.array(["value", "lower", "upper"], dtype=object)}
        return xr.Dataset(found, coords if found else None)

    def _attributes(self) -> dict:
        settings, failures = self.settings, count_failures(self._status)
        attrs = {key: value for key, value in super()._attributes().items() if key not in ("note", "expansion_sample", "skewness")}
        attrs |= {
            "intervals": [list(self._inputs)[i] for i in self._intervals],
            "germs": settings.germs,
            "safety": settings.safety,
            "cdf_sampling_error": float(HALF_WIDTH / np.sqrt(settings.germs)),
            "moments_verified": bool(self._verified),
            "quantiles_verified": False,
        }
        notes = []
        if failures["runs_failed"]:
            notes.append(f"{failures['runs_failed']} of {failures['runs']} runs failed and are left out of the fit")
        if not self._trusted.all():
            notes.append("where the expansion is not trusted, the bounds of statistics are all that the range of the runs allows")
        if any(item.kind == "fuzzy" for item in self._inputs.values()):
            notes.append("fuzzy numbers count as the intervals of their supports")
        return attrs | ({"note": "; ".join(notes)} if notes else {})
