"""Ranges of surrogates of several outputs: no output changes another's."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from uqmbd.analysis.alpha_cuts import restricted
from uqmbd.analysis.chebyshev_expansions import Expansion


def range_of(
    expansion: Expansion,
    slices: Iterable[slice],
    columns: np.ndarray,
    gap: np.ndarray,
    how: str,
    *,
    seen: Sequence[np.ndarray] | None = None,
    box: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Range (2, columns) of some columns of an expansion, and which of them reached their `gap`.

    Parameters
    ----------
    slices : iterable of slice
        Columns of each output.
    columns : ndarray of int, shape (columns,)
        Ascending.
    gap : ndarray, shape (columns,)
        By how much an end may exceed the range.
    how : str
        Key of `uqmbd.analysis.enclosures.ENCLOSURES`.
    seen : pair of ndarray, shape (columns,), optional
        Values that are known to be taken.
    box : ndarray, shape (d, 2), optional
        A part of [-1, 1]^d.
    """
    enclosure, met = np.empty((2, len(columns))), np.empty(len(columns), bool)
    for at in slices:
        some = (columns >= at.start) & (columns < at.stop)
        if some.any():
            part = expansion.select(columns[some])
            part = part if box is None else restricted(part, box)
            known = None if seen is None else tuple(end[some] for end in seen)
            enclosure[:, some], met[some] = part.range(how, gap[some], known)
    return enclosure, met
