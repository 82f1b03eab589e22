"""The run store: `runs.zarr` with its journal. One writer, chunk-wise commits, runs found again by their inputs."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from uqmbd.campaign import metadata
from uqmbd.campaign.files import file_sum, write, writing
from uqmbd.campaign.journal import Journal
from uqmbd.campaign.layout import Column, Layout, checksum, decode, encode, overlay
from uqmbd.errors import StudyError

RESUME = "`uqmbd resume` does again what is lost:"


@dataclass(frozen=True)
class Piece:
    """Consecutive runs of one chunk, as a worker delivers them and the journal commits them.

    Attributes
    ----------
    start, stop : int
        Rows in the store.
    files : dict of str to bytes
        Encoded chunk by column name (rows outside the piece are empty); ``message`` only if there is one.
    sums : dict of str to list
        Length and crc32 of each file.
    status : ndarray of int8, shape (stop - start,)
    partial : bytes or None
        What the method's `reduce` made of the piece, packed.
    """

    start: int
    stop: int
    files: dict[str, Any]
    sums: dict[str, list[int]]
    status: np.ndarray
    partial: Any = None


@dataclass
class RunStore:
    """Open it with `opening.store_in`; close it when done.

    Attributes
    ----------
    layout : Layout
    time : ndarray or None
        Times of the histories [s].
    index : dict of bytes to int
        Row of a run by the bytes of its inputs.
    known : dict of int to bytes
        The inverse, with all rows of equal runs.
    status : ndarray of int8, shape (rows,)
        -1 where a row is free.
    segment : ndarray of int64, shape (rows,)
        First row of the committed piece that a row belongs to.
    pieces : dict of int to (int, list or None, str)
        Committed pieces by first row: last row + 1, checksum of the partial, tag of the method that made the partial.
    sums : dict of int to dict
        Checksums of a chunk's files by column name.
    damaged : list of str
        What `verify` has found.
    seconds : float
        Wall time that all runs took, in this session and earlier ones [s].
    took : dict of int to float
        The same by first row of the committed piece.
    """

    directory: Path
    layout: Layout
    journal: Journal
    time: np.ndarray | None = None
    index: dict[bytes, int] = field(default_factory=dict)
    known: dict[int, bytes] = field(default_factory=dict)
    status: np.ndarray = field(default_factory=lambda: np.empty(0, np.int8))
    segment: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))
    pieces: dict[int, tuple[int, list[int] | None, str]] = field(default_factory=dict)
    sums: dict[int, dict[str, list[int]]] = field(default_factory=dict)
    damaged: list[str] = field(default_factory=list)
    seconds: float = 0.0
    took: dict[int, float] = field(default_factory=dict)

    @property
    def root(self) -> Path:
        """The zarr group."""
        return self.directory / "runs.zarr"

    # reading -----------------------------------------------------------------------------------------------------------------------------
    def find(self, samples: Mapping[str, np.ndarray]) -> np.ndarray:
        """Rows of the samples, -1 for those not run yet; of equal runs the one that continues the row before is taken."""
        if not self.index:
            return np.full(len(next(iter(samples.values()))), -1)
        rows, row = [], -2
        for key in self.keys(samples):
            row = row + 1 if self.known.get(row + 1) == key else self.index.get(key, -1)
            rows.append(row)
        return np.array(rows, np.int64)

    def keys(self, samples: Mapping[str, np.ndarray]) -> list[bytes]:
        """Identity of runs within a study: the bytes of their inputs (adding zero makes -0.0 and 0.0 the same)."""
        table = np.column_stack([samples[name] for name in self.input_names()]).astype(np.float64) + 0.0
        return [row.tobytes() for row in table]

    def input_names(self) -> list[str]:
        """Inputs in the order of the columns."""
        return [column.name[6:] for column in self.layout.columns if column.name.startswith("input:")]

    def read(self, name: str, rows: np.ndarray) -> np.ndarray:
        """Values of a column at any rows, in their order; histories and scalars as float64."""
        column = next(c for c in self.layout.columns if c.name == name)
        kind = np.float64 if column.dtype.startswith("float") else column.empty(0).dtype
        found = column.empty(len(rows)).astype(kind)
        chunks = rows // self.layout.chunk
        for chunk in np.unique(chunks).tolist():
            at = np.flatnonzero(chunks == chunk)
            if name in self.sums.get(chunk, ()):
                data = self.file(self.root / column.path(chunk))
                found[at] = decode(column, data, self.layout.chunk)[rows[at] - chunk * self.layout.chunk]
        return found

    def partial(self, start: int) -> dict[str, np.ndarray]:
        """What `reduce` made of the piece that begins at row `start`."""
        return unpack_partial(self.file(self.partial_path(start)))

    def partial_path(self, start: int) -> Path:
        """File of a piece's partial."""
        return self.directory / "partials" / f"{start:09d}"

    def file(self, path: Path) -> bytes:
        """What a committed file holds; `StudyError` if it has gone since it was verified."""
        try:
            return path.read_bytes()
        except FileNotFoundError:
            self.require_place()
            raise StudyError("the file was removed while the study was running", file=path, remedy=f"{RESUME} {self.directory}") from None

    def require_place(self) -> None:
        """Raise `StudyError` when the folder was moved or removed since the store was opened."""
        if not self.journal.in_place():
            text = "the folder of results was moved or removed while the study was running"
            raise StudyError(text, file=self.directory, remedy=f"move it back, then {RESUME} {self.directory}; or run the study again")

    # writing -----------------------------------------------------------------------------------------------------------------------------
    def allocate(self, n: int) -> np.ndarray:
        """`n` free rows, lowest first: holes left by a kill, then new ones."""
        free = np.flatnonzero(self.status < 0)[:n]
        rows = np.concatenate([free, np.arange(len(self.status), len(self.status) + n - len(free))])
        self.grow(int(rows[-1]) + 1 if n else 0)
        self.require_place()
        with writing(self.root):
            metadata.resize(self.root, self.layout, len(self.status))
        return rows

    def grow(self, rows: int) -> None:
        """Make room in memory."""
        more = rows - len(self.status)
        if more > 0:
            self.status = np.concatenate([self.status, np.full(more, -1, np.int8)])
            self.segment = np.concatenate([self.segment, np.full(more, -1, np.int64)])

    def expect(self, rows: np.ndarray) -> None:
        """Runs that are there and are done again: they count as missing until they are committed anew (in memory; a kill keeps them)."""
        self.status[rows] = -1

    def commit(self, piece: Piece, samples: Mapping[str, np.ndarray], tag: str, seconds: float = 0.0) -> None:
        """Write the files of a piece, then its line in the journal: that line is the commit. `seconds` went by since the last one."""
        chunk = piece.start // self.layout.chunk
        sums = dict(piece.sums)
        fresh: list[Path] = []  # beside files that hold committed runs: those stay until the journal says otherwise
        self.require_place()
        with writing(self.root):
            for column in self.layout.columns:
                data = piece.files.get(column.name)
                path = self.root / column.path(chunk)
                if column.name in self.sums.get(chunk, ()):
                    data = self.merged(column, chunk, piece, data)
                    sums[column.name] = checksum(data)
                    path = beside(path)
                    fresh.append(path)
                if data is not None:
                    write(path, data)
                elif not path.name.endswith(".new"):
                    path.unlink(missing_ok=True)  # a killed process may have left one
            partial = None
            if piece.partial is not None:
                path, partial = self.partial_path(piece.start), checksum(piece.partial)
                if self.pieces.get(piece.start, (0, None))[1] is not None:
                    path = beside(path)
                    fresh.append(path)
                write(path, piece.partial)
            record = {"rows": [piece.start, piece.stop], "sums": sums, "status": status_runs(piece.status), "partial": partial}
            self.journal.append({**record, "tag": tag, "seconds": seconds})
            for path in fresh:
                os.replace(path, path.with_name(path.name[:-4]))
        self.note(piece.start, piece.stop, sums, piece.status, partial, tag)
        self.seconds += seconds
        self.took[piece.start] = seconds
        self.remember(np.arange(piece.start, piece.stop), samples)

    def remember(self, rows: np.ndarray, samples: Mapping[str, np.ndarray]) -> None:
        """Make runs findable by their inputs."""
        for row, key in zip(rows.tolist(), self.keys(samples), strict=True):
            self.known[row] = key
            self.index.setdefault(key, row)

    def merged(self, column: Column, chunk: int, piece: Piece, data: bytes | None) -> bytes:
        """A chunk's file with the piece laid over the runs that are in it already."""
        length = self.layout.chunk
        under = decode(column, self.file(self.root / column.path(chunk)), length)
        offset = piece.start - chunk * length
        over = column.empty(length) if data is None else decode(column, data, length)
        return encode(column, overlay(column, length, offset, over[offset : offset + piece.stop - piece.start], under))

    def note(self, start: int, stop: int, sums: dict, status: np.ndarray, partial: list[int] | None, tag: str) -> None:
        """Take a committed piece into memory; of a longer one that it replaces the rest becomes a piece without a partial."""
        self.grow(stop)
        if start in self.pieces:
            self.segment[stop : self.pieces[start][0]] = stop
        self.status[start:stop] = status
        self.segment[start:stop] = start
        self.pieces[start] = (stop, partial, tag)
        self.sums.setdefault(start // self.layout.chunk, {}).update(sums)

    def drop(self, chunk: int) -> None:
        """Forget a chunk, in memory."""
        first, last = chunk * self.layout.chunk, (chunk + 1) * self.layout.chunk
        self.status[first:last] = -1
        self.sums.pop(chunk, None)
        for start in [start for start in self.pieces if first <= start < last]:
            del self.pieces[start]

    def describe(self, attributes: Mapping[str, Any]) -> None:
        """Write attributes of the whole store (versions, seed, what the simulator used)."""
        self.require_place()
        with writing(self.root):
            metadata.set_attributes(self.root, attributes)

    def close(self) -> None:
        """Let go of the store, so that another process may write."""
        self.journal.close()

    # opening -----------------------------------------------------------------------------------------------------------------------------
    def replay(self, records: list[dict[str, Any]]) -> None:
        """Take the journal's records into memory."""
        for record in records:
            if "drop" in record:
                self.drop(record["drop"])
            else:
                start, stop = record["rows"]
                status = np.repeat(*np.array(record["status"], np.int64).reshape(-1, 2).T).astype(np.int8)
                self.note(start, stop, record["sums"], status, record["partial"], record["tag"])
                self.seconds += record["seconds"]
                self.took[start] = record["seconds"]

    def verify(self) -> None:
        """Compare every file with its checksum; a chunk that does not agree is dropped, to be run again."""
        with writing(self.root):
            if metadata.mend(self.root, self.layout, self.time, len(self.status)):
                self.damaged.append("runs.zarr: metadata was missing or damaged, and is written anew")
        for chunk in sorted(self.sums):
            bad = [column.path(chunk) for column in self.layout.columns if not self.intact(column, chunk)]
            first, last = chunk * self.layout.chunk, (chunk + 1) * self.layout.chunk
            for start, (_, partial, _) in self.pieces.items():
                if first <= start < last and partial is not None and not settled(self.partial_path(start), partial):
                    bad.append(str(self.partial_path(start).relative_to(self.directory)))
            if bad:
                runs = int(np.count_nonzero(self.status[first:last] >= 0))
                self.damaged.append(f"{bad[0]} does not agree with its checksum: its {runs} runs are done again")
                with writing(self.root):
                    self.journal.append({"drop": chunk})
                self.drop(chunk)
        rows = np.flatnonzero(self.status >= 0)
        if len(rows):
            self.remember(rows, {name: self.read(f"input:{name}", rows) for name in self.input_names()})

    def intact(self, column: Column, chunk: int) -> bool:
        """True if a chunk's file is as the journal says."""
        return settled(self.root / column.path(chunk), self.sums[chunk].get(column.name))


def beside(path: Path) -> Path:
    """Where the next version of a file waits for its line in the journal."""
    return path.with_name(path.name + ".new")


def settled(path: Path, expected: list[int] | None) -> bool:
    """True if a file is as the journal says; finishes a rename that a kill has interrupted. None: the journal knows no such file."""
    fresh = beside(path)
    if fresh.exists():
        if expected is not None and file_sum(fresh) == expected:
            os.replace(fresh, path)
        else:
            fresh.unlink()
    return expected is None or file_sum(path) == expected


def status_runs(status: np.ndarray) -> list[list[int]]:
    """Status codes as (code, count) pairs."""
    starts = np.flatnonzero(np.concatenate([[True], status[1:] != status[:-1]]))
    counts = np.diff([*starts, len(status)])
    return [[int(status[s]), int(c)] for s, c in zip(starts, counts, strict=True)]


def pack_partial(partial: Mapping[str, np.ndarray]) -> bytes:
    """A method's partial as bytes: a line of JSON that says what the arrays are, then the arrays."""
    arrays = {name: np.ascontiguousarray(array) for name, array in partial.items()}
    head = json.dumps([[name, array.dtype.str, array.shape] for name, array in arrays.items()])
    return b"".join([head.encode(), b"\n", *(array.tobytes() for array in arrays.values())])


def unpack_partial(data: bytes) -> dict[str, np.ndarray]:
    """The inverse of `pack_partial`."""
    at = data.index(b"\n") + 1
    found = {}
    for name, kind, shape in json.loads(data[: at - 1]):
        count = int(np.prod(shape))
        found[name] = np.frombuffer(data, kind, count, at).reshape(shape)
        at += count * np.dtype(kind).itemsize
    return found
