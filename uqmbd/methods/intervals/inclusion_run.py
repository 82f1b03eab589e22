"""Runs of the methods that bound a response by a surrogate: nodes, validation, corners, and a search where trust is missing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

import numpy as np
import xarray as xr

from uqmbd.analysis import trust
from uqmbd.analysis.alpha_cuts import restricted
from uqmbd.analysis.chebyshev_expansions import Expansion
from uqmbd.analysis.monotonicity import extreme_corners, signs
from uqmbd.analysis.order_statistics import quantiles
from uqmbd.analysis.regions import Region
from uqmbd.errors import StudyError
from uqmbd.inputs import Input
from uqmbd.methods.base import count_failures, generator
from uqmbd.methods.checks import checks
from uqmbd.methods.design import sobol
from uqmbd.methods.failures import MEND
from uqmbd.methods.intervals.closing import CANDIDATES, STREAM, Closing, Outer, joined
from uqmbd.methods.intervals.inclusion import MOST_CORNERS, Inclusion
from uqmbd.methods.staged import StagedRun
from uqmbd.outcomes import OutputInfo
from uqmbd.result import Result

# CORNER: validation at corners; EXTREME: where monotonic columns have their ends; SEARCH: where a search went; FALLBACK: its fresh runs
NODE, VALIDATION, FALLBACK, CORNER, EXTREME, SEARCH, OWN = range(7)  # OWN: the first that a method may call as it likes
FEW_FAILED = 3
COARSE = 0.01  # of the error: an expansion that is not trusted needs no closer range


class InclusionRun(StagedRun):
    """A method writes `_build`, which asks for nodes and validation runs, and `_expand`, which makes the surrogate of them."""

    bounds_from_surrogate: ClassVar[bool] = True
    chosen: ClassVar[tuple[int, ...]] = (SEARCH,)

    def __init__(
        self, settings: Inclusion, inputs: Mapping[str, Input], outputs: Mapping[str, OutputInfo], time: np.ndarray, seed: int
    ) -> None:
        super().__init__(inputs, outputs, time, seed)
        self.settings = settings
        self._note = ""
        self._closing: Closing | None = None

    def _build(self) -> Iterator[bool]:
        """Steps up to and with the validation runs."""
        raise NotImplementedError

    def _expand(self) -> Expansion:
        """The surrogate of all columns, and in `_note` what failed runs did to it."""
        raise NotImplementedError

    def _node_runs(self) -> np.ndarray:
        """Runs that the surrogate is made of."""
        return np.flatnonzero(self._roles == NODE)

    def _unfitted(self) -> np.ndarray:
        """Whether each run is none that the surrogate was made of, (runs,)."""
        return self._roles != NODE

    def _bits(self, relative: np.ndarray) -> float:
        """How many bits sizes (columns,) lack to the target, on the mean over the times of a history, added up over the outputs.

        So a few times at which impacts spoil every expansion cannot claim all runs.
        """
        lacking = np.log2(np.maximum(relative / self.settings.target, 1.0))
        return float(sum(lacking[at].mean() for at in self._columns.slices.values()))

    def _add_validation(self, count: int) -> None:
        """So many further validation runs: the first of many are those of few."""
        had, start = int(np.count_nonzero(self._roles == VALIDATION)), len(self._points)
        self._add_random(had + count, VALIDATION)
        keep = np.r_[:start, start + had : len(self._points)]
        self._points, self._roles = self._points[keep], self._roles[keep]

    def _facts(self) -> dict:
        """Further attributes."""
        return {}

    def _plan(self) -> Iterator[bool]:
        yield from self._build()
        self._assess()
        yield from self._run_extremes()
        self._own = len(self._points)
        yield from self._confirm()
        yield from self._search()

    def _confirm(self) -> Iterator[bool]:
        """Further runs of a method's own."""
        yield from ()

    def _sought(self) -> tuple[Sequence[Region] | None, np.ndarray]:
        """Regions in which a search seeks extremes, the whole box if None, and of which columns, bool (regions, columns)."""
        return None, ~self._trusted[None]

    def _fallback(self, sought: np.ndarray) -> int:
        """Number of runs of that search."""
        return self.settings.fallback(self._own) if sought.any() else 0

    def _search(self) -> Iterator[bool]:
        """Where trust is missing: runs that seek the extremes, and fresh ones that say what they missed."""
        settings, d = self.settings, len(self._inputs)
        regions, sought = self._sought()
        count = self._fallback(sought)
        if not count:
            return
        closing = Closing(count, self._columns, d, self._seed, regions, sought, settings.width_tolerance, settings.safety)
        closing.search.begin(self._points, self._values, self._status)
        candidates = closing.search.into(2 * sobol(CANDIDATES, d, generator(self._seed, STREAM - 1)) - 1)
        for chosen, points, region in closing.steps(self._surrogate, candidates):
            first = len(self._points)
            self._add(points, SEARCH if chosen else np.where(region == 0, FALLBACK, OWN))
            yield True
            closing.search.take(self._values[first:], self._status[first:])
        self._closing = closing
        self._assess()

    def _stop_early(self) -> None:
        """Stop between asks when too many runs failed; one of the first five runs is no share yet."""
        if np.count_nonzero(self._status) >= FEW_FAILED:
            self._stop_if_too_many_failed(self.settings)

    def _run_extremes(self) -> Iterator[bool]:
        """Runs at corners where columns that are monotonic in all inputs have their extremes, if the settings want them."""
        if not self.settings.corner_runs:
            return
        left = MOST_CORNERS - int(np.count_nonzero(self._roles == EXTREME))
        corners = self._not_run(extreme_corners(self._monotonic()))[:left]
        if len(corners):
            self._add(corners, EXTREME)
            yield True
            self._assess()

    def _extremes_run(self) -> np.ndarray:
        """Columns that are monotonic in all inputs and of which both corners were run: there runs alone are the bounds; indices."""
        if not self.settings.corner_runs:
            return np.empty(0, int)
        ran = {tuple(point) for point in self._points[self._rows()].tolist() if np.all(np.abs(point) == 1)}
        kinds, kind = np.unique(self._monotonic(), axis=1, return_inverse=True)
        both = [all(tuple(end) in ran for end in (corner, -corner)) for corner in kinds.T.astype(float)]  # 0 is no corner
        return np.flatnonzero(np.array(both)[kind.ravel()])

    def _not_run(self, points: np.ndarray) -> np.ndarray:
        """Those of `points` (n, d) that were not run yet."""
        done = {tuple(point) for point in self._points.tolist()}
        return points[[tuple(point) not in done for point in points.tolist()]]

    def _assess(self) -> None:
        """Surrogate, validated error and trust of every column."""
        self._stop_if_too_many_failed(self.settings)
        self._surrogate = self._expand()
        ok = self._status == 0
        fresh = ok & self._unfitted()
        if not fresh.any():
            raise StudyError(
                "all validation runs failed, so nothing is known about the error of the expansion", remedy=f"{MEND}, or give it more runs"
            )
        self._missed = self._worst(np.flatnonzero(fresh))
        self._error, self._trusted = self._judged(self._missed)
        self._signs = None

    def _judged(self, error: np.ndarray, width: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Error over neighbours and trust of every column; its `width` is that of the band of all runs unless said, (columns,)."""
        settings = self.settings
        bounds = self._envelope(self._counted())
        return trust.assessed(error, self._columns.slices.values(), bounds, settings.trust_tolerance, settings.width_tolerance, width)

    def _counted(self) -> np.ndarray:
        """Runs whose outcomes the bounds have to hold, indices."""
        return np.flatnonzero(self._status == 0)

    def _envelope(self, runs: np.ndarray) -> np.ndarray:
        """What these runs reached, (2, columns)."""
        values = self._values[runs]
        return np.stack([values.min(axis=0), values.max(axis=0)])

    def _worst(self, rows: np.ndarray) -> np.ndarray:
        """Largest error of the surrogate at runs that it was not made of, (columns,)."""
        return np.abs(self._surrogate.evaluate(self._points[rows]) - self._values[rows]).max(axis=0)

    def _checks(self) -> xr.Dataset:
        """What the surrogate says of the runs that it was not made of; nothing where the bounds do not come from it."""
        if not self.bounds_from_surrogate:
            return xr.Dataset()
        rows = np.flatnonzero((self._status == 0) & self._unfitted())
        return checks(self._columns, rows, self._values[rows], self._surrogate.evaluate(self._points[rows]))

    def _scale(self) -> np.ndarray:
        """Range of each output over the runs so far, repeated for its columns, never zero: (columns,)."""
        smallest, largest = self._ranges(self._values[self._status == 0])
        scale = np.maximum(largest - smallest, 1e-9 * np.maximum(abs(smallest), abs(largest)))
        return np.where(scale > 0, scale, 1.0)

    def _monotonic(self) -> np.ndarray:
        """Sign of the slope in each input where it has only one over the box and the column is trusted, else 0: (d, columns)."""
        if self._signs is None:
            self._signs = signs(self._surrogate, self._error, len(self._inputs), closely=self.settings.corner_runs) * self._trusted
        return self._signs

    def result(self) -> Result:
        self._require_finished()
        runs = self._counted()
        inner = self._envelope(runs)
        outer, met = self._bounds(inner)
        columns, ends = self._columns, {"bound": ["lower", "upper"]}
        histories = [name for name, info in columns.outputs.items() if info.history]
        horizons = {name: trust.horizon(outer.trusted[columns.slices[name]], columns.time) for name in histories}
        widths = self._surrogate.main_effect_widths()
        total = widths.sum(axis=0)
        shares = np.divide(widths, total, out=np.zeros_like(widths), where=total > 0)
        sensitivity = columns.dataset(shares[None], {"kind": ["main_effect"], "input": list(self._inputs)}, unit="")
        values = self._values[runs]
        return Result(
            bounds=columns.dataset(outer.bounds, ends),
            inner=columns.dataset(inner, ends),
            error=columns.dataset(outer.error),
            trusted=columns.dataset(outer.trusted, unit=""),
            source=columns.dataset(outer.source, unit=""),
            trust_horizon=xr.Dataset({name: ((), value, {"unit": "s"}) for name, value in horizons.items()}),
            worst=self._at_runs(runs[np.stack([values.argmin(axis=0), values.argmax(axis=0)])]),
            validation=self._checks(),
            statistics=self._statistics(),
            sensitivity=sensitivity,
            attrs=self._attributes(outer, met),
        )

    def _bounds(self, inner: np.ndarray) -> tuple[Outer, float]:
        """Outer bounds, and the share of the trusted columns whose enclosure reached its gap."""
        enclosure, met = np.full_like(inner, np.nan), np.ones(0)
        asked = self._trusted | (True if self._closing is None else ~self._closing.found().trusted)
        if asked.any():
            enclosure[:, asked], met = self._enclosed(np.flatnonzero(asked))
            met = met[self._trusted[asked]]
        at_corners = self._extremes_run()
        enclosure[:, at_corners] = inner[:, at_corners]
        return self._outer(0, enclosure, inner, self._error, self._trusted), float(met.mean()) if met.size else 1.0

    def _outer(self, region: int, enclosure: np.ndarray, inner: np.ndarray, error: np.ndarray, trusted: np.ndarray) -> Outer:
        """The bounds of a region: see `Closing.outer`; without a search the enclosure with what runs reached."""
        if self._closing is not None:
            return self._closing.outer(region, enclosure, inner, error, trusted)
        return Outer(joined(enclosure, inner), error, trusted, np.full(len(error), trust.ENCLOSED, np.int8))

    def _enclosed(self, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Range of the surrogate of some columns, widened by the error, and which of them reached their gap."""
        seen = self._seen(columns)
        width = np.ptp(self._envelope(self._counted())[:, columns] if seen is None else np.stack(seen), axis=0)
        error = self._error[columns]
        gap = np.maximum(self.settings.gap * width, np.where(self._trusted[columns], 0.0, COARSE * error))
        enclosure, met = self._range(columns, gap, seen)
        return enclosure + self.settings.safety * error * np.array([[-1.0], [1.0]]), met

    def _range(
        self,
        columns: np.ndarray,
        gap: np.ndarray,
        seen: Sequence[np.ndarray] | None = None,
        box: np.ndarray | None = None,
        surrogate: Expansion | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Range of the surrogate of some columns, in a part of the box if said, output by output: no output changes another's bounds."""
        surrogate = self._surrogate if surrogate is None else surrogate
        enclosure, met = np.empty((2, len(columns))), np.empty(len(columns), bool)
        for at in self._columns.slices.values():
            some = (columns >= at.start) & (columns < at.stop)
            if some.any():
                part = surrogate.select(columns[some])
                part = part if box is None else restricted(part, box)
                known = None if seen is None else tuple(end[some] for end in seen)
                enclosure[:, some], met[some] = part.range(self.settings.enclosure, gap[some], known)
        return enclosure, met

    def _seen(self, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        """Smallest and largest value of the surrogate at its nodes; None where it does not interpolate its runs."""
        if self._note:
            return None
        nodes = self._values[np.ix_(self._node_runs(), columns)]
        return nodes.min(axis=0), nodes.max(axis=0)

    def _statistics(self) -> xr.Dataset:
        """Statistics of the random runs, when there are fallback runs: uniform over the box, a description, not a distribution."""
        rows = (self._status == 0) & np.isin(self._roles, (VALIDATION, FALLBACK))
        if not np.any(self._roles == FALLBACK):
            return xr.Dataset()
        values = self._values[rows]
        levels = {name: q for name, q in quantiles(values).items() if "_" not in name}
        std = values.std(axis=0, ddof=1) if len(values) > 1 else np.full(values.shape[1], np.nan)
        all_ = {"mean": values.mean(axis=0), "std": std, "min": values.min(axis=0), "max": values.max(axis=0)} | levels
        return self._columns.dataset(np.array(list(all_.values())), {"statistic": list(all_)})

    def _attributes(self, outer: Outer, met: float) -> dict:
        settings = self.settings
        attrs = {
            "method": settings.name,
            "seed": self._seed,
            **self._facts(),
            "enclosure": settings.enclosure,
            "trust_tolerance": settings.trust_tolerance,
            "width_tolerance": settings.width_tolerance,
            "safety": settings.safety,
            "trusted_share": float(outer.trusted.mean()),
            "runs_nodes": int(np.count_nonzero(self._roles == NODE)),
            "runs_validation": int(np.count_nonzero(np.isin(self._roles, (VALIDATION, CORNER)))),
            "runs_fallback": int(np.count_nonzero(np.isin(self._roles, (FALLBACK, SEARCH)))),
            **({} if self._closing is None else self._closing.said(outer, self._values, self._status)),
            **count_failures(self._status),
        }
        if settings.corner_runs:
            attrs["runs_corners"] = int(np.count_nonzero(self._roles == EXTREME))
        attrs["monotonic"] = dict(zip(self._inputs, (self._monotonic() != 0).mean(axis=1).tolist(), strict=True))
        if settings.enclosure == "bernstein":
            attrs |= {"gap": settings.gap, "gap_reached_share": met}
        if self._note:
            attrs["note"] = self._note
        return attrs
