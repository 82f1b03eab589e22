"""Energy-momentum conserving midpoint rule for quadratic constraints, at a fixed step.

With the mean acceleration a and the multipliers l of the step::

    M a + G(qm)' l = F(qm, vm, sm, tm),    Phi(q1, t1) = 0,    qm = (q0 + q1)/2
    v1 = v0 + h a,    q1 = q0 + (h/2) (v0 + v1)

(Gonzalez 1999, Comput. Methods Appl. Mech. Eng. 174, 165-174; for natural coordinates Betsch and Steinmann 2001, Int. J. Numer. Meth. Engng
50, 1931-1955.)  Because Phi is quadratic, ``G(qm) (q1 - q0) = Phi(q1) - Phi(q0) = 0``: constraint forces do no work, and momentum and
angular momentum are kept like those of the motion.  Energy is kept exactly where the potential is linear or quadratic in the coordinates
(gravity), and where an element offers a force whose work over the step is the change of its energy (`ElementEquations.discrete_gradients`:
cables).  The length of a spring is neither, there the midpoint force leaves an error of O(h^2).

Rows hold as velocities at the middle only: those of the end have a bounded error of O(h^2) that changes its sign, so the multipliers,
which belong to the middle of the step, are of order 1.
"""

import numpy as np

from flexmbd.integrators.base import Slot
from flexmbd.integrators.implicit import implicit
from flexmbd.integrators.iteration import (
    ACCELERATION, FIRST, KNOWN, MULTIPLIER, NEXT_ACCELERATION, NEXT_MULTIPLIER, ORIGIN, correct, creep, slot,
)  # fmt: skip
from flexmbd.lanes import select
from flexmbd.lanes.rows import evaluate, ld, st, words
from flexmbd.lanes.vector import inner
from flexmbd.equations import newton_midpoint
from flexmbd.stepping.names import ATTEMPT, CONTROLLED, END, ERROR, LAST, NM, RATES, RHS, START, H, M, N, T


@inner
def predict(h, X, at):
    """Start of the Newton iteration: the middle of the step by the mean acceleration of the step before."""
    n, start, end = at[N], START + 1, at[END] + 1
    for i in range(n):
        a, q, v = ld(X, slot(ACCELERATION, at) + i), ld(X, start + i), ld(X, start + n + i)
        st(X, slot(ORIGIN, at) + i, q)
        st(X, slot(NEXT_ACCELERATION, at) + i, a)
        st(X, end + i, q + h * (0.5 * v + 0.25 * h * a))
        st(X, end + n + i, v + 0.5 * h * a)
    for k in range(at[NM]):
        st(X, slot(NEXT_MULTIPLIER, at) + k, ld(X, slot(MULTIPLIER, at) + k))
    for k in range(at[M]):
        x = ld(X, start + 2 * n + k)
        st(X, slot(KNOWN, at) + at[RATES] + k, x)
        st(X, end + 2 * n + k, x + 0.5 * h * ld(X, slot(FIRST, at) + at[RATES] + k))


def attempt(X, P, W, at):
    """One step; its error is infinite where Newton's iteration fails, else 0."""
    n, start, end, last, controlled = at[N], START + 1, at[END] + 1, slot(at[LAST], at), words(at[CONTROLLED])
    t, h = ld(X, T), ld(X, H)
    predict(h, X, at)
    converged = correct(t + 0.5 * h, h, 0.25 + 0.0 * h, 0.5 + 0.0 * h, X, P, W, at)
    for i in range(n):
        st(X, end + i, 2.0 * ld(X, end + i) - ld(X, start + i))
        st(X, end + n + i, ld(X, start + n + i) + h * ld(X, slot(NEXT_ACCELERATION, at) + i))
    for k in range(2 * n, 2 * n + at[M]):
        st(X, end + k, 2.0 * ld(X, end + k) - ld(X, start + k))
    st(X, at[END], t + h)
    evaluate(at[RHS], X, P, W, at, at[END], last)
    for k in range(at[M]):
        if controlled[k] == 0:
            i, r = 2 * n + k, at[RATES] + k
            st(X, end + i, ld(X, start + i) + 0.5 * h * (ld(X, slot(FIRST, at) + r) + ld(X, last + r)))
    st(X, ERROR, select(converged, 0.0, np.inf))
    creep(X, P, W, at)


ENERGY_MOMENTUM = implicit(
    "energy_momentum", 2, newton_midpoint, functions={ATTEMPT: attempt}, slots=(Slot("origin", "coordinates at the step's start"),),
    close=(0.0, 1e-2), adaptive=False, multiplier_order=1, multiplier_time=-0.5, holds=("position",),
    conserves=("energy", "momentum", "angular momentum"),
)  # fmt: skip
