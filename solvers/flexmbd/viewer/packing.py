"""Histories as 16-bit integers in base 64: what a page keeps of a motion."""

import base64

import numpy as np

LEVELS = 65535


def short(value, digits=9):
    """A number, or nested lists of an array, with so many significant digits."""
    values = np.asarray(value, float)
    if values.ndim:
        return [short(x, digits) for x in values]
    rounded = float(f"{float(values):.{digits}g}")
    return int(rounded) if rounded == int(rounded) and abs(rounded) < 1e15 else rounded


def packed(values):
    """Channels over time, each by its own least value and range.

    Parameters
    ----------
    values : ndarray (times, channels)
        Finite.

    Returns
    -------
    dict
        ``low`` and ``span`` of each channel; ``data``: those whose span is not zero, one after another, each its times, as little-endian
        unsigned integers of 16 bits in base 64. A value is ``low + span * integer / 65535``: it is off by at most ``span / 131070``, and by
        what nine digits of `low` leave.
    """
    values = np.asarray(values, float)
    low = np.array([short(x) for x in values.min(axis=0)], float)
    span = np.array([short(x) for x in np.maximum(values.max(axis=0) - low, 0.0)], float)
    span[span <= 1e-9 * np.abs(low)] = 0.0
    moving = span > 0.0
    levels = np.clip(np.rint((values[:, moving] - low[moving]) / span[moving] * LEVELS), 0, LEVELS).astype("<u2")
    return {"low": short(low), "span": short(span), "data": base64.b64encode(levels.T.tobytes()).decode("ascii")}


def unpacked(pack, times):
    """The values again, (times, channels)."""
    low, span = (np.array(pack[key], float) for key in ("low", "span"))
    levels = np.frombuffer(base64.b64decode(pack["data"]), "<u2").reshape(-1, times)
    values = np.tile(low, (times, 1))
    values[:, span > 0.0] += (levels.T / LEVELS) * span[span > 0.0]
    return values


def packed_floats(values):
    """Numbers of single precision in base 64: times of keys."""
    return base64.b64encode(np.asarray(values, "<f4").tobytes()).decode("ascii")


def packed_integers(values):
    """Whole numbers from 0 in base 64, 32 bits each: corners of triangles."""
    return base64.b64encode(np.asarray(values, "<u4").tobytes()).decode("ascii")
