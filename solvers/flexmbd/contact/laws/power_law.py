r"""Contact laws ``F = K delta**n (1 + c rate / v0)``: their kernels, and the base class that picks among them."""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from flexmbd.contact.laws.base import NormalKernels, RestitutionDamping
from flexmbd.contact.laws.rate_factor import rate_factor
from flexmbd.errors import check_range
from flexmbd.lanes import kernel, power, select, sqrt
from flexmbd.parameters import Number, number


@kernel
def hertz_force(delta, rate, v0, K, c):
    """Exponent 3/2."""
    d = select(delta > 0.0, delta, 0.0)
    factor, _slope = rate_factor(rate, v0, c)
    elastic = K * d * sqrt(d)
    return elastic * factor, elastic


@kernel
def hertz_tangent(delta, rate, v0, K, c):
    """Derivatives of ``hertz_force``."""
    d = select(delta > 0.0, delta, 0.0)
    factor, slope = rate_factor(rate, v0, c)
    root = K * sqrt(d)
    return 1.5 * root * factor, root * d * slope


@kernel
def hertz_energy(delta, K, c):
    """K delta**2.5 / 2.5."""
    d = select(delta > 0.0, delta, 0.0)
    return 0.4 * K * d * d * sqrt(d)


@kernel
def linear_force(delta, rate, v0, K, c):
    """Exponent 1."""
    d = select(delta > 0.0, delta, 0.0)
    factor, _slope = rate_factor(rate, v0, c)
    elastic = K * d
    return elastic * factor, elastic


@kernel
def linear_tangent(delta, rate, v0, K, c):
    """Derivatives of ``linear_force``."""
    d = select(delta > 0.0, delta, 0.0)
    factor, slope = rate_factor(rate, v0, c)
    return select(delta > 0.0, K * factor, 0.0), K * d * slope


@kernel
def linear_energy(delta, K, c):
    """K delta**2 / 2."""
    d = select(delta > 0.0, delta, 0.0)
    return 0.5 * K * d * d


@kernel
def power_force(delta, rate, v0, K, n, c):
    """Any exponent."""
    factor, _slope = rate_factor(rate, v0, c)
    elastic = K * power(delta, n)
    return elastic * factor, elastic


@kernel
def power_tangent(delta, rate, v0, K, n, c):
    """Derivatives of ``power_force``."""
    factor, slope = rate_factor(rate, v0, c)
    return n * K * power(delta, n - 1.0) * factor, K * power(delta, n) * slope


@kernel
def power_energy(delta, K, n, c):
    """K delta**(n + 1) / (n + 1)."""
    return K * power(delta, n + 1.0) / (n + 1.0)


_HERTZ = NormalKernels(hertz_force, hertz_tangent, hertz_energy, (rate_factor,))
_LINEAR = NormalKernels(linear_force, linear_tangent, linear_energy, (rate_factor,))
_POWER = NormalKernels(power_force, power_tangent, power_energy, (rate_factor,))


@dataclass(frozen=True, eq=False)
class PowerLaw:
    """``F = K delta**n (1 + c rate / v0)``, never below zero.

    Parameters
    ----------
    stiffness : K > 0, N/m^n.
    exponent : n in [1, 5], -; 1.5 for point contact of Hertz.
    """

    name: ClassVar[str]
    reference: ClassVar[str]
    continuous_onset: ClassVar[bool] = True

    stiffness: Number
    exponent: Number = field(default=1.5, kw_only=True)

    def __post_init__(self):
        check_range(self.name, "stiffness", self.stiffness, above=0.0)
        check_range(self.name, "exponent", self.exponent, at_least=1.0, at_most=5.0)

    def factor(self) -> Number:
        """Damping factor c, -."""
        return 0.0

    def kernels(self) -> NormalKernels:
        """Kernels for this exponent: 1.5 and 1 given as one number have their own, without powers."""
        if np.ndim(self.exponent) > 0:
            return _POWER
        return {1.5: _HERTZ, 1.0: _LINEAR}.get(float(self.exponent), _POWER)

    def numbers(self) -> dict[str, Number]:
        """K, n unless it is in the kernel, c."""
        exponent = {"n": number(self.exponent)} if self.kernels() is _POWER else {}
        return {"K": number(self.stiffness)} | exponent | {"c": self.factor()}


@dataclass(frozen=True, eq=False)
class DampedPowerLaw(RestitutionDamping, PowerLaw):
    """A power law that dissipates by a coefficient of restitution; each law says its c(e)."""
