"""What the code of a function names: globals, attributes, modules that it imports."""

from __future__ import annotations

import dis
import types
from collections.abc import Iterator
from functools import cache

from uqmbd.simulators.own import file_of, imported, parents


def instructions(body: types.CodeType) -> Iterator[dis.Instruction]:
    """Of a piece of code and those within it."""
    yield from dis.get_instructions(body)
    for constant in body.co_consts:
        if isinstance(constant, types.CodeType):
            yield from instructions(constant)


@cache
def global_names(body: types.CodeType) -> frozenset[str]:
    """Names of globals that code reads or writes."""
    ends = ("_GLOBAL", "_NAME", "_OR_GLOBALS")
    return frozenset(one.argval for one in instructions(body) if one.opname.endswith(ends) and one.opname != "IMPORT_NAME")


@cache
def attribute_names(body: types.CodeType) -> frozenset[str]:
    """Names of attributes that code takes of something, or imports from it."""
    kinds = ("LOAD_ATTR", "LOAD_METHOD", "STORE_ATTR", "IMPORT_FROM")
    return frozenset(one.argval for one in instructions(body) if one.opname in kinds)


def imported_by(function: types.FunctionType) -> list[str]:
    """Modules that a function imports as it runs."""
    space = function.__globals__
    package = space.get("__package__") or (space.get("__name__") or "").rpartition(".")[0]
    found: dict[str, None] = {}
    earlier: list[dis.Instruction] = []
    for one in instructions(function.__code__):
        if one.opname == "IMPORT_NAME":
            level, names = (each.argval for each in earlier[-2:])  # what the instruction takes from the stack
            found.update(dict.fromkeys(imported(one.argval, level or 0, names or (), package)))
        if one.opname.startswith("LOAD_"):
            earlier.append(one)
    return [each for name in found for each in parents(name) if file_of(each) is not None]
