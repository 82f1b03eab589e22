"""Johnson: cylinders by the approach of two half-spaces."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexmbd.contact.laws.cylindrical import CylindricalLaw


@dataclass(frozen=True, eq=False)
class Johnson(CylindricalLaw):
    r"""Penetration ``delta = F / (pi E* L) (ln(4 pi E* L dR / F) - 1)``, dR = R_i - R_j the clearance (Johnson
    1985, Contact Mechanics, section 5.6, as printed by Pereira, Ramalho and Ambrosio 2011, Nonlinear Dyn. 63,
    681-697), so ``P = 4 pi E* L dR / exp(2)``.

    Units: m, N, Pa. The softest limit of the four: with a small clearance the formula ends early
    (``largest_force``). Valid from 0 to ``largest_force``, then continued along its tangent. See
    ``CylindricalLaw`` for the parameters.

    Examples
    --------
    >>> import flexmbd as fm
    >>> steel = fm.material("steel")
    >>> law = fm.Johnson(0.0101, 0.01, 0.02, steel, steel)
    >>> s = fm.System()
    >>> pin = s.body("pin", mass=1.0, inertia=0.01, position=(1.02e-4, 0.0))
    >>> joint = s.add(fm.ClearanceRevolute("joint", pin.centre, s.ground.at(0.0, 0.0), 1e-4, law, bearing_radius=0.0101))
    >>> e = fm.Equations(s)
    >>> round(float(e.output("joint.normal", e.initial()[0])))  # N, 2 µm deep
    2340
    """

    name: ClassVar[str] = "johnson"
    reference: ClassVar[str] = (
        "Johnson 1985, Contact Mechanics, section 5.6, as printed by Pereira, Ramalho and Ambrosio 2011, Nonlinear Dyn. 63, 681-697"
    )

    def limit(self, modulus):
        """P = 4 pi E* L dR / exp(2), N."""
        return 4.0 * np.pi * modulus * self.length * self.clearance * np.exp(-2.0)
