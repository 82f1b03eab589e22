"""Methods: what to run, and what follows from it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from uqmbd.errors import StudyError
from uqmbd.methods.base import Method, MethodRun
from uqmbd.methods.names import METHODS
from uqmbd.plugins import blaming, load_plugin, nonsense

__all__ = ["METHODS", "Method", "MethodRun", "read_method", *METHODS.classes]


def __getattr__(name: str) -> Any:
    if name not in METHODS.classes:
        raise AttributeError(f"module 'uqmbd.methods' has no attribute {name!r}")
    return METHODS[METHODS.classes[name]]


def read_method(table: Mapping[str, Any], directory: Path = Path()) -> Method:
    """The method that the table ``[method]`` of a study file in `directory` describes: one of `METHODS`, or one from outside.

    Raises
    ------
    StudyError
        With `key` relative to the table.
    """
    name = table.get("type") if isinstance(table, Mapping) else None
    if name is None:
        raise StudyError("a method needs its type", key="type", remedy=f"use one of: {', '.join(METHODS)}")
    if not isinstance(name, str):
        raise StudyError("the type of a method is a word", key="type", value=name, remedy=f"use one of: {', '.join(METHODS)}")
    kind = load_plugin(name, METHODS, "method", key="type", directory=directory, kind=Method)
    with blaming(kind, "method", "type"):
        method = kind(**{key: value for key, value in table.items() if key != "type"})
    if not isinstance(method, Method):  # a class may make anything
        raise nonsense(kind, "method", "type", f"makes {type(method).__name__}", "let it make itself")
    return method
