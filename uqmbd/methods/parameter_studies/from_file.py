"""Settings that name a file of the user, and change when the file does."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import model_validator

from uqmbd.errors import StudyError, did_you_mean
from uqmbd.methods.base import Method


class FromFile(Method):
    """Base of methods that read a CSV file.

    Attributes
    ----------
    data : str
        Its path, relative to the study file (in Python: to the current directory).
    content : str
        Fingerprint of `data`, filled in when the file is read, so that a result of other numbers is not taken for one of these.

    Raises
    ------
    StudyError
        When the file cannot be read, or is not the one that a resolved study was made with.
    """

    data: str | None = None
    content: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _stamped(cls, values: Any) -> Any:
        if not isinstance(values, Mapping) or not isinstance(values.get("data"), str):
            return values
        path = Path(values["data"])
        try:
            found = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
        except OSError as error:
            near = [other.name for other in path.parent.glob("*.csv")] if path.parent.is_dir() else []
            remedy = did_you_mean(path.name, near, noun="CSV file there")
            raise StudyError(f"the file cannot be read ({error.strerror})", key="data", value=values["data"], remedy=remedy) from None
        if values.get("content") not in (None, found):
            raise StudyError(
                "the file has changed since this study was run",
                key="data",
                value=values["data"],
                remedy="restore it, or run the study again with --overwrite or in another place",
            )
        return {**values, "content": found}
