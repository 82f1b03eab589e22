"""Compiled heart of `uqmbd.analysis.sets.evidence`: tensor polynomials on many boxes.

`WIDTH` columns are worked on side by side: arrays are flat, of shape (size, WIDTH), the size that of a polynomial as in
`uqmbd.analysis.chebyshev.bernstein_kernel`. A polynomial is restricted to a box one axis after the other, cut short there (on a part
of an interval the coefficients fall faster), and taken to Bernstein form in that axis. Boxes that follow each other share the
axes at the front.
"""

from __future__ import annotations

import numba
import numpy as np

from uqmbd.analysis.chebyshev.bernstein import MAX_BOXES
from uqmbd.analysis.chebyshev.bernstein_kernel import flatten_monotone, upper_bound

WIDTH = 8
_CUT = 0.2  # part of the gap spent on coefficients that are left out: half before, half after the restrictions


@numba.njit(cache=True)
def _sides(shape, axis):
    """Number of entries outside of `axis`, and inside of it."""
    outer, inner = 1, WIDTH
    for other in range(shape.size):
        if other < axis:
            outer *= shape[other]
        elif other > axis:
            inner *= shape[other]
    return outer, inner


@numba.njit(cache=True)
def _copy(source, target, size):
    for i in range(size):
        target[i] = source[i]


@numba.njit(cache=True, fastmath={"contract"})
def _apply(source, target, shape, axis, matrix, upper):
    """`target` is `source` multiplied by `matrix` in `axis`; `upper` says that the matrix is upper triangular."""
    n = shape[axis]
    outer, inner = _sides(shape, axis)
    target[: outer * n * inner] = 0.0
    for o in range(outer):
        for j in range(n):
            into = target[(o * n + j) * inner : (o * n + j + 1) * inner]
            for k in range(j if upper else 0, n):
                w, part = matrix[j, k], source[(o * n + k) * inner : (o * n + k + 1) * inner]
                for i in range(inner):
                    into[i] += w * part[i]


@numba.njit(cache=True, fastmath={"reassoc", "contract"})
def _shorten(c, shape, axis, budget, cut, bernstein):
    """Cut the last slices of `axis` while `cut` (WIDTH,), to which what is cut is added, is within `budget`; the size that is left.

    With `bernstein` the axes before are in Bernstein form, which never exceeds the largest coefficient, so only the largest sum over the
    others counts. `shape` is changed, `c` closed up.
    """
    n = shape[axis]
    outer, inner = _sides(shape, axis)
    kept = n
    largest, total = np.empty(WIDTH), np.empty(WIDTH)
    while kept > 1:
        for w in range(WIDTH):
            largest[w] = total[w] = 0.0
        for o in range(outer):
            for at in range((o * n + kept - 1) * inner, (o * n + kept) * inner, WIDTH):
                for w in range(WIDTH):
                    total[w] += abs(c[at + w])
            for w in range(WIDTH):
                largest[w] = max(largest[w], total[w])
                if bernstein:
                    total[w] = 0.0
        fits = True
        for w in range(WIDTH):
            fits = fits and cut[w] + largest[w] <= budget[w]
        if not fits:
            break
        for w in range(WIDTH):
            cut[w] += largest[w]
        kept -= 1
    if kept < n:
        for o in range(1, outer):
            for i in range(kept * inner):  # towards the front, never over what is still to be read
                c[o * kept * inner + i] = c[o * n * inner + i]
    shape[axis] = kept
    return outer * kept * inner


@numba.njit(cache=True)
def _ends(b, shape, size, low, high):
    """Smallest and largest Bernstein coefficient of each column, and the same of those at corners, which are values: (2, WIDTH) each."""
    for w in range(WIDTH):
        low[0, w] = high[0, w] = b[w]
    for at in range(0, size, WIDTH):
        for w in range(WIDTH):
            low[0, w] = min(low[0, w], b[at + w])
            high[0, w] = max(high[0, w], b[at + w])
    low[1], high[1] = np.inf, -np.inf
    for corner in range(1 << shape.size):
        at, stride = 0, WIDTH
        for axis in range(shape.size - 1, -1, -1):
            if corner >> axis & 1:
                at += (shape[axis] - 1) * stride
            stride *= shape[axis]
        for w in range(WIDTH):
            low[1, w] = min(low[1, w], b[at + w])
            high[1, w] = max(high[1, w], b[at + w])


@numba.njit(cache=True)
def _searched(b, shape, reached, allowed):
    """Bound from above of one polynomial; on the face where its largest value is, if differences tell, `b` is overwritten."""
    face = shape.copy()
    size, axis = flatten_monotone(b, face)
    if axis < 0:
        return b[:size].max()
    return upper_bound(b[:size], face, reached, allowed, MAX_BOXES)[0]


@numba.njit(cache=True)
def box_ranges(c, shape, matrices, element, first, gap, rounding, conversions):
    """Bounds (2, boxes, WIDTH) of polynomials with Chebyshev coefficients `c` (size * WIDTH,).

    Parameters
    ----------
    matrices : ndarray, shape (elements, n, n)
        Restriction to each interval that occurs, n the largest size in any axis.
    element : ndarray of int, shape (boxes, d)
        Row of `matrices` for each side of a box; -1 for the whole of an axis.
    first : ndarray of int, shape (boxes,)
        First axis in which a box differs from the one before.
    gap, rounding : ndarray, shape (WIDTH,)
        By how much the bounds may exceed the range, and what rounding may have changed; absolute.
    conversions : ndarray
        As in `uqmbd.analysis.chebyshev.bernstein_kernel.to_bernstein`.
    """
    boxes, d = element.shape
    bounds = np.empty((2, boxes, WIDTH))
    parts = np.empty((d + 1, c.size))  # on the box in the first so many axes
    shapes, sizes, cuts = np.empty((d + 1, d), np.int64), np.empty(d + 1, np.int64), np.zeros((d + 1, WIDTH))
    work, alone, low, high = np.empty(c.size), np.empty(c.size), np.empty((2, WIDTH)), np.empty((2, WIDTH))
    budget = np.empty((d + 1, WIDTH))  # after so many restrictions
    for axis in range(d + 1):
        for w in range(WIDTH):
            budget[axis, w] = 0.5 * _CUT * (1 + axis / d) * gap[w]
    _copy(c, parts[0], c.size)
    shapes[0] = shape
    for axis in range(d):
        sizes[0] = _shorten(parts[0], shapes[0], axis, budget[0], cuts[0], False)
    for box in range(boxes):
        for axis in range(first[box], d):
            here, which = shapes[axis + 1], element[box, axis]
            _copy(cuts[axis], cuts[axis + 1], WIDTH)
            for other in range(d):
                here[other] = shapes[axis, other]
            sizes[axis + 1] = sizes[axis]
            if which < 0:
                _copy(parts[axis], work, sizes[axis])
            else:
                _apply(parts[axis], work, here, axis, matrices[which], True)
                sizes[axis + 1] = _shorten(work, here, axis, budget[axis + 1], cuts[axis + 1], True)
            _apply(work, parts[axis + 1], here, axis, conversions[here[axis] - 1], False)
        b, here, size = parts[d], shapes[d], sizes[d]
        _ends(b, here, size, low, high)
        for w in range(WIDTH):
            slack = cuts[d, w] + rounding[w]
            allowed = max(gap[w] - 2.0 * slack, rounding[w])
            for side in range(2):
                sign = 2.0 * side - 1.0
                top = high[0, w] if side else -low[0, w]
                reached = high[1, w] if side else -low[1, w]
                if top > reached + allowed:
                    for i in range(size // WIDTH):
                        alone[i] = sign * b[i * WIDTH + w]
                    top = _searched(alone[: size // WIDTH], here, reached, allowed)
                bounds[side, box, w] = sign * (top + slack)
    return bounds
