"""Moreau's midpoint time stepping: contacts that cannot be penetrated, impacts and dry friction in steps of any length.

From places q and velocities v at the start of a step of length h (Moreau 1988; Acary and Brogliato 2008, Numerical Methods for Nonsmooth
Dynamical Systems, ch. 10)::

    qm = q + (h/2) v
    M (v1 - v) = h f(qm, vm) + G' l + D' p,    rows and contacts at qm (`flexmbd.equations.delassus`)
    q1 = qm + (h/2) v1

with vm half a step on by the acceleration of the step before, or v where there is none.  A contact is closed where its gap at qm is not
above zero, rounding (`SLACK` of the mechanism's size) allowed for.  Order 1 over impacts, 2 where nothing strikes, or 1 where a contact
stays closed on a surface that bends.  Rows are closed at the end of steps that turn far (`closing`).  Shifts of the places by the same
matrix bring contacts that stay closed to where they touch at the end of the step (`project_positions`), but for that slack, so that a
contact at rest stays closed.

Between the ends of a step velocities jump in its middle, and forces are percussions by the step's length.
"""

import numpy as np

from flexmbd.equations.delassus import CLOSE, percussions, rows_of_work
from flexmbd.integrators.base import Integrator, Slot
from flexmbd.integrators.closing import EXACT, FAST, close_between, close_rows
from flexmbd.integrators.contact_rows import CONE, RESTITUTION, bound_row, gap_row, number_row, percussion_row, product, velocity_row
from flexmbd.integrators.passing import passed, suspect
from flexmbd.integrators.percussions import (
    book_shifts, free, further, jump, leave_out, mean, percuss, project_positions, remember, rounding, shift, unsolved,
)  # fmt: skip
from flexmbd.lanes import maximum, select
from flexmbd.lanes.rows import doubles, evaluate, get, ld, put, st, words
from flexmbd.lanes.vector import inner
from flexmbd.stepping.names import (
    ATTEMPT, BEGIN, BOOKS, GAMMA_BETA_H, COMMIT, CONES, DENSE, END, ERROR, FORGET, FRACTION, STEP_SHARE, H_MAX, LAST, LOCATE, MIDDLE,
    MIDWAY, NC, NU, REAL, RHS, SLOTS, MECHANISM_SIZE, STAGE, START, STATUS, STRIDE, UNILATERAL, WHO, H, M, N, T,
)  # fmt: skip

SLACK = 1e-10
CHANGE, NEXT_CHANGE, LAST_SLOT = 1, 2, 3


def begin(X, P, W, at):
    """Accelerations and rates at the start."""
    evaluate(at[RHS], X, P, W, at, START, at[SLOTS])


@inner
def middle_of(X, at):
    """The point of the step at which the equations are looked at: places and velocities half a step on, no percussions."""
    n, start, middle, h = at[N], START + 1, at[MIDDLE] + 1, ld(X, H)
    st(X, STEP_SHARE, h)
    st(X, GAMMA_BETA_H, CLOSE / maximum(h, doubles(at[REAL])[H_MAX]))
    st(X, at[MIDDLE], ld(X, T) + 0.5 * h)
    for i in range(n):
        v = ld(X, start + n + i)
        st(X, middle + i, ld(X, start + i) + 0.5 * h * v)
        st(X, middle + n + i, v + 0.5 * h * ld(X, at[SLOTS] + CHANGE * at[STRIDE] + i))
    for k in range(2 * n, 2 * n + at[M]):
        st(X, middle + k, ld(X, start + k))
    leave_out(middle + 2 * n, X, at)


@inner
def predict_gaps(slack, X, W, at):
    """In the rows of the gaps what they will be at the end, and the slack, where a contact stays closed; elsewhere nothing (NaN)."""
    h, cones = ld(X, H), words(at[CONES])
    for j in range(at[NU]):
        r = cones[CONE * j]
        on = (ld(W, percussion_row(at) + r) > 0.0) | (ld(W, bound_row(at) + j) < 0.0)
        stays = on & (ld(W, number_row(j, RESTITUTION, at)) <= 0.0)
        end = ld(W, gap_row(j, at)) + 0.5 * h * (product(r, W, at) + free(j, 0, W, at)) + slack
        st(W, gap_row(j, at), select(stays, end, np.nan))


@inner
def step(look, X, P, W, at):
    """One step; a lane whose contacts have no solution ends with a status of its own. `look` for bodies that pass each other."""
    n, start, middle, end = at[N], START + 1, at[MIDDLE] + 1, at[END] + 1
    h, zero, slack = ld(X, H), 0.0 * ld(X, H), SLACK * ld(X, MECHANISM_SIZE)
    live = (ld(X, STATUS) < 0.5) & (h > 0.0)
    middle_of(X, at)
    evaluate(at[UNILATERAL], X, P, W, at, at[MIDDLE], 0)
    lost, rough = percuss(live, slack, rounding(X), W, at)
    if look:
        suspect(True, 0.5 * h, X, W, at)
    for i in range(n):
        v = ld(W, velocity_row(at) + i)
        if at[NU] > 0:
            v = v + jump(i, W, at)
        st(X, end + n + i, v)
        st(X, end + i, ld(X, middle + i) + 0.5 * h * v)
    for k in range(2 * n, 2 * n + at[M]):
        st(X, end + k, ld(X, start + k))
    struck, by = remember(h, X, W, at), 1.0 / select(h > 0.0, h, 1.0)
    cut_short = h < 0.5 * doubles(at[REAL])[H_MAX]  # a rate of change by rounding is none for a whole step
    for i in range(n):
        change = by * (ld(X, end + n + i) - ld(X, start + n + i))
        st(X, at[SLOTS] + NEXT_CHANGE * at[STRIDE] + i, select(struck | cut_short, 0.0, change))
    predict_gaps(slack, X, W, at)
    project_positions(live, 1e-3 * slack, W, at)
    book_shifts(X, W, at)
    shift(X, W, at)
    st(X, at[END], ld(X, T) + h)
    if at[BOOKS] > 0:
        further(True, X, P, W, at)
        remember(h, X, W, at)
        book_shifts(X, W, at)
    close_rows(live, struck, FAST, EXACT, X, P, W, at)
    if at[NC] > 0:
        evaluate(at[RHS], X, P, W, at, at[END], at[SLOTS] + at[LAST] * at[STRIDE])
    st(X, ERROR, select(unsolved(live, lost, rough, X, at), np.inf, zero))


def attempt(X, P, W, at):
    """One step."""
    step(False, X, P, W, at)


def attempt_looking(X, P, W, at):
    """One step, in which bodies may pass each other."""
    step(True, X, P, W, at)


def locate(X, P, W, at):
    """Cut a step in which bodies pass each other, so that they meet in its middle."""
    passed(0.5, at[END], X, P, W, at)


def midway(X, P, W, at):
    """The middle of the step, for integrals of outputs: mean velocities, forces of the step."""
    mean(X, at)


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
    close_between(X, P, W, at)


def commit(X, P, W, at):
    """What the step found at its end, where smooth contacts need it, is what the next one starts with."""
    first, last, accepted = at[SLOTS], at[SLOTS] + at[LAST] * at[STRIDE], ld(X, WHO) > 0.5
    if at[NC] > 0:
        for k in range(at[STRIDE]):
            st(X, first + k, select(accepted, ld(X, last + k), ld(X, first + k)))
    for i in range(at[N]):
        row = at[SLOTS] + i
        st(X, row + CHANGE * at[STRIDE], select(accepted, ld(X, row + NEXT_CHANGE * at[STRIDE]), ld(X, row + CHANGE * at[STRIDE])))


def forget(X, P, W, at):
    """The next step of these lanes knows no acceleration of the step before."""
    for i in range(at[N]):
        row = at[SLOTS] + CHANGE * at[STRIDE] + i
        st(X, row, select(ld(X, WHO) > 0.5, 0.0, ld(X, row)))


def generated(problem):
    """The function that a step needs of the equations."""
    return {UNILATERAL: [(("W", i), x) for i, x in enumerate(percussions(problem))]}, 0


SLOT = (
    Slot("first", "rates at the start", True), Slot("change", "mean acceleration in the step before; 0 where something struck", True),
    Slot("next change", "the same of this step"), Slot("last", "rates in the middle or at the end"),
)  # fmt: skip
MOREAU = Integrator(
    "moreau", 2, SLOT, LAST_SLOT,
    {BEGIN: begin, ATTEMPT: attempt, COMMIT: commit, FORGET: forget, DENSE: dense, MIDWAY: midway},
    adaptive=False, generated=generated, treats=("smooth", "unilateral"), work=rows_of_work, reads={"w": ("start", "")},
    passing={ATTEMPT: attempt_looking, LOCATE: locate},
)  # fmt: skip
