"""Vibration over a step by the precise integration method: exact for forces that are linear in time, whatever its frequencies.

Of ``R a'' + K a = F`` with ``A = R^-1 K`` it needs ``C = cos(h sqrt(A))`` and ``S = sin(h sqrt(A))/(h sqrt(A))``, the blocks of the
exponential of the Hamiltonian matrix ``[[0, R^-1], [-K, 0]] h`` (Zhong and Williams 1994, Proc. Inst. Mech. Eng. C 208, 427-430).
As there the series of a short time is doubled again and again, and the difference from the identity is kept: rounding does not grow::

    E = C - I,     S(2h) = S (I + E),     E(2h) = 2 E E + 4 E

Each lane is doubled as often as its own frequencies need.
"""

from flexmbd.lanes import any_lane, fabs, maximum, select
from flexmbd.lanes.rows import ld, st
from flexmbd.lanes.vector import inner

SHORT = 0.2  # square of the phase, in rad, from which on times are doubled: the series leaves out its seventh power
MOST = 30


@inner
def product(a, b, to, m, W):
    """Product of two matrices of rows from a and b on, into those from `to` on."""
    for i in range(m):
        for j in range(m):
            x = ld(W, a + m * i) * ld(W, b + j)
            for k in range(1, m):
                x = x + ld(W, a + m * i + k) * ld(W, b + m * k + j)
            st(W, to + m * i + j, x)


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
def wave_functions(h, factors, stiffness, to, m, W):
    """E and S of a time h, from rows `to` on one behind the other; behind them four matrices to work with.

    `factors` are those of R, `stiffness` the diagonal of K.
    """
    size = m * m
    even, odd, x, x2, x3, x4 = to, to + size, to + 2 * size, to + 3 * size, to + 4 * size, to + 5 * size
    for j in range(m):
        for i in range(m):
            st(W, x + m * i + j, 0.0 * h)
        st(W, x + m * j + j, h * h * ld(W, stiffness + j))
        solve(factors, x + j, m, m, W)
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
        st(W, even + i, a / 40320.0 - b / 3628800.0 + c / 479001600.0)
    product(x3, even, x4, m, W)
    for i in range(size):
        a, b, c = ld(W, x + i), ld(W, x2 + i), ld(W, x3 + i)
        st(W, even + i, ld(W, x4 + i) - c / 720.0 + b / 24.0 - a / 2.0)
        st(W, odd + i, a / 362880.0 - b / 39916800.0 + c / 6227020800.0)
    product(x3, odd, x4, m, W)
    for i in range(size):
        a, b, c = ld(W, x + i), ld(W, x2 + i), ld(W, x3 + i)
        st(W, odd + i, ld(W, x4 + i) - c / 5040.0 + b / 120.0 - a / 6.0)
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


__all__ = ["copy", "factorise", "product", "solve", "wave_functions"]
