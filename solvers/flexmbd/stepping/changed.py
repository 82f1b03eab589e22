"""Numbers of a model that change between two steps: what is known of the motion goes on, what followed from the numbers is made anew."""

from flexmbd.lanes.rows import call, evaluate, get, ld, put, st, width_of
from flexmbd.stepping.assembly import keep_residuals, load_from, store_from
from flexmbd.stepping.known import ROUND, first_after
from flexmbd.stepping.names import BALANCE, BEGIN, BOOKED, COUNT, KEPT_GAMMA_BETA_H, KEPT_BETA_H2, KEPT_RATE, KEPT_START, NEXT, START, T


def leave(X, P, W, at):
    """Residuals of the rows with the numbers of before, and in `BOOKED` by how much the book of energy is open, for all samples."""
    for start in range(0, at[COUNT], width_of(X)):
        load_from(start, X, P, at)
        keep_residuals(start, X, P, W, at)
        evaluate(at[BALANCE], X, P, W, at, START, 0)
        st(X, BOOKED, ld(X, BOOKED) - ld(W, 0))
        store_from(start, X, at)


def enter(X, P, W, at):
    """Residuals with the new numbers; accelerations and the book from here, no factors, and the next known time."""
    for start in range(0, at[COUNT], width_of(X)):
        load_from(start, X, P, at)
        keep_residuals(start, X, P, W, at)
        evaluate(at[BALANCE], X, P, W, at, START, 0)
        st(X, BOOKED, ld(X, BOOKED) + ld(W, 0))
        for row in (KEPT_BETA_H2, KEPT_GAMMA_BETA_H, KEPT_RATE, KEPT_START):
            st(X, row, 0.0 * ld(X, T))
        for k in range(width_of(X)):
            put(X, NEXT, k, first_after(min(start + k, at[COUNT] - 1), get(X, T, k), at) * (1.0 - ROUND))
        call(at[BEGIN], X, P, W, at)
        store_from(start, X, at)
