"""What a fitted surrogate is: frozen data that is evaluated, differentiated, bounded and averaged, for many columns at once.

A kind says what it knows exactly; what is here is by a search or by samples, and serves any kind that can be evaluated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import product
from typing import ClassVar, Self

import numpy as np

from uqmbd.analysis.base import magnitude
from uqmbd.analysis.base.descent import searched
from uqmbd.analysis.base.design import sobol_sequence

POINTS = 2**13  # of Sobol' indices, in each block
CANDIDATES, CORNERS = 2**11, 10  # points among which a search for extremes begins; inputs up to which all corners are among them
_LINE, _OTHERS = 33, 128  # points of a main effect, and of the other inputs that are averaged
_STEP = 1e-6  # of differences, in half widths


class Coordinate(Enum):
    """In which points are, by the ends of every input."""

    BOX = (-1.0, 1.0)  # x
    CUBE = (0.0, 1.0)  # u, of the distribution functions


class Fitted:
    """A surrogate of all columns, fitted to runs."""

    coordinate: ClassVar[Coordinate] = Coordinate.BOX
    polynomial: ClassVar[bool] = False  # whether it is one polynomial in Chebyshev's, whose `terms` others work with
    verified: ClassVar[bool] = False  # whether `range` is an enclosure, and `derivative` gives one of the slope; else ranges are searched
    smooth: ClassVar[bool] = True  # whether slopes lead to extremes

    @property
    def inputs(self) -> int:
        """Number of inputs, d."""
        raise NotImplementedError

    @property
    def count(self) -> int:
        """Number of columns."""
        raise NotImplementedError

    @property
    def pieces(self) -> np.ndarray | None:
        """Lower and upper ends of its parts, (parts, 2, d), of one in parts."""
        return None

    def evaluate(self, points: np.ndarray) -> np.ndarray:
        """Values of all columns at `points` (n, d): shape (n, columns)."""
        raise NotImplementedError

    def select(self, columns: np.ndarray | slice) -> Self:
        """The surrogate of some columns."""
        raise NotImplementedError

    def part(self, at: slice) -> Self:
        """That of a block of its columns; itself where that is all of them."""
        return self if at.stop - at.start == self.count else self.select(at)

    def restricted(self, box: np.ndarray) -> Fitted:
        """The same in the coordinates of a smaller box, [-1, 1]^d again; `box` (d, 2) may have sides of width 0."""
        return OnBox(self, box)

    def over_box(self) -> Fitted:
        """The same over [-1, 1]^d."""
        return self if self.coordinate is Coordinate.BOX else OnBox(self, np.tile(self.coordinate.value, (self.inputs, 1)))

    def gradient(self, points: np.ndarray) -> np.ndarray:
        """Slopes in every input at `points` (n, d), per unit of the coordinate: (n, d, columns); by central differences unless known."""
        out = np.empty((len(points), self.inputs, self.count))
        for axis in range(self.inputs):
            step = np.zeros(self.inputs)
            step[axis] = _STEP
            out[:, axis] = (self.evaluate(points + step) - self.evaluate(points - step)) / (2 * _STEP)
        return out

    def derivative(self, axis: int) -> Fitted:
        """Derivative in one input, per unit of [-1, 1], of a kind whose ranges are verified."""
        raise NotImplementedError

    def value_and_slope(self, owner: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Value (n,) and gradient (n, d) of column `owner` (n,) at `x` (n, d)."""
        value, slope = np.empty(len(x)), np.empty(x.shape)
        for column in np.unique(owner):
            here, one = owner == column, self.select(np.array([column]))
            value[here], slope[here] = one.evaluate(x[here])[:, 0], one.gradient(x[here])[:, :, 0]
        return value, slope

    def std(self, points: np.ndarray) -> np.ndarray | None:
        """Standard deviation (n, columns) of the prediction at `points` (n, d); None of a kind that states none."""
        return None

    # over the box ---------------------------------------------------------------------------------------------------------------------
    def range(self, how: str, gap: np.ndarray, seen: Sequence[np.ndarray] | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Range over the cube (2, columns), and whether `gap` was reached: here what a search finds, which says nothing of a gap.

        `how` is a key of `uqmbd.analysis.chebyshev.enclosures.ENCLOSURES`; `seen` values that are known to be taken, 2 x (columns,).
        """
        if self.coordinate is not Coordinate.BOX:
            return self.over_box().range(how, gap, seen)
        ends = self.extremes(2 * sobol(self.inputs, CANDIDATES) - 1)[0]
        if seen is not None:
            ends = np.stack([np.minimum(ends[0], seen[0]), np.maximum(ends[1], seen[1])])
        return ends, np.zeros(self.count, bool)

    def extremes(self, candidates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Smallest and largest value over the cube that a search from the best of points (n, d) finds, (2, columns), and where."""
        if self.inputs <= CORNERS:
            candidates = np.concatenate([candidates, np.array(list(product((-1.0, 1.0), repeat=self.inputs)))])
        return searched(self.value_and_slope, lambda at: self.part(at).evaluate(candidates), self.count, candidates)

    def alike(self, how: str, gap: np.ndarray) -> list[np.ndarray]:
        """Places of columns whose `range` in one call is that of each by itself: here each column."""
        return list(np.arange(self.count)[:, None])

    def main_effect_widths(self) -> np.ndarray:
        """Width of the response to each input alone, the others averaged over the box: shape (d, columns)."""
        others = 2 * sobol_sequence(_OTHERS, self.inputs) - 1
        widths = []
        for axis in range(self.inputs):
            points = np.repeat(others[None], _LINE, axis=0)
            points[:, :, axis] = np.cos(np.linspace(np.pi, 0, _LINE))[:, None]
            values = self.evaluate(points.reshape(-1, self.inputs))
            widths.append(np.ptp(values.reshape(_LINE, _OTHERS, -1).mean(axis=1), axis=0))
        return np.array(widths)

    # over a measure -------------------------------------------------------------------------------------------------------------------
    def moments(self, sample: np.ndarray) -> np.ndarray:
        """Mean, standard deviation and skewness, (3, columns), over a measure from which `sample` (n, d) is."""
        values = self.evaluate(sample)
        size = magnitude.sizes(values)
        mean, std = (values / size).mean(axis=0), (values / size).std(axis=0)
        some = std > 1e-14 * np.abs(mean)
        third = ((values / size - mean) ** 3).mean(axis=0)
        return np.stack([mean * size, std * size, np.divide(third, std**3, out=np.zeros_like(third), where=some)])

    def weights(self) -> np.ndarray:
        """Variances of the columns in proportion to each other, (columns,)."""
        raise NotImplementedError

    def aggregated(self, shares: np.ndarray) -> np.ndarray:
        """Indices `shares` (groups, columns) of one history over all its times, weighted with the variance: (groups,).

        Gamboa, Janon, Klein, Lagnoux, Electron. J. Stat. 8 (2014) 575; Lamboni, Monod, Makowski (2011).
        """
        variance = self.weights()
        total = variance.sum()
        return shares @ variance / total if total > 0 else np.zeros(len(shares))

    def shares(self) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """Sobol' indices, every place in the box equally likely: first order and total (d, columns), and pairs, None where not known.

        From Sobol' points (Sobol' 1993; Jansen 1999).
        """
        d = self.inputs
        u = sobol(2 * d, POINTS)
        a, b = 2 * u[:, :d] - 1, 2 * u[:, d:] - 1
        fa, fb = self.evaluate(a), self.evaluate(b)
        size = magnitude.sizes(fa)
        fa, fb = fa / size, fb / size
        variance = np.concatenate([fa, fb]).var(axis=0)
        first, total = np.zeros((d, fa.shape[1])), np.zeros((d, fa.shape[1]))
        for axis in range(d):
            mixed = a.copy()
            mixed[:, axis] = b[:, axis]
            f = self.evaluate(mixed) / size
            first[axis] = variance - ((fb - f) ** 2).mean(axis=0) / 2
            total[axis] = ((fa - f) ** 2).mean(axis=0) / 2
        some = variance > 0
        first, total = (np.clip(np.divide(part, variance, out=np.zeros_like(part), where=some), 0.0, 1.0) for part in (first, total))
        return first, total, None


@dataclass(frozen=True, eq=False)
class OnBox(Fitted):
    """A surrogate of any kind in the coordinates of a smaller box (d, 2)."""

    whole: Fitted
    box: np.ndarray

    inputs = property(lambda self: self.whole.inputs)
    count = property(lambda self: self.whole.count)

    def _places(self, points: np.ndarray) -> np.ndarray:
        return self.box.mean(axis=1) + np.ptp(self.box, axis=1) / 2 * points

    def evaluate(self, points: np.ndarray) -> np.ndarray:
        return self.whole.evaluate(self._places(points))

    def select(self, columns: np.ndarray | slice) -> OnBox:
        return OnBox(self.whole.select(columns), self.box)

    def gradient(self, points: np.ndarray) -> np.ndarray:
        return self.whole.gradient(self._places(points)) * (np.ptp(self.box, axis=1) / 2)[:, None]

    def value_and_slope(self, owner: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        value, slope = self.whole.value_and_slope(owner, self._places(x))
        return value, slope * (np.ptp(self.box, axis=1) / 2)

    def std(self, points: np.ndarray) -> np.ndarray | None:
        return self.whole.std(self._places(points))


def sobol(d: int, count: int) -> np.ndarray:
    """Scrambled Sobol' points of the unit cube, (count, d), the same ones each time."""
    from scipy.stats import qmc

    return qmc.Sobol(d, scramble=True, seed=0).random(count)  # pyright: ignore[reportCallIssue]
