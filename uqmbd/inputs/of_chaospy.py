"""Distributions of chaospy as they are: which objects they are, what is in them, and the names that study files have for them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from uqmbd.errors import StudyError
from uqmbd.inputs.catalogue import FAMILIES
from uqmbd.inputs.distributions import NAMED, build, check, parameters
from uqmbd.inputs.univariate import inverse_of

RENAMED = {"LogNormal": "powerlognormal", "Triangle": "triangular"}  # class of chaospy -> type here, of other letters
WHOLE = ("binomial", "discreteuniform")
WORKING = {  # what an object notes while it computes, and the numbers by which its process knows it
    "_mom_cache", "_ttr_cache", "_indices", "_cache_copy", "_lower_cache", "_upper_cache", "_cache_lower", "_cache_upper", "_repr_args",
    "_dependencies", "_all_dependencies", "_exclusion", "_zloc", "_kernel0", "_kernel1",
}  # fmt: skip
OPERATORS = ("Add", "Multiply", "Negative")
PLACES = ("lower", "upper", "mode", "mean", "mu", "shift")  # parameters that move with a variable
SPREADS = ("std", "sigma", "scale")
_COPULA = "is no copula of that name in chaospy 4.3: its inputs come out with other distributions than they have"
_OTHER = "take chaospy.Clayton, chaospy.Nataf (a Gaussian copula), or rank correlations: [dependence]"
WRONG = {  # tests say of each that it still is
    "Trunc": (
        "has other quantiles than the distribution between its ends, by up to 4 %",
        "write chaospy.TruncNormal(lower, upper, mu, sigma) for a normal variable; for another one a table with truncate = [lower, upper], "
        "or uqmbd.Gamma(2.0, 1.0, truncate=[0, 3])",
    ),
    **dict.fromkeys(("Gumbel", "Joe", "TCopula", "MvStudentT"), (_COPULA, _OTHER)),
}
TRIED = np.array([0.02, 0.2, 0.5, 0.7, 0.95])


@dataclass(frozen=True)
class Labelled:
    """A distribution, and the name under which a study file finds it: ``"distributions.py:name"``."""

    distribution: Any
    label: str


def is_distribution(value: Any) -> bool:
    """True for what comes from chaospy, which is not imported for it."""
    return any(kind.__module__ == "chaospy.distributions.baseclass.distribution" for kind in type(value).__mro__)


def parts_of(distribution: Any) -> Iterator[Any]:
    """Itself, and all distributions that it is made of, some of them twice."""
    yield distribution
    inner = [*distribution._parameters.values(), getattr(distribution, "_dist", None)]
    for part in inner:
        if is_distribution(part):
            yield from parts_of(part)


def refuse(distribution: Any) -> None:
    """Raise `StudyError` for what chaospy makes a wrong distribution of."""
    for part in parts_of(distribution):
        if type(part).__name__ in WRONG:
            fault, remedy = WRONG[type(part).__name__]
            raise StudyError(f"chaospy.{type(part).__name__} {fault}: {part!r}", key="distribution", remedy=remedy)


def digest_of(distribution: Any) -> str:
    """Hash of the content: the same in every process, and of equal distributions; which parts are the same variable counts."""
    return hashlib.sha256(json.dumps(_content(distribution, {})).encode()).hexdigest()


def _content(value: Any, known: dict[int, int]) -> Any:
    """As JSON; a distribution that came before by its number, since ``x + x`` is another variable than ``x + y``."""
    if is_distribution(value):
        if id(value) in known:
            return ["again", known[id(value)]]
        known[id(value)] = len(known)
        inside = {key: _content(entry, known) for key, entry in sorted(vars(value).items()) if key not in WORKING}
        return [type(value).__qualname__, inside]
    if isinstance(value, Mapping):
        return [[_content(key, known), _content(entry, known)] for key, entry in value.items()]
    if isinstance(value, (list, tuple)):
        return [_content(entry, known) for entry in value]
    if isinstance(value, (np.ndarray, np.generic)):
        return np.asarray(value, float).tolist()
    if is_distribution(getattr(value, "__self__", None)):  # a method of its own
        return value.__qualname__
    if value is None or isinstance(value, (bool, int, float, str)):
        return float(value) if type(value) is int else value
    raise StudyError(
        f"a distribution of chaospy holds {value!r}, which cannot be told from others",
        key="distribution",
        remedy="give its samples as data, or write a kind of input (docs/plugins.md)",
    )


def table_of(distribution: Any) -> dict[str, Any] | None:
    """Type and parameters by which a study file knows a distribution, moved and scaled too; None: it has no name there.

    Whether it is the same is tried: parameters mean other things here and there, see docs/theory/dependence.md.
    """
    if type(distribution).__name__ in OPERATORS and (moved := moves(distribution)) is not None:
        variable, factor, offset = moved
        if (inner := table_of(variable)) is None or inner["type"] in WHOLE:
            return None
        table = {key: _moved(key, value, inner, factor, offset) for key, value in inner.items()}
        if factor < 0 and "upper" in table:
            table |= {"lower": table["upper"], "upper": table["lower"]}
        before = build(inner).ppf(TRIED if factor > 0 else 1 - TRIED)
        return table if _is(table, factor * before + offset) else None
    kind = RENAMED.get(type(distribution).__name__, type(distribution).__name__.lower())
    ours = type(distribution).__module__.startswith("chaospy.distributions.collection.") and (kind in FAMILIES or kind in NAMED)
    if not ours or (numbers := _numbers(distribution, kind)) is None:
        return None
    table = {"type": kind, **numbers}
    return table if kind in WHOLE or _is(table, inverse_of(distribution, TRIED)) else None


def moves(distribution: Any) -> tuple[Any, float, float] | None:
    """A variable, a factor and what is added, where an operator makes that of one variable and a number; None otherwise."""
    left, right = (distribution._parameters[side] for side in ("left", "right"))
    if type(distribution).__name__ == "Negative":
        return left, -1.0, 0.0
    variable, number = (left, right) if is_distribution(left) else (right, left)
    if is_distribution(number) or np.size(number) != 1:
        return None
    number = float(np.ravel(number)[0])
    return (variable, 1.0, number) if type(distribution).__name__ == "Add" else (variable, number, 0.0)


def peeled(distribution: Any) -> tuple[Any, float, float]:
    """X, 2.0, 1.0 of ``2 X + 1``: values of it are ``2.0 * x + 1.0`` to the last bit. Factors that are not positive stay in X."""
    factor, offset = 1.0, 0.0
    if type(distribution).__name__ == "Add" and (moved := moves(distribution)) is not None:
        distribution, _, offset = moved
    if type(distribution).__name__ == "Multiply" and (moved := moves(distribution)) is not None and moved[1] > 0:
        distribution, factor, _ = moved
    return distribution, factor, offset


def _moved(key: str, value: Any, table: Mapping[str, Any], factor: float, offset: float) -> Any:
    """A parameter of ``factor X + offset``, as most families are moved."""
    if "shift" in table and key in ("mu", "sigma"):  # of the logarithm
        return value
    return factor * value + offset if key in PLACES else abs(factor) * value if key in SPREADS else value


def _is(table: Mapping[str, Any], quantiles: np.ndarray) -> bool:
    """True if a table is the distribution that has these quantiles."""
    try:
        check(table)
        return bool(np.allclose(build(table).ppf(TRIED), quantiles, rtol=1e-8, atol=1e-9 * np.ptp(quantiles)))
    except (StudyError, TypeError):
        return False


def _numbers(distribution: Any, kind: str) -> dict[str, float] | None:
    """Parameters by our names: where it lies and how wide it is as the object says, shapes in their order; None: it has no one number."""
    wanted = list(parameters(kind))
    other = {"shift": wanted[-2], "scale": wanted[-1]} if wanted[-2:] in (["mean", "std"], ["mu", "sigma"]) else {}
    other = other if kind != "truncnormal" else {}
    numbers: dict[str, float] = {}
    shapes: list[float] = []
    at: Any = distribution._parameters["_000"] if kind == "binomial" else distribution
    for depth in range(3):
        for key, value in at._parameters.items():
            if is_distribution(value) or np.size(value) != 1:
                return None
            number = float(np.ravel(value)[0])
            if depth == 0 and other.get(key, key) in wanted:
                numbers[str(other.get(key, key))] = number
            elif key == "scale" and kind == "powerlognormal":  # within: the logarithm of which is the mean of the logarithm
                numbers["mu"] = float(f"{np.log(number):.15g}")
            elif key not in ("shift", "scale"):
                shapes.append(number)
        if (at := getattr(at, "_dist", None)) is None:
            break
    if kind in ("triangular", "foldednormal", "truncexponential"):  # said of the standard variable
        first, width = (
            (numbers["lower"], numbers["upper"] - numbers["lower"]) if kind == "triangular" else (numbers["shift"], numbers["scale"])
        )
        shapes = [first + shapes[0] * (1.0 if kind == "foldednormal" else width)]
    names = [name for name in wanted if name not in numbers]
    if kind == "powerlognormal" and len(shapes) == 1:
        names, numbers["shape"] = ["sigma"], 1.0
    numbers |= dict(zip(names, shapes))
    return {name: number for name, number in numbers.items() if np.isfinite(number)}
