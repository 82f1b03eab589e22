"""Reading and writing the files of a run store."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from uqmbd.campaign.layout import checksum
from uqmbd.errors import StudyError


@contextmanager
def writing(place: Path) -> Iterator[None]:
    """Turn a failing write in the block into a `StudyError`; what was committed before stays valid."""
    try:
        yield
    except OSError as error:
        raise StudyError(
            f"cannot be written: {error.strerror or error}",
            file=error.filename or place,
            key="--out",
            value=str(place.parent if place.suffix else place),
            remedy="make room, or choose a place you may write to with --out; stored runs stay valid and `uqmbd resume` continues",
        ) from error


def write(path: Path, data: Any) -> None:
    """Write a file, making its folder when it is the first one there."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC  # `open` makes five system calls of it, and a campaign writes thousands of files
    try:
        file = os.open(path, flags, 0o666)
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(path, flags, 0o666)
    try:
        view = memoryview(data).cast("B")
        while len(view):
            view = view[os.write(file, view) :]
    finally:
        os.close(file)


def replace_text(path: Path, text: str) -> None:
    """Write a text file whole or not at all."""
    fresh = path.with_name(path.name + ".new")
    write(fresh, text.encode())
    fresh.replace(path)


def file_sum(path: Path) -> list[int] | None:
    """Checksum of a file, None if it is not there."""
    try:
        return checksum(path.read_bytes())
    except FileNotFoundError:
        return None
