"""Several inputs by the rows of a table: each sample is a row, so that whatever binds its numbers is kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from uqmbd.errors import StudyError, did_you_mean
from uqmbd.inputs.table import Table, read_columns

KEYS = ("data", "columns")
LEAST_ROWS = 20


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of some columns of a file, all of the same weight."""

    read: Table

    @classmethod
    def of_table(cls, table: Mapping[str, Any]) -> Rows:
        """From ``{ data = "draws.csv", columns = ["k", "c"] }``; raises `StudyError` with `key` relative to the input."""
        for key in table:
            if key not in KEYS:
                remedy = did_you_mean(key, KEYS)
                raise StudyError(f"a distribution by the rows of a table has no key '{key}'", key=f"distribution.{key}", remedy=remedy)
        columns = table["columns"]
        if not (isinstance(columns, list) and len(columns) > 1 and all(isinstance(name, str) for name in columns)):
            remedy = 'write columns = ["k", "c"], or column = "k" for one'
            raise StudyError("columns are the names of two or more", key="distribution.columns", value=columns, remedy=remedy)
        try:
            return cls(read_columns(table["data"], columns, least=LEAST_ROWS))
        except StudyError as error:
            raise error.at(key="distribution.data") from None

    @property
    def count(self) -> int:
        """Of inputs."""
        return len(self.read.columns)

    @property
    def digest(self) -> str:
        """Fingerprint of the numbers, in the units of the file."""
        return self.read.digest

    @property
    def text(self) -> str:
        """In words."""
        return f"{len(self.read.values)} rows of {self.read.name}"

    def describe(self) -> str:
        """Which columns they are."""
        return f"columns {', '.join(self.read.columns)}"

    def remark(self, name: str, unit: str) -> str:
        """What a reader has to know of it."""
        return ""

    def values(self, points: np.ndarray) -> np.ndarray:
        """Rows (inputs, n) at points (inputs, n) of the unit cube, of which the first alone says which row."""
        rows = self.read.values
        return rows[np.minimum((points[0] * len(rows)).astype(int), len(rows) - 1)].T
