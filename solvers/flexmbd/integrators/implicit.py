"""Implicit schemes of one family: Newmark's formulas, a lag of the accelerations, and a generated Newton correction.

With accelerations a, algorithmic accelerations A and multipliers l at the ends of a step of length h::

    M a1 + G(q1)' l1 = F(q1, v1, s1, t1),   Phi(q1, t1) = 0
    (1 - am) A1 + am A0 = (1 - af) a1 + af a0
    q1 = q0 + h v0 + h^2 ((1/2 - beta) A0 + beta A1),   v1 = v0 + h ((1 - gamma) A0 + gamma A1)

(Arnold and Brüls 2007, Multibody Syst. Dyn. 18, 185-202.)  A scheme is its coefficients (`coefficients`) and the form of its
constraints (a correction of `flexmbd.equations`).

- **Steps of any length.**  A is the acceleration at ``t + (am - af) h`` up to second order, so what a step hands on is the
  slope ``b = (A - a)/h``, not A: order 2 survives a change of the step (cf. Brüls and Arnold 2008, J. Comput. Nonlinear Dyn. 3,
  031007).
- **Start, and restart after an event.**  ``A0 = a0 + (am - af)(a1 - a0)`` with the unknown a1: a Newmark step with gamma = 1/2,
  of order 2, that needs no history.  a0 then comes from the index-1 equations; at an event the loop projects the velocities
  first (`RESTART`), because positions are exact at index 3 but velocities drift by O(h^2), and a following step much shorter
  than h would turn that drift into an acceleration of O(h^2/h').  For the same reason no projection takes place between
  events (`PROJECT` is false): the drift is bounded, and a jump of v would excite the scheme's spurious modes.
- **Newton** per lane with the exact generated Jacobian (`flexmbd.equations`).  A converged lane is frozen: its bits do not depend
  on its neighbours.  A lane that does not converge rejects the step.
- **Large systems** keep the factors of the matrix (`FROZEN`), from iteration to iteration and from step to step, until the factor
  `BETA_H2` or `GAMMA_BETA_H` of the step has changed by more than `CHANGE`, or an iteration shrank the correction to more than `SLOW` of
  the one before; then that lane's are made anew at the state reached.  With a rate r of convergence and a last correction d the iteration
  ends where d, or what is left, ``d r/(1 - r)``, is below `CLOSE` times the usual bound, as it is unseen after full Newton steps
  (Hairer and Wanner 1996, Solving ODEs II, IV.8).  r is the largest ratio of two corrections with these factors so far, and without
  two of them in the step itself there is none: the rate grows with the way from where the factors were made, so that of a step before
  is no bound.  (Just after they are made it is close to zero, 1e-9; trusted in the next step, it ended the iteration after one
  correction, with multipliers wrong by their own size.)  With `SLOW` 0 every iteration has factors of its own.
- **Accelerations** at index 1 are Newton's own where rows are linear and do not depend on time (`FLAT`) and factors are kept;
  elsewhere they have equations of their own, because Newton's own are off by O(h) after a restart.
- **Start of the iteration**: a1 by the slope before.  Where vibrations are faster than the step, that bends fine elements so far that
  Newton's iteration may diverge, and standing still (``q1 = q0 + h v0``) is the better start: large systems take the start that would
  have been the closer one in the step before, and begin with the latter.
- **Error** of v: the leading term ``(gamma + D - 1/2) h^2 a' + (1/12 - D^2 + D (am - 1/2)) h^3 a''`` with D = am - af, a'' from
  the change of the slope of the index-1 accelerations at the ends (they are free of the scheme's own oscillation, and serve the
  dense output); at a restart from their value in the middle of the step.
- **States**: the trapezoidal rule.  Controlled states (bristles) are unknowns of the Newton iteration; the others are books on
  which no force depends, and follow it.

Only positions, velocities and states are trusted afterwards: accelerations and reactions in outputs are index-1 functions of
them.  Coordinate pivots of the iteration matrix can vanish at isolated steps (constraint curvature); such a step is rejected.
"""

import numpy as np

from flexmbd.integrators.base import Integrator, Slot, larger
from flexmbd.integrators.closing import EXACT, FAR, close_rows
from flexmbd.integrators.iteration import (
    ACCELERATION, ACCELERATION_LAG, LAG_FACTOR, LAG_Q, LAG_V, BETA, BETA_START, ERROR_1, ERROR_2, FIRST, GAMMA, KNOWN, LAG, MEMORY,
    MIDDLE_SLOT, MULTIPLIER, NEXT_ACCELERATION, NEXT_ACCELERATION_LAG, NEXT_MULTIPLIER, NEXT_SLOPE, SLOPE, SLOT, STEP, correct, creep, slot,
)  # fmt: skip
from flexmbd.lanes import any_lane, fabs, lnot, maximum, select
from flexmbd.lanes.rows import doubles, evaluate, ld, st, words
from flexmbd.lanes.vector import inner, part
from flexmbd.stepping.names import (
    ANGULAR, ATTEMPT, BEGIN, COMMIT, CONTROLLED, END, ERROR, FIXED, FLAT, FORGET, FROZEN, KEPT_START, LARGEST, LAST, MIDDLE, MULTIPLIERS,
    NM, OBSERVE, RATES, REAL, RHS, ANGULAR_SCALE, SCHEME, VELOCITY_SCALE, START, TOLERANCE, WHO, H, M, N, T,
)  # fmt: skip


def begin(X, P, W, at):
    """Accelerations and multipliers at the start."""
    evaluate(at[RHS], X, P, W, at, START, slot(FIRST, at))
    evaluate(at[MULTIPLIERS], X, P, W, at, START, slot(MULTIPLIER, at))
    for i in range(at[N]):
        x = ld(X, slot(FIRST, at) + i)
        st(X, slot(ACCELERATION, at) + i, x)
        st(X, slot(ACCELERATION_LAG, at) + i, 0.0 * x)
        st(X, slot(SLOPE, at) + i, 0.0 * x)
    st(X, slot(STEP, at), 0.0)


@inner
def standing(beta, a0, b, scheme):
    """The a1 with which ``q1 = q0 + h v0``."""
    return -((0.5 - beta) * a0 + scheme[LAG_Q] * b) / beta


@inner
def predict(h, fresh, beta, gamma, X, at):
    """Start of the Newton iteration, on the scheme's line: a1 by the slope before, or so that ``q1 = q0 + h v0``."""
    n, scheme, start, end = at[N], doubles(at[SCHEME]), START + 1, at[END] + 1
    for i in range(n):
        a0 = select(fresh, ld(X, slot(FIRST, at) + i), ld(X, slot(ACCELERATION, at) + i))
        b = h * select(fresh, 0.0, ld(X, slot(ACCELERATION_LAG, at) + i))
        a1 = a0 + h * select(fresh, 0.0, ld(X, slot(SLOPE, at) + i))
        if at[FROZEN] > 0:
            a1 = select(ld(X, KEPT_START) < 0.5, standing(beta, a0, b, scheme), a1)
        st(X, slot(ACCELERATION, at) + i, a0)
        st(X, slot(NEXT_ACCELERATION, at) + i, a1)
        v = ld(X, start + n + i)
        st(X, end + i, ld(X, start + i) + h * (v + h * ((0.5 - beta) * a0 + scheme[LAG_Q] * b + beta * a1)))
        st(X, end + n + i, v + h * ((1.0 - gamma) * a0 + scheme[LAG_V] * b + gamma * a1))
    for k in range(at[NM]):
        st(X, slot(NEXT_MULTIPLIER, at) + k, ld(X, slot(MULTIPLIER, at) + k))
    for k in range(at[M]):
        x, rate = ld(X, start + 2 * n + k), ld(X, slot(FIRST, at) + at[RATES] + k)
        st(X, slot(KNOWN, at) + at[RATES] + k, x + 0.5 * h * rate)
        st(X, end + 2 * n + k, x + h * rate)


@inner
def halfway(t, h, X, at):
    """State in the middle of the step by Hermite interpolation, for the error estimate of a restart."""
    n, start, end, middle = at[N], START + 1, at[END] + 1, at[MIDDLE] + 1
    st(X, at[MIDDLE], t + 0.5 * h)
    for i in range(n):
        q0, q1, v0, v1 = ld(X, start + i), ld(X, end + i), ld(X, start + n + i), ld(X, end + n + i)
        a0, a1 = ld(X, slot(FIRST, at) + i), ld(X, slot(NEXT_ACCELERATION, at) + i)
        st(X, middle + i, 0.5 * (q0 + q1) + h * (0.15625 * (v0 - v1) + h * (0.015625 * (a0 + a1))))
        st(X, middle + n + i, 0.5 * (v0 + v1) + 0.125 * h * (a0 - a1))
    for k in range(2 * n, 2 * n + at[M]):
        st(X, middle + k, 0.5 * (ld(X, start + k) + ld(X, end + k)))


@part
def further(h, before, fresh, worst, X, at):
    """Further states at the step's end; the larger of `worst` and the errors over the tolerance of those that are controlled."""
    n, controlled, tolerance, last = at[N], words(at[CONTROLLED]), doubles(at[REAL])[TOLERANCE], slot(at[LAST], at)
    for k in range(at[M]):
        r, i = at[RATES] + k, at[END] + 1 + 2 * n + k
        d0, d1 = ld(X, slot(FIRST, at) + r), ld(X, last + r)
        slope = (d1 - d0) / h
        st(X, slot(NEXT_SLOPE, at) + r, slope)
        if controlled[k] > 0:
            bow, change = d0 - 2.0 * ld(X, slot(MIDDLE_SLOT, at) + r) + d1, slope - ld(X, slot(SLOPE, at) + r)
            e = select(fresh, (h / 3.0) * bow, h * h * h / (6.0 * (h + before)) * change)
            e = fabs(e) / (tolerance * maximum(maximum(ld(X, at[LARGEST] + k), fabs(ld(X, i))), 1e-12))
            worst = larger(e, worst)
        else:
            bow = (h / 3.0) * (d0 - 2.0 * ld(X, slot(MIDDLE_SLOT, at) + r) + d1)  # Simpson's rule where the middle is known
            st(X, i, ld(X, slot(KNOWN, at) + r) + 0.5 * h * d1 - select(fresh, bow, 0.0))
    return worst


def attempt(X, P, W, at):
    """One step; its error is infinite where Newton's iteration fails.

    A fixed step that turns far is closed (`closing`): velocities that leave the rows by O(h^2), or places, grow there.
    """
    step(X, P, W, at)
    if at[FIXED] > 0:
        done = ld(X, ERROR) < 1e300
        close_rows(done, done & lnot(done), FAR, EXACT, X, P, W, at)


@inner
def step(X, P, W, at):
    """One step, for schemes that do more than that."""
    n, scheme, angular = at[N], doubles(at[SCHEME]), words(at[ANGULAR])
    t, h, tolerance, last = ld(X, T), ld(X, H), doubles(at[REAL])[TOLERANCE], slot(at[LAST], at)
    frozen = at[FROZEN] > 0
    before = ld(X, slot(STEP, at))
    fresh = lnot(before > 0.0)
    beta, gamma = select(fresh, scheme[BETA_START], scheme[BETA]), select(fresh, 0.5, scheme[GAMMA])
    predict(h, fresh, beta, gamma, X, at)
    converged = correct(t + h, h, beta, gamma, X, P, W, at)
    if any_lane(fresh):
        halfway(t, h, X, at)
        evaluate(at[RHS], X, P, W, at, at[MIDDLE], slot(MIDDLE_SLOT, at))
    if frozen and at[FLAT] > 0 and scheme[MEMORY] > 0.0:  # Newton's own accelerations are those of index 1
        evaluate(at[OBSERVE], X, P, W, at, at[END], last)
        for i in range(n):
            st(X, last + i, ld(X, slot(NEXT_ACCELERATION, at) + i))
    else:
        evaluate(at[RHS], X, P, W, at, at[END], last)
    st(X, slot(STEP, at) + 1, scheme[MEMORY] * h)
    span = 2.0 * h * h * scheme[ERROR_2] / (h + before)
    lin, ang = 1.0 / (tolerance * ld(X, VELOCITY_SCALE)), 1.0 / (tolerance * ld(X, ANGULAR_SCALE))
    worst, missed, missed_still = 0.0 * h, 0.0 * h, 0.0 * h
    for i in range(n):
        a0, a1 = ld(X, slot(ACCELERATION, at) + i), ld(X, slot(NEXT_ACCELERATION, at) + i)
        slope, lag = (a1 - a0) / h, ld(X, slot(ACCELERATION_LAG, at) + i)
        if frozen:
            b = h * select(fresh, 0.0, lag)
            missed = larger(fabs(a1 - a0 - h * select(fresh, 0.0, ld(X, slot(SLOPE, at) + i))), missed)
            missed_still = larger(fabs(a1 - standing(beta, a0, b, scheme)), missed_still)
        ahead = scheme[LAG] * slope
        st(X, slot(NEXT_ACCELERATION_LAG, at) + i, ahead + select(fresh, 0.0, scheme[LAG_FACTOR] * (ahead - lag)))
        a0, a1 = ld(X, slot(FIRST, at) + i), ld(X, last + i)
        slope = (a1 - a0) / h
        st(X, slot(NEXT_SLOPE, at) + i, slope)
        e = span * h * (slope - ld(X, slot(SLOPE, at) + i)) + scheme[ERROR_1] * h * (a1 - a0)
        e = select(fresh, (h / 3.0) * (a0 - 2.0 * ld(X, slot(MIDDLE_SLOT, at) + i) + a1), e)
        scale = lin
        if angular[i] > 0:
            scale = ang
        worst = larger(fabs(e) * scale, worst)
    if frozen:
        st(X, KEPT_START, select(converged & (missed < missed_still), 1.0, 0.0))
    worst = further(h, before, fresh, worst, X, at)
    st(X, ERROR, select(converged, worst, np.inf))
    creep(X, P, W, at)


@inner
def take(accepted, to, source, count, X):
    """Copy rows in some lanes."""
    for i in range(count):
        st(X, to + i, select(accepted, ld(X, source + i), ld(X, to + i)))


def commit(X, P, W, at):
    """Hand on what the step's end knows."""
    n, m, r, accepted = at[N], at[M], at[RATES], ld(X, WHO) > 0.5
    take(accepted, slot(FIRST, at), slot(at[LAST], at), n, X)
    take(accepted, slot(ACCELERATION, at), slot(NEXT_ACCELERATION, at), n, X)
    take(accepted, slot(ACCELERATION_LAG, at), slot(NEXT_ACCELERATION_LAG, at), n, X)
    take(accepted, slot(SLOPE, at), slot(NEXT_SLOPE, at), n, X)
    take(accepted, slot(MULTIPLIER, at), slot(NEXT_MULTIPLIER, at), at[NM], X)
    take(accepted, slot(FIRST, at) + r, slot(at[LAST], at) + r, m, X)
    take(accepted, slot(SLOPE, at) + r, slot(NEXT_SLOPE, at) + r, m, X)
    take(accepted, slot(STEP, at), slot(STEP, at) + 1, 1, X)


def forget(X, P, W, at):
    """Restart: the next step of these lanes uses nothing but the state and the first slot."""
    st(X, slot(STEP, at), select(ld(X, WHO) > 0.5, 0.0, ld(X, slot(STEP, at))))


def coefficients(am, af, beta, gamma):
    """Numbers of the scheme from `LAG` on; it is of order 2 where ``gamma = 1/2 - am + af``."""
    lag, share = am - af, (1.0 - af) / (1.0 - am)
    first = gamma + lag - 0.5
    start = (0.5 - beta) * lag + beta * (1.0 - af - am * lag) / (1.0 - am)
    lags = 0.5 - beta - beta * am / (1.0 - am), 1.0 - gamma - gamma * am / (1.0 - am), am / (1.0 - am)
    return lag, beta * share, gamma * share, start, *lags, 1.0 / 12.0 - lag * lag + lag * (am - 0.5), 0.0 if abs(first) < 1e-14 else first


FUNCTIONS = {BEGIN: begin, ATTEMPT: attempt, COMMIT: commit, FORGET: forget}


READS = {
    "a": ("next acceleration", ""), "l": ("next multiplier", ""), "u": ("next multiplier", "second"), "p": ("known", "rates"),
    "o": ("origin", ""), "w": ("start", ""),
}  # fmt: skip


def implicit(
    name, order, correction, *, functions=None, slots=(), memory=True, shifts=False, close=(0.1, 0.1), coefficients=None, tune=None, **facts
):
    """Integrator of the family.

    Parameters
    ----------
    correction : callable
        Generated Newton correction, one of `flexmbd.equations`.
    functions : mapping, optional
        In place of those here.
    slots : tuple of Slot
        Further slots.
    memory : bool
        Whether a step goes on from the accelerations of the step before; else every step starts like the first.
    shifts : bool
        Whether positions are shifted along the rows' gradients too.
    close : (float, float)
        Of kept factors: a ratio of two corrections beyond which they are made anew, and what share of the usual bound ends the iteration.
    coefficients, tune : tuple of float, callable
        Those of `coefficients`; or their function of the setting's value.
    facts
        Others of `Integrator`.
    """
    own = (float(memory), float(shifts), 0.1, *close)
    made = {} if tune is None else {"tune": lambda value: (*own, *tune(value))}
    numbers = (*own, *(coefficients or (0.0,) * 9))
    rows = (*SLOT, *slots, Slot("last", "index-1 accelerations and rates at the end"))
    reads = {kind: where for kind, where in READS.items() if kind != "o" or any(x.name == "origin" for x in slots)}
    return Integrator(
        name, order, rows, len(rows) - 1, FUNCTIONS | (functions or {}), numbers, correction=correction, reads=reads, **made, **facts
    )  # fmt: skip
