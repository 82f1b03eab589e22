"""Rows closed at the end of a step of a length that is not small beside the time of a turn, and between the ends of such a step.

Unit vectors of a body that turns by an angle x in a step lie off their circle by powers of x, however well a scheme's rows hold up to its
order: of a step of 0.3 rad by percents.  Where nothing takes that back it grows.  So the places and velocities of such steps are projected
onto the rows, mass-orthogonally (`equations.index1.corrections`), to rounding.  In short steps the scheme's own rows close what is open,
and nothing is looked at.
"""

from flexmbd.integrators.base import larger
from flexmbd.lanes import any_lane, select
from flexmbd.lanes.rows import evaluate, get, ld, put, st
from flexmbd.lanes.vector import inner
from flexmbd.stepping.names import (
    END, FLAT, FRACTION, MIDDLE, PROJECT, RESIDUAL, ANGULAR_SCALE, VELOCITY_SCALE, MECHANISM_SIZE, STAGE, H, N,
)  # fmt: skip

FAST, FAR = 0.1, 0.2  # rad, or by the mechanism's size: way of a step from which rows are looked at; of schemes of a higher order
JUMPS, BETWEEN = 0.05, 0.02  # the same where velocities jump, and between the ends of a step
EXACT = 1e-11  # of rows, rad and by the mechanism's size
DRIFT = 1e-7  # of the rows of schemes that let them drift, in steps however short
TURNS = 3  # of Newton's iteration: what is open shrinks from 0.1 to 1e-2, 1e-4, 1e-9


@inner
def fast(far, X):
    """Lanes in which a step may turn something, or move it, as far as that."""
    h, span = ld(X, H), ld(X, MECHANISM_SIZE)
    return (h * ld(X, ANGULAR_SCALE) > far) | (h * ld(X, VELOCITY_SCALE) > far * span)


@inner
def close_rows(live, jumps, far, exact, X, P, W, at):
    """Project places and velocities at the step's end, in lanes whose step leads that far and whose rows are open there; W is used up.

    Where velocities jump, in `jumps`, what they do not know of the jump opens the rows by more, and shorter ways count.
    """
    n, end = at[N], at[END] + 1
    if at[FLAT] > 0:
        return
    who = live & fast(min(far, JUMPS), X)
    if not any_lane(who):
        return
    who = who & (jumps | fast(far, X))
    for _ in range(TURNS):
        evaluate(at[RESIDUAL], X, P, W, at, at[END], 0)
        place, rate = larger(ld(W, 0) / ld(X, MECHANISM_SIZE), ld(W, 1)), ld(X, H) * larger(ld(W, 2) / ld(X, MECHANISM_SIZE), ld(W, 3))
        who = who & ((place > exact) | (rate > exact)) & (place < 1.0)  # beyond that nothing is near
        if not any_lane(who):
            break
        evaluate(at[PROJECT], X, P, W, at, at[END], 0)
        for i in range(n):
            st(X, end + i, ld(X, end + i) + select(who, ld(W, i), 0.0))
            st(X, end + n + i, ld(X, end + n + i) + select(who, ld(W, n + i), 0.0))
        way = ld(X, H) * larger(ld(X, VELOCITY_SCALE) / ld(X, MECHANISM_SIZE), ld(X, ANGULAR_SCALE))
        who = who & (place * larger(place, way) > exact)  # else what is left is less


@inner
def close_between(X, P, W, at):
    """Project the places of the lane `STAGE` in the middle point, where they were interpolated; W is used up."""
    lane, middle = at[STAGE], at[MIDDLE] + 1
    h, x = get(X, H, lane), get(X, FRACTION, lane)
    if at[FLAT] > 0 or x > 1.0 - 1e-9 or x < 1e-9:
        return
    if not (h * get(X, ANGULAR_SCALE, lane) > BETWEEN or h * get(X, VELOCITY_SCALE, lane) > BETWEEN * get(X, MECHANISM_SIZE, lane)):
        return
    for _ in range(TURNS):
        evaluate(at[PROJECT], X, P, W, at, at[MIDDLE], 0)
        for i in range(at[N]):
            put(X, middle + i, lane, get(X, middle + i, lane) + get(W, i, lane))
