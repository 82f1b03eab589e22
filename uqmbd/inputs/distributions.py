"""Distributions by name: some with the parameters of the variable itself, all others as `uqmbd.inputs.catalogue` has them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from uqmbd.errors import StudyError, did_you_mean
from uqmbd.inputs.catalogue import AMBIGUOUS, FAMILIES, binomial, frozen, triangular
from uqmbd.inputs.checked import plain_number
from uqmbd.inputs.units import ToSI
from uqmbd.inputs.univariate import Distribution


@dataclass(frozen=True)
class Parametrisation:
    """A distribution with parameters of its own: its symbol, its parameters, how it is made, what is wrong with it."""

    symbol: str
    parameters: tuple[str, ...]
    build: Callable[..., Distribution]
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


def _lognormal(mean: float, std: float) -> Distribution:
    """Mean and standard deviation are those of the variable itself, not of its logarithm."""
    variance = math.log1p((std / mean) ** 2)
    return frozen("lognorm", (math.sqrt(variance),), 0.0, math.exp(math.log(mean) - variance / 2))


def _gumbel(mean: float, std: float) -> Distribution:
    """Of largest values."""
    scale = math.sqrt(6) / math.pi * std
    return frozen("gumbel_r", (), mean - float(np.euler_gamma) * scale, scale)


NAMED: Mapping[str, Parametrisation] = {
    "uniform": Parametrisation("U", ("lower", "upper"), lambda lower, upper: frozen("uniform", (), lower, upper - lower), _ordered),
    "normal": Parametrisation("N", ("mean", "std"), lambda mean, std: frozen("norm", (), mean, std), _spread),
    "lognormal": Parametrisation("LN", ("mean", "std"), _lognormal, _lognormal_wrong),
    "gumbel": Parametrisation("Gumbel", ("mean", "std"), _gumbel, _spread),
    "binomial": Parametrisation("B", ("size", "prob"), binomial, _binomial_wrong),
    "triangular": Parametrisation("Tri", ("lower", "mode", "upper"), triangular, _triangular_wrong),
}


SYNONYMS = {  # other words for some of them
    "gauss": "normal", "gaussian": "normal", "norm": "normal", "lognorm": "lognormal", "log_normal": "lognormal", "flat": "uniform",
    "rectangular": "uniform", "unif": "uniform", "triangle": "triangular", "tri": "triangular", "exp": "exponential",
}  # fmt: skip


def parameters(kind: str) -> dict[str, bool]:
    """Parameter names of a distribution, each with whether it must be given."""
    if kind in NAMED:
        return dict.fromkeys(NAMED[kind].parameters, True)
    return {name: usual is None for name, usual in FAMILIES[kind].parameters.items()}


def check(distribution: Mapping[str, Any]) -> None:
    """Raise `StudyError` unless `build` will work on `distribution`."""
    kind, numbers = _split(distribution)
    if kind not in NAMED and kind not in FAMILIES:
        name = distribution["type"]
        if kind in AMBIGUOUS:
            raise StudyError(f"the distribution '{name}' has two meanings", key="distribution.type", value=name, remedy=AMBIGUOUS[kind])
        remedy = did_you_mean(SYNONYMS.get(kind, str(name)), [*NAMED, *FAMILIES], noun="distribution")
        if not remedy.startswith("did"):
            remedy = f"use one of: {', '.join(NAMED)}, or one of scipy's by its name, such as gamma or weibull"
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


def build(distribution: Mapping[str, Any]) -> Distribution:
    """The distribution."""
    kind, numbers = _split(distribution)
    return NAMED[kind].build(**numbers) if kind in NAMED else _family(kind, numbers)


def _family(kind: str, numbers: Mapping[str, float]) -> Distribution:
    usual = {name: number for name, number in FAMILIES[kind].parameters.items() if number is not None}
    return FAMILIES[kind].build({**usual, **numbers})


PLACES = ("lower", "upper", "mode", "midpoint", "mean", "mu", "shift")  # parameters that are values of the variable
SPREADS = ("std", "sigma", "scale", "radius")  # and differences of such
WHOLE = ("binomial", "discreteuniform")


def completed(distribution: Mapping[str, Any]) -> dict[str, Any]:
    """The same with the parameters that have their usual values, all as floats."""
    kind, numbers = _split(distribution)
    usual = {} if kind in NAMED else FAMILIES[kind].parameters
    known = {name: number for name, number in usual.items() if number is not None and math.isfinite(number)}
    return {"type": kind, **{name: float(number) for name, number in {**known, **numbers}.items()}}


def in_si(distribution: Mapping[str, Any], si: ToSI) -> dict[str, Any] | None:
    """The distribution with its parameters in SI; None where it has no parameters that say it.

    That is so of whole numbers, of lognormal variables in a unit with an offset, and of folded normal ones with a place: their mean is
    counted from it in standard deviations.
    """
    table = completed(distribution)
    kind = table["type"]
    if kind in WHOLE or (kind == "lognormal" and si.offset) or (kind == "foldednormal" and (si.offset or table["shift"])):
        return None
    places, spreads = PLACES, SPREADS
    if "scale" in table:  # the others are of the standard variable, but for one
        places, spreads = ("shift", "upper") if kind == "truncexponential" else ("shift",), ("scale",)
    for name, number in table.items():
        if name in places or name in spreads:
            table[name] = si.number(number, difference=name in spreads)
    return table


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
    """Scipy takes impossible parameters without a word; the quartiles tell."""
    try:
        with np.errstate(all="ignore"):
            quartiles = _family(kind, numbers).ppf(np.array([0.25, 0.5, 0.75]))
    except (ArithmeticError, ValueError, AssertionError) as error:
        return f"the distribution {kind} does not exist for these parameters ({error})"
    if np.all(np.isfinite(quartiles)) and quartiles[0] <= quartiles[1] <= quartiles[2]:
        return None
    return f"the distribution {kind} does not exist for these parameters"
