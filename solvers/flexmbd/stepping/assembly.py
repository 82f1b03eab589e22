"""Initial conditions in lanes: positions by constrained Newton from a guess, then consistent velocities and accelerations."""

from flexmbd.lanes import any_lane, fabs, lnot, maximum, select, sqrt
from flexmbd.lanes.rows import call, doubles, evaluate, get, ld, st, width_of, words
from flexmbd.lanes.vector import inner
from flexmbd.registry import ARMED, CONTACT_ROWS
from flexmbd.stepping.events import assign, settle
from flexmbd.stepping.names import (
    ANGULAR, ASSIGN, ASSIGNED, ASSEMBLE_PROJECT, ASSEMBLE_RESIDUAL, BEFORE, BEGIN, CONTACTS, COUNT, END, GAPS, H_FIRST, HN, ITERATIONS,
    KINK, LANE_ROWS, LARGEST, LAST, LIMITS, LOOK, NC, NR, OUTPUTS, REACH, REAL, RESIDUALS, RHS, SANG, SIZE, SLIN, SLOTS, SPAN,
    START, STRIDE, SUM_ROWS, SUMS, WINDOW, Y0, M, N, T,
)  # fmt: skip
from flexmbd.stepping.samples import load, store


@inner
def load_from(start, X, P, at):
    """Samples from `start` on; the last lanes of the last ones are the last sample."""
    for k in range(width_of(X)):
        load(min(start + k, at[COUNT] - 1), k, X, P, at)


@inner
def store_from(start, X, at):
    """The states of these samples."""
    for k in range(width_of(X)):
        store(min(start + k, at[COUNT] - 1), k, X, at)


def assemble(X, P, W, at):
    """Mass-orthogonal Newton on positions, then projection of velocities, for all samples.

    `RESIDUALS` receives the largest residual of positions (lengths, angles) and of velocities (lengths, angles) of each.
    """
    n, residuals, angular = at[N], doubles(at[RESIDUALS]), words(at[ANGULAR])
    q, v = START + 1, START + 1 + n
    for start in range(0, at[COUNT], width_of(X)):
        load_from(start, X, P, at)
        t = 0.0 * ld(X, T)
        moving = t < 1.0
        for _ in range(int(doubles(at[REAL])[ITERATIONS])):
            evaluate(at[ASSEMBLE_PROJECT], X, P, W, at, START, 0)
            turn, largest = 0.0 * t, 0.0 * t
            for i in range(n):
                x = fabs(ld(W, i))
                largest = maximum(x / (1.0 + fabs(ld(X, q + i))), largest)
                if angular[i] > 0:
                    turn = maximum(x, turn)
            scale = select(turn > 0.4, 0.4 / maximum(turn, 0.4), 1.0)
            for i in range(n):
                st(X, q + i, ld(X, q + i) + select(moving, scale * ld(W, i), 0.0))
            moving = moving & (largest > 1e-14)
            if not any_lane(moving):
                break
        for _ in range(2):
            evaluate(at[ASSEMBLE_PROJECT], X, P, W, at, START, 0)
            for i in range(n):
                st(X, v + i, ld(X, v + i) + ld(W, n + i))
        evaluate(at[ASSEMBLE_RESIDUAL], X, P, W, at, START, 0)
        store_from(start, X, at)
        for k in range(width_of(X)):
            for i in range(4):
                residuals[4 * min(start + k, at[COUNT] - 1) + i] = get(W, i, k)


@inner
def inside(j, X, at):
    """Lanes in which contact j begins deeper than its onset is located, and not by an approach of now: nobody knows how it came there."""
    c, gap = at[CONTACTS] + CONTACT_ROWS * j, at[SLOTS] + at[GAPS] + 2 * j
    return (ld(X, gap) > ld(X, at[CONTACTS] + CONTACT_ROWS * at[NC] + j)) & (ld(X, gap + 1) <= ld(X, c + 5))


@inner
def begin_inside(X, P, W, at):
    """Impact velocity of contacts that begin inside: what the acceleration at rest there makes of the way out, and at least the least one.

    Rates are linear in the velocities: those of velocities that are an acceleration larger differ by the rate's acceleration.
    """
    n, end, last, gaps = at[N], at[END] + 1, at[SLOTS] + at[LAST] * at[STRIDE], at[SLOTS] + at[GAPS]
    some = ld(X, T) < ld(X, T)
    for j in range(at[NC]):
        some = some | inside(j, X, at)
    if not any_lane(some):
        return
    st(X, at[END], ld(X, T))
    for i in range(2 * n + at[M]):
        st(X, end + i, ld(X, START + 1 + i))
    for i in range(n):
        st(X, end + n + i, ld(X, START + 1 + n + i) + ld(X, at[SLOTS] + i))
    evaluate(at[RHS], X, P, W, at, at[END], last)
    for j in range(at[NC]):
        c, depth, rate = at[CONTACTS] + CONTACT_ROWS * j, ld(X, gaps + 2 * j), ld(X, gaps + 2 * j + 1)
        way_out = sqrt(2.0 * fabs(ld(X, last + at[GAPS] + 2 * j + 1) - rate) * maximum(depth, 0.0))
        st(X, c + 1, select(inside(j, X, at), maximum(way_out, ld(X, c + 5)), ld(X, c + 1)))
    call(at[BEGIN], X, P, W, at)


def prepare(X, P, W, at):
    """Accelerations, contact modes, error scales and signal values at the start, for all samples.

    The states have positions, velocities and further states; in `SLIN` and `SIZE` the size of the mechanism and its places' distance from
    the origin (m), of all contacts the penetration within which events are located (m) and the least impact velocity (m/s). Scales of
    errors are what velocities are, and what accelerations make of them within the time `REACH`.
    """
    real, angular, kinks = doubles(at[REAL]), words(at[ANGULAR]), words(at[KINK])
    for start in range(0, at[COUNT], width_of(X)):
        load_from(start, X, P, at)
        t, length, size = 0.0 * ld(X, T), ld(X, SLIN), ld(X, SIZE)
        for i in range(LANE_ROWS + 1):
            st(X, i, t)
        gaps = at[SLOTS] + at[GAPS]
        evaluate(at[LIMITS], X, P, W, at, START, 0)
        speed = t + 1e-9 * length
        for i in range(at[N]):
            if angular[i] == 0:
                speed = maximum(speed, fabs(ld(X, START + 1 + at[N] + i)))
        st(X, SPAN, length)
        st(X, SIZE, size)
        st(X, SLIN, speed)
        call(at[BEGIN], X, P, W, at)
        for j in range(at[NC]):
            c = at[CONTACTS] + CONTACT_ROWS * j
            touching = ld(X, gaps + 2 * j) > 0.0
            st(X, c, select(touching, 1.0, t + (ARMED if kinks[j] > 0 else 0.0)))
            st(X, c + 1, select(touching & lnot(inside(j, X, at)), maximum(ld(X, gaps + 2 * j + 1), ld(X, c + 5)), t))
            st(X, c + 4, select(touching, 1.0, t))
        if at[ASSIGNED] > 0:
            evaluate(at[ASSIGN], X, P, W, at, START, 0)
            for j in range(at[NC]):
                assign(j, ld(X, gaps + 2 * j) >= 0.0, X, W, at)
        if at[NC] > 0:
            call(at[BEGIN], X, P, W, at)
            begin_inside(X, P, W, at)
        for j in range(at[NC]):
            c = at[CONTACTS] + CONTACT_ROWS * j
            st(X, c + 2, ld(X, gaps + 2 * j))
            st(X, c + 3, ld(X, gaps + 2 * j + 1))
        if at[ASSIGNED] > 0:
            settle(t < 1.0, t, X, at)
        lin, ang = t + 1e-9 * length, t + 1e-9
        for i in range(at[N]):
            x = fabs(ld(X, START + 1 + at[N] + i)) + real[REACH] * fabs(ld(X, at[SLOTS] + i))
            if angular[i] > 0:
                ang = maximum(ang, x)
            else:
                lin = maximum(lin, x)
        ang = maximum(ang, 1e-3 * lin / length)
        lin = maximum(lin, 1e-3 * ang * length)
        for k in range(at[M]):
            st(X, at[LARGEST] + k, fabs(ld(X, START + 1 + 2 * at[N] + k)))
        st(X, HN, t + real[H_FIRST])
        st(X, BEFORE, t + 1.0)
        st(X, SLIN, lin)
        st(X, LOOK, t + WINDOW)
        st(X, SANG, ang)
        if at[NR] > 0:
            evaluate(at[OUTPUTS], X, P, W, at, START, at[Y0])
        for k in range(at[NR]):
            r, y = at[SUMS] + SUM_ROWS * k, ld(X, at[Y0] + k)
            for i in range(SUM_ROWS):
                st(X, r + i, t)
            st(X, r, y)
            st(X, r + 2, y)
        store_from(start, X, at)


ENTRIES = (assemble, prepare)
