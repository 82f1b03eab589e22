"""Groups of inputs that are ranked as one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy as np
from pydantic import BeforeValidator, Field

from uqmbd.errors import StudyError, did_you_mean
from uqmbd.inputs.names import identifier

KEY = "method.input_groups"


def _groups(value: Any) -> dict[str, tuple[str, ...]]:
    """``{"joint": ["clearance", "friction"]}`` checked; raises ValueError."""
    if not isinstance(value, Mapping) or not value:
        raise ValueError('groups are a table of lists of inputs, as in { joint = ["clearance", "friction"] }')
    groups: dict[str, tuple[str, ...]] = {}
    taken: dict[str, str] = {}
    for name, inputs in value.items():
        if isinstance(inputs, str) or not isinstance(inputs, Sequence) or not inputs or not all(isinstance(one, str) for one in inputs):
            raise ValueError(f"the group '{name}' is a list of names of inputs, not {inputs!r}")
        groups[str(name)] = tuple(identifier(one) for one in inputs)
        for one in groups[str(name)]:
            if one in taken:
                raise ValueError(f"the input '{one}' is in the groups '{taken[one]}' and '{name}'; take it out of one")
            taken[one] = str(name)
    return groups


Groups = Annotated[dict[str, tuple[str, ...]], BeforeValidator(_groups), Field(examples=[{"joint": ["clearance", "friction"]}])]


def count_of(groups: Mapping[str, Sequence[str]] | None, d: int) -> int:
    """How many groups `d` inputs make; inputs in none are groups of their own."""
    return d - sum(len(names) - 1 for names in (groups or {}).values())


def labels_of(groups: Mapping[str, Sequence[str]] | None, inputs: Sequence[str]) -> list[str]:
    """The group of each input, by name; its own name where it is in none.

    Raises
    ------
    StudyError
        Of an input that is not there, and of a group that is named like an input outside it.
    """
    label = {name: name for name in inputs}
    for group, names in (groups or {}).items():
        for name in names:
            if name not in label:
                remedy = did_you_mean(name, inputs, noun="input")
                raise StudyError(f"there is no input '{name}' to be in the group '{group}'", key=f"{KEY}.{group}", remedy=remedy)
            label[name] = group
        if group in label and group not in names:
            text = f"the group '{group}' has the name of an input that is not in it"
            raise StudyError(text, key=f"{KEY}.{group}", remedy="give the group another name")
    return list(label.values())


def members_of(labels: Sequence[str]) -> tuple[list[str], np.ndarray]:
    """Groups in the order of their first inputs, and which inputs are in each, (groups, d)."""
    names = list(dict.fromkeys(labels))
    return names, np.array([[label == name for label in labels] for name in names])
