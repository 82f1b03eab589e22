"""What happens between the ends of a step: whether a function of the motion is above zero there, although at both ends it is not.

A function D that is concave lies below its tangents: where those at both ends meet below zero, D stays below (`meet`).  Distances of bodies
that pass each other are of that kind as far as they move straight; what a turn by `TURN` (`longest`) changes of it is less than `MORE` of
the rise.  A function that rises and falls twice shows by the slope of the cubic through both ends in the middle (`wiggles`).  Only where
these do not decide, D itself is looked at (`highest`), at the places that the step's interpolation has inside.
"""

from flexmbd.lanes import any_lane, fabs, lnot, maximum, minimum, select, sqrt
from flexmbd.lanes.rows import call, evaluate, ld, st
from flexmbd.lanes.vector import inner
from flexmbd.stepping.names import (
    BETWEEN, END, FRACTION, INSIDE, LAST, LEAP, MIDDLE, MIDWAY, PACE, PENETRATIONS, PROPOSE, SLOTS, MECHANISM_SIZE, START, STRIDE, H, M, N,
    T,
)  # fmt: skip

TURN, TRAVEL = 0.5, 0.1  # rad, by the size of the mechanism and the way so far: the most that something moves in a step
SOON = 0.1  # of the time in which accelerations move something by the mechanism's size
MORE, TRIES = 1.05, 16


@inner
def longest(spin, speed, t, X):
    """Longest step by the motion: what turns at the rate `spin` and moves at `speed`."""
    way, fast = ld(X, MECHANISM_SIZE) + speed * t, maximum(spin, ld(X, PACE))
    longest_so = way / maximum(maximum((1.0 / TURN) * fast * way, (1.0 / TRAVEL) * speed), 1e-300)
    return minimum(longest_so, ld(X, LEAP) / maximum(speed, 1e-300))


@inner
def summit(h, d0, s0, d1, s1):
    """Where and how high the cubic is at its largest inside the step (for s0 > 0 > s1)."""
    a = h * s0
    b = 3.0 * (d1 - d0) - h * (2.0 * s0 + s1)
    c = h * (s0 + s1) - 2.0 * (d1 - d0)
    root = sqrt(maximum(b * b - 3.0 * a * c, 0.0)) - b
    x = a / select(fabs(root) > 1e-300, root, 1e-300)
    return x, d0 + x * (a + x * (b + x * c))


@inner
def reaches(h, d0, s0, d1, s1):
    """Whether D can get above zero by its rates at all: what `meet` and `wiggles` say is a part of this, which costs less."""
    return maximum(d0, d1) + 1.5 * fabs(d1 - d0) + MORE * h * (fabs(s0) + fabs(s1)) > 0.0


@inner
def meet(h, d0, s0, d1, s1):
    """Whether the tangents at both ends of h, one rising and the other falling, meet above zero."""
    return (s0 > 0.0) & (s1 < 0.0) & (d0 * (s0 - s1) + MORE * s0 * (d1 - d0 - s1 * h) > 0.0)


@inner
def wiggles(h, d0, s0, d1, s1):
    """Whether the cubic through both ends rises and falls more than these say, by enough to be above zero."""
    slope = 1.5 * (d1 - d0) - 0.25 * h * (s0 + s1)
    turns = ((s0 > 0.0) & (s1 >= 0.0) & (slope < 0.0)) | ((s0 <= 0.0) & (s1 < 0.0) & (slope > 0.0))
    return turns & (maximum(d0, d1) + fabs(slope) + 0.5 * h * (fabs(s0) + fabs(s1)) > 0.0)


@inner
def inside(x, X, P, W, at):
    """Put the point at a fraction x of the step into `INSIDE`: the quintic through both ends; of velocities that jump, two lines."""
    n, first, last, h = at[N], at[SLOTS], at[SLOTS] + at[LAST] * at[STRIDE], ld(X, H)
    q0, q1, to, y = START + 1, at[END] + 1, at[INSIDE] + 1, 1.0 - x
    st(X, at[INSIDE], ld(X, T) + x * h)
    if at[PROPOSE] > 0:
        st(X, FRACTION, x)
        call(at[BETWEEN], X, P, W, at)
        for i in range(1 + 2 * n + at[M]):
            st(X, at[INSIDE] + i, ld(X, at[MIDDLE] + i))
        return
    for i in range(n):
        p0, p1, v0, v1 = ld(X, q0 + i), ld(X, q1 + i), ld(X, q0 + n + i), ld(X, q1 + n + i)
        if at[MIDWAY] > 0:
            early = x < 0.5
            st(X, to + i, select(early, p0 + x * h * v0, p1 - y * h * v1))
            st(X, to + n + i, select(early, v0, v1))
        else:
            d0, d1, dq = h * v0, h * v1, p1 - p0
            a0, a1 = h * h * ld(X, first + i), h * h * ld(X, last + i)
            c3 = 10.0 * dq - 6.0 * d0 - 4.0 * d1 - 1.5 * a0 + 0.5 * a1
            c4 = 8.0 * d0 + 7.0 * d1 - 15.0 * dq + 1.5 * a0 - a1
            c5 = 6.0 * dq - 3.0 * (d0 + d1) - 0.5 * (a0 - a1)
            st(X, to + i, p0 + x * (d0 + x * (0.5 * a0 + x * (c3 + x * (c4 + x * c5)))))
            st(X, to + n + i, (d0 + x * (a0 + x * (3.0 * c3 + x * (4.0 * c4 + x * 5.0 * c5)))) / select(h > 0.0, h, 1.0))
    for k in range(2 * n, 2 * n + at[M]):
        st(X, to + k, y * ld(X, q0 + k) + x * ld(X, q1 + k))


@inner
def highest(who, row, sign, level, d0, s0, d1, s1, X, P, W, at):
    """Look inside the step of the lanes `who` for a place at which D, `sign` times a penetration, is above `level`.

    Parameters
    ----------
    who : mask
        Those in which D may be above zero (`meet`, `wiggles`).
    row : int
        Where the function `PENETRATIONS` has it in W, its rate next to it.
    d0, s0, d1, s1 : lane values
        D and its rate at both ends.

    Returns
    -------
    mask
        Lanes in which there is such a place.
    lane values
        Of a place before it: the fraction of the step, D, and its rate; then of the place.
    """
    h, zero = ld(X, H), 0.0 * d0
    found, seeking, twice = who & lnot(who), who, lnot(meet(h, d0, s0, d1, s1))
    xl, dl, sl, xr, dr, sr = zero, d0, s0, 1.0 + zero, d1, s1
    for _ in range(TRIES):
        span = (xr - xl) * h
        seeking = seeking & (twice | meet(span, dl, sl, dr, sr))
        if not any_lane(seeking):
            break
        top, _ = summit(span, dl, sl, dr, sr)
        x = xl + (xr - xl) * select(twice, 0.5 + zero, maximum(minimum(top, 0.95), 0.05))
        inside(x, X, P, W, at)
        evaluate(at[PENETRATIONS], X, P, W, at, at[INSIDE], 0)
        d, s = sign * ld(W, row), sign * ld(W, row + 1)
        above = seeking & (d > level)
        found, seeking = found | above, seeking & lnot(above)
        left = seeking & (((s > 0.0) & lnot(twice)) | (twice & (sr < 0.0) & (s > 0.0)))
        right = (seeking & lnot(left)) | above
        xl, dl, sl = select(left, x, xl), select(left, d, dl), select(left, s, sl)
        xr, dr, sr = select(right, x, xr), select(right, d, dr), select(right, s, sr)
        twice = twice & lnot(twice)
    return found, xl, dl, sl, xr, dr, sr
