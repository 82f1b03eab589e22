"""Numbers of a model that change between two steps: what is known of the motion goes on, what followed from the numbers is made anew."""

from flexmbd.lanes import maximum, select
from flexmbd.lanes.rows import call, evaluate, get, ld, put, st, width_of, words
from flexmbd.lanes.vector import inner
from flexmbd.registry import ARMED, CONTACT_ROWS, DEPTH, DEPTH_RATE, LEAST_SPEED, MODE, ONSET_SPEED
from flexmbd.stepping.assembly import begin_inside, count, keep_residuals, load_from, store_from
from flexmbd.stepping.events import change, nearness
from flexmbd.stepping.known import ROUND, first_after
from flexmbd.stepping.names import (
    ASSIGN, ASSIGNED, BALANCE, BEFORE, BEGIN, BOOKED, CONTACTS, COUNT, GAPS, KEPT_BETA_H2, KEPT_GAMMA_BETA_H, KEPT_RATE, KEPT_START, KINK,
    NC, NEXT, NR, SLOTS, START, TIMED, T,
)  # fmt: skip
from flexmbd.stepping.recording import turn
from flexmbd.stepping.restart import pace


def leave(X, P, W, at):
    """Residuals of the rows with the numbers of before, and in `BOOKED` by how much the book of energy is open, for all samples."""
    for start in range(0, at[COUNT], width_of(X)):
        load_from(start, X, P, at)
        keep_residuals(start, X, P, W, at)
        evaluate(at[BALANCE], X, P, W, at, START, 0)
        st(X, BOOKED, ld(X, BOOKED) - ld(W, 0))
        store_from(start, X, at)


@inner
def settle(X, P, W, at):
    """Contacts that the new numbers open or close at once, as an event does; one that closes inside begins as at a start."""
    t, gaps, kinks, timed = ld(X, T), at[SLOTS] + at[GAPS], words(at[KINK]), words(at[TIMED])
    if at[ASSIGNED] > 0:
        evaluate(at[ASSIGN], X, P, W, at, START, 0)
    for j in range(at[NC]):
        c, depth, rate = at[CONTACTS] + CONTACT_ROWS * j, ld(X, gaps + 2 * j), ld(X, gaps + 2 * j + 1)
        mode, near = ld(X, c + MODE), nearness(j, t, 0.0 * t, rate, X, at)
        turned = (select(mode < 0.5, depth, -depth) > near) & (float(timed[j]) + 0.0 * t < 0.5)
        onset = change(j, turned, rate, X, W, at)
        st(X, c + ONSET_SPEED, maximum(ld(X, c + ONSET_SPEED), select(ld(X, c + MODE) > 0.5, ld(X, c + LEAST_SPEED), 0.0 * t)))
        st(X, c + ONSET_SPEED, select(onset & (rate <= ld(X, c + LEAST_SPEED)), 0.0 * t, ld(X, c + ONSET_SPEED)))
        if kinks[j] > 0:
            st(X, c + MODE, select(turned & (mode > 0.5), ARMED + 0.0 * t, ld(X, c + MODE)))
        deepest = at[CONTACTS] + (CONTACT_ROWS + 1) * at[NC] + j
        st(X, deepest, maximum(ld(X, deepest), depth))
        st(X, c + DEPTH, depth)
        st(X, c + DEPTH_RATE, rate)
    call(at[BEGIN], X, P, W, at)
    begin_inside(X, P, W, at)


def count_anew(X, P, W, at):
    """Reductions and windows begin at the state's time, for all samples."""
    for start in range(0, at[COUNT], width_of(X)):
        load_from(start, X, P, at)
        count(ld(X, T), X, at)
        store_from(start, X, at)


def enter(X, P, W, at):
    """Residuals with the new numbers; contacts, accelerations and the book from here, no factors, and the next known time."""
    for start in range(0, at[COUNT], width_of(X)):
        load_from(start, X, P, at)
        keep_residuals(start, X, P, W, at)
        t = ld(X, T)
        for row in (KEPT_BETA_H2, KEPT_GAMMA_BETA_H, KEPT_RATE, KEPT_START):
            st(X, row, 0.0 * t)
        for k in range(width_of(X)):
            put(X, NEXT, k, first_after(min(start + k, at[COUNT] - 1), get(X, T, k), at) * (1.0 - ROUND))
        call(at[BEGIN], X, P, W, at)
        if at[NC] > 0:
            settle(X, P, W, at)
        evaluate(at[BALANCE], X, P, W, at, START, 0)
        st(X, BOOKED, ld(X, BOOKED) + ld(W, 0))
        pace(t >= 0.0, X, at)
        st(X, BEFORE, 0.0 * t + 1.0)
        if at[NR] > 0:
            turn(t >= 0.0, t, X, P, W, at)
        store_from(start, X, at)
