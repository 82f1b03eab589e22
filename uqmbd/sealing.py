"""Checksums of a zarr store, kept in its own root document, so that damage is noticed when it is opened.

The attributes of the root's ``zarr.json`` end with ``checksums`` (length and crc32 of every other file by its path) and ``seal`` (crc32 of
the document up to the seal itself). A crc32 notices every change of up to 32 neighbouring bits.
"""

from __future__ import annotations

import json
import zlib
from pathlib import Path

from uqmbd.errors import StudyError

HEAD = "zarr.json"
TAIL = '"seal": "{:08x}"}}}}'


def seal(store: Path) -> None:
    """Write the checksums of a store; its root group is a zarr format 3 document."""
    head = store / HEAD
    document = json.loads(head.read_text(encoding="utf-8"))
    attributes = {**document.pop("attributes", {}), "checksums": sums(store), "seal": ""}
    text = json.dumps({**document, "attributes": attributes}).removesuffix('"seal": ""}}')
    head.write_text(text + TAIL.format(zlib.crc32(text.encode())), encoding="utf-8")


def require_intact(store: Path, remedy: str) -> bool:
    """Raise `StudyError` that names the first file which is not as it was written; False if the store has no checksums.

    Raises
    ------
    StudyError
        Also when a file is missing; `remedy` is what it says to do.
    """
    head = store / HEAD
    try:
        data = head.read_bytes()
    except FileNotFoundError:
        raise StudyError("the file is missing", file=head, remedy=remedy) from None
    if b'"checksums"' not in data and b'"seal"' not in data:
        return False
    size = len(TAIL.format(0))
    if data[-size:] != TAIL.format(zlib.crc32(data[:-size])).encode():
        raise damaged(head, remedy)
    for name, (length, crc) in json.loads(data)["attributes"]["checksums"].items():
        try:
            content = (store / name).read_bytes()
        except FileNotFoundError:
            raise StudyError("the file is missing", file=store / name, remedy=remedy) from None
        if len(content) != length or zlib.crc32(content) != crc:
            raise damaged(store / name, remedy)
    return True


def damaged(file: Path, remedy: str) -> StudyError:
    """The error for a file that has changed."""
    return StudyError("the file is damaged: it does not agree with its checksum", file=file, remedy=remedy)


def sums(store: Path) -> dict[str, list[int]]:
    """Length and crc32 of every file but the root's document, by path."""
    found = {}
    for file in sorted(store.rglob("*")):
        if file.is_file() and file != store / HEAD:
            content = file.read_bytes()
            found[file.relative_to(store).as_posix()] = [len(content), zlib.crc32(content)]
    return found
