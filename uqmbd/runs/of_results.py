"""The runs that a result is made of, of this version and of earlier ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import xarray as xr

from uqmbd.errors import StudyError
from uqmbd.runs.piece import spans_of
from uqmbd.runs.reader import HEADER, Runs
from uqmbd.runs.view import open_view
from uqmbd.runs.where import place_in, used_in


def open_runs(folder: Path) -> xr.Dataset:
    """The runs that a result is made of, opened but not read; a store may hold others, of a study that had wider ranges, say."""
    place = place_in(folder)
    if HEADER in place.names():
        return open_view(place, used_in(folder))
    return open_zarr_runs(folder)


def require_runs(folder: Path) -> None:
    """Raise `StudyError` when runs that a result is made of are not there."""
    spans = used_in(folder)
    if spans is None or not len(spans) or (folder / "runs.zarr").is_dir():
        return
    stored = Runs(place_in(folder))
    lost = lost_runs(folder, stored)
    if lost or stored.bad:
        remedy = f"put it back; or remove {folder / 'done.json'} and call `uqmbd resume {folder}`, which does again what is lost"
        what = f"damaged: {stored.bad[0]}" if stored.bad else f"missing: of {lost[0][0]}"
        raise StudyError(f"a file of these results is {what}", file=str(stored.place), remedy=remedy)


def lost_runs(folder: Path, stored: Runs) -> list[tuple[str, int]]:
    """Which of the runs that a result is made of are not stored: in words, and how many."""
    spans = used_in(folder)
    if spans is None or not len(spans):
        return []
    lost = np.zeros(max(int(spans[-1, 1]), len(stored.piece_of)), bool)
    for start, stop in spans.tolist():
        lost[start:stop] = True
    lost[stored.rows] = False
    return [(f"runs {start} to {stop - 1}", stop - start) for start, stop in spans_of(np.flatnonzero(lost))]


def open_zarr_runs(folder: Path) -> xr.Dataset:
    """The runs of a result of an earlier version."""
    runs, rows = folder / "runs.zarr", folder / "rows.npy"
    if not runs.is_dir():
        return xr.Dataset()
    try:
        found = xr.open_zarr(runs, consolidated=False, chunks=None)
        return found.isel(run=np.load(rows)) if rows.is_file() else found
    except Exception as error:  # zarr, xarray and the codecs each have their own
        remedy = "put back what is missing, or delete result.zarr and resume the study: what is lost is run again"
        raise StudyError(f"the runs of this result cannot be read ({error})", file=runs, remedy=remedy) from error
