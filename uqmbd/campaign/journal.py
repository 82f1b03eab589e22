"""The journal of a run store: one line a commit, each with its checksum. What is not in it has not happened."""

from __future__ import annotations

import fcntl
import json
import os
import zlib
from pathlib import Path
from typing import Any

from uqmbd.errors import StudyError


class Journal:
    """Append-only file of JSON records.

    A record is one `write` of one line, so a killed process leaves at most a torn last line, which is cut off on opening. No fsync: the
    system keeps what a killed process wrote; after a power failure the checksums of the chunks tell what is missing.

    Attributes
    ----------
    stamp : dict
        What every record says besides: under which limits its runs were made.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.stream: int | None = None
        self.stamp: dict[str, Any] = {}

    def read(self) -> tuple[list[dict[str, Any]], int]:
        """All intact records and the length of the file up to the last of them."""
        if not self.path.exists():
            return [], 0
        records, good = [], 0
        for line in self.path.read_bytes().splitlines(keepends=True):
            record = record_of(line)
            if record is None:
                break
            records.append(record)
            good += len(line)
        return records, good

    def first(self) -> dict[str, Any] | None:
        """The first record, without reading the others; None if there is none."""
        try:
            with self.path.open("rb") as stream:
                line = stream.readline()
        except (FileNotFoundError, NotADirectoryError):
            return None
        return record_of(line)

    def lock(self) -> None:
        """Open the file and hold it; `StudyError` if another process does."""
        self.stream = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            fcntl.flock(self.stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.close()
            raise StudyError("another uqmbd is writing here", file=self.path.parent, remedy="wait for it to end, or choose --out") from None

    def open(self) -> list[dict[str, Any]]:
        """Read the records, cut off a torn end, make ready to append; it was locked before."""
        records, good = self.read()
        os.ftruncate(self.stream, good)
        return records

    def append(self, record: dict[str, Any]) -> None:
        """Commit a record."""
        text = json.dumps({**record, **self.stamp}, separators=(",", ":")).encode()
        line = seal(text) + b" " + text + b"\n"
        end = os.lseek(self.stream, 0, os.SEEK_END)
        try:
            written = os.write(self.stream, line)
        except OSError:
            os.ftruncate(self.stream, end)
            raise
        if written != len(line):
            os.ftruncate(self.stream, end)
            raise OSError(28, "No space left on device", str(self.path))

    def in_place(self) -> bool:
        """True as long as the file that is written to is the one in its folder; a folder can be moved or removed meanwhile."""
        try:
            there = os.stat(self.path)
        except OSError:
            return False
        own = os.fstat(self.stream)
        return (there.st_dev, there.st_ino) == (own.st_dev, own.st_ino)

    def clear(self) -> None:
        """Forget all records; it stays open, and locked."""
        os.ftruncate(self.stream, 0)

    def close(self) -> None:
        """Let go of the file."""
        if self.stream is not None:
            os.close(self.stream)
            self.stream = None


def record_of(line: bytes) -> dict[str, Any] | None:
    """The record of a line; None for one that is torn or changed."""
    if not line.endswith(b"\n") or line[8:9] != b" " or line[:8] != seal(line[9:-1]):
        return None
    return json.loads(line[9:-1])


def seal(text: bytes) -> bytes:
    """Checksum of a record's text."""
    return b"%08x" % zlib.crc32(text)
