"""The runs that a result is made of, of this version and of earlier ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import xarray as xr

from uqmbd.errors import StudyError
from uqmbd.plain_zarr import require_plain
from uqmbd.runs.chunk import SUFFIX, spans_of
from uqmbd.runs.listing import MISSING, listed
from uqmbd.runs.reader import HEADER, Runs, reached
from uqmbd.runs.view import open_view
from uqmbd.runs.where import USED, integers_in, storage_in, used_in

AGAIN = "put it back; or call `uqmbd verify {0}`, which looks through all files, and `uqmbd resume {0}`, which does again what is lost"


def open_runs(folder: Path) -> xr.Dataset:
    """The runs that a result is made of, opened but not read; a store may hold others, of a study that had wider ranges, say.

    `StudyError` if files of them are missing, cut, or have a damaged head; what is damaged within a file shows when that part is read.
    """
    storage = storage_in(folder)
    with reached(storage):
        names = storage.names()
    needed = (listed(folder) or {"runs": []})["runs"]
    if (folder / "runs.zarr").is_dir() and HEADER not in names:
        return open_zarr_runs(folder)
    spans = used_in(folder)
    if HEADER not in names and not needed and (spans is None or not len(spans)) and not any(name.endswith(SUFFIX) for name in names):
        return xr.Dataset()
    for name in needed:
        if name not in names:
            raise StudyError(MISSING, file=storage.path(name), remedy=AGAIN.format(folder))
    stored = Runs(storage)
    lost = lost_runs(spans, stored)
    if stored.bad or lost:
        what = f"damaged: {stored.bad[0]}" if stored.bad else f"missing: of {lost[0][0]}"
        raise StudyError(f"a file of these results is {what}", file=str(storage), remedy=AGAIN.format(folder))
    return open_view(stored, spans)


def lost_runs(spans: np.ndarray | None, stored: Runs) -> list[tuple[str, int]]:
    """Which of the runs that a result is made of are not stored: in words, and how many."""
    lost, count = [], len(stored.chunk_of)
    for start, stop in [] if spans is None else spans.tolist():
        lost += [[start + a, start + b] for a, b in spans_of(np.flatnonzero(stored.chunk_of[start:stop] < 0))]
        lost += [[max(start, count), stop]] if stop > count else []
    return [(f"runs {start} to {stop - 1}", stop - start) for start, stop in lost]


def open_zarr_runs(folder: Path) -> xr.Dataset:
    """The runs of a result of an earlier version, whose ``rows.npy`` has a number for each run."""
    runs, rows = folder / "runs.zarr", folder / USED
    require_plain(runs)
    try:
        opened = xr.open_zarr(runs, consolidated=False, chunks=None, zarr_format=3)
        return opened.isel(run=integers_in(rows.read_bytes())) if rows.is_file() else opened
    except Exception as error:  # zarr, xarray and the codecs each have their own
        remedy = "put back what is missing, or delete result.zarr and resume the study: what is lost is run again"
        raise StudyError(f"the runs of this result cannot be read ({error})", file=runs, remedy=remedy) from error
