"""The base of everything a user fills in: frozen, no unknown keys, and mistakes come out as one `StudyError`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any, Self

import numpy as np
from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from uqmbd.errors import StudyError, did_you_mean


def plain_number(value: Any) -> float:
    """`value` as a finite float; text, booleans, NaN and infinity are refused."""
    if isinstance(value, (bool, np.bool_, str, bytes)) or not hasattr(value, "__float__") or np.ndim(value):
        raise ValueError(f"a number is expected, not {value!r}")
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"a finite number is expected, not {number}")
    return number


def without_numpy(value: Any) -> Any:
    """`value` with numbers of numpy, also in tables and lists, as Python's; arrays and booleans are left as they are."""
    if isinstance(value, (np.number, np.ndarray)):
        return value.item() if value.ndim == 0 and value.dtype.kind in "iuf" else value
    if type(value) is dict:
        return {key: without_numpy(each) for key, each in value.items()}
    return type(value)(without_numpy(each) for each in value) if type(value) in (list, tuple) else value


def plain(value: Any) -> Any:
    """`value` with numbers and arrays of numpy, also within tables and lists, as Python's: what a study file can say."""
    if isinstance(value, Mapping):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return value.tolist() if isinstance(value, (np.generic, np.ndarray)) else value


Number = Annotated[float, BeforeValidator(plain_number)]


class Checked(BaseModel):
    """A frozen record whose constructor takes numbers of numpy as Python's, and raises `StudyError` with one sentence."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, hide_input_in_errors=True, defer_build=True)

    def __init__(self, /, **values: Any) -> None:
        try:
            super().__init__(**without_numpy(values))
        except ValidationError as error:
            raise first_mistake(error, type(self)) from None

    def remade(self, **changes: Any) -> Self:
        """The same with other fields, checked again."""
        fields = {key: getattr(self, key) for key, field in type(self).model_fields.items() if getattr(self, key) is not field.default}
        return type(self)(**fields | changes)


def first_mistake(error: ValidationError, model: type[BaseModel]) -> StudyError:
    """The first entry of a pydantic error, unknown keys before missing ones, as a `StudyError`; `key` is relative to the record."""
    entry = min(error.errors(include_url=False), key=lambda entry: entry["type"] != "extra_forbidden")
    key = ".".join(str(part) for part in entry["loc"]) or None
    known = [name for name, field in model.model_fields.items() if not field.exclude]
    if entry["type"] == "extra_forbidden":
        return StudyError(f"there is no key '{key}' here", key=key, remedy=did_you_mean(str(key), known, noun="key"))
    if entry["type"] == "missing":
        return StudyError(f"the key '{key}' is missing", key=key)
    if (raised := entry.get("ctx", {}).get("error")) is not None:
        return StudyError(str(raised), key=key)
    message = entry["msg"]
    return StudyError(message[:1].lower() + message[1:], key=key, value=entry["input"])
