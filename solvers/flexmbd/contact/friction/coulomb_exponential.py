"""Coulomb friction, regularised by an exponential."""

from dataclasses import dataclass
from typing import ClassVar

from flexmbd.contact.friction.base import FrictionKernels
from flexmbd.errors import check_range
from flexmbd.lanes import exp, fabs, kernel, select
from flexmbd.parameters import Number, number


@kernel
def coulomb_exponential_force(vt, fn, z, mu, k):
    """mu fn (1 - exp(-k |vt|)) with the sign of vt; no state."""
    sign = select(vt >= 0.0, 1.0, -1.0)
    return sign * mu * fn * (1.0 - exp(-k * fabs(vt))), 0.0 * vt


@kernel
def coulomb_exponential_tangent(vt, fn, z, mu, k):
    """Derivatives of ``coulomb_exponential_force``."""
    sign = select(vt >= 0.0, 1.0, -1.0)
    decay = exp(-k * fabs(vt))
    return mu * fn * k * decay, sign * mu * (1.0 - decay), 0.0 * vt


@dataclass(frozen=True, eq=False)
class CoulombExponential:
    r"""``F_t = mu F_n (1 - exp(-alpha |v_t| / v_r))`` (Wang, Zhuang, Guo, Zhang and Fang 2013, Adv. Mech. 43, eq. 6).

    Units: m/s, N. For sliding; a standing contact creeps. The force is within 1 % of Coulomb's from
    ``|v_t| = 4.6 v_r / alpha`` on.

    Parameters
    ----------
    mu : coefficient of friction >= 0, -.
    reference_velocity : v_r > 0, m/s.
    steepness : alpha > 0, -.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, -10.0))
    >>> disc = s.body("disc", mass=1.0, inertia=0.01, position=(0.0, 0.0999), velocity=(1.0, 0.0))
    >>> floor = s.add(fm.DiscPlane("floor", disc.centre, s.ground.at(0.0, 0.0), 0.1, fm.Hertz(1e7), fm.CoulombExponential(0.2, 1e-3, 3.0)))
    >>> e = fm.Equations(s)
    >>> [round(float(e.output(f"floor.{key}", *e.initial())), 3) for key in ("normal", "friction")]  # N, sliding at 1 m/s
    [10.0, -2.0]
    """

    name: ClassVar[str] = "coulomb_exponential"
    reference: ClassVar[str] = "Wang, Zhuang, Guo, Zhang and Fang 2013, Adv. Mech. 43, eq. 6"
    states: ClassVar[int] = 0

    mu: Number
    reference_velocity: Number
    steepness: Number

    def __post_init__(self):
        check_range(self.name, "mu", self.mu, at_least=0.0)
        check_range(self.name, "reference_velocity", self.reference_velocity, above=0.0)
        check_range(self.name, "steepness", self.steepness, above=0.0)

    def numbers(self) -> dict[str, Number]:
        """mu, and alpha / v_r."""
        return {"mu": number(self.mu), "k": number(self.steepness) / number(self.reference_velocity)}

    def kernels(self) -> FrictionKernels:
        """Force and tangent."""
        return FrictionKernels(coulomb_exponential_force, coulomb_exponential_tangent)
