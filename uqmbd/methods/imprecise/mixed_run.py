"""The run of a study with random and interval inputs."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import xarray as xr

from uqmbd.analysis import imprecise_moments, probability_box, trust
from uqmbd.analysis.alpha_cuts import nested
from uqmbd.analysis.chaos_expansion import cube_sample
from uqmbd.analysis.order_statistics import LEVELS, level_name
from uqmbd.analysis.reached import ENOUGH, ends
from uqmbd.analysis.regions import Region, regions
from uqmbd.analysis.threads import one_thread
from uqmbd.inputs.space import Space
from uqmbd.methods.base import count_failures, generator
from uqmbd.methods.probabilistic.pce_run import CDF_LEVELS, SAMPLED, PCERun
from uqmbd.methods.sets.convex import body_of
from uqmbd.methods.sets.fuzzy import boxes
from uqmbd.result import Result

if TYPE_CHECKING:
    from uqmbd.methods.imprecise.mixed import Mixed

HISTORY_SHARE = 4  # histories have so many columns that a part of the germs has to do: the first ones, which are Sobol' points too
HALF_WIDTH = 0.98  # of the 95 % interval of a probability of 1/2 from one independent point; of n points this over √n


class MixedRun(PCERun):
    """The runs and the expansion of polynomial chaos; statistics are bounded over the intervals, at each level of membership."""

    settings: Mixed

    @cached_property
    def _imprecise(self) -> list[int]:
        """Inputs that are not random, in their order."""
        return [i for i, item in enumerate(self._inputs.values()) if item.kind != "random"]

    @cached_property
    def _levels(self) -> tuple[float, ...]:
        """Memberships; only that of the supports where no input is a fuzzy number."""
        return self.settings.levels if self._fuzzy else (0.0,)

    @property
    def _fuzzy(self) -> bool:
        return any(item.kind == "fuzzy" for item in self._inputs.values())

    @cached_property
    def _regions(self) -> list[Region]:
        """Where the inputs that are not random can be at each level."""
        # a set brings its inputs itself if it says where they lie
        own = {name: item for name, item in self._inputs.written.items() if item.kind != "random"}
        space = Space(own, sets=self._inputs.sets)
        return regions(boxes(space, self._levels), body_of(space))

    @one_thread
    def result(self) -> Result:
        self._require_finished()
        self._assess()
        columns = self._columns
        self._reach()
        self._germs = cube_sample(len(self._inputs) - len(self._imprecise), generator(self._seed, SAMPLED), self.settings.germs)
        self._margin = self.settings.safety * self._error
        histories = [name for name, info in columns.outputs.items() if info.history]
        horizons = {name: trust.horizon(self._trusted[columns.slices[name]], columns.time) for name in histories}
        return Result(
            inner=columns.dataset(self._reached[0], {"bound": ["lower", "upper"]}),
            error=columns.dataset(self._error),
            trusted=columns.dataset(self._trusted, unit=""),
            trust_horizon=xr.Dataset({name: ((), value, {"unit": "s"}) for name, value in horizons.items()}),
            validation=self._checks,
            statistics=self._statistics(),
            cdf=self._cdf(),
            attrs=self._attributes(),
        )

    def _reach(self) -> None:
        """Ends of the runs in each region, `_reached` (levels, 2, columns); with too few there those of the next wider, of all at last."""
        rows = self._rows()
        points, values = self._points[np.ix_(rows, self._imprecise)], self._values[rows]
        here = np.array([region.contains(points) for region in self._regions])
        depth = here.sum(axis=0)  # each region is inside the one before
        self._reached = np.stack([ends(values, np.maximum(k + 1 - depth, 0)) for k in range(len(here))])
        self._inside = here.sum(axis=1).tolist()

    def _statistics(self) -> xr.Dataset:
        """Bounds of statistics. Where the expansion is not trusted all that is known of them is where the runs are: the mean and the
        quantiles between the ends, the standard deviation up to half the distance (Popoviciu)."""
        names = ["mean", "std", "variance", *map(level_name, LEVELS)]
        low, high = self._reached[:, 0], self._reached[:, 1]
        out = np.empty((len(self._regions), len(names), 2, self._columns.count))
        out[:] = self._reached[:, None]
        out[:, 1] = np.stack([np.zeros_like(low), (high - low) / 2], axis=1)
        self._moments = None
        self._places = np.zeros((len(self._regions), self._columns.count, 2 * len(LEVELS), len(self._imprecise)))
        trusted = np.flatnonzero(self._trusted)
        if trusted.size:
            part, outwards = self._expansion.columns(trusted), np.array([[-1.0], [1.0]]) * self._margin[trusted]
            self._moments = imprecise_moments.moment_bounds(part, self._imprecise, self._regions)
            out[:, 0][..., trusted] = self._moments.mean + outwards
            out[:, 1][..., trusted] = np.maximum(np.sqrt(self._moments.variance) + outwards, 0.0)
            history = np.concatenate(
                [np.full(at.stop - at.start, self._columns.outputs[name].history) for name, at in self._columns.slices.items()]
            )
            for columns, germs in ((~history, self._germs), (history, self._germs[: len(self._germs) // HISTORY_SHARE])):
                some = columns[trusted]
                if some.any():
                    found, places = probability_box.quantile_bounds(part.columns(some), self._imprecise, LEVELS, germs, self._regions)
                    out[:, 3:][..., trusted[some]] = found + outwards[:, some]
                    shape = (len(places), 2 * len(LEVELS), *places.shape[3:])
                    self._places[:, trusted[some]] = places.reshape(shape).swapaxes(1, 2)
        out[:, 2] = out[:, 1] ** 2
        for statistic in range(len(names)):
            out[:, statistic] = nested(out[:, statistic])
        return self._labelled(out, {"statistic": names, "bound": ["lower", "upper"]})

    def _labelled(self, array: np.ndarray, labels: dict) -> xr.Dataset:
        """Dataset with the levels, which are numbers, where there is a fuzzy number."""
        if not self._fuzzy:
            return self._columns.dataset(array[0], labels)
        return self._columns.dataset(array, {"alpha": self._levels} | labels).assign_coords(alpha=np.array(self._levels))

    def _cdf(self) -> xr.Dataset:
        """Probability boxes of the scalars."""
        found = {}
        for name, info in self._columns.outputs.items():
            at = self._columns.slices[name]
            if info.history:
                continue
            if self._trusted[at.start]:
                part, margin = self._expansion.columns(at), float(self._margin[at.start])
                places = self._places[:, at.start]
                table = probability_box.boxes(part, self._imprecise, self._germs, self._regions, places, margin, rows=CDF_LEVELS)
            else:
                value = np.linspace(*self._reached[:, :, at.start].T, CDF_LEVELS, axis=1)
                table = np.stack([value, value >= value[:, -1:], np.ones_like(value)], axis=2)
            dims = ("alpha", "level", "column") if self._fuzzy else ("level", "column")
            found[name] = (dims, table if self._fuzzy else table[0], {"unit": info.unit})
        coords = {"level": np.arange(CDF_LEVELS), "column": np.array(["value", "lower", "upper"], dtype=object)}
        if self._fuzzy:
            coords["alpha"] = np.array(self._levels)
        return xr.Dataset(found, coords if found else None)

    def _attributes(self) -> dict:
        settings, failures, bound = self.settings, count_failures(self._status), self._regions[0].bound
        attrs = {key: value for key, value in super()._attributes().items() if key not in ("note", "expansion_sample", "skewness")}
        names = list(self._inputs)
        attrs |= {
            "intervals": [names[i] for i in self._imprecise],
            "germs": settings.germs,
            "safety": settings.safety,
            "cdf_sampling_error": float(HALF_WIDTH / np.sqrt(settings.germs)),
            "moments_verified": self._moments.verified if self._moments else not bound,
            "quantiles_verified": False,
        }
        if self._fuzzy:
            attrs |= {"levels": list(self._levels), "runs_by_level": self._inside}
        if bound:
            attrs |= {
                "sets": {name: {"inputs": list(item.inputs), "shape": item.shape} for name, item in self._inputs.sets.items()},
                "runs_in_set": self._inside[0],
            }
            if self._moments:
                attrs["exact_share"] = self._moments.exact
                if self._moments.narrower is not None:
                    attrs["width_of_box"] = self._moments.narrower
        notes = []
        if failures["runs_failed"]:
            notes.append(f"{failures['runs_failed']} of {failures['runs']} runs failed and are left out of the fit")
        if not self._trusted.all():
            notes.append("where the expansion is not trusted, the bounds of statistics are all that the range of the runs allows")
            if min(self._inside) < ENOUGH:
                notes.append(f"the range where fewer than {ENOUGH} runs are is that of the next wider level, or of all runs")
        if bound and self._moments and self._moments.exact < 1:
            notes.append("bounds of mean and variance over the sets are searched for and not verified")
        return attrs | ({"note": "; ".join(notes)} if notes else {})
