"""Checks of the names that a study gives: of outputs, of units, of itself."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from uqmbd.errors import StudyError, did_you_mean
from uqmbd.groups import DIMENSIONS

TAKEN = frozenset(("status", "message", "time", "run", "input", "partial"))  # columns of the runs, and what these begin with


def check_outputs(outputs: Sequence[str]) -> list[str]:
    """Names of the outputs: some, all different, fit to be variables of a dataset."""
    if isinstance(outputs, str) or not all(isinstance(name, str) for name in outputs):
        raise StudyError(
            "outputs are a list of names", key="outputs.include", value=outputs, remedy='write ["slider.x", "B.force:max"], say'
        )
    if not outputs:
        raise StudyError("a study needs at least one output", key="outputs.include", value=[], remedy="name one")
    for name in outputs:
        base = name.partition(":")[0]
        if not base.strip() or "/" in name or "\\" in name or base.startswith(".") or not name.isprintable():
            remedy = "rename it: no slash, no dot at its beginning, no line break"
            raise StudyError("an output cannot have this name", key="outputs.include", value=name, remedy=remedy)
        if base in TAKEN or name in DIMENSIONS:
            text = f"an output cannot have this name, which results have a use for: {', '.join(sorted(TAKEN | DIMENSIONS))}"
            raise StudyError(text, key="outputs.include", value=name, remedy="rename it in the model")
        if list(outputs).count(name) > 1:
            raise StudyError("the output is named twice", key="outputs.include", value=name, remedy="name it once")
    return list(outputs)


def check_input_name(name: Any) -> None:
    """The name of an input is a possible keyword argument."""
    if not isinstance(name, str) or not name.isidentifier() or name == "time":
        text = "an input's name has to be a Python name, and not `time`"
        raise StudyError(text, key=f"inputs.{name}", remedy="use letters, digits and _")


def check_units(units: Mapping[str, str], outputs: Sequence[str]) -> dict[str, str]:
    """Units by names of outputs, or of what is reduced in them."""
    names = [*outputs, *(name.partition(":")[0] for name in outputs)]
    for name, unit in units.items():
        if name not in names:
            raise StudyError(
                f"'{name}' is none of outputs.include", key="outputs.units", value=unit, remedy=did_you_mean(name, names, noun="output")
            )
    return dict(units)


def check_kind(value: Any, kind: Any, key: str, wanted: str) -> Any:
    """`value` if it is of `kind`."""
    if not isinstance(value, kind):
        raise StudyError(f"expected {wanted}", key=key, value=value)
    return value


def check_name(name: str) -> str:
    """A study's name, which is the name of a directory."""
    if not re.fullmatch(r"[\w][\w.\- ]*", name):
        raise StudyError(
            "a study's name is also a directory", key="study.name", value=name, remedy="use letters, digits, dots, dashes and underscores"
        )
    return name
