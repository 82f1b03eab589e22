"""The one error a user sees: what is wrong, where, and what to do about it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from os import PathLike
from typing import Any

from uqmbd.printing import printable


class StudyError(Exception):
    """A study that cannot be read, run or continued.

    Parameters
    ----------
    message : str
        What is wrong, one sentence.
    file : path, optional
        The file it was found in.
    key : str, optional
        Dotted key in the study file, such as ``inputs.clearance.unit``.
    value : object, optional
        The offending value.
    remedy : str, optional
        What to do about it.
    """

    def __init__(
        self,
        message: str,
        *,
        file: str | PathLike[str] | None = None,
        key: str | None = None,
        value: Any = None,
        remedy: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.file = None if file is None else str(file)
        self.key = key
        self.value = value
        self.remedy = remedy

    def __str__(self) -> str:
        where = [] if self.file is None else [self.file]
        if self.key is not None:
            where.append(self.key if self.value is None else f"{self.key} = {shown(self.value)}")
        elif self.value is not None:
            where.append(shown(self.value))
        text = ": ".join([*where, self.message])
        return printable(text if self.remedy is None else f"{text}\n  remedy: {self.remedy}")

    def __reduce__(self) -> tuple:
        return rebuild, (self.message, self.file, self.key, self.value, self.remedy)

    def at(self, *, file: Any = None, key: str | None = None, value: Any = None, remedy: str | None = None) -> StudyError:
        """The same error with the fields it lacks filled in (a floor above knows the file, say)."""
        return rebuild(
            self.message,
            self.file if self.file is not None else file,
            self.key if self.key is not None else key,
            self.value if self.value is not None else value,
            self.remedy if self.remedy is not None else remedy,
        )

    def under(self, prefix: str) -> StudyError:
        """The same error with `prefix` before its key (a section's reader knows where its table hangs)."""
        key = prefix if self.key is None else f"{prefix}.{self.key}"
        return rebuild(self.message, self.file, key, self.value, self.remedy)


def rebuild(message: str, file: Any, key: str | None, value: Any, remedy: str | None) -> StudyError:
    """Positional constructor, so that the error survives pickling on its way back from a worker."""
    return StudyError(message, file=file, key=key, value=value, remedy=remedy)


def shown(value: Any, width: int = 120) -> str:
    """A value as it is printed in a message, cut to `width` characters."""
    text = repr(value) if not isinstance(value, str) else f'"{value}"'
    return text if len(text) <= width else text[: width - 3] + "..."


def did_you_mean(word: str, choices: Iterable[str], *, noun: str = "name") -> str:
    """A remedy for a misspelt word: the nearest choice, or the list of all of them."""
    known = sorted(str(choice) for choice in choices)
    near = difflib.get_close_matches(str(word), known, n=1, cutoff=0.6)
    if near:
        return f'did you mean "{near[0]}"?'
    if not known:
        return f"there is no {noun} to choose from"
    listed = ", ".join(known[:20]) + (", ..." if len(known) > 20 else "")
    return f"use one of: {listed}"
