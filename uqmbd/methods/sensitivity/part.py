"""A part of the inputs' ranges, within which sensitivities are asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from pydantic import BeforeValidator, Field

from uqmbd.errors import StudyError
from uqmbd.inputs import Choice, Input, Integers, Interval, Random, Space
from uqmbd.inputs.checked import plain, plain_number
from uqmbd.inputs.names import identifier
from uqmbd.inputs.truncation import ends_of
from uqmbd.inputs.units import to_si
from uqmbd.methods.base import require_inputs

KEY = "method.region"
REMEDY = "write region = { clearance = [0.02, 0.03] }, and of a choice the values that are left"


def _region(value: Any) -> dict[str, list[Any]] | None:
    """``{"clearance": [0.02, 0.03]}`` checked; raises ValueError."""
    if value is None:
        return None
    value = plain(value)
    if not isinstance(value, Mapping) or not value:
        raise ValueError(f"a region is a table of ends by input: {REMEDY}")
    for name, ends in value.items():
        if not isinstance(ends, list) or not ends:
            raise ValueError(f"the region of '{name}' is a list, not {ends!r}: {REMEDY}")
        for end in ends:
            if not isinstance(end, (str, bool)):
                plain_number(end)
    return {identifier(str(name)): list(ends) for name, ends in value.items()}


Region = Annotated[dict[str, list[Any]] | None, BeforeValidator(_region), Field(examples=[{"clearance": [0.02, 0.03]}])]


def within(inputs: Mapping[str, Input], region: Mapping[str, list[Any]] | None) -> Space:
    """The inputs (in SI) within a part of their ranges, which is in the units in which they were written.

    Raises
    ------
    StudyError
        Of an input that is not there, of a region that holds none of its values, and of one that depends on others.
    """
    space = Space.of(inputs)
    if not region:
        return space
    require_inputs(region, space, "a region", KEY)
    parts = {}
    for name, ends in region.items():
        if (space.dependence is not None and name in space.dependence.names) or name in space.joint or name in space.sampled:
            text = f"'{name}' depends on other inputs, which a region of it would change too"
            raise StudyError(text, key=f"{KEY}.{name}", remedy="give the region by inputs that are independent")
        try:
            parts[name] = part_of(name, space[name], ends)
        except StudyError as error:
            raise StudyError(error.message, key=f"{KEY}.{name}", value=ends, remedy=error.remedy or REMEDY) from None
    return space.changed(parts)


def part_of(name: str, item: Input, ends: list[Any]) -> Input:
    """One input within its region."""
    if isinstance(item, Choice):
        kept = {item.place(value) for value in ends}
        return item.remade(weights=_of(item.probabilities, np.isin(item.numbers, list(kept)), name))
    if len(ends) != 2 or any(isinstance(end, (str, bool)) for end in ends) or not ends[0] < ends[1]:
        raise StudyError(f"the region of '{name}' is two rising numbers")
    if isinstance(item, Integers):
        weights = _of(item.probabilities, (item.numbers >= ends[0]) & (item.numbers <= ends[1]), name)
        return Integers(int(item.numbers[0]), int(item.numbers[-1]), weights=weights)
    si = to_si((item.written or item).unit)
    first, last = (si.factor * float(end) + si.offset for end in ends)
    if isinstance(item, Interval):
        reach = 1e-12 * max(abs(item.lower), abs(item.upper))
        if not item.lower - reach <= first < last <= item.upper + reach:
            raise StudyError(f"the region of '{name}' is not inside its interval, {item.describe()}", remedy="take ends inside it")
        return item.remade(lower=max(first, item.lower), upper=min(last, item.upper))
    if not isinstance(item, Random) or item.made is not None:
        raise StudyError(f"'{name}' has no distribution with a name, of which a part could be taken", remedy="give its region as an input")
    before = ends_of(item.distribution["truncate"]) if "truncate" in item.distribution else (-np.inf, np.inf)
    low, high = (max((first - item.shift) / item.scale, before[0]), min((last - item.shift) / item.scale, before[1]))
    return item.remade(distribution={**item.distribution, "truncate": [low, high]})


def notes_of(inputs: Mapping[str, Input], region: Mapping[str, list[Any]] | None) -> list[str]:
    """The note that says of which part indices are; none where they are of all."""
    words = []
    for name, ends in (region or {}).items():
        item = inputs[name]
        unit = (item.written or item).unit
        if isinstance(item, Choice):
            words.append(f"{name} is {' or '.join(map(str, ends))}")
        else:
            words.append(f"{name} lies in [{ends[0]:.10g}, {ends[1]:.10g}] {unit}".rstrip())
    return [f"the indices are those of the part where {' and '.join(words)}"] if words else []


def _of(probabilities: np.ndarray, inside: np.ndarray, name: str) -> list[float]:
    """Weights that are left; `StudyError` where none is."""
    left = np.where(inside, probabilities, 0.0)
    if not left.any():
        raise StudyError(f"the region of '{name}' holds none of its values", remedy="take one that does")
    return left.tolist()
