"""Outputs that ok runs may lack: statistics are those of the values that are there, and say how many are missing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from uqmbd.analysis.base.columns import Columns

if TYPE_CHECKING:
    import xarray as xr


@dataclass(frozen=True)
class Missing:
    """How many values are missing.

    Attributes
    ----------
    columns : Columns
    counts : ndarray of int, shape (columns,)
        Ok runs that lack each.
    runs : int
        Ok runs.
    """

    columns: Columns
    counts: np.ndarray
    runs: int

    @classmethod
    def of(cls, columns: Columns, values: np.ndarray) -> Missing:
        """From the outcomes (runs, columns) of ok runs."""
        counts = np.isnan(values).sum(axis=0) if columns.may_miss.any() else np.zeros(columns.count, np.int64)
        return cls(columns, counts, len(values))

    def group(self) -> xr.Dataset:
        """Group `missing`: of the outputs that may be."""
        outputs = {name: info for name, info in self.columns.outputs.items() if info.may_miss}
        return Columns(outputs, self.columns.time).dataset(self.counts[self.columns.may_miss], unit="1")

    def notes(self) -> list[str]:
        """A sentence on each output that is missing somewhere."""
        found = []
        for name, at in self.columns.slices.items():
            if most := int(self.counts[at].max(initial=0)):
                most_of, where = ("", "") if self.columns.outputs[name].axis is None else ("up to ", " at some point")
                found.append(f"{most_of}{most} of {self.runs} ok runs lack '{name}'{where}; what is said of it is that of the others")
        return found


def mean_there(values: np.ndarray) -> np.ndarray:
    """Mean of each column of `values` (runs, columns), of what is there; NaN where nothing is."""
    there = ~np.isnan(values)
    if there.all():
        return values.mean(axis=0)
    with np.errstate(invalid="ignore"):
        return np.where(there, values, 0.0).sum(axis=0) / there.sum(axis=0)
