"""Newmark's method (1959, ASCE J. Eng. Mech. 85, 67-94) on the index-3 equations.

- `newmark`: average acceleration, ``beta = 1/4``, ``gamma = 1/2``: order 2, and nothing is damped.  At index 3 that is weakly unstable: an
  error of accelerations and multipliers changes its sign every step and grows with time, whatever the step (Cardona and Géradin 1989,
  Comput. Struct. 33, 801-820), until Newton's iteration fails.  Here every step takes the accelerations at its start from the index-1
  equations, which changes nothing where there are no constraints: the error stays bounded, and multipliers are of order 1.
- `newmark_damped`: ``gamma > 1/2``, ``beta = (gamma + 1/2)^2/4``: both eigenvalues are ``1 - 2/(gamma + 1/2)`` for motions much faster
  than the step; the price is order 1.
"""

from flexmbd.integrators.implicit import coefficients, implicit
from flexmbd.equations import newton


def damped(radius):
    """Constants for a spectral radius at infinity in [0, 1)."""
    gamma = 2.0 / (1.0 + radius) - 0.5
    return coefficients(0.0, 0.0, 0.25 * (gamma + 0.5) ** 2, gamma)


AVERAGE = coefficients(0.0, 0.0, 0.25, 0.5)
NEWMARK = implicit("newmark", 2, newton, multiplier_order=1, holds=("position",), coefficients=AVERAGE, memory=False)
NEWMARK_DAMPED = implicit("newmark_damped", 1, newton, holds=("position",), setting="spectral_radius", tune=damped)
