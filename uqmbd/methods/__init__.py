"""Methods: what to run, and what follows from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from uqmbd.errors import StudyError, did_you_mean
from uqmbd.methods.base import Method, MethodRun
from uqmbd.methods.chebyshev import Chebyshev
from uqmbd.methods.montecarlo import MonteCarlo

METHODS: tuple[type[Method], ...] = (Chebyshev, MonteCarlo)


def read_method(table: Mapping[str, Any]) -> Method:
    """The method that the table ``[method]`` of a study file describes.

    Raises
    ------
    StudyError
        With `key` relative to the table.
    """
    known = {method.name: method for method in METHODS}
    name = table.get("type") if isinstance(table, Mapping) else None
    if name is None:
        raise StudyError("a method needs its type", key="type", remedy=f"use one of: {', '.join(known)}")
    if name not in known:
        raise StudyError(f"there is no method '{name}'", key="type", value=name, remedy=did_you_mean(name, known, noun="method"))
    return known[name](**{key: value for key, value in table.items() if key != "type"})


__all__ = ["METHODS", "Chebyshev", "Method", "MethodRun", "MonteCarlo", "read_method"]
