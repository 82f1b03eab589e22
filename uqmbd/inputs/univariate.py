"""Distributions of one variable by their quantiles, which keep their digits in both tails."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from uqmbd.errors import StudyError

MOST_NUMBERS = 100_000  # of a distribution of whole numbers


class Distribution(ABC):
    """A distribution of one variable. A subclass gives the quantiles of either half, and the distribution function from both sides.

    Near 1 doubles are 1e-16 apart, so a value that is exceeded with the probability 1e-12 cannot be found from ``u = 1 - 1e-12`` to more
    than four digits. Its own probability has them all.
    """

    @abstractmethod
    def lower(self, p: np.ndarray) -> np.ndarray:
        """Values below which there is the probability `p`, (n,), at most ½."""

    @abstractmethod
    def upper(self, q: np.ndarray) -> np.ndarray:
        """Values above which there is the probability `q`, (n,), at most ½."""

    @abstractmethod
    def cdf(self, x: np.ndarray) -> np.ndarray:
        """Distribution function: the probability to be at most `x`, (n,)."""

    @abstractmethod
    def sf(self, x: np.ndarray) -> np.ndarray:
        """Survival function: the probability to be above `x`, (n,)."""

    def ppf(self, u: np.ndarray) -> np.ndarray:
        """Quantiles: values below which there is the probability `u`, any shape."""
        return halves(u, self.lower, self.upper)

    def isf(self, q: np.ndarray) -> np.ndarray:
        """Values above which there is the probability `q`, any shape."""
        return halves(q, self.upper, self.lower)


def halves(p: np.ndarray, near: Callable[[np.ndarray], np.ndarray], far: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """``near(p)`` up to ½, and ``far(1 - p)`` above, where the difference is exact."""
    p = np.asarray(p, float)
    values, first = np.empty(p.shape), p <= 0.5
    values[first], values[~first] = near(p[first]), far(1.0 - p[~first])
    return values


@dataclass(frozen=True, eq=False)
class Frozen(Distribution):
    """A distribution of scipy with its parameters.

    Attributes
    ----------
    frozen : rv_frozen
        Of scipy.
    loc, scale : float
        What `low` and `high` are moved by.
    low, high : callable or None
        ``p -> standard value`` of the lower and the upper half where scipy's own lose digits, see `uqmbd.inputs.quantiles`.
    """

    frozen: Any
    loc: float = 0.0
    scale: float = 1.0
    low: Callable[[np.ndarray], np.ndarray] | None = None
    high: Callable[[np.ndarray], np.ndarray] | None = None

    def lower(self, p: np.ndarray) -> np.ndarray:
        return self._moved(self.low, p) if self.low else self.frozen.ppf(p)

    def upper(self, q: np.ndarray) -> np.ndarray:
        return self._moved(self.high, q) if self.high else self.frozen.isf(q)

    def cdf(self, x: np.ndarray) -> np.ndarray:
        return self.frozen.cdf(x)

    def sf(self, x: np.ndarray) -> np.ndarray:
        return self.frozen.sf(x)

    def _moved(self, standard: Callable[[np.ndarray], np.ndarray], p: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore"):  # an infinite end
            return self.loc + self.scale * standard(p)


@contextmanager
def repeatable() -> Iterator[None]:
    """chaospy's search for inverses draws numbers from numpy's old generator, here always the same, so that a value follows from its u."""
    state = np.random.get_state()  # noqa: NPY002 (chaospy uses this one)
    np.random.seed(0)  # noqa: NPY002
    try:
        with np.errstate(all="ignore"):  # a step of its that is too long is followed by one that halves
            yield
    finally:
        np.random.set_state(state)  # noqa: NPY002


def inverse_of(distribution: Any, u: np.ndarray) -> np.ndarray:
    """Values of a distribution of chaospy at points `u` (d, n) or (n,), each the same whatever the others are."""
    with repeatable():
        return distribution.inv(u)


@dataclass(frozen=True, eq=False)
class Foreign(Distribution):
    """A distribution of one variable by chaospy's own quantiles, whose upper tail ends with the digits of ``1 - q``."""

    distribution: Any

    def lower(self, p: np.ndarray) -> np.ndarray:
        return inverse_of(self.distribution, np.ravel(p)).reshape(np.shape(p))

    def upper(self, q: np.ndarray) -> np.ndarray:
        return self.lower(1.0 - q)

    def cdf(self, x: np.ndarray) -> np.ndarray:
        return self.distribution.fwd(np.ravel(x)).reshape(np.shape(x))

    def sf(self, x: np.ndarray) -> np.ndarray:
        return 1.0 - self.cdf(x)


@dataclass(frozen=True, eq=False)
class Tabulated(Distribution):
    """A distribution function through points, linear between them.

    Attributes
    ----------
    x, u : ndarray, shape (points,)
        Ascending values and the distribution function there, from 0 to 1.
    """

    x: np.ndarray
    u: np.ndarray

    def lower(self, p: np.ndarray) -> np.ndarray:
        return np.interp(p, self.u, self.x)

    def upper(self, q: np.ndarray) -> np.ndarray:
        return np.interp(1.0 - q, self.u, self.x)

    def cdf(self, x: np.ndarray) -> np.ndarray:
        return np.interp(x, self.x, self.u)

    def sf(self, x: np.ndarray) -> np.ndarray:
        return 1.0 - self.cdf(x)


@dataclass(frozen=True, eq=False)
class Scored(Distribution):
    """A distribution by its normal scores ``Φ⁻¹(F(x))``, linear between points: both tails keep their digits.

    Attributes
    ----------
    x, z : ndarray, shape (points,)
        Ascending values and scores; nothing is beyond the ends.
    """

    x: np.ndarray
    z: np.ndarray

    @classmethod
    def of(cls, x: np.ndarray, below: np.ndarray, beyond: np.ndarray) -> Scored:
        """From the probabilities to be at most and above each value; points at which the scores do not rise are left out."""
        from scipy.special import ndtri

        with np.errstate(divide="ignore"):
            z = np.where(below <= beyond, ndtri(below), -ndtri(beyond))
        kept = np.isfinite(z) & (np.concatenate([[-np.inf], np.maximum.accumulate(z)[:-1]]) < z)
        return cls(x[kept], z[kept])

    def lower(self, p: np.ndarray) -> np.ndarray:
        from scipy.special import ndtri

        return np.interp(ndtri(p), self.z, self.x)

    def upper(self, q: np.ndarray) -> np.ndarray:
        from scipy.special import ndtri

        return np.interp(-ndtri(q), self.z, self.x)

    def cdf(self, x: np.ndarray) -> np.ndarray:
        from scipy.special import ndtr

        return ndtr(np.interp(x, self.x, self.z, left=-np.inf, right=np.inf))

    def sf(self, x: np.ndarray) -> np.ndarray:
        from scipy.special import ndtr

        return ndtr(-np.interp(x, self.x, self.z, left=-np.inf, right=np.inf))


@dataclass(frozen=True, eq=False)
class Transformed(Distribution):
    """A monotone function of a variable; a falling one has the upper tail of it below.

    Attributes
    ----------
    variable : Distribution
    there, back : callable
        The function and its inverse, of arrays.
    falling : bool
    """

    variable: Distribution
    there: Callable[[np.ndarray], np.ndarray]
    back: Callable[[np.ndarray], np.ndarray]
    falling: bool = False

    def lower(self, p: np.ndarray) -> np.ndarray:
        return self.there(self.variable.upper(p) if self.falling else self.variable.lower(p))

    def upper(self, q: np.ndarray) -> np.ndarray:
        return self.there(self.variable.lower(q) if self.falling else self.variable.upper(q))

    def cdf(self, x: np.ndarray) -> np.ndarray:
        return self.variable.sf(self.back(x)) if self.falling else self.variable.cdf(self.back(x))

    def sf(self, x: np.ndarray) -> np.ndarray:
        return self.variable.cdf(self.back(x)) if self.falling else self.variable.sf(self.back(x))


def exp_of(variable: Distribution) -> Transformed:
    """The exponential function of a variable."""
    return Transformed(variable, np.exp, _log)


def _log(x: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore"):
        return np.log(np.maximum(x, 0.0))


@dataclass(frozen=True, eq=False)
class Whole(Distribution):
    """A distribution of whole numbers.

    Attributes
    ----------
    numbers, below, above : ndarray, shape (count,)
        Ascending, and the probabilities to be at most each of them, and to be above it.
    """

    numbers: np.ndarray
    below: np.ndarray
    above: np.ndarray

    @classmethod
    def of(cls, frozen: Any, first: float, last: float) -> Whole:
        """A discrete distribution of scipy on the numbers from `first` to `last`."""
        if last - first > MOST_NUMBERS:
            raise StudyError(
                f"the distribution has {last - first + 1:.0f} whole numbers", key="distribution", remedy="take a continuous one"
            )
        numbers = np.arange(first, last + 1)
        return cls(numbers, frozen.cdf(numbers), frozen.sf(numbers))

    def lower(self, p: np.ndarray) -> np.ndarray:
        return self.numbers[np.minimum(np.searchsorted(self.below, p), len(self.numbers) - 1)]

    def upper(self, q: np.ndarray) -> np.ndarray:
        # the first number above which there is no more than q
        return self.numbers[np.minimum(np.searchsorted(-self.above, -q), len(self.numbers) - 1)]

    def cdf(self, x: np.ndarray) -> np.ndarray:
        return np.concatenate([[0.0], self.below])[np.searchsorted(self.numbers, x, side="right")]

    def sf(self, x: np.ndarray) -> np.ndarray:
        return np.concatenate([[1.0], self.above])[np.searchsorted(self.numbers, x, side="right")]


@dataclass(frozen=True, eq=False)
class Kumaraswamy(Distribution):
    """``1 - (1 - t^alpha)^beta``, t from 0 at `start` to 1 at `end` (Kumaraswamy, J. Hydrol. 46 (1980) 79), which scipy lacks."""

    alpha: float
    beta: float
    start: float
    end: float

    def lower(self, p: np.ndarray) -> np.ndarray:
        return self._at(-np.expm1(np.log1p(-p) / self.beta))

    def upper(self, q: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore"):
            return self._at(-np.expm1(np.log(q) / self.beta))

    def cdf(self, x: np.ndarray) -> np.ndarray:
        return -np.expm1(self.beta * self._log_beyond(x))

    def sf(self, x: np.ndarray) -> np.ndarray:
        return np.exp(self.beta * self._log_beyond(x))

    def _at(self, power: np.ndarray) -> np.ndarray:
        return self.start + (self.end - self.start) * power ** (1 / self.alpha)

    def _log_beyond(self, x: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore"):
            return np.log1p(-(np.clip((x - self.start) / (self.end - self.start), 0.0, 1.0) ** self.alpha))
