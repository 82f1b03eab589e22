"""Contact of spheres with half-spaces and with each other."""

from dataclasses import dataclass
from typing import ClassVar

from flexmbd.contact.impenetrable import within
from flexmbd.contact.point import SpatialArms, unit
from flexmbd.contact.points import PointContact
from flexmbd.errors import unit_vector
from flexmbd.frames import node_axis
from flexmbd.language.quadratic import dot
from flexmbd.space import axis_parameters


@dataclass(frozen=True, eq=False)
class SpherePlane(PointContact):
    """Sphere of `radius` about point `a` against the half-space below point `b`, whose outward `normal` is fixed in b's body.

    Friction acts at the foot of the sphere's centre on the plane; a sphere that spins about the normal is not braked.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, 0.0, -9.81))
    >>> ball = s.body("ball", mass=1.0, inertia=(0.01, 0.01, 0.01), position=(0.0, 0.0, 0.199))
    >>> floor = s.add(fm.SpherePlane("floor", ball.centre, s.ground.at(0.0, 0.0, 0.0), 0.2, fm.Hertz(1e8)))
    >>> e = fm.Equations(s)
    >>> round(float(e.output("floor.normal", e.initial()[0])), 2)  # N
    3162.28
    """

    bulges: ClassVar[bool] = False

    name: str
    a: object
    b: object
    radius: object
    law: object
    friction: object = None
    normal: tuple = (0.0, 0.0, 1.0)
    minimum_impact_velocity: object = None

    def __post_init__(self):
        self.positive("radius")
        object.__setattr__(self, "normal", unit_vector(self.owner, "normal", self.normal, 3))
        self.check_friction()

    def sizes(self):
        """Radius and normal."""
        return {"radius": self.radius, **axis_parameters("normal", self.normal)}

    def contact_points(self, equations):
        """Radius less height of the centre."""
        normal, apart = node_axis(equations, self, self.b.body, "normal"), self.apart(equations)
        (height,), n, d = equations.values((dot(normal, apart),)), equations.values(normal), equations.values(apart)
        radius = equations.number(self, "radius")
        arm = height + within(equations.graph, radius - height, radius) if self.impenetrable else height
        arm_a = tuple(-(arm * x) for x in n)
        return [SpatialArms(self, equations, radius - height, n, arm_a, tuple(x + y for x, y in zip(d, arm_a, strict=True)))]


@dataclass(frozen=True, eq=False)
class SphereSphere(PointContact):
    """Sphere of `radius_a` about point `a` against sphere of `radius_b` about point `b`; friction acts on b's surface.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, 0.0, 0.0))
    >>> one, two = (s.body(name, mass=1.0, inertia=(0.01,) * 3, position=(x, 0.0, 0.0)) for name, x in (("one", 0.0), ("two", 0.349)))
    >>> touch = s.add(fm.SphereSphere("touch", one.centre, two.centre, 0.2, 0.15, fm.Hertz(1e8)))
    >>> e = fm.Equations(s)
    >>> round(float(e.output("touch.penetration", e.initial()[0])), 6)  # m
    0.001
    """

    name: str
    a: object
    b: object
    radius_a: object
    radius_b: object
    law: object
    friction: object = None
    minimum_impact_velocity: object = None

    def __post_init__(self):
        self.positive("radius_a", "radius_b")
        self.check_friction()

    def sizes(self):
        """Both radii."""
        return {"radius_a": self.radius_a, "radius_b": self.radius_b}

    def contact_points(self, equations):
        """Sum of the radii less the distance of the centres."""
        distance, n = unit(equations.graph, equations.values(self.apart(equations)))
        radius, own = equations.number(self, "radius_b"), equations.number(self, "radius_a")
        lengths = radius - distance, radius
        if self.impenetrable:  # an overlap has both radii's shares
            share = distance / (own + radius)
            lengths = -own * share, radius * share
        arms = [tuple(length * x for x in n) for length in lengths]
        return [SpatialArms(self, equations, own + radius - distance, n, *arms)]
