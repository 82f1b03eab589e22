"""Running reductions of a signal, taken at every accepted step so that a peak between grid points is not lost.

While the motion is computed six sums are kept per signal (rows below); a reduction is a function of them at the end.
"""

import numpy as np

ROWS = 6  # max, time of max, min, time of min, integral, integral of the square

REDUCTIONS = {
    "max": lambda sums, end, final: sums[0],
    "min": lambda sums, end, final: sums[2],
    "abs_max": lambda sums, end, final: np.maximum(np.abs(sums[0]), np.abs(sums[2])),
    "time_of_max": lambda sums, end, final: sums[1],
    "time_of_min": lambda sums, end, final: sums[3],
    "mean": lambda sums, end, final: sums[4] / end,
    "rms": lambda sums, end, final: np.sqrt(np.maximum(sums[5], 0.0) / end),
    "final": lambda sums, end, final: final,
}
RUNNING = frozenset(REDUCTIONS) - {"final"}
OF_SUMS = frozenset(("mean",))  # what an integral over time decides: percussions have their share in it, whatever the step


def unit_of(reduction, unit):
    """Unit of a reduced signal."""
    return "s" if reduction.startswith("time_of") else unit
