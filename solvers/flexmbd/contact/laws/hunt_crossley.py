"""Hunt-Crossley: damping in phase with the elastic force, for small losses."""

from dataclasses import dataclass
from typing import ClassVar

from flexmbd.contact.laws.power_law import DampedPowerLaw


@dataclass(frozen=True, eq=False)
class HuntCrossley(DampedPowerLaw):
    r"""``F = K delta**n (1 + c rate / v0)``, ``c = 3 (1 - e) / 2``
    (Hunt and Crossley 1975, J. Appl. Mech. 42, 440-445).

    Units: delta in m, rate and v0 in m/s, F in N, K in N/m^n.
    Derived for restitutions near 1; below about 0.8 an impact comes out with clearly more than e.
    See ``PowerLaw`` and ``RestitutionDamping`` for the parameters.

    Examples
    --------
    >>> import flexmbd as fm
    >>> law = fm.HuntCrossley(1e9, restitution=0.8)
    >>> round(float(law.factor()), 6)  # c; with calibrated=True that with which 0.8 comes out:
    0.3
    >>> round(float(fm.HuntCrossley(1e9, restitution=0.8, calibrated=True).factor()), 3)
    0.373
    """

    name: ClassVar[str] = "hunt_crossley"
    reference: ClassVar[str] = "Hunt and Crossley 1975, J. Appl. Mech. 42, 440-445"

    @staticmethod
    def published_factor(e):
        """c = 3 (1 - e) / 2."""
        return 1.5 * (1.0 - e)
