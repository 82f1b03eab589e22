"""Goldsmith: line contact of a cylinder, with the exponent that makes the formula dimensionally right."""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from flexmbd.contact.laws.cylindrical import CylindricalLaw
from flexmbd.errors import ModelError


@dataclass(frozen=True, eq=False)
class Goldsmith(CylindricalLaw):
    r"""Penetration ``delta = F / (pi E* L) (ln(pi E* L**m / (F R)) + 1)``, m = 3 (Goldsmith 1960, Impact, who prints m = 1;
    Dubowsky and Freudenstein 1971, J. Eng. Ind. 93, 305-316, have m = 3, as the units ask), so ``P = pi E* L**3 / R``.

    Units: m, N, Pa. Valid from 0 to ``largest_force``, then continued along its tangent. See ``CylindricalLaw`` for the
    other parameters.

    Parameters
    ----------
    radius : which R: "bearing" takes R_i, so that the clearance does not matter; "relative" the relative radius
        ``R_i R_j / (R_i - R_j)`` of Dubowsky and Freudenstein.

    Examples
    --------
    >>> import flexmbd as fm
    >>> steel = fm.material("steel")
    >>> law = fm.Goldsmith(0.0101, 0.01, 0.02, steel, steel)
    >>> s = fm.System()
    >>> pin = s.body("pin", mass=1.0, inertia=0.01, position=(1.02e-4, 0.0))
    >>> joint = s.add(fm.ClearanceRevolute("joint", pin.centre, s.ground.at(0.0, 0.0), 1e-4, law, bearing_radius=0.0101))
    >>> e = fm.Equations(s)
    >>> round(float(e.output("joint.normal", e.initial()[0])))  # N, 2 µm deep
    1059
    """

    name: ClassVar[str] = "goldsmith"
    reference: ClassVar[str] = "Goldsmith 1960, Impact, with m = 3 of Dubowsky and Freudenstein 1971, J. Eng. Ind. 93, 305-316"

    radius: str = field(default="bearing", kw_only=True)

    def __post_init__(self):
        super().__post_init__()
        if self.radius not in ("bearing", "relative"):
            raise ModelError(f"radius is {self.radius!r}", element=self.name, remedy='choose "bearing" or "relative"')

    def limit(self, modulus):
        """P = pi E* L**3 / R, N."""
        share = 1.0 if self.radius == "bearing" else self.clearance / self.journal_radius
        return np.pi * modulus * self.length**3 / self.bearing_radius * share
