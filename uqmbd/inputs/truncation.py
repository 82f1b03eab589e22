"""Distributions cut off on one or both sides."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from uqmbd.errors import StudyError
from uqmbd.inputs.data import Law

KEY = "distribution.truncate"
LEAST_PROBABILITY = 1e-6  # a cut that leaves less asks for another distribution


@dataclass(frozen=True, eq=False)
class Truncated:
    """`law` under the condition that it is between `lower` and `upper`.

    Attributes
    ----------
    below, above : float
        Probability of `law` to be below `lower`, and to be at most `upper`: both ends belong to what is left.
    """

    law: Law
    lower: float
    upper: float
    below: float
    above: float

    def inv(self, u: np.ndarray) -> np.ndarray:
        """Quantiles."""
        return np.clip(self.law.inv(self.below + (self.above - self.below) * np.asarray(u, float)), self.lower, self.upper)

    def fwd(self, x: np.ndarray) -> np.ndarray:
        """Distribution function."""
        return np.clip((self.law.fwd(np.asarray(x, float)) - self.below) / (self.above - self.below), 0.0, 1.0)


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


def truncated(law: Law, value: Any) -> Truncated:
    """`law` cut off at the value of ``truncate``."""
    lower, upper = ends_of(value)
    # just below, since whole numbers and data with ties have a probability of their own at an end
    below = float(law.fwd(np.array([math.nextafter(lower, -math.inf)]))[0]) if math.isfinite(lower) else 0.0
    above = float(law.fwd(np.array([upper]))[0]) if math.isfinite(upper) else 1.0
    if above - below < LEAST_PROBABILITY:
        raise StudyError(
            f"the distribution has a probability of {max(above - below, 0.0):.2g} between {lower:g} and {upper:g}",
            key=KEY,
            value=list(value),
            remedy=f"take ends between which it has more than {LEAST_PROBABILITY:g}",
        )
    return Truncated(law, lower, upper, below, above)
