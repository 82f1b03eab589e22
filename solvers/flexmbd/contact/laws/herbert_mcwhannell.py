"""Herbert-McWhannell: damping fitted to the pulse shape of an impact pair."""

from dataclasses import dataclass
from typing import ClassVar

from flexmbd.contact.laws.power_law import DampedPowerLaw


@dataclass(frozen=True, eq=False)
class HerbertMcWhannell(DampedPowerLaw):
    r"""``F = K delta**n (1 + c rate / v0)``, ``c = 6 (1 - e) / ((2 e - 1)**2 + 3)``
    (Herbert and McWhannell 1977, J. Eng. Ind. 99, 513-518).

    Units: delta in m, rate and v0 in m/s, F in N, K in N/m^n. Derived for restitutions near 1; an impact comes out with more than e.
    See ``PowerLaw`` and ``RestitutionDamping`` for the parameters.

    Examples
    --------
    >>> import flexmbd as fm
    >>> law = fm.HerbertMcWhannell(1e9, restitution=0.8)
    >>> round(float(law.factor()), 6)  # c; with calibrated=True that with which 0.8 comes out:
    0.357143
    >>> round(float(fm.HerbertMcWhannell(1e9, restitution=0.8, calibrated=True).factor()), 3)
    0.373
    """

    name: ClassVar[str] = "herbert_mcwhannell"
    reference: ClassVar[str] = "Herbert and McWhannell 1977, J. Eng. Ind. 99, 513-518"

    @staticmethod
    def published_factor(e):
        """c = 6 (1 - e) / ((2 e - 1)**2 + 3)."""
        return 6.0 * (1.0 - e) / ((2.0 * e - 1.0) ** 2 + 3.0)
