"""An input that is held at one number."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from uqmbd.errors import StudyError
from uqmbd.inputs.base import Input
from uqmbd.inputs.checked import Number
from uqmbd.inputs.units import ToSI


class Fixed(Input):
    """One number that is known, ``Fixed(0.1, unit="mm")``: no uncertainty, whatever the method.

    The model gets it like any other input, and its runs are found again where it was uncertain before, or will be.

    Examples
    --------
    >>> import uqmbd as uq
    >>> uq.Fixed(0.1, unit="mm").describe()
    '0.1 mm'
    """

    kind: ClassVar[str] = "fixed"
    key: ClassVar[str] = "value"

    value: Number

    def __init__(self, value: float, unit: str = "", **fields: Any) -> None:
        super().__init__(value=value, unit=unit, **fields)

    @classmethod
    def from_value(cls, value: Any, unit: str) -> Self:
        try:
            return cls(value, unit=unit)
        except StudyError as error:
            raise StudyError(error.message, key=cls.key, value=value, remedy="write value = 0.1, say") from None

    def ppf(self, u: np.ndarray) -> np.ndarray:
        return np.full(np.shape(u), self.value)

    def converted(self, si: ToSI) -> Mapping[str, float]:
        return {"value": si.number(self.value)}

    def notation(self) -> str:
        return f"{self.value:.10g}"
