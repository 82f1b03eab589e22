"""Kelvin-Voigt: linear spring and damper in parallel."""

from dataclasses import dataclass
from typing import ClassVar

from flexmbd.contact.laws.base import NormalKernels
from flexmbd.contact.laws.power_law import linear_energy
from flexmbd.errors import check_range
from flexmbd.lanes import kernel, select
from flexmbd.parameters import Number, number


@kernel
def kelvin_voigt_force(delta, rate, v0, K, C):
    """K delta + C rate where delta >= 0, not below zero."""
    touches = delta >= 0.0
    elastic = select(touches, K * delta, 0.0)
    total = elastic + C * rate
    return select(touches & (total > 0.0), total, 0.0), elastic


@kernel
def kelvin_voigt_tangent(delta, rate, v0, K, C):
    """Derivatives of ``kelvin_voigt_force``."""
    pushes = (delta >= 0.0) & (K * delta + C * rate > 0.0)
    return select(pushes, K, 0.0), select(pushes, C, 0.0)


@dataclass(frozen=True, eq=False)
class KelvinVoigt:
    r"""``F = K delta + C rate``, never below zero (Goldsmith 1960, Impact; Khulief and Shabana 1987, MMT 22, 213-224).

    The force jumps to C v0 at onset and would pull before separation; the pull is cut off. So the force is not
    continuous at onset, and the law is here for comparison and for real dashpots rather than for stiff impacts.

    Parameters
    ----------
    stiffness : K > 0, N/m.
    damping : C >= 0, N s/m.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, -10.0))
    >>> ball = s.body("ball", mass=1.0, inertia=0.01, position=(0.0, 0.0999), velocity=(0.0, -0.1))
    >>> floor = s.add(fm.DiscPlane("floor", ball.centre, s.ground.at(0.0, 0.0), 0.1, fm.KelvinVoigt(1e5, 50.0)))
    >>> e = fm.Equations(s)
    >>> round(float(e.output("floor.normal", *e.initial())), 6)  # N: 10 of stiffness, 5 of damping
    15.0
    """

    name: ClassVar[str] = "kelvin_voigt"
    reference: ClassVar[str] = "Khulief and Shabana 1987, Mech. Mach. Theory 22, 213-224"
    continuous_onset: ClassVar[bool] = False

    stiffness: Number
    damping: Number

    def __post_init__(self):
        check_range(self.name, "stiffness", self.stiffness, above=0.0)
        check_range(self.name, "damping", self.damping, at_least=0.0)

    def numbers(self) -> dict[str, Number]:
        """K and C."""
        return {"K": number(self.stiffness), "C": number(self.damping)}

    def kernels(self) -> NormalKernels:
        """Force, tangent, energy."""
        return NormalKernels(kelvin_voigt_force, kelvin_voigt_tangent, linear_energy)
