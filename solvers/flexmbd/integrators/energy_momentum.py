"""Energy-momentum conserving midpoint rule for quadratic constraints, at a fixed step.

With the mean acceleration a and the multipliers l of the step::

    M a + G(qm)' l = F(qm, vm, sm, tm),    Phi(q1, t1) = 0,    qm = (q0 + q1)/2
    v1 = v0 + h a,    q1 = q0 + (h/2) (v0 + v1)

(Gonzalez 1999, Comput. Methods Appl. Mech. Eng. 174, 165-174; for natural coordinates Betsch and Steinmann 2001, Int. J. Numer. Meth. Engng
50, 1931-1955.)  Because Phi is quadratic, ``G(qm) (q1 - q0) = Phi(q1) - Phi(q0) = 0``: constraint forces do no work, and momentum and
angular momentum are kept like those of the motion.  Energy is kept exactly where the potential is linear or quadratic in the coordinates
(gravity), and where an element offers a force whose work over the step is the change of its energy (`Share.exchanges`: cables).  The
length of a spring is neither, there the midpoint force leaves an error of O(h^2).

Rows hold as velocities at the middle only: those of the end have a bounded error of O(h^2) that changes its sign, so the multipliers,
which belong to the middle of the step, are of order 1.
"""

# ruff: noqa: F821 - names are bound in the generated module
import numpy as np

from flexmbd.integrators.implicit import implicit
from flexmbd.lanes import select
from flexmbd.newton import newton_midpoint


def predict(h, q, v, s, K, D, qs, vs, ss):
    """Start of the Newton iteration: the middle of the step by the mean acceleration of the step before."""
    for i in range(N):
        a, qi, vi = ld2(K, ACCELERATION, i), ld(q, i), ld(v, i)
        st2(K, ORIGIN, i, qi)
        st2(K, NEXT_ACCELERATION, i, a)
        st(qs, i, qi + h * (0.5 * vi + 0.25 * h * a))
        st(vs, i, vi + 0.5 * h * a)
    for k in range(NM):
        st2(K, NEXT_MULTIPLIER, k, ld2(K, MULTIPLIER, k))
    for k in range(M):
        x = ld(s, k)
        st2(D, KNOWN, k, x)
        st(ss, k, x + 0.5 * h * ld2(D, FIRST, k))


def attempt(t, h, tolerance, q, v, s, C, P, U, L, Z, K, D, w, qs, vs, ss, g):
    """One step; infinite where Newton's iteration fails, else 0."""
    predict(h, q, v, s, K, D, qs, vs, ss)
    converged = correct(t + 0.5 * h, h, 0.25, 0.5, C, P, U, L, K, D, w, qs, vs, ss)
    for i in range(N):
        st(qs, i, 2.0 * ld(qs, i) - ld(q, i))
        st(vs, i, ld(v, i) + h * ld2(K, NEXT_ACCELERATION, i))
    for k in range(M):
        st(ss, k, 2.0 * ld(ss, k) - ld(s, k))
    rhs(t + h, qs, vs, ss, C, P, U, K, np.int64(LAST), D, g)
    for k in range(M):
        if STATE_CONTROLLED[k] == 0:
            st(ss, k, ld(s, k) + 0.5 * h * (ld2(D, FIRST, k) + ld2(D, LAST, k)))
    return select(converged, 0.0 * h, np.inf)


ENERGY_MOMENTUM = implicit(
    "energy_momentum", 2, newton_midpoint, kernels=(predict, attempt), slots=("ORIGIN",), constants={"SLOW": 0.0, "CLOSE": 1e-2},
    adaptive=False, multiplier_order=1, multiplier_time=-0.5, holds=("position",), conserves=("energy", "momentum", "angular momentum"),
)  # fmt: skip
