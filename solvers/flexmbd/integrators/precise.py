"""Vibration over a step by the precise integration method: exact for forces that are linear in time, whatever its frequencies.

Of ``R a'' + K a = F`` with ``A = R^-1 K`` it needs ``C = cos(h sqrt(A))`` and ``S = sin(h sqrt(A))/(h sqrt(A))``, the blocks of the
exponential of the Hamiltonian matrix ``[[0, R^-1], [-K, 0]] h`` (Zhong and Williams 1994, Proc. Inst. Mech. Eng. C 208, 427-430).
As there the series of a short time is doubled again and again, and the difference from the identity is kept: rounding does not grow::

    E = C - I,     S(2h) = S (I + E),     E(2h) = 2 E E + 4 E

Each lane is doubled as often as its own frequencies need.
"""

from flexmbd.lanes import any_lane, fabs, maximum, select, sqrt
from flexmbd.lanes.rows import ld, st
from flexmbd.lanes.vector import inner

SHORT = 0.2  # square of the phase, in rad, from which on times are doubled: the series leaves out its seventh power
MOST = 30


@inner
def room(m):
    """Rows that a matrix takes: of eight sines in eight lanes they would else be 4,096 bytes apart, and wait for each other's stores."""
    return m * m + 3


@inner
def entry(a, b, m, W):
    """Product of a row and a column that is a row as well."""
    x = ld(W, a) * ld(W, b)
    for k in range(1, m):
        x = x + ld(W, a + k) * ld(W, b + k)
    return x


@inner
def product(a, b, to, m, W):
    """Product of two symmetric matrices that commute, of rows from a and b on, into those from `to` on.

    It is symmetric, and columns of b are its rows.  Four entries at a time: their sums do not wait for each other.
    """
    even = m - m % 2
    for i in range(0, even, 2):
        for j in range(0, i + 1, 2):
            top, left = a + m * i, b + m * j
            p, q, r, s = ld(W, top), ld(W, top + m), ld(W, left), ld(W, left + m)
            x, y, z, w = p * r, p * s, q * r, q * s
            for k in range(1, m):
                p, q, r, s = ld(W, top + k), ld(W, top + m + k), ld(W, left + k), ld(W, left + m + k)
                x, y, z, w = x + p * r, y + p * s, z + q * r, w + q * s
            both(x, i, j, to, m, W)
            both(z, i + 1, j, to, m, W)
            both(w, i + 1, j + 1, to, m, W)
            if j < i:
                both(y, i, j + 1, to, m, W)
    if even < m:
        for j in range(m):
            both(entry(a + m * even, b + m * j, m, W), even, j, to, m, W)


@inner
def both(x, i, j, to, m, W):
    """Put an entry of a symmetric matrix into both of its places."""
    st(W, to + m * i + j, x)
    st(W, to + m * j + i, x)


@inner
def copy(a, to, count, W):
    """Copy so many rows."""
    for i in range(count):
        st(W, to + i, ld(W, a + i))


@inner
def factorise(a, m, W):
    """L D L' of a symmetric positive matrix, in place, below its diagonal."""
    for k in range(m):
        inverse = 1.0 / ld(W, a + m * k + k)
        for i in range(k + 1, m):
            x = ld(W, a + m * i + k) * inverse
            for j in range(k + 1, i + 1):
                st(W, a + m * i + j, ld(W, a + m * i + j) - x * ld(W, a + m * j + k))
        for i in range(k + 1, m):
            st(W, a + m * i + k, ld(W, a + m * i + k) * inverse)


@inner
def solve(a, b, stride, m, W):
    """Solve with such factors, in place, for a vector whose entries are `stride` rows apart."""
    for i in range(m):
        x = ld(W, b + stride * i)
        for k in range(i):
            x = x - ld(W, a + m * i + k) * ld(W, b + stride * k)
        st(W, b + stride * i, x)
    for back in range(m):
        i = m - 1 - back
        x = ld(W, b + stride * i) / ld(W, a + m * i + i)
        for k in range(i + 1, m):
            x = x - ld(W, a + m * k + i) * ld(W, b + stride * k)
        st(W, b + stride * i, x)


@inner
def roots(factors, to, m, W):
    """Square roots of D, and behind them what is one over these."""
    for i in range(m):
        x = sqrt(ld(W, factors + m * i + i))
        st(W, to + i, x)
        st(W, to + m + i, 1.0 / x)


@inner
def symmetric(h, factors, stiffness, root, to, m, W):
    """``h^2 T^-T K T^-1`` with ``R = T'T``, ``T = sqrt(D) L'``: A in coordinates in which it is symmetric."""
    for j in range(m):  # L^-1 K, which is triangular
        for i in range(m):
            st(W, to + m * i + j, 0.0 * h)
        st(W, to + m * j + j, h * h * ld(W, stiffness + j))
        for i in range(j + 1, m):
            x = 0.0 * h
            for k in range(j, i):
                x = x - ld(W, factors + m * i + k) * ld(W, to + m * k + j)
            st(W, to + m * i + j, x)
    for i in range(m):  # times L^-T: rows, from the diagonal of K on
        for j in range(1, i + 1):
            x = ld(W, to + m * i + j)
            for k in range(j):
                x = x - ld(W, factors + m * j + k) * ld(W, to + m * i + k)
            st(W, to + m * i + j, x)
    for i in range(m):
        for j in range(i + 1):
            both(ld(W, to + m * i + j) * ld(W, root + m + i) * ld(W, root + m + j), i, j, to, m, W)


@inner
def back(f, factors, root, m, W):
    """``T^-1 f T`` in place: a function of A from that of the symmetric matrix."""
    for i in range(m):
        for j in range(m):
            st(W, f + m * i + j, ld(W, f + m * i + j) * ld(W, root + m + i) * ld(W, root + j))
    for i in range(m):
        for turn in range(m):
            j = m - 1 - turn
            x = ld(W, f + m * i + j)
            for k in range(j):
                x = x + ld(W, f + m * i + k) * ld(W, factors + m * j + k)
            st(W, f + m * i + j, x)
    for turn in range(m):
        i = m - 1 - turn
        for j in range(m):
            x = ld(W, f + m * i + j)
            for k in range(i + 1, m):
                x = x - ld(W, factors + m * k + i) * ld(W, f + m * k + j)
            st(W, f + m * i + j, x)


@inner
def wave_functions(h, factors, stiffness, to, m, W):
    """E and S of a time h, from rows `to` on one behind the other; behind them four matrices to work with.

    `factors` are those of R, `stiffness` the diagonal of K.  Series and doublings are those of a symmetric matrix: half the products.
    """
    size, far = m * m, room(m)
    even, odd, x, x2, x3, x4 = to, to + far, to + 2 * far, to + 3 * far, to + 4 * far, to + 5 * far
    roots(factors, x4, m, W)
    symmetric(h, factors, stiffness, x4, x, m, W)
    bound = 0.0 * h
    for i in range(m):
        total = fabs(ld(W, x + m * i))
        for j in range(1, m):
            total = total + fabs(ld(W, x + m * i + j))
        bound = maximum(total, bound)
    doublings, scale, most = 0.0 * h, 1.0 + 0.0 * h, 0
    for _ in range(MOST):
        longer = bound * scale > SHORT
        if not any_lane(longer):
            break
        doublings, scale = doublings + select(longer, 1.0, 0.0), scale * select(longer, 0.25, 1.0)
        most += 1
    for i in range(size):
        st(W, x + i, scale * ld(W, x + i))
    product(x, x, x2, m, W)
    product(x, x2, x3, m, W)
    for i in range(size):
        a, b, c = ld(W, x + i), ld(W, x2 + i), ld(W, x3 + i)
        st(W, even + i, a * (1.0 / 40320.0) - b * (1.0 / 3628800.0) + c * (1.0 / 479001600.0))
    product(x3, even, x4, m, W)
    for i in range(size):
        a, b, c = ld(W, x + i), ld(W, x2 + i), ld(W, x3 + i)
        st(W, even + i, ld(W, x4 + i) - c * (1.0 / 720.0) + b * (1.0 / 24.0) - a * (1.0 / 2.0))
        st(W, odd + i, a * (1.0 / 362880.0) - b * (1.0 / 39916800.0) + c * (1.0 / 6227020800.0))
    product(x3, odd, x4, m, W)
    for i in range(size):
        a, b, c = ld(W, x + i), ld(W, x2 + i), ld(W, x3 + i)
        st(W, odd + i, ld(W, x4 + i) - c * (1.0 / 5040.0) + b * (1.0 / 120.0) - a * (1.0 / 6.0))
    for i in range(m):
        st(W, odd + m * i + i, ld(W, odd + m * i + i) + 1.0)
    for k in range(most):
        product(odd, even, x, m, W)
        product(even, even, x2, m, W)
        longer = doublings > k
        for i in range(size):
            a, b = ld(W, even + i), ld(W, odd + i)
            st(W, odd + i, select(longer, b + ld(W, x + i), b))
            st(W, even + i, select(longer, 2.0 * ld(W, x2 + i) + 4.0 * a, a))
    roots(factors, x4, m, W)
    back(even, factors, x4, m, W)
    back(odd, factors, x4, m, W)


__all__ = ["copy", "factorise", "product", "room", "solve", "wave_functions"]
