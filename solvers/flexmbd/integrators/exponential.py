"""An exponential integrator for rods of two rates: exact vibration, the rest by the Runge-Kutta method ETD2RK (Cox and Matthews 2002).

The accelerations of the index-1 equations are split at places in the middle of the step: the bending vibrates, and the large motion
follows it by Y (`equations.perturbation`); with ``R = R + W Y`` there and the accelerations ``a_q, a_a`` of both::

    R a'' + K a = F,     q'' = Y a'' + w,     F = R a_a + K a,     w = a_q - Y a_a

That linear part is solved exactly, by cosine and sine of a matrix (`precise`), with F and w constant in a first step, which gives them at
its end, and linear in time between both (J. Comput. Phys. 176, 430-455, (22); Hochbruck and Ostermann 2010, Acta Numer. 19, 209-286; of
second order with such functions Hochbruck and Lubich 1999, Numer. Math. 83, 403-426).  Explicit, of order 2, neither symplectic nor
symmetric: the peer of `symplectic_perturbation` at the same steps.  Places and velocities are projected onto the rows after every step.
"""

from functools import partial

from flexmbd.equations.perturbation import vibration_functions
from flexmbd.integrators.base import Integrator, Slot
from flexmbd.integrators.bending import (
    AMPLITUDE, BOW, CHANGE, IMPULSE, LAG, MEAN, NEW, RATE, SPEED, STIFFNESS, SWING, VECTORS, amplitudes, is_small, results, slot, vibrate,
)  # fmt: skip
from flexmbd.integrators.explicit import commit, forget
from flexmbd.integrators.precise import copy, factorise, room, wave_functions
from flexmbd.lanes import select
from flexmbd.lanes.rows import evaluate, ld, st
from flexmbd.lanes.vector import inner
from flexmbd.stepping.names import (
    ATTEMPT, BEGIN, COMMIT, DENSE, END, ERROR, FORGET, FRACTION, LINEARISE, MIDDLE, MIDWAY, PROJECT, RATES, RHS, START, H, M, N, T,
)  # fmt: skip

NAME = "exponential"
SLOT = (
    Slot("first", "accelerations and rates at the start", True),
    Slot("which", "1 for each amplitude", True),
    Slot("rest", "w at the start; of amplitudes F over the stiffness"),
    Slot("next rest", "the same at the end"),
    Slot("last", "accelerations and rates at the end"),
)
FIRST, WHICH, REST, NEXT_REST, LAST_SLOT = range(len(SLOT))  # `WHICH` is where `bending` reads it
PROJECTIONS = 2  # of rows that a step leaves open by its third power: the square of the square of that is left
WITHIN = 1e-9  # of a step, where an end is meant


def begin(X, P, W, at):
    """Accelerations at the start, and which coordinates are amplitudes."""
    evaluate(at[RHS], X, P, W, at, START, slot(FIRST, at))
    evaluate(at[LINEARISE], X, P, W, at, START, 0)
    for i in range(at[N]):
        st(X, slot(WHICH, at) + i, ld(W, i))


@inner
def linearise(time, h, m, X, P, W, at):
    """The linear part in the middle of the step, and what it makes of a state after a time."""
    for i in range(2 * at[N] + at[M]):
        st(X, at[MIDDLE] + 1 + i, ld(X, START + 1 + i))
    for i in range(at[N]):
        if not is_small(i, X, at):
            st(X, at[MIDDLE] + 1 + i, ld(X, START + 1 + i) + 0.5 * h * ld(X, START + 1 + at[N] + i))
    evaluate(at[LINEARISE], X, P, W, at, at[MIDDLE], 0)
    masses, _, stiffness, vectors, matrices = results(m, at)
    copy(stiffness, vectors + STIFFNESS * m, m, W)
    copy(masses, matrices, m * m, W)
    factorise(matrices, m, W)
    wave_functions(time, matrices, vectors + STIFFNESS * m, matrices + room(m), m, W)
    j = 0
    for i in range(at[N]):
        if is_small(i, X, at):
            st(W, vectors + AMPLITUDE * m + j, ld(X, START + 1 + i))
            x, k = 0.0 * h, 0
            for other in range(at[N]):
                if is_small(other, X, at):
                    x = x + ld(W, masses + m * j + k) * ld(X, START + 1 + at[N] + other)
                    k += 1
            st(W, vectors + IMPULSE * m + j, x)
            j += 1


@inner
def rest(accelerations, point, to, m, X, W, at):
    """What accelerations at a point have beside the linear part, into a slot."""
    masses, places, stiffness, vectors, _ = results(m, at)
    j = 0
    for i in range(at[N]):
        if is_small(i, X, at):
            st(W, vectors + NEW * m + j, ld(X, slot(accelerations, at) + i))
            j += 1
    j = 0
    for i in range(at[N]):
        if is_small(i, X, at):
            x = 0.0 * ld(X, H)
            for k in range(m):
                x = x + ld(W, masses + m * j + k) * ld(W, vectors + NEW * m + k)
            st(X, slot(to, at) + i, ld(X, point + 1 + i) + x / ld(W, stiffness + j))
            j += 1
        else:
            x = ld(X, slot(accelerations, at) + i)
            for k in range(m):
                x = x - ld(W, places + m * i + k) * ld(W, vectors + NEW * m + k)
            st(X, slot(to, at) + i, x)


@inner
def solve(part, change, to, h, m, X, W, at):
    """The state at a part of the step, for which `linearise` was called, into a point; with the `change` of the rest, or without (0)."""
    n, start, time = at[N], START + 1, part * h
    _, places, _, vectors, _ = results(m, at)
    j = 0
    for i in range(n):
        if is_small(i, X, at):
            f0 = ld(X, slot(REST, at) + i)
            d = change * (ld(X, slot(NEXT_REST, at) + i) - f0)
            st(W, vectors + MEAN * m + j, f0 + 0.5 * d)
            st(W, vectors + CHANGE * m + j, d)
            st(W, vectors + BOW * m + j, 0.0 * h)
            st(W, vectors + LAG * m + j, 0.0 * h)
            j += 1
    vibrate(part, h, m, X, W, at)
    j = 0
    for i in range(n):  # what amplitudes and rates have beside the rates of the start
        if is_small(i, X, at):
            a, rate, v = ld(W, vectors + NEW * m + j), ld(W, vectors + RATE * m + j), ld(X, start + n + i)
            st(W, vectors + SWING * m + j, a - ld(X, start + i) - time * v)
            st(W, vectors + SPEED * m + j, rate - v)
            st(X, to + 1 + i, a)
            st(X, to + 1 + n + i, rate)
            j += 1
    for i in range(n):
        if not is_small(i, X, at):
            w, v = ld(X, slot(REST, at) + i), ld(X, start + n + i)
            d = change * part * (ld(X, slot(NEXT_REST, at) + i) - w)
            x, y = time * (v + time * (0.5 * w + d / 6.0)), time * (w + 0.5 * d)
            for k in range(m):
                follows = ld(W, places + m * i + k)
                x = x + follows * ld(W, vectors + SWING * m + k)
                y = y + follows * ld(W, vectors + SPEED * m + k)
            st(X, to + 1 + i, ld(X, start + i) + x)
            st(X, to + 1 + n + i, v + y)
    st(X, to, ld(X, T) + time)


def attempt(X, P, W, at):
    """One step."""
    n, h, last = at[N], ld(X, H), slot(LAST_SLOT, at)
    m, one, end = amplitudes(X, at), 1.0 + 0.0 * h, at[END] + 1
    linearise(h, h, m, X, P, W, at)
    rest(FIRST, START, REST, m, X, W, at)
    solve(one, 0.0, at[END], h, m, X, W, at)
    for k in range(2 * n, 2 * n + at[M]):
        st(X, end + k, ld(X, START + 1 + k) + h * ld(X, slot(FIRST, at) + at[RATES] + k - 2 * n))
    evaluate(at[RHS], X, P, W, at, at[END], last)
    rest(LAST_SLOT, at[END], NEXT_REST, m, X, W, at)
    solve(one, 1.0, at[END], h, m, X, W, at)
    for _ in range(PROJECTIONS):
        evaluate(at[PROJECT], X, P, W, at, at[END], 0)
        for i in range(2 * n):
            st(X, end + i, ld(X, end + i) + ld(W, i))
    evaluate(at[RHS], X, P, W, at, at[END], last)
    for k in range(at[M]):
        r = at[RATES] + k
        st(X, end + 2 * n + k, ld(X, START + 1 + 2 * n + k) + 0.5 * h * (ld(X, slot(FIRST, at) + r) + ld(X, last + r)))
    st(X, ERROR, 0.0 * h)


@inner
def between(part, X, P, W, at):
    """State at a part of the step, into the point `MIDDLE`."""
    n, h, middle, end = at[N], ld(X, H), at[MIDDLE] + 1, at[END] + 1
    m = amplitudes(X, at)
    linearise(part * h, h, m, X, P, W, at)
    solve(part, 1.0, at[MIDDLE], h, m, X, W, at)
    for i in range(2 * n + at[M]):
        x = ld(X, middle + i)
        if i >= 2 * n:
            x = (1.0 - part) * ld(X, START + 1 + i) + part * ld(X, end + i)
        st(X, middle + i, select(part > 1.0 - WITHIN, ld(X, end + i), x))


def dense(X, P, W, at):
    """A lane's state at `FRACTION` of the step."""
    between(ld(X, FRACTION), X, P, W, at)


def midway(X, P, W, at):
    """The middle of the step."""
    between(0.5 + 0.0 * ld(X, H), X, P, W, at)


def rows_of_work(problem):
    """Rows of W for results, vectors and matrices."""
    n = problem.n
    return 3 * n + n * n + n * n + n + VECTORS * n + 7 * (n * n + 3)


EXPONENTIAL = Integrator(
    NAME, 2, SLOT, LAST_SLOT, {BEGIN: begin, ATTEMPT: attempt, COMMIT: commit, FORGET: forget, DENSE: dense, MIDWAY: midway},
    adaptive=False, generated=partial(vibration_functions, scheme=NAME), work=rows_of_work, holds=("position", "velocity"),
    needs="rods that bend",
)  # fmt: skip
