"""ESDU 78035: the engineering data sheet's line contact of a cylinder in a bush."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexmbd.contact.laws.cylindrical import CylindricalLaw


@dataclass(frozen=True, eq=False)
class Esdu78035(CylindricalLaw):
    r"""Penetration ``delta = F / (pi E* L) (ln(4 pi E* L dR / F) + 1)``, dR = R_i - R_j the clearance (ESDU 78035
    1978, Contact phenomena I, as printed by Pereira, Ramalho and Ambrosio 2011, Nonlinear Dyn. 63, 681-697), so
    ``P = 4 pi E* L dR``.

    Units: m, N, Pa. Valid from 0 to ``largest_force``, then continued along its tangent. See ``CylindricalLaw``
    for the parameters.

    Examples
    --------
    >>> import flexmbd as fm
    >>> steel = fm.material("steel")
    >>> law = fm.Esdu78035(0.0101, 0.01, 0.02, steel, steel)
    >>> s = fm.System()
    >>> pin = s.body("pin", mass=1.0, inertia=0.01, position=(1.02e-4, 0.0))
    >>> joint = s.add(fm.ClearanceRevolute("joint", pin.centre, s.ground.at(0.0, 0.0), 1e-4, law, bearing_radius=0.0101))
    >>> e = fm.Equations(s)
    >>> round(float(e.output("joint.normal", e.initial()[0])))  # N, 2 µm deep
    1695
    """

    name: ClassVar[str] = "esdu_78035"
    reference: ClassVar[str] = (
        "ESDU 78035 1978, Contact phenomena I, as printed by Pereira, Ramalho and Ambrosio 2011, Nonlinear Dyn. 63, 681-697"
    )

    def limit(self, modulus):
        """P = 4 pi E* L dR, N."""
        return 4.0 * np.pi * modulus * self.length * self.clearance
