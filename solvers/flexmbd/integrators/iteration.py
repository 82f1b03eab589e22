"""Newton's iteration of implicit schemes, and what these keep; see `implicit` for the equations."""

import numpy as np

from flexmbd.integrators.base import Slot, larger
from flexmbd.lanes import any_lane, fabs, lnot, maximum, select
from flexmbd.lanes.rows import doubles, evaluate, ld, st, words
from flexmbd.lanes.vector import inner, part
from flexmbd.stepping.names import (
    ANGULAR, GAMMA_BETA_H, CONTROLLED, END, ERROR, FROZEN, STEP_SHARE, NOMINAL_STEP, BETA_H2, KEPT_GAMMA_BETA_H, KEPT_BETA_H2, KEPT_RATE,
    LAST, NEWTON, NM, RATES, REAL, RHS, ANGULAR_SCALE, SCHEME, LARGEST_DISTANCE, VELOCITY_SCALE, SLOTS, MECHANISM_SIZE, START, STRIDE,
    TANGENT, TOLERANCE, WHO, H, M, N,
)  # fmt: skip

SLOT = (
    Slot("first", "index-1 accelerations and rates at the start", True),
    Slot("acceleration", "accelerations of the scheme at the start", True),
    Slot("bend", "slope b of what the algorithmic accelerations are ahead", True),
    Slot("multiplier", "multipliers at the start", True),
    Slot("slope", "slope of the accelerations in the step before", True),
    Slot("step", "length of the step before; 0: none", True),
    Slot("next acceleration", "accelerations of the scheme at the end"),
    Slot("next bend", "b at the end"),
    Slot("next multiplier", "multipliers at the end"),
    Slot("next slope", "slope of the accelerations in this step"),
    Slot("middle", "accelerations in the middle of a first step"),
    Slot("known", "the part of further states that is known"),
    Slot("correction", "Newton's correction of further states"),
)
(
    FIRST, ACCELERATION, ACCELERATION_LAG, MULTIPLIER, SLOPE, STEP, NEXT_ACCELERATION, NEXT_ACCELERATION_LAG, NEXT_MULTIPLIER, NEXT_SLOPE,
    MIDDLE_SLOT, KNOWN, CORRECTION, ORIGIN,
) = range(14)  # fmt: skip
# numbers of a scheme
(
    MEMORY, SHIFTS, CHANGE, SLOW, CLOSE, LAG, BETA, GAMMA, BETA_START, LAG_Q, LAG_V, LAG_FACTOR, ERROR_2, ERROR_1,
) = range(14)  # fmt: skip
BOUND, ROUNDING, TRIES = 1e-9, 4e-15, 20  # of Newton's iteration
SLIVER = 1e-5  # of the usual step


@inner
def slot(k, at):
    """First row of a slot."""
    return at[SLOTS] + k * at[STRIDE]


@inner
def renew(who, beta_h2, gamma_beta_h, X, P, W, at):
    """Factorise Newton's matrix for some lanes, and keep what it was made with."""
    st(X, WHO, select(who, 1.0, 0.0))
    evaluate(at[TANGENT], X, P, W, at, at[END], 0)
    st(X, KEPT_BETA_H2, select(who, beta_h2, ld(X, KEPT_BETA_H2)))
    st(X, KEPT_GAMMA_BETA_H, select(who, gamma_beta_h, ld(X, KEPT_GAMMA_BETA_H)))
    st(X, KEPT_RATE, select(who, 0.0, ld(X, KEPT_RATE)))


@inner
def creep(X, P, W, at):
    """Slivers of a step, up to a known time, an event or the end: places and velocities by the accelerations at the start.

    Where positions hold as rows, rounding of places by the step is what velocities are known to; in a sliver that is more than the
    tolerance.  Its own error is of third order.  The next step begins afresh.
    """
    n, start, end, first, last, other = at[N], START + 1, at[END] + 1, slot(FIRST, at), slot(at[LAST], at), slot(MIDDLE_SLOT, at)
    h, tolerance = ld(X, H), doubles(at[REAL])[TOLERANCE]
    who = (h < SLIVER * ld(X, NOMINAL_STEP)) & (
        h * tolerance * ld(X, VELOCITY_SCALE) < ROUNDING * maximum(ld(X, LARGEST_DISTANCE), ld(X, MECHANISM_SIZE))
    )
    if any_lane(who):
        for i in range(n):
            q, v, a = ld(X, start + i), ld(X, start + n + i), ld(X, first + i)
            st(X, end + i, select(who, q + h * (v + 0.5 * h * a), ld(X, end + i)))
            st(X, end + n + i, select(who, v + h * a, ld(X, end + n + i)))
            st(X, slot(NEXT_ACCELERATION, at) + i, select(who, a, ld(X, slot(NEXT_ACCELERATION, at) + i)))
        for k in range(at[M]):
            s = ld(X, start + 2 * n + k) + h * ld(X, first + at[RATES] + k)
            st(X, end + 2 * n + k, select(who, s, ld(X, end + 2 * n + k)))
        for k in range(at[NM]):
            x = slot(NEXT_MULTIPLIER, at) + k
            st(X, x, select(who, ld(X, slot(MULTIPLIER, at) + k), ld(X, x)))
        evaluate(at[RHS], X, P, W, at, at[END], other)
        for k in range(at[STRIDE]):
            st(X, last + k, select(who, ld(X, other + k), ld(X, last + k)))
        st(X, slot(STEP, at) + 1, select(who, 0.0, ld(X, slot(STEP, at) + 1)))
        st(X, ERROR, select(who, 0.0, ld(X, ERROR)))


@part
def near_enough(bound, X, at):
    """By what corrections of lengths and angles are multiplied: below 1 they are small, by velocities or by rounding of places."""
    angular, end = words(at[ANGULAR]), at[END] + 1
    lin, ang = bound * ld(X, VELOCITY_SCALE), bound * ld(X, ANGULAR_SCALE)
    size = 0.0 * ld(X, H)
    for i in range(at[N]):
        if angular[i] == 0:
            size = maximum(fabs(ld(X, end + i)), size)
    lin = 1.0 / (lin + ROUNDING * size)
    away = size / ld(X, MECHANISM_SIZE)
    ang = 1.0 / (ang + ROUNDING * select(away > 10.0, 4.0 * away, 1.0))  # far from the origin rounded places turn bodies
    return lin, ang


@inner
def correct(when, h, beta, gamma, X, P, W, at):
    """Newton iteration on the balance at a time; returns whether a lane converged."""
    n, scheme, angular, controlled = at[N], doubles(at[SCHEME]), words(at[ANGULAR]), words(at[CONTROLLED])
    end, frozen, shifts = at[END] + 1, at[FROZEN] > 0, scheme[SHIFTS] > 0.0
    beta_h2, gamma_beta_h = beta * h * h, gamma / (beta * h)
    st(X, at[END], when)
    st(X, BETA_H2, beta_h2)
    st(X, GAMMA_BETA_H, gamma_beta_h)
    st(X, STEP_SHARE, 0.5 * h)
    if shifts:  # the part of the positions that neither the new accelerations nor shifts make
        for i in range(n):
            st(X, slot(ORIGIN, at) + i, ld(X, end + i) - beta_h2 * ld(X, slot(NEXT_ACCELERATION, at) + i))
    lin, ang = near_enough(BOUND * (scheme[CLOSE] if frozen else 1.0) / gamma_beta_h, X, at)
    active = h > 0.0
    before, lost = 0.0 * h, h < 0.0
    if frozen:
        old, other = ld(X, KEPT_BETA_H2), ld(X, KEPT_GAMMA_BETA_H)
        stale = active & ((fabs(beta_h2 - old) > scheme[CHANGE] * old) | (fabs(gamma_beta_h - other) > scheme[CHANGE] * other))
        if any_lane(stale):
            renew(stale, beta_h2, gamma_beta_h, X, P, W, at)
    for _ in range(TRIES):
        evaluate(at[NEWTON], X, P, W, at, at[END], slot(CORRECTION, at))
        now = 0.0 * h
        for i in range(n):
            d = select(active, ld(W, i), 0.0)
            scale = lin
            if angular[i] > 0:
                scale = ang
            now = larger(fabs(d) * scale, now)
            st(X, end + i, ld(X, end + i) + d)
            if shifts:  # share that no acceleration makes
                d = d - select(active, ld(W, n + at[NM] + i), 0.0)
            st(X, end + n + i, ld(X, end + n + i) + gamma_beta_h * d)
            a = slot(NEXT_ACCELERATION, at) + i
            st(X, a, ld(X, a) + d / beta_h2)
        for k in range(at[NM]):
            a = slot(NEXT_MULTIPLIER, at) + k
            st(X, a, ld(X, a) + select(active, ld(W, n + k), 0.0) / beta_h2)
        for k in range(at[M]):
            if controlled[k] > 0:
                change = ld(X, slot(CORRECTION, at) + at[RATES] + k)
                st(X, end + 2 * n + k, ld(X, end + 2 * n + k) + select(active, change, 0.0))
        lost = lost | (active & lnot(now < np.inf))
        active = active & (now > 1.0)
        if frozen:
            again = active & (before > 0.0)
            shrunk = select(again, now / maximum(before, 1e-300), 0.0)
            rate = maximum(shrunk, ld(X, KEPT_RATE))
            st(X, KEPT_RATE, rate)
            active = active & lnot(again & (now * rate <= 1.0 - rate))
            slow = active & (shrunk > scheme[SLOW])
            before = select(slow, 0.0, now)
            if any_lane(slow):
                renew(slow, beta_h2, gamma_beta_h, X, P, W, at)
        if not any_lane(active):
            break
    return lnot(active | lost)
