"""Which files of the user a piece of code reads, by Python's audit events."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from uqmbd.simulators.own import file_digest, is_own_file, python_source

CACHES = ("__pycache__", ".cache", ".ipynb_checkpoints", ".git")
NAMED = {"ctypes.dlopen": 0, "sqlite3.connect": 0, "subprocess.Popen": 0}  # events of which an argument is a file that is read


class Reads:
    """Files opened in a `watching` block, by the thread that is in it and those that began meanwhile.

    Attributes
    ----------
    files : dict of str to str
        Hash of the content by absolute path, of those that were read and not written, and are still there when the block ends.
    """

    def __init__(self) -> None:
        self.others = set(sys._current_frames()) - {threading.get_ident()}  # threads that do something else
        self.opened: dict[str, None] = {}
        self.written: set[str] = set()
        self.files: dict[str, str] = {}

    def take(self, path: Any, flags: int) -> None:
        """Note that a file is opened."""
        if isinstance(path, int) or path is None:
            return
        name = os.path.abspath(os.fsdecode(path))
        mode = flags & os.O_ACCMODE
        if mode != os.O_RDONLY:
            self.written.add(name)
        if mode != os.O_WRONLY and not flags & os.O_TRUNC:
            self.opened[name] = None

    def finish(self) -> None:
        """Hash what belongs to the user."""
        for name in self.opened:
            file = python_source(name)
            if name not in self.written and counts(file) and os.path.isfile(file):
                self.files[file] = file_digest(file)


def counts(file: str) -> bool:
    """True for files of the user that are no cache."""
    parts = Path(file).parts
    cache = os.environ.get("FLEXMBD_CACHE_DIR")
    home = Path.home().parts
    hidden = parts[: len(home)] == home and len(parts) > len(home) and parts[len(home)].startswith(".")
    cached = any(part in CACHES for part in parts) or (cache and file.startswith(os.path.abspath(cache)))
    return not (hidden or cached) and is_own_file(file)


_active: list[Reads] = []
_hooked = False


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if not _active or (event != "open" and event not in NAMED):
        return
    thread = threading.get_ident()
    for reads in list(_active):
        if thread not in reads.others:
            try:
                reads.take(arguments[0], arguments[2] if event == "open" else os.O_RDONLY)
            except (TypeError, ValueError, IndexError, UnicodeError):
                continue


@contextmanager
def watching() -> Iterator[Reads]:
    """Collect the files that the block reads; what is read outside of Python (by a C library, by a program that is started) is not seen."""
    global _hooked
    if not _hooked:
        sys.addaudithook(_hook)
        _hooked = True
    reads = Reads()
    _active.append(reads)
    try:
        yield reads
    finally:
        _active.remove(reads)
        reads.finish()


def noted(files: dict[str, str]) -> None:
    """Count files as read, in the blocks around: what was read earlier, by a module that is not executed again."""
    for reads in _active:
        if threading.get_ident() not in reads.others:
            reads.opened.update(dict.fromkeys(files))
