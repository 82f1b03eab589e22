"""Bounds of a response by a surrogate over a region: nodes, validation, corners, and a search where trust is missing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
import xarray as xr

from uqmbd.analysis.base.columnwise import sample_std
from uqmbd.analysis.chebyshev.expansions import main_effect_widths
from uqmbd.analysis.chebyshev.monotonicity import extreme_corners, signs
from uqmbd.analysis.statistics import trust
from uqmbd.analysis.statistics.order_statistics import quantiles
from uqmbd.analysis.statistics.trust import Outer, joined
from uqmbd.methods.base import count_failures
from uqmbd.methods.checks import checks
from uqmbd.methods.intervals.optimised_bounds import OptimisedBounds
from uqmbd.methods.staged import Conclusion, FittedRun
from uqmbd.questions import answers_of
from uqmbd.questions.base import SurrogateContext
from uqmbd.questions.width import ROUNDING
from uqmbd.regions.base import Box
from uqmbd.surrogates.base import CORNER, EXTREME, FALLBACK, MOST_CORNERS, NODE, SEARCH, VALIDATION, Surrogate


class SurrogateRun(FittedRun):
    """A surrogate says where it wants runs and what it makes of them, a region where it is asked for its range.

    See `uqmbd.surrogates.base.Runs` for what both may use of it.
    """

    chosen: ClassVar[tuple[int, ...]] = (SEARCH,)

    def __init__(self, settings: Any, surrogate: type[Surrogate], region: type[Box], *study: Any) -> None:
        super().__init__(settings, surrogate, *study)
        self._optimised: OptimisedBounds | None = None
        self.region = region(self)

    def assess(self) -> None:
        """Surrogate, validated error and trust of every column."""
        self.fit()
        self.error, self.trusted = self.judged(self.validation_error)
        self._signs = None
        self.region.judge()

    # the runs -----------------------------------------------------------------------------------------------------------------------------
    def _plan(self) -> Iterator[bool]:
        self.region.before()
        yield from self.surrogate.design()
        self.assess()
        yield from self.run_extremes()
        self._own = len(self.points)
        yield from self.region.confirm()
        yield from self._search()

    def _search(self) -> Iterator[bool]:
        """Where trust is missing: runs that seek the extremes, and fresh ones that say what they missed."""
        parts, targets = self.region.targets()
        count = self.region.fallback(targets, self._own)
        if not count:
            return
        if self.region.scattered:
            self.add_random(count, FALLBACK)
            yield True
            self.assess()
            return
        optimised = OptimisedBounds(self, count, parts, targets)
        yield from optimised.close()
        self._optimised = optimised
        self.assess()

    def run_extremes(self) -> Iterator[bool]:
        if not self.settings.corner_runs:
            return
        left = MOST_CORNERS - int(np.count_nonzero(self.roles == EXTREME))
        corners = self.not_run(extreme_corners(self._monotonic()))[:left]
        if len(corners):
            self.add(corners, EXTREME)
            yield True
            self.assess()

    def _extremes_run(self) -> np.ndarray:
        """Columns that are monotonic in all inputs and of which both corners were run: there runs alone are the bounds; indices."""
        if not self.settings.corner_runs:
            return np.empty(0, int)
        ran = {tuple(point) for point in self.points[self._rows()].tolist() if np.all(np.abs(point) == 1)}
        kinds, kind = np.unique(self._monotonic(), axis=1, return_inverse=True)
        both = [all(tuple(end) in ran for end in (corner, -corner)) for corner in kinds.T.astype(float)]  # 0 is no corner
        return np.flatnonzero(np.array(both)[kind.ravel()])

    def _monotonic(self) -> np.ndarray:
        """Sign of the slope in each input where it has only one over the box and the column is trusted, else 0: (d, columns)."""
        if self._signs is None:
            self._signs = signs(self.expansion, self.error, len(self.inputs), closely=self.settings.corner_runs) * self.trusted
        return self._signs

    # what follows -------------------------------------------------------------------------------------------------------------------------
    def outer(
        self,
        part: int,
        enclosed: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]],
        inner: np.ndarray,
        error: np.ndarray,
        trusted: np.ndarray,
    ) -> tuple[Outer, float]:
        """The bounds of a part of the region (0 is the whole), and the share of the trusted columns whose enclosure reached its gap.

        `enclosed` makes of columns the range of the surrogate, widened by its error, and whether they reached their gap; `inner` is
        (2, columns), `error` and `trusted` are (columns,).
        """
        optimised, enclosure, met = self._optimised, np.full_like(inner, np.nan), np.ones(0)
        asked = trusted | (True if optimised is None else ~optimised.search_bound(part).trusted)
        if asked.any():
            enclosure[:, asked], met = enclosed(np.flatnonzero(asked))
            met = met[trusted[asked]]
        if part == 0:
            at_corners = self._extremes_run()
            enclosure[:, at_corners] = inner[:, at_corners]
        if optimised is not None:
            outer = optimised.outer(part, enclosure, inner, error, trusted)
        else:
            outer = Outer(joined(enclosure, inner), error, trusted, np.full(len(error), trust.ENCLOSED, np.int8))
        return outer, float(met.mean()) if met.size else 1.0

    def _conclude(self) -> Conclusion:
        runs = self.counted()
        inner = self.envelope(runs)
        outer, met = self.region.bounds(inner)
        columns = self.columns
        subject = SurrogateContext(self.inputs, columns, self.expansion, inner, self.error, self.trusted, self.settings.enclosure)
        answers = answers_of(subject, self.settings.questions)
        groups = {
            **self._groups(inner, outer.error, outer.trusted),
            "bounds": columns.dataset(outer.bounds, {"bound": ["lower", "upper"]}),
            "source": columns.dataset(outer.source, unit=""),
            "worst": self._at_runs(runs[self.envelope(runs, np.argmin, np.argmax)]),
            **self._statistics(),
            "sensitivity": self._sensitivity(answers.sensitivity, inner),
            **answers.groups,
            **self._of_expansion(),
            **self.surrogate.groups(),
            **self.region.groups(outer, met, inner),
        }
        return groups, self._attributes(outer, met, answers.notes)

    def _spoken_of(self) -> np.ndarray:
        return self.region.contains(self.points)

    def _of_expansion(self) -> dict[str, xr.Dataset]:
        """The surrogate, to be asked again, and what it says of runs that it was not made of; none where bounds do not come from it."""
        if not self.surrogate.bounds_from_expansion:
            return {}
        rows = np.flatnonzero((self.status == 0) & self.surrogate.held_out())
        points = self.points[rows]
        said = checks(self.columns, rows, lambda at: (self.values[rows, at], self.expansion.part(at).evaluate(points)))
        return {**self.surrogate.kept(), "validation": said}

    def _sensitivity(self, further: dict[str, np.ndarray], reached: np.ndarray) -> xr.Dataset:
        """Share of each input of the width, the others averaged, and what the questions say; `reached` (2, columns) by runs."""
        widths = main_effect_widths(self.expansion)
        total, largest = widths.sum(axis=0), np.abs(reached).max(axis=0)
        shares = np.divide(widths, total, out=np.zeros_like(widths), where=total > ROUNDING * largest)
        kinds = {"main_effect": shares} | further
        return self.columns.dataset(np.stack(list(kinds.values())), {"kind": list(kinds), "input": list(self.inputs)}, unit="")

    def _statistics(self) -> dict[str, xr.Dataset]:
        """Statistics of the random runs, when there are fallback runs: uniform over the box, a description, not a distribution."""
        if not np.any(self.roles == FALLBACK):
            return {}
        values = self.values[self._rows(VALIDATION, FALLBACK)]
        levels = {name: q for name, q in quantiles(values).items() if "_" not in name}
        every = {"mean": values.mean(axis=0), "std": sample_std(values), "min": values.min(axis=0), "max": values.max(axis=0)} | levels
        return {"statistics": self.columns.dataset(np.array(list(every.values())), {"statistic": list(every)})}

    def _attributes(self, outer: Outer, met: float, more: Sequence[str]) -> dict:
        settings = self.settings
        attrs = {
            "method": settings.name,
            "seed": self.seed,
            **self.surrogate.facts(),
            "enclosure": settings.enclosure if self.expansion.verified else "search",
            "trust_tolerance": settings.trust_tolerance,
            "width_tolerance": settings.width_tolerance,
            "safety": settings.safety,
            "trusted_share": float(outer.trusted.mean()),
            "runs_nodes": int(np.count_nonzero(self.roles == NODE)),
            "runs_validation": int(np.count_nonzero(np.isin(self.roles, (VALIDATION, CORNER)))),
            "runs_fallback": int(np.count_nonzero(np.isin(self.roles, (FALLBACK, SEARCH)))),
            **({} if self._optimised is None else self._optimised.attributes(outer)),
            **count_failures(self.status),
        }
        if settings.corner_runs:
            attrs["runs_corners"] = int(np.count_nonzero(self.roles == EXTREME))
        attrs["monotonic"] = dict(zip(self.inputs, (self._monotonic() != 0).mean(axis=1).tolist(), strict=True))
        if attrs["enclosure"] == "bernstein":
            attrs |= {"gap": settings.gap, "gap_reached_share": met}
        attrs["notes"] = [*self.surrogate.notes(outer.trusted), *self.region.notes(), *more]
        return attrs | self.region.facts()
