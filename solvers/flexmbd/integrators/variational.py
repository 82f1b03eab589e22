"""A variational integrator of order 2: the midpoint discrete Lagrangian, with rows at both ends of a step (`equations.variational`).

Of constant masses with rows at both ends as of RATTLE; masses may depend on coordinates.  It is symplectic and symmetric: momenta of
symmetries are kept to rounding, the energy of a motion without losses does not drift, rows hold as positions and velocities.  The
velocity of the middle is found by fixed-point iteration until it stands; where it does not, the run ends, as of `gauss`.

Steps are fixed.  A motion goes on from velocities, of which momenta are made at each step's start, so nothing is kept between steps.
"""

import numpy as np

from flexmbd.equations.variational import variational_functions
from flexmbd.integrators.base import Integrator, Slot, larger
from flexmbd.integrators.explicit import begin, commit, forget
from flexmbd.integrators.gauss import ROUNDING, STILL, SWEEPS
from flexmbd.lanes import any_lane, fabs, lnot, maximum, select
from flexmbd.lanes.rows import evaluate, ld, st, words
from flexmbd.lanes.vector import inner
from flexmbd.stepping.names import (
    ANGULAR, ANGULAR_SCALE, ATTEMPT, BEGIN, CLOSING, COMMIT, END, ERROR, FORGET, KEPT_RATE, LARGEST_DISTANCE, LAST, LEDGERS, LINEARISE,
    MECHANISM_SIZE, MIDDLE, RATES, RESPOND, RHS, SLOTS, START, STATUS, STEP_SHARE, STRIDE, UNSETTLED, VELOCITY_SCALE, H, M, N, T,
)  # fmt: skip

OF_PLACES = 4e-15  # rounding of rows, by their size
MOMENTUM, NEXT_MOMENTUM, ORIGIN, HALFWAY, LAST_SLOT = range(1, 6)


@inner
def slot(k, at):
    """First row of a slot."""
    return at[SLOTS] + k * at[STRIDE]


@inner
def rates_halfway(states, h, X, P, W, at):
    """Rates of further states in the middle of the step, and the first of these states there."""
    n, middle = at[N], at[MIDDLE] + 1
    evaluate(at[RHS], X, P, W, at, at[MIDDLE], slot(HALFWAY, at))
    for i in range(states):
        rate = ld(X, slot(HALFWAY, at) + at[RATES] + i)
        st(X, middle + 2 * n + i, ld(X, START + 1 + 2 * n + i) + 0.5 * h * rate)


@inner
def settle(h, X, P, W, at):
    """Iterate the velocities of the middle; lanes in which they stand."""
    n, middle, angular, zero = at[N], at[MIDDLE] + 1, words(at[ANGULAR]), 0.0 * h
    active, lost, before, rate = h > 0.0, h < 0.0, zero + 1e300, zero
    # beside velocities so far: what rounding of places makes of them in a step
    by_place, size = OF_PLACES / (ROUNDING * select(h > 0.0, h, 1.0)), maximum(ld(X, LARGEST_DISTANCE), ld(X, MECHANISM_SIZE))
    lin, ang = 1.0 / (ld(X, VELOCITY_SCALE) + by_place * size), 1.0 / (ld(X, ANGULAR_SCALE) + by_place)
    for _ in range(SWEEPS):
        if at[M] > at[LEDGERS]:
            rates_halfway(at[M] - at[LEDGERS], h, X, P, W, at)
        evaluate(at[RESPOND], X, P, W, at, at[MIDDLE], 0)
        change = zero
        for i in range(n):
            d = select(active, ld(W, i), 0.0)
            scale = lin
            if angular[i] > 0:
                scale = ang
            change = larger(fabs(d) * scale, change)
            w = ld(X, middle + n + i) + d
            st(X, middle + n + i, w)
            st(X, middle + i, ld(X, START + 1 + i) + 0.5 * h * w)
            next_momentum = slot(NEXT_MOMENTUM, at) + i
            st(X, next_momentum, select(active, ld(W, n + i), ld(X, next_momentum)))
        lost = lost | (active & lnot(change < 1e300))
        done = (change <= STILL) | ((change >= before) & (change < ROUNDING))
        rate = select(active & (change > ROUNDING), change / before, rate)
        active, before = active & lnot(done | lost), maximum(change, 1e-300)
        if not any_lane(active):
            break
    stands = lnot(active | lost)
    st(X, KEPT_RATE, select(stands, ld(X, KEPT_RATE), rate))
    return stands


def attempt(X, P, W, at):
    """One step."""
    n, m, start, middle, end, t, h = at[N], at[M], START + 1, at[MIDDLE] + 1, at[END] + 1, ld(X, T), ld(X, H)
    st(X, STEP_SHARE, 0.5 * h)
    evaluate(at[LINEARISE], X, P, W, at, START, 0)
    st(X, at[MIDDLE], t + 0.5 * h)
    for i in range(n):
        q, w = ld(X, start + i), ld(X, start + n + i) + 0.5 * h * ld(X, at[SLOTS] + i)
        st(X, slot(MOMENTUM, at) + i, ld(W, i))
        st(X, slot(ORIGIN, at) + i, q)
        st(X, middle + n + i, w)
        st(X, middle + i, q + 0.5 * h * w)
    for i in range(m):
        st(X, middle + 2 * n + i, ld(X, start + 2 * n + i))
    stands = settle(h, X, P, W, at)
    st(X, at[END], t + h)
    for i in range(n):
        st(X, end + i, ld(X, start + i) + h * ld(X, middle + n + i))
        st(X, end + n + i, ld(X, middle + n + i))
    evaluate(at[CLOSING], X, P, W, at, at[END], 0)
    for i in range(n):
        st(X, end + n + i, ld(W, i))
    if m > 0:
        rates_halfway(m, h, X, P, W, at)
    for i in range(m):
        st(X, end + 2 * n + i, ld(X, start + 2 * n + i) + h * ld(X, slot(HALFWAY, at) + at[RATES] + i))
    evaluate(at[RHS], X, P, W, at, at[END], slot(at[LAST], at))
    moves = (h > 0.0) & (ld(X, STATUS) < 0.5)
    st(X, STATUS, select(moves & lnot(stands), UNSETTLED, ld(X, STATUS)))
    st(X, ERROR, select(stands, 0.0, np.inf))


VARIATIONAL = Integrator(
    "variational", 2, (
        Slot("first", "accelerations and rates at the start", True), Slot("momentum", "momenta at the start"),
        Slot("next momentum", "momenta at the end before rows act"), Slot("origin", "coordinates at the start"),
        Slot("halfway", "accelerations and rates in the middle"), Slot("last", "accelerations and rates at the end"),
    ), LAST_SLOT, {BEGIN: begin, ATTEMPT: attempt, COMMIT: commit, FORGET: forget}, adaptive=False, generated=variational_functions,
    reads={"e": ("momentum", ""), "r": ("next momentum", ""), "o": ("origin", "")}, holds=("position", "velocity"),
)  # fmt: skip
