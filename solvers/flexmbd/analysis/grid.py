"""The time grid of a motion."""

import numpy as np

from flexmbd.errors import ModelError


def time_grid(end, points):
    """``linspace(0, end, points)``; raises `ModelError` unless it has two points and goes forward."""
    whole = isinstance(points, (int, np.integer)) and not isinstance(points, bool)
    if not 0 < end < np.inf or not whole or points < 2:
        raise ModelError(f"the time grid is {points!r} points to {end!r} s; it needs two points and a time greater than zero")
    return np.linspace(0.0, end, points)
