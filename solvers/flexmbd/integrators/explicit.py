"""Explicit Runge-Kutta (Nyström form) on the index-1 equations: a method is a tableau whose last row is the step itself."""

import numpy as np

from flexmbd.integrators.base import Integrator, Slot, larger
from flexmbd.integrators.closing import EXACT, FAR, FAST, close_rows
from flexmbd.lanes import fabs, maximum, select
from flexmbd.lanes.rows import call, doubles, evaluate, ld, st, words
from flexmbd.lanes.vector import inner
from flexmbd.stepping.names import (
    ANGULAR, ATTEMPT, BEGIN, COMMIT, CONTROLLED, END, ERROR, FIXED, FORGET, LARGEST, LAST, LEDGERS, RATES, REAL, RELAX, RHS,
    ANGULAR_SCALE, SCHEME, PREPARE_STAGE, VELOCITY_SCALE, SLOTS, STAGE, START, STRIDE, TOLERANCE, WHO, H, M, N, T,
)  # fmt: skip


@inner
def estimate(weights, h, X, at):
    """Largest error of a velocity or of a controlled state, over the tolerance, by numbers of the scheme from `weights` on."""
    n, stages, stride, first, scheme = at[N], at[LAST] + 1, at[STRIDE], at[SLOTS], doubles(at[SCHEME])
    tolerance = doubles(at[REAL])[TOLERANCE]
    angular, controlled = words(at[ANGULAR]), words(at[CONTROLLED])
    lin, ang = 1.0 / (tolerance * ld(X, VELOCITY_SCALE)), 1.0 / (tolerance * ld(X, ANGULAR_SCALE))
    worst = 0.0 * h
    for i in range(n):
        e = scheme[weights] * ld(X, first + i)
        for k in range(1, stages):
            e = e + scheme[weights + k] * ld(X, first + k * stride + i)
        scale = lin
        if angular[i] > 0:
            scale = ang
        worst = larger(fabs(h * e) * scale, worst)
    for i in range(at[M]):
        if controlled[i] > 0:
            rate = first + at[RATES] + i
            e = scheme[weights] * ld(X, rate)
            for k in range(1, stages):
                e = e + scheme[weights + k] * ld(X, rate + k * stride)
            size = maximum(maximum(ld(X, at[LARGEST] + i), fabs(ld(X, at[END] + 1 + 2 * n + i))), 1e-12)
            worst = larger(fabs(h * e) / (tolerance * size), worst)
    return worst


def begin(X, P, W, at):
    """Accelerations at the start."""
    evaluate(at[RHS], X, P, W, at, START, at[SLOTS])


@inner
def place(j, width, to, X, at):
    """Places and velocities of stage j of a tableau with rows of that width, behind row `to`.

    Weights are read before the loop, as what is stored might else change them: of six stages here, of further ones within.
    """
    n, stride, first, scheme = at[N], at[STRIDE], at[SLOTS], doubles(at[SCHEME])
    start, end, h, v_row, q_row = START + 1, to + 1, ld(X, H), j * width, width * (width + j)
    h2, h_node = h * h, scheme[2 * width * width + j] * h
    last = j - 1
    a0, a1, a2 = scheme[v_row], scheme[v_row + min(1, last)], scheme[v_row + min(2, last)]
    a3, a4, a5 = scheme[v_row + min(3, last)], scheme[v_row + min(4, last)], scheme[v_row + min(5, last)]
    b0, b1, b2 = scheme[q_row], scheme[q_row + min(1, last)], scheme[q_row + min(2, last)]
    b3, b4, b5 = scheme[q_row + min(3, last)], scheme[q_row + min(4, last)], scheme[q_row + min(5, last)]
    for i in range(n):
        row = first + i
        x = ld(X, row)
        dv, dq = a0 * x, b0 * x
        if j > 1:
            x = ld(X, row + stride)
            dv, dq = dv + a1 * x, dq + b1 * x
        if j > 2:
            x = ld(X, row + 2 * stride)
            dv, dq = dv + a2 * x, dq + b2 * x
        if j > 3:
            x = ld(X, row + 3 * stride)
            dv, dq = dv + a3 * x, dq + b3 * x
        if j > 4:
            x = ld(X, row + 4 * stride)
            dv, dq = dv + a4 * x, dq + b4 * x
        if j > 5:
            x = ld(X, row + 5 * stride)
            dv, dq = dv + a5 * x, dq + b5 * x
        for k in range(6, j):
            x = ld(X, row + k * stride)
            dv, dq = dv + scheme[v_row + k] * x, dq + scheme[q_row + k] * x
        v = ld(X, start + n + i)
        st(X, end + i, ld(X, start + i) + (h_node * v + h2 * dq))
        st(X, end + n + i, v + h * dv)


@inner
def stage(j, width, to, states, X, P, W, at):
    """Stage j at point `to`: its time, places, velocities and the first of the further states; what they give it does not compute."""
    n, stride, rates, scheme = at[N], at[STRIDE], at[SLOTS] + at[RATES], doubles(at[SCHEME])
    start, end, h, row = START + 1, to + 1, ld(X, H), j * width
    place(j, width, to, X, at)
    for i in range(states):
        ds = scheme[row] * ld(X, rates + i)
        for k in range(1, j):
            ds = ds + scheme[row + k] * ld(X, rates + k * stride + i)
        st(X, end + 2 * n + i, ld(X, start + 2 * n + i) + h * ds)
    st(X, to, ld(X, T) + scheme[2 * width * width + j] * h)


@inner
def run_stages(width, X, P, W, at):
    """All stages of one step; the last stage is the step's end, and its accelerations serve the next step."""
    h, stages = ld(X, H), at[LAST] + 1
    for j in range(1, stages):
        stage(j, width, at[END], at[M] if j == at[LAST] else at[M] - at[LEDGERS], X, P, W, at)  # nothing reads ledgers at a stage
        at[STAGE] = j
        if j == stages - 1 and at[FIXED] > 0:
            far = FAST
            if stages > 5:  # order 5
                far = FAR
            close_rows(h > 0.0, h < 0.0, far, EXACT, X, P, W, at)
        if at[PREPARE_STAGE] > 0:
            call(at[PREPARE_STAGE], X, P, W, at)
        evaluate(at[RHS], X, P, W, at, at[END], at[SLOTS] + j * at[STRIDE])
        if at[RELAX] > 0:
            call(at[RELAX], X, P, W, at)


def attempt(X, P, W, at):
    """All stages of one step, and its error."""
    stages = at[LAST] + 1
    run_stages(stages, X, P, W, at)
    st(X, ERROR, estimate(stages * (2 * stages + 1), ld(X, H), X, at))


def commit(X, P, W, at):
    """First same as last."""
    first, last, accepted = at[SLOTS], at[SLOTS] + at[LAST] * at[STRIDE], ld(X, WHO) > 0.5
    for i in range(at[N]):
        st(X, first + i, select(accepted, ld(X, last + i), ld(X, first + i)))
    for i in range(at[RATES], at[RATES] + at[M]):
        st(X, first + i, select(accepted, ld(X, last + i), ld(X, first + i)))


def forget(X, P, W, at):
    """A one-step scheme has nothing to forget."""


FUNCTIONS = {BEGIN: begin, ATTEMPT: attempt, COMMIT: commit, FORGET: forget}


def tableau(rows, places=None):
    """Numbers of a tableau as `place` reads them: matrices by which velocities and places follow, row by row, and nodes."""
    a = np.zeros((len(rows), len(rows)))
    for j, row in enumerate(rows):
        a[j, : len(row)] = row
    return np.concatenate([a.ravel(), (a @ a if places is None else places).ravel(), a.sum(1)])


def runge_kutta(name, order, rows, error=None, *, places=None, projects=True, slots=(), functions=None, **facts):
    """Integrator of a tableau.

    Parameters
    ----------
    rows : sequence
        Rows of the matrix A of all stages; the last row is the weights of the step (first same as last).
    error : sequence, optional
        Weights of the solution less those of the embedded one; without them the step is fixed.
    places : ndarray, optional
        Matrix by which places follow from the stages' accelerations, times the square of the step; A A unless given.
    slots : tuple of Slot
        Further ones, behind those of the stages.
    functions : mapping, optional
        Others, or in place of those here: `PREPARE_STAGE` changes the state of the stage `STAGE` (point `END`) before its accelerations are
        computed, `RELAX` what was computed.
    projects, facts
        See `Integrator`.
    """
    stages = len(rows)
    numbers = np.concatenate([tableau(rows, places), error if error is not None else np.zeros(stages)])
    own = [Slot(f"stage {j}", f"accelerations and rates of stage {j}", j == 0) for j in range(stages)]
    return Integrator(
        name, order, (*own, *slots), stages - 1, FUNCTIONS | (functions or {}), tuple(numbers.tolist()), adaptive=error is not None,
        projects=projects, **facts,
    )  # fmt: skip
