"""HHT-alpha (Hilber, Hughes and Taylor 1977, Earthq. Eng. Struct. Dyn. 5, 283-292) on the index-3 equations.

``(M A)1 = (1 - af) (F - G' l)1 + af (F - G' l)0``, ``gamma = 1/2 + af``, ``beta = (1 + af)^2/4`` with af from 0 to 1/3 (minus their alpha);
with constraints by Cardona and Géradin (1989, Comput. Struct. 33, 801-820).
"""

from flexmbd.integrators.implicit import coefficients, implicit
from flexmbd.equations import newton


def hilber_hughes_taylor(radius):
    """Constants for a spectral radius at infinity ``(1 - af)/(1 + af)`` in [1/2, 1)."""
    af = (1.0 - radius) / (1.0 + radius)
    return coefficients(0.0, af, 0.25 * (1.0 + af) ** 2, 0.5 + af)


HHT = implicit("hht", 2, newton, holds=("position",), setting="spectral_radius", tune=hilber_hughes_taylor, least=0.5)
