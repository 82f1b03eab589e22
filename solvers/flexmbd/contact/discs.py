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
    """Disc of `radius` about point `a` against the half-plane below point `b`, whose outward `normal` is fixed in b's body."""

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

    def contact_points(self, build):
        """Radius less distance of the centre from the plane."""
        n = build.direction(self.b.body, build.number(self, "normal.x"), build.number(self, "normal.y"))
        d = self.apart(build)
        (nx, ny), (vx, vy) = build.values(n), build.rates(d)
        height, along = build.values((dot(n, d), cross(n, d)))
        spin_b, radius = build.spin(self.b.body), build.number(self, "radius")
        slip = vy * nx - vx * ny - build.spin(self.a.body) * height
        if self.impenetrable:
            beyond = within(build.graph, radius - height, radius)
            slip = slip - build.spin(self.a.body) * beyond + spin_b * beyond
        rate = -(vx * nx + vy * ny) - spin_b * along
        return [FlatArms(radius - height, rate, (nx, ny), slip, -height, 0.0, along)]


@dataclass(frozen=True, eq=False)
class DiscDisc(Contact):
    """Disc of `radius_a` about point `a` against disc of `radius_b` about point `b`."""

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

    def contact_points(self, build):
        """Sum of the radii less the distance of the centres; both arms end at one point (impenetrable: in the middle of an overlap)."""
        d = self.apart(build)
        (x, y), (vx, vy) = build.values(d), build.rates(d)
        r = build.graph.length((x, y))
        nx, ny = x / r, y / r
        radius, own = build.number(self, "radius_b"), build.number(self, "radius_a")
        arm_a, arm_b = radius - r, radius
        if self.impenetrable:
            share = r / (own + radius)
            arm_a, arm_b = -own * share, radius * share
        slip = vy * nx - vx * ny + build.spin(self.a.body) * arm_a - build.spin(self.b.body) * arm_b
        return [FlatArms(own + radius - r, -(vx * nx + vy * ny), (nx, ny), slip, arm_a, arm_b)]
