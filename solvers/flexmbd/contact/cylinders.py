"""Contact of a sphere with the curved surface of a cylinder, outside or inside."""

from dataclasses import dataclass

import numpy as np

from flexmbd.contact.parts import refuse
from flexmbd.contact.point import SpatialArms, unit
from flexmbd.contact.points import PointContact
from flexmbd.errors import unit_vector
from flexmbd.frames import node_axis
from flexmbd.language.quadratic import dot
from flexmbd.space import axis_parameters


@dataclass(frozen=True, eq=False)
class SphereCylinder(PointContact):
    """Sphere of `radius` about point `a` against the curved surface of a cylinder about point `b`, whose `axis` is fixed in b's body.

    With a length the surface ends half of it on either side of point b, and there its rim touches: the nearest point of the curved
    surface is what counts. End faces are none: a sphere larger than the cylinder's radius that comes from its end is held by its rim, a
    smaller one passes into it. Friction acts on the cylinder's surface.

    Parameters
    ----------
    name : str
    a, b : Point
    radius, cylinder_radius : float or ndarray
        Of the sphere and of the cylinder, m; inside, that of the cylinder is the larger one.
    law : NormalLaw or Impenetrable
    friction : FrictionLaw, optional
        None is frictionless; of an `Impenetrable` its own.
    axis : tuple
        Direction of the cylinder in b's frame.
    length : float or ndarray, optional
        Of the cylinder, m; left out it has no end.
    inside : bool
        True for a sphere in a tube.
    minimum_impact_velocity : float, optional
        Lower bound of the approach speed that the law is given, m/s.

    Raises
    ------
    ModelError
        If a size is not above zero, the sphere does not fit into the tube, or the system is planar.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, 0.0, -9.81))
    >>> ball = s.body("ball", mass=1.0, inertia=(0.01,) * 3, position=(0.0, 0.0, 0.399))
    >>> pipe = s.add(fm.SphereCylinder("pipe", ball.centre, s.ground.at(0.0, 0.0, 0.0), 0.1, 0.3, fm.Hertz(1e8), axis=(1.0, 0.0, 0.0)))
    >>> e = fm.Equations(s)
    >>> round(float(e.output("pipe.penetration", e.initial()[0])), 6)  # m
    0.001
    """

    name: str
    a: object
    b: object
    radius: object
    cylinder_radius: object
    law: object
    friction: object = None
    axis: tuple = (1.0, 0.0, 0.0)
    length: object = None
    inside: bool = False
    minimum_impact_velocity: object = None

    def __post_init__(self):
        self.positive("radius", "cylinder_radius", *(() if self.length is None else ("length",)))
        object.__setattr__(self, "axis", unit_vector(self.owner, "axis", self.axis, 3))
        self.true_or_false("inside")
        if self.inside and np.any(np.greater_equal(self.radius, self.cylinder_radius)):
            refuse(self, "the sphere's radius is not below cylinder_radius, so it does not fit inside", "take a smaller sphere")
        self.check_friction()

    @property
    def bulges(self):
        """Not inside a tube without ends."""
        return not self.inside or self.length is not None

    def sizes(self):
        """Radii, axis, and the length if there is one."""
        length = {} if self.length is None else {"length": self.length}
        return {"radius": self.radius, "cylinder_radius": self.cylinder_radius, **length, **axis_parameters("axis", self.axis)}

    def topology_key(self):
        """Whether inside, and whether it has ends."""
        return (*super().topology_key(), bool(self.inside), self.length is None)

    def contact_points(self, equations):
        """Radius of the sphere less distance of its centre from the surface."""
        g, side = equations.graph, -1.0 if self.inside else 1.0
        axis, apart = node_axis(equations, self, self.b.body, "axis"), self.apart(equations)
        (along,), u, d = equations.values((dot(axis, apart),)), equations.values(axis), equations.values(apart)
        far, out = unit(g, [x - along * y for x, y in zip(d, u, strict=True)])
        radius, wall = equations.number(self, "radius"), equations.number(self, "cylinder_radius")
        height, normal = side * (far - wall), [side * x for x in out]
        if self.length is not None:
            half = 0.5 * equations.number(self, "length")
            beyond = g.greater(g.fabs(along), half)
            over = g.select(beyond, along - g.select(g.greater(along, 0.0), half, -half), 0.0)
            rim, to_rim = unit(g, [height * x + over * y for x, y in zip(normal, u, strict=True)])
            height, normal = g.select(beyond, rim, height), [g.select(beyond, x, y) for x, y in zip(to_rim, normal, strict=True)]
        arm_a = tuple(-((radius if self.impenetrable else height) * x) for x in normal)
        return [SpatialArms(self, equations, radius - height, tuple(normal), arm_a, tuple(x + y for x, y in zip(d, arm_a, strict=True)))]
