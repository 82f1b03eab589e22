"""Lankarani-Nikravesh: damping by the energy balance of a nearly elastic impact."""

from dataclasses import dataclass
from typing import ClassVar

from flexmbd.contact.laws.power_law import DampedPowerLaw


@dataclass(frozen=True, eq=False)
class LankaraniNikravesh(DampedPowerLaw):
    r"""``F = K delta**n (1 + c rate / v0)``, ``c = 3 (1 - e**2) / 4``
    (Lankarani and Nikravesh 1990, J. Mech. Des. 112, 369-376).

    Units: delta in m, rate and v0 in m/s, F in N, K in N/m^n.
    Derived for restitutions near 1: e = 0.5 comes out as 0.725; an impact must last longer than waves travel through the bodies.
    See ``PowerLaw`` and ``RestitutionDamping`` for the parameters.

    Examples
    --------
    >>> import flexmbd as fm
    >>> law = fm.LankaraniNikravesh(1e9, restitution=0.8)
    >>> round(float(law.factor()), 6)  # c; with calibrated=True that with which 0.8 comes out:
    0.27
    >>> round(float(fm.LankaraniNikravesh(1e9, restitution=0.8, calibrated=True).factor()), 3)
    0.373
    """

    name: ClassVar[str] = "lankarani_nikravesh"
    reference: ClassVar[str] = "Lankarani and Nikravesh 1990, J. Mech. Des. 112, 369-376"

    @staticmethod
    def published_factor(e):
        """c = 3 (1 - e**2) / 4."""
        return 0.75 * (1.0 - e * e)
