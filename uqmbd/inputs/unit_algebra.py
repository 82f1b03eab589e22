"""Units of what is computed from numbers with units: sums want one unit, products and powers have one of their own.

An empty text is a unit that nobody has said: it fits any other, and what is made of it has none. ``"1"`` is a pure number; angles in rad
are pure numbers as well. Nothing is converted: a sum of m and mm is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from typing import Any

from uqmbd.errors import StudyError
from uqmbd.inputs.units import registry, to_si

UNSAID, PURE, ANGLE = "", "1", "rad"
ROUNDING = 1e-12


class UnitsDiffer(ValueError):
    """What is computed has no unit; the text says why."""


def sum_of(units: Iterable[str]) -> str:
    """The unit of a sum, of a difference, of the largest of several."""
    return reduce(common, units)


def common(one: str, other: str) -> str:
    """The unit that both have."""
    if one == other or UNSAID in (one, other):
        return one if one == other else UNSAID
    if {one, other} == {PURE, ANGLE}:
        return ANGLE
    try:
        same = to_si(one) == to_si(other)
    except StudyError:
        same = False
    if not same:
        raise UnitsDiffer(f"{words(one)} and {words(other)} cannot be added or compared")
    return one


def require_pure(unit: str, of: str) -> None:
    """`UnitsDiffer` where a function that takes pure numbers, angles in rad among them, would get another unit."""
    if unit not in (UNSAID, PURE, ANGLE):
        raise UnitsDiffer(f"{of} takes a pure number, or an angle in rad, not {words(unit)}")


def product_of(one: str, other: str, exponent: int = 1) -> str:
    """The unit of a product, or with exponent -1 of a quotient."""
    if UNSAID in (one, other):
        return UNSAID
    return one if other == PURE else computed(one, lambda unit: unit * registry().parse_units(other) ** exponent)


def power_of(unit: str, exponent: float) -> str:
    """The unit of a power; of a root with 0.5."""
    return unit if unit in (UNSAID, PURE) else computed(unit, lambda parsed: parsed**exponent)


def computed(unit: str, how: Callable[[Any], Any]) -> str:
    """What pint makes of a unit; words that are no unit make one that nobody has said. Angles are kept
    alone and beside time only: rad/s times m is m/s."""
    known = registry()
    try:
        derived = how(known.parse_units(unit))
    except Exception:  # pint, its parser and tokenize each have their own family of errors
        return UNSAID
    parts = dict(known.Quantity(1.0, derived).unit_items())
    if any(power.real % 1 for power in parts.values()):  # the root of J/kg is m/s
        base = known.Quantity(1.0, derived).to_base_units()
        derived = base.units if abs(base.magnitude - 1.0) < ROUNDING else derived
        parts = dict(known.Quantity(1.0, derived).unit_items())
    if angles := parts.pop("radian", 0):
        derived = derived if angles == 1 and parts.keys() <= {"second"} else derived / known.radian**angles
    return f"{derived:~P}" or PURE


def words(unit: str) -> str:
    """A unit in a sentence."""
    return "a pure number" if unit == PURE else unit
