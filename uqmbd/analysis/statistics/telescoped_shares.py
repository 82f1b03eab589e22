"""Distribution functions and quantiles by levels: shares of neighbouring levels below a value, and where their sum passes a probability."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np

from uqmbd.analysis.statistics.telescoping import quantile_of_sum, rates, remaining_bias

MOST_PLACES = 20_000  # places at which a distribution function is looked at
FEW_PLACES = 1_000  # the same of each time of a history
ADDED = 2.0  # to hits and misses each, before their variance is taken (Agresti and Coull, The American Statistician 52 (1998) 119)


@dataclass(frozen=True)
class SortedPairs:
    """Values of one output at each level, and those of the level below on the same inputs, so that shares at any place are counted fast.

    Attributes
    ----------
    fine, coarse, larger : tuple of ndarray
        Of each level, sorted: values, those of the level below, and the larger one of each pair; the last two empty of the first level.
    most : int
        Places at which the distribution function is looked at, at most.
    """

    fine: tuple[np.ndarray, ...]
    coarse: tuple[np.ndarray, ...]
    larger: tuple[np.ndarray, ...]
    most: int = MOST_PLACES

    @classmethod
    def of(cls, pairs: Sequence[tuple[np.ndarray, np.ndarray | None]], most: int = MOST_PLACES) -> Self:
        """From the values (n,) of each level, and those of the level below, None of the first."""
        none = np.empty(0)
        below = [(none, none) if c is None else (np.sort(c), np.sort(np.maximum(f, c))) for f, c in pairs]
        return cls(tuple(np.sort(f) for f, _ in pairs), tuple(c for c, _ in below), tuple(m for _, m in below), most)

    @property
    def count(self) -> np.ndarray:
        """Pairs of each level, (levels,)."""
        return np.array([len(part) for part in self.fine])

    def shares(self, places: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What the shares at most `places` (n,) of neighbouring levels differ by: means, variances of one pair, skewness, (levels, n) each.

        A difference is -1, 0 or 1. Its variance is that with two more hits and two more misses, so that it is nothing nowhere, also where
        no pair of those so far differs.
        """
        found = np.empty((3, len(self.fine), len(places)))
        for k, (fine, coarse, larger) in enumerate(zip(self.fine, self.coarse, self.larger, strict=True)):
            n, both = len(fine), np.searchsorted(larger, places, side="right")
            up = np.searchsorted(fine, places, side="right") - both
            down = np.searchsorted(coarse, places, side="right") - both
            mean = (up - down) / n
            share = (up + down + ADDED) / (n + 2 * ADDED)
            variance = share - ((up - down) / (n + 2 * ADDED)) ** 2 if len(coarse) else share * (1 - share)
            variance = np.maximum(variance, (up + down) / n - mean**2)
            third = mean - 3 * mean * (up + down) / n + 2 * mean**3
            found[:, k] = mean, variance, third / variance**1.5
        return found[0], found[1], found[2]

    @cached_property
    def places(self) -> np.ndarray:
        """All values in ascending order, or as many of them as are looked at, evenly by rank; before them one that all values are above."""
        values = np.unique(np.concatenate([*self.fine, *self.coarse]))
        if len(values) > self.most:
            values = values[np.rint(np.linspace(0, len(values) - 1, self.most)).astype(int)]
        return np.concatenate([[np.nextafter(values[0], -np.inf)], values])

    @cached_property
    def everywhere(self) -> tuple[np.ndarray, np.ndarray]:
        """Means of the `shares` at all `places`, (levels, places), and half the width of the limits of their sum that scatter makes."""
        means, variances, _ = self.shares(self.places)
        return means, quantile_of_sum(variances, self.count) * np.sqrt((variances / self.count[:, None]).sum(axis=0))


class Inverted(NamedTuple):
    """A quantile by levels and its limits; infinite where so few pairs do not bound it."""

    value: float
    lower: float
    upper: float

    @property
    def half(self) -> float:
        """Half the width of the limits."""
        return (self.upper - self.lower) / 2


def inverted(pairs: SortedPairs, probability: float, fine: np.ndarray, cost: np.ndarray) -> Inverted:
    """The quantile of a level `probability`: where the sum of the shares passes it.

    Its limits are the outermost places at which the limits of the distribution function, with what the finest level is off, hold
    `probability`. The sum need not rise everywhere: the quantile is in the middle of the places at which it passes first and last.

    Parameters
    ----------
    pairs : SortedPairs
    probability : float
    fine, cost : ndarray, shape (levels,)
        `fineness` of the levels, and cost of a pair.
    """
    places = pairs.places
    means, scatter = pairs.everywhere
    share = means.sum(axis=0)
    passed = share >= probability * (1 - 1e-12)  # rounding
    first = int(np.argmax(passed)) if passed.any() else len(places) - 1
    last = min(int(np.max(np.flatnonzero(~passed), initial=-1)) + 1, len(places) - 1)
    value = (places[first] + places[last]) / 2
    middle, spread, _ = pairs.shares(np.array([value]))
    error = np.sqrt(spread[1:, 0] / pairs.count[1:])
    alpha = rates(fine[1:], np.abs(middle[1:, 0]), error, spread[1:, 0], cost[1:]).cautious
    half = scatter + remaining_bias(fine, means[1:], alpha)
    reached = np.flatnonzero(share + half >= probability)
    missed = np.flatnonzero(share - half < probability)
    lower = -np.inf if not reached.size or reached[0] == 0 else places[reached[0] - 1]
    upper = np.inf if missed.size and missed[-1] == len(places) - 1 else places[np.max(missed, initial=-1) + 1]
    return Inverted(float(value), float(lower), float(upper))
