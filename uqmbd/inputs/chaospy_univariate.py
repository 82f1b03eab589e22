"""Quantiles of distributions of chaospy from what they are made of, so that they keep the digits of their parts in both tails.

chaospy 4.3 has no survival quantile, cuts many distributions off (a normal variable at 8.2 standard deviations), and fails for operators
within operators. A function of one variable that rises or falls has its quantiles from those of that variable; sums and products of several
have none, and are sampled by their parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from uqmbd.errors import StudyError
from uqmbd.inputs.distributions import build
from uqmbd.inputs.of_chaospy import OPERATORS, is_distribution, moves, table_of
from uqmbd.inputs.univariate import Distribution, Foreign, Scored, Transformed, inverse_of, repeatable

LEAST = 2.0**-53  # u is kept so far away from 0 and 1
FARTHEST = 39.0  # kernel widths beyond the sample: the probability there is no double
POINTS = 4097  # of a table from which the search for a quantile starts
STEPS = 3  # of Newton's method from there
FUNCTIONS = {
    "Add": np.add, "Multiply": np.multiply, "Power": np.power, "Negative": lambda left, right: -left,
    "Logn": lambda left, right: np.log(left) / np.log(right),
}  # fmt: skip
FUNCTIONS |= {"Log": FUNCTIONS["Logn"], "Log10": FUNCTIONS["Logn"]}


def univariate_of(distribution: Any) -> Distribution | None:
    """The distribution by its quantiles; None: it has none, because it is made of several variables, or not monotone in one."""
    table = table_of(distribution)
    if table is not None:
        return build(table)
    kind = type(distribution).__name__
    if kind in FUNCTIONS:
        return _of_function(distribution, kind)
    if kind in ("GaussianKDE", "GaussianMixture"):
        return mixture(distribution)
    return None if len(distribution) > 1 or distribution.stochastic_dependent else Foreign(distribution)


def _of_function(distribution: Any, kind: str) -> Distribution | None:
    """A monotone function of one variable and a number."""
    left, right = (distribution._parameters[side] for side in ("left", "right"))
    if (is_distribution(left) and is_distribution(right)) or len(distribution) > 1:
        return None
    if (variable := univariate_of(left if is_distribution(left) else right)) is None:
        return None
    if kind in OPERATORS:
        _, factor, offset = moves(distribution) or (None, 0.0, 0.0)
        if factor == 0:
            raise StudyError(f"{distribution!r} is the number {offset:g}", key="distribution", remedy="give the input as value = ...")
        return Transformed(variable, partial(_line, factor, offset), partial(_line, 1 / factor, -offset / factor), factor < 0)
    number = float(np.ravel(right if is_distribution(left) else left)[0])
    if kind == "Power" and is_distribution(left):
        if number == 0 or (variable.ppf(np.array([0.0]))[0] < 0 and (number < 0 or number % 2 != 1)):
            return None
        return Transformed(variable, partial(_power, number), partial(_power, 1 / number), number < 0)
    there, back = partial(_exponential, np.log(number)), partial(_logarithm, np.log(number))
    return Transformed(variable, there, back, number < 1) if kind == "Power" else Transformed(variable, back, there, number < 1)


def _line(factor: float, offset: float, x: np.ndarray) -> np.ndarray:
    return factor * x + offset


def _power(number: float, x: np.ndarray) -> np.ndarray:
    """With the sign of `x`: of odd powers, and their roots."""
    with np.errstate(divide="ignore"):
        return np.sign(x) * np.abs(x) ** number


def _exponential(rate: float, x: np.ndarray) -> np.ndarray:
    return np.exp(rate * x)


def _logarithm(rate: float, x: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.log(x) / rate


def mixture(distribution: Any) -> Distribution | None:
    """Kernels around data, and mixtures of normal variables."""
    samples = distribution._samples
    if len(samples) > 1:
        return None
    widths = np.broadcast_to(np.sqrt(distribution._covariance[:, 0, 0]), samples[0].shape)
    weights = np.broadcast_to(np.asarray(distribution.weights, float), samples[0].shape)
    return Mixture(samples[0].astype(float), widths, weights / weights.sum())


@dataclass(frozen=True, eq=False)
class Mixture(Distribution):
    """Normal variables, one of which is drawn.

    Attributes
    ----------
    centres, widths, weights : ndarray, shape (count,)
        Means, standard deviations and probabilities.
    """

    centres: np.ndarray
    widths: np.ndarray
    weights: np.ndarray

    def lower(self, p: np.ndarray) -> np.ndarray:
        return self._quantile(p, 1.0)

    def upper(self, q: np.ndarray) -> np.ndarray:
        return self._quantile(q, -1.0)

    def cdf(self, x: np.ndarray) -> np.ndarray:
        return self._sums(x, 1.0)[0]

    def sf(self, x: np.ndarray) -> np.ndarray:
        return self._sums(x, -1.0)[0]

    @cached_property
    def _table(self) -> Scored:
        reach = FARTHEST * self.widths
        ends = (self.centres - reach).min(), (self.centres + reach).max()
        x = np.unique(np.concatenate([np.linspace(*ends, POINTS), self.centres, *(self.centres + k * self.widths for k in (-3, -1, 1, 3))]))
        return Scored.of(x, self.cdf(x), self.sf(x))

    def _quantile(self, p: np.ndarray, side: float) -> np.ndarray:
        """Newton's method for the logarithm of the probability, which is concave, from a table."""
        x = self._table.lower(p) if side > 0 else self._table.upper(p)
        for _ in range(STEPS):
            mass, density = self._sums(x, side)
            with np.errstate(divide="ignore", invalid="ignore"):
                step = side * np.log(p / mass) * mass / density
            x = x + np.where(np.isfinite(step), step, 0.0)
        return x

    def _sums(self, x: np.ndarray, side: float) -> tuple[np.ndarray, np.ndarray]:
        """Probability below (`side` 1) or above (-1), and density, each (n,)."""
        from scipy.special import ndtr

        x = np.asarray(x, float)
        mass, density = np.empty(x.shape), np.empty(x.shape)
        for first in range(0, x.size, 4096):
            at = slice(first, first + 4096)
            z = (x.ravel()[at, None] - self.centres) / self.widths
            mass.ravel()[at] = (ndtr(side * z) * self.weights).sum(axis=1)  # no product of matrices: its last bits depend on other rows
            density.ravel()[at] = (np.exp(-0.5 * z * z) * (self.weights / self.widths)).sum(axis=1) / np.sqrt(2 * np.pi)
        return mass, density


@dataclass(frozen=True, eq=False)
class Parts:
    """Variables that are functions of others, each of which is drawn: sums, products, parameters that are variables.

    The first variable that a component needs takes the component's own u, any further one a number that the bits of this u say, as good as
    random and the same for the same u. So it has the distribution it should have, stays what it is when a study goes on, and keeps what a
    design (Latin hypercube, Sobol') does to its first variable; it is no function of u that anything can be expanded in.

    Attributes
    ----------
    components : sequence of chaospy.Distribution
        Of one variable each.
    """

    components: Sequence[Any]

    def ppf(self, u: np.ndarray) -> np.ndarray:
        """Values of the only component at `u`, any shape."""
        u = np.asarray(u, float)
        return self.values(u.reshape(1, -1)).reshape(u.shape)

    def isf(self, q: np.ndarray) -> np.ndarray:
        return self.ppf(1.0 - np.asarray(q, float))

    def values(self, u: np.ndarray) -> np.ndarray:
        """Values (components, n) at the points `u` (components, n) of the unit cube."""
        return self._drawn([_Column(row) for row in np.clip(u, LEAST, 1 - LEAST)]) if u.size else np.empty(u.shape)

    @property
    def is_smooth(self) -> bool:
        """True where each component needs one variable besides those of the components before it."""
        columns = [_Column(np.array([0.5])) for _ in self.components]
        self._drawn(columns)
        return all(column.used <= 1 for column in columns)

    def _drawn(self, columns: Sequence[_Column]) -> np.ndarray:
        drawn: dict[tuple[int, Any], tuple[np.ndarray, np.ndarray]] = {}  # as chaospy caches them: (0, distribution) -> (values, u)
        return np.array([self._draw(component, column, drawn) for component, column in zip(self.components, columns, strict=True)])

    def _draw(self, part: Any, column: _Column, drawn: dict[tuple[int, Any], tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
        if (0, part) in drawn:
            return drawn[0, part][0]
        given = {key: self._draw(value, column, drawn) for key, value in part._parameters.items() if is_distribution(value)}
        kind = type(part).__name__
        if kind in FUNCTIONS:
            sides = [given[side] if side in given else np.ravel(part._parameters[side]) for side in ("left", "right")]
            values = np.broadcast_to(FUNCTIONS[kind](*sides), column.u.shape)
        else:
            inner = getattr(part, "_dist", None)
            if inner is not None and not given:
                given = {key: self._draw(value, column, drawn) for key, value in inner._parameters.items() if is_distribution(value)}
            u = column.next()
            if given:
                with repeatable():
                    values = part._get_inv(u, 0, dict(drawn))
            else:
                values = (univariate_of(part) or Foreign(part)).ppf(u)
        drawn[0, part] = values, column.u
        return values


@dataclass(frozen=True, eq=False)
class Component:
    """One of the variables of a distribution of several that does not come apart; the others are drawn as `Parts` are."""

    distribution: Any
    index: int

    def __repr__(self) -> str:
        return f"{self.distribution!r}[{self.index}]"

    @property
    def content(self) -> tuple[Any, int]:
        """What makes it what it is."""
        return self.distribution, self.index

    def ppf(self, u: np.ndarray) -> np.ndarray:
        """Values at `u`, any shape."""
        column = _Column(np.clip(np.ravel(u), LEAST, 1 - LEAST))
        rows = np.array([column.next() for _ in range(len(self.distribution))])
        return inverse_of(self.distribution, rows)[self.index].reshape(np.shape(u))

    def isf(self, q: np.ndarray) -> np.ndarray:
        return self.ppf(1.0 - np.asarray(q, float))


class _Column:
    """Numbers of the unit interval that follow from `u` (n,): it itself, then what splitmix64 (Steele, Lea, Flood, Proc. OOPSLA 2014)
    makes of its bits."""

    def __init__(self, u: np.ndarray) -> None:
        self.u, self.used = np.ascontiguousarray(u, float), 0

    def next(self) -> np.ndarray:
        """The next one, (n,)."""
        self.used += 1
        if self.used == 1:
            return self.u
        with np.errstate(over="ignore"):
            x = self.u.view(np.uint64) + np.uint64(self.used) * np.uint64(0x9E3779B97F4A7C15)
            x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            x ^= x >> np.uint64(31)
        return (x >> np.uint64(11)).astype(float) * 2.0**-53 + 2.0**-54
