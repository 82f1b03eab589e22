"""Nonsmooth generalized-alpha: a smooth step of second order, then the jumps that contacts which cannot be penetrated make of its end.

With the smooth motion ``q~, v~`` of a step, in which contacts have no forces (`implicit`)::

    v1 = v~ + W,   M W = G' .. + D' p,     restitution and friction at q~ (`contact_problem`)
    q1 = q~ + (h/2) W                                                                       "nonsmooth_generalized_alpha"
    q1 = q~ + (h/2) W_t + U,   M U = G' .. + D_n' n,   0 <= n  and  gap >= 0, one of them zero      "nonsmooth_ggl"

(Chen, Acary, Virlez and Brüls 2013, Int. J. Numer. Meth. Engng 96, 487-511; Brüls, Acary and Cardona 2014, Comput. Methods Appl. Mech.
Engng 281, 131-161; one after the other, not iterated, as in Cosimo, Galvez, Cavalieri, Cardona and Brüls 2020, Multibody Syst. Dyn. 48,
127-157.)  W_t is the part of W along surfaces that stick, so that they do not creep.
Joints take part in the smooth motion: the first one holds their rows as velocities, the second as places and as velocities, and so are its
contacts.  A contact is closed where its gap at q~ is not above zero.  A step in which something strikes ends the memory of the
accelerations: the next one starts afresh.

Order 2 where nothing is in contact, 1 while something is, and over impacts.
"""

import numpy as np

from flexmbd.equations import newton_index2, newton_stabilised
from flexmbd.equations.delassus import jumps, rows_of_work
from flexmbd.integrators.base import Slot
from flexmbd.integrators.closing import DRIFT, close_between, close_rows
from flexmbd.integrators.contact_rows import bound_row, gap_row, velocity_row
from flexmbd.integrators.generalized_alpha import TUNED
from flexmbd.integrators.ggl import ORIGIN
from flexmbd.integrators.implicit import implicit
from flexmbd.integrators.implicit import step as smooth_step
from flexmbd.integrators.iteration import STEP, slot
from flexmbd.integrators.passing import passed, suspect
from flexmbd.integrators.percussions import (
    book_shifts, book_way, further, hold_back, jump, leave_out, mean, percuss, project_positions, remember, rounding, shift,
    unsolved,
)  # fmt: skip
from flexmbd.lanes import any_lane, lnot, select
from flexmbd.lanes.rows import evaluate, get, ld, put, st, words
from flexmbd.lanes.vector import inner
from flexmbd.stepping.names import (
    ATTEMPT, BOOKS, CONTROLLED, DENSE, END, ERROR, FRACTION, LAST, LOCATE, MIDDLE, MIDWAY, NU, RHS, MECHANISM_SIZE, STAGE, START,
    STATUS, STRIDE, UNILATERAL, H, M, N, T,
)  # fmt: skip

EXACT = 1e-12  # by the mechanism's size: gaps are closed to this, and closed below it


@inner
def smooth(X, P, W, at):
    """A step without contacts: their forces at the start are put aside for it."""
    states, kept = START + 1 + 2 * at[N], slot(at[LAST] - 1, at)
    for k in range(at[M]):
        st(X, kept + k, ld(X, states + k))
    leave_out(states, X, at)
    smooth_step(X, P, W, at)
    for k in range(at[M]):
        st(X, states + k, ld(X, kept + k))


@inner
def afresh(struck, X, P, W, at):
    """In lanes in which something strikes the next step begins with accelerations of its own; contacts have no part in them."""
    n, middle, last, kept = at[N], at[MIDDLE] + 1, slot(at[LAST], at), slot(at[LAST] - 1, at)
    st(X, slot(STEP, at) + 1, select(struck, 0.0, ld(X, slot(STEP, at) + 1)))
    st(X, at[MIDDLE], ld(X, at[END]))
    for k in range(2 * n + at[M]):
        st(X, middle + k, ld(X, at[END] + 1 + k))
    leave_out(middle + 2 * n, X, at)
    evaluate(at[RHS], X, P, W, at, at[MIDDLE], kept)
    for i in range(n):
        st(X, last + i, select(struck, ld(X, kept + i), ld(X, last + i)))


@inner
def between(X, at):
    """Places in the middle of the step, by those and the velocities of both ends."""
    n, start, middle, end, h = at[N], START + 1, at[MIDDLE] + 1, at[END] + 1, ld(X, H)
    st(X, at[MIDDLE], ld(X, T) + 0.5 * h)
    for i in range(n):
        bow = 0.125 * h * (ld(X, start + n + i) - ld(X, end + n + i))
        bow = select(ld(X, slot(STEP, at) + 1) > 0.0, bow, 0.0)
        st(X, middle + i, 0.5 * (ld(X, start + i) + ld(X, end + i)) + bow)
    mean(X, at)


@inner
def whole(places, look, X, P, W, at):
    """A smooth step, and its jumps; `places`: contacts hold as places too; `look` for bodies that pass each other."""
    n, start, end, controlled = at[N], START + 1, at[END] + 1, words(at[CONTROLLED])
    h, zero = ld(X, H), 0.0 * ld(X, H)
    smooth(X, P, W, at)
    fits = ld(X, ERROR) < 1e300
    live = (ld(X, STATUS) < 0.5) & (h > 0.0) & fits
    evaluate(at[UNILATERAL], X, P, W, at, at[END], 0)
    lost, rough = percuss(live, EXACT * ld(X, MECHANISM_SIZE), rounding(X), W, at)
    if look:
        suspect(False, h, X, W, at)
    for k in range(at[M]):
        if controlled[k] == 0:
            st(X, end + 2 * n + k, ld(X, start + 2 * n + k))
    struck = remember(h, X, W, at)
    book_way(places, 0.5 * h, X, W, at)
    for i in range(n):
        by = jump(i, W, at)
        st(X, end + n + i, ld(W, velocity_row(at) + i) + by)
        if not places:
            st(X, end + i, ld(X, end + i) + 0.5 * h * by)
    if places:
        hold_back(0.5 * h, X, W, at)
        for j in range(at[NU]):
            gap = ld(W, gap_row(j, at))
            st(W, gap_row(j, at), select((gap < zero) | (ld(W, bound_row(at) + j) < zero), gap, np.nan))
        project_positions(live, EXACT * ld(X, MECHANISM_SIZE), W, at)
        book_shifts(X, W, at)
        shift(X, W, at)
    if any_lane(struck):
        afresh(struck, X, P, W, at)
    if at[BOOKS] > 0:
        last, kept = slot(at[LAST], at), slot(at[LAST] - 1, at)
        for i in range(at[STRIDE]):
            st(X, kept + i, ld(X, last + i))
        between(X, at)
        further(False, X, P, W, at)
        remember(h, X, W, at)
        book_way(places, 0.5 * h, X, W, at)
        if places:
            book_shifts(X, W, at)
        for i in range(at[STRIDE]):
            st(X, last + i, ld(X, kept + i))
    close_rows(live, live, 0.0, DRIFT, X, P, W, at)
    st(X, ERROR, select(fits & lnot(unsolved(live, lost, rough, X, at)), zero, np.inf))


def attempt(X, P, W, at):
    """One step; contacts hold as velocities."""
    if at[NU] > 0:
        whole(False, False, X, P, W, at)
    else:
        smooth_step(X, P, W, at)


def attempt_places(X, P, W, at):
    """One step; contacts hold as places and as velocities."""
    if at[NU] > 0:
        whole(True, False, X, P, W, at)
    else:
        smooth_step(X, P, W, at)


def attempt_looking(X, P, W, at):
    """One step, in which bodies may pass each other."""
    whole(False, True, X, P, W, at)


def attempt_places_looking(X, P, W, at):
    """The same, of contacts that hold as places too."""
    whole(True, True, X, P, W, at)


def locate(X, P, W, at):
    """Cut a step in which bodies pass each other, so that they meet at its end; the places' half of a jump is a way."""
    passed(1.0, at[END], X, P, W, at)


def locate_places(X, P, W, at):
    """The same where a jump leaves the places as they are, but for shifts."""
    passed(1.0, START, X, P, W, at)


def midway(X, P, W, at):
    """The middle of the step, for integrals of outputs."""
    between(X, at)


def dense(X, P, W, at):
    """A lane's state at a fraction of the step: the cubic through both ends, or a jump in the middle where something strikes."""
    n, start, middle, end, lane = at[N], START + 1, at[MIDDLE] + 1, at[END] + 1, at[STAGE]
    x, h, flat = get(X, FRACTION, lane), get(X, H, lane), get(X, slot(STEP, at) + 1, lane) > 0.0
    y = 1.0 - x
    put(X, at[MIDDLE], lane, get(X, T, lane) + x * h)
    for i in range(n):
        q0, q1 = get(X, start + i, lane), get(X, end + i, lane)
        v0, v1 = get(X, start + n + i, lane), get(X, end + n + i, lane)
        if flat:
            q = y * y * (1.0 + 2.0 * x) * q0 + x * x * (3.0 - 2.0 * x) * q1 + h * x * y * (y * v0 - x * v1)
            v = 6.0 * x * y * ((q1 - q0) / h) + y * (1.0 - 3.0 * x) * v0 + x * (3.0 * x - 2.0) * v1
        else:
            q, v = y * q0 + x * q1, v0 if x < 0.5 else v1
        put(X, middle + i, lane, q)
        put(X, middle + n + i, lane, v)
    for k in range(2 * n, 2 * n + at[M]):
        put(X, middle + k, lane, get(X, start + k if x < 0.5 else end + k, lane))
    close_between(X, P, W, at)


def generated(problem):
    """The function that the jumps need of the equations."""
    return {UNILATERAL: [(("W", i), x) for i, x in enumerate(jumps(problem))]}, 0


def nonsmooth(name, correction, own, passing, slots=(), **facts):
    """Scheme of a smooth one's correction and facts."""
    return implicit(
        name, 2, correction, functions={ATTEMPT: own, DENSE: dense, MIDWAY: midway}, passing=passing, slots=(*slots, ASIDE), adaptive=False,
        generated=generated, work=rows_of_work, treats=("smooth", "unilateral"), **facts, **TUNED,
    )  # fmt: skip


ASIDE = Slot("aside", "what of the start is put aside")
NONSMOOTH_ALPHA = nonsmooth(
    "nonsmooth_generalized_alpha", newton_index2, attempt, {ATTEMPT: attempt_looking, LOCATE: locate}, holds=("velocity",)
)
NONSMOOTH_GGL = nonsmooth(
    "nonsmooth_ggl", newton_stabilised, attempt_places, {ATTEMPT: attempt_places_looking, LOCATE: locate_places}, (ORIGIN,),
    shifts=True, multipliers=2, holds=("position", "velocity"),
)  # fmt: skip
