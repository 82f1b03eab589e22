"""Contact of a thin disc's edge with a half-space: wheels, coins, hoops."""

from dataclasses import dataclass
from typing import ClassVar

from flexmbd.contact.point import SpatialArms
from flexmbd.contact.points import PointContact
from flexmbd.errors import unit_vector
from flexmbd.frames import node_axis
from flexmbd.language.quadratic import dot
from flexmbd.space import axis_parameters


@dataclass(frozen=True, eq=False)
class ThinDiscPlane(PointContact):
    """Edge of a disc of `radius` about point `a`, at right angles to `axis`, against the half-space below point `b`.

    The outward `normal` is fixed in b's body, the axis in a's.  The lowest point of the edge touches, and friction acts there.  A disc that
    lies flat has no lowest point: contact on a face, or on a ring, is not treated.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, 0.0, -9.81))
    >>> coin = s.body("coin", mass=0.1, inertia=(1e-5, 2e-5, 1e-5), position=(0.0, 0.0, 0.0099))
    >>> table = s.add(fm.ThinDiscPlane("table", coin.centre, s.ground.at(0.0, 0.0, 0.0), 0.01, fm.Hertz(1e8), axis=(0.0, 1.0, 0.0)))
    >>> e = fm.Equations(s)
    >>> round(float(e.output("table.penetration", e.initial()[0])), 6)  # m
    0.0001
    """

    bulges: ClassVar[bool] = False

    name: str
    a: object
    b: object
    radius: object
    law: object
    friction: object = None
    axis: tuple = (0.0, 1.0, 0.0)
    normal: tuple = (0.0, 0.0, 1.0)
    minimum_impact_velocity: object = None

    def __post_init__(self):
        self.positive("radius")
        for key in ("axis", "normal"):
            object.__setattr__(self, key, unit_vector(self.owner, key, getattr(self, key), 3))
        self.check_friction()

    def sizes(self):
        """Radius, axis and normal."""
        return {"radius": self.radius, **axis_parameters("axis", self.axis), **axis_parameters("normal", self.normal)}

    def contact_points(self, equations):
        """Depth of the edge's lowest point: ``radius sqrt(1 - (n.u)²)`` less the height of the centre."""
        g, radius = equations.graph, equations.number(self, "radius")
        axis, normal, apart = (
            node_axis(equations, self, self.a.body, "axis"),
            node_axis(equations, self, self.b.body, "normal"),
            self.apart(equations),
        )
        (height, lean), u, n, d = equations.values((dot(normal, apart), dot(normal, axis))), *map(equations.values, (axis, normal, apart))
        steep = g.root(1.0 - lean * lean)
        arm_a = tuple(-(radius * ((y - lean * x) / steep)) for x, y in zip(u, n, strict=True))
        return [SpatialArms(self, equations, radius * steep - height, n, arm_a, tuple(x + y for x, y in zip(d, arm_a, strict=True)))]
