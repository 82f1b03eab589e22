"""Numbers of laws and materials: one value, or one per sample."""

import numpy as np

Number = float | np.ndarray


def number(value) -> Number:
    """``value`` as a float or a float array."""
    array = np.asarray(value, dtype=float)
    return float(array) if array.ndim == 0 else array
