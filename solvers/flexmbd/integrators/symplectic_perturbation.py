"""Symplectic perturbation of rigid and flexible rods (after Wu, Gao and Zhong 2014, Appl. Math. Mech. 35, 341-352): two rates, long steps.

The large motion takes a constrained symplectic step: the action of straight ways between grid points with multipliers at these (Zhong and
Gao 2006), closed in its velocities too (RATTLE).  The bending vibrates exactly (`precise`), with a force that is quadratic in the step.
What couples them is found by iteration within it.  In the words of `equations.perturbation`, with W and its slopes in the middle::

    M (q1 - q0) = h (p0 + h f0/2 + G0'l0) + h c/2 - W'(a1 - a0),     g(q1) = 0,     h c_i = (a1 - a0).W_qi (q1 - q0)
    p1 = (M (q1 - q0) + W'(a1 - a0))/h + c/2 + h f1/2 + G1'l1,       G1 q1' = 0
    R a'' + K a = F(t),   R the mean of R + W Y at both ends,   mean of F = -(W U)1/h + (W U)0/h + ...,   F0, F1 by accelerations

The paper takes the forces that couple both as constant in a step, and vibration with the mass R of rods whose ends stand still.  That is of
the same order, but unstable in ranges of the frequency below each odd multiple of pi/h (docs/theory/symplectic_perturbation.md has the
measurement); here the ends follow the bending at once, by Y, and there are no such ranges.
"""

import numpy as np

from flexmbd.equations.perturbation import perturbation_functions
from flexmbd.integrators.base import Integrator, larger
from flexmbd.integrators.bending import (
    AHEAD, FIRST, GIVEN, KNOWN, LAST_SLOT, LOAD, MOMENTUM, NEW, NEXT, ORIGIN, PULL, SLOT, SLOW, VECTORS, WHICH, amplitudes, forced,
    impulses, is_small, prepare, put_rates, rates_at_end, results, slot, vibrate,
)  # fmt: skip
from flexmbd.lanes import any_lane, fabs, lnot, maximum, select
from flexmbd.lanes.rows import evaluate, ld, st
from flexmbd.lanes.vector import inner
from flexmbd.stepping.names import (
    ATTEMPT, BEGIN, CLOSING, COMMIT, DENSE, END, ERROR, FACTORS, FORGET, FRACTION, GRADIENTS, LINEARISE, MIDDLE, MIDWAY, NEWTON, RATES,
    REJECTED, RHS, START, STEP_SHARE, STEPS, STRIDE, WHO, H, M, N, T,
)  # fmt: skip

TRIES, RENEW = 30, 1e3  # iterations; changes of places, over what is close, from which on the vibration's functions are made anew
WITHIN = 1e-9  # of a step, where an end is meant
CLOSE, ALIKE = 1e-8, 1e-7  # last changes of places by their size, of which the square is left, and of amplitudes by theirs
ROUNDED = 4e-15  # what rounding of places makes of amplitudes, by the size of places: in short steps from rest these are no larger


@inner
def momenta(X, P, W, at):
    """All of the next slots from the state at the start; masses of the bending there, behind those of the start."""
    n = at[N]
    evaluate(at[GRADIENTS], X, P, W, at, START, 0)
    for i in range(n):
        st(X, slot(NEXT, at) + i, ld(W, i))
        st(X, slot(NEXT, at) + at[STRIDE] + i, ld(W, n + i))
        st(X, slot(GIVEN, at) + i, ld(W, i))
        st(X, slot(WHICH, at) + i, ld(W, 2 * n + i))
    m = amplitudes(X, at)
    evaluate(at[LINEARISE], X, P, W, at, START, 0)
    for i in range(n):
        for k in range(3):
            st(X, slot(NEXT + 2 + k, at) + i, ld(W, k * n + i))
    masses, _, _, _, _ = results(m, at)
    for i in range(m * m):
        st(X, at[FACTORS] + m * m + i, ld(W, masses + i))
    row = masses
    for i in range(n):
        if is_small(i, X, at):
            x, k = 0.0 * ld(X, H), 0
            for j in range(n):
                if is_small(j, X, at):
                    x = x + ld(W, row + k) * ld(X, START + 1 + n + j)
                    k += 1
            st(X, slot(NEXT, at) + i, x)
            row += m


@inner
def hand_on(who, X, at):
    """What is known at the end becomes what is known at the start."""
    m = amplitudes(X, at)
    for k in range(MOMENTUM, NEXT):
        for i in range(at[N]):
            a = slot(k, at) + i
            st(X, a, select(who, ld(X, a + AHEAD * at[STRIDE]), ld(X, a)))
    for i in range(m * m):
        a = at[FACTORS] + i
        st(X, a, select(who, ld(X, a + m * m), ld(X, a)))


def begin(X, P, W, at):
    """Momenta, forces and masses at the start."""
    evaluate(at[RHS], X, P, W, at, START, slot(FIRST, at))
    momenta(X, P, W, at)
    hand_on(ld(X, H) == ld(X, H), X, at)


def forget(X, P, W, at):
    """The same of lanes whose state or forces have changed."""
    momenta(X, P, W, at)
    hand_on(ld(X, WHO) > 0.5, X, at)


@inner
def predict(h, X, at):
    """Start of the iteration: the large motion by its acceleration, amplitudes as they are."""
    n, start, end = at[N], START + 1, at[END] + 1
    st(X, STEP_SHARE, h)
    for i in range(n):
        q, v = ld(X, start + i), ld(X, start + n + i)
        st(X, slot(ORIGIN, at) + i, q)
        st(X, end + n + i, v)
        if is_small(i, X, at):
            st(X, end + i, q)
        else:
            st(X, slot(KNOWN, at) + i, ld(X, slot(MOMENTUM, at) + i) + 0.5 * h * ld(X, slot(LOAD, at) + i))
            st(X, end + i, q + h * (ld(X, slot(SLOW, at) + i) + 0.5 * h * ld(X, slot(PULL, at) + i)))


@inner
def couple(h, m, turn, active, close, alike, X, P, W, at):
    """One iteration: places, momenta, masses, vibration; returns changes of places and amplitudes over what is close, and alike."""
    n, end = at[N], at[END] + 1
    moved, size, bent, shift = 0.0 * h, 1e-300 + 0.0 * h, 1e-300 + 0.0 * h, 0.0 * h
    evaluate(at[NEWTON], X, P, W, at, at[END], 0)
    for i in range(n):
        if not is_small(i, X, at):
            d = select(active, ld(W, i), 0.0)
            x = ld(X, end + i) + d
            st(X, end + i, x)
            moved, size = larger(fabs(d), moved), maximum(fabs(x), size)
    moved = moved / (close * size)
    evaluate(at[CLOSING], X, P, W, at, at[END], 0)
    for i in range(n):
        if not is_small(i, X, at):
            for k in range(2):
                a = slot(NEXT + k, at) + i
                st(X, a, select(active, ld(W, k * n + i), ld(X, a)))
            st(X, slot(GIVEN, at) + i, ld(X, slot(NEXT, at) + i))
    evaluate(at[LINEARISE], X, P, W, at, at[END], 0)
    for k in range(3):
        for i in range(n):
            a = slot(NEXT + 2 + k, at) + i
            st(X, a, select(active, ld(W, k * n + i), ld(X, a)))
    masses, _, _, vectors, _ = results(m, at)
    for i in range(m * m):
        a = at[FACTORS] + m * m + i
        st(X, a, select(active, ld(W, masses + i), ld(X, a)))
    forced(h, m, X, W, at)
    who = active & (moved > RENEW)
    if turn == 0:
        who = active
    if any_lane(who):
        prepare(who, h, m, X, W, at)
    vibrate(1.0, h, m, X, W, at)
    j = vectors + NEW * m
    for i in range(n):
        if is_small(i, X, at):
            a = ld(X, end + i)
            d = select(active, ld(W, j) - a, 0.0)
            st(X, end + i, a + d)
            shift, bent = larger(fabs(d), shift), maximum(maximum(fabs(a + d), fabs(ld(X, START + 1 + i))), bent)
            j += 1
    last, end = slot(LAST_SLOT, at), end + n  # forces of dampers need the velocities of the end
    for i in range(n):
        st(X, last + i, ld(X, end + i))
    put_rates(at[END], m, X, W, at)
    turned = 0.0 * h
    for i in range(n):
        v, before = ld(X, end + i), ld(X, last + i)
        st(X, end + i, select(active, v, before))
        if not is_small(i, X, at):
            turned = larger(fabs(v - before), turned)
    return larger(moved, fabs(h) * turned / (close * size)), shift / (alike * bent + ROUNDED * size)


@inner
def between(part, X, P, W, at):
    """State at a part of the step, into the point `MIDDLE`: large motion by interpolation, the bending as it vibrates."""
    n, start, middle, end, t, h = at[N], START + 1, at[MIDDLE] + 1, at[END] + 1, ld(X, T), ld(X, H)
    m = amplitudes(X, at)
    forced(h, m, X, W, at)
    prepare(part == part, part * h, m, X, W, at)
    vibrate(part, h, m, X, W, at)
    _, _, _, vectors, _ = results(m, at)
    j, left = vectors + NEW * m, 1.0 - part
    for i in range(n):
        if is_small(i, X, at):
            st(X, middle + i, ld(W, j))
            j += 1
        else:
            q0, q1, v0, v1 = ld(X, start + i), ld(X, end + i), ld(X, slot(SLOW, at) + i), ld(X, slot(SLOW + AHEAD, at) + i)
            x = q0 * (1.0 + 2.0 * part) * left * left + q1 * (3.0 - 2.0 * part) * part * part
            st(X, middle + i, x + h * part * left * (left * v0 - part * v1))
            st(X, slot(GIVEN, at) + i, left * ld(X, slot(MOMENTUM, at) + i) + part * ld(X, slot(MOMENTUM + AHEAD, at) + i))
    st(X, at[MIDDLE], t + part * h)
    for k in range(2 * n, 2 * n + at[M]):
        st(X, middle + k, left * ld(X, start + k) + part * ld(X, end + k))
    evaluate(at[LINEARISE], X, P, W, at, at[MIDDLE], 0)
    put_rates(at[MIDDLE], m, X, W, at)
    for k in range(2 * n):
        x = select(part > 1.0 - WITHIN, ld(X, end + k), ld(X, middle + k))
        st(X, middle + k, select(part < WITHIN, ld(X, start + k), x))


def dense(X, P, W, at):
    """A lane's state at `FRACTION` of the step."""
    between(ld(X, FRACTION), X, P, W, at)


def midway(X, P, W, at):
    """The middle of the step."""
    between(0.5 + 0.0 * ld(X, H), X, P, W, at)


@inner
def masses_at_start(fresh, m, X, P, W, at):
    """Masses of the bending at the start of the step in lanes that have just been given a sample: with it come slots, and not these."""
    for i in range(at[N]):
        st(X, slot(GIVEN, at) + i, ld(X, slot(MOMENTUM, at) + i))
    evaluate(at[LINEARISE], X, P, W, at, START, 0)
    masses, _, _, _, _ = results(m, at)
    for i in range(m * m):
        a = at[FACTORS] + i
        st(X, a, select(fresh, ld(W, masses + i), ld(X, a)))


@inner
def single(h, m, close, alike, X, P, W, at):
    """A step of the length h, which `H` has too, iterated as closely as that; lanes in which the iteration does not end."""
    n, last, end = at[N], slot(LAST_SLOT, at), at[END] + 1
    predict(h, X, at)
    st(X, at[END], ld(X, T) + h)
    for k in range(2 * n, 2 * n + at[M]):
        st(X, end + k, ld(X, START + 1 + k))
    active = (h > 0.0) | (h < 0.0)
    lost = active & lnot(active)
    for turn in range(TRIES):
        moved, shift = couple(h, m, turn, active, close, alike, X, P, W, at)
        lost = lost | (active & lnot(larger(moved, shift) < np.inf))
        active = active & ((moved > 1.0) | (shift > 1.0)) & lnot(lost)
        if not any_lane(active):
            break
    impulses(m, X, W, at)
    rates_at_end(m, X, W, at)
    put_rates(at[END], m, X, W, at)
    if at[M] > 0:
        evaluate(at[RHS], X, P, W, at, at[END], last)
    for k in range(at[M]):
        a, r = end + 2 * n + k, at[RATES] + k
        st(X, a, ld(X, a) + 0.5 * h * (ld(X, slot(FIRST, at) + r) + ld(X, last + r)))
    return active | lost


@inner
def start_of(m, X, P, W, at):
    """Masses at the start, in lanes that have just been given a sample."""
    fresh = ld(X, STEPS) + ld(X, REJECTED) < 0.5
    if any_lane(fresh):
        masses_at_start(fresh, m, X, P, W, at)


def attempt(X, P, W, at):
    """One step; its error is infinite where the iteration does not end, else 0."""
    m = amplitudes(X, at)
    start_of(m, X, P, W, at)
    st(X, ERROR, select(single(ld(X, H), m, CLOSE, ALIKE, X, P, W, at), np.inf, 0.0))


def commit(X, P, W, at):
    """Hand on what the step's end knows."""
    accepted = ld(X, WHO) > 0.5
    hand_on(accepted, X, at)
    for k in range(at[RATES], at[RATES] + at[M]):
        a = slot(FIRST, at) + k
        st(X, a, select(accepted, ld(X, slot(LAST_SLOT, at) + k), ld(X, a)))


FUNCTIONS = {BEGIN: begin, ATTEMPT: attempt, COMMIT: commit, FORGET: forget, DENSE: dense, MIDWAY: midway}


def rows_of_work(problem):
    """Rows of W for results, vectors and matrices."""
    n, m = problem.n, problem.n
    return 3 * n + m * m + n * m + m + VECTORS * m + 10 * (m * m + 3)


def still(problem, numbers):
    """Accelerations that nobody reads: the step knows its own."""
    return [problem.graph.const(0.0)] * problem.n


SYMPLECTIC_PERTURBATION = Integrator(
    "symplectic_perturbation", 2, SLOT, LAST_SLOT, FUNCTIONS, adaptive=False, generated=perturbation_functions,
    accelerations=still, work=rows_of_work, reads={"o": ("origin", ""), "e": ("known", ""), "p": ("given", "")},
    holds=("position", "velocity"), needs="rods that bend",
)  # fmt: skip
