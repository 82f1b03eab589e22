"""Compiled heart of `uqmbd.analysis.chebyshev.sparse_range`: one sparse Chebyshev polynomial at a time.

On a box, taken as [-1, 1]^d again, what each input does alone up to the second degree is bounded exactly, products of two inputs by
``|x y| <= (x² + y²) / 2``, and all other terms by their absolute coefficients. Coupled terms shrink with the square of the box at least, so
halving closes the distance quadratically; and around a maximum inside the box the squares keep the bound close without many boxes.
"""

from __future__ import annotations

import numba
import numpy as np

DEPTH = 128  # halvings of one box


@numba.njit(cache=True)
def _bound(c, exponents, alone, point, bends, squares):
    """Bound from above on the box, the point at which the terms that it takes exactly are greatest, and what splitting can win.

    `alone` (d, 3) are the terms 1, T_1, T_2 of each input alone, -1 where there is none. `bends[i]` becomes the size of the terms that
    are bounded loosely and shrink when input i is halved; `squares` is overwritten.
    """
    terms, d = exponents.shape
    rest = 0.0
    bends[:] = 0.0
    squares[:] = 0.0
    for t in range(terms):
        size = abs(c[t])
        if size == 0.0:
            continue
        coupled, degree = 0, 0
        for i in range(d):
            if exponents[t, i]:
                coupled += 1
                degree += exponents[t, i]
        if coupled == 0 or (coupled == 1 and degree <= 2):
            continue
        if degree > 2:
            rest += size
        for i in range(d):
            if exponents[t, i]:
                bends[i] += size * (1.0 - 0.5 ** exponents[t, i])
                if degree == 2:
                    squares[i] += 0.25 * size  # x² = (T_2 + 1) / 2
    upper = c[alone[0, 0]] + rest
    for i in range(d):
        a = c[alone[i, 1]] if alone[i, 1] >= 0 else 0.0
        b = (c[alone[i, 2]] if alone[i, 2] >= 0 else 0.0) + squares[i]
        x = 1.0 if a >= 0.0 else -1.0
        best = abs(a) + b
        if b < 0.0 and abs(a) < -4.0 * b:  # a x + b (2 x² - 1) is greatest inside
            x = -a / (4.0 * b)
            best = a * x + b * (2.0 * x * x - 1.0)
        point[i] = x
        upper += best + squares[i]
    return upper


@numba.njit(cache=True)
def _value(c, exponents, point, table):
    """The polynomial at `point`; `table` (d, degree + 1) is overwritten."""
    terms, d = exponents.shape
    for i in range(d):
        table[i, 0] = 1.0
        if table.shape[1] > 1:
            table[i, 1] = point[i]
        for k in range(2, table.shape[1]):
            table[i, k] = 2.0 * point[i] * table[i, k - 1] - table[i, k - 2]
    total = 0.0
    for t in range(terms):
        if c[t] != 0.0:
            product = c[t]
            for i in range(d):
                if exponents[t, i]:
                    product *= table[i, exponents[t, i]]
            total += product
    return total


@numba.njit(cache=True)
def _restrict(c, out, exponents, lowered, axis, matrix):
    """Coefficients on a part of the box: `matrix[j, k]` is the coefficient of T_j in T_k on the part."""
    out[:] = 0.0
    for t in range(c.size):
        if c[t] != 0.0:
            k = exponents[t, axis]
            for j in range(k + 1):
                out[lowered[axis, t, j]] += matrix[j, k] * c[t]


@numba.njit(cache=True)
def _fix_monotone(c, exponents, lowered, alone):
    """Replace the box by its face along every input in which the polynomial is monotone, since its maximum is there."""
    terms, d = exponents.shape
    for i in range(d):
        if alone[i, 1] < 0:
            continue
        slope = c[alone[i, 1]]
        if slope == 0.0:
            continue
        others = 0.0
        for t in range(terms):
            k = exponents[t, i]
            if k and t != alone[i, 1]:
                others += k * k * abs(c[t])
        if abs(slope) >= others:  # the derivative of T_k is k² at most
            for t in range(terms):
                k = exponents[t, i]
                if k and c[t] != 0.0:
                    c[lowered[i, t, 0]] += c[t] if slope > 0.0 or k % 2 == 0 else -c[t]
                    c[t] = 0.0


@numba.njit(cache=True)
def upper_bound(c, terms, halves, seen, gap, pool):
    """Bound from above by branch and bound, and the best value found, at least `seen`.

    The box with the highest bound is halved next, until `pool` (boxes, terms) is full: only then the two differ by more than `gap`.
    """
    exponents, lowered, alone = terms
    d = exponents.shape[1]
    tops, depths = np.full(len(pool), -np.inf), np.zeros(len(pool), np.int64)
    point, bends, squares = np.empty(d), np.empty(d), np.empty(d)
    table = np.empty((d, halves.shape[1]))
    half = np.empty(c.size)
    pool[0] = c
    tops[0] = np.inf
    best, done, held = seen, -np.inf, 1  # `done`: highest bound of boxes that cannot be halved
    while True:
        at = int(np.argmax(tops[:held]))
        top, box = tops[at], pool[at]
        if top <= max(best + gap, done):
            break
        _fix_monotone(box, exponents, lowered, alone)
        top = min(_bound(box, exponents, alone, point, bends, squares), top)
        tops[at] = top
        if top > best + gap:
            best = max(best, _value(box, exponents, point, table))
        axis = int(np.argmax(bends))
        if top <= best + gap or bends[axis] == 0.0 or depths[at] == DEPTH:
            done = max(done, top)
            tops[at] = -np.inf
            continue
        if held == len(pool):
            break
        _restrict(box, pool[held], exponents, lowered, axis, halves[0])
        _restrict(box, half, exponents, lowered, axis, halves[1])
        pool[at] = half
        tops[held] = top
        depths[at] += 1
        depths[held] = depths[at]
        held += 1
    return max(done, tops[:held].max()), best


@numba.njit(cache=True)
def sparse_ranges(c, terms, halves, seen, gap, slack, boxes):
    """Bounds (2, columns) of many polynomials with coefficients `c` (columns, terms), and values reached (2, columns) up to `slack`.

    `terms`: their exponents, and what `lowered` and `alone` are above.
    """
    columns = c.shape[0]
    bounds, reached = np.empty((2, columns)), np.empty((2, columns))
    pool = np.empty((boxes, c.shape[1]))
    for p in range(columns):
        short = c[p].copy()
        cut, budget = 0.0, 0.1 * gap[p]
        for t in np.argsort(np.abs(short)):
            cut += abs(short[t])
            if cut > budget:
                cut -= abs(short[t])
                break
            short[t] = 0.0
        loose = cut + slack[p]
        allowed = max(gap[p] - 2.0 * loose, slack[p])
        high, best = upper_bound(short, terms, halves, seen[1, p] - loose, allowed, pool)
        bounds[1, p], reached[1, p] = high + loose, best
        low, best = upper_bound(-short, terms, halves, -seen[0, p] - loose, allowed, pool)
        bounds[0, p], reached[0, p] = -low - loose, -best
    return bounds, reached
