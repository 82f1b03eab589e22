"""Symmetric positive definite five-point systems on rows of m cells: factors L D L' of the band, and solutions by them.

Unknown ``r = k m + j`` is cell j of listed row k. ``band[(m + r) * stride + d]`` is the entry of r and r + d (d = 0 ... m) and becomes
``(D L')``; m rows of zeros stand before the first. A ring that is full all round has its last row of cells as a border: the
m columns ``border[(m + r) * wide + b]`` become ``inv(L)`` times them, ``corner`` the Cholesky factor of what is left of the last row.
"""

from typing import NamedTuple

import numpy as np

from flexmbd.lanes import kernel, sqrt
from flexmbd.lubrication.reynolds.simd import EIGHT, inner, load, store


class BandStorage(NamedTuple):
    """Flat arrays for up to n rows of cells; the matrix is written into band, border and corner."""

    band: np.ndarray
    inverse: np.ndarray  # 1/D, m zeros before
    border: np.ndarray
    corner: np.ndarray
    factors: np.ndarray
    x: np.ndarray  # right side, then solution; m zeros before, those of the border behind the listed rows


@inner
def padded(m):
    """The next multiple of eight."""
    return (m + EIGHT - 1) // EIGHT * EIGHT


@inner
def stride_of(m):
    """Length of a band row: its entries, and zeros up to where the last of m pivots is read."""
    return m + padded(m)


@kernel
def lengths(n, m):
    """Numbers in the arrays of a `Space`, in order."""
    cells, wide = (n + 1) * m, padded(m)
    return cells * stride_of(m), cells, cells * wide, m * wide, m + EIGHT, cells + m + EIGHT


@inner
def factorise(rows, m, closed, space):
    """Factors in place.

    Row by row: all m pivots before it act upon eight of its entries while those stay in registers.
    """
    stride, wide = stride_of(m), padded(m)
    band, inverse, border, factors = space.band, space.inverse, space.border, space.factors
    for i in range(m, m + rows * m):
        own = i * stride
        for d in range(1, m + 1):
            factors[d] = band[own - d * (stride - 1)] * inverse[i - d]
        for k in range(0, wide, EIGHT):
            one, two = load(band, own + k), 0.0 * load(band, own + k)
            for d in range(1, m, 2):
                at = own + k - d * (stride - 1)
                one = one - factors[d] * load(band, at)
                two = two - factors[d + 1] * load(band, at - (stride - 1))
            if m % 2:
                one = one - factors[m] * load(band, own + k - m * (stride - 1))
            store(band, own + k, one + two)
            if closed:
                here = i * wide + k
                one = load(border, here)
                for d in range(1, m + 1):
                    one = one - factors[d] * load(border, here - d * wide)
                store(border, here, one)
        inverse[i] = 1.0 / band[own]
    if closed:
        _corner(rows, m, inverse, border, space.corner)


@inner
def _corner(rows, m, inverse, border, corner):
    """Cholesky factor of ``corner - border' inv(D) border``, lower triangle."""
    wide = padded(m)
    for i in range(m, m + rows * m):
        for a in range(m):
            weight = border[i * wide + a] * inverse[i]
            if weight != 0.0:
                for b in range(0, wide, EIGHT):
                    store(corner, a * wide + b, load(corner, a * wide + b) - weight * load(border, i * wide + b))
    for a in range(m):
        for b in range(a + 1):
            x = corner[a * wide + b]
            for k in range(b):
                x -= corner[a * wide + k] * corner[b * wide + k]
            corner[a * wide + b] = sqrt(x) if a == b else x / corner[b * wide + b]


@inner
def substitute(rows, m, closed, space):
    """Solve in place.

    Scalars by intent: a register's worth of the numbers just found would wait for their stores.
    """
    stride, wide, last, near = stride_of(m), padded(m), m + rows * m, 0.0
    band, inverse, border, corner, x = space.band, space.inverse, space.border, space.corner, space.x
    for i in range(m, last):
        at = i * stride
        one, two, three, d = x[i], 0.0, 0.0, m
        while d > 5:
            one -= band[at - d * (stride - 1)] * x[i - d]
            two += band[at - (d - 1) * (stride - 1)] * x[i - d + 1]
            three += band[at - (d - 2) * (stride - 1)] * x[i - d + 2]
            d -= 3
        one -= two + three
        while d > 1:
            one -= band[at - d * (stride - 1)] * x[i - d]
            d -= 1
        near = (one - band[at - stride + 1] * near) * inverse[i]
        x[i] = near
    if closed:
        for i in range(m, last):
            for b in range(m):
                x[last + b] -= x[i] * border[i * wide + b]
        for a in range(m):
            for k in range(a):
                x[last + a] -= corner[a * wide + k] * x[last + k]
            x[last + a] /= corner[a * wide + a]
        for a in range(m - 1, -1, -1):
            for k in range(a + 1, m):
                x[last + a] -= corner[k * wide + a] * x[last + k]
            x[last + a] /= corner[a * wide + a]
        for i in range(m, last):
            for b in range(m):
                x[i] -= inverse[i] * border[i * wide + b] * x[last + b]
    near = 0.0
    for i in range(last - 1, m - 1, -1):
        own = i * stride
        one, two, three, d = 0.0, 0.0, 0.0, m
        while d > 5:
            one += band[own + d] * x[i + d]
            two += band[own + d - 1] * x[i + d - 1]
            three += band[own + d - 2] * x[i + d - 2]
            d -= 3
        one += two + three
        while d > 1:
            one += band[own + d] * x[i + d]
            d -= 1
        near = x[i] - (one + band[own + 1] * near) * inverse[i]
        x[i] = near
