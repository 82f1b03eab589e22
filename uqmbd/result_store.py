"""``result.zarr``: what it was written by, its groups and attributes. Nothing in it is executed.

What a group holds of many outputs that are alike (dimensions and type) is one variable along a dimension `ALONG`; its attribute `OUTPUTS`
has their names, `ATTRIBUTES` what each says of itself. A file for each of thousands of outputs would be the whole cost.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from uqmbd.errors import StudyError
from uqmbd.facts import Facts
from uqmbd.groups import OURS, GroupSpec
from uqmbd.plain_zarr import require_plain
from uqmbd.result_data import ResultData
from uqmbd.runs.listing import LISTING, ROOT, listed, require_listed
from uqmbd.sealing import HEAD, require_intact, seal

UNSEALED = "this result was written before results had checksums: damage to its files would not be noticed"
UNLISTED = f"{LISTING} is missing: damage to the files beside the result would not be noticed"
FORMAT = 1  # counts what an earlier uqmbd would read wrongly
AGAIN = "delete result.zarr and resume the study: its runs are kept, and only the result is computed again"
MANY = 16  # outputs that are alike
ALONG = "gathered"
OUTPUTS, ATTRIBUTES = "gathered outputs", "gathered attributes"
LARGE = 1 << 16  # numbers: an output with more of them is stored by itself


def attributes_of(store: Path) -> dict[str, Any]:
    """Attributes of the root: ``format`` (of results before it had one 0), ``attrs``, ``outputs``, ``fields``, ``groups`` (specs).

    `StudyError` if there are none, or a later version has written them in another format.
    """
    file = store / HEAD
    try:
        attributes = dict(json.loads(file.read_bytes())["attributes"])
        version = attributes.setdefault("format", 0)
        if isinstance(version, int) and version <= FORMAT:
            _ = list(attributes["outputs"]), Facts.of(attributes["attrs"]), specs_in(attributes)  # can all be read
            return attributes
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise StudyError(f"the result cannot be read ({type(error).__name__}: {error})", file=file, remedy=AGAIN) from error
    by = attributes.get("attrs", {}).get("versions", {}).get("uqmbd") if isinstance(attributes.get("attrs"), dict) else None
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
    own = {name: [] if result.specs[name].per_output else list(map(str, group.data_vars)) for name, group in groups.items()}  # in order
    root = {
        "format": FORMAT,
        "attrs": json.loads(json.dumps(result.attrs, default=of_numpy)),
        "outputs": result.outputs,
        "fields": list(result.fields),
        "groups": [result.specs[name].stored() | {"variables": own[name]} for name in groups],
    }
    xr.Dataset(attrs=root).to_zarr(store, mode="w", zarr_format=3, consolidated=False)
    for name, group in groups.items():
        texts = {key: coord.astype(object) for key, coord in group.coords.items() if coord.dtype.kind in "UT"}  # of variable length: zarr 3
        gathered(group.assign_coords(texts)).to_zarr(store, group=name, mode="w", zarr_format=3, consolidated=False)
    seal(store)


def gathered(group: xr.Dataset) -> xr.Dataset:
    """The group with one variable for all outputs that are alike, where these are many."""
    alike: dict[tuple[Any, ...], list[Hashable]] = {}
    for name in group.data_vars:
        variable = group.variables[name]
        if variable.dtype.kind != "O" and variable.size <= LARGE:
            alike.setdefault((variable.dims, variable.dtype.str), []).append(name)
    many = [names for names in alike.values() if len(names) >= MANY]
    if not many:
        return group
    within = {name for names in many for name in names}
    variables: dict[Hashable, xr.Variable] = {name: group.variables[name] for name in group.data_vars if name not in within}
    for number, names in enumerate(many):
        parts = [group.variables[name] for name in names]
        attributes = [part.attrs for part in parts]
        said = attributes[:1] if all(each == attributes[0] for each in attributes) else attributes
        values = np.stack([part.values for part in parts])
        attrs = {OUTPUTS: list(map(str, names)), ATTRIBUTES: json.loads(json.dumps(said, default=of_numpy))}
        variable = xr.Variable((ALONG if number == 0 else f"{ALONG}_{number}", *parts[0].dims), values, attrs)
        variable.encoding = {"chunks": values.shape}
        key = f"@{number}"
        while key in group.variables:
            key = f"@{key}"
        variables[key] = variable
    return xr.Dataset(variables, group.coords, group.attrs)


def scattered(group: xr.Dataset) -> xr.Dataset:
    """The group with one variable for each output again: what `gathered` was given."""
    if not any(OUTPUTS in variable.attrs for variable in group.variables.values()):
        return group
    variables: dict[Hashable, xr.Variable] = {}
    for key in group.data_vars:
        variable = group.variables[key]
        if OUTPUTS not in variable.attrs:
            variables[key] = variable
            continue
        names, said = variable.attrs[OUTPUTS], variable.attrs[ATTRIBUTES]
        said = said * len(names) if len(said) == 1 else said
        for name, values, attrs in zip(names, variable.values, said, strict=True):
            variables[name] = xr.Variable(variable.dims[1:], np.asarray(values), dict(attrs))
    return xr.Dataset(variables, group.coords, group.attrs)


def of_numpy(value: Any) -> Any:
    """JSON form of numpy values and everything else."""
    return value.tolist() if isinstance(value, (np.generic, np.ndarray)) else str(value)


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


def document_beside(folder: Path, name: str) -> tuple[dict[str, Any], str]:
    """What a JSON document beside a result says, or why it cannot be read, which concerns no number; both empty if there is none."""
    try:
        require_listed(folder, name, AGAIN)
        document = json.loads((folder / name).read_bytes())
    except FileNotFoundError:
        return {}, ""
    except (StudyError, OSError, ValueError, RecursionError) as error:
        return {}, f"{name}: {error.message if isinstance(error, StudyError) else 'the file is damaged'}"
    return (document, "") if isinstance(document, dict) else ({}, f"{name}: the file is damaged")
