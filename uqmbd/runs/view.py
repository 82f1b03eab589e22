"""Stored runs as an xarray Dataset: opened without reading data, read column by column, run by run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import xarray as xr
from xarray.backends import BackendArray, BackendEntrypoint
from xarray.core import indexing

from uqmbd.outcomes import STATUS, TIME, Axis
from uqmbd.runs.chunk import START, Column
from uqmbd.runs.reader import Runs
from uqmbd.runs.storage import storage_of

AT_ONCE = 1 << 18  # runs of a column that are gathered at a time
CACHED = 1 << 18  # runs up to which a column that was read is kept in memory


class LazyColumn(BackendArray):
    """A column of some of the runs; `rows` None stands for all of them."""

    def __init__(self, runs: Runs, column: Column, rows: np.ndarray | None, axes: Sequence[np.ndarray]) -> None:
        self.runs, self.column, self.rows = runs, column, rows
        count = len(runs.chunk_of) if rows is None else len(rows)
        self.tail = tuple(len(axis) for axis in axes)
        self.shape = (count, *self.tail)
        self.dtype = column.empty(0).dtype

    def __getitem__(self, key: indexing.ExplicitIndexer) -> Any:
        return indexing.explicit_indexing_adapter(key, self.shape, indexing.IndexingSupport.OUTER, self.at)

    def at(self, key: tuple[Any, ...]) -> np.ndarray:
        """Values at positions (number, slice or array) of each axis."""
        first, *others = key
        if isinstance(first, slice):
            wanted = np.arange(*first.indices(self.shape[0])) if self.rows is None else self.rows[first]
        else:
            wanted = np.atleast_1d(np.asarray(first))
            wanted = np.where(wanted < 0, wanted + self.shape[0], wanted)
            wanted = wanted if self.rows is None else self.rows[wanted]
        parts = [self.values(wanted[begin : begin + AT_ONCE])[(slice(None), *others)] for begin in range(0, max(len(wanted), 1), AT_ONCE)]
        chosen = parts[0] if len(parts) == 1 else np.concatenate(parts)
        return chosen if isinstance(first, (slice, np.ndarray)) else chosen[0]

    def values(self, rows: np.ndarray) -> np.ndarray:
        """Values of some rows, of a field with its axes, of events as long as the longest of all outputs that count the same."""
        values = self.runs.column(self.column.name, rows)
        if self.column.points < 0:
            return np.pad(values, np.array([[0, 0], [0, self.tail[0] - values.shape[1]]]), constant_values=np.nan)
        return values.reshape(len(rows), *self.tail)


class RunsBackend(BackendEntrypoint):
    """For `xarray.open_dataset`: ``xr.open_dataset("results/study/runs", engine=RunsBackend)``, in chunks of dask if `chunks` is given."""

    description: ClassVar[str] = "Runs of a study of uqmbd"
    open_dataset_parameters: ClassVar[tuple[str, ...]] = ("filename_or_obj", "drop_variables", "rows")

    def open_dataset(self, filename_or_obj: Any, *, drop_variables: Any = None, rows: np.ndarray | None = None) -> xr.Dataset:
        """``run`` [x ``time`` or another axis]: inputs as ``input:<name>``, controls, outputs, status, message; `rows` chooses runs."""
        stored = filename_or_obj if isinstance(filename_or_obj, Runs) else Runs(storage_of(filename_or_obj))
        columns = {name: column for name, column in stored.columns.items() if name != START}
        axes = {name: places_of(stored, name) for name, column in columns.items() if column.points}
        attributes: dict[str, dict[str, Any]] = {name: {"unit": column.unit} for name, column in columns.items()}
        attributes["status"] |= {"flag_values": list(range(len(STATUS))), "flag_meanings": " ".join(STATUS)}  # as the CF conventions
        variables = {
            name: (
                ("run", *(axis.name for axis in axes.get(name, ()))),
                indexing.LazilyIndexedArray(LazyColumn(stored, column, rows, [axis.values for axis in axes.get(name, ())])),
                attributes[name],
            )
            for name, column in columns.items()
        }
        coords = {} if stored.time is None else {"time": ("time", stored.time, {"unit": "s"})}
        coords |= {axis.name: (axis.name, axis.values, {"unit": axis.unit}) for several in axes.values() for axis in several}
        runs = xr.Dataset({name: xr.Variable(*entry) for name, entry in variables.items()}, coords, stored.about())
        return runs.drop_vars(drop_variables or [], errors="ignore")


def places_of(runs: Runs, name: str) -> tuple[Axis, ...]:
    """The axes of a column with their values; events are counted, up to the longest of all outputs that count the same."""
    times = Axis(TIME.name, np.empty(0) if runs.time is None else runs.time, TIME.unit)
    over = runs.axes.get(name, times)
    if isinstance(over, Axis) and over.varying:
        longest = max(runs.longest(other) for other, axis in runs.axes.items() if axis == over and other in runs.columns)
        return (Axis(over.name, np.arange(longest)),)
    return tuple(times if axis == TIME else axis for axis in (over if isinstance(over, tuple) else (over,)))


def open_view(runs: Runs, spans: np.ndarray | None = None) -> xr.Dataset:
    """Stored runs, or those of some rows, ``(spans, 2)`` first and last + 1."""
    rows, count = None, len(runs.chunk_of)
    if spans is not None and not (len(spans) == 1 and spans[0, 0] == 0 and spans[0, 1] == count):
        rows = np.concatenate([np.empty(0, np.int64), *(np.arange(start, stop) for start, stop in spans.tolist())])
    keys: dict[str, Any] = {"filename_or_obj": runs, "engine": RunsBackend, "rows": rows}  # xarray hands both on as they are
    return xr.open_dataset(**keys, chunks=None, cache=count <= CACHED)
