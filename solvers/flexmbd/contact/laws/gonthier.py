"""Gonthier, McPhee, Lange and Piedboeuf: the damping that returns the restitution asked for."""

from dataclasses import dataclass, field
from typing import ClassVar

from flexmbd.contact.laws.power_law import DampedPowerLaw
from flexmbd.contact.laws.restitution import factor_for_restitution
from flexmbd.parameters import Number, number


@dataclass(frozen=True, eq=False)
class Gonthier(DampedPowerLaw):
    r"""``F = K delta**n (1 + c rate / v0)`` with the dissipation factor d = c e of
    ``(1 + d / e) / (1 - d) = exp(d (1 + 1 / e))``
    (Gonthier, McPhee, Lange and Piedboeuf 2004, Multibody Syst. Dyn. 11, 209-233).

    Units: delta in m, rate and v0 in m/s, F in N, K in N/m^n. Valid for all e in (0, 1]: an impact comes out with e.
    See ``PowerLaw`` and ``RestitutionDamping`` for the other parameters.

    Parameters
    ----------
    approximate : True takes the paper's approximation d = 1 - e**2, so c = (1 - e**2) / e, instead of the solution.

    Examples
    --------
    >>> import flexmbd as fm
    >>> law = fm.Gonthier(1e9, restitution=0.8)
    >>> round(float(law.factor()), 6)  # c; with calibrated=True that with which 0.8 comes out:
    0.373146
    >>> round(float(fm.Gonthier(1e9, restitution=0.8, calibrated=True).factor()), 3)
    0.373
    """

    name: ClassVar[str] = "gonthier"
    reference: ClassVar[str] = "Gonthier, McPhee, Lange and Piedboeuf 2004, Multibody Syst. Dyn. 11, 209-233"

    approximate: bool = field(default=False, kw_only=True)

    @staticmethod
    def published_factor(e):
        """c = d / e of the implicit relation."""
        return factor_for_restitution(e)

    def factor(self) -> Number:
        """Damping factor c, -."""
        if not self.approximate or self.calibrated:
            return super().factor()
        e = number(self.restitution)
        return (1.0 - e * e) / e
