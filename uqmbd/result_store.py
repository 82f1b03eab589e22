"""``result.zarr``: what it was written by, its groups and attributes. Nothing in it is executed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import xarray as xr

from uqmbd.errors import StudyError
from uqmbd.facts import Facts
from uqmbd.gathered import gathered, of_numpy, scattered
from uqmbd.groups import OURS, GroupSpec
from uqmbd.plain_zarr import require_plain
from uqmbd.result_data import ResultData
from uqmbd.runs.listing import LISTING, ROOT, listed, require_listed
from uqmbd.runs.where import MANIFEST, MOTION
from uqmbd.sealing import HEAD, require_intact, seal

UNSEALED = "this result was written before results had checksums: damage to its files would not be noticed"
UNLISTED = f"{LISTING} is missing: damage to the files beside the result would not be noticed"
FORMAT = 1  # counts what an earlier uqmbd would read wrongly
AGAIN = "delete result.zarr and resume the study: its runs are kept, and only the result is computed again"


def attributes_of(store: Path) -> dict[str, Any]:
    """Attributes of the root: ``format`` (of results before it had one 0), ``attrs``, ``outputs``, ``fields``, ``groups`` (specs).

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
            _ = list(found["outputs"]), Facts.of(found["attrs"]), specs_in(found)  # can all be read
            return found
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise StudyError(f"the result cannot be read ({type(error).__name__}: {error})", file=file, remedy=AGAIN) from error
    by = found.get("attrs", {}).get("versions", {}).get("uqmbd") if isinstance(found.get("attrs"), dict) else None
    text = f"was written by a later version of uqmbd{f', {by},' if by else ''} in a format that this one does not know"
    raise StudyError(text, file=file, key="format", value=version, remedy="update uqmbd, or read it with the version that wrote it")


def opened_root(folder: Path, store: Path) -> tuple[dict[str, Any], list[str]]:
    """Attributes of the root of a store whose files are all as they were written, and notes of what could not be compared."""
    intact = require_intact(store, AGAIN)
    root = attributes_of(store)
    if not intact:
        return root, [UNSEALED]
    require_listed(folder, ROOT, AGAIN)
    return root, [UNLISTED] if root["format"] and listed(folder) is None else []


def write_groups(store: Path, result: ResultData) -> None:
    """Write a result into the new store `store`, with what its groups are; sealed at the end."""
    groups = dict(result.kept_groups())
    root = {
        "format": FORMAT,
        "attrs": json.loads(json.dumps(result.attrs, default=of_numpy)),
        "outputs": result.outputs,
        "fields": list(result.fields),
        "groups": [result.specs[name].stored() | {"variables": variables_of(result.specs[name], group)} for name, group in groups.items()],
    }
    xr.Dataset(attrs=root).to_zarr(store, mode="w", zarr_format=3, consolidated=False)
    for name, group in groups.items():
        gathered(storable(group)).to_zarr(store, group=name, mode="w", zarr_format=3, consolidated=False)
    seal(store)


def variables_of(spec: GroupSpec, group: xr.Dataset) -> list[str]:
    """Names and order of the variables of a group that is not one of outputs; empty where the outputs have them."""
    return [] if spec.per_output else list(map(str, group.data_vars))


def storable(group: xr.Dataset) -> xr.Dataset:
    """Text coordinates as variable-length strings, which zarr 3 has a specification for."""
    return group.assign_coords({name: coord.astype(object) for name, coord in group.coords.items() if coord.dtype.kind in "UT"})


def specs_in(root: Mapping[str, Any]) -> list[GroupSpec]:
    """The groups of a method's own in a result; none in one that an earlier version wrote."""
    ours = {spec.name for spec in OURS}
    return [GroupSpec.of_stored(entry) for entry in root.get("groups", ()) if entry["name"] not in ours]


def read_groups(store: Path, own: Iterable[GroupSpec], root: Mapping[str, Any]) -> dict[str, xr.Dataset]:
    """The groups that are there, in memory, with their variables in the order in which they were."""
    require_plain(store)
    groups, order = {}, {entry["name"]: entry.get("variables") for entry in root.get("groups", ())} | {"fields": root.get("fields", [])}
    try:
        for spec in (*OURS, *own):
            if spec.name != "runs" and (store / spec.name).is_dir():
                with xr.open_zarr(store, group=spec.name, consolidated=False, chunks=None, zarr_format=3) as group:
                    group.load()
                    group, names = scattered(group), order.get(spec.name) or (root["outputs"] if spec.per_output else [])
                    coords = {name: coord for name, coord in group.coords.items()}  # a selection of outputs would leave some out
                    groups[spec.name] = group[[name for name in names if name in group]].assign_coords(coords) if names else group
    except Exception as error:  # zarr, xarray and the codecs each have their own
        raise StudyError(f"the result cannot be read ({error})", file=store, remedy=AGAIN) from error
    return groups


def manifest_in(folder: Path) -> tuple[dict[str, Any], str]:
    """What ``manifest.json`` says, and a note when it is damaged or has gone, which concerns no number; both empty if there is none."""
    try:
        require_listed(folder, MANIFEST, AGAIN)
        found = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        return (found, "") if isinstance(found, dict) else ({}, f"{MANIFEST} is damaged: how the result was made is not shown")
    except FileNotFoundError:
        return {}, ""
    except (StudyError, OSError, ValueError) as error:
        what = error.message if isinstance(error, StudyError) else "the file is damaged"
        return {}, f"{MANIFEST}: {what}; how the result was made is not shown"


def motion_in(folder: Path) -> dict[str, Any]:
    """What ``motion.json`` says; ``why`` there is no motion when it is damaged, which concerns no number; empty if there is none."""
    try:
        require_listed(folder, MOTION, AGAIN)
        return dict(json.loads((folder / MOTION).read_bytes()))
    except FileNotFoundError:
        return {}
    except (StudyError, OSError, ValueError, TypeError, RecursionError) as error:
        return {"why": f"{MOTION}: {error.message if isinstance(error, StudyError) else 'the file is damaged'}"}
