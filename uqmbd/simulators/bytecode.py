"""What the code of a function names: globals, attributes, modules that it imports; and whether a source says the same."""

from __future__ import annotations

import dis
import types
from collections.abc import Iterator
from functools import cache, lru_cache

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


@lru_cache(maxsize=64)
def bodies(source: str) -> frozenset[tuple]:
    """What is done by all pieces of code that Python makes of a source."""
    return frozenset(doing(body) for body in within(source, 0))


def within(source: str, flags: int) -> Iterator[types.CodeType]:
    """All pieces of code that Python makes of a source, under flags of `__future__`."""
    try:
        waiting = [compile(source, "", "exec", flags=flags, dont_inherit=True)]
    except (SyntaxError, ValueError, RecursionError):
        return
    while waiting:
        body = waiting.pop()
        yield body
        waiting += [constant for constant in body.co_consts if isinstance(constant, types.CodeType)]


def annotated(body: types.CodeType, source: str) -> types.CodeType:
    """A piece of code of a model's file as version 0.1.0 had it: as if the file began with `from __future__ import annotations`."""
    same = (other for other in within(source, annotations.compiler_flag) if other.co_qualname == body.co_qualname)
    return next((other for other in same if other.co_firstlineno == body.co_firstlineno), body)


def doing(body: types.CodeType) -> tuple:
    """What a piece of code does, wherever it stands."""
    constants = [doing(each) if isinstance(each, types.CodeType) else f"{type(each)}{each!r}" for each in body.co_consts]
    names = body.co_names, body.co_varnames, body.co_freevars, body.co_cellvars
    takes = body.co_argcount, body.co_posonlyargcount, body.co_kwonlyargcount, body.co_flags
    return body.co_name, body.co_code, body.co_exceptiontable, names, takes, tuple(constants)
