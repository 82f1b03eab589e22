"""What a question is asked of, and what it gives back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from uqmbd.analysis.chebyshev_expansions import Expansion
from uqmbd.analysis.columns import Columns
from uqmbd.analysis.ranges import range_of

if TYPE_CHECKING:
    import xarray as xr


@dataclass(frozen=True)
class Asked:
    """A surrogate of all columns over [-1, 1]^d, and what runs reached.

    Attributes
    ----------
    inputs : Space
    columns : Columns
    expansion : Expansion
        In Chebyshev polynomials.
    reached : ndarray, shape (2, columns)
    error, trusted : ndarray, shape (columns,)
    enclosure : str
        How ranges are found, a key of `uqmbd.analysis.enclosures.ENCLOSURES`.
    """

    inputs: Mapping[str, Any]
    columns: Columns
    expansion: Expansion
    reached: np.ndarray
    error: np.ndarray
    trusted: np.ndarray
    enclosure: str = "bernstein"

    def range(self, gap: np.ndarray, box: np.ndarray | None = None) -> np.ndarray:
        """Range (2, columns) of the surrogate over the cube, or a box (d, 2) in it."""
        every = np.arange(self.columns.count)
        return range_of(self.expansion, self.columns.slices.values(), every, gap, self.enclosure, box=box)[0]


@dataclass(frozen=True)
class Answer:
    """Of one question or several, for all columns.

    Attributes
    ----------
    sensitivity : dict of str to ndarray, shape (d, columns)
        Kinds of the group `sensitivity`.
    groups : dict of str to Dataset
        Whole groups of the result.
    notes : list of str
    """

    sensitivity: dict[str, np.ndarray] = field(default_factory=dict)
    groups: dict[str, xr.Dataset] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
