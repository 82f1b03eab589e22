"""Moreau's midpoint time stepping: contacts that cannot be penetrated, impacts and dry friction in steps of any length.

From places q and velocities v at the start of a step of length h (Moreau 1988; Acary and Brogliato 2008, Numerical Methods for Nonsmooth
Dynamical Systems, ch. 10)::

    qm = q + (h/2) v
    M (v1 - v) = h f(qm, v) + G' l + D' p,    rows and contacts at qm (`flexmbd.equations.delassus`)
    q1 = qm + (h/2) v1

A contact is closed where its gap at qm is not above zero, rounding (`SLACK`) allowed for.  Order 1 over impacts; where nothing strikes,
order 2 if forces do not depend on velocities.  Shifts of the places by the same matrix bring contacts that stay closed to where they touch
at the end of the step (`push_out`), but for a slack of `SLACK` of the mechanism's size, so that a contact at rest stays closed.

Between the ends of a step velocities jump in its middle, and forces are percussions by the step's length.
"""

import numpy as np

from flexmbd.equations.delassus import percussions, rows_of_work
from flexmbd.integrators.base import Integrator, Slot
from flexmbd.integrators.contact_rows import CONE, bound_row, percussion_row, response_row, velocity_row
from flexmbd.integrators.percussions import book_shifts, percuss, push_out, remember
from flexmbd.lanes import lnot, select
from flexmbd.lanes.rows import evaluate, get, ld, put, st, words
from flexmbd.lanes.vector import inner
from flexmbd.registry import OTHERS
from flexmbd.stepping.names import (
    ATTEMPT, BEGIN, BOOKS, COMMIT, CONES, DENSE, END, ERROR, FORGET, FRACTION, HALF, LAST, MIDDLE, MIDWAY, NC, ND, NU, RATES, RHS, ROUGH,
    SLOTS, SPAN, STAGE, START, STATUS, STRIDE, UNILATERAL, UNSOLVED, WHO, H, M, N, T,
)  # fmt: skip

SLACK = 1e-10


def begin(X, P, W, at):
    """Accelerations and rates at the start."""
    evaluate(at[RHS], X, P, W, at, START, at[SLOTS])


@inner
def middle_of(X, at):
    """The point of the step at which the equations are looked at: places half a step on, velocities of the start, no percussions."""
    n, start, middle, cones, h = at[N], START + 1, at[MIDDLE] + 1, words(at[CONES]), ld(X, H)
    st(X, HALF, h)
    st(X, at[MIDDLE], ld(X, T) + 0.5 * h)
    for i in range(n):
        v = ld(X, start + n + i)
        st(X, middle + i, ld(X, start + i) + 0.5 * h * v)
        st(X, middle + n + i, v)
    for k in range(2 * n, 2 * n + at[M]):
        st(X, middle + k, ld(X, start + k))
    for j in range(at[NU]):
        c = CONE * j
        s = middle + 2 * n + cones[c + 4]
        st(X, s + 1, 0.0 * h)
        for k in range(cones[c + 1] + cones[c + 2] + cones[c + 3]):
            st(X, s + OTHERS + k, 0.0 * h)


def attempt(X, P, W, at):
    """One step; a lane whose contacts have no solution ends with a status of its own."""
    n, start, middle, end, cones = at[N], START + 1, at[MIDDLE] + 1, at[END] + 1, words(at[CONES])
    t, h = ld(X, T), ld(X, H)
    live = (ld(X, STATUS) < 0.5) & (h > 0.0)
    middle_of(X, at)
    evaluate(at[UNILATERAL], X, P, W, at, at[MIDDLE], 0)
    zero, slack = 0.0 * h, SLACK * ld(X, SPAN)
    lost, rough = percuss(live, slack, X, W, at)
    for i in range(n):
        v = ld(W, velocity_row(at) + i)
        for r in range(at[ND]):
            v = v + ld(W, response_row(at) + at[N] * r + i) * ld(W, percussion_row(at) + r)
        st(X, end + n + i, v)
        st(X, end + i, ld(X, middle + i) + 0.5 * h * v)
    for k in range(2 * n, 2 * n + at[M]):
        st(X, end + k, ld(X, start + k))
    remember(h, X, W, at)
    push_out(live, slack, h, W, at)
    book_shifts(h, X, W, at)
    for j in range(at[NU]):
        shift = ld(W, bound_row(at) + j)
        for i in range(n):
            st(X, end + i, ld(X, end + i) + ld(W, response_row(at) + at[N] * cones[CONE * j] + i) * shift)
    st(X, at[END], t + h)
    if at[BOOKS] > 0:
        further(h, X, P, W, at)
    if at[NC] > 0:
        evaluate(at[RHS], X, P, W, at, at[END], at[SLOTS] + at[LAST] * at[STRIDE])
    st(X, STATUS, select(live & lost, UNSOLVED, select(live & rough, ROUGH, ld(X, STATUS))))
    st(X, ERROR, select(live & (lost | rough), np.inf, zero))


@inner
def further(h, X, P, W, at):
    """Further states: rates in the middle of the step, with the mean velocities and the forces of the contacts."""
    n, m, start, middle, end = at[N], at[M], START + 1, at[MIDDLE] + 1, at[END] + 1
    for i in range(n, 2 * n):
        st(X, middle + i, 0.5 * (ld(X, start + i) + ld(X, end + i)))
    for k in range(2 * n, 2 * n + m):
        st(X, middle + k, ld(X, end + k))
    last = at[SLOTS] + at[LAST] * at[STRIDE]
    evaluate(at[RHS], X, P, W, at, at[MIDDLE], last)
    for k in range(m):
        st(X, end + 2 * n + k, ld(X, end + 2 * n + k) + h * ld(X, last + at[RATES] + k))


def midway(X, P, W, at):
    """The middle of the step, for integrals of outputs: mean velocities, forces of the step."""
    n, start, middle, end = at[N], START + 1, at[MIDDLE] + 1, at[END] + 1
    for i in range(n, 2 * n):
        st(X, middle + i, 0.5 * (ld(X, start + i) + ld(X, end + i)))
    for k in range(2 * n, 2 * n + at[M]):
        st(X, middle + k, ld(X, end + k))


def dense(X, P, W, at):
    """A lane's state at a fraction of the step: velocities jump in the middle."""
    n, start, middle, end, lane = at[N], START + 1, at[MIDDLE] + 1, at[END] + 1, at[STAGE]
    x, h = get(X, FRACTION, lane), get(X, H, lane)
    put(X, at[MIDDLE], lane, get(X, T, lane) + x * h)
    for i in range(n):
        q0, q1 = get(X, start + i, lane), get(X, end + i, lane)
        v0, v1 = get(X, start + n + i, lane), get(X, end + n + i, lane)
        put(X, middle + i, lane, q0 + x * h * v0 if x < 0.5 else q1 - (1.0 - x) * h * v1)
        put(X, middle + n + i, lane, v0 if x < 0.5 else v1)
    for k in range(2 * n, 2 * n + at[M]):
        put(X, middle + k, lane, get(X, start + k if x < 0.5 else end + k, lane))


def commit(X, P, W, at):
    """What the step found at its end, where smooth contacts need it, is what the next one starts with."""
    first, last, accepted = at[SLOTS], at[SLOTS] + at[LAST] * at[STRIDE], ld(X, WHO) > 0.5
    for k in range(at[STRIDE]):
        st(X, first + k, select(accepted, ld(X, last + k), ld(X, first + k)))


def forget(X, P, W, at):
    """A one-step scheme has nothing to forget."""


def generated(problem):
    """The function that a step needs of the equations."""
    return {UNILATERAL: [(("W", i), x) for i, x in enumerate(percussions(problem))]}, 0


MOREAU = Integrator(
    "moreau", 1, (Slot("first", "rates at the start", True), Slot("last", "rates in the middle or at the end")), 1,
    {BEGIN: begin, ATTEMPT: attempt, COMMIT: commit, FORGET: forget, DENSE: dense, MIDWAY: midway}, adaptive=False, generated=generated,
    treats=("smooth", "unilateral"), work=rows_of_work, multiplier_order=1,
)  # fmt: skip
