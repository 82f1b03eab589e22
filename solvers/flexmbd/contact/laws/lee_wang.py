"""Lee-Wang: half the damping of Hunt and Crossley."""

from dataclasses import dataclass
from typing import ClassVar

from flexmbd.contact.laws.power_law import DampedPowerLaw


@dataclass(frozen=True, eq=False)
class LeeWang(DampedPowerLaw):
    r"""``F = K delta**n (1 + c rate / v0)``, ``c = 3 (1 - e) / 4``
    (Lee and Wang 1983, J. Mech. Transm. Autom. Des. 105, 534-540).

    Units: delta in m, rate and v0 in m/s, F in N, K in N/m^n. Damps least of all laws here: an impact comes out with far more than e.
    See ``PowerLaw`` and ``RestitutionDamping`` for the parameters.

    Examples
    --------
    >>> import flexmbd as fm
    >>> law = fm.LeeWang(1e9, restitution=0.8)
    >>> round(float(law.factor()), 6)  # c; with calibrated=True that with which 0.8 comes out:
    0.15
    >>> round(float(fm.LeeWang(1e9, restitution=0.8, calibrated=True).factor()), 3)
    0.373
    """

    name: ClassVar[str] = "lee_wang"
    reference: ClassVar[str] = "Lee and Wang 1983, J. Mech. Transm. Autom. Des. 105, 534-540"

    @staticmethod
    def published_factor(e):
        """c = 3 (1 - e) / 4."""
        return 0.75 * (1.0 - e)
