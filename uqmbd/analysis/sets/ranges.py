"""Ranges of surrogates of several outputs: no output changes another's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from uqmbd.analysis.base.fitted import Fitted


def range_of(
    expansion: Fitted,
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
        Key of `uqmbd.analysis.chebyshev.enclosures.ENCLOSURES`.
    seen : pair of ndarray, shape (columns,), optional
        Values that are known to be taken.
    box : ndarray, shape (d, 2), optional
        A part of [-1, 1]^d.
    """
    enclosure, met = np.empty((2, len(columns))), np.empty(len(columns), bool)
    for some in parts_of(expansion, slices, columns, gap, how, box):
        twice = some if len(some) > 1 else np.repeat(some, 2)  # sums over terms go another way in a single column
        part = expansion.select(columns[twice])
        part = part if box is None else part.restricted(box)
        known = None if seen is None else tuple(end[twice] for end in seen)
        bounds, reached = part.range(how, gap[twice], known)
        enclosure[:, some], met[some] = bounds[:, : len(some)], reached[: len(some)]
    return enclosure, met


def parts_of(
    expansion: Fitted, slices: Iterable[slice], columns: np.ndarray, gap: np.ndarray, how: str, box: np.ndarray | None
) -> Iterator[np.ndarray]:
    """Which of the columns, by their places, are bounded together: those of each output, and numbers that are treated alike anyhow.

    Thousands of numbers one by one would take longer than their runs.
    """
    numbers = []
    for at in slices:
        first, last = np.searchsorted(columns, (at.start, at.stop))
        if last > first and at.stop - at.start > 1:
            yield np.arange(first, last)
        elif last > first:
            numbers.append(first)
    alone = np.array(numbers, int)
    several = None if box is not None or len(alone) < 2 else expansion.select(columns[alone])
    if several is None:
        yield from alone[:, None]
        return
    yield from (alone[group] for group in several.alike(how, gap[alone]))
