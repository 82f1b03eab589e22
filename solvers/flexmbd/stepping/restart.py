"""Where a step begins afresh: behind a known time, after an event, and where rows are closed."""

from flexmbd.lanes import any_lane, fabs, lnot, maximum, minimum, select, sqrt
from flexmbd.lanes.rows import call, evaluate, get, ld, st, width_of, words
from flexmbd.lanes.vector import inner, part
from flexmbd.registry import CONTACT_ROWS, DEPTH, DEPTH_RATE, MODE
from flexmbd.stepping.events import assign, passed
from flexmbd.stepping.known import go_past
from flexmbd.stepping.names import (
    ANGULAR, ASSIGN, AUGMENTED, BALANCE, BEFORE, CLOCKS, CLOSES, CONTACTS, EVENTS, FIXED, FORGET, GAPS, NOMINAL_STEP, LAST, NC, NR, OWNER,
    PENETRATIONS, PROJECT, RATES, RESIDUAL, RESTART, RESUME, RHS, ANGULAR_SCALE, VELOCITY_SCALE, SLOTS, MECHANISM_SIZE, START, STRIDE,
    TIMED, WATCHED, WHO, WORK, H, M, N, T,
)  # fmt: skip
from flexmbd.stepping.recording import turn
from flexmbd.stepping.watch import tear, to_close, very_near
from flexmbd.stepping.within import SOON


@inner
def refresh(who, X, P, W, at):
    """Evaluate accelerations, rates and penetrations anew at the step's start for the lanes in `who`."""
    n, first, last = at[N], at[SLOTS], at[SLOTS] + at[LAST] * at[STRIDE]
    evaluate(at[RHS], X, P, W, at, START, last)
    for i in range(n):
        st(X, first + i, select(who, ld(X, last + i), ld(X, first + i)))
    for k in range(at[RATES], at[RATES] + at[M]):
        st(X, first + k, select(who, ld(X, last + k), ld(X, first + k)))
    for j in range(at[NC]):
        c, g = at[CONTACTS] + CONTACT_ROWS * j, last + at[GAPS] + 2 * j
        st(X, c + DEPTH, select(who, ld(X, g), ld(X, c + DEPTH)))
        st(X, c + DEPTH_RATE, select(who, ld(X, g + 1), ld(X, c + DEPTH_RATE)))
    st(X, WHO, select(who, 1.0, 0.0))
    call(at[FORGET], X, P, W, at)


@inner
def drift(candidates, tolerance, X, P, W, at):
    """Project positions and velocities of lanes whose constraint residual has outgrown the tolerance; rare."""
    evaluate(at[RESIDUAL], X, P, W, at, START, 0)
    lin, ang, hn = tolerance * ld(X, VELOCITY_SCALE), tolerance * ld(X, ANGULAR_SCALE), ld(X, NOMINAL_STEP)
    place = (ld(W, 0) > lin * hn) | (ld(W, 1) > ang * hn)
    tear(X, W, at)
    who = candidates & (place | (ld(W, 2) > lin) | (ld(W, 3) > ang))
    if any_lane(who):
        evaluate(at[PROJECT], X, P, W, at, START, 0)
        for i in range(2 * at[N]):
            st(X, START + 1 + i, ld(X, START + 1 + i) + select(who, ld(W, i), 0.0))
        refresh(who, X, P, W, at)
        if at[NC] > 0:
            turned = passed(who, X, P, W, at)
            if any_lane(turned):
                refresh(turned, X, P, W, at)
                if at[NR] > 0:
                    turn(turned, ld(X, T), X, P, W, at)


@part
def close(quiet, X, P, W, at):
    """Close rows of the lanes in `quiet` that have drifted open, of schemes that leave this to the loop."""
    usual = at[CLOSES] == 1 and (at[AUGMENTED] > 0 or at[FIXED] == 0)
    if usual or (at[CLOSES] > 0 and at[WATCHED] > 0):
        who, share = to_close(quiet, usual, X, at)
        for _ in range(2):
            drift(who, share, X, P, W, at)
            if at[WATCHED] == 0:
                break
            who = who & very_near(X)  # velocities were closed at the places before
            if not any_lane(who):
                break


@inner
def cross(come, end, X, P, W, at):
    """Go past a known time in the lanes `come`: clocks tick, velocities follow drives, and the next step begins afresh behind it."""
    owner, timed = words(at[OWNER]), words(at[TIMED])
    st(X, WHO, select(come, 1.0, 0.0))
    for lane in range(width_of(X)):
        if get(X, WHO, lane) > 0.5:
            go_past(owner[lane], lane, X, at)
    if at[CLOSES] > 0 or at[RESTART] > 0:
        follow(come, X, P, W, at)
    if at[CLOCKS] > 0:
        ticked = come & lnot(come)
        evaluate(at[PENETRATIONS], X, P, W, at, START, 0)
        for j in range(at[NC]):
            if timed[j] > 0:
                st(X, at[CONTACTS] + CONTACT_ROWS * j + MODE, select(come & (ld(W, 2 * j) > 0.0), 1.0, 0.0))
        evaluate(at[ASSIGN], X, P, W, at, START, 0)
        for j in range(at[NC]):
            if timed[j] > 0:
                now = ld(X, at[CONTACTS] + CONTACT_ROWS * j + MODE) > 0.5
                assign(j, now, X, W, at)
                ticked = ticked | now
                st(X, at[CONTACTS] + CONTACT_ROWS * j + MODE, 0.0)
        st(X, EVENTS, ld(X, EVENTS) + select(ticked, 1.0, 0.0))
    if at[RESUME] > 0:
        call(at[RESUME], X, P, W, at)
    refresh(come, X, P, W, at)
    pace(come, X, at)
    st(X, BEFORE, select(come, 1.0, ld(X, BEFORE)))
    if at[NR] > 0:
        turn(come, ld(X, T), X, P, W, at)
    st(X, T, minimum(ld(X, T), end))


@inner
def follow(come, X, P, W, at):
    """Velocities that fit the drives as they are now in the lanes `come`; the energy that this takes or gives is the work of drives."""
    n, work = at[N], at[WORK]
    before = 0.0 * ld(X, H)
    if work >= 0:
        evaluate(at[BALANCE], X, P, W, at, START, 0)
        before = ld(W, 0)
    evaluate(at[PROJECT], X, P, W, at, START, 0)
    for i in range(n):
        st(X, START + 1 + n + i, ld(X, START + 1 + n + i) + select(come, ld(W, n + i), 0.0))
    if work >= 0:
        evaluate(at[BALANCE], X, P, W, at, START, 0)
        row = START + 1 + 2 * n + work
        st(X, row, ld(X, row) + select(come, ld(W, 0) - before, 0.0))


@inner
def pace(come, X, at):
    """Where all was at rest, steps fit the accelerations that the lanes `come` have now; and of implicit schemes the scales of errors."""
    n, angular, length = at[N], words(at[ANGULAR]), ld(X, MECHANISM_SIZE)
    push, twist = 0.0 * length, 0.0 * length
    for i in range(n):
        a = fabs(ld(X, at[SLOTS] + i))
        if angular[i] > 0:
            twist = maximum(twist, a)
        else:
            push = maximum(push, a)
    rate = maximum(sqrt(push / length), sqrt(twist))
    if at[RESTART] > 0:
        st(X, VELOCITY_SCALE, select(come, maximum(ld(X, VELOCITY_SCALE), SOON * sqrt(push * length)), ld(X, VELOCITY_SCALE)))
        st(X, ANGULAR_SCALE, select(come, maximum(ld(X, ANGULAR_SCALE), SOON * sqrt(twist)), ld(X, ANGULAR_SCALE)))
    if at[FIXED] == 0:
        st(X, NOMINAL_STEP, select(come, minimum(ld(X, NOMINAL_STEP), SOON / maximum(rate, 1e-300)), ld(X, NOMINAL_STEP)))
