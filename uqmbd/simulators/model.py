"""Find the function a study names, and load it here and on workers."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.machinery import PathFinder
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from uqmbd.errors import StudyError, did_you_mean
from uqmbd.simulators.binding import bound
from uqmbd.simulators.chosen import choosing
from uqmbd.simulators.derived import Derived
from uqmbd.simulators.folder import import_of
from uqmbd.simulators.loading import beside, draws_on, go_to, load_file
from uqmbd.simulators.own import file_digest, is_own_file
from uqmbd.simulators.reads import watching
from uqmbd.simulators.sections import Section

if TYPE_CHECKING:
    from uqmbd.simulators.fingerprint import Dependencies

__all__ = ["Model", "describe", "find_model", "load_file", "near_files", "wrap_callable"]


@dataclass(frozen=True)
class Model:
    """A model function that can be pickled.

    Attributes
    ----------
    label : str
        As the study names it; ``resolved`` in the stored study: ``/abs/model.py:function`` or ``package.module:function``.
    fixed : str
        Hash of what the model is, where it is no Python function.
    path, module, name : str
        Where the function is: a file or an importable module, and the name in it. Neither for a bare callable.
    source : str
        Text of the file, for workers that cannot see it.
    bare : callable, optional
        The function itself when it can be found under no name.
    vectorized : bool
        The study says that the function takes arrays.
    derived : Derived
        Outputs that the study derives from those that the model returns; no part of what the model is.
    sections : dict of str to Section
        Of the mechanism that the function returns; outputs of the study are values there. No part of what the model is either.
    values : dict of str to sequence
        Inputs that choose, with their values by their places, and those that count, with a range: what the function gets for numbers of
        samples. No part of what the model is.
    given : dict
        Further arguments of the function, which a method sets (controls).
    simulator : Model, optional
        What runs the model, of one from outside; itself, when there is no function besides.
    reads : dict of str to str
        Hashes of the user's files that were read while the model was imported, and in its trial run.
    sources : dict of str to str
        Hashes of the user's modules that it draws on, as they were when the study was begun.
    """

    label: str
    fixed: str = ""
    path: str = ""
    module: str = ""
    name: str = ""
    source: str = ""
    bare: Callable[..., Any] | None = None
    vectorized: bool = False
    derived: Derived = field(default_factory=Derived)
    sections: Mapping[str, Section] = field(default_factory=dict)
    values: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    given: Mapping[str, Any] = field(default_factory=dict)
    simulator: Model | None = None
    reads: dict[str, str] = field(default_factory=dict, compare=False)
    sources: dict[str, str] = field(default_factory=dict, compare=False)

    def load(self) -> Callable[..., Any]:
        """The function itself; `StudyError` in a process that would load other sources than those the study was begun with."""
        refuse_changes(self)
        if self.bare is not None:
            function = self.bare
        else:
            function = getattr(load_file(Path(self.path), self.source) if self.path else imported(self.module), self.name)
        arrays = self.vectorized or getattr(function, "vectorized", False) is True
        return bound(choosing(function, self.values, arrays=arrays), self.given)

    def reached(self, *, earlier: bool = False) -> Dependencies:
        """Everything that the model reaches now; see `uqmbd.simulators.fingerprint`. `earlier`: in the hashes of version 0.1.0."""
        from uqmbd.simulators.fingerprint import Dependencies, dependencies_of

        if self.fixed:
            return Dependencies({"command": self.fixed})
        with watching() as reads:
            self.sources.clear()
            if self.path:
                load_file(Path(self.path), self.source, fresh=True)
            function = replace(self, values={}).load()
            found = dependencies_of(function, folder_of(function), earlier=earlier)
        if self.takes_arrays:
            found.parts["vectorized"] = "yes"
        if self.simulator is not None and not self.is_simulator:
            more = self.simulator.reached(earlier=earlier)
            found.parts.update({f"{name} (simulator)": digest for name, digest in more.parts.items()})
            found.sources.update(more.sources)
            found.unknown = found.unknown or more.unknown
        self.sources.update(found.sources)
        self.saw(reads.files)
        return found

    @property
    def key(self) -> str:
        """Where a study names it."""
        return "study.command" if self.fixed else "study.model" if self.simulator is None else "study.simulator"

    @property
    def is_simulator(self) -> bool:
        """True for a simulator from outside that is given no function."""
        return self.simulator is not None and self.simulator.label == self.label

    @property
    def takes_arrays(self) -> bool:
        """True for a function of arrays: the study says it, or its decorator `uqmbd.vectorized`."""
        return self.vectorized or getattr(self.load(), "vectorized", False) is True

    def saw(self, files: dict[str, str]) -> None:
        """Take in which files the model was seen to read."""
        self.reads.update(files)
        if self.path:
            draws_on(self.path, self.source, {**files, **{file: digest for file, digest in self.sources.items() if file != self.path}})

    @property
    def digest(self) -> str:
        """Hash of everything that the model reaches."""
        return self.reached().digest


CHECKED: set[tuple[int, int]] = set()  # (process, model) whose sources were compared


def refuse_changes(model: Model) -> None:
    """Compare the sources of a model with those that the study was begun with, once a process."""
    key = (os.getpid(), hash(tuple(sorted(model.sources.items()))))
    if key in CHECKED:
        return
    for file, digest in model.sources.items():
        if file != model.path and os.path.isfile(file) and file_digest(file) != digest:
            raise StudyError(
                "has changed while the study ran", file=file, key="study.model", value=model.label, remedy="run the study again"
            )
    CHECKED.add(key)


def imported(name: str, directory: Path | None = None) -> ModuleType:
    """A module by its name; where no installed one has it, that in the folder of the study."""
    if name in sys.modules:
        return sys.modules[name]
    top = name.partition(".")[0]
    if directory is not None and beside(Path(directory).resolve(), top) and find_spec(top) is None:
        go_to(str(Path(directory).resolve()))
    with import_of(name):
        return importlib.import_module(name)


def folder_of(function: Callable[..., Any]) -> str:
    """Folder of the file in which a function is written, empty if there is none."""
    space = getattr(function, "__globals__", None) or vars(sys.modules.get(type(function).__module__, sys))
    file = space.get("__file__")
    return str(Path(file).resolve().parent) if file else ""


def located(spec: str, directory: Path) -> str:
    """The name of a function as it is found from anywhere: a file with its whole path. Nothing is executed.

    Raises
    ------
    StudyError
        When it is no name of a function, or there is no such file.
    """
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
    if not where.endswith(".py"):
        return spec
    path = (directory / where).resolve()
    if not path.is_file():
        raise StudyError(f"there is no file {path}", key="study.model", value=spec, remedy=near_files(path))
    return f"{path}:{name}"


def find_model(spec: str | Callable[..., Any], directory: Path) -> Model:
    """The model named by `spec`: ``file.py:function`` (relative to `directory`), ``package.module:function`` or a function."""
    if not isinstance(spec, str):
        return wrap_callable(spec)
    found, module = named_module(spec, directory)
    if not callable(getattr(module, found.name, None)):
        functions = [key for key, value in vars(module).items() if callable(value) and not key.startswith("_")]
        where = spec.rpartition(":")[0]
        remedy = did_you_mean(found.name, functions)
        raise StudyError(f"there is no function {found.name!r} in {where}", key="study.model", value=spec, remedy=remedy)
    return found


def named_module(spec: str, directory: Path) -> tuple[Model, ModuleType]:
    """What ``file.py:name`` or ``package.module:name`` names, whatever that is, and the module in which it should be."""
    label = located(spec, directory)
    where, _, name = label.rpartition(":")
    try:
        with watching() as reads:
            if where.endswith(".py"):
                source = Path(where).read_text(encoding="utf-8")
                module = load_file(Path(where), source, fresh=True)
                found = Model(label, path=where, name=name, source=source)
            else:
                module = imported(where, directory)
                found = Model(spec, module=where, name=name)
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
    found.reads.update(reads.files)
    return found, module


def near_files(path: Path) -> str:
    """Remedy for a model file that is not there."""
    return did_you_mean(path.name, [file.name for file in path.parent.glob("*.py")], noun="Python file beside the study")


def wrap_callable(function: Callable[..., Any]) -> Model:
    """A model from a function object; by name where it has an importable one, so that workers can find it."""
    if not callable(function):
        raise StudyError("a model is a function or the name of one", key="study.model", value=function)
    module, name = getattr(function, "__module__", "") or "", getattr(function, "__qualname__", "") or ""
    home = sys.modules.get(module)
    if home is not None and module != "__main__" and not is_installed(module.partition(".")[0]):
        import cloudpickle

        cloudpickle.register_pickle_by_value(home)  # loaded from a file that workers would not find by name
    if home is not None and module != "__main__" and name.isidentifier() and getattr(home, name, None) is function:
        return Model(f"{place_of(home)}:{name}", module=module, name=name, bare=function)
    own = getattr(function, "__name__", "")
    return Model(f"<{name or 'function'}>", name=own if own.isidentifier() else "", bare=function)


def is_installed(package: str) -> bool:
    """Whether other processes find it by name. A class made by ``exec`` says that it is of `builtins`, which no path has."""
    return package in sys.stdlib_module_names or PathFinder.find_spec(package) is not None


def place_of(module: ModuleType) -> str:
    """Where a study file says that a module is: its name, and of one of the user's that lies beside a script its file.

    Other programs find such a file, and not the name: it is on the path of that script alone.
    """
    file = getattr(module, "__file__", None) or ""
    alone = Path(file).name == f"{module.__name__}.py" and is_own_file(file) and os.path.isfile(file)
    return os.path.realpath(file) if alone else module.__name__


def describe(error: BaseException) -> str:
    """An exception in one line: type, text, and the line of the user's file that raised it."""
    text = " ".join(str(error).split())
    line = f"{type(error).__name__}: {text}" if text else type(error).__name__
    lines = []
    trace = error.__traceback__
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if file != "<string>" and is_own_file(file):  # a dataclass's own functions are of "<string>"
            lines.append(f"{Path(file).name}:{trace.tb_lineno}")
        trace = trace.tb_next
    return f"{line} ({lines[-1]})" if lines else line
