"""Random and interval inputs in one study: bounds of statistics, and probability boxes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from pydantic import Field, field_validator

from uqmbd.analysis.base.streams import generator
from uqmbd.analysis.base.threads import one_thread
from uqmbd.analysis.chaos.expansion import cube_sample
from uqmbd.analysis.imprecise import moments as imprecise_moments
from uqmbd.analysis.imprecise import probability_box
from uqmbd.analysis.imprecise import sampled as imprecise_sampled
from uqmbd.analysis.search.extremes import ends
from uqmbd.analysis.sets.alpha_cuts import nested
from uqmbd.analysis.sets.regions import Region, regions
from uqmbd.analysis.statistics import trust
from uqmbd.analysis.statistics.order_statistics import level_name
from uqmbd.errors import StudyError
from uqmbd.inputs import Input, Space
from uqmbd.methods.base import count_failures, fallback_count
from uqmbd.methods.failures import left_out
from uqmbd.methods.imprecise.mixed_fallback import TwoLoop, without_two_loop
from uqmbd.methods.probabilistic.expanded import CDF_LEVELS, ExpandedRun
from uqmbd.methods.probabilistic.settings import Expanded
from uqmbd.methods.sets.fuzzy import FuzzyBounds, Levels, checked_levels
from uqmbd.methods.staged import Conclusion
from uqmbd.regions.body import body_of
from uqmbd.regions.cuts import boxes
from uqmbd.surrogates.chaos_fit import SAMPLED

if TYPE_CHECKING:
    import xarray as xr

DEFAULT_LEVELS = FuzzyBounds.model_fields["levels"].default
HISTORY_SHARE = 4  # histories have so many columns that a part of the germs has to do: the first ones, which are Sobol' points too
WARPED_GERMS = 1024  # the most of them with which warped histories are sampled
HALF_WIDTH = 0.98  # of the 95 % interval of a probability of 1/2 from one independent point; of n points this over √n
FALLBACK = SAMPLED + 1  # a role: runs of the two-loop Monte Carlo


class MixedRun(ExpandedRun):
    """The runs and the expansion of polynomial chaos; statistics are bounded over the intervals, at each level of membership."""

    settings: Mixed
    _assessed = False

    def _plan(self) -> Iterator[bool]:
        yield from super()._plan()
        self.assess()
        left = np.flatnonzero(~self._followed)
        budget = self.settings.fallback_most(self.inputs) if left.size else 0
        part, levels = self.surrogate.polynomials.select(left), self._levels_of_quantiles
        self._two_loop = TwoLoop(self._regions, self._imprecise, len(self.inputs), budget, self.seed, part, levels, left)
        if self._two_loop:
            self.add(self._two_loop.points, FALLBACK)
            yield True

    @one_thread
    def assess(self) -> None:
        """Once, on the runs that were planned: what is added where trust is missing does not change the trust."""
        if not self._assessed:
            super().assess()
            # what is near enough for its error to widen the bounds, if not near enough to be trusted
            slices, everywhere = self.columns.slices.values(), np.full(len(self.error), np.inf)
            self._followed = trust.assessed(self.validation_error, slices, self._ends, self.settings.trust_tolerance, 1.0, everywhere)[1]
            self._followed &= self._holds
            self._assessed = True

    @cached_property
    def _imprecise(self) -> list[int]:
        """Inputs that are not random, in their order."""
        return [i for i, item in enumerate(self.inputs.values()) if item.kind != "random"]

    @cached_property
    def _alpha(self) -> dict[str, tuple[float, ...]]:
        """Memberships, where an input is a fuzzy number."""
        return {"alpha": self.settings.levels} if any(item.kind == "fuzzy" for item in self.inputs.values()) else {}

    @cached_property
    def _regions(self) -> list[Region]:
        """Where the inputs that are not random can be at each level."""
        # a set brings its inputs itself if it says where they lie
        own = {name: item for name, item in self.inputs.written.items() if item.kind != "random"}
        space = Space(own, sets=self.inputs.sets)
        return regions(list(boxes(space, self._alpha.get("alpha", (0.0,)))), body_of(space))

    @one_thread
    def _conclude(self) -> Conclusion:
        self._stop_if_too_many_failed()
        self._reach()
        self._germs = cube_sample(len(self.inputs) - len(self._imprecise), generator(self.seed, SAMPLED), self.settings.germs)
        self._margin = self.settings.safety * self.error
        statistics = self._statistics()
        return self._groups(self._reached[0], self.error, self.trusted) | {"statistics": statistics}, self._attributes()

    def _reach(self) -> None:
        """Ends of the runs in each region, `_reached` (levels, 2, columns); with too few there those of the next wider, of all at last."""
        rows = self._rows()
        points, values = self.points[np.ix_(rows, np.array(self._imprecise, int))], self.values[rows]
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
        out = np.empty((len(self._regions), len(names), 2, self.columns.count))
        out[:] = self._reached[:, None]
        out[:, 1] = np.stack([np.zeros_like(low), (high - low) / 2], axis=1)
        self._moments = None
        self._places = np.zeros((len(self._regions), self.columns.count, 2 * len(levels), len(self._imprecise)))
        trusted = np.flatnonzero(self._followed)
        if trusted.size:
            self._fill(out, trusted)
        out[:, 2] = out[:, 1] ** 2
        if self._two_loop:
            inner = out + 2 * np.array([[1.0], [-1.0]]) * self._margin
            inner[:, 2] = np.maximum(inner[:, 1], 0.0) ** 2
            left, ran = ~self._followed, self.roles == FALLBACK
            out[..., left], inner[..., left] = self._two_loop.limits(
                self.values[np.ix_(ran, left)], self.status[ran] == 0, levels, self._reached[..., left]
            )
        for statistic in range(len(names)):
            out[:, statistic] = nested(out[:, statistic])
        if self._two_loop:
            out, names = np.concatenate([out, inner], axis=1), [*names, *(f"{name}_inner" for name in names)]
        labels = self._alpha | {"statistic": names, "bound": ["lower", "upper"]}
        return self.columns.dataset(out if self._alpha else out[0], labels)

    def _fill(self, out: np.ndarray, columns: np.ndarray) -> None:
        """Bounds of the statistics (regions, statistics, 2, columns) of some columns, from their expansions."""
        warped = self.surrogate.warped[columns]
        bounds = np.empty((len(self._regions), 2 + len(self._levels_of_quantiles), 2, len(columns)))  # mean, variance, quantiles
        if not warped.all():
            bounds[..., ~warped] = self._of_polynomials(columns[~warped])
        if warped.any():
            evaluate, germs = self.expansion.select(columns[warped]).evaluate, self._germs[: min(len(self._germs) // 4, WARPED_GERMS)]
            about = self._imprecise, self._levels_of_quantiles, germs, self._regions
            bounds[..., warped] = imprecise_sampled.statistic_bounds(evaluate, *about)
        outwards = np.array([[-1.0], [1.0]]) * self._margin[columns]
        out[:, 0][..., columns] = bounds[:, 0] + outwards
        out[:, 1][..., columns] = np.maximum(np.sqrt(bounds[:, 1]) + outwards, 0.0)
        out[:, 3:][..., columns] = bounds[:, 2:] + outwards

    def _of_polynomials(self, columns: np.ndarray) -> np.ndarray:
        """Bounds of mean, variance and quantiles (regions, statistics, 2, columns), verified those of the first two."""
        levels, part = self._levels_of_quantiles, self.surrogate.polynomials.select(columns)
        self._moments = imprecise_moments.moment_bounds(part, self._imprecise, self._regions)
        out = np.empty((len(self._regions), 2 + len(levels), 2, len(columns)))
        out[:, 0], out[:, 1] = self._moments.mean, self._moments.variance
        slices = self.columns.slices.items()
        history = np.concatenate([np.full(at.stop - at.start, name in self.columns.axes) for name, at in slices])[columns]
        for some, germs in ((~history, self._germs), (history, self._germs[: len(self._germs) // HISTORY_SHARE])):
            if some.any():
                out[:, 2:][..., some], places = probability_box.quantile_bounds(
                    part.select(some), self._imprecise, levels, germs, self._regions
                )
                shape = (len(places), 2 * len(levels), *places.shape[3:])
                self._places[:, columns[some]] = places.reshape(shape).swapaxes(1, 2)
        return out

    def _sample_points(self) -> int:
        return self.settings.germs

    def _distribution(self, column: int) -> np.ndarray:
        """Probability box of one column: value and limits of the probability to be at most that, ([alpha,] CDF_LEVELS, 3)."""
        if self._followed[column]:
            part, about = self.surrogate.polynomials.select(slice(column, column + 1)), (self._imprecise, self._germs, self._regions)
            table = probability_box.boxes(part, *about, self._places[:, column], float(self._margin[column]), rows=CDF_LEVELS)
        else:
            low, high = self._reached[:, :, column].T
            value = np.linspace(low, high, CDF_LEVELS, axis=1)
            table = np.stack([value, value >= value[:, -1:], np.ones_like(value)], axis=2)
            if self._two_loop:
                ran = self.roles == FALLBACK
                for k, rows in enumerate(table):
                    low, high = self._two_loop.box(self.values[ran, column], self.status[ran] == 0, rows[:, 0], k)
                    rows[:, 1:] = np.column_stack([np.maximum(rows[:, 1], low), high])
                    rows[-1, 2] = 1.0
        return table if self._alpha else table[0]

    def _attributes(self) -> dict:
        settings, failures, bound = self.settings, count_failures(self.status), self._regions[0].bound
        attrs, names = super()._attributes(), list(self.inputs)
        attrs |= {
            "intervals": [names[i] for i in self._imprecise],
            "germs": settings.germs,
            "safety": settings.safety,
            "cdf_sampling_error": float(HALF_WIDTH / np.sqrt(settings.germs)),
            "moments_verified": self._moments.verified if self._moments else not bound,
            "quantiles_verified": False,
            "runs_fallback": int(np.count_nonzero(self.roles == FALLBACK)),
        }
        if self._two_loop:
            attrs |= self._two_loop.facts()
        if self._alpha:
            attrs |= {"levels": list(self._alpha["alpha"]), "runs_by_level": self._inside}
        if bound:
            attrs |= {
                "sets": {name: {"inputs": list(item.inputs), "shape": item.shape} for name, item in self.inputs.sets.items()},
                "runs_in_set": self._inside[0],
            }
            if self._moments:
                attrs["exact_share"] = self._moments.exact
                if self._moments.narrower is not None:
                    attrs["width_of_box"] = self._moments.narrower
        notes = self._about_quantiles() + left_out(failures, " of the fit")
        if not self._followed.all():
            notes += self._about_untrusted()
        if bound and self._moments and self._moments.exact < 1:
            notes.append("bounds of mean and variance over the sets are searched for and not verified")
        notes += self.surrogate.notes(self.trusted)
        if (self.surrogate.warped & self._followed).any():
            attrs["moments_verified"] = False
            notes.append("bounds of the statistics of warped histories are searched for and not verified")
        return attrs | {"notes": notes}

    def _about_untrusted(self) -> list[str]:
        """Sentences about what is not trusted, and what to do."""
        who = ", ".join(self.columns.named(~self._followed))
        if self._two_loop:
            further = 4 * self.settings.fallback_most(self.inputs)
            return self._two_loop.notes(who, further, self._levels_of_quantiles, self.columns)
        return without_two_loop(who, min(self._inside), int(self._regions[0].wide.sum()))


class Mixed(Expanded):
    """Bounds of mean, standard deviation and quantiles over all values of the intervals, from one expansion in all inputs.

    Random inputs have the polynomials of their distribution, intervals Legendre polynomials. The double loop over intervals and random
    inputs runs on the expansion only. Ranges of mean and variance are verified (of the expansion); those of quantiles and
    distribution functions are searched for. All are widened by the validated error, which bounds what the expansion can do to
    any of them.

    A fuzzy number is an interval at each membership, by Zadeh's extension principle: one expansion over its support serves all, and every
    statistic is itself a fuzzy number (Möller and Beer, Fuzzy Randomness (2004), ch. 5). Where a convex set binds intervals, the
    bounds are those over the set; the ranges of mean and variance are then searched for.

    Where the expansion is not trusted (impacts, stick-slip), a two-loop Monte Carlo takes its place: points of the intervals, corners
    first, each with the same sample of the random inputs. The bounds are then confidence limits (95 %) of the least and the greatest
    statistic at these points; what of their width is sampling shows in ``mean_inner`` and so on, the limits on the other side.

    With `warp` histories are expanded on a warped time line; their statistics are then sampled, and the bounds of these searched for.

    The settings of `Expanded`, of which the design and the fit are, and those below.

    Attributes
    ----------
    fallback_runs : int
        Runs of the two-loop Monte Carlo. Where nothing is said as many as `samples`, 2000 at most; none if
        they are fewer than 20 for each corner of the intervals and for their centre (60 for one, 660 for five), or there are more than 6.
    levels : int or list of float
        Of fuzzy numbers: number of equally spaced memberships with 0 and 1, or the memberships.
    germs : int
        Points of the random inputs with which quantiles and distribution functions are sampled, a power of two; quantiles of histories
        with a quarter of them.
    safety : float
        The bounds are widened by so many times the validated error.

    Examples
    --------
    >>> import uqmbd as uq
    >>> def sag(load, stiffness):
    ...     return {"sag": load / stiffness}
    >>> both = {"load": uq.Normal(100.0, 5.0), "stiffness": uq.Interval(1800.0, 2200.0)}
    >>> study = uq.Study(model=sag, inputs=both, outputs=["sag"], method=uq.Mixed(samples=60, degree=3), name="sag")
    >>> result = study.run(workers=0, report=False, progress=False)
    >>> (1e3 * result.statistics["sag"].sel(statistic="mean")).values.round(2).tolist()  # mm; 100 / 2.2 and 100 / 1.8
    [45.45, 55.56]
    """

    name: ClassVar[str] = "mixed"
    accepts: ClassVar[frozenset[str]] = frozenset({"interval", "random", "fuzzy"})
    treats: ClassVar[frozenset[str]] = frozenset({"dependence", "sets"})
    run: ClassVar[type] = MixedRun

    fallback_runs: int | None = Field(default=None, ge=0)
    levels: Levels = Field(default=DEFAULT_LEVELS, validate_default=True)
    germs: int = Field(default=4096, ge=64, le=2**20)
    safety: float = Field(default=1.0, ge=0)

    @field_validator("germs")
    @classmethod
    def _power_of_two(cls, germs: int) -> int:
        if germs & (germs - 1):
            raise ValueError(f"the germs are Sobol' points, whose number is a power of two such as {2 ** germs.bit_length()}, not {germs}")
        return germs

    def planned_runs(self, inputs: Mapping[str, Input]) -> tuple[int, int]:
        least, most = super().planned_runs(inputs)
        return least, most + self.fallback_most(inputs)

    def fallback_most(self, inputs: Mapping[str, Input]) -> int:
        return fallback_count(self.fallback_runs, sum(self.counts(inputs)))

    def check(self, inputs: Mapping[str, Input]) -> None:
        super().check(inputs)
        kinds = {item.kind for item in Space.of(inputs).values()}
        if "random" not in kinds:
            raise StudyError("the method mixed needs a random input", key="inputs", remedy="use the method chebyshev (or fuzzy) for these")
        if kinds == {"random"}:
            remedy = "use the method pce for distributions alone"
            raise StudyError("the method mixed needs an interval or a fuzzy number", key="inputs", remedy=remedy)
        if "fuzzy" not in kinds and self.levels != checked_levels(DEFAULT_LEVELS):
            remedy = "remove it, or give an input as a fuzzy number"
            raise StudyError("there is no fuzzy number to have levels", key="method.levels", value=list(self.levels), remedy=remedy)
