"""Checksums of JSON documents, and of a zarr store in its own root document, so that damage is noticed when they are read.

The attributes of the root's ``zarr.json`` end with ``checksums`` (length and crc32 of every other file by its path) and ``seal`` (crc32 of
the document up to the seal itself). A sealed document of another kind begins with ``"sealed": true`` and ends with its ``seal``: two
marks, so that damage to one does not make it a document of before there were seals. A crc32 notices every change of up to 32
neighbouring bits.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from uqmbd.errors import StudyError

HEAD = "zarr.json"
AT_ONCE = 1 << 20  # bytes of a file in memory
MARK, END = "sealed", ', "seal": "{:08x}"}}'
TAIL = '"seal": "{:08x}"}}}}'


def sealed(document: Mapping[str, Any], **how: Any) -> bytes:
    """A document as JSON with its seal; `how`: keywords of `json.dumps`."""
    text = json.dumps({MARK: True, **document}, **how).removesuffix("}").rstrip()
    return (text + END.format(zlib.crc32(text.encode()))).encode()


def unsealed(data: bytes) -> tuple[dict[str, Any], bool]:
    """The document that `sealed` wrote, and whether it has a seal: earlier versions wrote none.

    Raises
    ------
    ValueError
        If it is no such document, or not as it was written.
    """
    size = len(END.format(0))
    marked = f'"{MARK}"'.encode() in data[:size] or b'"seal"' in data[-size:]
    if marked and data[-size:] != END.format(zlib.crc32(data[:-size])).encode():
        raise ValueError("it does not agree with its checksum")
    try:
        document = json.loads(data)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    if not isinstance(document, dict):
        raise ValueError("it is no table")
    return {key: value for key, value in document.items() if key not in (MARK, "seal")}, marked


def seal(store: Path) -> None:
    """Write the checksums of a store; its root group is a zarr format 3 document."""
    head = store / HEAD
    document = json.loads(head.read_text(encoding="utf-8"))
    attributes = {**document.pop("attributes", {}), "checksums": sums(store), "seal": ""}
    text = json.dumps({**document, "attributes": attributes}).removesuffix('"seal": ""}}')
    head.write_text(text + TAIL.format(zlib.crc32(text.encode())), encoding="utf-8")


def require_intact(store: Path, remedy: str) -> bool:
    """Raise `StudyError` with this remedy that names the first file which is missing, or not as it was written; False without checksums."""
    differing = wrong_in(store)
    if differing is None:
        return False
    for file, missing in differing:
        raise StudyError("the file is missing", file=file, remedy=remedy) if missing else damaged(file, remedy)
    return True


def wrong_in(store: Path) -> Iterator[tuple[Path, bool]] | None:
    """The files that are not as they were written, each with whether it is missing; None if the store has no checksums."""
    head = store / HEAD
    try:
        data = head.read_bytes()
    except FileNotFoundError:
        return iter([(head, True)])
    if b'"checksums"' not in data and b'"seal"' not in data:
        return None
    size = len(TAIL.format(0))
    if data[-size:] != TAIL.format(zlib.crc32(data[:-size])).encode():
        return iter([(head, False)])
    return compared(store, json.loads(data)["attributes"]["checksums"])


def compared(store: Path, checksums: Mapping[str, tuple[int, int]]) -> Iterator[tuple[Path, bool]]:
    """Those of the files that differ."""
    for name, entry in checksums.items():
        try:
            if sum_of_file(store / name) != list(entry):
                yield store / name, False
        except (FileNotFoundError, NotADirectoryError):
            yield store / name, True


def damaged(file: Path, remedy: str) -> StudyError:
    """The error for a file that has changed."""
    return StudyError("the file is damaged: it does not agree with its checksum", file=file, remedy=remedy)


def sums(store: Path) -> dict[str, list[int]]:
    """Length and crc32 of every file but the root's document, by path."""
    files = (file for file in sorted(store.rglob("*")) if file.is_file() and file != store / HEAD)
    return {file.relative_to(store).as_posix(): sum_of_file(file) for file in files}


def sum_of_file(file: Path) -> list[int]:
    """Length and crc32."""
    length = crc = 0
    with open(file, "rb", buffering=0) as stream:
        while data := stream.read(AT_ONCE):
            length, crc = length + len(data), zlib.crc32(data, crc)
    return [length, crc]
