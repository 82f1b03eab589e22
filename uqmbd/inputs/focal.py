"""A Dempster-Shafer structure: intervals, each with the mass of evidence for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from pydantic import BeforeValidator

from uqmbd.errors import StudyError
from uqmbd.inputs.base import Input
from uqmbd.inputs.checked import plain_number
from uqmbd.inputs.units import ToSI

REMEDY = "write focal = { intervals = [[1, 2], [1.5, 3]], masses = [0.4, 0.6] }"
_SUM = 1e-9  # by which the masses may miss 1; they are normed


def checked_table(value: Any) -> dict[str, list]:
    """Intervals and masses as plain numbers, masses normed to 1; raises `StudyError` unless they are a structure."""
    if not isinstance(value, Mapping):
        raise StudyError("focal elements are a table with intervals and masses", key="focal", value=value, remedy=REMEDY)
    for name in value:
        if name not in ("intervals", "masses"):
            raise StudyError(f"focal elements have no '{name}'", key=f"focal.{name}", remedy="they take intervals and masses")
    for name in ("intervals", "masses"):
        if not isinstance(value.get(name), (list, tuple, np.ndarray)) or not len(value[name]):
            raise StudyError(f"focal elements need a list of {name}", key=f"focal.{name}", value=value.get(name), remedy=REMEDY)
    intervals = [_ends(entry) for entry in value["intervals"]]
    masses = [_number(entry, "masses") for entry in value["masses"]]
    if len(intervals) != len(masses):
        raise StudyError(f"{len(intervals)} intervals have {len(masses)} masses", key="focal.masses", remedy="give each interval its mass")
    if min(masses) <= 0:
        raise StudyError("a mass is not positive", key="focal.masses", value=masses, remedy="leave out intervals for which nothing speaks")
    if abs(sum(masses) - 1) > _SUM:
        words = "give the rest to the interval of all possible values" if sum(masses) < 1 else "divide them by their sum"
        raise StudyError(f"the masses add up to {sum(masses):.10g}, not 1", key="focal.masses", value=masses, remedy=words)
    lower, upper = min(low for low, _ in intervals), max(high for _, high in intervals)
    if lower == upper:
        raise StudyError(
            f"the input is {lower:g} and nothing else", key="focal", remedy=f"a number that is known is written value = {lower:g}"
        )
    return {"intervals": intervals, "masses": [mass / sum(masses) for mass in masses]}


class Focal(Input):
    """Evidence for intervals: ``Focal({"intervals": [[1, 2], [1.5, 3]], "masses": [0.4, 0.6]}, unit="mm")``.

    A mass is the probability that the value lies in its interval and that nothing more is known; intervals may overlap, and an
    interval of no width is a value (Shafer, A Mathematical Theory of Evidence, 1976).

    Attributes
    ----------
    focal : dict
        In `unit`: ``intervals`` as lists of two ends, and ``masses``, which add up to 1.

    Examples
    --------
    >>> import uqmbd as uq
    >>> sources = uq.Focal({"intervals": [[1.0, 2.0], [1.5, 3.0]], "masses": [0.4, 0.6]})
    >>> sources.hull
    (1.0, 3.0)
    """

    kind: ClassVar[str] = "focal"
    key: ClassVar[str] = "focal"

    focal: Annotated[Any, BeforeValidator(checked_table)]

    def __init__(self, focal: Mapping[str, Any], unit: str = "", **fields: Any) -> None:
        super().__init__(focal=focal, unit=unit, **fields)

    @classmethod
    def from_value(cls, value: Any, unit: str) -> Self:
        return cls(value, unit=unit)

    @property
    def elements(self) -> tuple[np.ndarray, np.ndarray]:
        """Intervals (elements, 2) and masses (elements,)."""
        return np.array(self.focal["intervals"]), np.array(self.focal["masses"])

    @property
    def hull(self) -> tuple[float, float]:
        """The smallest interval around all elements."""
        ends = self.elements[0]
        return float(ends.min()), float(ends.max())

    def ppf(self, u: np.ndarray) -> np.ndarray:
        """Linear over the hull: a place in it, not a probability."""
        u = np.asarray(u, float)
        lower, upper = self.hull
        return np.clip(lower * (1.0 - u) + upper * u, lower, upper)

    def converted(self, si: ToSI) -> Mapping[str, Any]:
        intervals = [sorted((si.number(low), si.number(high))) for low, high in self.focal["intervals"]]
        return {"focal": {**self.focal, "intervals": intervals}}

    def notation(self) -> str:
        pairs = zip(self.focal["intervals"], self.focal["masses"], strict=True)
        return "m: " + ", ".join(f"[{low:.10g}, {high:.10g}] {mass:.6g}" for (low, high), mass in pairs)


def _number(value: Any, name: str) -> float:
    try:
        return plain_number(value)
    except ValueError as error:
        raise StudyError(str(error), key=f"focal.{name}") from None


def _ends(value: Any) -> list[float]:
    if not isinstance(value, (list, tuple, np.ndarray)) or len(value) != 2:
        raise StudyError("a focal interval is a list of two numbers", key="focal.intervals", value=value, remedy=REMEDY)
    low, high = (_number(entry, "intervals") for entry in value)
    if low > high:
        raise StudyError(f"lower {low:g} is above upper {high:g}", key="focal.intervals", value=[low, high], remedy="exchange them")
    return [low, high]
