"""Writing files whole or not at all, with a sentence when that fails; names that any disk takes."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from uqmbd.errors import StudyError


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn a failing write in the block into a `StudyError`; what was committed before stays valid."""
    try:
        yield
    except OSError as error:
        raise StudyError(
            f"cannot be written: {error.strerror or error}",
            file=error.filename or path,
            key="--out",
            value=str(path.parent if path.suffix else path),
            remedy="make room, or choose a place you may write to with --out; stored runs stay valid and `uqmbd resume` continues",
        ) from error


def write(path: Path, *parts: Any, mode: int = 0o666) -> None:
    """Write a file from its parts, making its folder when it is the first one there; a new one has at most this `mode`."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    try:
        file = os.open(path, flags, mode)
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(path, flags, mode)
    try:
        for data in parts:
            view = memoryview(data).cast("B")
            while len(view):
                view = view[os.write(file, view) :]
    finally:
        os.close(file)


def append(path: Path, at: int, data: bytes) -> None:
    """Write behind the first `at` bytes of a file that is there; where that fails it is as long as before."""
    file = os.open(path, os.O_WRONLY)
    try:
        os.lseek(file, at, os.SEEK_SET)
        view = memoryview(data)
        while len(view):
            view = view[os.write(file, view) :]
    except OSError:
        os.ftruncate(file, at)
        raise
    finally:
        os.close(file)


def replace(path: Path, *parts: Any) -> None:
    """Write a file whole or not at all: under another name first."""
    fresh = path.with_name(f".{path.name}.{os.urandom(4).hex()}.new")  # others may write the same file
    try:
        write(fresh, *parts)
        os.replace(fresh, path)
    except OSError:
        fresh.unlink(missing_ok=True)  # on a full disk it takes room
        raise


def remove(path: Path) -> None:
    """Remove a file or folder that may not be there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


class replacing:
    """Context: a new folder beside `target` that takes its place when the block ends well, and vanishes when it does not."""

    def __init__(self, target: Path) -> None:
        self.target = target
        self.new = target.with_name(f".{target.name}.{os.getpid()}.new")

    def __enter__(self) -> Path:
        shutil.rmtree(self.new, ignore_errors=True)
        return self.new

    def __exit__(self, kind: type | None, *_: object) -> None:
        if kind is None:
            old = self.target.with_name(f".{self.target.name}.{os.getpid()}.old")
            if self.target.exists():
                self.target.rename(old)
            self.new.rename(self.target)
            shutil.rmtree(old, ignore_errors=True)
        shutil.rmtree(self.new, ignore_errors=True)


def safe_name(name: str) -> str:
    """An output's name as part of a file name on any system: ``B.force:max -> B.force_max``."""
    return "".join(letter if letter.isalnum() or letter in "._-" else "_" for letter in name)


def safe_names(names: Iterable[str]) -> dict[str, str]:
    """`safe_name` of each, all different, on disks that do not tell capitals apart as well: ``x:max, x_max -> x_max, x_max_2``."""
    safe: dict[str, str] = {}
    taken: set[str] = set()
    for name in dict.fromkeys(names):
        plain, number = safe_name(name), 1
        while (free := plain if number == 1 else f"{plain}_{number}").casefold() in taken:
            number += 1
        taken.add(free.casefold())
        safe[name] = free
    return safe
