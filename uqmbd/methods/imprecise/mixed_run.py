"""The run of a study with random and interval inputs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import xarray as xr

from uqmbd.analysis import imprecise_moments, probability_box, trust
from uqmbd.analysis.alpha_cuts import nested
from uqmbd.analysis.chaos_expansion import Expansion, cube_sample
from uqmbd.analysis.order_statistics import level_name
from uqmbd.analysis.reached import ENOUGH, ends
from uqmbd.analysis.regions import Region, regions
from uqmbd.analysis.streams import generator
from uqmbd.analysis.threads import one_thread
from uqmbd.analysis.two_loop import CONFIDENCE, least_runs
from uqmbd.inputs.space import Space
from uqmbd.methods.base import count_failures
from uqmbd.methods.imprecise.mixed_fallback import TwoLoop
from uqmbd.methods.probabilistic.pce_run import CDF_LEVELS, SAMPLED, PCERun
from uqmbd.methods.quantile_levels import too_far_out
from uqmbd.regions.body import body_of
from uqmbd.regions.cuts import boxes
from uqmbd.result import Result

if TYPE_CHECKING:
    from uqmbd.methods.imprecise.mixed import Mixed

HISTORY_SHARE = 4  # histories have so many columns that a part of the germs has to do: the first ones, which are Sobol' points too
HALF_WIDTH = 0.98  # of the 95 % interval of a probability of 1/2 from one independent point; of n points this over √n


FALLBACK = SAMPLED + 1  # a role: runs of the two-loop Monte Carlo


class MixedRun(PCERun):
    """The runs and the expansion of polynomial chaos; statistics are bounded over the intervals, at each level of membership."""

    settings: Mixed
    _assessed = False

    def _plan(self) -> Iterator[bool]:
        yield from super()._plan()
        self._assess()
        left = np.flatnonzero(~self._followed)
        budget = self.settings.fallback_most(self._inputs) if left.size else 0
        part, levels = self._polynomials.columns(left), self._levels_of_quantiles
        self._two_loop = TwoLoop(self._regions, self._imprecise, len(self._inputs), budget, self._seed, part, levels)
        if self._two_loop:
            self._add(self._two_loop.points, FALLBACK)
            yield True

    @one_thread
    def _assess(self) -> None:
        """Once, on the runs that were planned: what is added where trust is missing does not change the trust."""
        if not self._assessed:
            super()._assess()
            # what is near enough for its error to widen the bounds, if not near enough to be trusted
            known, slices = self._values[self._rows()], self._columns.slices.values()
            ends = np.stack([known.min(axis=0), known.max(axis=0)])
            everywhere = np.full(len(self._error), np.inf)
            self._followed = trust.assessed(self._missed, slices, ends, self.settings.trust_tolerance, 1.0, everywhere)[1]
            self._assessed = True

    @property
    def _polynomials(self) -> Expansion:
        """The expansion of all columns."""
        return self._expansion

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
        self._stop_if_too_many_failed(self.settings)
        columns = self._columns
        self._reach()
        self._germs = cube_sample(len(self._inputs) - len(self._imprecise), generator(self._seed, SAMPLED), self.settings.germs)
        self._margin = self.settings.safety * self._error
        return Result(
            inner=columns.dataset(self._reached[0], {"bound": ["lower", "upper"]}),
            error=columns.dataset(self._error),
            trusted=columns.dataset(self._trusted, unit=""),
            trust_horizon=trust.horizons(self._trusted, columns),
            validation=self._checks,
            statistics=self._statistics(),
            cdf=self._cdf(),
            surrogates=self._kept(),
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
        """Bounds of statistics. Where the expansion is not trusted they are those of the two-loop Monte Carlo, or else all that is known of
        them is where the runs are: the mean and the quantiles between the ends, the standard deviation up to half the distance
        (Popoviciu)."""
        levels = self._levels_of_quantiles
        names = ["mean", "std", "variance", *map(level_name, levels)]
        low, high = self._reached[:, 0], self._reached[:, 1]
        out = np.empty((len(self._regions), len(names), 2, self._columns.count))
        out[:] = self._reached[:, None]
        out[:, 1] = np.stack([np.zeros_like(low), (high - low) / 2], axis=1)
        self._moments = None
        self._places = np.zeros((len(self._regions), self._columns.count, 2 * len(levels), len(self._imprecise)))
        trusted = np.flatnonzero(self._followed)
        if trusted.size:
            self._fill(out, trusted)
        out[:, 2] = out[:, 1] ** 2
        self._doubtful = np.zeros((2, self._columns.count), bool)
        if self._two_loop:
            inner = out + 2 * np.array([[1.0], [-1.0]]) * self._margin
            inner[:, 2] = np.maximum(inner[:, 1], 0.0) ** 2
            left, ran = ~self._followed, self._roles == FALLBACK
            out[..., left], inner[..., left], self._doubtful[:, left] = self._two_loop.limits(
                self._values[np.ix_(ran, left)], self._status[ran] == 0, levels, self._reached[..., left]
            )
        for statistic in range(len(names)):
            out[:, statistic] = nested(out[:, statistic])
        if self._two_loop:
            out, names = np.concatenate([out, inner], axis=1), [*names, *(f"{name}_inner" for name in names)]
        return self._labelled(out, {"statistic": names, "bound": ["lower", "upper"]})

    @cached_property
    def _of_histories(self) -> np.ndarray:
        """Which columns belong to histories, bool (columns,)."""
        slices = self._columns.slices.items()
        return np.concatenate([np.full(at.stop - at.start, name in self._columns.axes) for name, at in slices])

    def _fill(self, out: np.ndarray, columns: np.ndarray) -> None:
        """Bounds of the statistics (regions, statistics, 2, columns) of some columns, from their expansions."""
        levels, part = self._levels_of_quantiles, self._polynomials.columns(columns)
        outwards = np.array([[-1.0], [1.0]]) * self._margin[columns]
        self._moments = imprecise_moments.moment_bounds(part, self._imprecise, self._regions)
        out[:, 0][..., columns] = self._moments.mean + outwards
        out[:, 1][..., columns] = np.maximum(np.sqrt(self._moments.variance) + outwards, 0.0)
        history = self._of_histories[columns]
        for some, germs in ((~history, self._germs), (history, self._germs[: len(self._germs) // HISTORY_SHARE])):
            if some.any():
                found, places = probability_box.quantile_bounds(part.columns(some), self._imprecise, levels, germs, self._regions)
                out[:, 3:][..., columns[some]] = found + outwards[:, some]
                shape = (len(places), 2 * len(levels), *places.shape[3:])
                self._places[:, columns[some]] = places.reshape(shape).swapaxes(1, 2)

    def _sample_points(self) -> int:
        """Germs of a scalar."""
        return self.settings.germs

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
            if info.axis:
                continue
            if self._followed[at.start]:
                part, margin = self._polynomials.columns(at), float(self._margin[at.start])
                places = self._places[:, at.start]
                table = probability_box.boxes(part, self._imprecise, self._germs, self._regions, places, margin, rows=CDF_LEVELS)
            else:
                value = np.linspace(*self._reached[:, :, at.start].T, CDF_LEVELS, axis=1)
                table = np.stack([value, value >= value[:, -1:], np.ones_like(value)], axis=2)
                if self._two_loop:
                    ran = self._roles == FALLBACK
                    for k, rows in enumerate(table):
                        low, high = self._two_loop.box(self._values[ran, at.start], self._status[ran] == 0, rows[:, 0], k)
                        rows[:, 1:] = np.column_stack([np.maximum(rows[:, 1], low), high])
                        rows[-1, 2] = 1.0
            dims = ("alpha", "level", "column") if self._fuzzy else ("level", "column")
            found[name] = (dims, table if self._fuzzy else table[0], {"unit": info.unit})
        coords = {"level": np.arange(CDF_LEVELS), "column": np.array(["value", "lower", "upper"], dtype=object)}
        if self._fuzzy:
            coords["alpha"] = np.array(self._levels)
        return xr.Dataset(found, coords if found else None)

    def _attributes(self) -> dict:
        settings, failures, bound = self.settings, count_failures(self._status), self._regions[0].bound
        attrs = {key: value for key, value in super()._attributes().items() if key not in ("expansion_sample", "skewness")}
        names = list(self._inputs)
        attrs |= {
            "intervals": [names[i] for i in self._imprecise],
            "germs": settings.germs,
            "safety": settings.safety,
            "cdf_sampling_error": float(HALF_WIDTH / np.sqrt(settings.germs)),
            "moments_verified": self._moments.verified if self._moments else not bound,
            "quantiles_verified": False,
            "runs_fallback": int(np.count_nonzero(self._roles == FALLBACK)),
        }
        if self._two_loop:
            attrs |= {"outer_points": self._two_loop.outer, "inner_runs": self._two_loop.inner, "confidence": CONFIDENCE}
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
        notes = self._about_quantiles()
        if failures["runs_failed"]:
            notes.append(f"{failures['runs_failed']} of {failures['runs']} runs failed and are left out of the fit")
        if not self._followed.all():
            notes += self._about_untrusted()
        if bound and self._moments and self._moments.exact < 1:
            notes.append("bounds of mean and variance over the sets are searched for and not verified")
        return attrs | {"notes": notes}

    def _about_untrusted(self) -> list[str]:
        """Sentences about what is not trusted, and what to do."""
        slices = self._columns.slices.items()
        who = ", ".join(name for name, at in slices if not self._followed[at].all())
        if not self._two_loop:
            notes = [f"where the expansion is not trusted ({who}), the bounds of statistics are all that the range of the runs allows"]
            if min(self._inside) < ENOUGH:
                notes.append(f"the range where fewer than {ENOUGH} runs are is that of the next wider level, or of all runs")
            needed = least_runs(int(self._regions[0].wide.sum()))
            if needed is None:
                return [*notes, "so many intervals have too many corners for a two-loop Monte Carlo: fix those that matter least"]
            return [*notes, f"for better ones write fallback_runs = {max(2000, 4 * needed)}, for a two-loop Monte Carlo"]
        loop, settings = self._two_loop, self.settings
        missed = "narrow extremes" if loop.grid.size else "extremes"
        notes = [
            f"where the expansion is not trusted ({who}), the bounds of statistics are {CONFIDENCE:.0%} limits of a two-loop Monte Carlo: "
            f"{loop.outer} points of the intervals with {loop.inner} runs each. What lies between mean_inner and mean is sampling: "
            f"fallback_runs = {4 * settings.fallback_most(self._inputs)} would halve it; {missed} between the points may be missed"
        ]
        if far := too_far_out(self._levels_of_quantiles, loop.inner, -np.log((1 - CONFIDENCE) / 2)):
            notes.append(f"{loop.inner} runs are too few for limits of {far}, which end where all runs end")
        for word, doubtful in zip(("mean", "standard deviation"), self._doubtful, strict=True):
            if some := [name for name, at in slices if doubtful[at].any()]:
                who = ", ".join(some)
                notes.append(f"{loop.inner} runs of a skewed output are too few: the limits of the {word} of {who} are too narrow")
        return notes
