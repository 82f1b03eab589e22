"""Generalized-alpha on the stabilised index-2 equations of Gear, Gupta and Leimkuhler: rows hold as positions and as velocities.

Positions are shifted along the gradients of the rows by second multipliers m (1985, J. Comput. Appl. Math. 12-13, 77-90)::

    q1 = q0 + h v0 + h^2 ((1/2 - beta) A0 + beta A1) + e,    M e + icm G(q1)' m = 0,    Phi(q1) = 0,    G(q1) v1 + Phi_t = 0

(for generalized-alpha: Arnold, Brüls and Cardona 2015, Numer. Math. 129, 149-179).  So the multipliers are those of an index-2 system,
and an error of v that index 3 leaves is not there.
"""

# ruff: noqa: F821 - names are bound in the generated module
from flexmbd.integrators.generalized_alpha import TUNED
from flexmbd.integrators.implicit import implicit
from flexmbd.lanes import select
from flexmbd.newton import newton_stabilised


def anchor(icm, qs, K):
    """Keep the part of the positions that neither the new accelerations nor shifts make."""
    for i in range(N):
        st2(K, ORIGIN, i, ld(qs, i) - icm * ld2(K, NEXT_ACCELERATION, i))


def displaced(i, active, w):
    """Share of a coordinate's correction that no acceleration makes: the shift's."""
    return select(active, ld(w, N + NM + i), 0.0)


GGL = implicit(
    "ggl", 2, newton_stabilised, kernels=(anchor, displaced), slots=("ORIGIN",), multipliers=2, holds=("position", "velocity"), **TUNED
)
