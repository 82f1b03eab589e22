"""Convex sets over intervals, and intervals in none: a part of the box."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from uqmbd.analysis.base.streams import generator
from uqmbd.analysis.sets.convex_body import Body
from uqmbd.analysis.sets.regions import Region, regions
from uqmbd.analysis.sets.set_bounds import extremes_of
from uqmbd.analysis.sets.set_enclosure import enclosed, outside
from uqmbd.analysis.statistics.trust import Outer
from uqmbd.inputs.space import Space
from uqmbd.regions.base import Box
from uqmbd.surrogates.base import CORNER, Runs

CANDIDATES = 4096  # points of the set among which searches begin
BOXES, MOST_INPUTS = 256, 10  # that cover the set under a piecewise expansion, all together; inputs up to which corners tell what is inside
_STREAM = 50


class ConvexBody(Box):
    """Random runs are in the set, and so are the extremes."""

    def __init__(self, runs: Runs) -> None:
        super().__init__(runs)
        self._body = body_of(runs.inputs)

    def random(self, u: np.ndarray) -> np.ndarray:
        return self._body.sample(u)

    def edge(self, ways: np.ndarray) -> np.ndarray:
        """Errors at corners of the box are none of the set."""
        return self._body.farthest(ways.T).clip(-1, 1)

    def contains(self, points: np.ndarray) -> np.ndarray:
        return self._body.contains(points)

    def confirm(self) -> Iterator[bool]:
        """Places at which the surrogate of scalars has its extremes over the set."""
        runs = self.runs
        scalars = [at.start for name, at in runs.columns.slices.items() if name not in runs.columns.axes]
        if runs.settings.confirm and scalars:
            places = self._extremes(np.array(scalars))[1].reshape(-1, len(runs.inputs))
            runs.add(np.unique(np.clip(places, -1, 1).round(12), axis=0), CORNER)
            yield True
            runs.assess()

    def targets(self) -> tuple[list[Region], np.ndarray]:
        return regions([np.tile([-1.0, 1.0], (len(self.runs.inputs), 1))], self._body), ~self.runs.trusted[None]

    def _extremes(self, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Extremes of the surrogate over the set, their places in the box, and whether they are exact; see `extremes_of`."""
        u = generator(self.runs.seed, _STREAM).random((CANDIDATES, len(self.runs.inputs)))
        return extremes_of(self.runs.expansion.select(columns), self._body, u)

    def bounds(self, inner: np.ndarray) -> tuple[Outer, float]:
        self._exact, self._verified, self._narrower = 1.0, 1.0, 1.0
        return super().bounds(inner)

    def enclosed(self, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Range over the set, widened by the error; that over the box limits it."""
        runs = self.runs
        box, met = super().enclosed(columns)
        if (covered := runs.surrogate.covered(columns, runs.trusted[columns], self)) is not None:
            out, met = covered
            exact, verified = np.zeros(len(columns), bool), np.full(len(columns), runs.settings.enclosure != "scan")
        else:
            ends, places, exact = self._extremes(columns)
            ends, verified = self._ends(columns, ends, places, exact)
            out = ends + runs.settings.safety * runs.error[columns] * np.array([[-1.0], [1.0]])
        out = np.stack([np.maximum(out[0], box[0]), np.minimum(out[1], box[1])])
        if (at := runs.trusted[columns]).any():
            wide = np.ptp(box[:, at], axis=0)
            self._exact, self._verified = float(exact[at].mean()), float(verified[at].mean())
            self._narrower = float(np.mean(np.divide(np.ptp(out[:, at], axis=0), wide, out=np.ones_like(wide), where=wide > 0)))
        return out, met

    def _ends(self, columns: np.ndarray, ends: np.ndarray, places: np.ndarray, exact: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Ends (2, columns) that are verified where that costs no more than the trusted error, and at which columns both are."""
        settings, rest = self.runs.settings, np.flatnonzero(~exact)
        if settings.enclosure != "bernstein" or not rest.size or not self.runs.expansion.polynomial:
            return ends, exact
        exponents, c = self.runs.expansion.select(columns[rest]).terms()
        low, high = ends[:, rest]
        gap = np.maximum(settings.gap * (high - low), 1e-13 * np.abs(c).sum(axis=0) + np.finfo(float).tiny)
        outer = enclosed(exponents, c, self._body, ends[:, rest], places[:, rest], gap)
        near = np.abs(outer - ends[:, rest]) <= np.maximum(gap, settings.trust_tolerance * (high - low))
        out, verified = ends.copy(), exact.copy()
        out[:, rest] = np.where(near, outer, ends[:, rest])
        verified[rest] = near.all(axis=0)
        return out, verified

    def cover(self, boxes: np.ndarray) -> list[list[np.ndarray]]:
        """Boxes (d, 2) within each of the `boxes` (n, d, 2) that together hold its part of the set.

        Those that the surface of the set crosses are halved, the largest first, and halves without a point of the set are left out.
        """
        parts = [(k, box) for k, box in enumerate(boxes) if not outside(box, self._body)]
        whole = []
        while parts and len(parts) + len(whole) < max(BOXES, 2 * len(boxes)):
            sizes = [np.prod(np.ptp(box, axis=1)) for _, box in parts]
            k, box = parts.pop(int(np.argmax(sizes)))
            if self._holds(box):
                whole.append((k, box))
                continue
            axis = int(np.ptp(box, axis=1).argmax())
            for half in (0, 1):
                child = box.copy()
                child[axis, 1 - half] = box[axis].mean()
                if not outside(child, self._body):
                    parts.append((k, child))
        covers = [[] for _ in boxes]
        for k, box in whole + parts:
            covers[k].append(box)
        return covers

    def support(self, slope: np.ndarray, box: np.ndarray) -> np.ndarray:
        """See `Body.linear_bound`."""
        return self._body.linear_bound(slope, box)

    def _holds(self, box: np.ndarray) -> bool:
        """Whether the set certainly holds a box (d, 2): it is convex, so all corners tell."""
        return len(box) <= MOST_INPUTS and bool(self._body.contains(np.array(list(product(*box)))).all())

    def facts(self) -> dict[str, Any]:
        runs = self.runs
        return {
            "sets": {name: {"inputs": list(item.inputs), "shape": item.shape} for name, item in runs.inputs.sets.items()},
            "width_of_box": self._narrower,
            "exact_share": self._exact,
            "verified_share": self._verified,
            "spread": "spread evenly over the set",
            "runs_in_set": len(runs.counted()),
            "runs_confirm": int(np.count_nonzero(runs.roles == CORNER)),
        }


def body_of(space: Space) -> Body:
    """The product of all sets and of the intervals in none, in the coordinates of the box."""
    names = list(space)
    generators, blocks = np.eye(len(names)), []
    for item in space.sets.values():
        at = tuple(names.index(name) for name in item.inputs)
        generators[np.ix_(at, at)] = item.generators
        blocks.append((at, item.shape == "ellipsoid"))
    free = tuple(names.index(name) for name in space.free)
    return Body(generators, tuple(blocks) + (((free, False),) if free else ()))
