"""Compiled sums of `uqmbd.analysis.statistics.moments`, in double-double arithmetic; they are loaded where there are columns to sum up."""

from __future__ import annotations

import numba
import numpy as np

_SPLIT = 134217729.0  # 2**27 + 1, halves the digits of a double (Veltkamp)


@numba.njit(cache=True, inline="always")
def _add(high, low, x, x_low):
    """Double-double sum of ``high + low`` and ``x + x_low``."""
    total = high + x
    part = total - high
    error = (high - (total - part)) + (x - part) + low + x_low
    result = total + error
    return result, error - (result - total)


@numba.njit(cache=True)
def include(values, wanted, state):
    """Add the wanted rows of `values` to a state."""
    for i in range(values.shape[0]):
        if not wanted[i]:
            continue
        for j in range(values.shape[1]):
            x = values[i, j]
            state[0, j], state[1, j] = _add(state[0, j], state[1, j], x, 0.0)
            a = _SPLIT * x
            a = a - (a - x)
            b = x - a
            square = x * x
            square_low = ((a * a - square) + 2.0 * a * b) + b * b
            state[2, j], state[3, j] = _add(state[2, j], state[3, j], square, square_low)
            state[4, j] = min(state[4, j], x)
            state[5, j] = max(state[5, j], x)


@numba.njit(cache=True)
def merge(a, b):
    """State of the runs of two."""
    out = np.empty_like(a)
    for j in range(a.shape[1]):
        out[0, j], out[1, j] = _add(a[0, j], a[1, j], b[0, j], b[1, j])
        out[2, j], out[3, j] = _add(a[2, j], a[3, j], b[2, j], b[3, j])
        out[4, j] = min(a[4, j], b[4, j])
        out[5, j] = max(a[5, j], b[5, j])
    return out


@numba.njit(cache=True)
def sum_of_squared_deviations(state, count):
    """Of each column, about its mean."""
    out = np.empty(state.shape[1])
    for j in range(out.size):
        high, low = state[0, j], state[1, j]
        # mean = m + m_low, then Σx² - n mean² = Σx² - (Σx) mean, both products in double-double
        m = high / count
        product = m * count
        a = _SPLIT * m
        a = a - (a - m)
        b = m - a
        c = _SPLIT * count
        c = c - (c - count)
        d = count - c
        product_low = ((a * c - product) + a * d + b * c) + b * d
        m_low = ((high - product) - product_low + low) / count
        e = _SPLIT * high
        e = e - (e - high)
        f = high - e
        square = high * m
        square_low = ((e * a - square) + e * b + f * a) + f * b + high * m_low + low * m
        total, total_low = _add(state[2, j], state[3, j], -square, -square_low)
        out[j] = max(total + total_low, 0.0)
    return out
