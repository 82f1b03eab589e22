"""Implicit schemes of one family: Newmark's formulas, a lag of the accelerations, and a generated Newton correction.

With accelerations a, algorithmic accelerations A and multipliers l at the ends of a step of length h::

    M a1 + G(q1)' l1 = F(q1, v1, s1, t1),   Phi(q1, t1) = 0
    (1 - am) A1 + am A0 = (1 - af) a1 + af a0
    q1 = q0 + h v0 + h^2 ((1/2 - beta) A0 + beta A1),   v1 = v0 + h ((1 - gamma) A0 + gamma A1)

(Arnold and Brüls 2007, Multibody Syst. Dyn. 18, 185-202.)  A scheme is its coefficients (`coefficients`) and the form of its
constraints (a correction of `flexmbd.newton`).

- **Steps of any length.**  A is the acceleration at ``t + (am - af) h`` up to second order, so what a step hands on is the
  slope ``b = (A - a)/h``, not A: order 2 survives a change of the step (cf. Brüls and Arnold 2008, J. Comput. Nonlinear Dyn. 3,
  031007).
- **Start, and restart after an event.**  ``A0 = a0 + (am - af)(a1 - a0)`` with the unknown a1: a Newmark step with gamma = 1/2,
  of order 2, that needs no history.  a0 then comes from the index-1 equations; at an event the loop projects the velocities
  first (`RESTART`), because positions are exact at index 3 but velocities drift by O(h^2), and a following step much shorter
  than h would turn that drift into an acceleration of O(h^2/h').  For the same reason no projection takes place between
  events (`PROJECT` is false): the drift is bounded, and a jump of v would excite the scheme's spurious modes.
- **Newton** per lane with the exact generated Jacobian (`flexmbd.newton`).  A converged lane is frozen: its bits do not depend
  on its neighbours.  A lane that does not converge rejects the step.
- **Large systems** keep the factors of the matrix (`FROZEN`), from iteration to iteration and from step to step, until the factor
  icm or cd of the step has changed by more than `CHANGE`, or an iteration shrank the correction to more than `SLOW` of the one
  before; then that lane's are made anew at the state reached.  With a rate r of convergence and a last correction d the iteration
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

# ruff: noqa: F821 - names are bound in the generated module
import numpy as np

from flexmbd.integrators.base import Integrator, larger
from flexmbd.lanes import any_lane, fabs, lnot, maximum, select, sqrt

SLOTS = (
    "FIRST", "ACCELERATION", "BEND", "MULTIPLIER", "SLOPE", "STEP",  # of the state: a0 at index 1, a0, b, l0, slope before, step before
    "NEXT_ACCELERATION", "NEXT_BEND", "NEXT_MULTIPLIER", "NEXT_SLOPE", "MIDDLE_Q", "MIDDLE_V", "MIDDLE_A", "KNOWN", "CORRECTION",
)  # fmt: skip
CARRY = SLOTS.index("STEP") + 1
FROZEN_RULE = {"CHANGE": 0.1, "SLOW": 0.1, "CLOSE": 0.1}


def begin(t, q, v, s, C, P, U, K, D, g):
    """Accelerations and multipliers at the start."""
    rhs(t, q, v, s, C, P, U, K, np.int64(FIRST), D, g)
    multipliers(t, q, v, s, C, P, U, K, MULTIPLIER)
    for i in range(N):
        x = ld2(K, FIRST, i)
        st2(K, ACCELERATION, i, x)
        st2(K, BEND, i, 0.0 * x)
        st2(K, SLOPE, i, 0.0 * x)
        st2(K, STEP, i, 0.0 * x)


def standing(beta, a0, b):
    """The a1 with which ``q1 = q0 + h v0``."""
    return -((0.5 - beta) * a0 + BEND_Q * b) / beta


def predict(h, fresh, beta, gamma, q, v, s, P, K, D, qs, vs, ss):
    """Start of the Newton iteration, on the scheme's line: a1 by the slope before, or so that ``q1 = q0 + h v0``."""
    for i in range(N):
        a0 = select(fresh, ld2(K, FIRST, i), ld2(K, ACCELERATION, i))
        b = h * select(fresh, 0.0, ld2(K, BEND, i))
        a1 = a0 + h * select(fresh, 0.0, ld2(K, SLOPE, i))
        if FROZEN:
            a1 = select(ld(P, NP + 3) < 0.5, standing(beta, a0, b), a1)
        st2(K, ACCELERATION, i, a0)
        st2(K, NEXT_ACCELERATION, i, a1)
        vi = ld(v, i)
        st(qs, i, ld(q, i) + h * (vi + h * ((0.5 - beta) * a0 + BEND_Q * b + beta * a1)))
        st(vs, i, vi + h * ((1.0 - gamma) * a0 + BEND_V * b + gamma * a1))
    for k in range(NM):
        st2(K, NEXT_MULTIPLIER, k, ld2(K, MULTIPLIER, k))
    for k in range(M):
        x, rate = ld(s, k), ld2(D, FIRST, k)
        st2(D, KNOWN, k, x + 0.5 * h * rate)
        st(ss, k, x + h * rate)


def anchor(icm, qs, K):
    """Nothing: positions are what accelerations make of them."""


def displaced(i, active, w):
    """Share of a coordinate's correction that no acceleration makes: none."""
    return 0.0


def renew(who, when, icm, cd, half, C, P, U, K, qs, vs, ss):
    """Factorise Newton's matrix for some lanes, and keep what it was made with."""
    tangent(when, qs, vs, ss, C, P, U, K, icm, cd, half, who)
    st(P, NP, select(who, icm, ld(P, NP)))
    st(P, NP + 1, select(who, cd, ld(P, NP + 1)))
    st(P, NP + 2, select(who, 0.0, ld(P, NP + 2)))


def correct(when, h, beta, gamma, C, P, U, L, K, D, w, qs, vs, ss):
    """Newton iteration on the balance at a time; returns whether a lane converged."""
    icm, cd = beta * h * h, gamma / (beta * h)
    anchor(icm, qs, K)
    bound = NEWTON * (CLOSE if FROZEN else 1.0) / cd
    lin, ang = bound * ld(L, SLIN), bound * ld(L, SANG)
    size = 0.0 * h
    for i in range(N):
        if not TURNS[i]:
            size = maximum(fabs(ld(qs, i)), size)
    lin = 1.0 / (lin + ROUNDING * size)
    away = size / ld(L, SPAN)
    ang = 1.0 / (ang + ROUNDING * select(away > 10.0, 4.0 * away, 1.0))  # far from the origin rounded places turn bodies
    active = h > 0.0
    before, lost = 0.0 * h, h < 0.0
    if FROZEN:
        old, other = ld(P, NP), ld(P, NP + 1)
        stale = active & ((fabs(icm - old) > CHANGE * old) | (fabs(cd - other) > CHANGE * other))
        if any_lane(stale):
            renew(stale, when, icm, cd, 0.5 * h, C, P, U, K, qs, vs, ss)
    for _ in range(ITERATIONS):
        newton(when, qs, vs, ss, C, P, U, K, D, icm, cd, 0.5 * h, w)
        now = 0.0 * h
        for i in range(N):
            d = select(active, ld(w, i), 0.0)
            e = fabs(d) * (ang if TURNS[i] else lin)
            now = larger(e, now)
            st(qs, i, ld(qs, i) + d)
            d = d - displaced(i, active, w)
            st(vs, i, ld(vs, i) + cd * d)
            st2(K, NEXT_ACCELERATION, i, ld2(K, NEXT_ACCELERATION, i) + d / icm)
        for k in range(NM):
            st2(K, NEXT_MULTIPLIER, k, ld2(K, NEXT_MULTIPLIER, k) + select(active, ld(w, N + k), 0.0) / icm)
        for k in range(M):
            if STATE_CONTROLLED[k] > 0:
                st(ss, k, ld(ss, k) + select(active, ld2(D, CORRECTION, k), 0.0))
        lost = lost | (active & lnot(now < np.inf))
        active = active & (now > 1.0)
        if FROZEN:
            again = active & (before > 0.0)
            shrunk = select(again, now / maximum(before, 1e-300), 0.0)
            rate = maximum(shrunk, ld(P, NP + 2))
            st(P, NP + 2, rate)
            active = active & lnot(again & (now * rate <= 1.0 - rate))
            slow = active & (shrunk > SLOW)
            before = select(slow, 0.0, now)
            if any_lane(slow):
                renew(slow, when, icm, cd, 0.5 * h, C, P, U, K, qs, vs, ss)
        if not any_lane(active):
            break
    return lnot(active | lost)


def halfway(h, q, v, s, K, D, qs, vs, ss):
    """State in the middle of the step by Hermite interpolation, for the error estimate of a restart."""
    for i in range(N):
        q0, q1, v0, v1 = ld(q, i), ld(qs, i), ld(v, i), ld(vs, i)
        a0, a1 = ld2(K, FIRST, i), ld2(K, NEXT_ACCELERATION, i)
        st2(K, MIDDLE_Q, i, 0.5 * (q0 + q1) + h * (0.15625 * (v0 - v1) + h * (0.015625 * (a0 + a1))))
        st2(K, MIDDLE_V, i, 0.5 * (v0 + v1) + 0.125 * h * (a0 - a1))
    for k in range(M):
        st2(D, MIDDLE_Q, k, 0.5 * (ld(s, k) + ld(ss, k)))


def attempt(t, h, tolerance, q, v, s, C, P, U, L, Z, K, D, w, qs, vs, ss, g):
    """One step; returns its error over the tolerance, infinite where Newton's iteration fails."""
    before = ld2(K, STEP, 0)
    fresh = lnot(before > 0.0)
    beta, gamma = select(fresh, BETA_START, BETA), select(fresh, 0.5, GAMMA)
    predict(h, fresh, beta, gamma, q, v, s, P, K, D, qs, vs, ss)
    converged = correct(t + h, h, beta, gamma, C, P, U, L, K, D, w, qs, vs, ss)
    if any_lane(fresh):
        halfway(h, q, v, s, K, D, qs, vs, ss)
        rhs(t + 0.5 * h, K[MIDDLE_Q], K[MIDDLE_V], D[MIDDLE_Q], C, P, U, K, np.int64(MIDDLE_A), D, g)
    if FROZEN and FLAT and MEMORY > 0.0:  # Newton's own accelerations are those of index 1
        observe(t + h, qs, vs, ss, C, P, U, np.int64(LAST), D, g)
        for i in range(N):
            st2(K, LAST, i, ld2(K, NEXT_ACCELERATION, i))
    else:
        rhs(t + h, qs, vs, ss, C, P, U, K, np.int64(LAST), D, g)
    st2(K, STEP, 1, MEMORY * h)
    span = 2.0 * h * h * ERROR / (h + before)
    lin, ang = 1.0 / (tolerance * ld(L, SLIN)), 1.0 / (tolerance * ld(L, SANG))
    worst, missed, missed_still = 0.0 * h, 0.0 * h, 0.0 * h
    for i in range(N):
        a0, a1 = ld2(K, ACCELERATION, i), ld2(K, NEXT_ACCELERATION, i)
        slope = (a1 - a0) / h
        if FROZEN:
            b = h * select(fresh, 0.0, ld2(K, BEND, i))
            missed = larger(fabs(a1 - a0 - h * select(fresh, 0.0, ld2(K, SLOPE, i))), missed)
            missed_still = larger(fabs(a1 - standing(beta, a0, b)), missed_still)
        st2(K, NEXT_BEND, i, LAG * slope + select(fresh, 0.0, BEND_FACTOR * (LAG * slope - ld2(K, BEND, i))))
        a0, a1 = ld2(K, FIRST, i), ld2(K, LAST, i)
        slope = (a1 - a0) / h
        st2(K, NEXT_SLOPE, i, slope)
        e = span * h * (slope - ld2(K, SLOPE, i)) + ERROR_1 * h * (a1 - a0)
        e = select(fresh, (h / 3.0) * (a0 - 2.0 * ld2(K, MIDDLE_A, i) + a1), e)
        e = fabs(e) * (ang if TURNS[i] else lin)
        worst = larger(e, worst)
    if FROZEN:
        st(P, NP + 3, select(converged & (missed < missed_still), 1.0, 0.0 * h))
    for k in range(M):
        d0, d1 = ld2(D, FIRST, k), ld2(D, LAST, k)
        slope = (d1 - d0) / h
        st2(D, NEXT_SLOPE, k, slope)
        if STATE_CONTROLLED[k] > 0:
            bow, change = d0 - 2.0 * ld2(D, MIDDLE_A, k) + d1, slope - ld2(D, SLOPE, k)
            e = select(fresh, (h / 3.0) * bow, h * h * h / (6.0 * (h + before)) * change)
            e = fabs(e) / (tolerance * maximum(maximum(ld(Z, k), fabs(ld(ss, k))), 1e-12))
            worst = larger(e, worst)
        else:
            st(ss, k, ld2(D, KNOWN, k) + 0.5 * h * d1)
    worst = worst * (sqrt(worst) if ORDER > 1 else worst)  # like h^4.5 or h^4: the loop's controller is made for fifth order
    return select(converged, worst, np.inf)


def commit(accepted, K, D):
    """Hand on what the step's end knows."""
    for i in range(N):
        st2(K, FIRST, i, select(accepted, ld2(K, LAST, i), ld2(K, FIRST, i)))
        st2(K, ACCELERATION, i, select(accepted, ld2(K, NEXT_ACCELERATION, i), ld2(K, ACCELERATION, i)))
        st2(K, BEND, i, select(accepted, ld2(K, NEXT_BEND, i), ld2(K, BEND, i)))
        st2(K, SLOPE, i, select(accepted, ld2(K, NEXT_SLOPE, i), ld2(K, SLOPE, i)))
    for k in range(NM):
        st2(K, MULTIPLIER, k, select(accepted, ld2(K, NEXT_MULTIPLIER, k), ld2(K, MULTIPLIER, k)))
    for k in range(M):
        st2(D, FIRST, k, select(accepted, ld2(D, LAST, k), ld2(D, FIRST, k)))
        st2(D, SLOPE, k, select(accepted, ld2(D, NEXT_SLOPE, k), ld2(D, SLOPE, k)))
    st2(K, STEP, 0, select(accepted, ld2(K, STEP, 1), ld2(K, STEP, 0)))


def forget(who, K):
    """Restart: the next step of these lanes uses nothing but the state and slot 0."""
    st2(K, STEP, 0, select(who, 0.0, ld2(K, STEP, 0)))


def coefficients(am, af, beta, gamma):
    """Constants of the scheme; it is of order 2 where ``gamma = 1/2 - am + af``."""
    lag, share = am - af, (1.0 - af) / (1.0 - am)
    first = gamma + lag - 0.5
    return {
        "LAG": lag, "BETA": beta * share, "GAMMA": gamma * share,
        "BETA_START": (0.5 - beta) * lag + beta * (1.0 - af - am * lag) / (1.0 - am),
        "BEND_Q": 0.5 - beta - beta * am / (1.0 - am), "BEND_V": 1.0 - gamma - gamma * am / (1.0 - am), "BEND_FACTOR": am / (1.0 - am),
        "ERROR": 1.0 / 12.0 - lag * lag + lag * (am - 0.5), "ERROR_1": 0.0 if abs(first) < 1e-14 else first,
    }  # fmt: skip


KERNELS = (larger, begin, standing, predict, anchor, displaced, renew, correct, halfway, attempt, commit, forget)


def implicit(name, order, correction, *, kernels=(), slots=(), constants=None, memory=True, **facts):
    """Integrator of the family.

    Parameters
    ----------
    correction : callable
        Generated Newton correction, one of `flexmbd.newton`.
    kernels : sequence
        Kernels of the scheme, in place of those of the same name here.
    slots : sequence of str
        Further slots.
    constants : mapping, optional
        Those of `coefficients`, unless `tune` gives them.
    memory : bool
        Whether a step goes on from the accelerations of the step before; else every step starts like the first.
    facts
        Others of `Integrator`.
    """
    own, names = {f.__name__: f for f in kernels}, (*SLOTS, *slots)
    functions = tuple(own.get(f.__name__, f) for f in KERNELS)
    place = {slot: k for k, slot in enumerate(names)}
    numbers = {**place, "ORDER": order, "MEMORY": float(memory), "NEWTON": 1e-9, "ROUNDING": 4e-15, "ITERATIONS": 20, **FROZEN_RULE}
    numbers |= constants or {}
    return Integrator(name, order, len(names) + 1, CARRY, functions, numbers, correction=correction, **facts)
