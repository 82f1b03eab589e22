"""Numbers as tables and sentences say them: with a prefix before the unit, and with enough digits to tell bounds apart."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

DIGITS = 5
ROUNDING = 1e-12  # of the largest number of a row
MOST = 9  # digits; below that numbers are equal but for rounding
TELLING = 2  # digits of the difference of two bounds that are shown
BRIEF = 3  # digits of a number in a short answer
NEARLY = 0.05  # of the last digit: a bound this close is said as that digit
SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
PREFIXES = {-12: "p", -9: "n", -6: "µ", -3: "m", 0: "", 3: "k", 6: "M", 9: "G"}
PREFIXED = re.compile(r"(m|N|Pa|J|W|V|A|Hz|s|rad)(?![\w²³^])")  # at the beginning of a unit, to the first power
LARGEST = {"m": 3, "s": 0, "rad": 0}  # nobody writes Mm, ks or krad


@dataclass(frozen=True)
class Scale:
    """A unit with its prefix: a number in the unit without it is `factor` times as large."""

    unit: str = ""
    factor: float = 1.0

    def of(self, value: ArrayLike) -> Any:
        """The number in this unit; of an array an array."""
        return np.asarray(value, float)[()] / self.factor

    def said(self, text: str) -> str:
        """A number with the unit behind it."""
        return f"{text} {self.unit}".rstrip()


def scale(unit: str, values: Iterable[float]) -> Scale:
    """The prefix with which the largest of `values` lies between 1 and 1000; none for units, printed as ``m/s²``, that take no prefix."""
    match = PREFIXED.match(unit)
    sizes = np.abs(np.fromiter(values, float))
    sizes = sizes[np.isfinite(sizes) & (sizes > 0)]
    if match is None or not len(sizes):
        return Scale(unit)
    power = 3 * int(np.floor(np.log10(sizes.max()) / 3 + 1e-9))
    power = min(max(power, min(PREFIXES)), LARGEST.get(match[1], max(PREFIXES)))
    return Scale(PREFIXES[power] + unit, 10.0**power)


def bracketed(unit: str) -> str:
    """`` [unit]``, to stand after a name; nothing for pure numbers."""
    return f" [{unit}]" if unit else ""


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


def between(lower: float, upper: float, *, outward: bool = True) -> tuple[str, str]:
    """Both ends of a range in few digits: three of the larger number, or two of the width where that is more.

    `outward`: the range may only become wider by it, as bounds must (but for a twentieth of the last digit); else the nearest are said.
    """
    place = _place(max(abs(lower), abs(upper)), upper - lower)
    step = 10.0**place
    if outward and np.isfinite([lower, upper]).all():
        lower, upper = np.floor(lower / step + NEARLY) * step, np.ceil(upper / step - NEARLY) * step
    return _written(lower, place), _written(upper, place)


def brief(value: float, width: float = 0.0) -> str:
    """A number with three digits; with fewer where all that is known of it is that it lies somewhere in a range of this width."""
    place = _place(abs(value), 0.0)
    if width > 0:
        half = np.log10(width / 2)
        place = min(max(place, int(np.floor(half - np.log10(2)))), _exponent(value))
    return _written(value, place)


def _place(size: float, width: float) -> int:
    """Power of ten of the last digit that is said of numbers of a size, and of a range of a width."""
    place = _exponent(size) - BRIEF + 1
    return min(place, _exponent(width) - TELLING + 1) if width > ROUNDING * size else place


def _exponent(size: float) -> int:
    return int(np.floor(np.log10(abs(size)) + 1e-9)) if np.isfinite(size) and size else 0


def _written(value: float, place: int) -> str:
    """A number rounded at a power of ten, without zeros at its end; with a power of ten where it is very large or very small."""
    if not np.isfinite(value):
        return number(float(value))
    value = round(value / 10.0**place) * 10.0**place
    power = _exponent(value)
    if value and not -3 <= power < 6:
        return f"{_plain(value / 10.0**power, max(0, power - place))}×10{str(power).translate(SUPERSCRIPT)}"
    return _plain(value, max(0, -place))


def _plain(value: float, decimals: int) -> str:
    text = f"{value:.{decimals}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text
