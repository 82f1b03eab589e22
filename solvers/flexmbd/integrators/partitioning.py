"""Partitioning of coordinates (Wehage and Haug 1982, J. Mech. Des. 104, 247-255) by the pair of Dormand and Prince.

Only as many coordinates as there are degrees of freedom are integrated from step to step.  At a step's end the rows give the others, the
dependent ones, and their velocities, the independent ones being held: Newton's iteration of `flexmbd.newton.partition`, until nothing
changes but by rounding.  So rows hold at every step, and no projection ever moves an independent coordinate.  What the tableau makes of
dependent ones serves the stages inside the step, and is where the iteration starts.  (To close the rows at all stages too was measured:
errors then grow with a high power of the condition of the dependent coordinates, and depend on where their choice changes.)

Which are dependent is chosen lane by lane, by elimination with complete pivoting of G (rows scaled to 1, columns by the sizes of
velocities so far): its pivots' columns.  Rows are quadratic, so G changes as the coordinates do: the choice is made at the start, and anew
when since then a unit vector or slope has changed by `MOVED`, or a place by that share of the system's size.  A one-step method loses
nothing by that.  A trial step beyond the reach of the dependent coordinates has no solution and is rejected.  Where rows lose rank there
is no choice that determines the motion: take another scheme with augmented constraints.
"""

# ruff: noqa: F821 - names are bound in the generated module
import numpy as np

from flexmbd.integrators.base import larger
from flexmbd.integrators.dormand_prince import DORMAND_PRINCE
from flexmbd.integrators.explicit import derived
from flexmbd.lanes import any_lane, fabs, lnot, maximum, select
from flexmbd.newton.partition import partition_functions


def pivots(J, L, K):
    """Dependent coordinates of the lanes marked in the last row of J, by elimination of the gradients above it."""
    A, free = np.empty((NM, N)), np.empty(NM)
    for lane in range(W):
        if J[NM * N, lane] > 0.5:
            for i in range(N):
                K[DEPENDENT, i, lane] = 0.0
                size = L[SANG, lane] if TURNS[i] else L[SLIN, lane]
                for k in range(NM):
                    A[k, i] = J[k * N + i, lane] * size
            for k in range(NM):
                free[k] = 1.0 / max(np.abs(A[k]).max(), 1e-300)
            for _ in range(NM):
                best, row, column = 0.0, 0, 0
                for k in range(NM):
                    for i in range(N):
                        x = free[k] * abs(A[k, i])
                        if x > best:
                            best, row, column = x, k, i
                if best == 0.0:
                    break
                K[DEPENDENT, column, lane] = 1.0
                free[row] = 0.0
                for k in range(NM):
                    if free[k] > 0.0:
                        share = A[k, column] / A[row, column]
                        for i in range(N):
                            A[k, i] -= share * A[row, i]
                        A[k, column] = 0.0


def choose(t, size, q, P, U, L, K):
    """Choose dependent coordinates where there are none yet, or where the gradients may have changed much since they were chosen."""
    moved = 0.0 * t
    for i in range(N):
        x = fabs(ld(q, i) - ld2(K, CHOSEN, i))
        moved = maximum(x if TURNS[i] else x / size, moved)
    who = (ld(L, STEPS) + ld(L, REJECTED) < 0.5) | (moved > MOVED)
    if any_lane(who):
        J = np.zeros((NM * N + 1, W))
        gradients(t, q, P, U, J)
        st(J, NM * N, select(who, 1.0 + 0.0 * t, 0.0))
        pivots(J, L, K)
        for i in range(N):
            st2(K, CHOSEN, i, select(who, ld(q, i), ld2(K, CHOSEN, i)))


def settle(j, t0, h, tolerance, q, v, t, qs, vs, P, U, L, K, D, w):
    """Give dependent coordinates and velocities of the step's end what the rows demand; lanes in which that fails become NaN."""
    if j < STAGES - 1:
        return
    size = 0.0 * t
    for i in range(N):
        if not TURNS[i]:
            size = maximum(fabs(ld(q, i)), size)
    size = maximum(size, 1e-3 * ld(L, SLIN) / ld(L, SANG))
    choose(t0, size, q, P, U, L, K)
    active, before = t >= t0, 1.0 + 0.0 * t
    for _ in range(ITERATIONS):
        closing(t, qs, vs, K[DEPENDENT], P, U, w)
        change = 0.0 * t
        for i in range(N):
            dq, dv = select(active, ld(w, i), 0.0), select(active, ld(w, N + i), 0.0)
            st(qs, i, ld(qs, i) + dq)
            st(vs, i, ld(vs, i) + dv)
            e = fabs(dq) if TURNS[i] else fabs(dq) / size
            change = larger(larger(fabs(dv) / (ld(L, SANG) if TURNS[i] else ld(L, SLIN)), e), change)
        active, before = active & lnot(before <= CLOSED), change  # one more after the last change, for the velocities
        if not any_lane(active):
            break
    if any_lane(active):
        for i in range(N):
            st(qs, i, select(active, np.nan, ld(qs, i)))
            st(vs, i, select(active, np.nan, ld(vs, i)))


STAGES = DORMAND_PRINCE.constants["STAGES"]
PARTITIONING = derived(
    DORMAND_PRINCE, "partitioning", kernels=(pivots, choose, settle), slots=STAGES + 2, generated=partition_functions,
    constants={"LAST": STAGES - 1, "DEPENDENT": STAGES, "CHOSEN": STAGES + 1, "MOVED": 0.1, "ITERATIONS": 12, "CLOSED": 1e-8},
    projects=False, holds=("position", "velocity"),
)  # fmt: skip
