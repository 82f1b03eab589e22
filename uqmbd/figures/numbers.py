"""Numbers as tables and sentences say them: with a prefix before the unit, and with enough digits to tell bounds apart."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

DIGITS = 5
ROUNDING = 1e-12  # of the largest number of a row
MOST = 9  # digits; below that numbers are equal but for rounding
TELLING = 2  # digits of the difference of two bounds that are shown
PREFIXES = {-12: "p", -9: "n", -6: "µ", -3: "m", 0: "", 3: "k", 6: "M", 9: "G"}
PREFIXED = re.compile(r"(m|N|Pa|J|W|V|A|Hz|s|rad)(?![\w²³^])")  # at the beginning of a unit, to the first power
LARGEST = {"m": 3, "s": 0, "rad": 0}  # nobody writes Mm, ks or krad


@dataclass(frozen=True)
class Scale:
    """A unit with its prefix: a number in the unit without it is `factor` times as large."""

    unit: str = ""
    factor: float = 1.0

    def of(self, value):
        """The number in this unit."""
        return np.asarray(value, float)[()] / self.factor

    def said(self, text: str) -> str:
        """A number with the unit behind it."""
        return f"{text} {self.unit}".rstrip()


def scale(unit: str, values: Iterable[float]) -> Scale:
    """The prefix with which the largest of `values` lies between 1 and 1000; none for units that take no prefix.

    Parameters
    ----------
    unit : str
        As it is printed, such as ``m/s²``.
    """
    found = PREFIXED.match(unit)
    sizes = np.abs(np.fromiter(values, float))
    sizes = sizes[np.isfinite(sizes) & (sizes > 0)]
    if found is None or not len(sizes):
        return Scale(unit)
    power = 3 * int(np.floor(np.log10(sizes.max()) / 3 + 1e-9))
    power = min(max(power, min(PREFIXES)), LARGEST.get(found[1], max(PREFIXES)))
    return Scale(PREFIXES[power] + unit, 10.0**power)


def number(value, digits: int = DIGITS) -> str:
    """A number with so many significant digits; other things as they are."""
    value = np.asarray(value)[()]
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    return f"{value:.{digits}g}" if isinstance(value, (float, np.floating)) else str(value)


def apart(*values: float) -> list[str]:
    """Numbers with enough digits that those that differ are told apart; what is nothing beside the others is 0."""
    finite = np.unique([value for value in values if np.isfinite(value)])
    gaps = np.diff(finite)
    size = np.abs(finite).max() if len(finite) else 0.0
    gaps = gaps[gaps > size * 10.0**-MOST]
    needed = int(np.ceil(np.log10(size / gaps.min()))) + TELLING if len(gaps) else DIGITS
    digits = min(max(needed, DIGITS), MOST + TELLING)
    return [number(float(value) if not abs(value) < ROUNDING * size else 0.0, digits) for value in values]
