"""Stribeck: static, kinetic and viscous friction, and the curve that the bristle law shares."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexmbd.contact.friction.base import FrictionKernels
from flexmbd.errors import check_range
from flexmbd.lanes import exp, kernel, tanh
from flexmbd.parameters import Number, number


@kernel
def stribeck_curve(vt, mu_s, mu_k, v_s):
    """(mu_k + (mu_s - mu_k) exp(-(vt / v_s)**2), its derivative by vt)."""
    share = vt / v_s
    drop = (mu_s - mu_k) * exp(-share * share)
    return mu_k + drop, -2.0 * share / v_s * drop


@kernel
def stribeck_force(vt, fn, z, mu_s, mu_k, v_s, v_t, viscous):
    """fn (curve tanh(vt / v_t) + viscous vt); no state."""
    curve, _slope = stribeck_curve(vt, mu_s, mu_k, v_s)
    return fn * (curve * tanh(vt / v_t) + viscous * vt), 0.0 * vt


@kernel
def stribeck_tangent(vt, fn, z, mu_s, mu_k, v_s, v_t, viscous):
    """Derivatives of ``stribeck_force``."""
    curve, slope = stribeck_curve(vt, mu_s, mu_k, v_s)
    sign = tanh(vt / v_t)
    return fn * (slope * sign + curve * (1.0 - sign * sign) / v_t + viscous), curve * sign + viscous * vt, 0.0 * vt


@dataclass(frozen=True, eq=False)
class Stribeck:
    r"""``F_t = F_n ((mu_k + (mu_s - mu_k) exp(-(v_t / v_s)^2)) tanh(v_t / v_tol) + sigma v_t)``
    (Andersson, Soderberg and Bjorklund 2007, Tribology Int. 40, 580-587, with exponent 2).

    Units: m/s, N. All parts scale with the normal force, also the viscous one (the paper's is k_v = sigma F_n). For
    stick-slip with a small creep while sticking; v_tol well below v_s, or the peak mu_s is not reached.

    Parameters
    ----------
    mu_static, mu_kinetic : coefficients of friction, 0 <= mu_kinetic <= mu_static, -.
    stribeck_velocity : v_s > 0, m/s.
    tolerance_velocity : v_tol > 0 of the transition through zero, m/s.
    viscous : sigma >= 0, s/m.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, -10.0))
    >>> disc = s.body("disc", mass=1.0, inertia=0.01, position=(0.0, 0.0999), velocity=(1.0, 0.0))
    >>> floor = s.add(fm.DiscPlane("floor", disc.centre, s.ground.at(0.0, 0.0), 0.1, fm.Hertz(1e7), fm.Stribeck(0.3, 0.2, 0.01, 1e-3)))
    >>> e = fm.Equations(s)
    >>> [round(float(e.output(f"floor.{key}", *e.initial())), 3) for key in ("normal", "friction")]  # N, sliding at 1 m/s
    [10.0, -2.0]
    """

    name: ClassVar[str] = "stribeck"
    reference: ClassVar[str] = "Andersson, Soderberg and Bjorklund 2007, Tribology Int. 40, 580-587"
    states: ClassVar[int] = 0

    mu_static: Number
    mu_kinetic: Number
    stribeck_velocity: Number
    tolerance_velocity: Number
    viscous: Number = 0.0

    def __post_init__(self):
        check_range(self.name, "mu_kinetic", self.mu_kinetic, at_least=0.0)
        check_range(self.name, "mu_static", self.mu_static, at_least=self.mu_kinetic)
        check_range(self.name, "stribeck_velocity", self.stribeck_velocity, above=0.0)
        check_range(self.name, "tolerance_velocity", self.tolerance_velocity, above=0.0)
        check_range(self.name, "viscous", self.viscous, at_least=0.0)

    def curve(self, vt):
        """Coefficient of friction of steady sliding at velocity vt (m/s) without the viscous part, -."""
        drop = np.exp(-np.square(np.asarray(vt, dtype=float) / self.stribeck_velocity))
        return self.mu_kinetic + np.subtract(self.mu_static, self.mu_kinetic) * drop

    def numbers(self) -> dict[str, Number]:
        """mu_s, mu_k, v_s, v_tol, sigma."""
        return {
            "mu_s": number(self.mu_static),
            "mu_k": number(self.mu_kinetic),
            "v_s": number(self.stribeck_velocity),
            "v_t": number(self.tolerance_velocity),
            "viscous": number(self.viscous),
        }

    def kernels(self) -> FrictionKernels:
        """Force and tangent."""
        return FrictionKernels(stribeck_force, stribeck_tangent, (stribeck_curve,))
