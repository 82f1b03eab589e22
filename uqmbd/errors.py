"""The one error a user sees: what is wrong, where, and what to do about it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from os import PathLike
from typing import Any, Self

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

    Examples
    --------
    >>> import uqmbd as uq
    >>> try:
    ...     uq.Interval(2.0, 1.0)
    ... except uq.StudyError as error:
    ...     print(error)
    lower 2 is above upper 1
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
        return rebuilt, (type(self), self.args, self.__dict__)

    def at(self, *, file: Any = None, key: str | None = None, value: Any = None, remedy: str | None = None) -> Self:
        """The same error with the fields it lacks filled in (a floor above knows the file, say)."""
        given = {"file": None if file is None else str(file), "key": key, "value": value, "remedy": remedy}
        return self._with({name: entry for name, entry in given.items() if getattr(self, name) is None})

    def under(self, prefix: str) -> Self:
        """The same error with `prefix` before its key (a section's reader knows where its table hangs)."""
        return self._with({"key": prefix if self.key is None else f"{prefix}.{self.key}"})

    def _with(self, fields: dict[str, Any]) -> Self:
        return rebuilt(type(self), self.args, {**self.__dict__, **fields})


def rebuilt(kind: type[StudyError], args: tuple, fields: dict[str, Any]) -> Any:
    """An error of the same class with these fields, whatever its constructor takes: it survives pickling on its way back from a worker."""
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(fields)
    return error


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
