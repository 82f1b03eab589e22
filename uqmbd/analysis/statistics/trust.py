"""Where a surrogate, or what a search has reached, may be believed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

if TYPE_CHECKING:
    import xarray as xr

    from uqmbd.analysis.base.columns import Columns

ENCLOSED, SEARCHED = range(2)  # where bounds come from: the range of a surrogate, or a search
FLOOR = 1e-9  # of an output's range: bands no wider are points
SHARE = 0.05  # of the band's width, or of the standard deviation, that an error may be where nothing is said
FEW = 64  # neighbours
_ROUNDING = 1e-12  # of an output's size


@dataclass(frozen=True)
class Outer:
    """Bounds of one region, and how far they can be believed; all (columns,) but the bounds, (2, columns)."""

    bounds: np.ndarray
    error: np.ndarray
    trusted: np.ndarray
    source: np.ndarray


def joined(bounds: np.ndarray, inner: np.ndarray) -> np.ndarray:
    """Bounds (2, columns) that hold both; NaN holds nothing."""
    return np.stack([np.fmin(bounds[0], inner[0]), np.fmax(bounds[1], inner[1])])


def gap_between(lower: np.ndarray, upper: np.ndarray, reached_lower: np.ndarray, reached_upper: np.ndarray) -> np.ndarray:
    """By how much bounds of one output are wider than what runs reached, over the width of that.

    Where runs reached one value only it is 0 if that is the bound as well, up to rounding, and infinite if not.
    """
    both = np.abs([np.ravel(lower), np.ravel(upper)])
    unseen = _ROUNDING * np.max(both, initial=0.0, where=np.isfinite(both))
    reached = reached_upper - reached_lower
    more = upper - lower - reached
    more, narrow = np.where(more > unseen, more, 0.0), np.where(reached > unseen, reached, 0.0)
    return np.where(narrow > 0, more / np.where(narrow > 0, narrow, 1.0), np.where(more > 0, np.inf, 0.0))


def width(bounds: np.ndarray, slices: Iterable[slice]) -> np.ndarray:
    """Width of the bands `bounds` (2, columns) at every time; a band that is a point has the width of rounding, (columns,)."""
    least = np.empty(bounds.shape[1])
    for at in slices:
        least[at] = FLOOR * (bounds[1, at].max() - bounds[0, at].min())
    return np.maximum(bounds[1] - bounds[0], least)


def over_neighbours(error: np.ndarray, bounds: np.ndarray, slices: Iterable[slice]) -> np.ndarray:
    """Largest error within half a percent of the time grid on either side, output by output, (columns,).

    The kink of an impact moves in time from sample to sample; a grid point just before all validation runs see it is as doubtful as the
    one after. Where the band `bounds` (2, columns) is a point, as at the start of a motion, neighbours say nothing.
    """
    slices = list(slices)
    spread = error.copy()
    for at in slices:
        reach = (at.stop - at.start) // 200
        if reach:
            spread[at] = largest_around(error[at], reach)
    return np.where(bounds[1] - bounds[0] < width(bounds, slices), error, spread)


def largest_around(values: np.ndarray, reach: int) -> np.ndarray:
    """The largest of `reach` values on either side of each, (n,)."""
    if reach <= FEW:  # loading scipy takes longer
        return sliding_window_view(np.pad(values, reach, mode="edge"), 2 * reach + 1).max(axis=1)
    from scipy.ndimage import maximum_filter1d

    return maximum_filter1d(values, 2 * reach + 1, mode="nearest")


def assessed(
    error: np.ndarray, slices: Iterable[slice], bounds: np.ndarray, tolerance: float, share: float, scale: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Error over neighbours and trust of every column: 2 x (columns,).

    A column is trusted where its validated `error` (columns,) is below `tolerance` of the output's range over all times, and below `share`
    of its own `scale` (columns,): the width of the band that runs reached, `bounds` (2, columns), unless said; for random inputs the
    standard deviation. An error that is rounding is always trusted. `slices` are the columns of each output.
    """
    slices = list(slices)
    spread = over_neighbours(error, bounds, slices)
    own = share * (bounds[1] - bounds[0] if scale is None else scale)
    held = np.empty(len(error), bool)
    for at in slices:
        low, high = bounds[0, at].min(), bounds[1, at].max()
        rounding = _ROUNDING * max(abs(low), abs(high))
        allowed = np.minimum(tolerance * (high - low), np.maximum(own[at], FLOOR * share * (high - low)))
        held[at] = spread[at] <= np.maximum(allowed, rounding)
    return spread, held


def horizon(trusted: np.ndarray, time: np.ndarray) -> float:
    """Time from which trust stays lost; infinite if it holds at the end."""
    if trusted[-1]:
        return np.inf
    held = np.flatnonzero(trusted)
    return float(time[held[-1] + 1] if held.size else time[0])


def horizons(trusted: np.ndarray, columns: Columns) -> xr.Dataset:
    """The trust horizon of each history, s, from the trust of all columns; an axis other than time has none."""
    import xarray as xr

    times = {name: horizon(trusted[columns.slices[name]], columns.time) for name, info in columns.outputs.items() if info.over_time}
    return xr.Dataset({name: ((), value, {"unit": "s"}) for name, value in times.items()})
