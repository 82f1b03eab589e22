"""Reading ``result.zarr``: what it was written by, its groups and attributes. Nothing in it is executed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import xarray as xr

from uqmbd.errors import StudyError
from uqmbd.gathered import scattered
from uqmbd.plain_zarr import require_plain
from uqmbd.sealing import HEAD

FORMAT = 1  # counts what an earlier uqmbd would read wrongly
AGAIN = "delete result.zarr and resume the study: its runs are kept, and only the result is computed again"
WHOLE = "surrogates"  # whose coordinates count too, which a selection of outputs would leave out


def attributes_of(store: Path) -> dict[str, Any]:
    """Attributes of the root: ``format`` (of results before it had one 0), ``attrs``, ``outputs``, ``fields``.

    Raises
    ------
    StudyError
        If there are none, or a later version has written them in another format.
    """
    file = store / HEAD
    try:
        found = dict(json.loads(file.read_bytes())["attributes"])
        version = found.setdefault("format", 0)
        if isinstance(version, int) and version <= FORMAT:
            dict(found["attrs"]), list(found["outputs"])
            return found
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StudyError(f"the result cannot be read ({type(error).__name__}: {error})", file=file, remedy=AGAIN) from error
    by = found.get("attrs", {}).get("versions", {}).get("uqmbd") if isinstance(found.get("attrs"), dict) else None
    text = f"was written by a later version of uqmbd{f', {by},' if by else ''} in a format that this one does not know"
    raise StudyError(text, file=file, key="format", value=version, remedy="update uqmbd, or read it with the version that wrote it")


def read_groups(store: Path, keys: Iterable[str], root: Mapping[str, Any]) -> dict[str, xr.Dataset]:
    """The groups of these names that are there, in memory, with their variables in the order of the study."""
    require_plain(store)
    groups = {}
    try:
        for key in keys:
            if (store / key).is_dir():
                with xr.open_zarr(store, group=key, consolidated=False, chunks=None, zarr_format=3) as group:
                    group.load()
                    names = root.get("fields", []) if key == "fields" else root["outputs"]
                    group = scattered(group)
                    groups[key] = group if key == WHOLE else group[[name for name in names if name in group]]
    except Exception as error:  # zarr, xarray and the codecs each have their own
        raise StudyError(f"the result cannot be read ({error})", file=store, remedy=AGAIN) from error
    return groups
