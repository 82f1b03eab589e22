"""Generalized-alpha on the stabilised index-2 equations of Gear, Gupta and Leimkuhler: rows hold as positions and as velocities.

Positions are shifted along the gradients of the rows by second multipliers m (1985, J. Comput. Appl. Math. 12-13, 77-90)::

    q1 = q0 + h v0 + h^2 ((1/2 - beta) A0 + beta A1) + e,    M e + βh² G(q1)' m = 0,    Phi(q1) = 0,    G(q1) v1 + Phi_t = 0

(for generalized-alpha: Arnold, Brüls and Cardona 2015, Numer. Math. 129, 149-179).  So the multipliers are those of an index-2 system,
and an error of v that index 3 leaves is not there.
"""

from flexmbd.integrators.base import Slot
from flexmbd.integrators.generalized_alpha import TUNED
from flexmbd.integrators.implicit import implicit
from flexmbd.equations import newton_stabilised

ORIGIN = Slot("origin", "the part of the positions that neither the new accelerations nor shifts make")
GGL = implicit("ggl", 2, newton_stabilised, shifts=True, slots=(ORIGIN,), multipliers=2, holds=("position", "velocity"), **TUNED)
