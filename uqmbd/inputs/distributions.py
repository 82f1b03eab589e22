"""Distributions by name: our names with the parameters of the variable itself, all others as chaospy has them."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from uqmbd.errors import StudyError, did_you_mean
from uqmbd.inputs.checked import plain_number

MOST_NUMBERS = 100_000  # of a distribution of whole numbers
_MULTIVARIATE = frozenset({"MvLogNormal", "MvNormal", "MvStudentT"})


@dataclass(frozen=True)
class Named:
    """A distribution with names of its own: its symbol, its parameters, how chaospy makes it, what is wrong with it."""

    symbol: str
    parameters: tuple[str, ...]
    build: Callable
    wrong: Callable[..., str | None]


def _ordered(lower: float, upper: float) -> str | None:
    return None if lower < upper else f"lower {lower:g} is not below upper {upper:g}"


def _spread(mean: float, std: float) -> str | None:
    return None if std > 0 else f"std {std:g} is not positive"


def _lognormal_wrong(mean: float, std: float) -> str | None:
    return _spread(mean, std) or (None if mean > 0 else f"the mean {mean:g} of a lognormal variable is not positive")


def _triangular_wrong(lower: float, mode: float, upper: float) -> str | None:
    return _ordered(lower, upper) or (None if lower <= mode <= upper else f"mode {mode:g} is outside [{lower:g}, {upper:g}]")


def _binomial_wrong(size: float, prob: float) -> str | None:
    if size < 1 or size != round(size):
        return f"size {size:g} is not a whole number from 1"
    return None if 0 < prob < 1 else f"prob {prob:g} is not between 0 and 1"


def _lognormal(chaospy, mean: float, std: float):
    """Mean and standard deviation are those of the variable itself, not of its logarithm."""
    variance = math.log1p((std / mean) ** 2)
    return chaospy.LogNormal(math.log(mean) - variance / 2, math.sqrt(variance))


def _gumbel(chaospy, mean: float, std: float):
    """Of largest values."""
    scale = math.sqrt(6) / math.pi * std
    return chaospy.LogWeibull(scale, mean - float(np.euler_gamma) * scale)


NAMED: Mapping[str, Named] = {
    "uniform": Named("U", ("lower", "upper"), lambda cp, lower, upper: cp.Uniform(lower, upper), _ordered),
    "normal": Named("N", ("mean", "std"), lambda cp, mean, std: cp.Normal(mean, std), _spread),
    "lognormal": Named("LN", ("mean", "std"), _lognormal, _lognormal_wrong),
    "gumbel": Named("Gumbel", ("mean", "std"), _gumbel, _spread),
    "binomial": Named("B", ("size", "prob"), lambda cp, size, prob: cp.Binomial(int(size), prob), _binomial_wrong),
    "triangular": Named(
        "Tri", ("lower", "mode", "upper"), lambda cp, lower, mode, upper: cp.Triangle(lower, mode, upper), _triangular_wrong
    ),
}


@cache
def chaospy_names() -> dict[str, type]:
    """Chaospy's one-dimensional distributions by lower-case name, less those we name ourselves."""
    import chaospy

    found = {}
    for name in dir(chaospy):
        item = getattr(chaospy, name)
        if inspect.isclass(item) and item.__module__.startswith("chaospy.distributions.collection") and name not in _MULTIVARIATE:
            found[name.lower()] = item
    return {name: item for name, item in found.items() if name not in NAMED}


def parameters(kind: str) -> dict[str, bool]:
    """Parameter names of a distribution, each with whether it must be given."""
    if kind in NAMED:
        return dict.fromkeys(NAMED[kind].parameters, True)
    signature = inspect.signature(chaospy_names()[kind].__init__).parameters.values()
    return {p.name: p.default is p.empty for p in signature if p.name != "self"}


def check(distribution: Mapping[str, Any]) -> None:
    """Raise `StudyError` unless `build` will work on `distribution`."""
    kind, numbers = _split(distribution)
    if kind not in NAMED and kind not in chaospy_names():
        name = distribution["type"]
        remedy = did_you_mean(name, [*NAMED, *chaospy_names()], noun="distribution")
        raise StudyError(f"there is no distribution '{name}'", key="distribution.type", value=name, remedy=remedy)
    known = parameters(kind)
    for name in numbers:
        if name not in known:
            remedy = f"{kind} takes " + ", ".join(known)
            raise StudyError(f"the distribution {kind} has no parameter '{name}'", key=f"distribution.{name}", remedy=remedy)
    missing = [name for name, needed in known.items() if needed and name not in numbers]
    if missing:
        raise StudyError(f"the distribution {kind} lacks " + ", ".join(missing), key="distribution")
    if kind in NAMED:
        wrong = NAMED[kind].wrong(**numbers)
    else:
        wrong = _unusable(kind, numbers)
    if wrong:
        raise StudyError(wrong, key="distribution", value=dict(distribution))


@dataclass(frozen=True, eq=False)
class Whole:
    """A distribution of whole numbers, which chaospy has as a continuous one that its samples round.

    Attributes
    ----------
    numbers, below : ndarray, shape (count,)
        Ascending, and the probability to be at most each of them.
    """

    numbers: np.ndarray
    below: np.ndarray

    @classmethod
    def of(cls, continuous: Any) -> Whole:
        """What chaospy's samples are rounded to."""
        first, last = (float(np.rint(np.ravel(end)[0])) for end in (continuous.lower + 0.5, continuous.upper - 0.5))
        if last - first > MOST_NUMBERS:
            raise StudyError(
                f"the distribution has {last - first + 1:.0f} whole numbers", key="distribution", remedy="take a continuous one"
            )
        numbers = np.arange(first, last + 1)
        return cls(numbers, np.asarray(continuous.fwd(numbers + 0.5), float))

    def inv(self, u: np.ndarray) -> np.ndarray:
        """Quantiles."""
        return self.numbers[np.minimum(np.searchsorted(self.below, u), len(self.numbers) - 1)]

    def fwd(self, x: np.ndarray) -> np.ndarray:
        """Distribution function."""
        return np.concatenate([[0.0], self.below])[np.searchsorted(self.numbers, x, side="right")]


def build(distribution: Mapping[str, Any]):
    """The chaospy distribution, or `Whole` of it."""
    import chaospy

    kind, numbers = _split(distribution)
    found = NAMED[kind].build(chaospy, **numbers) if kind in NAMED else chaospy_names()[kind](**numbers)
    return Whole.of(found) if found.interpret_as_integer else found


def notation(distribution: Mapping[str, Any]) -> str:
    """In the notation of the field: ``U(0.03, 0.07)``, ``N(1, 0.1)``, ``gamma(shape=2, scale=3)``."""
    kind, numbers = _split(distribution)
    if kind in NAMED:
        return f"{NAMED[kind].symbol}({', '.join(f'{numbers[name]:.10g}' for name in NAMED[kind].parameters)})"
    return f"{kind}({', '.join(f'{name}={value:.10g}' for name, value in numbers.items())})"


def _split(distribution: Mapping[str, Any]) -> tuple[str, dict[str, float]]:
    kind = distribution.get("type")
    if not isinstance(kind, str):
        raise StudyError("a distribution needs its type", key="distribution.type", value=kind, remedy='write type = "uniform", say')
    numbers = {}
    for name, value in distribution.items():
        if name != "type":
            try:
                numbers[name] = plain_number(value)
            except ValueError as error:
                raise StudyError(str(error), key=f"distribution.{name}") from None
    return kind.lower(), numbers


def _unusable(kind: str, numbers: Mapping[str, float]) -> str | None:
    """Chaospy takes impossible parameters without a word; its quartiles tell."""
    try:
        with np.errstate(all="ignore"):
            quartiles = np.asarray(chaospy_names()[kind](**numbers).inv(np.array([0.25, 0.5, 0.75])), float)
    except Exception as error:
        return f"chaospy cannot make the distribution {kind} of these parameters ({error})"
    if np.all(np.isfinite(quartiles)) and quartiles[0] <= quartiles[1] <= quartiles[2]:
        return None
    return f"the distribution {kind} does not exist for these parameters"
