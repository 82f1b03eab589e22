"""Compiled heart of `uqmbd.analysis.chebyshev.bernstein`: one tensor polynomial at a time.

Arrays are flat; `shape` gives the sizes ``e_i + 1`` of a polynomial of degrees e, last axis contiguous.
"""

from __future__ import annotations

import numba
import numpy as np

DEPTH = 96  # boxes a depth-first search can hold, i.e. halvings of the box


@numba.njit(cache=True)
def truncate(c, shape, budget):
    """Cut outer slices of the coefficients while the absolute sum of all that is cut stays within `budget`.

    Gives shorter coefficients, their shape, and a bound of the absolute sum of what was cut.
    """
    d = shape.size
    kept = shape.copy()
    slices = np.zeros((d, shape.max()))
    inner = c.size
    for axis in range(d):
        n = shape[axis]
        inner //= n
        for o in range(c.size // (n * inner)):
            for j in range(n):
                at = (o * n + j) * inner
                total = 0.0
                for i in range(at, at + inner):
                    total += abs(c[i])
                slices[axis, j] += total
    cut = 0.0
    while True:  # where two cut slices cross is counted twice
        best, least = -1, np.inf
        for axis in range(d):
            if kept[axis] > 1 and slices[axis, kept[axis] - 1] < least:
                best, least = axis, slices[axis, kept[axis] - 1]
        if best < 0 or not cut + least <= budget:
            break
        cut += least
        kept[best] -= 1
    size = 1
    for axis in range(d):
        size *= kept[axis]
    out = np.empty(size)
    index = np.zeros(d, np.int64)
    for i in range(size):
        position = 0
        for axis in range(d):
            position = position * shape[axis] + index[axis]
        out[i] = c[position]
        _advance(index, kept)
    return out, kept, cut


@numba.njit(cache=True)
def _advance(index, shape):
    for axis in range(shape.size - 1, -1, -1):
        index[axis] += 1
        if index[axis] < shape[axis]:
            return
        index[axis] = 0


@numba.njit(cache=True)
def to_bernstein(c, shape, matrices, growth):
    """Bernstein coefficients of a Chebyshev expansion, and ``Σ |c_k| Π growth``, which bounds all terms that were summed.

    `matrices[e]` is the conversion matrix of degree e, `growth[e, k]` its largest absolute entry in column k.
    """
    d = shape.size
    a = c.copy()
    bound = np.abs(c)
    for axis in range(d):
        n = shape[axis]
        inner = 1
        for other in range(axis + 1, d):
            inner *= shape[other]
        outer = a.size // (n * inner)
        out = np.zeros_like(a)
        m = matrices[n - 1]
        for o in range(outer):
            base = o * n * inner
            for k in range(n):
                g = growth[n - 1, k]
                for i in range(inner):
                    bound[base + k * inner + i] *= g
                for j in range(n):
                    w = m[j, k]
                    for i in range(inner):
                        out[base + j * inner + i] += w * a[base + k * inner + i]
        a = out
    return a, bound.sum()


@numba.njit(cache=True)
def _corner_maximum(b, shape):
    """Largest coefficient at a corner of the box: a value that the polynomial takes."""
    d = shape.size
    best = -np.inf
    for corner in range(1 << d):
        position, stride = 0, 1
        for axis in range(d - 1, -1, -1):
            if corner >> axis & 1:
                position += (shape[axis] - 1) * stride
            stride *= shape[axis]
        best = max(best, b[position])
    return best


@numba.njit(cache=True)
def flatten_monotone(b, shape):
    """Replace the box by its face along every axis in which the polynomial is monotone; return the new size and the axis to halve.

    All first differences of one sign prove monotonicity, and the maximum is then on a face: `b` is closed up and `shape` becomes 1 there.
    The axis with the largest second difference is the one whose coefficients are farthest above the polynomial; -1 when none bends.
    """
    size = b.size
    while True:
        chosen, bend_of_chosen, closed = -1, 0.0, False
        inner = size
        for axis in range(shape.size):
            n = shape[axis]
            inner //= n
            outer = size // (n * inner)
            if n == 1:
                continue
            rising, falling, bend = True, True, 0.0
            for o in range(outer):
                for j in range(n - 1):
                    at = (o * n + j) * inner
                    for i in range(at, at + inner):
                        step = b[i + inner] - b[i]
                        if step < 0.0:
                            rising = False
                        elif step > 0.0:
                            falling = False
                        if j > 0:
                            bend = max(bend, abs(step - b[i] + b[i - inner]))
            if rising or falling:
                for o in range(outer):
                    source = (o * n + (n - 1 if rising else 0)) * inner
                    for i in range(inner):  # towards the front, never over what is still to be read
                        b[o * inner + i] = b[source + i]
                shape[axis] = 1
                size = outer * inner
                closed = True
            elif bend > bend_of_chosen:
                chosen, bend_of_chosen = axis, bend
        if not closed:  # a face may be monotone where the box was not
            return size, chosen


@numba.njit(cache=True)
def _halve(b, left, shape, axis):
    """De Casteljau at the middle of `axis`: `b` becomes the right half, `left` the left one; their largest coefficients."""
    n = shape[axis]
    inner = 1
    for other in range(axis + 1, shape.size):
        inner *= shape[other]
    outer = b.size // (n * inner)
    top_left, top_right = -np.inf, -np.inf
    for o in range(outer):
        base = o * n * inner
        for r in range(n):
            for i in range(inner):
                left[base + r * inner + i] = b[base + i]
            for j in range(n - 1 - r):
                at = base + j * inner
                for i in range(at, at + inner):
                    b[i] = 0.5 * (b[i] + b[i + inner])
    for i in range(b.size):
        top_left = max(top_left, left[i])
        top_right = max(top_right, b[i])
    return top_left, top_right


@numba.njit(cache=True)
def upper_bound(b, shape, seen, gap, max_boxes):
    """Bound from above of the polynomial with Bernstein coefficients `b`, by branch and bound, and the best value found (at least `seen`).

    A box is done when its largest coefficient exceeds the best value by no more than `gap`; they differ by more only where `max_boxes` ran
    out.
    """
    stack = np.empty((DEPTH, b.size))
    shapes = np.empty((DEPTH, shape.size), np.int64)
    tops = np.empty(DEPTH)
    stack[0] = b
    shapes[0] = shape
    tops[0] = b.max()
    best, upper = seen, -np.inf
    boxes, held, size = 0, 1, b.size
    while held > 0:
        held -= 1
        top, here = tops[held], shapes[held]
        size = np.prod(here)
        if top > best + gap:
            best = max(best, _corner_maximum(stack[held, :size], here))
        if top <= best + gap or boxes >= max_boxes or held + 2 > DEPTH:
            upper = max(upper, top)
            continue
        boxes += 1
        size, axis = flatten_monotone(stack[held, :size], here)
        box = stack[held, :size]
        if axis < 0:
            upper = max(upper, box.max())
            continue
        other = stack[held + 1, :size]
        shapes[held + 1] = here
        top_left, top_right = _halve(box, other, here, axis)
        if top_left < top_right:  # the higher half is searched first
            for i in range(size):
                box[i], other[i] = other[i], box[i]
            top_left, top_right = top_right, top_left
        tops[held], tops[held + 1] = top_right, top_left
        held += 2
    return upper, best


@numba.njit(cache=True)
def ranges(c, shape, seen, gap, matrices, growth, max_boxes):
    """Bounds (2, columns) of polynomials with Chebyshev coefficients `c` (columns, size), and values taken up to rounding, (2, columns).

    `seen` (2, columns) are the smallest and largest value each is known to take (or ±inf); bounds may exceed the range by `gap` (columns,).
    """
    columns = c.shape[0]
    bounds = np.empty((2, columns))
    reached = np.empty((2, columns))
    eps = 2.220446049250313e-16
    for p in range(columns):
        # bound - maximum <= search gap + 2 (cut + rounding), see `uqmbd.analysis.chebyshev.bernstein`
        short, kept, cut = truncate(c[p], shape, 0.2 * gap[p])
        b, terms = to_bernstein(short, kept, matrices, growth)
        rounding = 0.0
        for axis in range(kept.size):
            rounding += (kept[axis] + 2 + 0.5 * DEPTH) * eps * terms
        slack = cut + rounding
        allowed = max(gap[p] - 2.0 * slack, rounding)
        high, best = upper_bound(b, kept, seen[1, p] - slack, allowed, max_boxes)
        bounds[1, p], reached[1, p] = high + slack, best
        low, best = upper_bound(-b, kept, -seen[0, p] - slack, allowed, max_boxes)
        bounds[0, p], reached[0, p] = -low - slack, -best
    return bounds, reached
