"""Frozen distributions of scipy as tables of study files, so that a study written in Python is stored like any other."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from uqmbd.errors import StudyError


def _placed(kind: str, *shapes: str) -> Callable[..., dict[str, Any]]:
    """A family of scipy that has shapes of the same meaning, a shift and a scale."""

    def table(*numbers: float) -> dict[str, Any]:
        *own, loc, scale = numbers
        return {"type": kind, **dict(zip(shapes, own, strict=True)), "shift": loc, "scale": scale}

    return table


def _lognorm(s: float, loc: float, scale: float) -> dict[str, Any]:
    if loc:
        return {"type": "powerlognormal", "shape": 1.0, "mu": 0.0, "sigma": s, "shift": loc, "scale": scale}
    mean = scale * math.exp(s * s / 2)
    return {"type": "lognormal", "mean": mean, "std": mean * math.sqrt(math.expm1(s * s))}


def _gumbel_r(loc: float, scale: float) -> dict[str, Any]:
    euler = 0.57721566490153286
    return {"type": "gumbel", "mean": loc + euler * scale, "std": math.pi / math.sqrt(6) * scale}


OF_SCIPY: dict[str, Callable[..., dict[str, Any]]] = {  # shapes, loc, scale -> table of a study file
    "uniform": lambda loc, scale: {"type": "uniform", "lower": loc, "upper": loc + scale},
    "norm": lambda loc, scale: {"type": "normal", "mean": loc, "std": scale},
    "lognorm": _lognorm,
    "gumbel_r": _gumbel_r,
    "triang": lambda c, loc, scale: {"type": "triangular", "lower": loc, "mode": loc + c * scale, "upper": loc + scale},
    "beta": lambda a, b, loc, scale: {"type": "beta", "alpha": a, "beta": b, "lower": loc, "upper": loc + scale},
    "truncnorm": lambda a, b, loc, scale: {
        "type": "normal", "mean": loc, "std": scale, "truncate": [loc + a * scale, loc + b * scale],
    },
    "expon": _placed("exponential"),
    "gamma": _placed("gamma", "shape"),
    "weibull_min": _placed("weibull", "shape"),
    "rayleigh": _placed("rayleigh"),
    "t": lambda df, loc, scale: {"type": "studentt", "df": df, "mu": loc, "sigma": scale},
    "laplace": lambda loc, scale: {"type": "laplace", "mu": loc, "sigma": scale},
}  # fmt: skip


def table_of(distribution: Any) -> dict[str, Any]:
    """Type and parameters of a frozen distribution, ``scipy.stats.norm(1.0, 0.1)``.

    Raises
    ------
    StudyError
        If it is of a family that study files do not know.
    """
    family = distribution.dist.name
    if family not in OF_SCIPY:
        known = ", ".join(OF_SCIPY)
        raise StudyError(f"the distribution '{family}' of scipy is not known here", key="distribution", remedy=f"known are {known}")
    shapes, loc, scale = distribution.dist._parse_args(*distribution.args, **distribution.kwds)
    try:
        return OF_SCIPY[family](*map(float, (*shapes, loc, scale)))
    except TypeError:
        remedy = "give its parameters as one number each, and an input to each variable"
        raise StudyError(f"the distribution '{family}' of scipy is of several variables", key="distribution", remedy=remedy) from None
