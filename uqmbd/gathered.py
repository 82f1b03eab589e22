"""Many outputs of one group as one stored array: a file and a few milliseconds for each output would be the whole cost of thousands.

What a group holds of outputs that are alike (dimensions and type) becomes one variable along a dimension `ALONG`; its attribute `OUTPUTS`
has their names, `ATTRIBUTES` what each says of itself. Groups of few outputs are stored as they are.
"""

from __future__ import annotations

import json
from collections.abc import Hashable
from typing import Any

import numpy as np
import xarray as xr

MANY = 16  # outputs that are alike
ALONG = "gathered"
OUTPUTS, ATTRIBUTES = "gathered outputs", "gathered attributes"
LARGE = 1 << 16  # numbers: an output with more of them is stored by itself


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
        variables[free(group, number)] = variable
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


def free(group: xr.Dataset, number: int) -> str:
    """A name that no variable of the group has."""
    found = f"@{number}"
    while found in group.variables:
        found = f"@{found}"
    return found


def of_numpy(value: Any) -> Any:
    """JSON form of numpy values and everything else."""
    return value.tolist() if isinstance(value, (np.generic, np.ndarray)) else str(value)
