"""Heart of `uqmbd.analysis.chebyshev.bernstein` without compiled code: many polynomials side by side, step by step what its kernel does.

Loading numba and compiled code takes longer than the bounds of a small study, and compiling, once a machine, many times as long. Every
sum runs in the kernel's order, so that both give the same numbers. A face of a box is kept as a box that is constant along the axis.
"""

from __future__ import annotations

from itertools import product
from math import prod

import numpy as np

DEPTH = 96  # as in the kernel
ROUNDS = 400  # boxes of one polynomial, after which the kernel takes it
EPS = 2.220446049250313e-16


def ranges(
    c: np.ndarray, shape: np.ndarray, seen: np.ndarray, gap: np.ndarray, matrices: np.ndarray, growth: np.ndarray, max_boxes: int
) -> tuple[np.ndarray, np.ndarray]:
    """As `uqmbd.analysis.chebyshev.bernstein_kernel.ranges`, of finite coefficients."""
    kept, cut = truncated(c, shape, 0.2 * gap)
    bounds, reached = np.empty((2, len(c))), np.empty((2, len(c)))
    for sizes in np.unique(kept, axis=0):
        rows = np.flatnonzero((kept == sizes).all(axis=1))
        part = c.reshape(-1, *shape)[(rows, *(slice(size) for size in sizes))]
        b, terms = to_bernstein(part, matrices, growth)
        rounding = np.zeros(len(rows))
        for size in sizes.tolist():
            rounding += (size + 2 + 0.5 * DEPTH) * EPS * terms
        slack = cut[rows] + rounding
        allowed = np.maximum(gap[rows] - 2.0 * slack, rounding)
        known = np.concatenate([seen[1, rows] - slack, -seen[0, rows] - slack])
        ends, best = upper_bounds(np.concatenate([b, -b]), sizes.tolist(), known, np.tile(allowed, 2), max_boxes)
        (high, low), (top, bottom) = ends.reshape(2, -1), best.reshape(2, -1)
        bounds[:, rows] = -low - slack, high + slack
        reached[:, rows] = -bottom, top
    return bounds, reached


def in_order(values: np.ndarray, axis: int) -> np.ndarray:
    """Sums one after the other, as a loop makes them; numpy's own sums run in pairs."""
    return np.take(np.add.accumulate(values, axis=axis), -1, axis=axis)


def parted(values: np.ndarray, shape: list[int], axis: int) -> np.ndarray:
    """Boxes (boxes, size) as (boxes, outer, n, inner) around one axis; a view."""
    return values.reshape(len(values), prod(shape[:axis]), shape[axis], prod(shape[axis + 1 :]))


def truncated(c: np.ndarray, shape: np.ndarray, budget: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sizes (columns, d) that are left where outer slices are cut, of all together `budget`, and bounds of what is cut, (columns,)."""
    sizes, columns = shape.tolist(), np.arange(len(c))
    slices = np.zeros((len(c), len(sizes), max(sizes)))
    for axis, size in enumerate(sizes):
        slices[:, axis, :size] = in_order(in_order(parted(np.abs(c), sizes, axis), 3), 1)
    kept, cut = np.tile(shape, (len(c), 1)), np.zeros(len(c))
    while True:
        last = np.take_along_axis(slices, (kept - 1)[:, :, None], axis=2)[:, :, 0]
        last = np.where(kept > 1, last, np.inf)
        axis = last.argmin(axis=1)
        least = last[columns, axis]
        more = np.flatnonzero((least < np.inf) & (cut + least <= budget))
        if not more.size:
            return kept, cut
        cut[more] += least[more]
        kept[more, axis[more]] -= 1


def to_bernstein(c: np.ndarray, matrices: np.ndarray, growth: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Bernstein coefficients (columns, size) of Chebyshev expansions (columns, *shape), and what bounds all terms that were summed."""
    shape = list(c.shape[1:])
    a = c.reshape(len(c), -1)
    bound = np.abs(a)
    for axis, n in enumerate(shape):
        bound = (parted(bound, shape, axis) * growth[n - 1, :n, None]).reshape(bound.shape)
        before, after = parted(a, shape, axis), np.zeros_like(parted(a, shape, axis))
        for k in range(n):
            after += matrices[n - 1, :n, k, None] * before[:, :, k : k + 1]
        a = after.reshape(a.shape)
    return a, in_order(bound, 1)


def flatten_monotone(boxes: np.ndarray, shape: list[int]) -> np.ndarray:
    """Make boxes (boxes, size) constant along every axis in which their polynomial is monotone; the axis to halve of each, or -1."""
    axes, todo = np.full(len(boxes), -1), np.arange(len(boxes))
    while todo.size:
        some = boxes[todo]
        chosen, most, closed = np.full(len(todo), -1), np.zeros(len(todo)), np.zeros(len(todo), bool)
        for axis, n in enumerate(shape):
            if n == 1:
                continue
            box = parted(some, shape, axis)
            step = box[:, :, 1:] - box[:, :, :-1]
            rises, falls = (step > 0).any(axis=(1, 2, 3)), (step < 0).any(axis=(1, 2, 3))
            for face, at in ((n - 1, rises & ~falls), (0, falls & ~rises)):
                if at.any():
                    box[at] = box[at, :, face : face + 1]
                    closed |= at
            if n > 2:
                bend = np.abs(step[:, :, 1:] - box[:, :, 1:-1] + box[:, :, :-2]).max(axis=(1, 2, 3))
                more = rises & falls & (bend > most)
                chosen[more], most[more] = axis, bend[more]
        axes[todo] = chosen
        boxes[todo[closed]] = some[closed]
        todo = todo[closed]  # a face may be monotone where the box was not
    return axes


def halved(boxes: np.ndarray, shape: list[int], axis: int) -> tuple[np.ndarray, np.ndarray]:
    """Left and right halves of boxes (boxes, size), by de Casteljau at the middle of `axis`."""
    n, right = shape[axis], parted(boxes.copy(), shape, axis)
    left = np.empty_like(right)
    for r in range(n):
        left[:, :, r] = right[:, :, 0]
        right[:, :, : n - 1 - r] = 0.5 * (right[:, :, : n - 1 - r] + right[:, :, 1 : n - r])
    return left.reshape(boxes.shape), right.reshape(boxes.shape)


def upper_bounds(b: np.ndarray, shape: list[int], seen: np.ndarray, gap: np.ndarray, max_boxes: int) -> tuple[np.ndarray, np.ndarray]:
    """Bounds from above (columns,) of polynomials with Bernstein coefficients `b` (columns, size), and the best values found."""
    strides = [prod(shape[axis + 1 :]) for axis in range(len(shape))]
    corners = [sum(at) for at in product(*({0, (size - 1) * stride} for size, stride in zip(shape, strides, strict=True)))]
    stack, tops = np.empty((len(b), 8, b.shape[1])), np.empty((len(b), DEPTH))
    stack[:, 0], tops[:, 0] = b, b.max(axis=1)
    best, upper = seen.copy(), np.full(len(b), -np.inf)
    boxes, held, alive = np.zeros(len(b), int), np.ones(len(b), int), np.arange(len(b))
    for _ in range(ROUNDS):
        if not alive.size:
            return upper, best
        held[alive] -= 1
        top, box = tops[alive, held[alive]], stack[alive, held[alive]]
        look = top > best[alive] + gap[alive]
        best[alive[look]] = np.maximum(best[alive[look]], box[look][:, corners].max(axis=1))
        done = (top <= best[alive] + gap[alive]) | (boxes[alive] >= max_boxes) | (held[alive] + 2 > DEPTH)
        upper[alive[done]] = np.maximum(upper[alive[done]], top[done])
        going, box = alive[~done], box[~done]
        boxes[going] += 1
        axes = flatten_monotone(box, shape)
        flat = axes < 0
        upper[going[flat]] = np.maximum(upper[going[flat]], box[flat].max(axis=1, initial=-np.inf))
        if stack.shape[1] < min(held.max() + 2, DEPTH):
            stack = np.concatenate([stack, np.empty_like(stack)], axis=1)
        for axis in np.unique(axes[~flat]).tolist():
            at = going[axes == axis]
            left, right = halved(box[axes == axis], shape, axis)
            ahead = left.max(axis=1) < right.max(axis=1)  # the higher half is searched first
            first, then = np.where(ahead[:, None], right, left), np.where(ahead[:, None], left, right)
            for place, half in ((held[at], then), (held[at] + 1, first)):
                stack[at, place], tops[at, place] = half, half.max(axis=1)
            held[at] += 2
        alive = alive[held[alive] > 0]
    from uqmbd.analysis.chebyshev import bernstein_kernel

    for p in alive.tolist():
        upper[p], best[p] = bernstein_kernel.upper_bound(b[p], np.array(shape), seen[p], gap[p], max_boxes)
    return upper, best
