"""The file of a chunk: some hundred or thousand runs with everything that is kept of them, never changed once it is written.

Small chunks may lie in one file, one behind the other: each is added by one writing, and is there when all of its bytes are.

``uqmbdrun``, length and crc32 of the head (two little-endian uint32), the head (JSON), the blocks one after the other. A block is one
column of all runs, or one array of a method's partial: read by itself, compared with its own crc32. Numbers are compressed by Blosc
(lz4, shuffled), as zarr does it; the messages are JSON ``[[run, text], ...]`` of those that failed, compressed by zlib. So any
language reads a file with a JSON reader and Blosc, and a column of 10^7 runs costs 8 bytes a run to read, whatever else is stored.
"""

from __future__ import annotations

import json
import math
import struct
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

MAGIC = b"uqmbdrun"
PREFIX = len(MAGIC) + 8
SUFFIX = ".runs"
PARTIAL = "partial:"
TEXT = "text"
CONTROL, START = "control:", "start:key"  # columns that some chunks have: with the name of a control; the key of the run it went on from
FIRST = 1 << 14  # bytes in which most heads end


@dataclass(frozen=True)
class Column:
    """One variable of the runs: ``(run,)`` if `points` is 0, else ``(run, points)``; -1 where each run has its own number of them.

    A chunk holds the latter as wide as its longest run needs, NaN behind the others.
    `dtype` is ``float64``, ``float32``, ``int8``, ``str``, or ``uint64`` for keys, of which 0 is none.
    """

    name: str
    dtype: str
    points: int = 0
    unit: str = ""

    def empty(self, n: int, longest: int = 0) -> np.ndarray:
        """`n` runs that are not there; `longest`: of those with a number of points of their own."""
        shape = (n, self.points if self.points > 0 else longest) if self.points else (n,)
        if self.dtype == "str":
            return np.full(shape, "", object)
        return np.full(shape, {"int8": -1, "uint64": 0}.get(self.dtype, np.nan), self.dtype)


def key_column(name: str) -> Column | None:
    """The column of a control, or of starts; None for other names."""
    return Column(name, "float64") if name.startswith(CONTROL) else Column(name, "uint64") if name == START else None


@dataclass(frozen=True)
class Blocks:
    """The blocks of a chunk, as a worker makes them."""

    table: dict[str, list[Any]]  # by name: offset, size, crc32, type and shape
    data: np.ndarray  # all of them, uint8; arrays travel between processes without a copy, bytes do not
    counts: list[int]  # runs by status


def pack(arrays: Mapping[str, Any], status: np.ndarray, partial: Mapping[str, np.ndarray] | None = None) -> Blocks:
    """Encode columns (an array, or for messages a list of text) and what a method's `reduce` made of the runs."""
    arrays = {**arrays, **{PARTIAL + name: array for name, array in (partial or {}).items()}}
    table, parts, at = {}, [], 0
    for name, values in arrays.items():
        if isinstance(values, list):
            messages = [[i, text] for i, text in enumerate(values) if text]
            if not messages:
                continue
            data, kind, shape = zlib.compress(json.dumps(messages).encode(), 1), TEXT, [len(values)]
        else:
            values = np.ascontiguousarray(values)
            data, kind, shape = compress(values), values.dtype.str, list(values.shape)
        table[name] = [at, len(data), zlib.crc32(data), kind, shape]
        parts.append(data)
        at += len(data)
    return Blocks(table, np.frombuffer(b"".join(parts), np.uint8), np.bincount(status, minlength=4).tolist())


def compress(values: np.ndarray) -> bytes:
    """Blosc; lz4 costs a worker about 1 % of the fastest solver's time."""
    import numcodecs

    shuffle = numcodecs.Blosc.SHUFFLE if values.dtype.itemsize > 1 else numcodecs.Blosc.NOSHUFFLE
    return bytes(numcodecs.Blosc("lz4", clevel=3, shuffle=shuffle).encode(values)) if values.size else b""


def decode(entry: Sequence[Any], data: bytes | memoryview) -> np.ndarray | None:
    """A block's array; None if the bytes are not those that were written."""
    _, size, crc, kind, shape = entry
    if len(data) != size or zlib.crc32(data) != crc:
        return None
    if kind == TEXT:
        texts = np.full(shape, "", object)
        for i, text in json.loads(zlib.decompress(data)):
            texts[i] = text
        return texts
    import numcodecs

    wanted = math.prod(shape) * np.dtype(kind).itemsize
    if size and int.from_bytes(data[4:8], "little") != wanted:  # Blosc's own word on what it unpacks to
        return None
    return np.frombuffer(numcodecs.Blosc().decode(data) if size else b"", kind).reshape(shape)


def beginning(head: Mapping[str, Any]) -> bytes:
    """What stands before the blocks; see `Chunk`."""
    text = json.dumps(head, separators=(",", ":")).encode()
    return MAGIC + struct.pack("<II", len(text), zlib.crc32(text)) + text


def head_length(data: bytes) -> int:
    """Length of what stands before the blocks, from the first `PREFIX` bytes; 0 for another kind of file."""
    return PREFIX + struct.unpack_from("<I", data, 8)[0] if data[:8] == MAGIC and len(data) >= PREFIX else 0


@dataclass(frozen=True)
class Chunk:
    """A chunk whose head was read.

    The head has ``of``: whose runs they are, as the header of all says it; ``rows``: which, ``[[first, last + 1], ...]`` rising;
    ``counts``: by status; ``tag``: of the method that made the partial; ``timeout``: longest time that a run was given [s]; ``seconds``:
    wall time that they took; ``blocks``, see `Blocks`; ``order``: number among those of its session; ``parts``: if it was merged from
    others, the ``rows`` and the seconds of each.
    """

    name: str  # of its file: first row of the first chunk in it, and number of the session that wrote it
    base: int  # where its blocks begin in the file
    head: dict[str, Any]
    start: int = 0  # where it begins in the file

    @classmethod
    def read(cls, name: str, data: bytes, size: int, start: int = 0) -> Chunk | None:
        """From the bytes behind `start` in a file of `size` bytes; None if it is damaged or cut."""
        base = head_length(data)
        text = data[PREFIX:base]
        if not base or len(text) != base - PREFIX or zlib.crc32(text) != struct.unpack_from("<I", data, 12)[0]:
            return None
        chunk = cls(name, start + base, json.loads(text), start)
        try:
            return chunk if chunk.fits(size) else None
        except (ValueError, KeyError, TypeError, IndexError, AttributeError, OverflowError):  # sealed by somebody else
            return None

    def fits(self, size: int) -> bool:
        """Whether what the head says can be in a file of this size: rows that rise, one block after the other, a value for each run."""
        at, ends = 0, self.spans.ravel()
        for start, length, _, kind, _ in self.head["blocks"].values():
            if start != at or length < 0 or (kind != TEXT and np.dtype(kind).kind not in "biuf"):
                return False
            at += length
        rows = len(ends) > 0 and ends[0] >= 0 and not (ends[1:] < ends[:-1]).any()
        counted = self.head["blocks"]["status"][4][0] == self.runs == sum(self.head["counts"])
        keys = {"of", "tag", "timeout", "seconds"} <= self.head.keys()
        return bool(rows and counted and size >= self.base + at and keys and self.order and self.shares)

    @cached_property
    def end(self) -> int:
        """Where it ends in the file."""
        return self.base + max((start + length for start, length, *_ in self.head["blocks"].values()), default=0)

    @cached_property
    def spans(self) -> np.ndarray:
        """Its rows, (spans, 2) first and last + 1, rising."""
        return np.array(self.head["rows"], np.int64).reshape(-1, 2)

    @cached_property
    def runs(self) -> int:
        """How many runs it holds."""
        return int(np.diff(self.spans).sum())

    @cached_property
    def order(self) -> tuple[int, int]:
        """Number of the session, and among its chunks (of files of before the first row): what comes later counts."""
        first, session = self.name.removesuffix(SUFFIX).split("-")
        return int(session), int(self.head.get("order", first))

    @cached_property
    def shares(self) -> tuple[np.ndarray, np.ndarray, list[float]]:
        """The chunks that it was merged from, or itself: first rows of their spans, rising, the chunk of each span; seconds by chunk."""
        parts = self.head.get("parts", [[self.head["rows"], self.head["seconds"]]])
        firsts = sorted((int(first), number) for number, (spans, _) in enumerate(parts) for first, _ in spans)
        starts, numbers = np.array(firsts, np.int64).reshape(-1, 2).T
        return starts, numbers, [float(seconds) for _, seconds in parts]

    def seconds_of(self, rows: np.ndarray) -> dict[int, tuple[float, int]]:
        """What the chunks took that some of its rows came from, by their numbers in it, and where in `rows` the first of each is."""
        starts, numbers, seconds = self.shares
        parts, first = np.unique(numbers[np.searchsorted(starts, rows, "right") - 1], return_index=True)
        return {part: (seconds[part], at) for part, at in zip(parts.tolist(), first.tolist(), strict=True)}

    @property
    def has_partial(self) -> bool:
        """Whether it holds what a method's `reduce` made of its runs."""
        return any(name.startswith(PARTIAL) for name in self.head["blocks"])

    def places(self, rows: np.ndarray) -> np.ndarray:
        """Where rows of it are in its blocks."""
        starts, lengths = self.spans[:, 0], np.diff(self.spans)[:, 0]
        at = np.searchsorted(starts, rows, "right") - 1
        return (np.cumsum(lengths) - lengths - starts)[at] + rows


def chunks_in(name: str, size: int, read: Callable[[int, int], bytes]) -> tuple[list[Chunk], int, bool]:
    """The chunks of a file, one behind the other; where the last one ends; False where something else lies before or between them.

    That is a damaged head. `read` gives the bytes of the file from one position to another.
    """
    chunks: list[Chunk] = []
    at, end, whole = 0, 0, True
    while at < size:
        data = read(at, min(at + FIRST, size))
        length = head_length(data[:PREFIX])
        if FIRST < length <= size - at:
            data = read(at, at + length)
        chunk = Chunk.read(name, data, size, at)
        if chunk is not None:
            whole &= at == end
            chunks.append(chunk)
            at = end = chunk.end
        else:  # the next one may be whole
            next_one = read(at + 1, size).find(MAGIC)
            at = at + 1 + next_one if next_one >= 0 else size
    return chunks, end, whole and bool(chunks)


def file_name(first: int, session: int) -> str:
    """Name of a chunk's file."""
    return f"{first:012d}-{session}{SUFFIX}"


def spans_of(rows: np.ndarray) -> list[list[int]]:
    """Rising numbers as ``[first, last + 1]`` of those that follow each other."""
    if not len(rows):
        return []
    ends = np.flatnonzero(np.diff(rows) != 1)
    return np.column_stack([rows[np.concatenate([[0], ends + 1])], rows[np.concatenate([ends, [-1]])] + 1]).tolist()
