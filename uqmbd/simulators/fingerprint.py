"""The identity of a model: everything that its function reaches, each part with a name and a hash.

Functions and classes of the user count by their code, with defaults, closures and the globals that they name, by value; modules of the
user by their source and that of the modules they import; installed packages by name and version. All of it is the same in another
process.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import sys
import types
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any

import numpy as np

from uqmbd.simulators.bytecode import annotated, attribute_names, bodies, doing, global_names, imported_by
from uqmbd.simulators.canonical import MADE, UNWALKED, Canonical, Unknowable, cells, code, top_of
from uqmbd.simulators.loading import LOADED
from uqmbd.simulators.own import (
    OURS,
    file_digest,
    file_of,
    imports,
    is_own,
    is_own_file,
    parents,
    text_digest,
    tree_digest,
    version,
)
from uqmbd.simulators.places import findable, place, shown, singleton, where

DYNAMIC = {"globals", "eval", "exec", "__import__"}
FINDING = {"__subclasses__", "__globals__", "f_globals"}  # attributes by which code finds what it does not name
BY_VALUE = (np.ndarray, np.memmap)


@dataclass
class Dependencies:
    """What a model reaches.

    Attributes
    ----------
    parts : dict of str to str
        Hash, or version, by name: ``MASS in parameters.py``, ``helper in model.py``, ``parameters.py``, ``numpy``.
    unknown : str
        Why nobody can tell whether the model is still the same; empty when it can be told.
    sources : dict of str to str
        Hashes of the user's modules by file, for workers to compare with theirs.
    """

    parts: dict[str, str] = field(default_factory=dict)
    unknown: str = ""
    sources: dict[str, str] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """Hash of all parts."""
        return hashlib.sha256(repr(sorted(self.parts.items())).encode()).hexdigest()


def dependencies_of(function: Callable[..., Any], base: str = "", *, earlier: bool = False) -> Dependencies:
    """Everything that a function or another callable reaches; `base` is the folder that paths are seen from.

    `earlier`: in the hashes of version 0.1.0, where all functions counted by their bytecode.
    """
    return DependencyHasher(base, earlier).all_from(function)


class DependencyHasher:
    """Visits functions, classes and modules one after the other, in an order that depends on nothing but the model."""

    def __init__(self, base: str, earlier: bool = False) -> None:
        self.base = base
        self.earlier = earlier
        self.reach = Dependencies()
        self.waiting: deque[tuple[str, Any]] = deque()
        self.names: dict[int, str] = {}
        self.taken: set[str] = set()
        self.globals: set[tuple[int, str]] = set()
        self.modules: set[str] = set()
        self.files: set[str] = set()
        self.kept: list[Any] = []

    def all_from(self, function: Any) -> Dependencies:
        """Walk to the end."""
        self.part("the model", function)
        while self.waiting:
            name, thing = self.waiting.popleft()
            if isinstance(thing, str):
                self.module(name)
            elif isinstance(thing, type):
                self.class_(name, thing)
            else:
                self.function(name, thing)
        return self.reach

    # names -------------------------------------------------------------------------------------------------------------------------------
    def refer(self, thing: Any) -> str | None:
        """The name of a function, class or module, which is walked later if it is the user's; None for any other value."""
        kind = type(thing)
        if id(thing) in self.names:
            return self.names[id(thing)]
        if isinstance(thing, types.ModuleType):
            return self.named(thing, f"module {shown(thing.__name__, thing.__file__)}") if self.queue_module(thing) else thing.__name__
        if isinstance(thing, (types.FunctionType, type)):
            home = place(thing)
            if home is not None and findable(thing):
                self.package(home)
                return f"{home}:{thing.__qualname__}"
            name = self.named(thing, f"{thing.__qualname__} in {where(thing)}")
            self.waiting.append((name, thing))
            return name
        if kind in BY_VALUE or top_of(kind) in sys.stdlib_module_names:
            return None
        single = singleton(thing)
        if single is not None:
            self.package(kind.__module__)
        return single

    def named(self, thing: Any, name: str) -> str:
        """A name that no other thing has."""
        self.names[id(thing)] = self.free(name)
        self.kept.append(thing)
        return self.names[id(thing)]

    def free(self, name: str) -> str:
        """`name`, numbered if it is taken."""
        found, count = name, 1
        while found in self.taken:
            count += 1
            found = f"{name} ({count})"
        self.taken.add(found)
        return found

    def package(self, module: str) -> None:
        """Note the package that something of a library comes from."""
        self.queue_name(module.partition(".")[0])

    def queue_module(self, module: types.ModuleType) -> bool:
        """Have a module looked at; True if it is the user's."""
        self.queue_name(module.__name__)
        return is_own(module)

    def queue_name(self, name: str) -> None:
        """Have the module `name`, and the packages it lies in, looked at."""
        for each in parents(name):
            if each not in self.modules:
                self.modules.add(each)
                self.waiting.append((each, each))

    # parts -------------------------------------------------------------------------------------------------------------------------------
    def part(self, name: str, *things: Any, more: Callable[[Canonical], None] | None = None) -> None:
        """Hash values as a part of this name."""
        out = Canonical(self.refer, self.base)
        try:
            out.many("part", things)
            if more is not None:
                more(out)
            for thing in out.kept:
                if isinstance(thing, PurePath):
                    self.data(str(thing))
        except Unknowable as reason:
            self.reach.unknown = self.reach.unknown or f"{name} is or holds {reason}"
        except RecursionError:
            self.reach.unknown = self.reach.unknown or f"{name} is nested too deep"
        self.kept.append(out.kept)
        self.reach.parts[name] = out.digest()

    def data(self, file: str) -> None:
        """A file that a path leads to, if it is the user's."""
        if file not in self.files and os.path.isfile(file) and is_own_file(file):
            self.files.add(file)
            self.reach.parts[self.free(f"file {Path(file).name}")] = file_digest(file)

    def function(self, name: str, function: types.FunctionType) -> None:
        """A function: its code and what it draws on."""
        home = place(function)
        if home is not None:  # of a library, made by a call: a decorator's wrapper, say
            self.package(home)
            self.part(name, function.__qualname__, function.__defaults__, function.__kwdefaults__, cells(function.__closure__))
            return
        self.own_text(function.__globals__)
        closed = dict(zip(function.__code__.co_freevars, cells(function.__closure__), strict=True))
        attributes = {key: value for key, value in vars(function).items() if not key.startswith("__") or key == "__wrapped__"}
        rest = [function.__defaults__, function.__kwdefaults__, attributes]
        self.part(name, *rest, more=lambda out: self.code(out, function))
        for key, value in closed.items():
            self.part(f"{key} closed over by {name}", value)
        self.globals_of(name, function)

    def code(self, out: Canonical, function: types.FunctionType) -> None:
        """What a function does: of one that stands in the user's file as it is now, its name, since the file counts as a whole.

        Bytecode is another in every version of Python; it counts where no file says the same, as in scripts and notebooks.
        """
        body, home = function.__code__, function.__globals__.get("__name__", "")
        if self.earlier:
            code(out, annotated(body, LOADED[home].source) if home in LOADED else body, function.__doc__)
        elif home != "__main__" and doing(body) in bodies(source_in(function.__globals__)):
            out.say("in its file", f"{function.__qualname__} {body.co_name}")
        else:
            code(out, body, function.__doc__)

    def globals_of(self, name: str, function: types.FunctionType) -> None:
        """The globals that a function names, and the modules that it imports."""
        names, attributes = global_names(function.__code__), attribute_names(function.__code__)
        space, home = function.__globals__, where(function)
        dynamic = names & DYNAMIC - space.keys() | attributes & FINDING
        dynamic |= {"sys.modules"} if {"sys", "modules"} <= {*function.__code__.co_names} else set()
        if dynamic and (space.get("__name__") == "__main__" or "__file__" not in space):  # where no source says the rest
            self.reach.unknown = self.reach.unknown or f"{name} calls {min(dynamic)}"
        for key in sorted(names):
            if key not in space:
                continue
            value = space[key]
            if isinstance(value, types.ModuleType):
                self.queue_module(value)
                self.attributes_of(value, attributes)
            elif key != "__file__":
                self.global_(key, space, home)
        for module in imported_by(function):
            file = file_of(module)
            if file is not None and is_own_file(file):
                with suppress(Exception):  # it may be that the function never comes to this import
                    self.attributes_of(importlib.import_module(module), attributes)
            self.queue_name(module)

    def global_(self, key: str, space: dict[str, Any], home: str) -> None:
        """One global, by value."""
        if (id(space), key) not in self.globals:
            self.globals.add((id(space), key))
            self.part(self.free(f"{key} in {home}"), space[key])

    def attributes_of(self, module: types.ModuleType, names: frozenset[str], outer: tuple[types.ModuleType, ...] = ()) -> None:
        """What a function takes out of a module of the user, of the script, or made as that runs, by value."""
        if module is sys and "argv" in names:
            self.part("sys.argv", sys.argv[1:])
        made = module.__name__ == "__main__" or getattr(module, "__spec__", None) is None  # of no file that counts as a whole
        if not (made or is_own(module)) or module in outer:
            return
        for key in sorted(names & set(vars(module))):
            value = vars(module)[key]
            if isinstance(value, types.ModuleType):
                self.queue_module(value)
                self.attributes_of(value, names, (*outer, module))
            elif not key.startswith("__"):
                self.global_(key, vars(module), shown(module.__name__, getattr(module, "__file__", None)))

    def class_(self, name: str, kind: type) -> None:
        """A class of the user: bases, methods, attributes."""
        space = getattr(sys.modules.get(kind.__module__), "__dict__", {})
        if place(kind) is None:
            self.own_text(space)
        entries = {key: value for key, value in sorted(vars(kind).items()) if key not in UNWALKED}
        entries = {key: value for key, value in entries.items() if key == "__pydantic_fields__" or not key.startswith(MADE)}
        self.part(name, kind.__qualname__, kind.__bases__, type(kind), entries)

    # modules -----------------------------------------------------------------------------------------------------------------------------
    def own_text(self, space: dict[str, Any]) -> None:
        """The file in which a function stands."""
        name = space.get("__name__", "")
        if name != "__main__" and space.get("__file__"):
            self.queue_name(name)

    def module(self, name: str) -> None:
        """A module: source and imports if it is the user's, else the version of its package."""
        top = name.partition(".")[0]
        file = LOADED[name].path if name in LOADED else file_of(name)
        if file is not None and top not in OURS and name != "__main__" and is_own_file(str(file)):
            self.source(name, str(file))
        elif top == "flexmbd":
            self.reach.parts[top] = tree_digest(top)
        elif name == top and top not in OURS and top not in sys.stdlib_module_names and file is not None:
            self.reach.parts[top] = version(top)

    def source(self, name: str, file: str) -> None:
        """A module of the user."""
        label = shown(name, file)
        text = LOADED[name].source if name in LOADED else read(file)
        if text is not None:
            found = text_digest(text)
            package = name if Path(file).name == "__init__.py" else name.rpartition(".")[0]
            for each in imports(text, package):
                self.queue_name(each)
        else:
            found = file_digest(file)
        self.reach.parts[self.free(label)] = found
        self.reach.sources[file] = found


def source_in(space: dict[str, Any]) -> str:
    """Source of the module with these globals, if it is one of the user's in a file; else empty."""
    name, file = space.get("__name__", ""), space.get("__file__")
    if name in LOADED:
        return LOADED[name].source
    return read(str(file)) or "" if file and name in sys.modules and is_own_file(str(file)) else ""


def read(file: str) -> str | None:
    """Text of a Python source; None for other files."""
    try:
        return Path(file).read_text(encoding="utf-8") if file.endswith(".py") else None
    except (OSError, UnicodeDecodeError):
        return None
