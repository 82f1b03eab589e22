"""Radzimovsky: cylinders with the width of the contact strip."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexmbd.contact.laws.cylindrical import CylindricalLaw


@dataclass(frozen=True, eq=False)
class Radzimovsky(CylindricalLaw):
    r"""Penetration ``delta = F / (pi E* L) (2 / 3 + ln(4 R_i / b) + ln(4 R_j / b)), b = 1.60 sqrt(F R / (L E*)), R
    = R_i R_j / dR``, dR = R_i - R_j the clearance (Radzimovsky 1953, Univ. Illinois Eng. Exp. Station Bull.
    408, as printed by Pereira, Ramalho and Ambrosio 2011, Nonlinear Dyn. 63, 681-697), so ``P = 6.25 E* L dR /
    exp(1 / 3)``.

    Units: m, N, Pa. Roark's formulas print the same b with the relative diameter in place of R, which gives P
    half as large. Valid from 0 to ``largest_force``, then continued along its tangent. See ``CylindricalLaw``
    for the parameters.

    Examples
    --------
    >>> import flexmbd as fm
    >>> steel = fm.material("steel")
    >>> law = fm.Radzimovsky(0.0101, 0.01, 0.02, steel, steel)
    >>> s = fm.System()
    >>> pin = s.body("pin", mass=1.0, inertia=0.01, position=(1.02e-4, 0.0))
    >>> joint = s.add(fm.ClearanceRevolute("joint", pin.centre, s.ground.at(0.0, 0.0), 1e-4, law, bearing_radius=0.0101))
    >>> e = fm.Equations(s)
    >>> round(float(e.output("joint.normal", e.initial()[0])))  # N, 2 µm deep
    1972
    """

    name: ClassVar[str] = "radzimovsky"
    reference: ClassVar[str] = (
        "Radzimovsky 1953, Univ. Illinois Eng. Exp. Station Bull. 408"
        ", as printed by Pereira, Ramalho and Ambrosio 2011, Nonlinear Dyn. 63, 681-697"
    )

    def limit(self, modulus):
        """P = 6.25 E* L dR / exp(1 / 3), N."""
        return 6.25 * modulus * self.length * self.clearance * np.exp(-1.0 / 3.0)
