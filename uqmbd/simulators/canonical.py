"""Values as bytes that are the same in every process: what pickle would ship, without its memory addresses, orders and shared strings."""

from __future__ import annotations

import _thread
import hashlib
import io
import os
import re
import struct
import subprocess
import threading
import types
import weakref
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import PurePath
from typing import Any

import numpy as np

from uqmbd.simulators.own import file_digest, is_own_file

ATOMS = (str, bytes, bytearray, bool, int, float, complex, type(None), type(Ellipsis), type(NotImplemented))
CONTENTLESS = (_thread.LockType, type(threading.RLock()), threading.local)
UNKNOWABLE = (types.GeneratorType, types.CoroutineType, types.FrameType, types.TracebackType, threading.Thread, subprocess.Popen)
DESCRIPTORS = (types.MemberDescriptorType, types.GetSetDescriptorType, types.WrapperDescriptorType, types.MethodDescriptorType)
UNWALKED = ("__dict__", "__weakref__", "__doc__", "__module__", "__annotations__", "_abc_impl", "__annotate__", "__static_attributes__")
UNWALKED += ("__firstlineno__", "__abstractmethods__", "__annotations_cache__", "__annotate_func__")

LONG = 10_000  # bits of a number beyond which Python may refuse to write it with decimals
MADE = ("__pydantic_", "__signature__")  # beginnings of what pydantic makes of the fields of a class


class Unknowable(Exception):
    """A value of which nobody can tell whether it is still the same."""


class Canonical:
    """Feeds values to a hash.

    Parameters
    ----------
    refer : callable
        ``refer(thing) -> str or None``: the name by which functions, classes and modules are known; they are not walked here.
    base : str
        Folder that stands for itself in paths, so that a model may be moved with its files.
    """

    def __init__(self, refer: Callable[[Any], str | None], base: str) -> None:
        self.refer = refer
        self.base = base
        self.hash = hashlib.sha256()
        self.seen: dict[int, int] = {}
        self.kept: list[Any] = []

    def digest(self) -> str:
        """Of all that was put."""
        return self.hash.hexdigest()

    def say(self, tag: str, data: Any = b"") -> None:
        """A tag and bytes, framed."""
        data = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
        self.hash.update(f"{tag}:{len(data)}:".encode())
        self.hash.update(data)

    def put(self, thing: Any) -> None:
        """Any value."""
        kind = type(thing)
        if kind in ATOMS:
            self.atom(thing)
        elif kind is tuple:
            self.many("tuple", thing)
        elif kind in (frozenset, set):
            self.unordered(thing)
        elif (name := self.refer(thing)) is not None:
            self.say("name", name)
        elif id(thing) in self.seen:
            self.say("again", str(self.seen[id(thing)]))
        else:
            self.seen[id(thing)] = len(self.seen)
            self.kept.append(thing)  # or another value might get its address
            self.compound(thing)

    def atom(self, thing: Any) -> None:
        """Numbers and text."""
        if isinstance(thing, float):
            self.say("float", struct.pack(">d", thing))
        elif isinstance(thing, complex):
            self.say("complex", struct.pack(">dd", thing.real, thing.imag))
        elif isinstance(thing, (bytes, bytearray)):
            self.say(type(thing).__name__, bytes(thing))
        elif isinstance(thing, int) and thing.bit_length() > LONG:
            self.say("int", hex(thing))
        else:
            self.say(type(thing).__name__, self.moved(str(thing)))

    def moved(self, text: str) -> str:
        """A path below the model's folder, as seen from there."""
        below = self.base and (text == self.base or text.startswith(self.base + os.sep))
        return f"<here>{text[len(self.base) :]}" if below else text

    def many(self, tag: str, things: Iterable[Any]) -> None:
        """Several values in their order."""
        things = list(things)
        self.say(tag, str(len(things)))
        for thing in things:
            self.put(thing)

    def unordered(self, things: Iterable[Any]) -> None:
        """A set: its members sorted by their hashes, each walked as if it were the only one."""
        found = []
        for thing in things:
            inner = Canonical(self.refer, self.base)
            inner.seen = dict(self.seen)
            inner.put(thing)
            self.kept.append(inner.kept)
            found.append(inner.digest())
        self.say(type(things).__name__, "".join(sorted(found)))

    def compound(self, thing: Any) -> None:
        """Containers, arrays, and objects."""
        kind = type(thing)
        if kind is list:
            self.many("list", thing)
        elif kind in (dict, types.MappingProxyType):
            self.many(kind.__name__, [part for item in thing.items() for part in item])
        elif kind is np.ndarray or kind is np.memmap:
            self.array(thing)
        elif isinstance(thing, np.generic):
            self.array(np.asarray(thing))
        elif isinstance(thing, np.dtype):
            self.say("dtype", f"{thing.str}{thing.descr if thing.fields else ''}")
        elif isinstance(thing, (range, slice)):
            self.say(kind.__name__, repr(thing))
        elif isinstance(thing, re.Pattern):
            self.many("pattern", [thing.pattern, thing.flags])
        elif isinstance(thing, PurePath):
            self.say("path", self.moved(str(thing)))
        elif kind is types.CodeType:
            code(self, thing)
        elif kind is types.CellType:
            self.many("cell", cells([thing]))
        elif kind is types.MethodType:
            self.many("method", [thing.__func__, thing.__self__])
        elif kind is types.BuiltinFunctionType:
            self.many("builtin", [thing.__name__, thing.__self__])
        elif kind is types.MethodWrapperType:
            self.many("wrapper", [thing.__name__, thing.__self__])
        elif isinstance(thing, partial):
            self.many("partial", [thing.func, thing.args, thing.keywords, vars(thing)])
        elif kind in (staticmethod, classmethod):
            self.many(kind.__name__, [thing.__func__])
        elif kind is property:
            self.many("property", [thing.fget, thing.fset, thing.fdel])
        elif isinstance(thing, DESCRIPTORS):
            self.many("descriptor", [thing.__name__, thing.__objclass__])
        elif hasattr(kind, "cache_info") and hasattr(thing, "__wrapped__"):  # functools.cache: what it holds follows from the function
            self.many("cached", [thing.__wrapped__, thing.cache_parameters()])
        elif top_of(kind) == "numba" and hasattr(thing, "py_func"):
            self.many("numba", [kind.__name__, thing.py_func, sorted(map(str, getattr(thing, "targetoptions", {}).items()))])
        elif top_of(kind) == "numba" and hasattr(thing, "_dispatcher"):
            self.many("numba", [kind.__name__, thing._dispatcher])
        elif top_of(kind) == "numba" and hasattr(thing, "__wrapped__"):
            self.many("numba", [kind.__name__, thing.__wrapped__])
        elif isinstance(thing, weakref.ref):
            self.many("weak", [thing()])
        elif isinstance(thing, CONTENTLESS):
            self.say(kind.__name__)
        elif isinstance(thing, io.IOBase):
            self.stream(thing)
        elif kind.__module__ == "ctypes" and hasattr(thing, "_handle") and hasattr(thing, "_name"):
            self.library(thing)
        else:
            self.reduced(thing)

    def array(self, array: np.ndarray) -> None:
        """Type, shape and bytes."""
        self.say("array", f"{array.dtype.str} {array.dtype.descr if array.dtype.fields else ''} {array.shape}")
        if array.dtype.hasobject:
            self.many("objects", array.ravel().tolist())
        else:
            self.say("data", np.ascontiguousarray(array).reshape(-1).view(np.uint8).data if array.size else b"")

    def stream(self, stream: Any) -> None:
        """An open file: where it writes to, or the content it reads."""
        name = getattr(stream, "name", None)
        if not isinstance(name, (str, int)) or (stream.readable() and not isinstance(name, int)):
            raise Unknowable(f"an open file ({name})")
        self.say("stream", self.moved(str(name)))

    def library(self, library: Any) -> None:
        """A shared library: its content, if it is the user's."""
        name = str(library._name)
        self.say("library", file_digest(name) if os.path.isfile(name) and is_own_file(name) else name)

    def reduced(self, thing: Any) -> None:
        """An object as pickle takes it apart, one level deep."""
        kind = type(thing)
        if isinstance(thing, UNKNOWABLE):
            raise Unknowable(f"a {kind.__module__}.{kind.__qualname__}")
        try:
            parts = thing.__reduce_ex__(4)
        except Exception as error:
            raise Unknowable(f"a {kind.__module__}.{kind.__qualname__}, which cannot be pickled") from error
        if isinstance(parts, str):
            self.say("global", f"{kind.__module__}.{parts}")
            return
        make, arguments, state, items, pairs = (*parts, None, None, None, None)[:5]
        if isinstance(state, dict):
            state = dict(sorted(state.items(), key=lambda item: str(item[0])))
        self.many("object", [make, arguments, state, *([] if items is None else [list(items)]), *([] if pairs is None else [list(pairs)])])


def top_of(kind: type) -> str:
    """Top-level package of a class."""
    return str(kind.__module__).partition(".")[0]


def code(out: Canonical, thing: types.CodeType, doc: str | None = None) -> None:
    """What a piece of code does; not where it stands, nor its documentation."""
    constants = list(thing.co_consts)
    if doc is not None and constants and constants[0] == doc:
        constants[0] = None
    out.say("code", thing.co_code)
    out.say("flags", f"{thing.co_flags} {thing.co_argcount} {thing.co_posonlyargcount} {thing.co_kwonlyargcount} {thing.co_name}")
    out.say("exceptions", getattr(thing, "co_exceptiontable", b""))
    for names in (thing.co_names, thing.co_varnames, thing.co_freevars, thing.co_cellvars):
        out.many("names", names)
    out.many("constants", constants)


def cells(closure: Iterable[types.CellType] | None) -> list[Any]:
    """What a function has closed over; a cell that is still empty is ``...``."""
    found = []
    for cell in closure or ():
        try:
            found.append(cell.cell_contents)
        except ValueError:
            found.append(...)
    return found
