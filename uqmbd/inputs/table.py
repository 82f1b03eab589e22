"""Numbers from the columns of a CSV file."""

from __future__ import annotations

import csv
import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from uqmbd.errors import StudyError, did_you_mean
from uqmbd.inputs.units import ToSI


@dataclass(frozen=True, eq=False)
class Table:
    """Some columns of a file.

    Attributes
    ----------
    path : str
        Absolute.
    columns : tuple of str
    values : ndarray, shape (rows, columns)
        In the units of the file.
    """

    path: str
    columns: tuple[str, ...]
    values: np.ndarray

    @property
    def name(self) -> str:
        """Of the file, without its folder."""
        return Path(self.path).name

    def in_si(self, units: Sequence[ToSI]) -> Table:
        """The same with its columns in SI."""
        columns = [[si.number(value) for value in column] for si, column in zip(units, self.values.T.tolist(), strict=True)]
        return replace(self, values=np.array(columns).T.copy())

    @property
    def digest(self) -> str:
        """Fingerprint of the numbers."""
        return hashlib.sha256(repr((self.columns, self.values.tolist())).encode()).hexdigest()


def read_columns(
    path: str, columns: Sequence[str] | None, *, least: int, places: Mapping[str, Callable[[str], float]] | None = None
) -> Table:
    """Columns of a CSV file by the names in its first line, all of them for None; empty lines are skipped.

    Parameters
    ----------
    path : str
        A relative path is taken from the current directory.
    least : int
        Number of rows that are needed.
    places : dict of str to callable
        Of columns that hold values of a choice: what makes numbers of them.

    Raises
    ------
    StudyError
        Without a key; it names the line of a row that does not hold numbers.
    """
    try:
        file = Path(path).resolve()
        text = file.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        near = [other.name for other in file.parent.glob("*.csv")] if file.parent.is_dir() else []
        raise StudyError(f"there is no file '{path}'", remedy=did_you_mean(file.name, near, noun="CSV file there")) from None
    except (OSError, ValueError) as error:
        raise StudyError(f"the file '{path}' cannot be read as text ({error})", remedy="write a CSV file in UTF-8") from None
    head, *body = text.splitlines() or [""]
    delimiter = max(",;\t", key=head.count)
    names = [name.strip() for name in next(csv.reader([head], delimiter=delimiter), [])]
    for column in columns or ():
        if names.count(column) != 1:
            fault = "has no column" if column not in names else "has more than one column"
            raise StudyError(f"the file '{file.name}' {fault} '{column}'", remedy=did_you_mean(column, names, noun="column"))
    at, rows = list(range(len(names))) if columns is None else [names.index(column) for column in columns], []
    columns = names if columns is None else columns
    wanted = [(i, name, None if places is None else places.get(name)) for i, name in zip(at, columns, strict=True)]
    for number, line in enumerate(body, start=2):
        if not line.strip():
            continue
        cells = next(csv.reader([line], delimiter=delimiter))
        rows.append([_number(cells[i] if i < len(cells) else "", file.name, number, name, place) for i, name, place in wanted])
    if len(rows) < least:
        raise StudyError(f"the file '{file.name}' holds {len(rows)} rows of numbers; at least {least} are needed", remedy="add rows")
    return Table(str(file), tuple(columns), np.array(rows))


def _number(cell: str, file: str, line: int, column: str, place: Callable[[str], float] | None) -> float:
    if place is not None:
        try:
            return place(cell)
        except StudyError as error:
            text = f"line {line} of '{file}' holds a value of '{column}' that is none: {error.message}"
            raise StudyError(text, remedy=error.remedy) from None
    try:
        number = float(cell)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        text = f"'{cell.strip()}', which is not a finite number" if cell.strip() else "nothing"
        raise StudyError(f"line {line} of '{file}' holds {text} in the column '{column}'", remedy="mend the line or take it out")
    return number
