"""Gauss collocation by fixed-point iteration: symplectic and symmetric, of order 2 s with s stages.

The accelerations A_i of the stages are those of the motion at their own places and velocities::

    v_i = v0 + h sum_j a_ij A_j,    q_i = q0 + c_i h v0 + h^2 sum_j (a a)_ij A_j,    A_i = f(q_i, v_i, t0 + c_i h)
    v1  = v0 + h sum_j b_j A_j,     q1  = q0 + h v0 + h^2 sum_j (b a)_j A_j

(Hairer, Lubich and Wanner, Geometric Numerical Integration, 2006, II.1.3 and VIII.6; Antoñana, Makazaga and Murua, arXiv:2511.03655,
iterate the stages side by side in vector registers.)  The iteration begins with the polynomial of the accelerations of the step before,
goes through the stages one after another, each with the newest values of all, and so needs no matrix.

- **Fixed steps** iterate until the accelerations stand: a sweep changes nothing, or no less than the one before, by rounding (Hairer,
  McLachlan and Razakarivony, BIT 48, 2008, 231-243).  Where they do not within `SWEEPS` the run ends: a shorter step then would go unseen,
  and the scheme would not be symplectic.
- **Error control** takes the last Legendre coefficient of the accelerations, whose share of v is e: coefficients of a smooth motion shrink
  like powers, and what the quadrature of order 2 s leaves out is ``e**(2 s / (s - 1))``.  The iteration ends at `SHARE` of the tolerance.
- **Compensated sums.**  What is lost where a step is added to the state is kept, and added with the next step.
- **Dense output** is the collocation polynomial, whose order is s + 1 only.  So with error control states between the ends of steps come
  from shorter steps that end there (`Integrator.exact`).

A lane that stands is frozen: its bits do not depend on its neighbours.
"""

import numpy as np

from flexmbd.integrators.base import Integrator, Slot, larger
from flexmbd.integrators.closing import EXACT, FAR, close_rows
from flexmbd.integrators.explicit import begin
from flexmbd.integrators.gauss_coefficients import collocation
from flexmbd.integrators.polynomial import interpolate, scratch
from flexmbd.lanes import any_lane, fabs, lnot, maximum, select
from flexmbd.lanes.rows import doubles, evaluate, ld, st, words
from flexmbd.lanes.vector import inner, part
from flexmbd.stepping.loop import rooted
from flexmbd.stepping.names import (
    ANGULAR, ANGULAR_SCALE, ATTEMPT, BEGIN, BETWEEN, COMMIT, CONTROLLED, END, ERROR, FIXED, FORGET, KEPT_RATE, LARGEST, LAST, LEDGERS,
    RATES, REAL, RHS, SCHEME, SLOTS, START, STATUS, STRIDE, TOLERANCE, UNSETTLED, VELOCITY_SCALE, WHO, H, M, N, T,
)  # fmt: skip

SWEEPS, SHARE = 60, 0.03  # of the iteration; of the tolerance, where it may end
ROUNDING = 1e-11  # change of velocities by their scale below which one that does not shrink is rounding
REACH = 1.6  # steps of the length before, up to which its polynomial is continued
STILL = 1e-16  # change that is none, if it grew smaller for ever
FIRST = 1e300  # change before the first sweep
TOO_LONG = 1e4  # error over the tolerance of a step whose iteration does not converge


@inner
def count(at):
    """Stages."""
    return int(doubles(at[SCHEME])[0])


@inner
def slot(k, at):
    """First row of a slot: that of the start, those of the stages of the step before from 1 on, the length of that step, and so on."""
    return at[SLOTS] + k * at[STRIDE]


@inner
def guess(s, h, X, at):
    """Accelerations and rates to begin with: the polynomial of the step before, or those at the start."""
    n, m, r, scheme, stride = at[N], at[M], at[RATES], doubles(at[SCHEME]), at[STRIDE]
    nodes, modes, before = 1 + 2 * s * s, 1 + 2 * s * s + 3 * s, ld(X, slot(1 + s, at))
    ratio = h / select(before > 0.0, before, 1.0)
    known = (before > 0.0) & (ratio < REACH)
    for k in range(n + m):
        i = k
        if k >= n:
            i = r + k - n
        first, old, new = slot(0, at) + i, slot(1, at) + i, slot(4 + s, at) + i
        for j in range(s):
            x = 1.0 + 2.0 * scheme[nodes + j] * select(known, ratio, 0.0)
            low, high, total = 1.0 + 0.0 * h, x, 0.0 * h
            for mode in range(s):
                share = 0.0 * h
                for p in range(s):
                    share = share + scheme[modes + mode * s + p] * ld(X, old + p * stride)
                total = total + share * low
                low, high = high, ((2.0 * mode + 3.0) * x * high - (mode + 1.0) * low) / (mode + 2.0)
            st(X, new + j * stride, select(known, total, ld(X, first)))


@inner
def weighed(row, by_v, by_q, s, scheme, stride, X):
    """Sums of the stages' accelerations of a coordinate (`row`: of the first stage), by two rows of weights."""
    x = ld(X, row)
    dv, dq = scheme[by_v] * x, scheme[by_q] * x
    for k in range(1, s):
        x = ld(X, row + k * stride)
        dv, dq = dv + scheme[by_v + k] * x, dq + scheme[by_q + k] * x
    return dv, dq


@inner
def place(j, s, h, X, at):
    """Stage j at the step's end: places, velocities and the further states on which something depends."""
    n, r, scheme, stride, first = at[N], at[RATES], doubles(at[SCHEME]), at[STRIDE], slot(4 + s, at)
    by_v, by_q, start, end = 1 + j * s, 1 + s * (s + j), START + 1, at[END] + 1
    c = scheme[1 + 2 * s * s + j] * h
    for i in range(n):
        dv, dq = weighed(first + i, by_v, by_q, s, scheme, stride, X)
        v = ld(X, start + n + i)
        st(X, end + i, ld(X, start + i) + (c * v + h * h * dq))
        st(X, end + n + i, v + h * dv)
    for i in range(at[M] - at[LEDGERS]):
        ds = scheme[by_v] * ld(X, first + r + i)
        for k in range(1, s):
            ds = ds + scheme[by_v + k] * ld(X, first + k * stride + r + i)
        st(X, end + 2 * n + i, ld(X, start + 2 * n + i) + h * ds)
    st(X, at[END], ld(X, T) + c)


@inner
def renew(j, s, h, active, change, X, at):
    """Take what the last slot has for stage j in the lanes `active`; the larger of `change` and that of a velocity, over its scale."""
    n, m, r, angular, controlled = at[N], at[M], at[RATES], words(at[ANGULAR]), words(at[CONTROLLED])
    own, last = slot(4 + s + j, at), slot(at[LAST], at)
    lin, ang = h / ld(X, VELOCITY_SCALE), h / ld(X, ANGULAR_SCALE)
    for i in range(n):
        d = select(active, ld(X, last + i) - ld(X, own + i), 0.0)
        scale = lin
        if angular[i] > 0:
            scale = ang
        change = larger(fabs(d) * scale, change)
        st(X, own + i, ld(X, own + i) + d)
    for i in range(m):
        d = select(active, ld(X, last + r + i) - ld(X, own + r + i), 0.0)
        if controlled[i] > 0:
            change = larger(fabs(h * d) / maximum(ld(X, at[LARGEST] + i), 1e-12), change)
        st(X, own + r + i, ld(X, own + r + i) + d)
    return change


@inner
def iterate(s, h, X, P, W, at):
    """Iterate the stages; lanes in which they stand, and those in which they are lost."""
    tolerance, zero = doubles(at[REAL])[TOLERANCE], 0.0 * h
    active, lost, before, slowest = h > 0.0, h < 0.0, zero + FIRST, zero
    for sweep in range(SWEEPS):
        change = zero
        for j in range(s):
            place(j, s, h, X, at)
            evaluate(at[RHS], X, P, W, at, at[END], slot(at[LAST], at))
            change = renew(j, s, h, active, change, X, at)
        lost = lost | (active & lnot(change < 1e300))
        ratio = change / before
        done = (change <= STILL) | ((change >= before) & (change < ROUNDING))
        if at[FIXED] == 0:
            done = done | ((before < FIRST) & (ratio < 1.0) & (change * ratio < SHARE * tolerance * (1.0 - ratio)))
            if sweep > 2:
                lost = lost | (active & (ratio > 1.0) & lnot(done))
        slowest = select(active & (change > ROUNDING), ratio, slowest)
        active, before = active & lnot(done | lost), maximum(change, 1e-300)
        if not any_lane(active):
            break
    stands = lnot(active | lost)
    st(X, KEPT_RATE, select(stands, ld(X, KEPT_RATE), slowest))
    return stands


@inner
def add(total, row, kept, lost, X, at):
    """Step's end in a row: start plus `total`, with what was lost before (slot row `kept`); what is lost now goes into row `lost`."""
    x, y = ld(X, START + 1 + row), total + ld(X, kept)
    new = x + y
    part = new - x
    st(X, at[END] + 1 + row, new)
    st(X, lost, (x - (new - part)) + (y - part))


@part
def finish(s, h, X, at):
    """Places, velocities and states at the step's end, by compensated sums."""
    n, r, scheme, stride, first = at[N], at[RATES], doubles(at[SCHEME]), at[STRIDE], slot(4 + s, at)
    by_v = 1 + 2 * s * s + s
    by_q, places, rates = by_v + s, slot(2 + s, at), slot(3 + s, at)
    ahead = slot(4 + 2 * s, at) - places
    for i in range(n):
        dv, dq = weighed(first + i, by_v, by_q, s, scheme, stride, X)
        v = ld(X, START + 1 + n + i)
        add(h * (v + ld(X, rates + i)) + h * h * dq, i, places + i, ahead + places + i, X, at)
        add(h * dv, n + i, rates + i, ahead + rates + i, X, at)
    for i in range(at[M]):
        ds = scheme[by_v] * ld(X, first + r + i)
        for k in range(1, s):
            ds = ds + scheme[by_v + k] * ld(X, first + k * stride + r + i)
        add(h * ds, 2 * n + i, rates + r + i, ahead + rates + r + i, X, at)
    st(X, at[END], ld(X, T) + h)


@part
def estimate(s, h, X, at):
    """Error of the step over the tolerance, by the last Legendre coefficient of the accelerations."""
    n, scheme, stride, first, angular = at[N], doubles(at[SCHEME]), at[STRIDE], slot(4 + s, at), words(at[ANGULAR])
    controlled, r, row = words(at[CONTROLLED]), at[RATES], 1 + 3 * s * s + 3 * s - s
    worst, lin, ang = 0.0 * h, h / ld(X, VELOCITY_SCALE), h / ld(X, ANGULAR_SCALE)
    for i in range(n):
        e = scheme[row] * ld(X, first + i)
        for k in range(1, s):
            e = e + scheme[row + k] * ld(X, first + k * stride + i)
        scale = lin
        if angular[i] > 0:
            scale = ang
        worst = larger(fabs(e) * scale, worst)
    for i in range(at[M]):
        if controlled[i] > 0:
            e = scheme[row] * ld(X, first + r + i)
            for k in range(1, s):
                e = e + scheme[row + k] * ld(X, first + k * stride + r + i)
            size = maximum(maximum(ld(X, at[LARGEST] + i), fabs(ld(X, at[END] + 1 + 2 * n + i))), 1e-12)
            worst = larger(fabs(h * e) / size, worst)
    return worst * worst * rooted(worst, round_down(2.0 / (s - 1.0))) / doubles(at[REAL])[TOLERANCE]


@inner
def round_down(x):
    """A multiple of 2**-10."""
    return int(1024.0 * x) / 1024.0


def attempt(X, P, W, at):
    """One step."""
    s, h = count(at), ld(X, H)
    guess(s, h, X, at)
    stands = iterate(s, h, X, P, W, at)
    finish(s, h, X, at)
    if at[FIXED] > 0:
        close_rows(stands & (h > 0.0), h < 0.0, FAR, EXACT, X, P, W, at)
        moves = (h > 0.0) & (ld(X, STATUS) < 0.5)
        st(X, STATUS, select(moves & lnot(stands), UNSETTLED, ld(X, STATUS)))
        st(X, ERROR, select(stands, 0.0, np.inf))
    else:
        st(X, ERROR, select(stands, estimate(s, h, X, at), TOO_LONG))
    evaluate(at[RHS], X, P, W, at, at[END], slot(at[LAST], at))


def commit(X, P, W, at):
    """Hand on accelerations of the stages and of the end, the length of the step, and what its sums lost."""
    s, stride, accepted = count(at), at[STRIDE], ld(X, WHO) > 0.5
    for k in range(stride):
        first, last = slot(0, at) + k, slot(at[LAST], at) + k
        st(X, first, select(accepted, ld(X, last), ld(X, first)))
        for j in range(1, s + 1):
            to = slot(j, at) + k
            st(X, to, select(accepted, ld(X, slot(3 + s + j, at) + k), ld(X, to)))
        for j in range(2):
            to = slot(2 + s + j, at) + k
            st(X, to, select(accepted, ld(X, slot(4 + 2 * s + j, at) + k), ld(X, to)))
    length = slot(1 + s, at)
    st(X, length, select(accepted, ld(X, H), ld(X, length)))


def forget(X, P, W, at):
    """What comes next has nothing to do with the step before."""
    s, who = count(at), ld(X, WHO) > 0.5
    st(X, slot(1 + s, at), select(who, 0.0, ld(X, slot(1 + s, at))))
    for k in range(2 * at[STRIDE]):
        row = slot(2 + s, at) + k
        st(X, row, select(who, 0.0, ld(X, row)))


def between(X, P, W, at):
    """The collocation polynomial."""
    s = count(at)
    interpolate(1 + 3 * s * s + 3 * s, 4 + s, s, s + 1, X, W, at)


def gauss(name, s):
    """The scheme of s stages."""
    slots = (
        Slot("first", "accelerations and rates at the start", True),
        *(Slot(f"before {j}", f"accelerations and rates of stage {j} in the step before", True) for j in range(s)),
        Slot("length", "length of the step before; 0: none", True),
        Slot("lost places", "what sums of places have lost", True),
        Slot("lost rates", "what sums of velocities and further states have lost", True),
        *(Slot(f"stage {j}", f"accelerations and rates of stage {j}") for j in range(s)),
        Slot("next lost places", "what sums of places have lost at the end"),
        Slot("next lost rates", "what sums of velocities and further states have lost at the end"),
        Slot("last", "accelerations and rates at the end"),
    )
    functions = {BEGIN: begin, ATTEMPT: attempt, COMMIT: commit, FORGET: forget, BETWEEN: between}
    return Integrator(
        name, 2 * s, slots, len(slots) - 1, functions, collocation(s), projects=True, work=scratch(s), first=1e-2, exact=True, parts=8
    )


GAUSS_8, GAUSS_16 = gauss("gauss_8", 4), gauss("gauss_16", 8)
