"""A random variable with a known distribution."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from uqmbd.errors import StudyError
from uqmbd.inputs.base import Input
from uqmbd.inputs.distributions import build, check, notation
from uqmbd.inputs.units import ToSI


class Random(Input):
    """A random variable: ``Random({"type": "uniform", "lower": 0.02, "upper": 0.05}, unit="mm")``.

    Attributes
    ----------
    distribution : dict
        ``type`` and its parameters, in `unit`; see `uqmbd.inputs.distributions`.
    scale, shift : float
        The variable is ``scale * (drawn from distribution) + shift``; set by `to_si` only.
    """

    kind: ClassVar[str] = "random"
    key: ClassVar[str] = "distribution"

    distribution: dict[str, Any]
    scale: float = Field(default=1.0, repr=False, exclude=True)
    shift: float = Field(default=0.0, repr=False, exclude=True)

    def __init__(self, distribution: Mapping[str, Any], unit: str = "", **fields: Any) -> None:
        super().__init__(distribution=dict(distribution) if isinstance(distribution, Mapping) else distribution, unit=unit, **fields)

    @model_validator(mode="after")
    def _known(self) -> Self:
        check(self.distribution)
        return self

    @classmethod
    def from_value(cls, value: Any, unit: str) -> Self:
        if not isinstance(value, Mapping):
            remedy = 'write distribution = { type = "uniform", lower = 0.1, upper = 0.2 }'
            raise StudyError("a distribution is a table with its type and parameters", key=cls.key, value=value, remedy=remedy)
        return cls(value, unit=unit)

    @cached_property
    def _built(self):
        return build(self.distribution)

    def ppf(self, u: np.ndarray) -> np.ndarray:
        u = np.asarray(u, float)
        drawn = np.asarray(self._built.inv(u.ravel()), float).reshape(u.shape)
        return self.scale * drawn + self.shift

    def converted(self, si: ToSI) -> Mapping[str, float]:
        return {"scale": si.factor, "shift": si.offset}

    def notation(self) -> str:
        return notation(self.distribution)
