"""Priors of standard deviations of readings, as a study says them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, PlainSerializer, WithJsonSchema

from uqmbd.errors import StudyError
from uqmbd.inputs import read_input
from uqmbd.inputs.random import Random


def read_noise(value: Any) -> dict[str, Random]:
    """Random variables by the names of outputs: tables as those of inputs, or made already."""
    if not isinstance(value, Mapping):
        raise StudyError(
            "is a table of outputs", key="noise", remedy='write noise = { x = { distribution = { type = "lognormal", ... } } }'
        )
    found = {}
    for name, item in value.items():
        try:
            made = read_input(item) if isinstance(item, Mapping) else item
        except StudyError as error:
            raise error.under(f"noise.{name}") from None
        if not isinstance(made, Random) or made.count > 1:
            remedy = 'write { distribution = { type = "lognormal", mean = 0.1, std = 0.1 } }'
            raise StudyError("the prior of a standard deviation is a distribution", key=f"noise.{name}", remedy=remedy)
        found[str(name)] = made
    return found


def written(noise: Mapping[str, Random]) -> dict[str, Any]:
    """As tables of a study file."""
    plain: dict[str, Any] = {name: item.written or item for name, item in noise.items()}
    return {name: {"distribution": item.distribution} | ({"unit": item.unit} if item.unit else {}) for name, item in plain.items()}


_SCHEMA = WithJsonSchema({"type": "object", "additionalProperties": {"type": "object"}})
Noise = Annotated[Any, BeforeValidator(read_noise), PlainSerializer(written), _SCHEMA]
