"""Threlfall: Coulomb friction reached exponentially at a given velocity."""

from dataclasses import dataclass
from typing import ClassVar

from flexmbd.contact.friction.base import FrictionKernels
from flexmbd.errors import check_range
from flexmbd.lanes import exp, fabs, kernel, select
from flexmbd.parameters import Number, number


@kernel
def threlfall_force(vt, fn, z, mu, v_r):
    """mu fn (1 - exp(-3 min(|vt| / v_r, 1))) with the sign of vt; no state."""
    share = fabs(vt) / v_r
    rise = 1.0 - exp(-3.0 * select(share < 1.0, share, 1.0))
    return select(vt >= 0.0, rise, -rise) * mu * fn, 0.0 * vt


@kernel
def threlfall_tangent(vt, fn, z, mu, v_r):
    """Derivatives of ``threlfall_force``."""
    share = fabs(vt) / v_r
    decay = exp(-3.0 * select(share < 1.0, share, 1.0))
    rise = 1.0 - decay
    return select(share < 1.0, 3.0 * mu * fn * decay / v_r, 0.0), select(vt >= 0.0, rise, -rise) * mu, 0.0 * vt


@dataclass(frozen=True, eq=False)
class Threlfall:
    r"""``F_t = mu F_n (1 - exp(-3 |v_t| / v_r))`` up to v_r, constant beyond (Threlfall 1978, Mech. Mach. Theory 13, 475-483).

    Units: m/s, N. For sliding. Beyond v_r the paper has 0.95 mu F_n; here it is 1 - exp(-3) = 0.9502, so that the force
    does not jump. A mu measured in sliding is therefore reached to 95 % only.

    Parameters
    ----------
    mu : coefficient of friction >= 0, -.
    reference_velocity : v_r > 0, m/s.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, -10.0))
    >>> disc = s.body("disc", mass=1.0, inertia=0.01, position=(0.0, 0.0999), velocity=(1.0, 0.0))
    >>> floor = s.add(fm.DiscPlane("floor", disc.centre, s.ground.at(0.0, 0.0), 0.1, fm.Hertz(1e7), fm.Threlfall(0.2, 1e-3)))
    >>> e = fm.Equations(s)
    >>> [round(float(e.output(f"floor.{key}", *e.initial())), 3) for key in ("normal", "friction")]  # N, sliding at 1 m/s
    [10.0, -1.9]
    """

    name: ClassVar[str] = "threlfall"
    reference: ClassVar[str] = "Threlfall 1978, Mech. Mach. Theory 13, 475-483"
    states: ClassVar[int] = 0

    mu: Number
    reference_velocity: Number

    def __post_init__(self):
        check_range(self.name, "mu", self.mu, at_least=0.0)
        check_range(self.name, "reference_velocity", self.reference_velocity, above=0.0)

    def numbers(self) -> dict[str, Number]:
        """mu and v_r."""
        return {"mu": number(self.mu), "v_r": number(self.reference_velocity)}

    def kernels(self) -> FrictionKernels:
        """Force and tangent."""
        return FrictionKernels(threlfall_force, threlfall_tangent)
