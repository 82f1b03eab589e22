"""A fuzzy number: for each membership an interval, the narrower the higher."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from pydantic import BeforeValidator, model_validator

from uqmbd.errors import StudyError, did_you_mean
from uqmbd.inputs.base import Input
from uqmbd.inputs.checked import plain_number
from uqmbd.inputs.units import ToSI

SHAPES = {  # parameters in ascending order, symbol
    "triangular": (("lower", "mode", "upper"), "Tri"),
    "trapezoidal": (("lower", "low_mode", "high_mode", "upper"), "Trap"),
}
LEVELS = ("alpha", "lower", "upper")
REMEDY = 'write fuzzy = { type = "triangular", lower = 1, mode = 2, upper = 3 }'


def checked_table(value: Any) -> dict[str, Any]:
    """The table of a fuzzy number, with plain numbers; raises `StudyError` unless it is one."""
    if not isinstance(value, Mapping):
        raise StudyError("a fuzzy number is a table with its type and parameters, or its levels", key="fuzzy", value=value, remedy=REMEDY)
    kind = value.get("type")
    if "type" in value and (not isinstance(kind, str) or kind not in SHAPES):
        remedy = did_you_mean(str(kind), SHAPES, noun="type")
        raise StudyError(f"there is no fuzzy number of type '{kind}'", key="fuzzy.type", value=kind, remedy=remedy)
    known = SHAPES[kind][0] if kind else LEVELS
    for name in value:
        if name != "type" and name not in known:
            raise StudyError(f"a {kind or 'fuzzy'} number has no '{name}' here", key=f"fuzzy.{name}", remedy="it takes " + ", ".join(known))
    missing = [name for name in known if name not in value]
    if missing:
        raise StudyError(f"the fuzzy number lacks {', '.join(missing)}", key="fuzzy", remedy=REMEDY)
    if kind:
        numbers = {name: _number(value[name], name) for name in known}
        _check_shape(numbers)
        return {"type": kind, **numbers}
    lists = {name: _list(value[name], name) for name in known}
    _check_levels(lists)
    return dict(lists)


class Fuzzy(Input):
    """A fuzzy number: ``Fuzzy({"type": "triangular", "lower": 1, "mode": 2, "upper": 3}, unit="mm")``.

    Attributes
    ----------
    fuzzy : dict
        In `unit`: ``type`` (triangular or trapezoidal) and its parameters, or lists ``alpha``, ``lower``, ``upper`` of memberships
        from 0 to 1 and the intervals there, linear between them.

    Examples
    --------
    >>> import uqmbd as uq
    >>> about = uq.Fuzzy({"type": "triangular", "lower": 1.0, "mode": 2.0, "upper": 4.0})
    >>> [tuple(map(float, about.cut(membership))) for membership in (0.0, 0.5, 1.0)]  # nested intervals
    [(1.0, 4.0), (1.5, 3.0), (2.0, 2.0)]
    """

    kind: ClassVar[str] = "fuzzy"
    key: ClassVar[str] = "fuzzy"

    fuzzy: Annotated[Any, BeforeValidator(checked_table)]

    def __init__(self, fuzzy: Mapping[str, Any], unit: str = "", **fields: Any) -> None:
        super().__init__(fuzzy=fuzzy, unit=unit, **fields)

    @model_validator(mode="after")
    def _wide(self) -> Self:
        lower, upper = self.cut(0.0)
        if lower == upper:
            raise StudyError(
                f"the fuzzy number is {lower:g} and nothing else",
                key="fuzzy",
                remedy=f"a number that is known is written value = {lower:g}",
            )
        return self

    @classmethod
    def from_value(cls, value: Any, unit: str) -> Self:
        return cls(value, unit=unit)

    @property
    def levels(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Memberships from 0 to 1, and the lower and upper ends there, shape (levels,) each."""
        table = self.fuzzy
        if "type" not in table:
            alpha, lower, upper = (np.array(table[name]) for name in LEVELS)
            return alpha, lower, upper
        ends = [table[name] for name in SHAPES[table["type"]][0]]
        return np.array([0.0, 1.0]), np.array(ends[:2]), np.array(ends[-1:-3:-1])

    def cut(self, alpha: float) -> tuple[float, float]:
        """The interval of the values whose membership is at least `alpha`; the support for 0, the core for 1."""
        at, lower, upper = self.levels
        return float(np.interp(alpha, at, lower)), float(np.interp(alpha, at, upper))

    def ppf(self, u: np.ndarray) -> np.ndarray:
        """Linear over the support: a place in it, not a probability."""
        u = np.asarray(u, float)
        lower, upper = self.cut(0.0)
        return np.clip(lower * (1.0 - u) + upper * u, lower, upper)

    def converted(self, si: ToSI) -> Mapping[str, Any]:
        def convert(value: Any) -> Any:
            return [convert(entry) for entry in value] if isinstance(value, list) else si.number(value)

        return {"fuzzy": {name: value if name in ("type", "alpha") else convert(value) for name, value in self.fuzzy.items()}}

    def notation(self) -> str:
        kind = self.fuzzy.get("type")
        if kind:
            names, symbol = SHAPES[kind]
            return f"{symbol}({', '.join(f'{self.fuzzy[name]:.10g}' for name in names)})"
        at, lower, upper = self.levels
        return "cuts " + ", ".join(f"{a:.10g}: [{low:.10g}, {high:.10g}]" for a, low, high in zip(at, lower, upper, strict=True))


def _number(value: Any, name: str) -> float:
    try:
        return plain_number(value)
    except ValueError as error:
        raise StudyError(str(error), key=f"fuzzy.{name}") from None


def _list(value: Any, name: str) -> list[float]:
    if not isinstance(value, (list, tuple, np.ndarray)):
        raise StudyError(
            "the levels of a fuzzy number are lists of numbers", key=f"fuzzy.{name}", value=value, remedy="write [0, 0.5, 1], say"
        )
    return [_number(entry, name) for entry in value]


def _check_shape(numbers: Mapping[str, float]) -> None:
    names = list(numbers)
    for low, high in pairwise(names):
        if numbers[low] > numbers[high]:
            raise StudyError(
                f"{low} {numbers[low]:g} is above {high} {numbers[high]:g}",
                key="fuzzy",
                remedy=f"put {', '.join(names)} in ascending order",
            )


def _check_levels(lists: Mapping[str, list[float]]) -> None:
    alpha, lower, upper = (lists[name] for name in LEVELS)
    if not len(alpha) == len(lower) == len(upper) or len(alpha) < 2:
        remedy = "give each level its alpha, lower and upper"
        raise StudyError(
            f"{len(alpha)} alphas, {len(lower)} lower and {len(upper)} upper ends do not make levels", key="fuzzy", remedy=remedy
        )
    if alpha[0] != 0 or alpha[-1] != 1 or any(a >= b for a, b in pairwise(alpha)):
        raise StudyError("the levels do not ascend from 0 to 1", key="fuzzy.alpha", value=alpha, remedy="write alpha = [0, 0.5, 1], say")
    for k, (low, high) in enumerate(zip(lower, upper, strict=True)):
        if low > high:
            raise StudyError(f"at alpha {alpha[k]:g} lower {low:g} is above upper {high:g}", key="fuzzy.lower", remedy="exchange them")
        if k and not (lower[k - 1] <= low and high <= upper[k - 1]):
            raise StudyError(
                f"the interval at alpha {alpha[k]:g}, [{low:g}, {high:g}], is not inside that at {alpha[k - 1]:g}, "
                f"[{lower[k - 1]:g}, {upper[k - 1]:g}]",
                key="fuzzy",
                remedy="a higher alpha has the narrower interval",
            )
