"""Find the function a study names, load it here and on workers, and fingerprint the source it depends on."""

from __future__ import annotations

import hashlib
import importlib
import inspect
import sys
import sysconfig
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.machinery import PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

from uqmbd.errors import StudyError, did_you_mean

LIBRARY = tuple(str(Path(sysconfig.get_path(key)).resolve()) for key in ("stdlib", "platstdlib", "purelib", "platlib"))
PACKAGE = str(Path(__file__).resolve().parent.parent)


@dataclass(frozen=True)
class Model:
    """A model function that can be pickled.

    Attributes
    ----------
    label : str
        As the study names it; ``resolved`` in the stored study: ``/abs/model.py:function`` or ``package.module:function``.
    digest : str
        Hash of the source the function depends on (its module and the user's modules that it imports).
    path, module, name : str
        Where the function is: a file or an importable module, and the name in it. Neither for a bare callable.
    source : str
        Text of the file, for workers that cannot see it.
    bare : callable, optional
        The function itself when it can be found under no name.
    """

    label: str
    digest: str
    path: str = ""
    module: str = ""
    name: str = ""
    source: str = ""
    bare: Callable[..., Any] | None = None

    def load(self) -> Callable[..., Any]:
        """The function itself."""
        if self.bare is not None:
            return self.bare
        module = load_file(Path(self.path), self.source) if self.path else importlib.import_module(self.module)
        return getattr(module, self.name)


def find_model(spec: str | Callable[..., Any], directory: Path) -> Model:
    """The model named by `spec`: ``file.py:function`` (relative to `directory`), ``package.module:function`` or a function."""
    if not isinstance(spec, str):
        return wrap_callable(spec)
    if spec.startswith("<"):
        raise StudyError(
            "the model was a Python function that can be found under no name",
            key="study.model",
            value=spec,
            remedy="run the script that made it again: the study goes on where it stopped",
        )
    where, colon, name = spec.rpartition(":")
    if not colon or not where or not name.isidentifier():
        raise StudyError(
            "a model is named by a file or module and a function in it",
            key="study.model",
            value=spec,
            remedy='write it as "model.py:function" or "package.module:function"',
        )
    try:
        if where.endswith(".py"):
            path = (directory / where).resolve()
            if not path.is_file():
                raise StudyError(f"there is no file {path}", key="study.model", value=spec, remedy=near_files(path))
            source = path.read_text(encoding="utf-8")
            module = load_file(path, source)
            found = Model(f"{path}:{name}", source_digest(module), path=str(path), name=name, source=source)
        else:
            module = importlib.import_module(where)
            found = Model(spec, source_digest(module), module=where, name=name)
    except StudyError:
        raise
    except ModuleNotFoundError as error:
        raise StudyError(
            f"cannot be imported: {error}", key="study.model", value=spec, remedy="install the module, or name the file: model.py:function"
        ) from error
    except Exception as error:
        raise StudyError(
            f"importing it raises {describe(error)}", key="study.model", value=spec, remedy="make the model file importable on its own"
        ) from error
    function = getattr(module, name, None)
    if not callable(function):
        functions = [key for key, value in vars(module).items() if callable(value) and not key.startswith("_")]
        raise StudyError(f"there is no function {name!r} in {where}", key="study.model", value=spec, remedy=did_you_mean(name, functions))
    return found


def near_files(path: Path) -> str:
    """Remedy for a model file that is not there."""
    return did_you_mean(path.name, [file.name for file in path.parent.glob("*.py")], noun="Python file beside the study")


def wrap_callable(function: Callable[..., Any]) -> Model:
    """A model from a function object; by name where it has an importable one, so that workers can find it."""
    if not callable(function):
        raise StudyError("a model is a function or the name of one", key="study.model", value=function)
    module, name = getattr(function, "__module__", "") or "", getattr(function, "__qualname__", "") or ""
    home = sys.modules.get(module)
    if home is not None and module != "__main__" and PathFinder.find_spec(module.partition(".")[0]) is None:
        import cloudpickle

        cloudpickle.register_pickle_by_value(home)  # loaded from a file that workers would not find by name
    if home is not None and module != "__main__" and name.isidentifier() and getattr(home, name, None) is function:
        return Model(f"{module}:{name}", source_digest(home), module=module, name=name, bare=function)
    own = getattr(function, "__name__", "")
    return Model(f"<{name or 'function'}>", callable_digest(function), name=own if own.isidentifier() else "", bare=function)


def load_file(path: Path, source: str = "") -> ModuleType:
    """Import a file as a module of its own name, once per process and content; its folder becomes importable."""
    if path.is_file():
        source = path.read_text(encoding="utf-8")
    name = f"uqmbd_model_{hashlib.sha256(f'{path}{source}'.encode()).hexdigest()[:16]}"
    if name in sys.modules:
        return sys.modules[name]
    if str(path.parent) not in sys.path:
        sys.path.insert(0, str(path.parent))
    module = ModuleType(name)
    module.__file__ = str(path)
    sys.modules[name] = module
    try:
        exec(compile(source, str(path), "exec"), module.__dict__)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def source_digest(module: ModuleType) -> str:
    """Hash of a module's source, of the user's own modules it draws on (not of installed packages), and of the files that they name."""
    digest = hashlib.sha256()
    for content in sorted(own_sources(module, set())):
        digest.update(content)
    return digest.hexdigest()


def own_sources(module: ModuleType, seen: set[str]) -> Iterator[bytes]:
    """Sources of `module` and, through its global names, of the user's modules that it uses; files that a global `Path` leads to."""
    file = getattr(module, "__file__", None)
    if not file or file in seen:
        return
    seen.add(file)
    try:
        yield Path(file).read_bytes()
    except OSError:
        return
    for value in list(vars(module).values()):
        if isinstance(value, Path) and value.is_file() and str(value) not in seen:  # data that the model reads
            seen.add(str(value))
            yield value.read_bytes()
        used = value if isinstance(value, ModuleType) else sys.modules.get(getattr(value, "__module__", None) or "")
        if used is not None and is_own(used):
            yield from own_sources(used, seen)


def is_own(module: ModuleType) -> bool:
    """True for modules of the user: neither installed nor part of this project (those count by their version)."""
    file = getattr(module, "__file__", None)
    if not file or module.__name__.split(".")[0] in ("uqmbd", "flexmbd") or module.__name__ == "__main__":
        return False
    return not str(Path(file).resolve()).startswith(LIBRARY)


def callable_digest(function: Callable[..., Any]) -> str:
    """Hash of a function without a name: its source, defaults and closed-over values."""
    digest = hashlib.sha256()
    try:
        digest.update(inspect.getsource(function).encode())
    except (OSError, TypeError):
        code = getattr(function, "__code__", None)
        digest.update(repr(function).encode() if code is None else code.co_code + repr(code.co_consts).encode())
    digest.update(repr(getattr(function, "__defaults__", None)).encode())
    for cell in getattr(function, "__closure__", None) or ():
        digest.update(repr(cell.cell_contents).encode())
    return digest.hexdigest()


def describe(error: BaseException) -> str:
    """An exception in one line: type, text, and the line of the user's file that raised it."""
    text = " ".join(str(error).split())
    line = f"{type(error).__name__}: {text}" if text else type(error).__name__
    lines = []
    trace = error.__traceback__
    while trace is not None:
        file = str(Path(trace.tb_frame.f_code.co_filename).resolve())
        if not file.startswith((*LIBRARY, PACKAGE)):
            lines.append(f"{Path(file).name}:{trace.tb_lineno}")
        trace = trace.tb_next
    return f"{line} ({lines[-1]})" if lines else line
