"""Unit strings to SI, through pint, once, when a study is read."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, cached_property

from uqmbd.errors import StudyError, did_you_mean
from uqmbd.inputs.usual import UNITS


@dataclass(frozen=True)
class ToSI:
    """``x_SI = factor * x + offset``; `unit` is the SI unit's symbol, such as ``kg/s²``.

    `exact`: with all decimal digits, so that 0.07 mm is 7e-05 m, which ``0.001 * 0.07`` is not; earlier versions multiplied.
    """

    factor: float
    offset: float
    unit: str
    exact: bool = True

    @cached_property
    def _decimals(self) -> tuple[Decimal, Decimal]:
        short = f"{self.factor:.12g}"  # pint has 1.0000000000000002e-12 for mm⁴
        near = abs(float(short) - self.factor) < DIGITS * abs(self.factor)
        return Decimal(short if near else repr(self.factor)), Decimal(repr(self.offset))

    def number(self, value: float, *, difference: bool = False) -> float:
        """A value in SI; `difference`: it is one of two values, such as a standard deviation, whatever the offset is."""
        offset = 0.0 if difference else self.offset
        if not self.exact or not math.isfinite(value):
            return self.factor * value + offset
        factor, decimal = self._decimals
        product = Decimal(repr(float(value))) * factor
        return float(product if difference else product + decimal)

    def back(self, value):
        """An SI value in the unit."""
        return (value - self.offset) / self.factor

    @property
    def identity(self) -> bool:
        """True if nothing has to be converted."""
        return self.factor == 1.0 and self.offset == 0.0


DIGITS = 4e-16  # relative: by so much a factor of pint may differ from a decimal number of 12 digits that it is taken for


@cache
def registry():
    """Pint's registry; made at first use because importing pint costs a third of a second."""
    import pint

    return pint.UnitRegistry()


def unreadable() -> type[Exception]:
    """What pint says of a text that is no expression; a `ValueError` too, as what it says of numbers in units."""
    import pint

    return pint.DefinitionSyntaxError


@cache
def to_si(unit: str) -> ToSI:
    """How a number in `unit` becomes SI. An empty string means the number is used as it is."""
    if not unit.strip():
        return ToSI(1.0, 0.0, "")
    return ToSI(*UNITS[unit]) if unit in UNITS else of_pint(unit)


def of_pint(unit: str) -> ToSI:
    """The same of any unit, by pint."""
    known = registry()
    try:
        parsed = known.parse_units(unit)
        zero, one, two = (known.Quantity(x, parsed).to_base_units() for x in (0.0, 1.0, 2.0))
    except Exception as error:  # pint, its parser and tokenize each have their own family of errors
        if isinstance(error, ValueError) and not isinstance(error, unreadable()):
            text, remedy = f"'{unit}' is a quantity, not a unit", "write the number apart from its unit"
            raise StudyError(text, key="unit", value=unit, remedy=remedy) from None
        raise StudyError(f"the unit '{unit}' is not known", key="unit", value=unit, remedy=_near(unit, known)) from error
    if unit.strip().endswith("u") and "unified_atomic_mass_unit" in str(parsed):
        near = "um (a micrometre)" if unit.strip().endswith("mu") else "um (a micrometre) or dalton"
        raise StudyError(f"the unit '{unit}' holds an atomic mass unit, u", key="unit", value=unit, remedy=f"did you mean {near}?")
    factor, offset = one.magnitude - zero.magnitude, zero.magnitude
    if abs(two.magnitude - offset - 2 * factor) > 1e-9 * abs(factor):
        raise StudyError(
            f"the unit '{unit}' is logarithmic, which an input cannot be", key="unit", value=unit, remedy="give the number in a linear unit"
        )
    return ToSI(float(factor), float(offset), f"{one.units:~P}")


def same_dimension(one: str, other: str) -> bool:
    """Whether two units measure the same; angles are pure numbers."""
    known = registry()
    return known.parse_units(one).dimensionality == known.parse_units("" if other == "1" else other).dimensionality


PREFIXES = ("", "nano", "micro", "milli", "centi", "deci", "kilo", "mega", "giga")
USUAL = (
    "meter metre gram second newton pascal joule watt volt ampere hertz radian degree kelvin liter tonne bar minute hour inch foot pound "
    "percent revolution poise stokes"
).split()


def _near(unit: str, known) -> str:
    """A remedy that names the unit which the user may have meant, with its prefix."""
    import difflib

    words = [prefix + name + plural for prefix in PREFIXES for name in USUAL for plural in ("", "s")]
    words += [name for name in dir(known) if not name.startswith("_")]
    near = difflib.get_close_matches(unit.lower(), words, n=1, cutoff=0.6) or difflib.get_close_matches(unit, words, n=1, cutoff=0.6)
    return did_you_mean(unit, near) if near else 'write a unit as pint reads it, such as "mm", "deg", "N/mm" or "kg*m**2"'
