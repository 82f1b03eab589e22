"""The one reader of stored runs: by row and column, each block compared with its checksum when it is read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property, partial
from itertools import pairwise
from typing import Any

import numpy as np
import psutil

from uqmbd.errors import StudyError
from uqmbd.outcomes import TIME, Axis
from uqmbd.runs.chunk import FIRST, PARTIAL, SUFFIX, TEXT, Chunk, Column, chunks_in, decode, key_column
from uqmbd.runs.keys import without_key
from uqmbd.runs.states import DATA, ENDS, states_at
from uqmbd.runs.storage import Storage
from uqmbd.sealing import unsealed

FORMAT = 4
READABLE = (3, 4)  # 3: a file for each chunk, no controls and no states
HEADER, ABOUT = "head.json", "about.json"
READS = "reads.json"  # hashes of the files that the model was seen to read
BESIDE = {  # what is to be done where one of these is damaged
    ABOUT: "put it back; or `uqmbd verify` puts it aside, and `uqmbd resume` writes it again",
    READS: "put it back; or discard the runs (--overwrite): whether the files that their model read are as they were cannot be told",
}
BYTES_OF_A_ROW = 8  # in memory, of what says where each run is
MEND = "`uqmbd verify` looks through all files; after it `uqmbd resume` does again what is lost"


class Damaged(StudyError):
    """A file of runs that is missing, or not as it was written."""


class Runs:
    """Stored runs. Opening reads the heads of the files, no data."""

    def __init__(self, storage: Storage) -> None:
        self.storage = storage
        self.header = header_of(storage)  # what all runs share: format, columns, identity, notes, times, other axes
        self.columns = {entry[0]: Column(*entry) for entry in self.header["columns"]}
        self.time = None if self.header["time"] is None else np.array(self.header["time"], float)  # of the histories [s]
        self.axes = own_axes(self.header)  # of outputs that are over another axis than time, of fields all
        self.recent: tuple[Chunk | None, dict[str, np.ndarray]] = None, {}
        self.load()

    def load(self) -> None:
        """Read the heads of all files; `StudyError` when they cannot be reached, or what they say is more than memory holds."""
        with reached(self.storage):
            self.load_heads()
        self.map_rows()

    def load_heads(self) -> None:
        """The heads of all files, checked."""
        self.bad: list[str] = []  # files in which a head is damaged, which are left out
        self.torn: list[str] = []  # files that end with a part of a chunk: one that is being written, or whose writing was stopped
        self.foreign: list[str] = []  # files of runs of another identity, which are left out
        sizes = {name: size for name, size in sorted(self.storage.names().items()) if name.endswith(SUFFIX)}
        ours: list[Chunk] = []
        for (name, size), first in zip(sizes.items(), self.storage.beginnings(list(sizes), FIRST), strict=True):
            read = partial(self.storage.read, name)
            chunks, end, whole = chunks_in(name, size, lambda a, b, first=first, read=read: first[a:b] if b <= len(first) else read(a, b))
            fitting = [chunk for chunk in chunks if self.suits(chunk)]
            ours += [chunk for chunk in fitting if chunk.head["of"] == self.header["id"]]
            if not whole or len(fitting) < len(chunks):
                self.bad.append(name)
            elif any(chunk.head["of"] != self.header["id"] for chunk in fitting):
                self.foreign.append(name)
            elif end < size:
                self.torn.append(name)
        self.chunks: list[Chunk] = sorted(ours, key=lambda chunk: chunk.order)  # by session, then by first row
        for chunk in self.chunks:
            self.learn(chunk)

    def learn(self, chunk: Chunk) -> None:
        """Take in the columns that a chunk has and others have not: controls, and starts."""
        self.columns |= {name: column for name in chunk.head["blocks"].keys() - self.columns.keys() if (column := key_column(name))}

    def suits(self, chunk: Chunk) -> bool:
        """Whether the columns of a chunk have the types and the numbers of points that the header says."""
        for name, entry in chunk.head["blocks"].items():
            if (column := self.columns.get(name) or key_column(name)) is not None and chunk.head["of"] == self.header["id"]:
                kind, shape = ("str" if entry[3] == TEXT else np.dtype(entry[3]).name), list(entry[4])
                wide = shape[1:] if column.points < 0 and len(shape) == 2 else [column.points]
                if kind != column.dtype or shape != ([chunk.runs, *wide] if column.points else [chunk.runs]):
                    return False
        return True

    def map_rows(self) -> None:
        """Say which chunk each row is in: `chunk_of`, (rows,) int32, -1 where there is no run; what a later session wrote counts."""
        count = max((int(chunk.spans[-1, 1]) for chunk in self.chunks), default=0)
        if BYTES_OF_A_ROW * count > psutil.virtual_memory().total:
            text = f"the runs have numbers up to {count:,}, more than this machine has memory for"
            raise StudyError(text, file=str(self.storage), remedy=MEND)
        self.chunk_of = np.full(count, -1, np.int32)
        for number, chunk in enumerate(self.chunks):
            for start, stop in chunk.spans.tolist():
                self.chunk_of[start:stop] = number

    @property
    def rows(self) -> np.ndarray:
        """Rows that hold a run."""
        return np.flatnonzero(self.chunk_of >= 0)

    @cached_property
    def inputs(self) -> list[str]:
        """Inputs in the order of the columns."""
        return [name[6:] for name in self.columns if name.startswith("input:")]

    @property
    def extras(self) -> list[str]:
        """Names of the columns that make runs of equal inputs different ones."""
        return sorted(name for name in self.columns if key_column(name) is not None)

    @property
    def seconds(self) -> float:
        """Wall time that the runs took [s]."""
        return float(sum(chunk.head["seconds"] for chunk in self.chunks))

    def about(self) -> dict[str, Any]:
        """Versions, seed, what the simulator used; `StudyError` if that is damaged."""
        return document_in(self.storage, ABOUT)

    # reading -----------------------------------------------------------------------------------------------------------------------------
    def read(self, names: Sequence[str], rows: np.ndarray) -> dict[str, np.ndarray]:
        """Columns at any rows, in their order and in their stored types; NaN, -1 and "" where there is no run.

        `Damaged` if a file is missing, or a block not as it was written.
        """
        columns = {name: self.columns[name].empty(len(rows), self.longest(name)) for name in names}
        for number, at in self.by_chunk(rows):
            chunk = self.chunks[number]
            places, wanted = chunk.places(rows[at]), [name for name in names if name in chunk.head["blocks"]]
            for name, values in self.blocks(number, wanted) if len(places) == chunk.runs else self.held(number, wanted):
                if self.columns[name].points < 0:
                    columns[name][at, : values.shape[1]] = values[places]
                else:
                    columns[name][at] = values[places]
        return columns

    def held(self, number: int, names: Sequence[str]) -> Iterator[tuple[str, np.ndarray]]:
        """Blocks of a chunk, held until another one is read in part: who asks for some of its runs soon asks for the next ones."""
        if self.recent[0] is not self.chunks[number]:
            self.recent = self.chunks[number], {}
        blocks = self.recent[1]
        blocks.update(self.blocks(number, [name for name in names if name not in blocks]))
        return ((name, blocks[name]) for name in names)

    def longest(self, name: str) -> int:
        """Largest number of points of a column of which each run has its own; 0 of others."""
        if self.columns[name].points >= 0:
            return 0
        return max((chunk.head["blocks"][name][4][1] for chunk in self.chunks if name in chunk.head["blocks"]), default=0)

    def column(self, name: str, rows: np.ndarray) -> np.ndarray:
        """One column, see `read`."""
        return self.read([name], rows)[name]

    def states(self, rows: np.ndarray) -> list[bytes]:
        """Where runs ended, see `uqmbd.runs.states`; nothing for those of which it was not kept."""
        states = [b""] * len(rows)
        for number, at in self.by_chunk(rows):
            if ENDS in self.chunks[number].head["blocks"]:
                blocks = dict(self.blocks(number, [ENDS, DATA]))
                where = np.arange(len(rows))[at].tolist()
                for i, state in zip(where, states_at(blocks, self.chunks[number].places(rows[at])), strict=True):
                    states[i] = state
        return states

    def by_chunk(self, rows: np.ndarray) -> Iterator[tuple[int, Any]]:
        """Numbers of the chunks in which rows are, each with where in `rows` those are (a slice or positions)."""
        numbers, order = self.chunk_of[rows], None
        if len(numbers) and (numbers[1:] < numbers[:-1]).any():
            order = np.argsort(numbers, kind="stable")
            numbers = numbers[order]
        for begin, end in pairwise([0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), len(numbers)]):
            if end > begin and numbers[begin] >= 0:
                yield int(numbers[begin]), slice(begin, end) if order is None else order[begin:end]

    def partial(self, number: int) -> dict[str, np.ndarray]:
        """What a method's `reduce` made of the runs of a chunk."""
        names = [name for name in self.chunks[number].head["blocks"] if name.startswith(PARTIAL)]
        return {name.removeprefix(PARTIAL): values for name, values in self.blocks(number, names)}

    def blocks(self, number: int, names: Sequence[str]) -> Iterator[tuple[str, np.ndarray]]:
        """Blocks of a chunk; in one reading where they are most of what lies between the first and the last of them."""
        chunk = self.chunks[number]
        entries = {name: chunk.head["blocks"][name] for name in names}
        if not entries:
            return
        begin, end = min(e[0] for e in entries.values()), max(e[0] + e[1] for e in entries.values())
        whole = None
        if 2 * sum(entry[1] for entry in entries.values()) >= end - begin:
            whole = memoryview(self.bytes(chunk, begin, end))
        for name, entry in entries.items():
            start, stop = entry[0], entry[0] + entry[1]
            values = decode(entry, self.bytes(chunk, start, stop) if whole is None else whole[start - begin : stop - begin])
            if values is None:
                text = f"the file is damaged: {name} does not agree with its checksum"
                raise Damaged(text, file=self.storage.path(chunk.name), remedy=MEND)
            yield name, values

    def bytes(self, chunk: Chunk, start: int, stop: int) -> bytes:
        """Some of the bytes of a chunk's blocks."""
        with reached(self.storage, chunk.name):
            try:
                return self.storage.read(chunk.name, chunk.base + start, chunk.base + stop) if stop > start else b""
            except FileNotFoundError:
                raise Damaged("the file is missing", file=self.storage.path(chunk.name), remedy=MEND) from None

    def damages(self) -> Iterator[tuple[str, int, bytes]]:
        """Every file that is not as it was written, how many runs it lost (0 where that cannot be read), and its chunks that are whole.

        All files are read.
        """
        lost: dict[str, dict[int, int]] = {name: {} for name in (*self.bad, *self.torn)}
        for number, chunk in enumerate(self.chunks):
            try:
                for _ in self.blocks(number, list(chunk.head["blocks"])):
                    pass
            except Damaged:
                lost.setdefault(chunk.name, {})[number] = chunk.runs
        for name, runs in lost.items():
            yield name, sum(runs.values()), self.whole_of(name, runs)

    def whole_of(self, name: str, without: Container[int] = ()) -> bytes:
        """The chunks of a file, but for those of some numbers, as a file of their own; none where it is gone."""
        wanted = [chunk for number, chunk in enumerate(self.chunks) if chunk.name == name and number not in without]
        with reached(self.storage, name):
            return b"".join(self.storage.read(name, chunk.start, chunk.end) for chunk in sorted(wanted, key=lambda chunk: chunk.start))


@contextmanager
def reached(storage: Storage, name: str = HEADER) -> Iterator[None]:
    """Reading in the block: a sentence where the place does not let it."""
    try:
        yield
    except OSError as error:
        raise unreachable(error, storage, name) from error


def unreachable(error: OSError, storage: Storage, name: str = HEADER) -> StudyError:
    """The error for a place that does not let its files be read."""
    remedy = "see whether the place can be reached, and read by you; for an object store its keys and endpoint"
    return StudyError(f"the runs cannot be read ({said(error)})", file=storage.path(name), remedy=remedy)


def own_axes(header: Mapping[str, Any]) -> dict[str, Axis | tuple[Axis, ...]]:
    """Outputs that are over another axis than time; the header has ``axes``: by name ``unit``, ``values`` and ``outputs``.

    Of fields, which have several, its notes say the order of their names.
    """
    known = header.get("axes", {}).items()
    axes: dict[str, Any] = {TIME.name: TIME} | {name: Axis(name, it["values"], it["unit"]) for name, it in known}
    over = {output: axes[name] for name, it in known for output in it["outputs"]}
    return over | {output: tuple(axes[name] for name in names) for output, names in header["notes"].get("fields", {}).items()}


def header_of(storage: Storage) -> dict[str, Any]:
    """What all runs of a place share; `StudyError` if it holds no runs that this version can read."""
    remedy = "put it back; or `uqmbd resume` writes it again, if the study is as it was"
    try:
        header, is_sealed = unsealed(storage.read(HEADER))
    except FileNotFoundError:
        raise StudyError("there are no runs here", file=storage.path(HEADER), remedy="put it back, or run the study again") from None
    except (OSError, ValueError) as error:
        raise StudyError(f"the runs cannot be read ({said(error)})", file=storage.path(HEADER), remedy=remedy) from error
    if header.get("format") not in READABLE:
        raise StudyError("was written by another version of uqmbd", file=storage.path(HEADER), remedy="read it with that version")
    try:
        if not is_sealed and header["id"] != id_of(header):
            raise ValueError("it does not agree with its number")
        _ = own_axes(header), [Column(*entry) for entry in header["columns"]], header["time"], header["notes"], header["chunk"]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        text = f"the runs cannot be read (the file is damaged: {error})"
        raise StudyError(text, file=storage.path(HEADER), remedy=remedy) from error
    return header


def id_of(header: Mapping[str, Any]) -> str:
    """Number of a store, from what fixes its runs and what is kept of them."""
    fixed = [header[key] for key in ("identity", "columns", "time", "axes") if key in header]
    fixed += [header["notes"][key] for key in ("fields", "derived") if key in header.get("notes", {})]
    shared = json.dumps(fixed, sort_keys=True)
    return hashlib.sha256(shared.encode()).hexdigest()[:16]


def document_in(storage: Storage, name: str) -> dict[str, Any]:
    """A document beside the runs; empty if it is not there, `StudyError` if it is damaged."""
    try:
        return unsealed(storage.read(name))[0]
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError) as error:
        text = f"the file is damaged: {said(error)}" if isinstance(error, ValueError) else f"cannot be read ({said(error)})"
        raise StudyError(text, file=storage.path(name), remedy=BESIDE[name]) from error


def said(error: Exception) -> str:
    """An error in words, without keys of storage."""
    return without_key(str(getattr(error, "strerror", None) or error))
