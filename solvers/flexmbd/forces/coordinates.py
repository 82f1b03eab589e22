"""What turns or slides between two bodies, as one number with its rate: what springs, actuators and controllers act along or measure."""

from dataclasses import dataclass
from typing import ClassVar

from flexmbd.errors import ModelError, unit_vector
from flexmbd.frames import aligned_with, at_start, node_axis
from flexmbd.language.quadratic import dot
from flexmbd.language.tracing import full_angle
from flexmbd.space import axis_parameters, is_spatial, triad

COORDINATES = "an AngleOf or a PlaceOf, or another Coordinate"  # as messages say it


class Coordinate:
    """A number that depends on where a system is, with its rate; actuators act along it, controllers, conditions and locks measure it.

    A subclass gives `node`, `bodies`, and what is below where it is not a length that a force acts along.

    Attributes
    ----------
    kind, unit : str
        What acts along it, a name of outputs, and its unit.
    measure : str
        Its own unit.
    bodies : tuple of Body
        Those on which it depends.
    ends : dict str -> Body
        Of them, by the key that a message names, those which must be rigid bodies or ground.
    """

    kind: ClassVar[str] = "force"
    unit: ClassVar[str] = "N"
    measure: ClassVar[str] = "m"
    bodies = ()

    @property
    def ends(self):
        """None."""
        return {}

    def topology_key(self):
        """Kind and bodies; one whose code depends on more adds that."""
        return (type(self).__name__, *(body.name for body in self.bodies))

    def parameters(self):
        """Its numbers by key."""
        return {}

    def node(self, equations, number):
        """Node of its value; ``number(key)`` is that of one of its parameters."""
        raise NotImplementedError

    def nodes(self, equations, element, prefix=""):
        """Nodes of the value and its rate; `prefix` is that of its numbers among the element's."""
        value = self.node(equations, lambda key: equations.number(element, f"{prefix}{key}"))
        return value, equations.time_derivative(value)

    def act(self, equations, element, effort, prefix=""):
        """Add an effort that acts in the direction in which it grows, by virtual work."""
        equations.force_on(self.nodes(equations, element, prefix)[0], effort)


class Between(Coordinate):
    """Of two bodies, or points on them, `a` and `b`."""

    @property
    def ends(self):
        """Both bodies."""
        return dict(zip("ab", self.bodies, strict=True))


@dataclass(frozen=True, eq=False)
class AngleOf(Between):
    """Angle of body `b` against body `a` in rad, counting full turns.

    In space it is that about `axis`, a direction in a's frame which a joint keeps on b's body, and it is zero at the start.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System()
    >>> crank = s.body("crank", mass=1.0, inertia=0.1, rate=2.0)
    >>> pin = s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), crank.centre))
    >>> stop = s.add(fm.StopWhen("stop", fm.AngleOf(s.ground, crank), 1.0))
    >>> found = fm.run(s, end=1.0, points=3, outputs=["crank.angle"])
    >>> round(float(found.statistics["ended"]), 9)  # s, at 1 rad
    0.5
    """

    kind: ClassVar[str] = "moment"
    unit: ClassVar[str] = "N m"
    measure: ClassVar[str] = "rad"

    a: object
    b: object
    axis: tuple = None

    def __post_init__(self):
        owner = f"angle of '{getattr(self.b, 'name', self.b)}'"
        if not all(hasattr(end, "torque") and hasattr(end, "spin") for end in (self.a, self.b)):
            raise ModelError(f"{owner} against '{getattr(self.a, 'name', self.a)}': both must be rigid bodies, or one of them ground")
        if is_spatial(self.a):
            if self.axis is None:
                raise ModelError(f"{owner} needs an axis in space: three numbers in the frame of a")
            object.__setattr__(self, "axis", unit_vector(owner, "axis", self.axis, 3))
        elif self.axis is not None:
            raise ModelError(f"{owner}: axis is {self.axis!r}; in the plane there is none")

    @property
    def bodies(self):
        """Both bodies."""
        return self.a, self.b

    def parameters(self):
        """Nothing; in space the triad on a, and what lies along its first direction on b at the start."""
        if self.axis is None:
            return {}
        first, second = triad(self.axis)
        other = aligned_with(self.a, self.b, first, at_start(self.a, self.b, self.axis))
        frame = {"axis": self.axis, "n1": first, "n2": second, "m1": other}
        return {path: x for key, direction in frame.items() for path, x in axis_parameters(key, direction).items()}

    def nodes(self, equations, element, prefix=""):
        """Nodes of the angle and its rate; `prefix` is that of its numbers among the element's."""
        if self.axis is None:
            return equations.angle(self.b) - equations.angle(self.a), equations.spin(self.b) - equations.spin(self.a)
        n1, n2 = (node_axis(equations, element, self.a, f"{prefix}{key}") for key in ("n1", "n2"))
        other = node_axis(equations, element, self.b, f"{prefix}m1")
        rate = dot(
            self._axis(equations, element, prefix), [y - x for x, y in zip(equations.spin(self.a), equations.spin(self.b), strict=True)]
        )
        coarse = equations.state(element, f"{prefix}turned")
        equations.state_rate(coarse, rate)
        return full_angle(equations.graph, coarse, *equations.values((dot(n1, other), dot(n2, other)))), rate

    def _axis(self, equations, element, prefix):
        return equations.values(node_axis(equations, element, self.a, f"{prefix}axis"))

    def act(self, equations, element, moment, prefix=""):
        """Add a moment on b, with its reaction on a."""
        moments = [moment] if self.axis is None else [moment * x for x in self._axis(equations, element, prefix)]
        equations.torque(self.b, *moments)
        equations.torque(self.a, *(-x for x in moments))


class AboutAxis:
    """Share of forces on the angle of body `b` against body `a`: in space they have the field `axis`, see `AngleOf`."""

    ends: ClassVar[str] = "bodies"
    dimensions: ClassVar[tuple] = (2, 3)

    def __post_init__(self):
        super().__post_init__()
        object.__setattr__(self, "axis", self._relative.axis)

    @property
    def _relative(self):
        return AngleOf(self.a, self.b, self.axis)

    def parameters(self):
        """Numbers of the force, and in space those of the axis."""
        return super().parameters() | self._relative.parameters()

    def _twist(self, equations):
        """Nodes of the angle beyond that without load, the force's `angle`, and of its rate."""
        angle, rate = self._relative.nodes(equations, self)
        return angle - equations.number(self, "angle"), rate


@dataclass(frozen=True, eq=False)
class PlaceOf(Between):
    """Place of point `b` from point `a` along `axis`, a direction in the frame of a's body, m.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System()
    >>> cart = s.body("cart", mass=1.0, inertia=0.1, velocity=(2.0, 0.0))
    >>> rail = s.add(fm.Translational("rail", s.ground.at(0.0, 0.0), cart.centre))
    >>> stop = s.add(fm.StopWhen("stop", fm.PlaceOf(s.ground.at(0.0, 0.0), cart.centre), 1.0))
    >>> found = fm.run(s, end=1.0, points=3, outputs=["cart.x"])
    >>> round(float(found.statistics["ended"]), 9)  # s, at 1 m
    0.5
    """

    a: object
    b: object
    axis: tuple = None

    def __post_init__(self):
        if not all(hasattr(end, "body") for end in (self.a, self.b)):
            raise ModelError(f"place: a is {type(self.a).__name__} and b {type(self.b).__name__}; both must be points")
        count = 3 if is_spatial(self.a) else 2
        axis = (1.0, 0.0, 0.0)[:count] if self.axis is None else self.axis
        object.__setattr__(self, "axis", unit_vector(f"place on '{self.b.body.name}'", "axis", axis, count))

    @property
    def bodies(self):
        """Both bodies."""
        return self.a.body, self.b.body

    def topology_key(self):
        """Points."""
        return (type(self).__name__, *((end.body.name, end.key) for end in (self.a, self.b)))

    def parameters(self):
        """The axis."""
        return axis_parameters("axis", self.axis)

    def nodes(self, equations, element, prefix=""):
        """Nodes of the place and its rate."""
        place = dot(node_axis(equations, element, self.a.body, f"{prefix}axis"), equations.between(self.a, self.b))
        return equations.values((place,))[0], equations.rates((place,))[0]
