"""Partitioning of coordinates (Wehage and Haug 1982, J. Mech. Des. 104, 247-255) by the pair of Dormand and Prince.

Only as many coordinates as there are degrees of freedom are integrated from step to step.  At a step's end the rows give the others, the
dependent ones, and their velocities, the independent ones being held: Newton's iteration of `flexmbd.equations.partition`, until nothing
changes but by rounding.  So rows hold at every step, and no projection ever moves an independent coordinate.  What the tableau makes of
dependent ones serves the stages inside the step, and is where the iteration starts.  (To close the rows at all stages too was measured:
errors then grow with a high power of the condition of the dependent coordinates, and depend on where their choice changes.)

Which are dependent is chosen lane by lane, by elimination with complete pivoting of G (rows scaled to 1, columns by the sizes of
velocities so far): its pivots' columns.  Rows are quadratic, so G changes as the coordinates do: the choice is made at the start, and anew
when since then a unit vector or slope has changed by `MOVED`, or a place by that share of the system's size.  A one-step method loses
nothing by that.  A trial step beyond the reach of the dependent coordinates has no solution and is rejected.  Where rows lose rank there
is no choice that determines the motion: take another scheme with augmented constraints.
"""

import numpy as np

from flexmbd.integrators.base import Slot, larger
from flexmbd.integrators.dormand_prince import ERROR, MIDDLE, ROWS
from flexmbd.integrators.explicit import runge_kutta
from flexmbd.lanes import any_lane, fabs, lnot, maximum, select
from flexmbd.lanes.rows import evaluate, get, ld, put, st, width_of, words
from flexmbd.lanes.vector import inner
from flexmbd.equations.partition import partition_functions
from flexmbd.stepping.names import (
    ANGULAR, CLOSING, END, FACTORS, GRADIENTS, LAST, NM, REJECTED, ANGULAR_SCALE, PREPARE_STAGE, VELOCITY_SCALE, SLOTS, STAGE, START, STEPS,
    STRIDE, H, N,
)  # fmt: skip

DEPENDENT, CHOSEN = 1, 2  # slots after the last one of the stages
MOVED, TRIES, CLOSED = 0.1, 12, 1e-8


@inner
def pivots(lane, X, W, at):
    """Dependent coordinates of a lane, by elimination of the gradients, whose entries are in the rows from `FACTORS` on.

    Behind the first row of W is by what an entry of each row counts, 0 for those that are done.
    """
    n, rows, angular, dependent, first = at[N], at[NM], words(at[ANGULAR]), at[SLOTS] + (at[LAST] + DEPENDENT) * at[STRIDE], at[FACTORS]
    for k in range(rows):
        largest = 1e-300
        for i in range(n):
            size = get(X, ANGULAR_SCALE, lane) if angular[i] > 0 else get(X, VELOCITY_SCALE, lane)
            x = get(X, first + k * n + i, lane) * size
            put(X, first + k * n + i, lane, x)
            largest = max(largest, abs(x))
        put(W, 1 + k, lane, 1.0 / largest)
    for i in range(n):
        put(X, dependent + i, lane, 0.0)
    for _ in range(rows):
        best, row, column = 0.0, 0, 0
        for k in range(rows):
            for i in range(n):
                x = get(W, 1 + k, lane) * abs(get(X, first + k * n + i, lane))
                if x > best:
                    best, row, column = x, k, i
        if best == 0.0:
            break
        put(X, dependent + column, lane, 1.0)
        put(W, 1 + row, lane, 0.0)
        for k in range(rows):
            if get(W, 1 + k, lane) > 0.0:
                share = get(X, first + k * n + column, lane) / get(X, first + row * n + column, lane)
                for i in range(n):
                    put(X, first + k * n + i, lane, get(X, first + k * n + i, lane) - share * get(X, first + row * n + i, lane))
                put(X, first + k * n + column, lane, 0.0)


@inner
def choose(size, X, P, W, at):
    """Choose dependent coordinates where there are none yet, or where the gradients may have changed much since they were chosen."""
    n, angular, chosen = at[N], words(at[ANGULAR]), at[SLOTS] + (at[LAST] + CHOSEN) * at[STRIDE]
    moved = 0.0 * size
    for i in range(n):
        x = fabs(ld(X, START + 1 + i) - ld(X, chosen + i))
        if angular[i] == 0:
            x = x / size
        moved = maximum(x, moved)
    who = (ld(X, STEPS) + ld(X, REJECTED) < 0.5) | (moved > MOVED)
    if any_lane(who):
        for k in range(at[NM] * n):
            st(X, at[FACTORS] + k, 0.0)
        evaluate(at[GRADIENTS], X, P, W, at, START, at[FACTORS])
        st(W, 0, select(who, 1.0, 0.0))
        for lane in range(width_of(X)):
            if get(W, 0, lane) > 0.5:
                pivots(lane, X, W, at)
        for i in range(n):
            st(X, chosen + i, select(who, ld(X, START + 1 + i), ld(X, chosen + i)))


def prepare_stage(X, P, W, at):
    """Give dependent coordinates and velocities of the step's end what the rows demand; lanes in which that fails become NaN."""
    if at[STAGE] < at[LAST]:
        return
    n, angular, end = at[N], words(at[ANGULAR]), at[END] + 1
    size = 0.0 * ld(X, H)
    for i in range(n):
        if angular[i] == 0:
            size = maximum(fabs(ld(X, START + 1 + i)), size)
    size = maximum(size, 1e-3 * ld(X, VELOCITY_SCALE) / ld(X, ANGULAR_SCALE))
    choose(size, X, P, W, at)
    active, before = size > 0.0, 1.0 + 0.0 * size
    for _ in range(TRIES):
        evaluate(at[CLOSING], X, P, W, at, at[END], 0)
        change = 0.0 * size
        for i in range(n):
            dq, dv = select(active, ld(W, i), 0.0), select(active, ld(W, n + i), 0.0)
            st(X, end + i, ld(X, end + i) + dq)
            st(X, end + n + i, ld(X, end + n + i) + dv)
            e, scale = fabs(dq), ld(X, ANGULAR_SCALE)
            if angular[i] == 0:
                e, scale = e / size, ld(X, VELOCITY_SCALE)
            change = larger(larger(fabs(dv) / scale, e), change)
        active, before = active & lnot(before <= CLOSED), change  # one more after the last change, for the velocities
        if not any_lane(active):
            break
    if any_lane(active):
        for i in range(2 * n):
            st(X, end + i, select(active, np.nan, ld(X, end + i)))


PARTITIONING = runge_kutta(
    "partitioning", 5, ROWS, ERROR, middle=tuple(MIDDLE), projects=False, holds=("position", "velocity"), generated=partition_functions,
    functions={PREPARE_STAGE: prepare_stage}, reads={"dependent": ("dependent", "")},
    slots=(Slot("dependent", "1 for each dependent coordinate", True), Slot("chosen", "coordinates at which they were chosen", True)),
)  # fmt: skip
