"""Generalized-alpha (Chung and Hulbert 1993, J. Appl. Mech. 60, 371-375), with constraints as positions or as velocities.

At index 3 after Arnold and Brüls (2007, Multibody Syst. Dyn. 18, 185-202); at index 2 the rows of the same step are
``G(q1) v1 + Phi_t = 0`` (Arnold, Brüls and Cardona 2015, Numer. Math. 129, 149-179): velocities fit, and positions drift by O(h^2)
where steps are short (`closing`).
"""

from flexmbd.integrators.implicit import coefficients, implicit
from flexmbd.equations import newton, newton_index2


def chung_hulbert(radius):
    """Constants for a spectral radius at infinity in [0, 1): the least damping of slow motions for this damping of fast ones."""
    am, af = (2.0 * radius - 1.0) / (radius + 1.0), radius / (radius + 1.0)
    lag = am - af
    return coefficients(am, af, 0.25 * (1.0 - lag) ** 2, 0.5 - lag)


TUNED = {"setting": "spectral_radius", "tune": chung_hulbert}
GENERALIZED_ALPHA = implicit("generalized_alpha", 2, newton, holds=("position",), **TUNED)
GENERALIZED_ALPHA_2 = implicit("generalized_alpha_2", 2, newton_index2, holds=("velocity",), **TUNED)
