r"""Contact of a journal in a bush along its length: kernels and base class of the cylindrical laws.

The published laws give the penetration by the force, and all have the form ``delta = a F (1 + ln(P / F))`` with the
compliance ``a = 1 / (pi E* L)``; they differ in the force P alone. At F = P the penetration is largest, a P, and the
stiffness ``1 / (a ln(P / F))`` infinite: there the half-space behind the formula is not one any more.

With ``y = delta / (a P)`` and ``u = ln(P / F)`` the inverse is ``u - ln(1 + u) = -ln y`` (a branch of Lambert's W),
solved to 3e-15 by two Newton steps from a start within 0.07 %; then ``F = y P / (1 + u)``, stiffness ``1 / (a u)``, energy
``a F**2 (1 / 4 + u / 2)``. From u = 1/4 on (97.4 % of the largest penetration, 78 % of P) the force goes on along its
tangent, so that it stays finite, monotone and once differentiable for every penetration of a run.
"""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from flexmbd.contact.laws.base import NormalKernels
from flexmbd.contact.laws.damped import PUBLISHED_FACTORS
from flexmbd.contact.laws.rate_factor import rate_factor
from flexmbd.contact.laws.restitution import factor_for_restitution
from flexmbd.contact.stiffness import contact_modulus
from flexmbd.errors import ModelError, check_range
from flexmbd.lanes import kernel, log, select, sqrt
from flexmbd.material import Material
from flexmbd.parameters import Number, number

LAST_SHARE = float(np.exp(-0.25))  # of P: the largest force at which the published formula is followed


@kernel
def cylinder_elastic(delta, a, P):
    """(force, stiffness, energy) at a penetration."""
    y = select(delta > 0.0, delta, 0.0) / (a * P)
    inside = y < 0.9735009788392561
    share = select(inside, y, 0.9735009788392561)
    t = -log(select(share > 1e-300, share, 1e-300))
    s = sqrt(t)
    u = s * (1.4142135623730951 + s * (0.6666666666666666 + 0.25 * s) / (1.0 + 0.25 * s))
    u = ((1.0 + u) * (t + log(1.0 + u)) - u) / u
    u = ((1.0 + u) * (t + log(1.0 + u)) - u) / u
    force = share * P / (1.0 + u)
    stiffness = 1.0 / (a * u)
    excess = (y - share) * (a * P)
    energy = a * force * force * (0.25 + 0.5 * u) + excess * (force + 0.5 * stiffness * excess)
    return force + stiffness * excess, select(delta > 0.0, stiffness, 0.0), energy


@kernel
def cylinder_force(delta, rate, v0, a, P, c):
    """Elastic force with restitution damping."""
    elastic, _stiffness, _energy = cylinder_elastic(delta, a, P)
    factor, _slope = rate_factor(rate, v0, c)
    return elastic * factor, elastic


@kernel
def cylinder_tangent(delta, rate, v0, a, P, c):
    """Derivatives of ``cylinder_force``."""
    elastic, stiffness, _energy = cylinder_elastic(delta, a, P)
    factor, slope = rate_factor(rate, v0, c)
    return stiffness * factor, elastic * slope


@kernel
def cylinder_energy(delta, a, P, c):
    """Energy of the elastic force."""
    _elastic, _stiffness, energy = cylinder_elastic(delta, a, P)
    return energy


@dataclass(frozen=True, eq=False)
class CylindricalLaw:
    """A journal in a bush, ``delta = a F (1 + ln(P / F))``; each law says its P.

    Parameters
    ----------
    bearing_radius, journal_radius : R_i > R_j, m.
    length : of the bush L, m.
    bearing, journal : their materials.
    damping : name of the point law whose c(e) damps this one (``damped.DAMPED_LAWS``), or None for an elastic contact.
    restitution : e in (0, 1], -; needs ``damping`` or ``calibrated`` if below 1.
    calibrated : True takes the c with which an impact comes out with e, whatever ``damping`` says.
    """

    name: ClassVar[str]
    reference: ClassVar[str]
    continuous_onset: ClassVar[bool] = True

    bearing_radius: Number
    journal_radius: Number
    length: Number
    bearing: Material
    journal: Material
    damping: str | None = field(default=None, kw_only=True)
    restitution: Number = field(default=1.0, kw_only=True)
    calibrated: bool = field(default=False, kw_only=True)

    def __post_init__(self):
        check_range(self.name, "journal_radius", self.journal_radius, above=0.0)
        check_range(self.name, "bearing_radius", self.bearing_radius, above=0.0)
        check_range(self.name, "clearance bearing_radius - journal_radius", self.clearance, above=0.0)
        check_range(self.name, "length", self.length, above=0.0)
        check_range(self.name, "restitution", self.restitution, above=0.0, at_most=1.0)
        names = ", ".join(PUBLISHED_FACTORS)
        if self.damping is not None and self.damping not in PUBLISHED_FACTORS:
            raise ModelError(f"damping is {self.damping!r}", element=self.name, remedy=f"choose one of {names}, or None")
        if self.damping is None and not self.calibrated and np.any(np.less(self.restitution, 1.0)):
            message = f"restitution {np.min(self.restitution):g} has no effect without damping"
            raise ModelError(message, element=self.name, remedy=f"give calibrated=True or a damping: {names}")

    @property
    def clearance(self) -> Number:
        """R_i - R_j, m."""
        return np.subtract(self.bearing_radius, self.journal_radius)

    def limit(self, modulus: Number) -> Number:
        """P of this law, N, from the contact modulus E*."""
        raise NotImplementedError

    def factor(self) -> Number:
        """Damping factor c, -."""
        e = number(self.restitution)
        if self.calibrated:
            return number(factor_for_restitution(e))
        return 0.0 if self.damping is None else number(PUBLISHED_FACTORS[self.damping](e))

    def largest_force(self) -> Number:
        """Force up to which the published formula is followed, N; beyond it the contact is linear."""
        return LAST_SHARE * self.numbers()["P"]

    def numbers(self) -> dict[str, Number]:
        """Compliance a, force P, damping factor c."""
        modulus = contact_modulus(self.bearing, self.journal)
        compliance = 1.0 / (np.pi * modulus * self.length)
        return {"a": number(compliance), "P": number(self.limit(modulus)), "c": self.factor()}

    def kernels(self) -> NormalKernels:
        """Force, tangent, energy."""
        return NormalKernels(cylinder_force, cylinder_tangent, cylinder_energy, (cylinder_elastic, rate_factor))
