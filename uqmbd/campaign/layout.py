"""How runs lie in `runs.zarr`: columns cut into chunks of a fixed number of runs, each chunk one file that any zarr reader decodes.

Workers encode chunks, the driver only writes bytes. A chunk is the unit of commit; a batch sent to a worker is a row of chunks, so the
batch size may follow the measured speed while the layout, and with it every number, does not depend on timing.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

CHUNKS = 128  # chunks the planned runs are cut into, as long as they hold between `width` and LARGEST runs
LARGEST = 1024


@dataclass(frozen=True)
class Column:
    """One variable of the store: ``(run,)`` if `points` is 0, else ``(run, points)``.

    `dtype` is ``float64``, ``float32``, ``int8`` or ``str``.
    """

    name: str
    dtype: str
    points: int = 0
    unit: str = ""

    def empty(self, n: int) -> np.ndarray:
        """`n` runs that are not there yet."""
        shape = (n, self.points) if self.points else (n,)
        if self.dtype == "str":
            return np.full(shape, "", object)
        return np.full(shape, -1 if self.dtype == "int8" else np.nan, self.dtype)

    def path(self, chunk: int) -> str:
        """File of a chunk, relative to `runs.zarr`."""
        return f"{self.name}/c/{chunk}/0" if self.points else f"{self.name}/c/{chunk}"


@dataclass(frozen=True)
class Layout:
    """Columns and chunk length of a store."""

    chunk: int
    columns: tuple[Column, ...]

    def cut(self, rows: np.ndarray, breaks: np.ndarray) -> list[tuple[int, int]]:
        """Cut rising row numbers into pieces ``(start, stop)`` of their positions: neighbours in one chunk, no break inside.

        `breaks` holds True at positions where a new piece has to begin.
        """
        if not len(rows):
            return []
        new = np.concatenate([[True], (np.diff(rows) != 1) | (np.diff(rows // self.chunk) != 0)]) | breaks
        starts = np.flatnonzero(new)
        return list(zip(starts.tolist(), [*starts[1:].tolist(), len(rows)], strict=True))


def chunk_length(n: int, width: int, batch: int | None) -> int:
    """Runs in a chunk, from the number of runs that are planned (never from timing)."""
    fair = 1 << max(0, (n // CHUNKS).bit_length() - 1)
    length = min(max(fair, width), LARGEST)
    return length if batch is None else max(1, min(length, batch))


def columns_of(
    inputs: Mapping[str, str], outputs: Mapping[str, tuple[str, bool]], points: int, precision: str, histories: bool
) -> tuple[Column, ...]:
    """The columns of a study: `inputs` name -> unit, `outputs` name -> (unit, is a history)."""
    found = [Column(f"input:{name}", "float64", 0, unit) for name, unit in inputs.items()]
    for name, (unit, history) in outputs.items():
        if not history:
            found.append(Column(name, "float64", 0, unit))
        elif histories:
            found.append(Column(name, precision, points, unit))
    return (*found, Column("status", "int8"), Column("message", "str"))


def encode(column: Column, values: np.ndarray) -> bytes:
    """A whole chunk as zarr's codecs write it."""
    import numcodecs

    if column.dtype == "str":
        return bytes(numcodecs.VLenUTF8().encode(np.asarray(values, object)))
    return bytes(compressor(column).encode(np.ascontiguousarray(values, column.dtype)))


def decode(column: Column, data: bytes, length: int) -> np.ndarray:
    """The inverse of `encode`."""
    import numcodecs

    if column.dtype == "str":
        return numcodecs.VLenUTF8().decode(data)
    shape = (length, column.points) if column.points else (length,)
    return np.frombuffer(compressor(column).decode(data), column.dtype).reshape(shape)


def compressor(column: Column):
    """Blosc as in the array's metadata; lz4 costs a worker about 1 % of the fastest solver's time."""
    import numcodecs

    shuffle = numcodecs.Blosc.SHUFFLE if column.dtype != "int8" else numcodecs.Blosc.NOSHUFFLE
    return numcodecs.Blosc("lz4", clevel=3, shuffle=shuffle)


def checksum(data: bytes | memoryview) -> list[int]:
    """Length and crc32, as the journal keeps them."""
    return [len(data), zlib.crc32(data)]


def overlay(column: Column, length: int, offset: int, values: np.ndarray | Sequence[str], under: np.ndarray | None = None) -> np.ndarray:
    """A whole chunk with `values` from run `offset` on, over what was there before."""
    if len(values) == length and column.dtype != "str":
        return values
    whole = column.empty(length) if under is None else np.array(under)
    whole[offset : offset + len(values)] = values
    return whole
