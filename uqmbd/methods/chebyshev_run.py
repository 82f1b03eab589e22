"""The run of a Chebyshev study: nodes, validation, and random runs where the expansion cannot be trusted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np
import xarray as xr

from uqmbd.analysis import chebyshev, trust
from uqmbd.analysis.enclosures import ENCLOSURES
from uqmbd.analysis.order_statistics import quantiles
from uqmbd.errors import StudyError
from uqmbd.inputs import Input
from uqmbd.methods.base import count_failures
from uqmbd.methods.chebyshev import node_count
from uqmbd.methods.chebyshev_grid import Grid, expansion, growth
from uqmbd.methods.staged import StagedRun
from uqmbd.result import Result
from uqmbd.simulators.base import OutputInfo

if TYPE_CHECKING:
    from uqmbd.methods.chebyshev import Chebyshev

NODE, VALIDATION, FALLBACK = range(3)


class ChebyshevRun(StagedRun):
    """Asks for nodes (in several steps when the degree grows), for validation runs, and for fallback runs if trust is missing."""

    def __init__(
        self, settings: Chebyshev, inputs: Mapping[str, Input], outputs: Mapping[str, OutputInfo], time: np.ndarray, seed: int
    ) -> None:
        super().__init__(inputs, outputs, time, seed)
        self.settings = settings
        self._degrees = settings.first_degrees(inputs)
        self._grid = Grid()

    def _plan(self) -> Iterator[bool]:
        """One step for each ask; a step adds points."""
        self._add_nodes()
        if self.settings.tolerance is None:
            self._add_random(self.settings.validation_runs(node_count(self._degrees)), VALIDATION)
            yield True
        else:
            yield True
            while self._grow():
                self._add_nodes()
                yield True
            self._add_random(self.settings.validation_runs(node_count(self._degrees)), VALIDATION)
            yield True
        self._assess()
        if self.settings.fallback_runs and not self._trusted.all():
            self._add_random(self.settings.fallback_runs, FALLBACK)
            yield True
            self._assess()

    def _add_nodes(self) -> None:
        self._add(self._grid.add(self._degrees, len(self._points)), NODE)

    def _expand(self) -> np.ndarray:
        self._stop_if_too_many_failed(self.settings)
        runs = self._grid.runs(self._degrees)
        return expansion(self._degrees, self._points[runs], self._values[runs], self._status[runs] == 0)

    def _grow(self) -> bool:
        """Raise the degrees if `tolerance` and `max_runs` want it."""
        c = self._expand()
        smallest, largest = self._ranges(self._values[self._status == 0])
        scale = np.maximum(largest - smallest, 1e-9 * np.maximum(abs(smallest), abs(largest)))
        scale = np.where(scale > 0, scale, 1.0)
        tails = np.stack([chebyshev.tail(c, axis) / scale for axis in range(len(self._degrees))])
        budget = self.settings.max_runs
        while self.settings.total_runs(budget) > self.settings.max_runs:
            budget -= self.settings.total_runs(budget) - self.settings.max_runs
        new = growth(self._degrees, tails, self.settings.tolerance, budget)
        if new is None:
            return False
        self._degrees = new
        return True

    def _assess(self) -> None:
        """Expansion, validated error and trust of every column."""
        self._c = self._expand()
        ok = self._status == 0
        fresh = ok & (self._roles != NODE)
        if not fresh.any():
            raise StudyError("all validation runs failed, so nothing is known about the error of the expansion")
        smallest, largest = self._ranges(self._values[ok])
        error = np.abs(chebyshev.evaluate(self._c, self._points[fresh]) - self._values[fresh]).max(axis=0)
        self._error = np.empty_like(error)
        self._trusted = np.empty(len(error), bool)
        for at in self._columns.slices.values():
            self._error[at] = trust.over_neighbours(error[at])
            self._trusted[at] = trust.trusted(self._error[at], smallest[at.start], largest[at.start], self.settings.trust_tolerance)

    def result(self) -> Result:
        self._require_finished()
        values = self._values[self._status == 0]
        inner = np.stack([values.min(axis=0), values.max(axis=0)])
        bounds, met = self._bounds(inner)
        columns, ends = self._columns, {"bound": ["lower", "upper"]}
        histories = [name for name, info in columns.outputs.items() if info.history]
        horizons = {name: trust.horizon(self._trusted[columns.slices[name]], columns.time) for name in histories}
        widths = chebyshev.main_effect_widths(self._c)
        total = widths.sum(axis=0)
        shares = np.divide(widths, total, out=np.zeros_like(widths), where=total > 0)
        sensitivity = columns.dataset(shares[None], {"kind": ["main_effect"], "input": list(self._inputs)}, unit="")
        return Result(
            bounds=columns.dataset(bounds, ends),
            inner=columns.dataset(inner, ends),
            error=columns.dataset(self._error),
            trusted=columns.dataset(self._trusted, unit=""),
            trust_horizon=xr.Dataset({name: ((), value, {"unit": "s"}) for name, value in horizons.items()}),
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
        runs = self._grid.runs(self._degrees)
        runs = runs[self._status[runs] == 0]
        nodes = self._values[np.ix_(runs, trusted)]
        seen = (nodes.min(axis=0), nodes.max(axis=0))
        interpolates = len(runs) == node_count(self._degrees)
        enclose = ENCLOSURES[self.settings.enclosure]
        enclosure, met = enclose(self._c[..., trusted], self.settings.gap * (seen[1] - seen[0]), seen if interpolates else None)
        margin = self.settings.safety * self._error[trusted]
        bounds[0, trusted] = np.minimum(enclosure[0] - margin, inner[0, trusted])
        bounds[1, trusted] = np.maximum(enclosure[1] + margin, inner[1, trusted])
        return bounds, float(met.mean())

    def _statistics(self) -> xr.Dataset:
        """Statistics of the random runs, when there are fallback runs: uniform over the box, a description, not a distribution."""
        rows = (self._status == 0) & (self._roles != NODE)
        if not np.any(self._roles == FALLBACK):
            return xr.Dataset()
        values = self._values[rows]
        levels = {name: q for name, q in quantiles(values).items() if "_" not in name}
        std = values.std(axis=0, ddof=1) if len(values) > 1 else np.full(values.shape[1], np.nan)
        all_ = {"mean": values.mean(axis=0), "std": std, "min": values.min(axis=0), "max": values.max(axis=0)} | levels
        return self._columns.dataset(np.array(list(all_.values())), {"statistic": list(all_)})

    def _attributes(self, met: float) -> dict:
        runs = self._grid.runs(self._degrees)
        lost = int(np.count_nonzero(self._status[runs]))
        settings = self.settings
        attrs = {
            "method": settings.name,
            "seed": self._seed,
            "degrees": [int(degree) for degree in self._degrees],
            "enclosure": settings.enclosure,
            "trust_tolerance": settings.trust_tolerance,
            "safety": settings.safety,
            "trusted_share": float(self._trusted.mean()),
            **{f"runs_{word}": int(np.count_nonzero(self._roles == role)) for role, word in enumerate(("nodes", "validation", "fallback"))},
            **count_failures(self._status),
        }
        if settings.enclosure == "bernstein":
            attrs |= {"gap": settings.gap, "gap_reached_share": met}
        if lost:
            attrs["note"] = f"{lost} of {len(runs)} runs at nodes failed; the expansion is a least-squares fit to the others"
        return attrs
