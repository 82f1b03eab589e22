"""An interval: nothing is known but two ends."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from pydantic import model_validator

from uqmbd.errors import StudyError
from uqmbd.inputs.base import Input
from uqmbd.inputs.checked import Number
from uqmbd.inputs.units import ToSI


class Interval(Input):
    """All values from `lower` to `upper`, none more likely than another: ``Interval(0.02, 0.05, unit="mm")``.

    Examples
    --------
    >>> import uqmbd as uq
    >>> uq.Interval(0.02, 0.05, unit="mm").describe()
    '[0.02, 0.05] mm'
    >>> uq.Interval(0.02, 0.05, unit="mm").to_si().lower  # m, as the model gets it
    2e-05
    """

    kind: ClassVar[str] = "interval"
    key: ClassVar[str] = "interval"

    lower: Number
    upper: Number

    def __init__(self, lower: float, upper: float, unit: str = "", **fields: Any) -> None:
        super().__init__(lower=lower, upper=upper, unit=unit, **fields)

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.lower > self.upper:
            raise ValueError(f"lower {self.lower:g} is above upper {self.upper:g}")
        if not math.isfinite(self.upper - self.lower) or not math.isfinite(self.upper + self.lower):
            raise ValueError(f"the width or the middle of [{self.lower:g}, {self.upper:g}] is beyond what a computer can hold")
        if self.lower == self.upper:
            raise ValueError(f"lower and upper are both {self.lower:g}; a number that is known is written value = {self.lower:g}")
        return self

    @classmethod
    def from_value(cls, value: Any, unit: str) -> Self:
        if not isinstance(value, (list, tuple)) or len(value) != 2:
            raise StudyError("an interval is a list of two numbers", key=cls.key, value=value, remedy="write interval = [lower, upper]")
        try:
            return cls(*value, unit=unit)
        except StudyError as error:
            raise StudyError(error.message, key=cls.key, value=list(value), remedy=error.remedy) from None

    def ppf(self, u: np.ndarray) -> np.ndarray:
        u = np.asarray(u, float)
        return np.clip(self.lower * (1.0 - u) + self.upper * u, self.lower, self.upper)

    def converted(self, si: ToSI) -> Mapping[str, float]:
        ends = sorted((si.number(self.lower), si.number(self.upper)))
        return {"lower": ends[0], "upper": ends[1]}

    def notation(self) -> str:
        return f"[{self.lower:.10g}, {self.upper:.10g}]"
