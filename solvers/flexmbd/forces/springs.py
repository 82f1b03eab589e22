"""Linear and torsional spring-dampers."""

from dataclasses import dataclass
from typing import ClassVar

from flexmbd.errors import ModelError, check_number, unit_vector
from flexmbd.forces.loads import Force
from flexmbd.frames import aligned_with, at_start, node_axis
from flexmbd.linalg.quadratic import dot
from flexmbd.linalg.tracing import full_angle
from flexmbd.space import axis_leaves, is_spatial, triad


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

    def leaves(self):
        """Stiffness, damping, length or angle."""
        return {key: getattr(self, key) for key in self._keys()}

    def _keys(self):
        return "stiffness", "damping", self.free

    def _pull(self, build, stretch, rate):
        """Node of the force or moment."""
        return build.number(self, "stiffness") * stretch + build.number(self, "damping") * rate


@dataclass(frozen=True, eq=False)
class Spring(SpringDamper):
    """Spring-damper between points `a` and `b`: stiffness N/m, damping N s/m, free length m.

    Both forces act along the line of the points. A length of zero makes the elastic one linear in the coordinates.
    """

    dimensions: ClassVar[tuple] = (2, 3)
    free: ClassVar[str] = "length"

    length: object = 0.0

    def structure(self):
        """Whether the free length is zero."""
        return (isinstance(self.length, float) and self.length == 0.0,)

    def _kinematics(self, build):
        between = build.between(self.a, self.b)
        return build.values(between), build.rates(between)

    def _elongation(self, build):
        length, rate, n = line(build, self.a, self.b)
        return length - build.number(self, "length"), rate, n, length

    def apply(self, build):
        """Forces along the line of the points."""
        k, c = build.number(self, "stiffness"), build.number(self, "damping")
        if self.structure()[0]:
            d, rate = self._kinematics(build)
            g, squared = build.graph, dot(d, d)
            along = dot(d, rate)
            damping = c * along / g.select(g.greater(squared, 1e-30), squared, 1e-30)  # over the distance, as k
            force = [(k + damping) * x for x in d]
            potential, loss = 0.5 * k * squared, damping * along
        else:
            stretch, rate, n, _ = self._elongation(build)
            f = k * stretch + c * rate
            force = [f * x for x in n]
            potential, loss = 0.5 * k * stretch * stretch, c * rate * rate
        build.force(self.a, *force)
        build.force(self.b, *(-x for x in force))
        build.potential(potential)
        build.power("dissipated", loss)

    def outputs(self, build):
        """Force (tension positive) and length."""

        def tension():
            return self._pull(build, *self._elongation(build)[:2])

        return {f"{self.name}.force": (tension, "N"), f"{self.name}.length": (lambda: self._elongation(build)[3], "m")}


def line(build, a, b):
    """Nodes of the distance of two points, its rate, and the direction from a to b."""
    g, between = build.graph, build.between(a, b)
    d, rate = build.values(between), build.rates(between)
    squared = dot(d, d)
    length = g.sqrt(g.select(g.greater(squared, 1e-30), squared, 1e-30))
    n = [x / length for x in d]
    return length, dot(n, rate), n


@dataclass(frozen=True, eq=False)
class TorsionSpring(SpringDamper):
    """Torsional spring-damper between bodies `a` and `b`: stiffness N m/rad, damping N m s/rad, free relative angle rad.

    The angle counts full turns.  In space it is that about `axis`, a direction in a's frame which a joint keeps on b's body, and it is zero
    at the start.
    """

    ends: ClassVar[str] = "bodies"
    dimensions: ClassVar[tuple] = (2, 3)
    free: ClassVar[str] = "angle"

    angle: object = 0.0
    axis: tuple = None

    def __post_init__(self):
        super().__post_init__()
        owner = f"spring '{self.name}'"
        if is_spatial(self.a):
            if self.axis is None:
                raise ModelError(f"{owner} needs an axis in space: three numbers in the frame of a", element=self.name)
            object.__setattr__(self, "axis", unit_vector(owner, "axis", self.axis, 3))
        elif self.axis is not None:
            raise ModelError(f"{owner}: axis is {self.axis!r}; in the plane there is none", element=self.name)

    def leaves(self):
        """Stiffness, damping, angle; in space the triad on a, and what lies along its first direction on b at the start."""
        if self.axis is None:
            return super().leaves()
        first, second = triad(self.axis)
        other = aligned_with(self.a, self.b, first, at_start(self.a, self.b, self.axis))
        frame = {"axis": self.axis, "n1": first, "n2": second, "m1": other}
        return super().leaves() | {path: x for key, direction in frame.items() for path, x in axis_leaves(key, direction).items()}

    def _twist(self, build):
        """Twist, its rate, and in space the axis."""
        free = build.number(self, "angle")
        if self.axis is None:
            return build.angle(self.b) - build.angle(self.a) - free, build.spin(self.b) - build.spin(self.a)
        axis, n1, n2 = (node_axis(build, self, self.a, key) for key in ("axis", "n1", "n2"))
        other, axis = node_axis(build, self, self.b, "m1"), build.values(axis)
        rate = dot(axis, [y - x for x, y in zip(build.spin(self.a), build.spin(self.b), strict=True)])
        coarse = build.state(self, "turned")
        build.state_rate(coarse, rate)
        return full_angle(build.graph, coarse, *build.values((dot(n1, other), dot(n2, other)))) - free, rate, axis

    def apply(self, build):
        """Torque on both bodies."""
        k, c = build.number(self, "stiffness"), build.number(self, "damping")
        twist, rate, *axis = self._twist(build)
        moment = k * twist + c * rate
        moments = [moment * x for x in axis[0]] if axis else [moment]
        build.torque(self.a, *moments)
        build.torque(self.b, *(-x for x in moments))
        build.potential(0.5 * k * twist * twist)
        build.power("dissipated", c * rate * rate)

    def outputs(self, build):
        """Moment and relative angle."""

        def moment():
            return self._pull(build, *self._twist(build)[:2])

        return {f"{self.name}.moment": (moment, "N m"), f"{self.name}.angle": (lambda: self._twist(build)[0], "rad")}
