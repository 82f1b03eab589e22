"""Baumgarte's stabilisation of the index-1 equations (1972, Comput. Methods Appl. Mech. Eng. 1, 1-16), by the classical Runge-Kutta method.

Instead of ``d2Phi/dt2 = 0`` accelerations satisfy ``d2Phi/dt2 + 2 c dPhi/dt + c^2 Phi = 0``, critically damped with the rate c of the
setting `decay`.  Then open rows close like ``exp(-c t)``, and what the integration's error opens stays bounded without projections.
c is a number in 1/s and not, say, 1/h: stages violate the rows by O(h^3), and order would be lost.
"""

from dataclasses import replace

from flexmbd.equations.index1 import corrections
from flexmbd.integrators.rk4 import RK4


def accelerations(equations, numbers):
    """Nodes of the stabilised accelerations: those of index 1, and a damped pull along the mass-orthogonal corrections to the rows."""
    c = equations.graph.const(numbers[-1])
    dq, dv = corrections(equations, equations.rows)
    return [a + (2.0 * c) * y + (c * c) * x for a, x, y in zip(equations.a, dq, dv, strict=True)]


def tune(decay):
    """Numbers for a rate in 1/s."""
    return (*RK4.numbers, float(decay))


BAUMGARTE = replace(RK4, name="baumgarte", accelerations=accelerations, setting="decay", tune=tune, projects=False)
