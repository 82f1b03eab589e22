"""Expansions on the parts of a box that was cut, taken together as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from uqmbd.analysis.base.fitted import Fitted


@dataclass(frozen=True)
class PiecewiseExpansion(Fitted):
    """One expansion for each part of [-1, 1]^d; it may jump from part to part."""

    verified: ClassVar[bool] = True
    smooth: ClassVar[bool] = False

    boxes: np.ndarray  # (parts, 2, d): lower and upper ends of the parts, which fill the cube
    parts: tuple[Any, ...]  # each on its own part, mapped to [-1, 1]^d

    inputs = property(lambda self: self.boxes.shape[2])
    count = property(lambda self: self.parts[0].count)
    pieces = property(lambda self: self.boxes)

    def terms(self) -> tuple[np.ndarray, np.ndarray]:
        """Exponents (terms, d), and coefficients of each part in its own coordinates, (parts, terms, columns)."""
        tables = [part.terms() for part in self.parts]
        return tables[0][0], np.stack([c for _, c in tables])

    def which(self, points: np.ndarray) -> np.ndarray:
        """The part that holds each of `points` (n, d), the first of those that share it: (n,)."""
        part_of = np.full(len(points), -1)
        for i, (lower, upper) in reversed(list(enumerate(self.boxes))):
            part_of[np.all((points >= lower) & (points <= upper), axis=1)] = i
        return part_of

    def evaluate(self, points: np.ndarray) -> np.ndarray:
        which, out = self.which(points), np.empty((len(points), self.parts[0].c.shape[-1]))
        for i in np.unique(which):
            lower, upper = self.boxes[i]
            rows = which == i
            out[rows] = self.parts[i].evaluate(np.clip((2 * points[rows] - lower - upper) / (upper - lower), -1, 1))
        return out

    def select(self, columns: np.ndarray | slice) -> PiecewiseExpansion:
        return PiecewiseExpansion(self.boxes, tuple(part.select(columns) for part in self.parts))

    def range(self, how: str, gap: np.ndarray, seen: Sequence[np.ndarray] | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Union of the parts' ranges. `seen` may be taken in another part, so it bounds nothing here."""
        ranges = [part.range(how, gap) for part in self.parts]
        bounds = np.stack([np.min([b[0] for b, _ in ranges], axis=0), np.max([b[1] for b, _ in ranges], axis=0)])
        return bounds, np.all([met for _, met in ranges], axis=0)

    def restricted(self, box: np.ndarray) -> PiecewiseExpansion:
        """On a box (d, 2) within the cube, in its own coordinates; parts that only touch it are left out unless it has no width there."""
        low, high = box[:, 0], box[:, 1]
        flat, boxes, parts = high == low, [], []
        for (lower, upper), part in zip(self.boxes, self.parts, strict=True):
            start, stop = np.maximum(lower, low), np.minimum(upper, high)
            if np.any(np.where(flat, start > stop, start >= stop)):
                continue
            local = np.stack([2 * start - lower - upper, 2 * stop - lower - upper], axis=1) / (upper - lower)[:, None]
            parts.append(part.restricted(local))
            width = np.where(flat, 1.0, high - low)
            ends = [np.where(flat, -1.0, (2 * start - low - high) / width), np.where(flat, 1.0, (2 * stop - low - high) / width)]
            boxes.append(np.stack(ends))
        return PiecewiseExpansion(np.array(boxes), tuple(parts))

    def derivative(self, axis: int) -> PiecewiseExpansion:
        """Of each part; a jump between parts has none."""
        factor = 2 / (self.boxes[:, 1, axis] - self.boxes[:, 0, axis])
        return PiecewiseExpansion(
            self.boxes, tuple(replace(each := part.derivative(axis), c=f * each.c) for f, part in zip(factor, self.parts, strict=True))
        )
