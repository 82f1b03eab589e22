"""LuGre: friction as the mean deflection of bristles."""

from dataclasses import dataclass
from typing import ClassVar

from flexmbd.contact.friction.base import FrictionKernels
from flexmbd.contact.friction.stribeck import stribeck_curve
from flexmbd.errors import check_range
from flexmbd.lanes import fabs, kernel, select
from flexmbd.parameters import Number, number


@kernel
def lugre_force(vt, fn, z, mu_s, mu_k, v_s, sigma_0, sigma_1, sigma_2):
    """(fn (sigma_0 z + sigma_1 dz/dt + sigma_2 vt), dz/dt)."""
    curve, _slope = stribeck_curve(vt, mu_s, mu_k, v_s)
    dz = vt - sigma_0 * fabs(vt) / curve * z
    return fn * (sigma_0 * z + sigma_1 * dz + sigma_2 * vt), dz


@kernel
def lugre_state_tangent(vt, fn, z, mu_s, mu_k, v_s, sigma_0, sigma_1, sigma_2):
    """(d(dz/dt)/dvt, d(dz/dt)/dz)."""
    curve, slope = stribeck_curve(vt, mu_s, mu_k, v_s)
    sign = select(vt >= 0.0, 1.0, -1.0)
    speed = fabs(vt)
    return 1.0 - sigma_0 * z * (sign * curve - speed * slope) / (curve * curve), -sigma_0 * speed / curve


@kernel
def lugre_tangent(vt, fn, z, mu_s, mu_k, v_s, sigma_0, sigma_1, sigma_2):
    """Derivatives of the force of ``lugre_force``."""
    force, _dz = lugre_force(vt, 1.0, z, mu_s, mu_k, v_s, sigma_0, sigma_1, sigma_2)
    by_vt, by_z = lugre_state_tangent(vt, fn, z, mu_s, mu_k, v_s, sigma_0, sigma_1, sigma_2)
    return fn * (sigma_1 * by_vt + sigma_2), force, fn * (sigma_0 + sigma_1 * by_z)


@dataclass(frozen=True, eq=False)
class LuGre:
    r"""``dz/dt = v_t - sigma_0 |v_t| z / g(v_t)``, ``F_t = F_n (sigma_0 z + sigma_1 dz/dt + sigma_2 v_t)`` with
    ``g = mu_k + (mu_s - mu_k) exp(-(v_t / v_s)^2)`` (Canudas de Wit, Olsson, Astrom and Lischinsky 1995, IEEE Trans.
    Autom. Control 40, 419-425), scaled with the normal force as in Canudas de Wit and Tsiotras 1999.

    Units: m/s, N; z in m is the history variable, ``|z| <= mu_s / sigma_0``. Valid also in sticking. The bristles relax at
    ``sigma_0 |v_t| / g`` per second, which is stiff for fast sliding. In steady sliding the force is the Stribeck curve.
    A bristle of a contact that has opened is the caller's to reset.

    Parameters
    ----------
    mu_static, mu_kinetic : coefficients of friction, 0 < mu_kinetic <= mu_static, -.
    stribeck_velocity : v_s > 0, m/s.
    bristle_stiffness : sigma_0 > 0, 1/m.
    bristle_damping : sigma_1 >= 0, s/m.
    viscous : sigma_2 >= 0, s/m.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, -10.0))
    >>> disc = s.body("disc", mass=1.0, inertia=0.01, position=(0.0, 0.0999), velocity=(1.0, 0.0))
    >>> floor = s.add(fm.DiscPlane("floor", disc.centre, s.ground.at(0.0, 0.0), 0.1, fm.Hertz(1e7), fm.LuGre(0.3, 0.2, 0.01, 1e5)))
    >>> e = fm.Equations(s)
    >>> [round(float(e.output(f"floor.{key}", *e.initial())), 3) for key in ("normal", "friction")]  # N, sliding at 1 m/s
    [10.0, 0.0]
    """

    name: ClassVar[str] = "lugre"
    reference: ClassVar[str] = "Canudas de Wit, Olsson, Astrom and Lischinsky 1995, IEEE Trans. Autom. Control 40, 419-425"
    states: ClassVar[int] = 1

    mu_static: Number
    mu_kinetic: Number
    stribeck_velocity: Number
    bristle_stiffness: Number
    bristle_damping: Number = 0.0
    viscous: Number = 0.0

    def __post_init__(self):
        check_range(self.name, "mu_kinetic", self.mu_kinetic, above=0.0)
        check_range(self.name, "mu_static", self.mu_static, at_least=self.mu_kinetic)
        check_range(self.name, "stribeck_velocity", self.stribeck_velocity, above=0.0)
        check_range(self.name, "bristle_stiffness", self.bristle_stiffness, above=0.0)
        check_range(self.name, "bristle_damping", self.bristle_damping, at_least=0.0)
        check_range(self.name, "viscous", self.viscous, at_least=0.0)

    def numbers(self) -> dict[str, Number]:
        """mu_s, mu_k, v_s, sigma_0, sigma_1, sigma_2."""
        return {
            "mu_s": number(self.mu_static),
            "mu_k": number(self.mu_kinetic),
            "v_s": number(self.stribeck_velocity),
            "sigma_0": number(self.bristle_stiffness),
            "sigma_1": number(self.bristle_damping),
            "sigma_2": number(self.viscous),
        }

    def kernels(self) -> FrictionKernels:
        """Force, tangent, and the tangent of the bristle's rate."""
        return FrictionKernels(lugre_force, lugre_tangent, (stribeck_curve, lugre_force, lugre_state_tangent), lugre_state_tangent)
