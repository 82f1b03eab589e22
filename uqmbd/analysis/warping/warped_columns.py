"""All columns of a study where some histories have warped surrogates: statistics by sampling, in the terms of `expansion.Expansion`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np

from uqmbd.analysis.base import magnitude
from uqmbd.analysis.base.fitted import Coordinate, Fitted
from uqmbd.analysis.chaos.expansion import Expansion
from uqmbd.analysis.sensitivity import pick_freeze
from uqmbd.analysis.warping.warped_history import WarpedHistory

KINDS = ("first", "total", "second")
_PART = 200  # times of which many values are held at once
_MOVES = 3  # rounds
_STRETCHES = 1.1, 2.0  # of the box, for the halves of a sample: a tenth and a half of all coordinates then lie on its faces


def _range(history: WarpedHistory, u: np.ndarray, times: np.ndarray, box: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Smallest and largest value at the points `u` (n, d) and what moves from there to faces of the box (2, d) find: 2 x (times,)."""
    d = u.shape[1]
    ends, best, points = [np.full(len(times), np.inf), np.full(len(times), -np.inf)], np.empty((2, len(times), d)), u
    for step in range(1 + _MOVES):
        if step:
            points = np.repeat(np.unique(best.reshape(-1, d), axis=0), 2 * d, axis=0)
            coordinate = np.arange(len(points)) % (2 * d)
            points[np.arange(len(points)), coordinate // 2] = box[coordinate % 2, coordinate // 2]
        values = history.evaluate(points, times)
        for which, (rows, beats) in enumerate([(values.argmin(axis=0), np.less), (values.argmax(axis=0), np.greater)]):
            reached = values[rows, np.arange(len(times))]
            better = beats(reached, ends[which])
            ends[which][better], best[which, better] = reached[better], points[rows[better]]
    return ends[0], ends[1]


@dataclass(frozen=True, eq=False)
class WarpedColumns(Fitted):
    """A surrogate of all columns: warped for some histories, an expansion for everything else."""

    coordinate: ClassVar[Coordinate] = Coordinate.CUBE

    plain: Expansion  # of all columns; those of warped histories are not used
    histories: Sequence[tuple[slice, WarpedHistory]]
    sample: np.ndarray  # (n, d): points of the unit cube, uniform, from which moments and quantiles of warped columns are taken
    blocks: np.ndarray  # (b * layout.length, d): pick-freeze points for Sobol' indices, of the layout with second order
    at: np.ndarray  # int: the columns that are meant
    root: WarpedColumns | None = field(default=None, repr=False)  # of all columns, which keeps what was computed; None on itself

    inputs = property(lambda self: self.plain.inputs)
    count = property(lambda self: len(self.at))

    @property
    def indices(self) -> np.ndarray:
        """Multi-indices of the plain part."""
        return self.plain.indices

    def select(self, at: slice | np.ndarray) -> WarpedColumns:
        """The surrogate of some columns."""
        return WarpedColumns(self.plain, self.histories, self.sample, self.blocks, self.at[at], self.root or self)

    def _parts(self) -> tuple[list[tuple[np.ndarray, WarpedHistory, np.ndarray]], np.ndarray]:
        """Places in `at`, surrogate and times of each warped history; places of everything else."""
        parts, rest = [], np.ones(len(self.at), bool)
        for columns, history in self.histories:
            places = np.flatnonzero((self.at >= columns.start) & (self.at < columns.stop))
            rest[places] = False
            if places.size:
                parts.append((places, history, self.at[places] - columns.start))
        return parts, np.flatnonzero(rest)

    def evaluate(self, u: np.ndarray) -> np.ndarray:
        """Values of all columns at points `u` (n, d) of the unit cube: shape (n, columns)."""
        out = np.empty((len(u), len(self.at)))
        parts, rest = self._parts()
        for places, history, times in parts:
            out[:, places] = history.evaluate(u, times)
        if rest.size:
            out[:, rest] = self.plain.select(self.at[rest]).evaluate(u)
        return out

    def _sampled(self, u: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Places of warped columns, and their values (part, n) at points `u`."""
        for places, history, times in self._parts()[0]:
            start = 0
            for values in history.sampled(u, times):
                yield places[start : start + len(values)], values
                start += len(values)

    @cached_property
    def _moments(self) -> np.ndarray:
        """Mean, standard deviation and skewness of all columns, (3, columns)."""
        out = np.empty((3, len(self.at)))
        _, rest = self._parts()
        if rest.size:
            out[:, rest] = self.plain.select(self.at[rest]).moments(self.sample)
        for places, values in self._sampled(self.sample):
            size = magnitude.sizes(values.T)
            values = values / size[:, None]
            mean = values.mean(axis=1)
            away = values - mean[:, None]
            variance = np.einsum("cn,cn->c", away, away) / values.shape[1]
            third = np.einsum("cn,cn,cn->c", away, away, away) / values.shape[1]
            some = variance > (1e-14 * np.abs(mean)) ** 2
            out[:, places] = mean * size, np.sqrt(variance) * size, np.divide(third, variance**1.5, out=np.zeros_like(third), where=some)
        return out

    def moments(self, sample: np.ndarray | None = None) -> np.ndarray:
        """Of warped columns from the surrogate's own sample."""
        return (self.root or self)._moments[:, self.at]

    def weights(self) -> np.ndarray:
        """As `Expansion.weights`."""
        std = self.moments()[1]
        size = magnitude.sizes(std[None])
        return (std / size) ** 2 * magnitude.in_one_unit(size)

    def quantiles(self, levels: Sequence[float], u: np.ndarray) -> np.ndarray:
        """Quantiles, (levels, columns), of plain columns at the points `u` (n, d) of the unit cube; of warped ones from the own sample."""
        out = np.empty((len(levels), len(self.at)))
        _, rest = self._parts()
        if rest.size:
            out[:, rest] = self.plain.select(self.at[rest]).quantiles(levels, u)
        for places, values in self._sampled(self.sample):
            out[:, places] = np.quantile(values, levels, axis=1, overwrite_input=True, method="hazen")
        return out

    def range_from(self, u: np.ndarray, box: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Smallest and largest value at points `u` (n, d), which are moved outwards so that many lie on faces and corners: 2 x (columns,).

        Sampled, so from inside; not an enclosure. From the extreme points of warped columns, single coordinates are then moved to faces.
        The points stand for the unit cube, or are moved into the `box` (2, d) in it.
        """
        stretch = np.where(np.arange(len(u)) < len(u) // 2, *_STRETCHES)[:, None]
        u = np.clip(0.5 + stretch * (u - 0.5), 0, 1)
        if box is None:
            box = np.stack([np.zeros(u.shape[1]), np.ones(u.shape[1])])
        else:
            u = box[0] + u * (box[1] - box[0])
        lower, upper = np.empty(len(self.at)), np.empty(len(self.at))
        _, rest = self._parts()
        if rest.size:
            values = self.plain.select(self.at[rest]).evaluate(u)
            lower[rest], upper[rest] = values.min(axis=0), values.max(axis=0)
        for places, history, times in self._parts()[0]:
            for i in range(0, len(times), _PART):
                part = places[i : i + _PART]
                lower[part], upper[part] = _range(history, u, times[i : i + _PART], box)
        return lower, upper

    @cached_property
    def _shares(self) -> tuple[np.ndarray, ...]:
        """First order, total and pairs, (..., columns)."""
        d = self.sample.shape[1]
        layout = pick_freeze.Layout(d, second=True)
        out = tuple(np.zeros((size, len(self.at))) for size in (d, d, len(layout.couples)))
        parts, rest = self._parts()
        if rest.size:
            for array, shares in zip(out, self.plain.select(self.at[rest]).shares(), strict=True):
                array[:, rest] = shares
        for places, history, times in parts:
            for i in range(0, len(times), _PART):
                values = history.evaluate(self.blocks, times[i : i + _PART])
                values = values.reshape(-1, layout.length, values.shape[1])
                sums = pick_freeze.Sums.empty(layout, 1, values.shape[2])
                sums.merge(0, *pick_freeze.sums_of(layout, values), layout)
                shares = pick_freeze.Estimator(layout, sums).indices().shares()
                for array, kind in zip(out, KINDS, strict=True):
                    if kind in shares:
                        array[:, places[i : i + _PART]] = shares[kind]
        return out

    def shares(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        first, total, second = (each[:, self.at] for each in (self.root or self)._shares)
        return first, total, second


@dataclass(frozen=True, eq=False)
class InBox(Fitted):
    """The same over a box (d, 2) of [-1, 1]^d, in the box's coordinates; its range is that at the `points` (n, d) of the unit cube."""

    whole: WarpedColumns
    points: np.ndarray
    box: np.ndarray

    inputs = property(lambda self: self.whole.inputs)
    count = property(lambda self: self.whole.count)

    def evaluate(self, points: np.ndarray) -> np.ndarray:
        return self.whole.evaluate((self.box.mean(axis=1) + np.ptp(self.box, axis=1) / 2 * points + 1) / 2)

    def select(self, columns: np.ndarray | slice) -> InBox:
        return InBox(self.whole.select(columns), self.points, self.box)

    def restricted(self, box: np.ndarray) -> InBox:
        return InBox(self.whole, self.points, self.box.mean(axis=1)[:, None] + np.ptp(self.box, axis=1)[:, None] / 2 * box)

    def range(self, how: str, gap: np.ndarray, seen: Sequence[np.ndarray] | None = None) -> tuple[np.ndarray, np.ndarray]:
        return np.stack(self.whole.range_from(self.points, (self.box.T + 1) / 2)), np.zeros(self.count, bool)
