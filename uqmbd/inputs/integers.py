"""A whole number that is not known: how many balls a bearing has, how many teeth are worn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar, Self

import numpy as np
from pydantic import model_validator

from uqmbd.errors import StudyError, did_you_mean
from uqmbd.inputs.checked import plain_number
from uqmbd.inputs.units import ToSI
from uqmbd.inputs.univariate import MOST_NUMBERS
from uqmbd.inputs.weighted import Weighted, require_weights

REMEDY = "write integers = [3, 8], or integers = { lower = 3, upper = 8, weights = [1, 2, 3, 3, 2, 1] }"
LAWS = {"binomial": ("size", "prob"), "poisson": ("mean",)}
BEYOND = 1e-16  # probability of a Poisson variable beyond its last number here


class Integers(Weighted):
    """Whole numbers from `lower` to `upper`: ``Integers(3, 8)``. The model gets an int.

    By whole numbers with probabilities the moments, quantiles and shares of the variance are those of a random input; `search` takes
    the numbers from end to end, whatever their weights.

    Attributes
    ----------
    lower, upper : int
        The first and the last number.
    weights : list of float, optional
        In proportion to the probabilities of all numbers from `lower` to `upper`; equal unless given.
    law : dict, optional
        In their place ``{"type": "poisson", "mean": 4}`` or ``{"type": "binomial", "size": 6, "prob": 0.3}``; of a Poisson variable numbers
        to the one beyond which there is 1e-16 of the probability.

    Examples
    --------
    >>> import numpy as np
    >>> import uqmbd as uq
    >>> balls = uq.Integers(7, 9, weights=[1, 2, 1])
    >>> balls.describe(), balls.ppf(np.array([0.1, 0.5, 0.9])).tolist()
    ('{7 ... 9}, weights 1 2 1', [7.0, 8.0, 9.0])
    >>> uq.Integers(law={"type": "poisson", "mean": 4}).describe()
    'Poisson(4)'
    """

    kind: ClassVar[str] = "integers"
    key: ClassVar[str] = "integers"

    lower: int | None = None
    upper: int | None = None
    law: dict[str, Any] | None = None

    def __init__(self, lower: int | None = None, upper: int | None = None, weights: Sequence[float] | None = None, **fields: Any) -> None:
        super().__init__(lower=whole(lower, "lower"), upper=whole(upper, "upper"), weights=weights, **fields)

    @model_validator(mode="after")
    def _known(self) -> Self:
        if self.unit:
            raise StudyError("whole numbers have no unit", key="unit", value=self.unit, remedy="leave it out")
        if self.law is not None:
            if self.lower is not None or self.upper is not None or self.weights is not None:
                raise ValueError("whole numbers have ends and weights, or a law, not both")
            check_law(self.law)
        elif self.lower is None or self.upper is None:
            raise ValueError(f"whole numbers need lower and upper: {REMEDY}")
        elif self.lower >= self.upper:
            same = f"a number that is known is written value = {self.lower}" if self.lower == self.upper else "exchange them"
            raise ValueError(f"lower {self.lower} is not below upper {self.upper}; {same}")
        elif self.upper - self.lower > MOST_NUMBERS:
            raise ValueError(f"there are {self.upper - self.lower + 1} whole numbers; take an interval")
        require_weights(self.weights, len(self.numbers), "numbers")
        return self

    @classmethod
    def from_value(cls, value: Any, unit: str) -> Self:
        try:
            if isinstance(value, Mapping):
                if "type" in value:
                    return cls(law=dict(value), unit=unit)
                return cls(**value, unit=unit)
            if not isinstance(value, (list, tuple)) or len(value) != 2:
                raise StudyError("whole numbers are given by the first and the last", remedy=REMEDY)
            return cls(*value, unit=unit)
        except StudyError as error:
            raise StudyError(error.message, key=error.key if error.key == "unit" else cls.key, value=value, remedy=error.remedy) from None

    @property
    def integers(self) -> list[int] | dict[str, Any]:
        """As a study file has it."""
        if self.law is not None:
            return dict(self.law)
        if self.weights is None:
            return [int(self.numbers[0]), int(self.numbers[-1])]
        return {"lower": self.lower, "upper": self.upper, "weights": list(self.weights)}

    @property
    def numbers(self) -> np.ndarray:
        return of_law(*self.law.items())[0] if self.law is not None else np.arange(self.lower or 0, (self.upper or 0) + 1.0)

    @property
    def range(self) -> range:
        """Of the numbers."""
        first, last = self.numbers[[0, -1]]
        return range(int(first), int(last) + 1)

    @property
    def probabilities(self) -> np.ndarray:
        if self.law is None:
            return super().probabilities
        p = of_law(*self.law.items())[1]
        return p / p.sum()

    def converted(self, si: ToSI) -> Mapping[str, Any]:
        return {}

    def notation(self) -> str:
        if self.law is not None:
            return f"{self.law['type'].capitalize()}({', '.join(f'{self.law[name]:.10g}' for name in LAWS[self.law['type']])})"
        text = f"{{{self.lower} ... {self.upper}}}"
        return text if self.weights is None else f"{text}, weights {' '.join(f'{weight:.6g}' for weight in self.weights)}"


@lru_cache(maxsize=64)
def of_law(*law: tuple[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """Numbers and their probabilities by the items of a law."""
    from scipy import stats

    known = dict(law)
    if known["type"] == "binomial":
        numbers = np.arange(int(known["size"]) + 1.0)
        return numbers, stats.binom.pmf(numbers, int(known["size"]), known["prob"])
    mean = known["mean"]
    numbers = np.arange(float(stats.poisson.ppf(BEYOND, mean)), float(stats.poisson.isf(BEYOND, mean)) + 1.0)
    return numbers, stats.poisson.pmf(numbers, mean)


def whole(value: Any, name: str) -> int | None:
    """A whole number as int; also 3.0."""
    if value is None:
        return None
    try:
        number = plain_number(value)
    except ValueError as error:
        raise StudyError(str(error), key=name, remedy=REMEDY) from None
    if not number.is_integer():
        raise StudyError(f"{name} {number:g} is no whole number", key=name, remedy=REMEDY)
    return int(number)


def check_law(law: Mapping[str, Any]) -> None:
    """`StudyError` for what is no law of whole numbers."""
    kind = law.get("type")
    if kind not in LAWS:
        raise StudyError(f"whole numbers have no law '{kind}'", key="type", remedy=did_you_mean(str(kind), LAWS, noun="law"))
    for name in law:
        if name != "type" and name not in LAWS[kind]:
            raise StudyError(f"the law {kind} has no '{name}'", key=name, remedy=f"it takes {' and '.join(LAWS[kind])}")
    for name in LAWS[kind]:
        if name not in law:
            raise StudyError(f"the law {kind} needs {name}", key=name, remedy=f"add {name} = {0.5 if name == 'prob' else 4}, say")
        plain_number(law[name])
    if kind == "binomial" and not (float(law["size"]).is_integer() and 1 <= law["size"] <= MOST_NUMBERS and 0 < law["prob"] < 1):
        raise StudyError("size is a whole number from 1, and prob lies between 0 and 1", remedy="mend them")
    if kind == "poisson" and not 0 < law["mean"] <= MOST_NUMBERS:
        raise StudyError(
            f"the mean of a Poisson variable lies between 0 and {MOST_NUMBERS}", remedy="take another mean, or a normal variable"
        )
