"""Execute a model's file as a module: once a process, and again when something that it drew on has changed."""

from __future__ import annotations

import hashlib
import importlib
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

from uqmbd.errors import StudyError
from uqmbd.simulators.folder import import_of
from uqmbd.simulators.own import file_digest, file_of, imports, is_own
from uqmbd.simulators.reads import noted, watching


@dataclass
class Loaded:
    """A file that was executed.

    Attributes
    ----------
    source : str
        Its text then.
    files : dict of str to str
        Hashes of the files it read, the user's modules that it imported among them.
    brought : set of str
        Names of those modules.
    """

    path: Path
    source: str
    files: dict[str, str] = field(default_factory=dict)
    brought: set[str] = field(default_factory=set)

    def is_fresh(self) -> bool:
        """True while all that it read is as it was."""
        return all(file_digest(file) == digest for file, digest in self.files.items())


LOADED: dict[str, Loaded] = {}
EXECUTING: list[str] = []  # folders of the files that are being executed, the innermost last
FOLDERS: list[str] = []  # of models, at the end of `sys.path`; the last one loaded first


def load_file(path: Path, source: str = "", *, fresh: bool = False) -> ModuleType:
    """Import a file as a module of its own name, once per process and content.

    Its folder becomes importable, behind all installed packages: a ``signal.py`` beside a model is not Python's ``signal``.

    Parameters
    ----------
    source : str, optional
        Text to execute, when it is not that of the file now (a worker takes the one its study was read with).
    fresh : bool
        Execute it again when a file has changed that it read, or a module of the user that it imported.
    """
    path = Path(path)
    source = source or path.read_text(encoding="utf-8")
    EXECUTING.append(str(path.parent))
    try:
        go_to(EXECUTING[-1])
        return module_of(path, source, fresh)
    finally:
        EXECUTING.pop()
        if EXECUTING:
            go_to(EXECUTING[-1])


def module_of(path: Path, source: str, fresh: bool) -> ModuleType:
    """The module of a file: that of before, or executed."""
    name = module_name(path, source)
    if name in sys.modules:
        known = LOADED.get(name)
        if known is None or not fresh or known.is_fresh():
            noted({} if known is None else {str(path): "", **known.files})
            return sys.modules[name]
        forget(name)
    refuse_namesakes(path, source)
    module = ModuleType(name)
    module.__file__ = str(path)
    sys.modules[name] = module
    before = set(sys.modules)
    try:
        with watching() as reads, import_of(name):
            exec(compile(source, str(path), "exec", dont_inherit=True), module.__dict__)
    except BaseException:
        del sys.modules[name]
        raise
    brought = {key for key in set(sys.modules) - before if is_own(sys.modules[key])}
    LOADED[name] = Loaded(path, source, reads.files, brought)
    return module


def draws_on(path: str, source: str, files: dict[str, str]) -> None:
    """Files that a loaded file was seen to draw on later, modules that its functions import among them."""
    known = LOADED.get(module_name(path, source))
    if known is not None:
        known.files.update(files)
        there = sys.modules.copy()  # other threads import meanwhile
        known.brought |= {key for key, module in there.items() if getattr(module, "__file__", None) in files and is_own(module)}


def module_name(path: str | Path, source: str) -> str:
    """Under which a file of this text is loaded."""
    return f"uqmbd_model_{hashlib.sha256(f'{path}{source}'.encode()).hexdigest()[:16]}"


def forget(name: str) -> None:
    """Have a model's file, and the user's modules that came with it, imported anew."""
    for key in (name, *LOADED[name].brought):
        sys.modules.pop(key, None)
    importlib.invalidate_caches()


def go_to(folder: str) -> None:
    """Make a model's folder the first of the models' folders; modules of another model's folder that have a namesake here go."""
    if FOLDERS and FOLDERS[0] == folder and folder in sys.path:
        return
    others = [place for place in FOLDERS if place != folder]
    if folder not in sys.path or folder in FOLDERS:
        rest = [place for place in sys.path if place not in FOLDERS]
        FOLDERS[:] = [folder, *others]
        sys.path[:] = rest + FOLDERS  # at once: other threads import meanwhile
    importlib.invalidate_caches()
    for known in LOADED.values():
        for key in known.brought if str(known.path.parent) != folder else ():
            if beside(Path(folder), key.partition(".")[0]) and key in sys.modules:
                del sys.modules[key]


def beside(folder: Path, name: str) -> Path | None:
    """The module or package of a name in a folder."""
    return next((path for path in (folder / f"{name}.py", folder / name / "__init__.py") if path.is_file()), None)


def refuse_namesakes(path: Path, source: str) -> None:
    """`StudyError` if the file imports a module that lies beside it, but that Python would take from an installed package."""
    for name in {name.partition(".")[0] for name in imports(source, "")}:
        mine = beside(path.parent, name)
        if mine is None or name in sys.stdlib_module_names:
            continue
        found = file_of(name)
        if found is not None and os.path.realpath(found) != os.path.realpath(mine):
            text = f"imports {name}, which is {found} here and not {mine.name} beside it"
            raise StudyError(text, file=path, key="study.model", remedy=f"rename {mine.name}")
