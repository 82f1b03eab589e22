"""Explicit Runge-Kutta (Nyström form) on the index-1 equations: a method is a tableau whose last row is the step itself."""

# ruff: noqa: F821 - names are bound in the generated module
from dataclasses import replace

import numpy as np

from flexmbd.integrators.base import Integrator, larger
from flexmbd.lanes import fabs, maximum, select


def begin(t, q, v, s, C, P, U, K, D, g):
    """Accelerations at the start."""
    rhs(t, q, v, s, C, P, U, K, np.int64(0), D, g)  # not a literal: one compiled variant serves all slots


def settle(j, t0, h, tolerance, q, v, t, qs, vs, P, U, L, K, D, w):
    """What becomes of the state of stage j at t, the step of length h having begun at t0 with q and v: nothing."""


def relax(j, t, h, q, v, s, C, P, U, K, D, w):
    """What becomes of the accelerations and rates of stage j, the step of length h having begun at t with q, v and s: nothing."""


def attempt(t, h, tolerance, q, v, s, C, P, U, L, Z, K, D, w, qs, vs, ss, g):
    """All stages of one step; the last stage is the step's end, and its accelerations serve the next step."""
    h2 = h * h
    for j in range(1, STAGES):
        for i in range(N):
            x = ld2(K, 0, i)
            dv, dq = A[j, 0] * x, AA[j, 0] * x
            for k in range(1, j):
                x = ld2(K, k, i)
                dv = dv + A[j, k] * x
                dq = dq + AA[j, k] * x
            vi = ld(v, i)
            st(qs, i, ld(q, i) + ((NODES[j] * h) * vi + h2 * dq))
            st(vs, i, vi + h * dv)
        for i in range(M):
            ds = A[j, 0] * ld2(D, 0, i)
            for k in range(1, j):
                ds = ds + A[j, k] * ld2(D, k, i)
            st(ss, i, ld(s, i) + h * ds)
        settle(j, t, h, tolerance, q, v, t + NODES[j] * h, qs, vs, P, U, L, K, D, w)
        rhs(t + NODES[j] * h, qs, vs, ss, C, P, U, K, j, D, g)
        relax(j, t, h, q, v, s, C, P, U, K, D, w)
    lin, ang = 1.0 / (tolerance * ld(L, SLIN)), 1.0 / (tolerance * ld(L, SANG))
    worst = 0.0 * h
    for i in range(N):
        e = ERROR[0] * ld2(K, 0, i)
        for k in range(1, STAGES):
            e = e + ERROR[k] * ld2(K, k, i)
        e = fabs(h * e) * (ang if TURNS[i] else lin)
        worst = larger(e, worst)
    for i in range(M):
        if STATE_CONTROLLED[i] > 0:
            e = ERROR[0] * ld2(D, 0, i)
            for k in range(1, STAGES):
                e = e + ERROR[k] * ld2(D, k, i)
            e = fabs(h * e) / (tolerance * maximum(maximum(ld(Z, i), fabs(ld(ss, i))), 1e-12))
            worst = larger(e, worst)
    return worst


def commit(accepted, K, D):
    """First same as last."""
    for i in range(N):
        st2(K, 0, i, select(accepted, ld2(K, LAST, i), ld2(K, 0, i)))
    for i in range(M):
        st2(D, 0, i, select(accepted, ld2(D, LAST, i), ld2(D, 0, i)))


def forget(who, K):
    """A one-step scheme has nothing to forget."""


def runge_kutta(name, order, rows, error=None, *, projects=True, **facts):
    """Integrator of a tableau.

    Parameters
    ----------
    rows : sequence
        Rows of the matrix A of all stages; the last row is the weights of the step (first same as last).
    error : sequence, optional
        Weights of the solution less those of the embedded one; without them the step is fixed.
    projects, facts
        See `Integrator`.
    """
    stages = len(rows)
    a = np.zeros((stages, stages))
    for j, row in enumerate(rows):
        a[j, : len(row)] = row
    constants = {
        "STAGES": stages,
        "A": a,
        "AA": a @ a,
        "NODES": a.sum(1),
        "ERROR": np.array(error if error is not None else [0.0] * stages),
    }
    functions, adaptive = (larger, begin, settle, relax, attempt, commit, forget), error is not None
    return Integrator(name, order, stages, 1, functions, constants, adaptive=adaptive, projects=projects, **facts)


def derived(scheme, name, *, kernels, constants, **facts):
    """Integrator like another, with kernels in place of those of the same name, and further ones, constants and facts."""
    own = {f.__name__ for f in kernels}
    functions = (*kernels, *(f for f in scheme.functions if f.__name__ not in own))
    return replace(scheme, name=name, functions=functions, constants=scheme.constants | constants, **facts)
