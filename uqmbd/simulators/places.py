"""Where functions, classes and objects stand: their modules and files, and the names by which libraries hold them."""

from __future__ import annotations

import sys
import types
from functools import cache
from pathlib import Path
from typing import Any

from uqmbd.simulators.canonical import top_of
from uqmbd.simulators.own import OURS, is_own, is_own_file

HEAP = 1 << 9  # flag of a type that was made at run time, as every class in Python is


def place(thing: Any) -> str | None:
    """Module of a function or class of a library; None for the user's own."""
    if isinstance(thing, types.FunctionType):
        name, file = thing.__globals__.get("__name__") or "", thing.__globals__.get("__file__")
    else:
        name = thing.__module__ or ""
        file = getattr(sys.modules.get(name), "__file__", None)
    if not isinstance(name, str) or name == "__main__" or (name not in sys.modules and not file):
        return None
    if file is None:
        return name if name.partition(".")[0] in sys.stdlib_module_names else None
    return None if name.partition(".")[0] not in OURS and is_own_file(str(file)) else name


def findable(thing: Any) -> bool:
    """True if a thing of a library is what its module and name say; a decorator's wrapper says those of what it wraps."""
    found: Any = sys.modules.get(getattr(thing, "__module__", None) or "")
    if found is not None and (found.__name__ == "__main__" or is_own(found)):
        return False
    for part in thing.__qualname__.split("."):
        found = getattr(found, part, None)
    return found is thing or (isinstance(thing, type) and not thing.__flags__ & HEAP)


def where(thing: Any) -> str:
    """The file, or module, in which a function or class stands."""
    space = getattr(thing, "__globals__", None) or getattr(sys.modules.get(thing.__module__), "__dict__", {})
    return shown(space.get("__name__") or thing.__module__ or "", space.get("__file__"))


def shown(name: str, file: Any) -> str:
    """A module as a user knows it."""
    if name == "__main__" or not file:
        return "the script" if name in ("__main__", "") else name
    path = Path(str(file))
    return f"{path.parent.name}/{path.name}" if path.name == "__init__.py" else path.name


@cache
def exposed(top: str, _loaded: int) -> dict[int, tuple[str, str]]:
    """Names under which the modules of a package hold objects, and one such module, by the address of the object."""
    found: dict[int, tuple[str, str]] = {}
    for key, module in list(sys.modules.items()):
        if key.partition(".")[0] == top and isinstance(module, types.ModuleType):
            for name, value in list(vars(module).items()):
                known = found.get(id(value))
                if known is None or (len(name), name) < (len(known[0]), known[0]):
                    found[id(value)] = name, key
    return found


def singleton(thing: Any) -> str | None:
    """Name of an object that a library made and holds (``scipy.stats.norm``), None for objects of the user's making."""
    kind = type(thing)
    top = top_of(kind)
    if top == "__main__" or place(kind) is None:
        return None
    name, module = exposed(top, len(sys.modules)).get(id(thing), ("", ""))
    held = vars(sys.modules[module]).get(name) is thing if module in sys.modules else False
    return f"{top}:{name}:{kind.__qualname__}" if held else None
