"""Runs of the methods that bound a response by a surrogate: nodes, validation, corners, and random runs where trust is missing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

import numpy as np
import xarray as xr

from uqmbd.analysis import trust
from uqmbd.analysis.chebyshev_expansions import Expansion
from uqmbd.analysis.monotonicity import extreme_corners, signs
from uqmbd.analysis.order_statistics import quantiles
from uqmbd.errors import StudyError
from uqmbd.inputs import Input
from uqmbd.methods.base import count_failures
from uqmbd.methods.checks import checks
from uqmbd.methods.failures import MEND
from uqmbd.methods.intervals.inclusion import MOST_CORNERS, Inclusion
from uqmbd.methods.staged import StagedRun
from uqmbd.result import Result
from uqmbd.simulators.base import OutputInfo

NODE, VALIDATION, FALLBACK, CORNER, EXTREME = range(5)  # CORNER: validation at corners; EXTREME: where monotonic columns have their ends
FEW_FAILED = 3


class InclusionRun(StagedRun):
    """A method writes `_build`, which asks for nodes and validation runs, and `_expand`, which makes the surrogate of them."""

    bounds_from_surrogate: ClassVar[bool] = True

    def __init__(
        self, settings: Inclusion, inputs: Mapping[str, Input], outputs: Mapping[str, OutputInfo], time: np.ndarray, seed: int
    ) -> None:
        super().__init__(inputs, outputs, time, seed)
        self.settings = settings
        self._note = ""

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
        if (count := self.settings.fallback(self._own)) and not self._trusted.all():
            self._add_random(count, FALLBACK)
            yield True
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
        smallest, largest = self._ranges(self._values[ok])
        error = self._worst(np.flatnonzero(fresh))
        slices = self._columns.slices.values()
        self._error, self._trusted = trust.assessed(error, slices, smallest, largest, self.settings.trust_tolerance)
        self._signs = None

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
        values = self._values[self._status == 0]
        inner = np.stack([values.min(axis=0), values.max(axis=0)])
        bounds, met = self._bounds(inner)
        columns, ends = self._columns, {"bound": ["lower", "upper"]}
        histories = [name for name, info in columns.outputs.items() if info.history]
        horizons = {name: trust.horizon(self._trusted[columns.slices[name]], columns.time) for name in histories}
        widths = self._surrogate.main_effect_widths()
        total = widths.sum(axis=0)
        shares = np.divide(widths, total, out=np.zeros_like(widths), where=total > 0)
        sensitivity = columns.dataset(shares[None], {"kind": ["main_effect"], "input": list(self._inputs)}, unit="")
        return Result(
            bounds=columns.dataset(bounds, ends),
            inner=columns.dataset(inner, ends),
            error=columns.dataset(self._error),
            trusted=columns.dataset(self._trusted, unit=""),
            trust_horizon=xr.Dataset({name: ((), value, {"unit": "s"}) for name, value in horizons.items()}),
            validation=self._checks(),
            statistics=self._statistics(),
            sensitivity=sensitivity,
            attrs=self._attributes(met),
        )

    def _bounds(self, inner: np.ndarray) -> tuple[np.ndarray, float]:
        """Outer bounds (2, columns), and the share of the trusted columns whose enclosure reached its gap."""
        bounds = inner.copy()
        trusted = np.flatnonzero(self._trusted)
        if not trusted.size:
            return bounds, 1.0
        part = self._surrogate.select(trusted)
        seen = self._seen(trusted)
        width = (inner[1] - inner[0])[trusted] if seen is None else seen[1] - seen[0]
        enclosure, met = part.range(self.settings.enclosure, self.settings.gap * width, seen)
        margin = self.settings.safety * self._error[trusted]
        bounds[0, trusted] = np.minimum(enclosure[0] - margin, inner[0, trusted])
        bounds[1, trusted] = np.maximum(enclosure[1] + margin, inner[1, trusted])
        at_corners = self._extremes_run()
        bounds[:, at_corners] = inner[:, at_corners]
        return bounds, float(met.mean())

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

    def _attributes(self, met: float) -> dict:
        settings = self.settings
        attrs = {
            "method": settings.name,
            "seed": self._seed,
            **self._facts(),
            "enclosure": settings.enclosure,
            "trust_tolerance": settings.trust_tolerance,
            "safety": settings.safety,
            "trusted_share": float(self._trusted.mean()),
            "runs_nodes": int(np.count_nonzero(self._roles == NODE)),
            "runs_validation": int(np.count_nonzero(np.isin(self._roles, (VALIDATION, CORNER)))),
            "runs_fallback": int(np.count_nonzero(self._roles == FALLBACK)),
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
