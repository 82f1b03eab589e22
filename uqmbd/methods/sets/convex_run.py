"""The run of a study over convex sets."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from uqmbd.analysis.chebyshev_expansions import Expansion
from uqmbd.analysis.convex_body import Body
from uqmbd.analysis.regions import Region, regions
from uqmbd.analysis.set_bounds import extremes, least_squares, terms_of
from uqmbd.analysis.set_enclosure import enclosed
from uqmbd.methods.base import generator
from uqmbd.methods.intervals.chebyshev_run import ChebyshevRun
from uqmbd.methods.intervals.chebyshev_sparse import SparseRun
from uqmbd.methods.intervals.closing import Outer
from uqmbd.methods.intervals.inclusion_run import CORNER, NODE, VALIDATION, InclusionRun
from uqmbd.methods.sets.convex import body_of

if TYPE_CHECKING:
    from uqmbd.methods.sets.convex import ConvexBounds

CANDIDATES = 4096  # points of the set among which searches begin
_STREAM = 50


class OverSet(InclusionRun):
    """What a convex study changes in a surrogate's run: random runs are in the set, and so are the extremes."""

    settings: ConvexBounds

    @cached_property
    def _body(self) -> Body:
        return body_of(self._inputs)

    def _add_random(self, count: int, role: int) -> None:
        self._add(self._body.sample(generator(self._seed, role).random((count, len(self._inputs)))), role)

    def _confirm(self) -> Iterator[bool]:
        """Places at which the surrogate of scalars has its extremes over the set."""
        scalars = [at.start for name, at in self._columns.slices.items() if not self._columns.outputs[name].history]
        if self.settings.confirm and scalars:
            places = self._extremes(np.array(scalars))[1].reshape(-1, len(self._inputs))
            self._add(np.unique(np.clip(places, -1, 1).round(12), axis=0), CORNER)
            yield True
            self._assess()

    def _sought(self) -> tuple[list[Region], np.ndarray]:
        return regions([np.tile([-1.0, 1.0], (len(self._inputs), 1))], self._body), ~self._trusted[None]

    def _counted(self) -> np.ndarray:
        """Runs in the set that were ok, indices."""
        return np.flatnonzero((self._status == 0) & self._body.contains(self._points))

    def _extremes(self, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Extremes of the surrogate over the set, their places in the box, and whether they are exact; see `extremes`."""
        u = generator(self._seed, _STREAM).random((CANDIDATES, len(self._inputs)))
        return extremes(*terms_of(self._surrogate.select(columns)), self._body, u)

    def _bounds(self, inner: np.ndarray) -> tuple[Outer, float]:
        self._exact, self._verified, self._narrower = 1.0, 1.0, 1.0
        return super()._bounds(inner)

    def _enclosed(self, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Range over the set, widened by the error; that over the box limits it."""
        box, met = super()._enclosed(columns)
        found, places, exact = self._extremes(columns)
        found, verified = self._ends(columns, found, places, exact)
        margin = self.settings.safety * self._error[columns]
        out = np.stack([np.maximum(found[0] - margin, box[0]), np.minimum(found[1] + margin, box[1])])
        if (at := self._trusted[columns]).any():
            wide = np.ptp(box[:, at], axis=0)
            self._exact, self._verified = float(exact[at].mean()), float(verified[at].mean())
            self._narrower = float(np.mean(np.divide(np.ptp(out[:, at], axis=0), wide, out=np.ones_like(wide), where=wide > 0)))
        return out, met

    def _ends(self, columns: np.ndarray, found: np.ndarray, places: np.ndarray, exact: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Ends (2, columns) that are verified where that costs no more than the trusted error, and at which columns both are."""
        rest = np.flatnonzero(~exact)
        if self.settings.enclosure != "bernstein" or not rest.size:
            return found, exact
        exponents, c = terms_of(self._surrogate.select(columns[rest]))
        low, high = found[:, rest]
        gap = np.maximum(self.settings.gap * (high - low), 1e-13 * np.abs(c).sum(axis=0) + np.finfo(float).tiny)
        outer = enclosed(exponents, c, self._body, found[:, rest], places[:, rest], gap)
        near = np.abs(outer - found[:, rest]) <= np.maximum(gap, self.settings.trust_tolerance * (high - low))
        out, verified = found.copy(), exact.copy()
        out[:, rest] = np.where(near, outer, found[:, rest])
        verified[rest] = near.all(axis=0)
        return out, verified

    def _attributes(self, outer: Outer, met: float) -> dict:
        return super()._attributes(outer, met) | {
            "sets": {name: {"inputs": list(item.inputs), "shape": item.shape} for name, item in self._inputs.sets.items()},
            "width_of_box": self._narrower,
            "exact_share": self._exact,
            "verified_share": self._verified,
            "runs_in_set": len(self._counted()),
            "runs_confirm": int(np.count_nonzero(self._roles == CORNER)),
        }


class ConvexRun(OverSet, ChebyshevRun):
    """On a tensor grid over the box."""


class SparseConvexRun(OverSet, SparseRun):
    """On a sparse grid over the box."""

    def _add_validation(self, count: int) -> None:
        """Half of them on the edge of the set, farthest towards corners of the box; errors at these corners are none of the set."""
        signs = generator(self._seed, CORNER).choice([-1.0, 1.0], (4 * (len(self._points) + count), len(self._inputs)))
        ways = signs[np.sort(np.unique(signs, axis=0, return_index=True)[1])]
        edge = self._not_run(self._body.farthest(ways.T).clip(-1, 1))[: count // 2]
        self._add(edge, CORNER)
        InclusionRun._add_validation(self, count - len(edge))


class WithinRun(OverSet):
    """On random points of the set."""

    def _build(self) -> Iterator[bool]:
        nodes = self.settings.fitted_runs(len(self._inputs))
        self._add_random(nodes, NODE)
        self._add_random(self.settings.validation_runs(nodes), VALIDATION)
        yield True

    def _expand(self) -> Expansion:
        runs = self._node_runs()
        ok = runs[self._status[runs] == 0]
        lost = len(runs) - len(ok)
        self._note = f"{lost} of {len(runs)} runs for the fit failed and are left out" if lost else ""
        return least_squares(self._points[ok], self._values[ok], self.settings.total_degree)

    def _bounds(self, inner: np.ndarray) -> tuple[Outer, float]:
        self._note = self._note or "the expansion is fitted to runs in the set, and nothing is said about the rest of the box"
        return super()._bounds(inner)

    def _facts(self) -> dict:
        return {"total_degree": self.settings.total_degree}
