"""Where intervals can be: boxes, convex sets in them, and both cut down to a level of membership."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from uqmbd.analysis.base.design import sobol_sequence
from uqmbd.analysis.sets.alpha_cuts import inside
from uqmbd.analysis.sets.convex_body import Body

CORNERS = 6  # intervals up to which all corners are candidates


@dataclass(frozen=True, eq=False)
class Region:
    """Points ``x = m + h (G w)`` of the box [-1, 1]^d, with w in a product of unit balls and cubes."""

    box: np.ndarray  # (d, 2): ``m ± h``; sides may have no width. Those of inputs in a set are whole, [-1, 1]
    body: Body  # the set in the coordinates in which the box is [-1, 1]^d; a cube where there is none

    @property
    def wide(self) -> np.ndarray:
        """Inputs that are not fixed in this region, bool (d,)."""
        return np.ptp(self.box, axis=1) > 0

    @property
    def bound(self) -> bool:
        """Whether there is a set, so that the region is less than its box."""
        return any(ball for _, ball in self.body.blocks) or not np.array_equal(self.body.generators, np.eye(len(self.box)))

    @property
    def round(self) -> bool:
        """Whether a part of the surface is curved."""
        return any(ball for _, ball in self.body.blocks)

    def points(self, w: np.ndarray) -> np.ndarray:
        """x of w, (n, d) both."""
        return np.clip(self.box.mean(axis=1) + np.ptp(self.box, axis=1) / 2 * (w @ self.body.generators.T), -1, 1)

    def places(self, x: np.ndarray) -> np.ndarray:
        """w of x, (n, d) both; 0 in inputs that are fixed."""
        half = np.ptp(self.box, axis=1) / 2
        inner = np.divide(x - self.box.mean(axis=1), half, out=np.zeros_like(x), where=half > 0)
        return self.body.project(np.linalg.solve(self.body.generators, inner.T).T)

    def sample(self, u: np.ndarray) -> np.ndarray:
        """Points x, uniformly distributed, from points `u` of the unit cube, (n, d) both."""
        return self.points(self.body.places(u))

    def contains(self, x: np.ndarray) -> np.ndarray:
        """Which of the points `x` (n, d) are in the region, (n,)."""
        return inside(x, self.box) & self.body.contains(x)

    def candidates(self, count: int) -> np.ndarray:
        """Places w (n, d) from which searches begin: those of a box, pulled to the centre of each set until they are in it."""
        return np.unique(np.where(self.wide, self.body.project(candidates(len(self.box), count)), 0.0), axis=0)


def regions(boxes: Sequence[np.ndarray], body: Body) -> list[Region]:
    """One for each box (d, 2)."""
    return [Region(np.asarray(box, float), body) for box in boxes]


def candidates(d: int, count: int) -> np.ndarray:
    """Points of the box [-1, 1]^d: centre, corners (of up to `CORNERS` inputs), centres of faces, and at least `count` Sobol' points."""
    faces = np.concatenate([np.eye(d), -np.eye(d)])
    corners = np.array(list(product((-1.0, 1.0), repeat=d))) if d <= CORNERS else np.array([np.full(d, -1.0), np.ones(d)])
    filling = -np.cos(np.pi * sobol_sequence(1 << max(count - 1, 1).bit_length(), d))
    return np.unique(np.concatenate([np.zeros((1, d)), faces, corners, filling]), axis=0)
