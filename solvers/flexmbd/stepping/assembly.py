"""Initial conditions in lanes: positions by constrained Newton from a guess, then consistent velocities and accelerations."""

from flexmbd.lanes import any_lane, fabs, lnot, maximum, minimum, select, sqrt
from flexmbd.lanes.rows import call, doubles, evaluate, get, ld, put, st, width_of, words
from flexmbd.lanes.vector import inner, part
from flexmbd.registry import ARMED, CONTACT_ROWS, DEPTH, DEPTH_RATE, IMPACTS, LEAST_SPEED, MODE, ONSET_SPEED
from flexmbd.stepping.events import assign, rearm_events
from flexmbd.stepping.known import ROUND, first_after
from flexmbd.stepping.names import (
    ANGULAR, ASSIGN, ASSIGNED, ASSEMBLE_PROJECT, ASSEMBLE_RESIDUAL, BALANCE, BEFORE, BEGIN, BOOKED, CONTACTS, COUNT, END, GAPS, H_FIRST,
    H_MAX, NOMINAL_STEP, ITERATIONS, KINK, LANE_ROWS, LARGEST, LARGEST_ENERGY, LAST, LEAP, LIMITS, NEXT_CHECK, NC, NEAR_AT_START, NEARNESS,
    NEXT, NR, NW, OUTPUTS, PACE, REACH, REAL, RESIDUALS, RESTART, RHS, ANGULAR_SCALE, LARGEST_DISTANCE, VELOCITY_SCALE, SLOTS,
    LEAST, MECHANISM_SIZE, MOST, START, STRIDE, SUM_ROWS, SUMS, TIMED, WHEN_LEAST, WHEN_MOST, WATCHED, CHECK_INTERVAL, Y0, M, N, T,
)  # fmt: skip
from flexmbd.stepping.samples import load, store
from flexmbd.stepping.windows import opened
from flexmbd.stepping.within import SOON


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


@inner
def keep_residuals(start, X, P, W, at):
    """Largest residuals of these samples' rows: positions (lengths, angles), velocities (lengths, angles)."""
    residuals = doubles(at[RESIDUALS])
    evaluate(at[ASSEMBLE_RESIDUAL], X, P, W, at, START, 0)
    for k in range(width_of(X)):
        for i in range(4):
            residuals[4 * min(start + k, at[COUNT] - 1) + i] = get(W, i, k)


def assemble(X, P, W, at):
    """Mass-orthogonal Newton on positions, then projection of velocities, for all samples.

    `RESIDUALS` receives the largest residual of positions (lengths, angles) and of velocities (lengths, angles) of each.
    """
    n, angular = at[N], words(at[ANGULAR])
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
        keep_residuals(start, X, P, W, at)
        store_from(start, X, at)


@inner
def inside(j, X, at):
    """Lanes in which contact j begins deeper than its onset is located, and not by an approach of now: nobody knows how it came there."""
    c, gap = at[CONTACTS] + CONTACT_ROWS * j, at[SLOTS] + at[GAPS] + 2 * j
    deep = ld(X, gap) > ld(X, at[CONTACTS] + CONTACT_ROWS * at[NC] + j)
    return deep & (ld(X, gap + 1) <= ld(X, c + LEAST_SPEED)) & (ld(X, c + ONSET_SPEED) <= 0.0)


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
        st(X, c + ONSET_SPEED, select(inside(j, X, at), maximum(way_out, ld(X, c + LEAST_SPEED)), ld(X, c + ONSET_SPEED)))
    call(at[BEGIN], X, P, W, at)


@part
def touch(t, X, P, W, at):
    """Modes of contacts at the start, and their rows; what conditions that hold there assign."""
    gaps, kinks, timed = at[SLOTS] + at[GAPS], words(at[KINK]), words(at[TIMED])
    for j in range(at[NC]):
        c = at[CONTACTS] + CONTACT_ROWS * j
        touching = (ld(X, gaps + 2 * j) > 0.0) & (t + float(timed[j]) < 0.5)
        st(X, c + MODE, select(touching, 1.0, t + (ARMED if kinks[j] > 0 else 0.0)))
        st(X, c + ONSET_SPEED, select(touching & lnot(inside(j, X, at)), maximum(ld(X, gaps + 2 * j + 1), ld(X, c + LEAST_SPEED)), t))
        st(X, c + IMPACTS, select(touching, 1.0, t))
    if at[ASSIGNED] > 0:
        evaluate(at[ASSIGN], X, P, W, at, START, 0)
        for j in range(at[NC]):
            assign(j, ld(X, gaps + 2 * j) >= 0.0, X, W, at)
    if at[NC] > 0:
        call(at[BEGIN], X, P, W, at)
        begin_inside(X, P, W, at)
    for j in range(at[NC]):
        c = at[CONTACTS] + CONTACT_ROWS * j
        st(X, c + DEPTH, ld(X, gaps + 2 * j))
        st(X, c + DEPTH_RATE, ld(X, gaps + 2 * j + 1))
        st(X, at[CONTACTS] + (CONTACT_ROWS + 1) * at[NC] + j, ld(X, gaps + 2 * j))
    if at[ASSIGNED] > 0:
        rearm_events(t < 1.0, t, X, at)


@part
def scale(t, length, given, X, at):
    """The first step (`NOMINAL_STEP`), and the scales of errors of velocities (`VELOCITY_SCALE`, `ANGULAR_SCALE`)."""
    real, angular = doubles(at[REAL]), words(at[ANGULAR])
    lin, ang, push, twist = t + 1e-9 * length, t + 1e-9, t, t
    for i in range(at[N]):
        x, a = fabs(ld(X, START + 1 + at[N] + i)), fabs(ld(X, at[SLOTS] + i))
        if angular[i] > 0:
            ang, twist = maximum(ang, x), maximum(twist, a)
        else:
            lin, push = maximum(lin, x), maximum(push, a)
    rate = maximum(maximum(lin / length, sqrt(push / length)), maximum(maximum(ang, sqrt(twist)), given))
    first = t + real[H_FIRST]
    if not real[H_FIRST] > 0.0:
        first = minimum(minimum(real[REACH] * minimum(1.0 / rate, ld(X, NEXT)), ld(X, LEAP) / lin), real[H_MAX])
    if at[RESTART] > 0:
        lin, ang = lin + SOON * sqrt(push * length), ang + SOON * sqrt(twist)
    else:
        lin, ang = lin + first * push, ang + first * twist
    ang = maximum(ang, 1e-3 * lin / length)
    lin = maximum(lin, 1e-3 * ang * length)
    st(X, NOMINAL_STEP, first)
    st(X, VELOCITY_SCALE, lin)
    st(X, ANGULAR_SCALE, ang)


@inner
def count(t, X, at):
    """Reductions and windows begin at time t, where signals are those of `Y0`."""
    for k in range(at[NR]):
        r, y = at[SUMS] + SUM_ROWS * k, ld(X, at[Y0] + k)
        for i in range(SUM_ROWS):
            st(X, r + i, 0.0 * t)
        st(X, r + MOST, y)
        st(X, r + WHEN_MOST, t)
        st(X, r + LEAST, y)
        st(X, r + WHEN_LEAST, t)
    if at[NW] > 0:
        opened(t, X, at)


def prepare(X, P, W, at):
    """Accelerations, contact modes, error scales and signal values at the start, for all samples.

    The states have positions, velocities and further states; in `VELOCITY_SCALE` and `SIZE` the size of the mechanism and its places'
    distance from the origin (m), in `PACE` the fastest rate of given functions of time (1/s), in `LEAP` the longest way in a step (m), of
    all contacts the penetration within which events are located (m) and the least impact velocity (m/s). The first step is `REACH` of the
    time in which something moves by the mechanism's size or turns by 1 rad (`H_FIRST` if that is above zero). Scales of errors are what
    velocities are, and what accelerations make of them in that step; of implicit schemes, which from rest would have to resolve their
    fastest motions first, in `SOON` of that time.
    """
    angular = words(at[ANGULAR])
    for start in range(0, at[COUNT], width_of(X)):
        load_from(start, X, P, at)
        t, length, size, given, leap = 0.0 * ld(X, T), ld(X, VELOCITY_SCALE), ld(X, LARGEST_DISTANCE), ld(X, PACE), ld(X, LEAP)
        for i in range(LANE_ROWS + 1):
            st(X, i, t)
        st(X, PACE, given)
        st(X, LEAP, leap)
        for k in range(width_of(X)):
            put(X, NEXT, k, first_after(min(start + k, at[COUNT] - 1), 0.0, at) * (1.0 - ROUND))
        evaluate(at[LIMITS], X, P, W, at, START, 0)
        speed = t + 1e-9 * length
        for i in range(at[N]):
            if angular[i] == 0:
                speed = maximum(speed, fabs(ld(X, START + 1 + at[N] + i)))
        st(X, MECHANISM_SIZE, length)
        st(X, LARGEST_DISTANCE, size)
        st(X, VELOCITY_SCALE, speed)
        call(at[BEGIN], X, P, W, at)
        touch(t, X, P, W, at)
        if at[WATCHED] > 0:
            st(X, NEAR_AT_START, ld(X, NEARNESS))
        evaluate(at[BALANCE], X, P, W, at, START, 0)
        st(X, BOOKED, ld(W, 0))
        st(X, LARGEST_ENERGY, ld(W, 5))
        scale(t, length, given, X, at)
        for k in range(at[M]):
            st(X, at[LARGEST] + k, fabs(ld(X, START + 1 + 2 * at[N] + k)))
        st(X, BEFORE, t + 1.0)
        st(X, NEXT_CHECK, t + CHECK_INTERVAL)
        if at[NR] > 0:
            evaluate(at[OUTPUTS], X, P, W, at, START, at[Y0])
        count(t, X, at)
        store_from(start, X, at)
