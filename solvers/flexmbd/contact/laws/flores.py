"""Flores, Machado, Silva and Martins: damping for soft materials."""

from dataclasses import dataclass
from typing import ClassVar

from flexmbd.contact.laws.power_law import DampedPowerLaw


@dataclass(frozen=True, eq=False)
class Flores(DampedPowerLaw):
    r"""``F = K delta**n (1 + c rate / v0)``, ``c = 8 (1 - e) / (5 e)``
    (Flores, Machado, Silva and Martins 2011, Multibody Syst. Dyn. 25, 357-375).

    Units: delta in m, rate and v0 in m/s, F in N, K in N/m^n. Made for the whole range of e; e = 0.5 comes out as 0.470.
    See ``PowerLaw`` and ``RestitutionDamping`` for the parameters.

    Examples
    --------
    >>> import flexmbd as fm
    >>> law = fm.Flores(1e9, restitution=0.8)
    >>> round(float(law.factor()), 6)  # c; with calibrated=True that with which 0.8 comes out:
    0.4
    >>> round(float(fm.Flores(1e9, restitution=0.8, calibrated=True).factor()), 3)
    0.373
    """

    name: ClassVar[str] = "flores"
    reference: ClassVar[str] = "Flores, Machado, Silva and Martins 2011, Multibody Syst. Dyn. 25, 357-375"

    @staticmethod
    def published_factor(e):
        """c = 8 (1 - e) / (5 e)."""
        return 1.6 * (1.0 - e) / e
