"""What a question is asked of, and what it gives back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from uqmbd.analysis.base.columns import Columns
from uqmbd.analysis.base.fitted import Fitted
from uqmbd.analysis.sets.ranges import range_of

if TYPE_CHECKING:
    import xarray as xr


@dataclass(frozen=True)
class SurrogateContext:
    """A surrogate of all columns over [-1, 1]^d, and what runs reached."""

    inputs: Mapping[str, Any]
    columns: Columns
    expansion: Fitted
    reached: np.ndarray  # (2, columns)
    error: np.ndarray  # (columns,)
    trusted: np.ndarray  # bool (columns,)
    enclosure: str = "bernstein"  # how ranges are found, a key of `uqmbd.analysis.chebyshev.enclosures.ENCLOSURES`

    def range(self, gap: np.ndarray, box: np.ndarray | None = None) -> np.ndarray:
        """Range (2, columns) of the surrogate over the cube, or a box (d, 2) in it."""
        every = np.arange(self.columns.count)
        return range_of(self.expansion, self.columns.slices.values(), every, gap, self.enclosure, box=box)[0]


@dataclass(frozen=True)
class Answer:
    """Of one question or several, for all columns."""

    sensitivity: dict[str, np.ndarray] = field(default_factory=dict)  # (d, columns): kinds of the group `sensitivity`
    groups: dict[str, xr.Dataset] = field(default_factory=dict)  # whole groups of the result
    notes: list[str] = field(default_factory=list)

    def joined(self, other: Answer) -> Answer:
        """This one and another."""
        return Answer(self.sensitivity | other.sensitivity, self.groups | other.groups, self.notes + other.notes)
