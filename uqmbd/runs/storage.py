"""Where the files of runs lie: a folder, or anything that fsspec knows by an address (``s3://bucket/study``, ``memory://study``)."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar, Protocol

from uqmbd.errors import StudyError
from uqmbd.runs.files import append, replace
from uqmbd.runs.keys import with_key, without_key

TEMPORARY = ".new"
EXECUTING = re.compile(r"(?:^|::)(reference|dask|jlab|jupyter)(?=::|://)")  # what fsspec makes of these executes what it reads


class Storage(Protocol):
    """Files by name. What `put` has written is there as a whole, or not at all."""

    appends: ClassVar[bool]  # whether files can be added to

    def names(self) -> dict[str, int]:
        """Sizes of the files by name; empty if there is no such place."""
        ...

    def read(self, name: str, start: int = 0, stop: int | None = None) -> bytes:
        """Bytes of a file from `start` to `stop`; FileNotFoundError if it is not there."""
        ...

    def beginnings(self, names: Sequence[str], length: int) -> list[bytes]:
        """The first bytes of many files."""
        ...

    def put(self, name: str, *parts: Any) -> None:
        """Write a file from its parts."""

    def append(self, name: str, at: int, data: bytes) -> None:
        """Write behind the first `at` bytes of a file; only where the place `appends`."""

    def remove(self, *names: str) -> None:
        """Remove files; those that are not there are none the worse."""

    def path(self, name: str) -> str:
        """What a message calls a file."""
        ...


class Folder:
    """A folder of this machine."""

    appends: ClassVar[bool] = True

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __str__(self) -> str:
        return str(self.folder)

    def names(self) -> dict[str, int]:
        try:
            with os.scandir(self.folder) as entries:
                return {entry.name: entry.stat().st_size for entry in entries if entry.is_file()}
        except (FileNotFoundError, NotADirectoryError):
            return {}

    def read(self, name: str, start: int = 0, stop: int | None = None) -> bytes:
        with open(self.folder / name, "rb", buffering=0) as stream:
            stream.seek(start)
            return stream.read(-1 if stop is None else stop - start)

    def beginnings(self, names: Sequence[str], length: int) -> list[bytes]:
        return [self.read(name, 0, length) for name in names]

    def put(self, name: str, *parts: Any) -> None:
        replace(self.folder / name, *parts)

    def append(self, name: str, at: int, data: bytes) -> None:
        append(self.folder / name, at, data)

    def remove(self, *names: str) -> None:
        for name in names:
            (self.folder / name).unlink(missing_ok=True)

    def path(self, name: str) -> str:
        return str(self.folder / name)


class Remote:
    """A place that fsspec knows, said without its key. One upload is one commit: object stores show whole objects only."""

    appends: ClassVar[bool] = False

    def __init__(self, address: str) -> None:
        import fsspec

        full = with_key(address.rstrip("/"))
        self.address = without_key(full)
        self.system, self.root = fsspec.core.url_to_fs(full)

    def __str__(self) -> str:
        return self.address

    def names(self) -> dict[str, int]:
        with reaching():
            self.system.invalidate_cache()
            try:
                entries = self.system.ls(self.root, detail=True)
            except FileNotFoundError:
                return {}
            return {entry["name"].rsplit("/", 1)[-1]: int(entry["size"]) for entry in entries if entry["type"] == "file"}

    def read(self, name: str, start: int = 0, stop: int | None = None) -> bytes:
        with reaching():
            return self.system.cat_file(f"{self.root}/{name}", start=start or None, end=stop)

    def beginnings(self, names: Sequence[str], length: int) -> list[bytes]:
        paths = [f"{self.root}/{name}" for name in names]
        with reaching():
            # all at once, where the system can; what cannot be reached now must not be taken for damaged
            return self.system.cat_ranges(paths, [0] * len(paths), [length] * len(paths), on_error="raise")

    def put(self, name: str, *parts: Any) -> None:
        with reaching():
            self.system.pipe_file(f"{self.root}/{name}", b"".join(bytes(part) for part in parts))

    def append(self, name: str, at: int, data: bytes) -> None:
        raise NotImplementedError

    def remove(self, *names: str) -> None:
        with reaching():
            for name in names:
                with suppress(FileNotFoundError):
                    self.system.rm_file(f"{self.root}/{name}")

    def path(self, name: str) -> str:
        return f"{self.address}/{name}"


@contextmanager
def reaching() -> Iterator[None]:
    """What a package of fsspec raises in the block, each its own, as an OSError."""
    try:
        yield
    except OSError:
        raise
    except Exception as error:
        raise OSError(" ".join(str(error).split()) or type(error).__name__) from error


def is_address(where: str | Path) -> bool:
    """True for what is not a path on this machine."""
    return "://" in str(where)


def storage_of(where: str | Path) -> Storage:
    """The place of a path or an address; `StudyError` if fsspec does not know it, or the package for it is missing."""
    if not str(where).strip():
        raise StudyError("the place of the runs is empty", key="campaign.runs", value=str(where), remedy="name a folder, or leave it out")
    if not is_address(where):
        return Folder(Path(where))
    if str(where).startswith(("file://", "local://")):
        return Folder(Path(str(where).split("://", 1)[1]))
    remedy = "name a folder, or an address that fsspec knows, such as s3://bucket/folder (its package has to be installed: s3fs)"
    said = without_key(str(where))
    if executing := EXECUTING.search(str(where)):
        text = f"runs cannot be kept there: what lies behind {executing[1]}:// may execute code"
        raise StudyError(text, key="campaign.runs", value=said, remedy=remedy)
    try:
        return Remote(str(where))
    except (ImportError, ValueError) as error:
        raise StudyError(f"runs cannot be kept there ({error})", key="campaign.runs", value=said, remedy=remedy) from error
