"""Linear and torsional spring-dampers."""

from dataclasses import dataclass
from typing import ClassVar

from flexmbd.errors import check_number
from flexmbd.forces.coordinates import AboutAxis
from flexmbd.forces.loads import Force
from flexmbd.language.quadratic import dot


@dataclass(frozen=True, eq=False)
class SpringDamper(Force):
    """Base of spring-dampers: `stiffness`, `damping`, and the unloaded length or angle, whose key is `free`."""

    free: ClassVar[str]

    name: str
    a: object
    b: object
    stiffness: object
    damping: object = 0.0

    def __post_init__(self):
        for key in self._keys():
            object.__setattr__(self, key, check_number(f"spring '{self.name}'", key, getattr(self, key)))

    def parameters(self):
        """Stiffness, damping, length or angle."""
        return {key: getattr(self, key) for key in self._keys()}

    def unit(self, key):
        """By whether it turns."""
        of = {"length": ("N/m", "N s/m", "m"), "angle": ("N m/rad", "N m s/rad", "rad")}[self.free]
        return dict(zip(self._keys(), of, strict=True)).get(key) or super().unit(key)

    def _keys(self):
        return "stiffness", "damping", self.free

    def _pull(self, equations, stretch, rate):
        """Node of the force or moment."""
        return equations.number(self, "stiffness") * stretch + equations.number(self, "damping") * rate


@dataclass(frozen=True, eq=False)
class Spring(SpringDamper):
    """Spring-damper between points `a` and `b`: stiffness N/m, damping N s/m, free length m.

    Both forces act along the line of the points. A length of zero makes the elastic one linear in the coordinates.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, -9.81))
    >>> bob = s.point_mass("bob", mass=2.0, position=(0.0, -0.5))
    >>> spring = s.add(fm.Spring("spring", s.ground.at(0.0, 0.0), bob.centre, stiffness=100.0, length=0.4))
    >>> round(float(fm.static(s)["bob.y"][-1]), 4)  # m: 0.4 m and m g / k
    -0.5962
    """

    dimensions: ClassVar[tuple] = (2, 3)
    free: ClassVar[str] = "length"

    length: object = 0.0

    def topology_key(self):
        """Whether the free length is zero."""
        return (isinstance(self.length, float) and self.length == 0.0,)

    def _kinematics(self, equations):
        between = equations.between(self.a, self.b)
        return equations.values(between), equations.rates(between)

    def _elongation(self, equations):
        length, rate, n = line(equations, self.a, self.b)
        return length - equations.number(self, "length"), rate, n, length

    def apply(self, equations):
        """Forces along the line of the points."""
        k, c = equations.number(self, "stiffness"), equations.number(self, "damping")
        if self.topology_key()[0]:
            d, rate = self._kinematics(equations)
            g, squared = equations.graph, dot(d, d)
            along = dot(d, rate)
            damping = c * along / g.select(g.greater(squared, 1e-30), squared, 1e-30)  # over the distance, as k
            force = [(k + damping) * x for x in d]
            potential, loss = 0.5 * k * squared, damping * along
        else:
            stretch, rate, n, _ = self._elongation(equations)
            f = k * stretch + c * rate
            force = [f * x for x in n]
            potential, loss = 0.5 * k * stretch * stretch, c * rate * rate
        equations.force(self.a, *force)
        equations.force(self.b, *(-x for x in force))
        equations.potential(potential)
        equations.power("dissipated", loss)

    def outputs(self, equations):
        """Force (tension positive) and length."""

        def tension():
            return self._pull(equations, *self._elongation(equations)[:2])

        return {f"{self.name}.force": (tension, "N"), f"{self.name}.length": (lambda: self._elongation(equations)[3], "m")}


def line(equations, a, b):
    """Nodes of the distance of two points, its rate, and the direction from a to b."""
    g, between = equations.graph, equations.between(a, b)
    d, rate = equations.values(between), equations.rates(between)
    squared = dot(d, d)
    length = g.sqrt(g.select(g.greater(squared, 1e-30), squared, 1e-30))
    n = [x / length for x in d]
    return length, dot(n, rate), n


@dataclass(frozen=True, eq=False)
class TorsionSpring(AboutAxis, SpringDamper):
    """Torsional spring-damper between bodies `a` and `b`: stiffness N m/rad, damping N m s/rad, free relative angle rad.

    The angle counts full turns.  In space it is that about `axis`, a direction in a's frame which a joint keeps on b's body, and it is zero
    at the start.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System()
    >>> crank = s.body("crank", mass=1.0, inertia=0.1)
    >>> pin = s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), crank.centre))
    >>> spring = s.add(fm.TorsionSpring("spring", s.ground, crank, stiffness=10.0))
    >>> round(float(fm.modes(s).frequencies[0]), 6)  # rad/s: (k / J)**0.5
    10.0
    """

    free: ClassVar[str] = "angle"

    angle: object = 0.0
    axis: tuple = None

    def apply(self, equations):
        """Torque on both bodies."""
        k, c = equations.number(self, "stiffness"), equations.number(self, "damping")
        twist, rate = self._twist(equations)
        self._relative.act(equations, self, -(k * twist + c * rate))
        equations.potential(0.5 * k * twist * twist)
        equations.power("dissipated", c * rate * rate)

    def outputs(self, equations):
        """Moment and relative angle."""

        def moment():
            return self._pull(equations, *self._twist(equations))

        return {f"{self.name}.moment": (moment, "N m"), f"{self.name}.angle": (lambda: self._twist(equations)[0], "rad")}
