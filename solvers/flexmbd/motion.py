"""Functions of time for drives and loads: polynomials, harmonics, tables, and their sums."""

from dataclasses import dataclass

import numpy as np

from flexmbd.errors import ModelError
from flexmbd.language.graph import Graph
from flexmbd.language.tracing import sincos
from flexmbd.parameters import LANE, Matrix


class Motion:
    """A function of time, or of another quantity, in SI units; motions add up."""

    def integral(self, equations, number):
        """Node of the integral from zero, for those that have one."""
        raise ModelError(f"a {type(self).__name__} has no integral here, which an energy needs", remedy="take a Table or a Polynomial")

    def __add__(self, other):
        return Sum((self, as_motion(other)))

    __radd__ = __add__


def over(motion, equations, node, number):
    """Node of a motion as a function of another node than time."""
    return motion.node(Over(equations.graph, node), number)


def integral_over(motion, equations, node, number):
    """Node of a motion's integral over another node than time."""
    return motion.integral(Over(equations.graph, node), number)


class Over:
    """What a motion reads of a `Formulation`, with another quantity in place of time."""

    def __init__(self, graph, node):
        self.graph, self.time = graph, node

    def sincos(self, x):
        """Nodes of sine and cosine."""
        return sincos(self.graph, x)


def values(motion, x, of=over):
    """Values of a motion (or `of` it `integral_over`) at numbers `x`, which broadcast against its own numbers over samples."""
    g, given = Graph(), motion.parameters()
    numbers = {k: g.table(k, LANE, x.shape) if isinstance(x, Matrix) else g.param(k, LANE) for k, x in given.items()}
    found = of(motion, Over(g, g.var("t")), g.var("t"), numbers.get)
    with np.errstate(invalid="ignore"):
        return g.evaluate([found], {"t": np.asarray(x, float)}, given)[0]


def unit_in(unit, key):
    """SI unit of a number of a motion, by its key, where the motion is in a unit; None where it is not known."""
    last = key.rpartition(".")[2]
    if last in ("frequency", "phase"):
        return {"frequency": "rad/s", "phase": "rad"}[last]
    power = int(last[1:]) if last[0] == "c" and last[1:].isdigit() else None
    return None if power is None else unit + ("" if power == 0 else "/s" if power == 1 else f"/s^{power}")


def as_motion(x):
    """A `Motion` from a number or a motion."""
    return x if isinstance(x, Motion) else Polynomial((x,))


@dataclass(frozen=True)
class Polynomial(Motion):
    """``c0 + c1 t + c2 t² + ...``

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System()
    >>> slider = s.body("slider", mass=2.0, inertia=0.1)
    >>> rail = s.add(fm.Translational("rail", s.ground.at(0.0, 0.0), slider.centre))
    >>> drive = s.add(fm.SlideDrive("drive", s.ground.at(0.0, 0.0), slider.centre, fm.Polynomial((0.1, 0.0, 0.5))))  # 0.1 + 0.5 t²
    >>> place = fm.inverse_dynamics(s, end=1.0, points=3, outputs=["slider.x"])["slider.x"]
    >>> (place.round(6) + 0.0).tolist()  # m
    [0.1, 0.225, 0.6]
    """

    coefficients: tuple

    def parameters(self):
        """Coefficients by key."""
        return {f"c{k}": c for k, c in enumerate(self.coefficients)}

    def topology_key(self):
        """Degree."""
        return ("polynomial", len(self.coefficients))

    def node(self, equations, number):
        """Horner's scheme."""
        total = equations.graph.const(0.0)
        for k in reversed(range(len(self.coefficients))):
            total = total * equations.time + number(f"c{k}")
        return total

    def integral(self, equations, number):
        """Horner's scheme, each coefficient over its power."""
        total = equations.graph.const(0.0)
        for k in reversed(range(len(self.coefficients))):
            total = (total + number(f"c{k}") / (k + 1.0)) * equations.time
        return total


def ConstantSpeed(speed, start=0.0):
    """``start + speed t``

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System()
    >>> crank = s.body("crank", mass=1.0, inertia=0.1)
    >>> pin = s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), crank.centre))
    >>> drive = s.add(fm.AngleDrive("drive", s.ground.at(0.0, 0.0), crank.centre, fm.ConstantSpeed(2.0, start=0.5)))
    >>> fm.inverse_dynamics(s, end=1.0, points=3, outputs=["crank.angle"])["crank.angle"].round(6).tolist()
    [0.5, 1.5, 2.5]
    """
    return Polynomial((start, speed))


@dataclass(frozen=True)
class Harmonic(Motion):
    """``offset + amplitude sin(frequency t + phase)``; frequency in rad/s, phase in rad.

    Examples
    --------
    >>> import numpy as np
    >>> import flexmbd as fm
    >>> s = fm.System()
    >>> slider = s.body("slider", mass=1.0, inertia=0.1)
    >>> rail = s.add(fm.Translational("rail", s.ground.at(0.0, 0.0), slider.centre))
    >>> drive = s.add(fm.SlideDrive("drive", s.ground.at(0.0, 0.0), slider.centre, fm.Harmonic(0.1, 2 * np.pi)))  # 1 Hz
    >>> place = fm.inverse_dynamics(s, end=1.0, points=5, outputs=["slider.x"])["slider.x"]
    >>> (place.round(6) + 0.0).tolist()  # m
    [0.0, 0.1, 0.0, -0.1, 0.0]
    """

    amplitude: object
    frequency: object
    phase: object = 0.0
    offset: object = 0.0

    def parameters(self):
        """The four numbers."""
        return {k: getattr(self, k) for k in ("amplitude", "frequency", "phase", "offset")}

    def topology_key(self):
        """Kind."""
        return ("harmonic",)

    def node(self, equations, number):
        """offset + amplitude sin(frequency t + phase)"""
        sine, _ = equations.sincos(number("frequency") * equations.time + number("phase"))
        return number("offset") + number("amplitude") * sine


@dataclass(frozen=True)
class Sum(Motion):
    """Sum of motions."""

    parts: tuple

    def parameters(self):
        """Numbers of all parts."""
        return {f"{i}.{k}": x for i, part in enumerate(self.parts) for k, x in part.parameters().items()}

    def topology_key(self):
        """Kinds of the parts."""
        return tuple(p.topology_key() for p in self.parts)

    def node(self, equations, number):
        """Sum of the parts."""
        return sum((part.node(equations, self._own(number, i)) for i, part in enumerate(self.parts)), equations.graph.const(0.0))

    def integral(self, equations, number):
        """Sum of the parts' integrals."""
        return sum((part.integral(equations, self._own(number, i)) for i, part in enumerate(self.parts)), equations.graph.const(0.0))

    @staticmethod
    def _own(number, i):
        return lambda key: number(f"{i}.{key}")


@dataclass(frozen=True)
class Fourier(Motion):
    """Trigonometric interpolation of one period given at equal steps: ``values`` over ``period`` seconds (or rad), repeated.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System()
    >>> slider = s.body("slider", mass=1.0, inertia=0.1)
    >>> rail = s.add(fm.Translational("rail", s.ground.at(0.0, 0.0), slider.centre))
    >>> measured = fm.Fourier(1.0, (0.0, 0.1, 0.0, -0.1))  # four values, a quarter of a second apart
    >>> drive = s.add(fm.SlideDrive("drive", s.ground.at(0.0, 0.0), slider.centre, measured))
    >>> place = fm.inverse_dynamics(s, end=1.0, points=5, outputs=["slider.x"])["slider.x"]
    >>> (place.round(6) + 0.0).tolist()  # m
    [0.0, 0.1, 0.0, -0.1, 0.0]
    """

    period: float
    values: tuple

    def __post_init__(self):
        if len(self.values) < 3 or self.period <= 0:
            raise ModelError("a Fourier motion needs at least 3 values and a period above zero")

    def _sum(self):
        c = np.fft.rfft(np.asarray(self.values, float)) / len(self.values)
        w = 2 * np.pi / self.period
        parts: list[Motion] = [Polynomial((float(c[0].real),))]
        for k in range(1, len(c)):
            weight = 1.0 if 2 * k == len(self.values) else 2.0
            parts.append(Harmonic(weight * float(abs(c[k])), w * k, float(np.angle(c[k]) + np.pi / 2)))
        return Sum(tuple(parts))

    def parameters(self):
        """Numbers of the harmonics."""
        return self._sum().parameters()

    def topology_key(self):
        """Number of values."""
        return ("fourier", len(self.values))

    def node(self, equations, number):
        """Sum of harmonics."""
        return self._sum().node(equations, number)
