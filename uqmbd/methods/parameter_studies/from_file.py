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
    """Base of methods that read CSV files, `data`; raises `StudyError` when one is not that with which a resolved study was made.

    Attributes
    ----------
    content : str
        Fingerprint of `data`, filled in when the file is read, so that a result of other numbers is not taken for one of these.
    """

    data: str | list[str] | None = None
    content: str | list[str] | None = None

    @model_validator(mode="before")
    @classmethod
    def _stamped(cls, values: Any) -> Any:
        data = values.get("data") if isinstance(values, Mapping) else None
        given = data if isinstance(data, list) else [data]
        paths = [path for path in given if isinstance(path, str)]
        if not paths or len(paths) < len(given):
            return values
        stamps = [stamp(path) for path in paths]
        now, before = stamps if isinstance(data, list) else stamps[0], values.get("content")
        if before not in (None, now):
            olds = before if isinstance(before, list) else [before]
            changed = [path for path, old, new in zip(paths, olds, stamps, strict=False) if old != new]
            remedy = "restore it, or run the study again with --overwrite or in another place"
            raise StudyError("the file has changed since this study was run", key="data", value=next(iter(changed), data), remedy=remedy)
        return {**values, "content": now}


def stamp(file: str) -> str:
    """Fingerprint of a file."""
    path = Path(file)
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    except OSError as error:
        near = [other.name for other in path.parent.glob("*.csv")] if path.parent.is_dir() else []
        remedy = did_you_mean(path.name, near, noun="CSV file there")
        raise StudyError(f"the file cannot be read ({error.strerror})", key="data", value=file, remedy=remedy) from None
