"""What a question gives back."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import xarray as xr


@dataclass(frozen=True)
class Answer:
    """Of one question, for all columns.

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
