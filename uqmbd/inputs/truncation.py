"""Distributions cut off on one or both sides."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from uqmbd.errors import StudyError
from uqmbd.inputs.univariate import Distribution

KEY = "distribution.truncate"
LEAST_PROBABILITY = 1e-6  # a cut that leaves less asks for another distribution


@dataclass(frozen=True, eq=False)
class Truncated(Distribution):
    """`variable` under the condition that it is between `first` and `last`, both of which belong to what is left.

    Attributes
    ----------
    below, beyond : float
        Probability of `variable` to be below `first`, and above `last`.
    mass : float
        What is left.
    """

    variable: Distribution
    first: float
    last: float
    below: float
    beyond: float
    mass: float

    @classmethod
    def of(cls, variable: Distribution, first: float, last: float) -> Truncated:
        """Cut off at two ends, which may be infinite."""
        # just below, since whole numbers and data with ties have a probability of their own at an end
        before = np.array([math.nextafter(first, -math.inf)])
        below, above_first = (float(variable.cdf(before)[0]), float(variable.sf(before)[0])) if math.isfinite(first) else (0.0, 1.0)
        above, beyond = (
            (float(variable.cdf(np.array([last]))[0]), float(variable.sf(np.array([last]))[0])) if math.isfinite(last) else (1.0, 0.0)
        )
        return cls(variable, first, last, below, beyond, above_first - beyond if below > 0.5 else above - below)

    def lower(self, p: np.ndarray) -> np.ndarray:
        return self._at(p, 1.0 - p)

    def upper(self, q: np.ndarray) -> np.ndarray:
        return self._at(1.0 - q, q)

    def _at(self, p: np.ndarray, q: np.ndarray) -> np.ndarray:
        """Counted from the end of `variable` that is nearer."""
        p, q = self.below + self.mass * p, self.beyond + self.mass * q
        values, first = np.empty(p.shape), p <= 0.5
        values[first], values[~first] = self.variable.ppf(p[first]), self.variable.isf(q[~first])
        return np.clip(values, self.first, self.last)

    def cdf(self, x: np.ndarray) -> np.ndarray:
        return np.clip((self.variable.cdf(np.asarray(x, float)) - self.below) / self.mass, 0.0, 1.0)

    def sf(self, x: np.ndarray) -> np.ndarray:
        return np.clip((self.variable.sf(np.asarray(x, float)) - self.beyond) / self.mass, 0.0, 1.0)


def ends_of(value: Any) -> tuple[float, float]:
    """The value of ``truncate``: two ascending numbers, of which one may be infinite."""
    good = isinstance(value, (list, tuple)) and len(value) == 2 and all(isinstance(x, (int, float)) for x in value)
    if not good or any(isinstance(x, bool) or math.isnan(x) for x in value):
        raise StudyError(
            "a truncation is a list of two numbers",
            key=KEY,
            value=value,
            remedy="write truncate = [lower, upper]; inf and -inf leave a side open",
        )
    lower, upper = map(float, value)
    if not lower < upper:
        raise StudyError(f"lower {lower:g} is not below upper {upper:g}", key=KEY, value=list(value), remedy="write the lower end first")
    return lower, upper


def truncated(variable: Distribution, value: Any) -> Truncated:
    """`variable` cut off at the value of ``truncate``."""
    cut = Truncated.of(variable, *ends_of(value))
    if cut.mass < LEAST_PROBABILITY:
        raise StudyError(
            f"the distribution has a probability of {max(cut.mass, 0.0):.2g} between {cut.first:g} and {cut.last:g}",
            key=KEY,
            value=list(value),
            remedy=f"take ends between which it has more than {LEAST_PROBABILITY:g}",
        )
    return cut
