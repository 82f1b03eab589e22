"""Taylor series of any order (Jorba and Zou 2005, Exp. Math. 14, 99-117) from the equations' own recurrences (`equations.series`).

The order follows from the tolerance, the step from the last four coefficients at its start, so no step is tried in vain.  The state is a
sum of two numbers: what rounding has left of it is added to the next step (Neumaier 1974, Z. Angew. Math. Mech. 54, 39-51).  Between a
step's ends, and where an event is looked for, the motion is the series itself.

No series is read beyond its radius of convergence: there its terms grow.  What has one is found by two tests of the last terms of a step,
by the scales of errors: whether one is as large as velocities are (`propose` knows it for nothing), and, of fixed steps, whether terms
that matter grow.  A run whose step, fixed or the smallest that there is, reaches further ends, and says so.
"""

from functools import partial
from math import ceil, exp, log

import numpy as np

from flexmbd.equations.series import motion
from flexmbd.integrators.base import Integrator, Slot
from flexmbd.lanes import fabs, maximum, minimum, select, sqrt
from flexmbd.lanes.rows import doubles, evaluate, ld, st, words
from flexmbd.lanes.vector import inner
from flexmbd.stepping.names import (
    ANGULAR, ANGULAR_SCALE, ATTEMPT, BEGIN, BETWEEN, BEYOND, COMMIT, CUT, END, ERROR, FACTORS, FIXED, FORGET, FRACTION, H_MAX, H_MIN, KEPT,
    KEPT_RATE, LAST, NC, NOMINAL_STEP, NR, PROPOSE, RATES, REAL, RHS, SCHEME, SERIES, SLOTS, MIDDLE, START, STATUS, STRIDE, TOLERANCE,
    VELOCITY_SCALE, WATCHED, WHO, H, M, N, T,
)  # fmt: skip
from flexmbd.stepping.within import longest

PLACES, SPEEDS, NEW_PLACES, NEW_SPEEDS = 1, 2, 4, 5  # slots of what rounding has left
LEAST, MOST = 3, 40  # orders


def order_of(tolerance):
    """Order that costs least if work goes with its square: ``p = 1 - ln(tolerance)/2`` (Jorba and Zou, 3.2)."""
    return min(max(ceil(1.0 - 0.5 * log(tolerance)), LEAST), MOST)


def begin(X, P, W, at):
    """Accelerations at the start."""
    evaluate(at[RHS], X, P, W, at, START, at[SLOTS])


def propose(X, P, W, at):
    """Coefficients at the start, and the step that they allow."""
    evaluate(at[SERIES], X, P, W, at, START, at[SLOTS])
    if at[FIXED] > 0:
        return
    n, real, t = at[N], doubles(at[REAL]), ld(X, T)
    h = doubles(at[SCHEME])[0] * ld(X, CUT)
    h = minimum(select(h > 0.0, h, real[H_MIN]), real[H_MAX])
    if at[NC] > 0 or at[NR] > 0:  # what is looked for between both ends of a step is seen in short ones only
        angular, spin, speed = words(at[ANGULAR]), 0.0 * t, 0.0 * t
        for i in range(n):
            x = fabs(ld(X, START + 1 + n + i))
            if angular[i] > 0:
                spin = maximum(spin, x)
            else:
                speed = maximum(speed, x)
        h = minimum(h, longest(spin, speed, t, X))
    h = maximum(h, real[H_MIN])
    st(X, NOMINAL_STEP, select(h < 1e300, (t + h) - t, h))  # then the step's end is a number


@inner
def along(h, to, X, at):
    """The state a time h behind the start into a point, and what rounding leaves of it into the slots of new ones, if that is the end."""
    n, m = at[N], at[M]
    size, first, slots, stride, ends = 2 * n + m, at[FACTORS], at[SLOTS], at[STRIDE], to == at[END]
    order = at[KEPT] // size
    for i in range(size):
        sum_so = ld(X, first + size * (order - 1) + i)
        for k in range(2, order + 1):
            sum_so = sum_so * h + ld(X, first + size * (order - k) + i)
        left = slots + PLACES * stride + i
        if i >= n:
            left = slots + SPEEDS * stride + i - n
        if i >= 2 * n:
            left = slots + SPEEDS * stride + at[RATES] + i - 2 * n
        change = sum_so * h + ld(X, left)
        before = ld(X, START + 1 + i)
        after = before + change
        st(X, to + 1 + i, after)
        if ends:
            st(X, left + (NEW_PLACES - PLACES) * stride, (before - after) + change)


@inner
def size_of(k, X, at):
    """Largest of the velocities' coefficients of an order, by the scales of errors."""
    n, size, angular = at[N], 2 * at[N] + at[M], words(at[ANGULAR])
    lin, ang, found = 1.0 / ld(X, VELOCITY_SCALE), 1.0 / ld(X, ANGULAR_SCALE), 0.0 * ld(X, H)
    first = at[FACTORS] + size * (k - 1) + n
    if k == 0:
        first = START + 1 + n
    for i in range(n):
        scale = lin
        if angular[i] > 0:
            scale = ang
        found = maximum(fabs(ld(X, first + i)) * scale, found)
    return found


@inner
def reach(h, X, at):
    """Radius of convergence by the series' last terms: where one is as large as velocities; of fixed steps, from where on they grow.

    By symmetry three of four terms may be zero, so four are compared with the four before; of orders below 8, two with all before.
    """
    radius, order = doubles(at[SCHEME])[1] * ld(X, CUT), at[KEPT] // (2 * at[N] + at[M])
    if at[FIXED] == 0:
        return radius
    last, before, power = 0.0 * h, 0.0 * h, 1.0 + 0.0 * h
    few = 4 if order >= 2 * 4 else 2
    for k in range(order + 1):
        term = power * size_of(k, X, at)
        power = power * h
        if k > order - few:
            last = maximum(term, last)
        elif k > order - 2 * 4:
            before = maximum(term, before)
    share = sqrt(before / select(last > 0.0, last, 1.0))
    if few == 4:
        share = sqrt(share)
    return select(last > maximum(before, doubles(at[REAL])[TOLERANCE]), minimum(h * share, radius), radius)


def attempt(X, P, W, at):
    """The state at the step's end; a step beyond the series' reach ends the run, and `KEPT_RATE` has the radius."""
    h = ld(X, H)
    radius = reach(h, X, at)
    beyond = (h > radius) & (ld(X, STATUS) < 0.5)
    st(X, KEPT_RATE, select(beyond, radius, ld(X, KEPT_RATE)))
    st(X, STATUS, select(beyond, BEYOND, ld(X, STATUS)))
    along(h, at[END], X, at)
    st(X, at[END], ld(X, T) + h)
    finite = 0.0 * h
    for i in range(2 * at[N] + at[M]):
        finite = finite + 0.0 * ld(X, at[END] + 1 + i)
    st(X, ERROR, select(beyond, np.inf, finite))
    if at[NC] > 0 or at[WATCHED] > 0:
        evaluate(at[RHS], X, P, W, at, at[END], at[SLOTS] + at[LAST] * at[STRIDE])


def between(X, P, W, at):
    """The state at a fraction of the step."""
    h = ld(X, FRACTION) * ld(X, H)
    along(h, at[MIDDLE], X, at)
    st(X, at[MIDDLE], ld(X, T) + h)


def commit(X, P, W, at):
    """What rounding has left, and accelerations at the end where these are known."""
    accepted, stride, slots = ld(X, WHO) > 0.5, at[STRIDE], at[SLOTS]
    for k in range(2):
        old, new = slots + (PLACES + k) * stride, slots + (NEW_PLACES + k) * stride
        for i in range(at[N]):
            st(X, old + i, select(accepted, ld(X, new + i), ld(X, old + i)))
    old, new = slots + SPEEDS * stride, slots + NEW_SPEEDS * stride
    for i in range(at[RATES], at[RATES] + at[M]):
        st(X, old + i, select(accepted, ld(X, new + i), ld(X, old + i)))
    if at[NC] > 0 or at[WATCHED] > 0:
        last = slots + at[LAST] * stride
        for i in range(at[RATES] + at[M]):
            st(X, slots + i, select(accepted, ld(X, last + i), ld(X, slots + i)))


def forget(X, P, W, at):
    """What rounding has left belongs to a state that is no more."""
    who, slots, stride = ld(X, WHO) > 0.5, at[SLOTS], at[STRIDE]
    for k in range(2):
        left = slots + (PLACES + k) * stride
        for i in range(at[RATES] + at[M]):
            st(X, left + i, select(who, 0.0, ld(X, left + i)))


def generated(problem, order, tolerance):
    """The function of the coefficients, and how many they are."""
    return {SERIES: (motion(problem), order, tolerance)}, order * (2 * problem.n + len(problem.states))


def tuned(tolerance):
    """Order, and what steps follow from, for a tolerance; the safety is Jorba and Zou's."""
    order = order_of(tolerance)
    numbers = exp(-0.7 / (order - 1)), tolerance ** (-1.0 / order)  # of the step; radius of convergence by it
    return {"order": order, "numbers": numbers, "generated": partial(generated, order=order, tolerance=tolerance)}


_SLOTS = (
    Slot("start", "accelerations and rates at the start", True),
    Slot("places left", "what rounding has left of places", True),
    Slot("speeds left", "what rounding has left of velocities and states", True),
    Slot("end", "accelerations and rates at the end"),
    Slot("new places left", "what rounding leaves of places"),
    Slot("new speeds left", "what rounding leaves of velocities and states"),
)
FUNCTIONS = {BEGIN: begin, PROPOSE: propose, ATTEMPT: attempt, BETWEEN: between, COMMIT: commit, FORGET: forget}
TAYLOR = Integrator(
    "taylor", order_of(1e-8), _SLOTS, 3, FUNCTIONS, setting="tolerance", tune=tuned, projects=True, first=1e-2, parts=8, **{
        key: x for key, x in tuned(1e-8).items() if key != "order"
    },
)  # fmt: skip
