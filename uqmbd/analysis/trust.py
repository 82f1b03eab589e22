"""Where a surrogate may be believed."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np


def over_neighbours(error: np.ndarray) -> np.ndarray:
    """Largest value within half a percent of the time grid on either side, (points,).

    The kink of an impact moves in time from sample to sample; a grid point just before all validation runs see it is as
    doubtful as the one after.
    """
    reach = len(error) // 200
    if reach == 0:
        return error
    from scipy.ndimage import maximum_filter1d

    return maximum_filter1d(error, 2 * reach + 1, mode="nearest")


def trusted(error: np.ndarray, smallest: float, largest: float, tolerance: float) -> np.ndarray:
    """Whether the error is below `tolerance` of the response's range, or is rounding, at each time."""
    rounding = 1e-12 * max(abs(smallest), abs(largest))
    return error <= max(tolerance * (largest - smallest), rounding)


def assessed(
    error: np.ndarray, slices: Iterable[slice], smallest: np.ndarray, largest: np.ndarray, tolerance: float
) -> tuple[np.ndarray, np.ndarray]:
    """Error over neighbours and trust of every column, output by output: 2 x (columns,).

    Parameters
    ----------
    error, smallest, largest : ndarray, shape (columns,)
        Validated error, and the ends of the response's range repeated for the columns of an output.
    slices : iterable of slice
        Columns of each output.
    """
    spread, held = np.empty_like(error), np.empty(len(error), bool)
    for at in slices:
        spread[at] = over_neighbours(error[at])
        held[at] = trusted(spread[at], smallest[at.start], largest[at.start], tolerance)
    return spread, held


def horizon(trusted: np.ndarray, time: np.ndarray) -> float:
    """Time from which trust stays lost; infinite if it holds at the end."""
    if trusted[-1]:
        return np.inf
    held = np.flatnonzero(trusted)
    return float(time[held[-1] + 1] if held.size else time[0])
