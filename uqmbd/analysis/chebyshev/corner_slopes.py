"""Whether a response has its extremes at corners of the box: its slopes there."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

_ROUNDING = 1e-12  # relative: smaller differences are none


def extreme_places(values: np.ndarray, ok: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows of the least and of the greatest value of each column, 2 x (columns,); -1 where a column does not vary.

    Of rows that are equally good that is taken which is best for the most columns, so that few rows serve many columns.

    Parameters
    ----------
    values : ndarray, shape (corners, columns)
    ok : ndarray of bool, shape (corners,)
        Runs that did not fail; the others are not taken.
    """
    some = np.where(ok[:, None], values, np.nan)
    low, high = np.nanmin(some, axis=0), np.nanmax(some, axis=0)
    close = _ROUNDING * np.maximum(np.abs(low), np.abs(high))
    flat = high - low <= close
    best = np.stack([some <= low + close, some >= high - close]) & ~flat
    popular = np.argsort(-best.sum(axis=(0, 2)), kind="stable")
    least, greatest = (np.where(flat, -1, popular[each[popular].argmax(axis=0)]) for each in best)
    return least, greatest


def gains(values: np.ndarray, ok: np.ndarray, places: np.ndarray, beside: Mapping[int, np.ndarray], d: int, step: float) -> np.ndarray:
    """By how much a column would pass its extreme if it went on over the whole interval as it begins at the corner, (2, d, columns).

    0 where it turns back at once, as a monotonic response does. Of a response that does not become steeper inside, the extreme along
    the edge exceeds the corner by no more than this. NaN where nothing was run beside the corner, or that run failed.

    Parameters
    ----------
    values : ndarray, shape (runs, columns)
    ok : ndarray of bool, shape (runs,)
    places : ndarray of int, shape (2, columns)
        Rows of the corners with the least and the greatest value; -1: none.
    beside : dict of int to ndarray (d,)
        Rows of the runs beside a corner, by the corner's row.
    step : float
        Their distance, as a fraction of the interval.
    """
    found = np.zeros((2, d, values.shape[1]))
    for end, sign in enumerate((-1.0, 1.0)):
        for row in np.unique(places[end][places[end] >= 0]).tolist():
            here = np.flatnonzero(places[end] == row)
            if row not in beside:
                found[end][:, here] = np.nan
                continue
            rise = sign * (values[np.ix_(beside[row], here)] - values[row, here])
            noise = _ROUNDING * np.abs(values[row, here])
            found[end][:, here] = np.where(ok[beside[row], None], np.where(rise > noise, rise / step, 0.0), np.nan)
    return found
