"""Viscosity of oils by pressure and temperature, and the temperature that a film's own friction brings it to."""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy.optimize.elementwise import find_root

from flexmbd.errors import ModelError, check_number, check_range
from flexmbd.lanes import exp, kernel, log, maximum

CELSIUS = 273.15  # K at 0 degrees Celsius


class FactorKernels(NamedTuple):
    """Compiled functions of (T, T_0, *numbers): viscosity at T by that at T_0, and its derivative by T."""

    factor: Any
    slope: Any
    helpers: tuple = ()


@kernel
def vogel_factor(T, T_0, b, c):
    """exp(b/(T - c) - b/(T_0 - c)); held below one kelvin above c."""
    return exp(b / maximum(T - c, 1.0) - b / (T_0 - c))


@kernel
def vogel_slope(T, T_0, b, c):
    """Derivative of ``vogel_factor`` by T."""
    above = maximum(T - c, 1.0)
    return -b / (above * above) * exp(b / above - b / (T_0 - c))


@kernel
def walther_grade(T, A, B):
    """(nu + 0.7, its derivative by T) in mm^2/s."""
    inner = exp(2.302585092994046 * A - B * log(T))
    grade = exp(2.302585092994046 * inner)
    return grade, -2.302585092994046 * B * inner * grade / T


@kernel
def walther_factor(T, T_0, A, B):
    """nu(T)/nu(T_0), the density's change left out."""
    grade, _slope = walther_grade(T, A, B)
    start, _start_slope = walther_grade(T_0, A, B)
    return (grade - 0.7) / (start - 0.7)


@kernel
def walther_slope(T, T_0, A, B):
    """Derivative of ``walther_factor`` by T."""
    _grade, slope = walther_grade(T, A, B)
    start, _start_slope = walther_grade(T_0, A, B)
    return slope / (start - 0.7)


def _temperatures(owner, value, count):
    """(count, ...) temperatures in K, positive and increasing along the first axis."""
    temperatures = np.asarray(value, dtype=float)
    check_range(owner, "temperature", temperatures, above=0.0)
    if temperatures.shape[:1] != (count,) or np.any(np.diff(temperatures, axis=0) <= 0):
        raise ModelError(f"the temperatures are {value}", element=owner, remedy=f"give {count} increasing ones, in K")
    return temperatures


def _measured(owner, value, count):
    """(count, ...) viscosities, positive and decreasing along the first axis."""
    viscosities = np.asarray(value, dtype=float)
    check_range(owner, "viscosity", viscosities, above=0.0)
    if viscosities.shape[:1] != (count,) or np.any(np.diff(viscosities, axis=0) >= 0):
        raise ModelError(f"the viscosities are {value}", element=owner, remedy=f"give {count}, falling with temperature")
    return viscosities


@dataclass(frozen=True, eq=False)
class Barus:
    r"""``eta = eta_0 exp(alpha p)`` (Barus 1893, Am. J. Sci. 45, 87-96). Mineral oils: alpha 1e-8 to 3e-8 1/Pa; too steep
    above some 0.2 GPa.

    Parameters
    ----------
    alpha : pressure coefficient >= 0, 1/Pa.
    """

    name: ClassVar[str] = "barus"
    reference: ClassVar[str] = "Barus 1893, Am. J. Sci. 45, 87-96"

    alpha: Any

    def __post_init__(self):
        check_range(self.name, "alpha", self.alpha, at_least=0.0)
        object.__setattr__(self, "alpha", check_number(self.name, "alpha", self.alpha))

    def factor(self, pressure):
        """eta / eta_0 at `pressure` (Pa)."""
        return np.exp(self.alpha * np.asarray(pressure, dtype=float))

    def reduced(self, pressure):
        """``q = (1 - exp(-alpha p))/alpha`` in Pa: the pressure of Reynolds' equation at constant viscosity (Grubin 1949)."""
        scaled = self.alpha * np.asarray(pressure, dtype=float)
        return pressure * np.divide(-np.expm1(-scaled), scaled, out=np.ones_like(scaled), where=scaled != 0)

    def pressure(self, reduced):
        """Pressure in Pa whose reduced pressure is `reduced`; none exists from ``1/alpha`` on."""
        scaled = self.alpha * np.asarray(reduced, dtype=float)
        if np.any(scaled >= 1.0):
            raise ModelError(
                f"the reduced pressure {np.max(reduced):g} Pa is not below 1/alpha = {np.min(1 / self.alpha):g} Pa",
                element=self.name,
                remedy="Barus' law has no finite film pressure there; lower alpha or the load",
            )
        return reduced * np.divide(-np.log1p(-scaled), scaled, out=np.ones_like(scaled), where=scaled != 0)


@dataclass(frozen=True, eq=False)
class Vogel:
    r"""``eta = a exp(b/(T - c))`` (Vogel 1921, Phys. Z. 22, 645-646), T in K.

    Parameters
    ----------
    a : viscosity scale, Pa s.
    b : K.
    c : temperature of infinite viscosity, K; 178.15 (-95 degrees Celsius) is usual for mineral oils.

    Examples
    --------
    >>> import flexmbd as fm
    >>> oil = fm.Vogel.iso_vg(32)
    >>> [round(float(oil.viscosity(273.15 + t)), 4) for t in (40.0, 80.0)]  # Pa s
    [0.0288, 0.0073]
    """

    name: ClassVar[str] = "vogel"
    reference: ClassVar[str] = "Vogel 1921, Phys. Z. 22, 645-646"

    a: Any
    b: Any
    c: Any = CELSIUS - 95.0

    def __post_init__(self):
        for key in ("a", "b", "c"):
            object.__setattr__(self, key, check_number(self.name, key, getattr(self, key), positive=key != "c"))

    @classmethod
    def through(cls, temperatures, viscosities, c=CELSIUS - 95.0):
        """The law through two points (K, Pa s; shape (2,) or (2, n)) with the given `c`, or through three, which give c too."""
        count = 3 if len(temperatures) == 3 else 2
        t = _temperatures(cls.name, temperatures, count)
        y = np.log(_measured(cls.name, viscosities, count))
        if count == 3:  # (T - c)(y - ln a) = b is linear in c, ln a and b - c ln a
            slope = ((y[1] - y[0]) / (t[1] - t[0]), (y[2] - y[1]) / (t[2] - t[1]))
            if np.any(slope[1] <= slope[0]):
                raise ModelError(
                    "the logarithm of the three viscosities does not bend upwards", element=cls.name, remedy="give two points and c"
                )
            c = (slope[1] * t[2] - slope[0] * t[0]) / (slope[1] - slope[0])
        check_range(cls.name, "c", c, below=t[0])
        b = (y[0] - y[-1]) / (1.0 / (t[0] - c) - 1.0 / (t[-1] - c))
        return cls(np.exp(y[0] - b / (t[0] - c)), b, c)

    @classmethod
    def iso_vg(cls, grade, density=900.0):
        """A mineral oil of viscosity index near 100 by its ISO VG grade (mm^2/s at 40 degrees Celsius) and density (kg/m^3).

        ``ln(eta/eta_x) = (159.56/(T + 95) - 0.181913) ln(density VG 1e-6/eta_x)``, T in degrees Celsius, eta_x = 1.8e-4 Pa s
        (DIN 31652, ISO 7902).
        """
        grade, density = (check_number(cls.name, k, x, positive=True) for k, x in (("grade", grade), ("density", density)))
        size = np.log(density * grade * 1e-6 / 1.8e-4)
        check_range(cls.name, "logarithm of the viscosity at 40 degrees Celsius over 1.8e-4 Pa s", size, above=0.0)
        return cls(1.8e-4 * np.exp(-0.181913 * size), 159.56 * size)

    def viscosity(self, temperature):
        """Dynamic viscosity in Pa s at `temperature` (K, above c)."""
        check_range(self.name, "temperature", temperature, above=self.c)
        return self.a * np.exp(self.b / (np.asarray(temperature, dtype=float) - self.c))

    def numbers(self):
        """b, c: what the factor needs."""
        return {"b": self.b, "c": self.c}

    def kernels(self) -> FactorKernels:
        """Viscosity by that at another temperature."""
        return FactorKernels(vogel_factor, vogel_slope)


@dataclass(frozen=True, eq=False)
class Walther:
    r"""``lg lg(nu + 0.7) = A - B lg T``, nu in mm^2/s and T in K (Walther 1931, Maschinenbau 10; ASTM D341), for nu above 2.

    Parameters
    ----------
    A, B : of one oil, -.

    Examples
    --------
    >>> import flexmbd as fm
    >>> oil = fm.Walther.through((313.15, 373.15), (32e-6, 5.4e-6))
    >>> f"{float(oil.viscosity(333.15)):.3e}"  # m²/s at 60 degrees Celsius
    '1.519e-05'
    """

    name: ClassVar[str] = "walther"
    reference: ClassVar[str] = "ASTM D341"

    A: Any
    B: Any

    def __post_init__(self):
        for key in ("A", "B"):
            object.__setattr__(self, key, check_number(self.name, key, getattr(self, key), positive=True))

    @classmethod
    def through(cls, temperatures, viscosities):
        """The law through two points (K, kinematic viscosity in m^2/s; shape (2,) or (2, n))."""
        t = np.log10(_temperatures(cls.name, temperatures, 2))
        grades = 1e6 * _measured(cls.name, viscosities, 2)
        check_range(cls.name, "viscosity in mm^2/s", grades, above=0.3)
        w = np.log10(np.log10(grades + 0.7))
        B = (w[0] - w[1]) / (t[1] - t[0])
        return cls(w[0] + B * t[0], B)

    def viscosity(self, temperature):
        """Kinematic viscosity in m^2/s at `temperature` (K)."""
        check_range(self.name, "temperature", temperature, above=0.0)
        return 1e-6 * (10.0**10.0 ** (self.A - self.B * np.log10(np.asarray(temperature, dtype=float))) - 0.7)

    def numbers(self):
        """A, B."""
        return {"A": self.A, "B": self.B}

    def kernels(self) -> FactorKernels:
        """Viscosity by that at another temperature."""
        return FactorKernels(walther_factor, walther_slope, (walther_grade,))


def film_temperature(viscosity, power_and_flow, inlet, *, heat_capacity, share=1.0, weight=0.5):
    """Temperature at which a film's viscosity is to be taken, by its balance of energy.

    The oil takes `share` of the friction power P along: ``T_out = T_in + share P/(rho c_p Q)``; the film is taken at
    ``T = T_in + weight (T_out - T_in)``, P and Q at the viscosity there. Solved by a bracketing method, because the fixed
    point's iteration need not converge for steep laws.

    Parameters
    ----------
    viscosity : callable
        T (K) -> Pa s, falling with T; e.g. ``Vogel(...).viscosity``.
    power_and_flow : callable
        (viscosity, index) -> (P in W, Q in m^3/s), for an array of viscosities; P/Q must not fall with viscosity. `index`
        holds which inlet temperatures the viscosities belong to, for numbers that differ between samples.
    inlet : float or ndarray (n,)
        T_in, K.
    heat_capacity : float or ndarray (n,)
        ``rho c_p`` per volume, J/(m^3 K); about 1.7e6 for mineral oils.
    share : float
        Of the power that stays in the oil, 0 to 1 (1: adiabatic).
    weight : float
        0 to 1; 0.5 takes the mean of inlet and outlet (Raimondi and Boyd 1958).

    Returns
    -------
    film, outlet : float or ndarray (n,)
        Temperatures in K. `ModelError` where the balance has no solution.
    """
    owner = "film_temperature"
    inlet, heat_capacity = (
        check_number(owner, "inlet", inlet, positive=True),
        check_number(owner, "heat_capacity", heat_capacity, positive=True),
    )
    check_range(owner, "share", share, at_least=0.0, at_most=1.0)
    check_range(owner, "weight", weight, at_least=0.0, at_most=1.0)
    start, capacity = np.broadcast_arrays(np.asarray(inlet), np.asarray(heat_capacity))

    def rise(temperature, index):
        power, flow = power_and_flow(viscosity(temperature), index)
        check_range(owner, "flow", flow, above=0.0)
        return share * power / (capacity.ravel()[index] * flow)

    where = np.arange(start.size)
    first = start.ravel().astype(float)
    hottest = first + weight * rise(first, where)
    check_range(owner, "hottest temperature of the film", hottest, at_least=first)
    found = find_root(
        lambda t, index: t - first[index] - weight * rise(t, index), (first, hottest), args=(where,), tolerances={"xrtol": 1e-14}
    )
    if not np.all(found.success):
        raise ModelError("the film's energy balance has no solution", element=owner, remedy="power / flow must grow with viscosity")
    out = found.x + 0.0, first + rise(found.x, where)
    return tuple(x.reshape(start.shape)[()] for x in out)
