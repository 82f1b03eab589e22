"""What a zarr store may hold that comes from anywhere: groups of format 3, arrays of numbers and text, codecs that execute nothing."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil

from uqmbd.errors import StudyError

DOCUMENT = "zarr.json"
OF_FORMAT_2 = {".zarray", ".zgroup", ".zattrs", ".zmetadata"}
CODECS = {"bytes", "zstd", "blosc", "gzip", "crc32c", "vlen-utf8", "transpose"}
NUMBERS = re.compile(r"bool|u?int(8|16|32|64)|float(32|64)|string|fixed_length_utf32")
ASKS = "ask whoever made it for one that uqmbd has written, or make it again"


def require_plain(store: Path) -> None:
    """Raise `StudyError` unless every document of a store describes what uqmbd itself writes, and memory can hold it.

    Codecs are found by their names, and some of those that zarr knows execute what they read (numcodecs' pickle).
    """
    size = 0
    for file in documents(store):
        if file.name in OF_FORMAT_2:
            raise StudyError("is of zarr format 2, in which uqmbd writes nothing: it is not opened", file=file, remedy=ASKS)
        try:
            size += bytes_of(json.loads(file.read_bytes()))
        except StudyError as error:
            raise error.at(file=file, remedy=ASKS) from None
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
            raise StudyError(f"describes no array of numbers ({type(error).__name__})", file=file, remedy=ASKS) from error
        if size > psutil.virtual_memory().total:
            raise StudyError("describes arrays that are larger than the memory of this machine", file=file, remedy=ASKS)


def documents(store: Path) -> Iterator[Path]:
    """All files that describe something, of either format."""
    for folder, folders, files in os.walk(store):
        folders.sort()
        yield from (Path(folder, name) for name in sorted(files) if name == DOCUMENT or name in OF_FORMAT_2)


def bytes_of(document: dict[str, Any]) -> int:
    """Bytes in memory of what a document describes; `StudyError` for what is not plain."""
    if document["zarr_format"] != 3 or document["node_type"] not in ("group", "array"):
        raise StudyError("is no group and no array of zarr format 3: it is not opened")
    if document["node_type"] == "group":
        return 0
    kind, *codecs = map(name_of, (document["data_type"], *document["codecs"]))
    if not NUMBERS.fullmatch(kind):
        raise StudyError("holds a type that uqmbd does not write: it is not opened", value=kind)
    for name in codecs:
        if name not in CODECS:
            raise StudyError("names a codec that uqmbd does not write: it is not opened", value=name)
    if document.get("storage_transformers"):
        raise StudyError("names a storage transformer, which uqmbd does not write: it is not opened")
    width = math.prod(int(digits) for digits in re.findall(r"\d+", kind)[:1]) // 8 or 8
    shape, chunk = document["shape"], document["chunk_grid"]["configuration"]["chunk_shape"]
    if not all(isinstance(n, int) and n >= 0 for n in (*shape, *chunk)):
        raise StudyError("has a shape that is none")
    return width * max(math.prod(shape), math.prod(chunk))


def name_of(entry: Any) -> str:
    """Name of a codec or a type, which may stand alone or with its configuration."""
    return str(entry["name"] if isinstance(entry, dict) else entry)
