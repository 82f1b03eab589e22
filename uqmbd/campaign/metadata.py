"""The metadata files of `runs.zarr`, written with the zarr library; chunks are written elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from uqmbd.campaign.layout import Column, Layout
from uqmbd.outcomes import STATUS


def create(root: Path, layout: Layout, time: np.ndarray | None) -> None:
    """An empty store: all variables with no runs, and the time grid."""
    import zarr

    group = zarr.open_group(root, mode="w", zarr_format=3)
    for column in layout.columns:
        create_column(group, column, layout.chunk)
    create_time(group, time)


def create_time(group: Any, time: np.ndarray | None) -> None:
    """The time grid, if there is one."""
    if time is not None:
        array = group.create_array(
            "time", shape=time.shape, dtype="float64", dimension_names=("time",), attributes={"unit": "s"}, overwrite=True
        )
        array[:] = time


def create_column(group: Any, column: Column, chunk: int) -> None:
    """One variable."""
    from zarr.codecs import BloscCodec, BytesCodec

    shape, chunks, names = (0,), (chunk,), ("run",)
    if column.points:
        shape, chunks, names = (0, column.points), (chunk, column.points), ("run", "time")
    shared: dict[str, Any] = {"shape": shape, "chunks": chunks, "dimension_names": names, "attributes": {"unit": column.unit}}
    if column.name == "status":  # as the CF conventions write codes
        shared["attributes"] |= {"flag_values": list(range(len(STATUS))), "flag_meanings": " ".join(STATUS)}
    if column.dtype == "str":
        group.create_array(column.name, dtype=str, fill_value="", compressors=None, **shared)
        return
    size = np.dtype(column.dtype).itemsize
    group.create_array(
        column.name,
        dtype=column.dtype,
        fill_value=-1 if column.dtype == "int8" else np.nan,
        serializer=BytesCodec(endian="little"),
        compressors=[BloscCodec(cname="lz4", clevel=3, shuffle="noshuffle" if size == 1 else "shuffle", typesize=size)],
        **shared,
    )


def mend(root: Path, layout: Layout, time: np.ndarray | None, rows: int) -> bool:
    """Write metadata anew that is missing or not as the layout says (chunks are left alone), and the times; True if there was such."""
    import zarr

    try:
        group = zarr.open_group(root, mode="r")
        bad = [column for column in layout.columns if not agrees(group, column, layout.chunk)]
        if not bad and (time is None or np.array_equal(group["time"], time)):
            return False
    except Exception:  # zarr has its own for everything that can be wrong with its root document
        (root / "zarr.json").unlink(missing_ok=True)
        bad = [column for column in layout.columns if not agrees(None, column, layout.chunk)]
    group = zarr.open_group(root, mode="a", zarr_format=3)
    for column in bad:
        (root / column.name / "zarr.json").unlink(missing_ok=True)
        create_column(group, column, layout.chunk)
    create_time(group, time)
    resize(root, layout, rows)
    return True


def agrees(group: Any, column: Column, chunk: int) -> bool:
    """True if a variable is there and as the layout says."""
    try:
        array = group[column.name]
        points = (column.points,) if column.points else ()
        kind = "str" if column.dtype == "str" else np.dtype(column.dtype)
        return array.shape[1:] == points and array.chunks == (chunk, *points) and (kind == "str" or array.dtype == kind)
    except Exception:  # as above
        return False


def resize(root: Path, layout: Layout, rows: int) -> None:
    """Say how many runs there are."""
    import zarr

    group = zarr.open_group(root, mode="r+")
    for column in layout.columns:
        array = group[column.name]
        if array.shape[0] != rows:
            array.resize((rows, *array.shape[1:]))


def set_attributes(root: Path, attributes: Mapping[str, Any]) -> None:
    """Attributes of the group."""
    import zarr

    zarr.open_group(root, mode="r+").attrs.update(dict(attributes))
