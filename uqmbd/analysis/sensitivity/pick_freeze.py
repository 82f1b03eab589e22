"""Sobol' indices from pick-freeze runs, for many columns (outputs and times) at once, from running sums.

A block is the runs A, AB_1 ... AB_d, [BA_1 ... BA_d,] B: A and B are independent points, AB_j is A with the input j of B, BA_j is B with
the input j of A. Estimators (as in SALib): first order ``E[(B - m)(AB_j - A)] / V`` (Saltelli et al., Comput. Phys. Commun. 181 (2010)
259; m is the mean of all runs), total order ``E[(A - AB_j)²] / 2V`` (Jansen 1999), second order
``E[(BA_j - m)(AB_k - m) - (A - m)(B - m)] / V`` less both first orders (Saltelli 2002), V the variance of all A and B.

All of them follow from means and co-moments about the mean, which merge without loss (Chan, Golub, LeVeque 1983), so histories need not be
kept. The sums are kept for groups of blocks; resampling groups gives confidence limits.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from operator import add

import numpy as np

from uqmbd.analysis.base import magnitude

_CHUNK = 500  # columns resampled at a time


@dataclass(frozen=True)
class Layout:
    """What a block of `d` inputs holds."""

    d: int
    second: bool = False  # whether it has the runs BA_j, which second order needs

    @property
    def length(self) -> int:
        """Runs in a block."""
        return (2 if self.second else 1) * self.d + 2

    @property
    def variables(self) -> int:
        """A, B, ``D_j = AB_j - A``, and for second order AB_j and BA_j."""
        return 2 + (3 if self.second else 1) * self.d

    @property
    def couples(self) -> list[tuple[int, int]]:
        """Pairs of inputs, in the order of second-order indices."""
        return list(combinations(range(self.d), 2))

    @property
    def products(self) -> tuple[np.ndarray, np.ndarray]:
        """The two variables of each co-moment: AA, BB, D_j D_j, B D_j, and for second order AB and BA_j AB_k."""
        d, step = self.d, np.arange(2, 2 + self.d)
        first = [np.array([0, 1]), step, np.ones(d, int)]
        second = [np.array([0, 1]), step, step]
        if self.second:
            j, k = np.array(self.couples, int).reshape(-1, 2).T
            first += [np.array([0]), 2 + 2 * d + j]
            second += [np.array([1]), 2 + d + k]
        return np.concatenate(first), np.concatenate(second)

    def of_blocks(self, values: np.ndarray) -> np.ndarray:
        """Variables (blocks, variables, columns) of the runs `values` (blocks, length, columns)."""
        d = self.d
        a, b, ab = values[:, :1], values[:, -1:], values[:, 1 : d + 1]
        parts = [a, b, ab - a]
        if self.second:
            parts += [ab, values[:, d + 1 : 2 * d + 1]]
        return np.concatenate(parts, axis=1)


@dataclass
class Sums:
    """Means and co-moments of groups of blocks."""

    count: np.ndarray  # (groups,): blocks in each
    mean: np.ndarray  # (groups, variables, columns)
    moment: np.ndarray  # (groups, products, columns): sums of products of deviations from the group's means
    size: np.ndarray  # (columns,): unit of the means, and squared of the moments; 0 of a column in which there is nothing but zeros so far

    @property
    def unit(self) -> np.ndarray:
        """The size, 1 where there is none yet, (columns,)."""
        return np.where(self.size > 0, self.size, 1.0)

    def of_columns(self, at: slice) -> Sums:
        """The sums of some columns."""
        return Sums(self.count, self.mean[..., at], self.moment[..., at], self.size[at])

    @classmethod
    def empty(cls, layout: Layout, groups: int, columns: int) -> Sums:
        """Of no blocks."""
        means, moments = ((groups, rows, columns) for rows in (layout.variables, len(layout.products[0])))
        return cls(np.zeros(groups), np.zeros(means), np.zeros(moments), np.zeros(columns))

    @classmethod
    def single(cls, layout: Layout, values: np.ndarray) -> Sums:
        """Every block a group of its own; `values` (blocks, length, columns)."""
        size = magnitude.sizes(values)
        mean = layout.of_blocks(values / size)
        none = np.broadcast_to(0.0, (len(values), len(layout.products[0]), values.shape[-1]))
        return cls(np.ones(len(values)), mean, none, size)

    @classmethod
    def grouped(cls, layout: Layout, values: np.ndarray, most: int) -> Sums:
        """Every block a group of its own, or where they are more than `most` neighbouring blocks together, in so many groups."""
        if len(values) <= most:
            return cls.single(layout, values)
        sums = cls.empty(layout, most, values.shape[-1])
        for group, part in enumerate(np.array_split(values, most)):
            sums.merge(group, *sums_of(layout, part), layout)
        return sums

    def merge(self, group: int, count: float, mean: np.ndarray, moment: np.ndarray, size: np.ndarray, layout: Layout) -> None:
        """Take the sums of `count` more blocks, in their `size` (columns,), into a group."""
        if not count:
            return
        if np.any(size != self.size):
            largest = np.maximum(size, self.size)
            own, theirs = (part / np.where(largest > 0, largest, 1.0) for part in (self.size, size))
            self.mean *= own
            self.moment *= own**2
            mean, moment, self.size = mean * theirs, moment * theirs**2, largest
        total = self.count[group] + count
        p, q = layout.products
        step = mean - self.mean[group]
        self.moment[group] += moment + (self.count[group] * count / total) * step[p] * step[q]
        self.mean[group] += (count / total) * step
        self.count[group] = total


def sums_of(layout: Layout, values: np.ndarray) -> tuple[int, np.ndarray, np.ndarray, np.ndarray]:
    """Count, means (variables, columns) and co-moments (products, columns) of the blocks `values` (blocks, length, columns), and size."""
    largest = magnitude.largest(values)
    size = magnitude.size_of(largest)
    x = layout.of_blocks(values / size if np.any(size != 1) else values)
    mean = x.mean(axis=0)
    x = x - mean
    moment = np.stack([np.einsum("nc,nc->c", x[:, p], x[:, q]) for p, q in zip(*layout.products, strict=True)])
    return len(values), mean, moment, np.where(largest > 0, size, 0.0)


@dataclass
class Indices:
    """Parts of the variance: of each column (..., columns), with leading dimensions of resamples."""

    first: np.ndarray  # (..., d, columns)
    total: np.ndarray  # (..., d, columns)
    second: np.ndarray  # (..., couples, columns): empty when the layout has none
    variance: np.ndarray  # (..., columns)

    def shares(self) -> dict[str, np.ndarray]:
        """Indices by kind; 0 where nothing varies."""
        v = self.variance[..., None, :]
        parts = {"first": self.first, "total": self.total, "second": self.second}
        return {kind: np.divide(part, v, out=np.zeros_like(part), where=v > 0) for kind, part in parts.items()}

    def aggregated(self, weights: np.ndarray) -> Indices:
        """Over all columns, weighted with the variance (Gamboa, Janon, Klein, Lagnoux 2014), of one unit by `weights` (columns,)."""
        parts = self.first, self.total, self.second, self.variance
        return Indices(*((part * weights).sum(axis=-1, keepdims=True) for part in parts))

    def __add__(self, other: Indices) -> Indices:
        return Indices(self.first + other.first, self.total + other.total, self.second + other.second, self.variance + other.variance)


class Estimator:
    """Indices of a set of columns from sums, for all groups or resamples of them.

    Sums are taken about the mean over all groups, so that nothing cancels.
    """

    def __init__(self, layout: Layout, sums: Sums) -> None:
        self.layout = layout
        self.count = sums.count
        total = sums.count.sum()
        p, q = layout.products
        self.shift = np.tensordot(sums.count, sums.mean, axes=(0, 0)) / total  # (variables, columns)
        away = sums.mean - self.shift
        self.first_moment = sums.count[:, None, None] * away
        self.second_moment = sums.moment + sums.count[:, None, None] * away[:, p] * away[:, q]
        d = layout.d
        runs = [self.shift[0], self.shift[1], *(self.shift[0] + self.shift[2 : d + 2])]
        runs += list(self.shift[2 + 2 * d :]) if layout.second else []
        self.middle = np.mean(runs, axis=0)  # mean of all runs
        size = np.abs(self.shift[:2]).max(axis=0)
        self.rounding = (16 * np.finfo(float).eps * size) ** 2

    def indices(self, weights: np.ndarray | None = None) -> Indices:
        """Of all groups, or for each row of `weights` (resamples, groups), which says how often each group is drawn."""
        weights = np.ones((1, len(self.count))) if weights is None else weights
        n = (weights @ self.count)[:, None, None]
        away = np.tensordot(weights, self.first_moment, axes=(1, 0)) / n
        square = np.tensordot(weights, self.second_moment, axes=(1, 0)) / n
        d = self.layout.d
        a, b = (self.shift[i] - self.middle + away[:, i] for i in (0, 1))  # means about the middle
        step = self.shift[2 : d + 2] + away[:, 2 : d + 2]
        var_a, var_b = square[:, 0] - away[:, 0] ** 2, square[:, 1] - away[:, 1] ** 2
        variance = (var_a + var_b) / 2 + ((a - b) / 2) ** 2
        variance = np.where(variance > self.rounding, variance, 0.0)
        covariance = square[:, 2 + d : 2 + 2 * d] - away[:, 1:2] * away[:, 2 : d + 2]
        first = covariance + b[:, None] * step
        total = (square[:, 2 : d + 2] - away[:, 2 : d + 2] ** 2 + step**2) / 2
        second = np.zeros((len(weights), 0, variance.shape[-1]))
        if self.layout.second:
            j, k = np.array(self.layout.couples, int).reshape(-1, 2).T
            p, q = 2 + 2 * d + j, 2 + d + k
            both = square[:, 3 + 2 * d :] - away[:, p] * away[:, q]
            both += (self.shift[p] - self.middle + away[:, p]) * (self.shift[q] - self.middle + away[:, q])
            alone = square[:, 2 + 2 * d] - away[:, 0] * away[:, 1] + a * b
            second = both - alone[:, None] - first[:, j] - first[:, k]
        indices = Indices(first, total, second, variance)
        return indices if len(weights) > 1 else Indices(*(part[0] for part in (first, total, second, variance)))


def half_widths(layout: Layout, sums: Sums, weights: np.ndarray, factor: float) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Half the confidence intervals of the indices of each column, and of those aggregated over the columns.

    By kind, (d or couples, columns) and (d or couples, 1): `factor` times the standard deviation over the resamples, in which each group is
    drawn as often as `weights` (resamples, groups) say.
    """
    columns, weights_of_columns = sums.mean.shape[-1], magnitude.in_one_unit(sums.unit)
    parts, pooled = [], []
    for start in range(0, columns, _CHUNK):
        at = slice(start, start + _CHUNK)
        resampled = Estimator(layout, sums.of_columns(at)).indices(weights)
        parts.append({kind: share.std(axis=0, ddof=1) for kind, share in resampled.shares().items()})
        pooled.append(resampled.aggregated(weights_of_columns[at]))
    each = {kind: factor * np.concatenate([part[kind] for part in parts], axis=-1) for kind in parts[0]}
    return each, {kind: factor * share.std(axis=0, ddof=1) for kind, share in reduce(add, pooled).shares().items()}


def draws(groups: int, resamples: int, rng: np.random.Generator) -> np.ndarray:
    """How often each group is drawn in each resample, (resamples, groups)."""
    return rng.multinomial(groups, np.full(groups, 1 / groups), size=resamples).astype(float)


def widening(groups: int, confidence: float) -> float:
    """Factor from the standard deviation over resamples to half a confidence interval: Student's t, and what few groups lose."""
    from scipy.stats import t

    return float(t.ppf((1 + confidence) / 2, groups - 1) * np.sqrt(groups / (groups - 1))) if groups > 1 else np.inf
