"""Coulomb friction, regularised piecewise linearly between two velocities."""

from dataclasses import dataclass
from typing import ClassVar

from flexmbd.contact.friction.base import FrictionKernels
from flexmbd.errors import check_range
from flexmbd.lanes import fabs, kernel, select
from flexmbd.parameters import Number, number


@kernel
def ambrosio_force(vt, fn, z, mu, v0, v1):
    """mu fn times a ramp from 0 at v0 to 1 at v1, with the sign of vt; no state."""
    ramp = (fabs(vt) - v0) / (v1 - v0)
    ramp = select(ramp > 0.0, ramp, 0.0)
    ramp = select(ramp < 1.0, ramp, 1.0)
    return select(vt >= 0.0, ramp, -ramp) * mu * fn, 0.0 * vt


@kernel
def ambrosio_tangent(vt, fn, z, mu, v0, v1):
    """Derivatives of ``ambrosio_force``."""
    width = v1 - v0
    ramp = (fabs(vt) - v0) / width
    slope = select((ramp > 0.0) & (ramp < 1.0), mu * fn / width, 0.0)
    ramp = select(ramp > 0.0, ramp, 0.0)
    ramp = select(ramp < 1.0, ramp, 1.0)
    return slope, select(vt >= 0.0, ramp, -ramp) * mu, 0.0 * vt


@dataclass(frozen=True, eq=False)
class Ambrosio:
    r"""``F_t = c_d mu F_n``, c_d = 0 below v0, 1 above v1, linear between (Ambrosio 2003, Impact of rigid and flexible
    multibody systems, in Virtual Nonlinear Multibody Systems, Kluwer, 57-81; Wang et al. 2013, Adv. Mech. 43, eq. 7).

    Units: m/s, N. For sliding: below v0 there is no friction at all, which keeps a sliding direction from flickering
    near zero velocity.

    Parameters
    ----------
    mu : coefficient of friction >= 0, -.
    v0, v1 : velocities of first and of full friction, 0 <= v0 < v1, m/s.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, -10.0))
    >>> disc = s.body("disc", mass=1.0, inertia=0.01, position=(0.0, 0.0999), velocity=(1.0, 0.0))
    >>> floor = s.add(fm.DiscPlane("floor", disc.centre, s.ground.at(0.0, 0.0), 0.1, fm.Hertz(1e7), fm.Ambrosio(0.2, 1e-4, 1e-3)))
    >>> e = fm.Equations(s)
    >>> [round(float(e.output(f"floor.{key}", *e.initial())), 3) for key in ("normal", "friction")]  # N, sliding at 1 m/s
    [10.0, -2.0]
    """

    name: ClassVar[str] = "ambrosio"
    reference: ClassVar[str] = "Ambrosio 2003, in Virtual Nonlinear Multibody Systems, Kluwer, 57-81"
    states: ClassVar[int] = 0

    mu: Number
    v0: Number
    v1: Number

    def __post_init__(self):
        check_range(self.name, "mu", self.mu, at_least=0.0)
        check_range(self.name, "v0", self.v0, at_least=0.0)
        check_range(self.name, "v1", self.v1, above=self.v0)

    def numbers(self) -> dict[str, Number]:
        """mu, v0, v1."""
        return {"mu": number(self.mu), "v0": number(self.v0), "v1": number(self.v1)}

    def kernels(self) -> FrictionKernels:
        """Force and tangent."""
        return FrictionKernels(ambrosio_force, ambrosio_tangent)
