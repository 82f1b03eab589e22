"""What a system's equations depend on besides its topology: classes, the code of those that are the user's own, and their attributes.

It decides whether a compiled model may be used again within a process, in a notebook after a cell was edited. What cannot be known is
never equal to anything, so that the equations are written anew; unchanged equations are not compiled again (`modules.load`).
"""

import sys
import sysconfig
from functools import cache
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType

import numpy as np

from flexmbd.contact.friction.base import FrictionKernels
from flexmbd.contact.laws.base import NormalKernels
from flexmbd.language.kernels import known_as

_PLAIN = (type(None), bool, int, float, complex, str, bytes, np.generic)
_FOREIGN = tuple(str(Path(p).resolve()) for p in {sysconfig.get_path(key) for key in ("stdlib", "platstdlib", "purelib", "platlib")})
_PACKAGE = str(Path(__file__).resolve().parent)


def identity(system):
    """Hashable; equal for systems of one topology that make the same equations."""
    reader = _Reader()
    return tuple(reader.owner(x) for x in (*system.bodies, *system.elements))


class _Unknown:
    """Equal to itself only."""


@cache
def _own(name):
    """True for modules that are the user's: neither this package nor a library."""
    module = sys.modules.get(name)
    file = getattr(module, "__file__", None)
    if name == "__main__" or module is None:
        return True
    if file is None:
        return not hasattr(module, "__spec__") or module.__spec__ is None
    path = str(Path(file).resolve())
    return not path.startswith((_PACKAGE, *_FOREIGN))


class _Reader:
    """Reads objects once each; one that comes again is named by its number."""

    def __init__(self):
        self._seen, self._alive = {}, []

    def owner(self, x):
        """A body or element: numbers that its `parameters` name are parameters, not code."""
        return self._object(x, {} if not _own(type(x).__module__) else x.parameters())

    def value(self, x, key="", parameters=None):
        """Anything that an attribute, a global or a closure may hold."""
        leaf = (parameters or {}).get(key)
        if leaf is not None and (x is leaf or (isinstance(x, (int, float, np.number)) and x == leaf)):
            return ("parameter", key)
        if isinstance(x, _PLAIN):
            return (type(x).__name__, repr(x))
        if isinstance(x, np.ndarray):
            return ("array", x.shape, str(x.dtype), x.tobytes()) if x.dtype != object else _Unknown()
        if isinstance(x, (tuple, list)):
            return (type(x).__name__, *(self.value(y, key, parameters) for y in x))
        if isinstance(x, (set, frozenset)):
            return (type(x).__name__, *sorted((self.value(y) for y in x), key=repr))
        if isinstance(x, dict):
            return ("dict", *((self.value(k), self.value(y, k if isinstance(k, str) else "", parameters)) for k, y in x.items()))
        if isinstance(x, ModuleType):
            return ("module", x.__name__)
        if hasattr(x, "py_func"):
            return ("kernel", known_as(x))
        if isinstance(x, FunctionType):
            return self._function(x)
        if isinstance(x, MethodType):
            return ("method", self.value(x.__self__), self._function(x.__func__))
        if isinstance(x, (staticmethod, classmethod)):
            return (type(x).__name__, self.value(x.__func__))
        if isinstance(x, property):
            return ("property", *(self.value(f) for f in (x.fget, x.fset, x.fdel)))
        if isinstance(x, type):
            return self._class(x)
        return x if isinstance(x, BuiltinFunctionType) else self._object(x, parameters)

    def _again(self, x):
        """Number of an object that was read before, else None."""
        if id(x) in self._seen:
            return ("again", self._seen[id(x)])
        self._seen[id(x)] = len(self._seen)
        self._alive.append(x)
        return None

    def _object(self, x, parameters=None):
        if again := self._again(x):
            return again
        kind, own = type(x), _own(type(x).__module__)
        kernels = x.kernels() if callable(getattr(x, "kernels", None)) else None
        if isinstance(kernels, (NormalKernels, FrictionKernels)):  # of a law only these count: its numbers are parameters
            facts = [self.value(getattr(x, key, None)) for key in ("name", "continuous_onset", "states")]
            return (kind, *facts, *x.numbers(), *(known_as(f) for f in kernels if callable(f)))
        attributes, unread = getattr(x, "__dict__", None), getattr(kind, "unread", ())
        attributes = attributes and {key: y for key, y in attributes.items() if key not in unread}
        if _of_package(kind):  # `topology_key` says what of its numbers decides its code
            return (kind, *((key, self._part(y)) for key, y in (attributes or {}).items() if not _only_plain(y)))
        if attributes is None:
            return _Unknown()
        return (self._class(kind) if own else kind, *((key, self.value(y, key, parameters)) for key, y in attributes.items()))

    def _part(self, x):
        """What an object of the package holds: only what is the user's can differ where `topology_key` does not."""
        if isinstance(x, (tuple, list)):
            return tuple(self._part(y) for y in x)
        if isinstance(x, dict):
            return tuple((repr(k), self._part(y)) for k, y in x.items())
        if isinstance(x, (FunctionType, MethodType, type)) or hasattr(x, "py_func") or _own(type(x).__module__) or _of_package(type(x)):
            return self.value(x)
        return type(x)

    def _class(self, kind):
        if not _own(kind.__module__):
            return kind
        if again := self._again(kind):
            return (kind, again)
        parts = []
        for base in kind.__mro__:
            if _own(base.__module__):
                own = [(key, x) for key, x in vars(base).items() if not _bookkeeping(key)]
                parts.append((base, *((key, self.value(x)) for key, x in own)))
        return (kind, *parts)

    def _function(self, f):
        if not _own(f.__module__ or ""):
            return f
        if again := self._again(f):
            return again
        cells = []
        for cell in f.__closure__ or ():
            try:
                cells.append(self.value(cell.cell_contents))
            except ValueError:
                cells.append("empty")
        names = sorted(_names(f.__code__))
        world = [(name, self._world(f.__globals__[name], names)) for name in names if name in f.__globals__]
        return (_code(f.__code__), self.value(f.__defaults__), self.value(f.__kwdefaults__), *cells, *world)

    def _world(self, x, names):
        """A global; of the user's own modules what a function may name of them."""
        if isinstance(x, ModuleType) and _own(x.__name__):
            return (x.__name__, *((name, self.value(getattr(x, name))) for name in names if hasattr(x, name)))
        return self.value(x)


def _of_package(kind):
    return kind.__module__.split(".")[0] == "flexmbd"


def _bookkeeping(key):
    return key.startswith("__") and key not in ("__call__", "__getattr__", "__getattribute__")


def _only_plain(x):
    """True for numbers, texts and arrays, and for what holds only such."""
    if isinstance(x, (tuple, list)):
        return all(_only_plain(y) for y in x)
    if isinstance(x, dict):
        return all(_only_plain(y) for y in x.values())
    return isinstance(x, (*_PLAIN, np.ndarray))


def _names(code):
    return {*code.co_names}.union(*(_names(x) for x in code.co_consts if isinstance(x, CodeType)))


def _code(code):
    """What a function does, without the place where it stands."""
    constants = tuple(_code(x) if isinstance(x, CodeType) else repr(x) for x in code.co_consts)
    return (code.co_code, constants, code.co_names, code.co_varnames, code.co_freevars)
