"""The base of everything a user fills in: frozen, no unknown keys, and mistakes come out as one `StudyError`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Integral
from typing import Annotated, Any

import numpy as np
from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from uqmbd.errors import StudyError, did_you_mean


def plain_number(value: Any) -> float:
    """`value` as a finite float; text, booleans, NaN and infinity are refused."""
    if isinstance(value, (bool, str, bytes)) or not hasattr(value, "__float__"):
        raise ValueError(f"a number is expected, not {value!r}")
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"a finite number is expected, not {number}")
    return number


def plain_integer(value: Any) -> Any:
    """`value` as an `int` if it is a whole number of any kind, numpy's say; booleans and all else are left for pydantic to refuse."""
    return int(value) if isinstance(value, Integral) and not isinstance(value, bool) else value


def plain(value: Any) -> Any:
    """`value` with numbers and arrays of numpy, also within tables and lists, as Python's: what a study file can say."""
    if isinstance(value, Mapping):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return value.tolist() if isinstance(value, (np.generic, np.ndarray)) else value


Whole = Annotated[int, BeforeValidator(plain_integer)]
Number = Annotated[float, BeforeValidator(plain_number)]


class Checked(BaseModel):
    """A frozen record whose constructor raises `StudyError` with one sentence instead of pydantic's list."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, hide_input_in_errors=True)

    def __init__(self, **values: Any) -> None:
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise first_mistake(error, type(self)) from None


def first_mistake(error: ValidationError, model: type[BaseModel]) -> StudyError:
    """The first entry of a pydantic error, unknown keys before missing ones, as a `StudyError`; `key` is relative to the record."""
    entry = min(error.errors(include_url=False), key=lambda entry: entry["type"] != "extra_forbidden")
    key = ".".join(str(part) for part in entry["loc"]) or None
    known = [name for name, field in model.model_fields.items() if not field.exclude]
    if entry["type"] == "extra_forbidden":
        return StudyError(f"there is no key '{key}' here", key=key, remedy=did_you_mean(str(key), known, noun="key"))
    if entry["type"] == "missing":
        return StudyError(f"the key '{key}' is missing", key=key)
    if "error" in entry.get("ctx", {}):
        return StudyError(str(entry["ctx"]["error"]), key=key)
    message = entry["msg"]
    return StudyError(message[:1].lower() + message[1:], key=key, value=entry["input"])
