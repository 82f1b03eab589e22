"""Distributions of chaospy as tables of study files, by what their `repr` says: the name and all numbers, in full."""

from __future__ import annotations

import ast
import inspect
from typing import Any

from uqmbd.errors import StudyError
from uqmbd.inputs.catalogue import FAMILIES

RENAMED = {  # class of chaospy -> type here, and its parameters here by their names there
    "Binomial": ("binomial", {}),
    "LogNormal": ("powerlognormal", {}),
    "Normal": ("normal", {"mu": "mean", "sigma": "std"}),
    "Triangle": ("triangular", {"midpoint": "mode"}),
    "Uniform": ("uniform", {}),
}
OTHERS = {"PERT"}  # has a name of ours, and other shapes


def table_of(distribution: Any) -> dict[str, Any]:
    """Type and parameters of ``chaospy.Gamma(2.0, scale=3.0)``, or of one that ``chaospy.Trunc`` cuts off.

    Cut off at both ends it is the distribution under the condition that it lies between them; chaospy 4.3 has other quantiles there.

    Raises
    ------
    StudyError
        If it is of a kind that study files do not know: a sum or product, several variables at once, a kernel density.
    """
    try:
        call = ast.parse(repr(distribution), mode="eval").body
    except SyntaxError:
        raise unknown(distribution) from None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        raise unknown(distribution)
    return _table(call, distribution)


def _table(call: ast.Call, distribution: Any) -> dict[str, Any]:
    import chaospy

    assert isinstance(call.func, ast.Name)
    name, given = call.func.id, {str(word.arg): word.value for word in call.keywords}
    if name == "Trunc" and call.args and isinstance(call.args[0], ast.Call):
        inner = _table(call.args[0], distribution)
        known = {"lower", "upper"} & set(given)
        if "truncate" in inner or known != set(given):
            raise unknown(distribution)
        ends = {key: _number(given[key], distribution) for key in known}
        return {**inner, "truncate": [ends.get("lower", -float("inf")), ends.get("upper", float("inf"))]}
    kind, renamed = RENAMED.get(name, (name.lower(), {}))
    if name in OTHERS or (name not in RENAMED and kind not in FAMILIES):
        raise unknown(distribution)
    known = inspect.signature(getattr(chaospy, name)).parameters
    usual = {key: parameter.default for key, parameter in known.items() if parameter.default is not parameter.empty}
    given |= dict(zip(known, call.args, strict=False))
    numbers = usual | {key: _number(value, distribution) for key, value in given.items()}
    shape = {"shape": 1.0} if name == "LogNormal" else {}
    return {"type": kind, **shape, **{renamed.get(key, key): float(value) for key, value in numbers.items()}}


def _number(node: ast.expr, distribution: Any) -> float:
    try:
        return float(ast.literal_eval(node))
    except (ValueError, TypeError):
        raise unknown(distribution) from None


def unknown(distribution: Any) -> StudyError:
    """The error for a distribution that has no table."""
    return StudyError(
        f"the distribution {distribution!r} of chaospy is not known here",
        key="distribution",
        remedy="give one variable by its name and numbers, cut off by chaospy.Trunc if need be; or give its samples as data",
    )
