"""Kinds of uncertain input."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from uqmbd.errors import StudyError, did_you_mean
from uqmbd.inputs.base import Input
from uqmbd.inputs.choice import Choice
from uqmbd.inputs.copula import Dependence
from uqmbd.inputs.fixed import Fixed
from uqmbd.inputs.focal import Focal
from uqmbd.inputs.fuzzy import Fuzzy
from uqmbd.inputs.integers import Integers
from uqmbd.inputs.interval import Interval
from uqmbd.inputs.joint import names_in
from uqmbd.inputs.of_chaospy import Labelled, is_distribution
from uqmbd.inputs.random import Random
from uqmbd.inputs.sets import ConvexSet
from uqmbd.inputs.space import Space

INPUTS: tuple[type[Input], ...] = (Interval, Random, Fuzzy, Focal, Integers, Choice, Fixed)


def read_input(table: Mapping[str, Any], more: Mapping[str, type[Input]] | None = None) -> Input:
    """The input that a table of a study file describes, in the units of the file; `more` are kinds from outside by their keys.

    Raises
    ------
    StudyError
        With `key` relative to the table.
    """
    if not isinstance(table, Mapping):
        raise StudyError("an input is a table", value=table, remedy="write interval = [lower, upper], say")
    kinds = {kind.key: kind for kind in INPUTS} | dict(more or {})
    for key in table:
        if key not in kinds and key != "unit":
            raise StudyError(f"an input has no key '{key}'", key=key, remedy=did_you_mean(key, [*kinds, "unit"], noun="key"))
    chosen = [key for key in table if key in kinds]
    if len(chosen) != 1:
        which = "none of them" if not chosen else " and ".join(chosen)
        raise StudyError(f"an input has one of the keys {', '.join(kinds)}; this one has {which}")
    unit = table.get("unit", "")
    if not isinstance(unit, str):
        raise StudyError("a unit is a text", key="unit", value=unit, remedy='write unit = "mm", say')
    return kinds[chosen[0]].from_value(table[chosen[0]], unit)


def given(inputs: Mapping[Any, Any]) -> dict[str, Any]:
    """Inputs with distributions of chaospy, and frozen ones of scipy, as `Random`; several names as one key, ``"a, b"``."""
    named = {}
    for key, item in inputs.items():
        several = isinstance(key, tuple) and all(isinstance(name, str) for name in key)
        key = ", ".join(names_in(key)) if several or (isinstance(key, str) and "," in key) else key
        try:
            foreign = is_distribution(item) or (hasattr(item, "dist") and not isinstance(item, Input))
            named[key] = Random(item) if foreign else item
        except StudyError as error:
            raise error.under(f"inputs.{key}") from error.__cause__
    return named


__all__ = [
    "INPUTS",
    "Choice",
    "ConvexSet",
    "Dependence",
    "Fixed",
    "Focal",
    "Fuzzy",
    "Input",
    "Integers",
    "Interval",
    "Labelled",
    "Random",
    "Space",
    "given",
    "read_input",
]
