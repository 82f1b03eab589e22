"""Numbers that are written with their unit: ``"2.7 mm"``."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import BeforeValidator, PlainSerializer, WithJsonSchema

from uqmbd.errors import StudyError
from uqmbd.inputs.checked import plain_number
from uqmbd.inputs.units import ToSI, to_si

TEXT = re.compile(r"\s*(?P<number>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(?P<unit>[^\s\d.+-].*?)\s*")
ANGLES = {"", "rad"}  # units of pure numbers


class Quantity(float):
    """A number in SI that was written with another unit.

    Attributes
    ----------
    written : str
    si : ToSI
        How numbers in its unit become SI.
    """

    written: str
    si: ToSI

    @classmethod
    def read(cls, text: str) -> Quantity:
        """From ``"2.7 mm"``; raises `ValueError`, and for units `StudyError`."""
        match = TEXT.fullmatch(text)
        if match is None:
            raise ValueError(f'a number is expected, or one with its unit as in "2.7 mm", not {text!r}')
        si = to_si(match["unit"])
        out = cls(si.factor * float(match["number"]) + si.offset)
        out.written, out.si = text.strip(), si
        return out


def level(value: Any) -> float | None:
    """A finite number, or a text of one with its unit; None stays what it is."""
    if value is None:
        return None
    if isinstance(value, Quantity):
        return value
    return Quantity.read(value) if isinstance(value, str) else plain_number(value)


def in_unit(value: float, unit: str, *, of: str, key: str, difference: bool = False) -> float:
    """`value` as a number in `unit`: a plain number as it is, one with a unit of its own converted.

    Parameters
    ----------
    of : str
        What has the unit `unit`; an empty unit is SI.
    key : str
        Of the setting, for the error where the dimensions differ.
    difference : bool
        The value is a difference, such as a standard deviation: where a scale begins does not matter.
    """
    if not isinstance(value, Quantity):
        return float(value)
    own = to_si(unit)
    if unit.strip() and own.unit != value.si.unit and not {own.unit, value.si.unit} <= ANGLES:
        raise StudyError(f"'{of}' is in {unit}, which {value.written} is not", key=key, value=value.written, remedy=f"give it in {unit}")
    if difference:
        return (float(value) - value.si.offset) / own.factor
    return own.back(float(value))


def _written(value: float | None) -> float | str | None:
    return value.written if isinstance(value, Quantity) else value


_SCHEMA = WithJsonSchema({"type": ["number", "string"]})
Level = Annotated[Any, BeforeValidator(level), PlainSerializer(_written), _SCHEMA]  # a number, or a text of one with its unit
