"""The journal of a run store: one line a commit, each with its checksum. What is not in it has not happened."""

from __future__ import annotations

import json
import os
import zlib
from pathlib import Path
from typing import Any


class Journal:
    """Append-only file of JSON records.

    A record is one `write` of one line, so a killed process leaves at most a torn last line, which is cut off on opening. No fsync: the
    system keeps what a killed process wrote; after a power failure the checksums of the chunks tell what is missing.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.stream: int | None = None

    def read(self) -> tuple[list[dict[str, Any]], int]:
        """All intact records and the length of the file up to the last of them."""
        if not self.path.exists():
            return [], 0
        records, good = [], 0
        for line in self.path.read_bytes().splitlines(keepends=True):
            if not line.endswith(b"\n") or line[8:9] != b" " or line[:8] != seal(line[9:-1]):
                break
            records.append(json.loads(line[9:-1]))
            good += len(line)
        return records, good

    def open(self) -> list[dict[str, Any]]:
        """Read the records, cut off a torn end, make ready to append."""
        records, good = self.read()
        self.stream = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        os.ftruncate(self.stream, good)
        return records

    def append(self, record: dict[str, Any]) -> None:
        """Commit a record."""
        text = json.dumps(record, separators=(",", ":")).encode()
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

    def close(self) -> None:
        """Let go of the file."""
        if self.stream is not None:
            os.close(self.stream)
            self.stream = None


def seal(text: bytes) -> bytes:
    """Checksum of a record's text."""
    return b"%08x" % zlib.crc32(text)
