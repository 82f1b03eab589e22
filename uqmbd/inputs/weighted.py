"""A few values with probabilities: what inputs that count and inputs that choose have in common."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from pydantic import BeforeValidator

from uqmbd.inputs.base import Input
from uqmbd.inputs.checked import plain, plain_number
from uqmbd.inputs.univariate import Whole


def as_weights(value: Any) -> list[float] | None:
    """Weights as numbers; ValueError unless there are some, none is negative, and one is positive."""
    if value is None:
        return None
    value = plain(value)
    if not isinstance(value, list) or not value:
        raise ValueError(f"weights are a list of numbers, one for each value, not {value!r}")
    weights = [plain_number(entry) for entry in value]
    if min(weights) < 0 or not any(weights):
        raise ValueError(f"weights are 0 or more, and one at least is more: {weights}")
    return weights


Weights = Annotated[list[float] | None, BeforeValidator(as_weights)]


class Weighted(Input):
    """Base of inputs that have some of the numbers `numbers`, each with a probability.

    Attributes
    ----------
    weights : list of float, optional
        In proportion to the probabilities; equal unless given.
    """

    weights: Weights = None

    if TYPE_CHECKING:  # type checkers make one of the fields of this class alone

        def __init__(self, /, **values: Any) -> None: ...

    @property
    def numbers(self) -> np.ndarray:
        """Ascending, (count,)."""
        raise NotImplementedError

    @property
    def probabilities(self) -> np.ndarray:
        """Of the numbers, (count,)."""
        weights = np.ones(len(self.numbers)) if self.weights is None else np.array(self.weights)
        return weights / weights.sum()

    @cached_property
    def _variable(self) -> Whole:
        p = self.probabilities
        below, above = np.cumsum(p), np.cumsum(p[::-1])[::-1] - p
        below[np.flatnonzero(p)[-1] :] = 1.0
        return Whole(self.numbers, below, np.maximum(above, 0.0))

    def ppf(self, u: np.ndarray) -> np.ndarray:
        there = np.flatnonzero(self.probabilities)
        return np.clip(self._variable.lower(np.asarray(u, float)), self.numbers[there[0]], self.numbers[there[-1]])

    def isf(self, q: np.ndarray) -> np.ndarray:
        there = np.flatnonzero(self.probabilities)
        return np.clip(self._variable.upper(np.asarray(q, float)), self.numbers[there[0]], self.numbers[there[-1]])


def require_weights(weights: Sequence[float] | None, count: int, what: str) -> None:
    """ValueError unless there is one weight for each of `count` values."""
    if weights is not None and len(weights) != count:
        raise ValueError(f"{count} {what} have {len(weights)} weights; give each its weight")
