"""The metadata files of `runs.zarr`, written with the zarr library; chunks are written elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from uqmbd.campaign.layout import Column, Layout
from uqmbd.simulators.base import STATUS


def create(root: Path, layout: Layout, time: np.ndarray | None) -> None:
    """An empty store: all variables with no runs, and the time grid."""
    import zarr

    group = zarr.open_group(root, mode="w", zarr_format=3)
    for column in layout.columns:
        create_column(group, column, layout.chunk)
    if time is not None:
        array = group.create_array("time", shape=time.shape, dtype="float64", dimension_names=("time",), attributes={"unit": "s"})
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
