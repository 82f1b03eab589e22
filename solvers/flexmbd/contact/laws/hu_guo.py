"""Hu-Guo: damping for the whole range of restitution."""

from dataclasses import dataclass
from typing import ClassVar

from flexmbd.contact.laws.power_law import DampedPowerLaw


@dataclass(frozen=True, eq=False)
class HuGuo(DampedPowerLaw):
    r"""``F = K delta**n (1 + c rate / v0)``, ``c = 3 (1 - e) / (2 e)``
    (Hu and Guo 2015, Multibody Syst. Dyn. 35, 131-151).

    Units: delta in m, rate and v0 in m/s, F in N, K in N/m^n. Made for the whole range of e.
    See ``PowerLaw`` and ``RestitutionDamping`` for the parameters.

    Examples
    --------
    >>> import flexmbd as fm
    >>> law = fm.HuGuo(1e9, restitution=0.8)
    >>> round(float(law.factor()), 6)  # c; with calibrated=True that with which 0.8 comes out:
    0.375
    >>> round(float(fm.HuGuo(1e9, restitution=0.8, calibrated=True).factor()), 3)
    0.373
    """

    name: ClassVar[str] = "hu_guo"
    reference: ClassVar[str] = "Hu and Guo 2015, Multibody Syst. Dyn. 35, 131-151"

    @staticmethod
    def published_factor(e):
        """c = 3 (1 - e) / (2 e)."""
        return 1.5 * (1.0 - e) / e
