"""Singular positions on the way of a motion: rows that come to depend on each other.

How near they are (`flexmbd.equations.closeness`) is known wherever accelerations are.  Close to such a position what is open in the rows,
and what stages leave open, is divided by the distance: so rows are closed after every step (`to_close`), and a step of which a stage falls
much closer to it than its start is tried again with another length, until it steps across (`attempted`).  A motion that comes in with a
velocity, so that it is determined, leaps over the position on its own branch; one that comes to rest there ends.
"""

import numpy as np

from flexmbd.lanes import any_lane, lnot, select
from flexmbd.lanes.rows import call, doubles, evaluate, ld, st, words
from flexmbd.lanes.vector import inner
from flexmbd.stepping.names import (
    ATTEMPT, DRIFT, END, ERROR, FIXED, MIDDLE, NEAREST, NEAREST_SO_FAR, NEARNESS, NEAR_AT_END, NEAR_AT_START, NEAR_WITHIN, NS, OUTPUTS,
    PROJECT, REACTIVE, REAL, RHS, ANGULAR_SCALE, SINGULAR, SLOTS, MECHANISM_SIZE, START, STATUS, TOLERANCE, WATCHED, WHEN_NEAREST, Y0, Y1,
    YM, H, M, N,
)  # fmt: skip

NEAR = 3.0  # nearness from which on rows are closed after every step: a sine of 0.6, some steps ahead
CLOSE, LEAP, FAILS = 1e3, 100.0, 4.0  # no stage is to be nearer than this and so many times the start; where the step fails, so many
LOOSE, LEAST = 30.0, 1e-7  # error of a step across, and its share of velocities: shorter ones to the position itself are worse
TOUCH = 1e10  # nearness from which on a position is singular: a sine of 1e-5
TORN = 0.01  # of the mechanism's size, or rad, by which rows are open that cannot be closed
UNKNOWN, ASIDE = 1e8, 1e-3  # nearness from which on accelerations between steps are not known; how far aside they are, rad
AGAIN = 1.257  # error after which the next trial step is 0.8 (k = 2) to 0.86 (k = 5) of this one: no stage is where one was


@inner
def attempted(X, P, W, at):
    """A trial step, whose error is too large where a stage falls on a singular position."""
    st(X, NEAREST, 0.0 * ld(X, H))
    st(X, NEARNESS, 0.0 * ld(X, H))
    call(at[ATTEMPT], X, P, W, at)
    error, nearest, end, before = ld(X, ERROR), ld(X, NEAREST), ld(X, NEARNESS), ld(X, NEAR_AT_START)
    sound = 0.0 * error
    for i in range(at[END] + 1, at[END] + 1 + 2 * at[N] + at[M]):
        sound = sound + 0.0 * ld(X, i)
    falls = (nearest > CLOSE) & ((nearest > LEAP * before) | ((nearest > FAILS * before) & lnot(error <= 1.0)))
    again = AGAIN
    if at[FIXED] > 0:  # a tenth
        again = np.inf
    across = (nearest > FAILS * before) & (nearest > FAILS * end) & (before > CLOSE) & (nearest < LEAP * before)
    across = across & (error < max(LOOSE, LEAST / doubles(at[REAL])[TOLERANCE]))
    error = select(across & (error > 1.0), 1.0, select(falls, again, error))
    st(X, ERROR, select(sound <= 0.0, error, np.inf))
    st(X, NEAR_AT_END, end)
    st(X, NEAR_WITHIN, nearest)


@inner
def keep_nearest(accepted, when, X):
    """How near the new start is, and the nearest so far; a step that ends in the position itself is the last one."""
    end, nearest = ld(X, NEAR_AT_END), ld(X, NEAR_WITHIN)
    st(X, NEAR_AT_START, select(accepted, end, ld(X, NEAR_AT_START)))
    nearer = accepted & (nearest > ld(X, NEAREST_SO_FAR))
    st(X, WHEN_NEAREST, select(nearer, when, ld(X, WHEN_NEAREST)))
    st(X, NEAREST_SO_FAR, select(nearer, nearest, ld(X, NEAREST_SO_FAR)))
    st(X, STATUS, select(accepted & (end > TOUCH), SINGULAR, ld(X, STATUS)))


@inner
def tear(X, W, at):
    """End lanes whose rows, with residuals in W, are open by more than drift: they led to a position beyond which there is none."""
    if at[WATCHED] > 0:
        torn = (ld(W, 0) > TORN * ld(X, MECHANISM_SIZE)) | (ld(W, 1) > TORN)
        st(X, STATUS, select(torn & (ld(X, STATUS) < 0.5), SINGULAR, ld(X, STATUS)))


@inner
def very_near(X):
    """Lanes so near that closing places moves them by more than velocities can bear."""
    return ld(X, NEAR_AT_START) > CLOSE


@inner
def to_close(quiet, usual, X, at):
    """Lanes whose rows are to be closed if they are open, and by how much they may be."""
    real = doubles(at[REAL])
    share = real[DRIFT] * real[TOLERANCE] + 0.0 * ld(X, H)
    if at[WATCHED] > 0:
        near = ld(X, NEAR_AT_START) > NEAR
        share = select(near, 0.0, share)
        if not usual:
            quiet = quiet & near
    return quiet, share


@inner
def beside(X, P, W, at):
    """Signals of the point `START` that depend on accelerations where these are not determined: the mean of those just before and after."""
    evaluate(at[RHS], X, P, W, at, START, at[SLOTS])
    near = ld(X, NEARNESS) > UNKNOWN
    if any_lane(near):
        n, reactive, aside = at[N], words(at[REACTIVE]), at[MIDDLE]
        ahead, size = ASIDE / ld(X, ANGULAR_SCALE), 2 * at[N] + at[M] + 1
        for i in range(size):
            st(X, aside + i, ld(X, START + i))
        for k in range(at[NS]):
            st(X, at[Y1] + k, ld(X, at[YM] + k))
            st(X, at[Y0] + k, 0.0 * ahead)
        for side in range(2):
            by = ahead * (2.0 * side - 1.0)
            st(X, START, ld(X, aside) + by)
            for i in range(n):
                st(X, START + 1 + i, ld(X, aside + 1 + i) + by * ld(X, aside + 1 + n + i))
                st(X, START + 1 + n + i, ld(X, aside + 1 + n + i))
            for _ in range(4):
                evaluate(at[PROJECT], X, P, W, at, START, 0)
                for i in range(2 * n):
                    st(X, START + 1 + i, ld(X, START + 1 + i) + ld(W, i))
            evaluate(at[OUTPUTS], X, P, W, at, START, at[YM])
            for k in range(at[NS]):
                st(X, at[Y0] + k, ld(X, at[Y0] + k) + 0.5 * ld(X, at[YM] + k))
        for i in range(size):
            st(X, START + i, ld(X, aside + i))
        for k in range(at[NS]):
            mean = ld(X, at[Y1] + k)
            if reactive[k] > 0:
                mean = select(near, ld(X, at[Y0] + k), mean)
            st(X, at[YM] + k, mean)
