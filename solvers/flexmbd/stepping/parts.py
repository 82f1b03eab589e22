"""Long steps of schemes of a high order in parts: extremes and integrals of signals are those of parabolas.

In a step of half a radian a parabola misses an extreme by 1e-3, in eighths of it by 2e-6.  Inside the step the state is the scheme's own
polynomial where that needs no further stages, else the quintic through both ends, which is off by 3e-7 there.
"""

from flexmbd.lanes import select
from flexmbd.lanes.rows import call, evaluate, ld, st
from flexmbd.lanes.vector import inner
from flexmbd.stepping.names import (
    BETWEEN, END, FRACTION, FURTHER, LAST, MIDDLE, NSECTIONS, NW, OF_PARTS, OUTPUTS, PART, PARTS, RATES, SECTIONED, SLOTS, START, STRIDE,
    WHO, WINDOWED, Y1, YM, H, M, N, T,
)  # fmt: skip
from flexmbd.stepping.recording import reduce_step


@inner
def quintic(x, h, X, at):
    """Put the state at a fraction x of the step into the middle point; further states by cubics."""
    n, first, last, q0, q1, to = at[N], at[SLOTS], at[SLOTS] + at[LAST] * at[STRIDE], START + 1, at[END] + 1, at[MIDDLE] + 1
    y = 1.0 - x
    st(X, at[MIDDLE], ld(X, T) + x * h)
    for i in range(n):
        p0, v0, v1 = ld(X, q0 + i), ld(X, q0 + n + i), ld(X, q1 + n + i)
        d0, d1, a0, a1, dq = h * v0, h * v1, h * h * ld(X, first + i), h * h * ld(X, last + i), ld(X, q1 + i) - p0
        c3 = 10.0 * dq - 6.0 * d0 - 4.0 * d1 - 1.5 * a0 + 0.5 * a1
        c4 = 8.0 * d0 + 7.0 * d1 - 15.0 * dq + 1.5 * a0 - a1
        c5 = 6.0 * dq - 3.0 * (d0 + d1) - 0.5 * (a0 - a1)
        st(X, to + i, p0 + x * (d0 + x * (0.5 * a0 + x * (c3 + x * (c4 + x * c5)))))
        st(X, to + n + i, (d0 + x * (a0 + x * (3.0 * c3 + x * (4.0 * c4 + x * 5.0 * c5)))) / select(h > 0.0, h, 1.0))
    for k in range(at[M]):
        i = 2 * n + k
        d0, d1 = h * ld(X, first + at[RATES] + k), h * ld(X, last + at[RATES] + k)
        ends = y * y * (1.0 + 2.0 * x) * ld(X, q0 + i) + x * x * (3.0 - 2.0 * x) * ld(X, q1 + i)
        st(X, to + i, ends + x * y * (y * d0 - x * d1))


@inner
def within(x, h, X, P, W, at):
    """Put the state at a fraction x of the step into the middle point."""
    if at[BETWEEN] > 0 and at[FURTHER] == 0:
        st(X, FRACTION, x)
        call(at[BETWEEN], X, P, W, at)
    else:
        quintic(x, h, X, at)


@inner
def reduce_parts(t, h, t1, accepted, X, P, W, at):
    """Add the step to the running sums, part after part."""
    parts, row = at[PARTS], at[MIDDLE]
    share = h / (1.0 * parts)
    for k in range(parts):
        begin = t + k * share
        within((k + 0.5) / parts, h, X, P, W, at)
        evaluate(at[OUTPUTS], X, P, W, at, at[MIDDLE], at[YM])
        row = at[MIDDLE]
        if k == parts - 1:
            row = at[END]
            st(X, row, t1)
        else:
            within((k + 1.0) / parts, h, X, P, W, at)
        evaluate(at[OUTPUTS], X, P, W, at, row, at[Y1])
        if at[NW] > 0:
            st(X, T, begin)
            st(X, H, share)
            st(X, WHO, select(accepted, 1.0, 0.0))
            call(at[WINDOWED], X, P, W, at)
            st(X, T, t)
            st(X, H, h)
        reduce_step(begin, share, accepted, X, at)
        if at[NSECTIONS] > 0:
            at[PART], at[OF_PARTS] = k, parts
            st(X, WHO, select(accepted, 1.0, 0.0))
            call(at[SECTIONED], X, P, W, at)


__all__ = ["reduce_parts"]
