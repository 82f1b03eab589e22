"""Contact of a disc with a half-plane and of two discs (in the plane, spheres are discs)."""

from dataclasses import dataclass
from typing import ClassVar

from flexmbd.contact.impenetrable import within
from flexmbd.contact.pair import Contact
from flexmbd.contact.parts import check_parts
from flexmbd.contact.point import FlatArms
from flexmbd.errors import unit_vector
from flexmbd.language.quadratic import cross, dot


@dataclass(frozen=True, eq=False)
class DiscPlane(Contact):
    """Disc of `radius` about point `a` against the half-plane below point `b`, whose outward `normal` is fixed in b's body.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, -9.81))
    >>> disc = s.body("disc", mass=1.0, inertia=0.01, position=(0.0, 0.199))
    >>> floor = s.add(fm.DiscPlane("floor", disc.centre, s.ground.at(0.0, 0.0), 0.2, fm.Hertz(1e8)))
    >>> e = fm.Equations(s)
    >>> round(float(e.output("floor.normal", e.initial()[0])), 2)  # N, 1 mm deep: 1e8 * 0.001**1.5
    3162.28
    """

    bulges: ClassVar[bool] = False

    name: str
    a: object
    b: object
    radius: object
    law: object
    friction: object = None
    normal: tuple = (0.0, 1.0)
    minimum_impact_velocity: object = None

    def __post_init__(self):
        self.positive("radius")
        object.__setattr__(self, "normal", unit_vector(self.owner, "normal", self.normal))
        check_parts(self)

    def sizes(self):
        """Radius and normal."""
        return {"radius": self.radius, "normal.x": self.normal[0], "normal.y": self.normal[1]}

    def contact_points(self, equations):
        """Radius less distance of the centre from the plane."""
        n = equations.direction(self.b.body, equations.number(self, "normal.x"), equations.number(self, "normal.y"))
        d = self.apart(equations)
        (nx, ny), (vx, vy) = equations.values(n), equations.rates(d)
        height, along = equations.values((dot(n, d), cross(n, d)))
        spin_b, radius = equations.spin(self.b.body), equations.number(self, "radius")
        slip = vy * nx - vx * ny - equations.spin(self.a.body) * height
        if self.impenetrable:
            beyond = within(equations.graph, radius - height, radius)
            slip = slip - equations.spin(self.a.body) * beyond + spin_b * beyond
        rate = -(vx * nx + vy * ny) - spin_b * along
        return [FlatArms(radius - height, rate, (nx, ny), slip, -height, 0.0, along)]


@dataclass(frozen=True, eq=False)
class DiscDisc(Contact):
    """Disc of `radius_a` about point `a` against disc of `radius_b` about point `b`.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System()
    >>> one, two = (s.body(name, mass=1.0, inertia=0.01, position=(x, 0.0)) for name, x in (("one", 0.0), ("two", 0.349)))
    >>> touch = s.add(fm.DiscDisc("touch", one.centre, two.centre, 0.2, 0.15, fm.Hertz(1e8)))
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
        check_parts(self)

    def sizes(self):
        """Both radii."""
        return {"radius_a": self.radius_a, "radius_b": self.radius_b}

    def contact_points(self, equations):
        """Sum of the radii less the distance of the centres; both arms end at one point (impenetrable: in the middle of an overlap)."""
        d = self.apart(equations)
        (x, y), (vx, vy) = equations.values(d), equations.rates(d)
        r = equations.graph.length((x, y))
        nx, ny = x / r, y / r
        radius, own = equations.number(self, "radius_b"), equations.number(self, "radius_a")
        arm_a, arm_b = radius - r, radius
        if self.impenetrable:
            share = r / (own + radius)
            arm_a, arm_b = -own * share, radius * share
        slip = vy * nx - vx * ny + equations.spin(self.a.body) * arm_a - equations.spin(self.b.body) * arm_b
        return [FlatArms(own + radius - r, -(vx * nx + vy * ny), (nx, ny), slip, arm_a, arm_b)]
