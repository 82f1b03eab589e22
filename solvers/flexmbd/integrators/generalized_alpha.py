"""Generalized-alpha (Chung and Hulbert 1993, J. Appl. Mech. 60, 371-375), with constraints as positions or as velocities.

At index 3 after Arnold and Brüls (2007, Multibody Syst. Dyn. 18, 185-202); at index 2 the rows of the same step are
``G(q1) v1 + Phi_t = 0`` (Arnold, Brüls and Cardona 2015, Numer. Math. 129, 149-179): velocities fit, and positions drift by O(h^2), of
fixed steps to what `closing` lets pass.
"""

from flexmbd.equations import newton, newton_index2
from flexmbd.integrators.closing import DRIFT, close_rows
from flexmbd.integrators.implicit import coefficients, implicit, step
from flexmbd.lanes.rows import ld
from flexmbd.stepping.names import ATTEMPT, ERROR, FIXED


def chung_hulbert(radius):
    """Constants for a spectral radius at infinity in [0, 1): the least damping of slow motions for this damping of fast ones."""
    am, af = (2.0 * radius - 1.0) / (radius + 1.0), radius / (radius + 1.0)
    lag = am - af
    return coefficients(am, af, 0.25 * (1.0 - lag) ** 2, 0.5 - lag)


def attempt_closed(X, P, W, at):
    """One step; of fixed ones what places have drifted is closed."""
    step(X, P, W, at)
    if at[FIXED] > 0:
        done = ld(X, ERROR) < 1e300
        close_rows(done, done, 0.0, DRIFT, X, P, W, at)


TUNED = {"setting": "spectral_radius", "tune": chung_hulbert}
GENERALIZED_ALPHA = implicit("generalized_alpha", 2, newton, holds=("position",), **TUNED)
GENERALIZED_ALPHA_2 = implicit("generalized_alpha_2", 2, newton_index2, functions={ATTEMPT: attempt_closed}, holds=("velocity",), **TUNED)
