"""Which times are those of a grid."""

import numpy as np

AT_GRID = 1e-11  # of the grid's length: a time that is nearer to one of its times is that time


def off_grid(grid: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Those of `times` (any number, s) that are not times of `grid` (points,), which rises; rising, each once."""
    times = np.unique(times)
    near = np.abs(times - grid[nearest(grid, times)])
    return times[near > AT_GRID * (grid[-1] - grid[0])]


def nearest(grid: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Index of the time of `grid` that is nearest to each of `times`."""
    low = np.clip(np.searchsorted(grid, times, side="right") - 1, 0, len(grid) - 2)
    return low + (times - grid[low] > grid[low + 1] - times)
