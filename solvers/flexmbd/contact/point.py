"""One potential contact point, as nodes: penetration, normal, velocities, and how forces there act on both bodies.

Bodies are pushed in one of two ways, in the plane and in space.  By arms, that lead from points a and b to the contact; in space the
normal force then acts by virtual work along the penetration, which depends on the bodies' places to each other only, so that momenta and
power are right whatever the geometry.  Or by virtual work along one velocity, that of body a against body b at the contact, which is linear
in those of all coordinates and does not change in a rigid motion of all bodies: nothing else is asked of a body, so that one without
orientation (a point mass, a cable) takes part too.
"""

from dataclasses import dataclass

from flexmbd.language.quadratic import cross, cross3, dot


@dataclass(frozen=True)
class FlatPoint:
    """Contact in the plane.

    Attributes
    ----------
    penetration, rate : Node
        Above zero in contact, m, and its time derivative.
    normal : tuple of Node
        Unit vector in which a is pushed; the tangent is it turned by +90°.
    slip : Node
        Velocity of a's surface against b's along the tangent, m/s.
    """

    penetration: object
    rate: object
    normal: tuple
    slip: object

    def slides(self, contact, equations):
        """Velocities of sliding, rolling and pivoting."""
        return (self.slip,), (), ()

    def friction(self, contact, equations, others):
        """Node of friction, by the forces along these velocities."""
        return -others[0] if others else equations.graph.const(0.0)

    def force(self, normal, friction, others=()):
        """On a."""
        nx, ny = self.normal
        return normal * nx + friction * ny, normal * ny - friction * nx


@dataclass(frozen=True)
class FlatArms(FlatPoint):
    """It lies at ``arm_a normal`` from point a, at ``arm_b normal + offset_b tangent`` from point b."""

    arm_a: object
    arm_b: object
    offset_b: object = None

    def slides(self, contact, equations):
        """The slip, and how both turn against each other."""
        return (self.slip,), (equations.spin(contact.a.body) - equations.spin(contact.b.body),), ()

    def act(self, contact, equations, normal, friction):
        """Put both forces on both bodies."""
        equations.torque(contact.a.body, -friction * self.arm_a)
        equations.torque(contact.b.body, friction * self.arm_b)
        if self.offset_b is not None:
            equations.torque(contact.b.body, normal * self.offset_b)
        push(equations, contact.a, contact.b, self.force(normal, friction))


class FlatFree(FlatPoint):
    """What is known of it is the velocity of a against b."""

    def __init__(self, equations, penetration, normal, velocity):
        super().__init__(penetration, -dot(normal, velocity), normal, cross(normal, velocity))
        object.__setattr__(self, "velocity", velocity)

    def act(self, contact, equations, normal, friction):
        """Put both forces on both bodies."""
        equations.force_along(self.velocity, self.force(normal, friction))


class SpatialPoint:
    """Contact in space; friction is against the slip.

    Attributes
    ----------
    penetration, rate : Node
        As of `FlatPoint`.
    normal : tuple of Node
        Unit vector across the surfaces.
    velocity : tuple of Node
        Of body a against body b at the contact, m/s.
    slip : Node
        Size of its part across the normal, m/s; `direction` is its direction, at most a unit vector.
    pushed : float
        1 where a is pushed along the normal, -1 where against it.
    """

    pushed = 1.0

    def __init__(self, equations, penetration, rate, normal, velocity):
        self.graph = equations.graph
        self.penetration, self.rate, self.normal, self.velocity = penetration, rate, normal, velocity
        along = dot(velocity, normal)
        self.slip, self.direction = unit(equations.graph, [v - along * n for v, n in zip(velocity, normal, strict=True)])

    def slides(self, contact, equations):
        """Velocities of sliding, rolling and pivoting."""
        return self._across(equations, self.velocity), (), ()

    def friction(self, contact, equations, others):
        """Node of the size of friction, by the forces along these velocities."""
        g = equations.graph
        return g.sqrt(g.dot((f, f) for f in others[:2])) if contact.frictional else g.const(0.0)

    def force(self, normal, friction, others=()):
        """On a, by the normal force and friction; or by the forces along the velocities of sliding, where there are some."""
        along, pushed = [-(friction * x) for x in self.direction], [self.pushed * (normal * x) for x in self.normal]
        if len(others) >= 2:
            first, second = across(self.graph, self.normal)
            along = [others[0] * x + others[1] * y for x, y in zip(first, second, strict=True)]
        return tuple(p + f for p, f in zip(pushed, along, strict=True))

    def _across(self, equations, vector):
        """Parts of a vector along the surfaces."""
        return tuple(dot(vector, way) for way in across(equations.graph, self.normal))


class SpatialArms(SpatialPoint):
    """It lies at the ends of two arms, from point a and from point b; the normal may be either way, which `pushed` says."""

    def __init__(self, contact, equations, penetration, normal, *arms, pushed=1.0):
        self.pushed = pushed
        self.ends = tuple(zip((contact.a, contact.b), arms, strict=True))
        a, b = (
            [v + x for v, x in zip(equations.velocity(end), cross3(equations.spin(end.body), arm), strict=True)] for end, arm in self.ends
        )
        super().__init__(equations, penetration, equations.time_derivative(penetration), normal, [x - y for x, y in zip(a, b, strict=True)])

    def slides(self, contact, equations):
        """Velocities of sliding, rolling and pivoting."""
        spin = [x - y for x, y in zip(*(equations.spin(end.body) for end, _ in self.ends), strict=True)]
        return self._across(equations, self.velocity), self._across(equations, spin), (dot(spin, self.normal),)

    def act(self, contact, equations, normal, friction):
        """Put both forces on both bodies."""
        equations.force_on(self.penetration, -normal)
        for (end, arm), sign in zip(self.ends, (-1.0, 1.0), strict=True):
            own = [sign * (friction * x) for x in self.direction]
            equations.force(end, *own)
            equations.torque(end.body, *cross3(arm, own))


class SpatialFree(SpatialPoint):
    """What is known of it is the velocity; a is pushed along the normal."""

    def __init__(self, equations, penetration, normal, velocity):
        super().__init__(equations, penetration, -dot(normal, velocity), normal, velocity)

    def act(self, contact, equations, normal, friction):
        """Put both forces on both bodies."""
        equations.force_along(self.velocity, [normal * n - friction * x for n, x in zip(self.normal, self.direction, strict=True)])


def free_point(equations, penetration, normal, velocity):
    """Contact of which the velocity of a against b is known, in the plane or in space."""
    return (FlatFree if len(normal) == 2 else SpatialFree)(equations, penetration, normal, velocity)


def push(equations, a, b, force):
    """Put a force on point a and its reaction on point b."""
    equations.force(a, *force)
    equations.force(b, *(-f for f in force))


def unit(graph, vector):
    """Length (at least 1 pm) and direction of a vector."""
    size = graph.length(vector)
    return size, tuple(x / size for x in vector)


def turning(spin, arm):
    """Velocity of the end of an arm, of the angular velocity: a node in the plane, three in space."""
    return (-(spin * arm[1]), spin * arm[0]) if len(arm) == 2 else cross3(spin, arm)


def across(graph, normal):
    """Two unit vectors across a unit vector, and across each other."""
    x, y, z = normal
    one, zero = graph.const(1.0), graph.const(0.0)
    flat = graph.greater(0.6, graph.fabs(x))  # the axis that is not near the normal
    ex, ey = graph.select(flat, one, zero), graph.select(flat, zero, one)
    along = ex * x + ey * y
    first = [ex - along * x, ey - along * y, zero - along * z]
    size = graph.sqrt(dot(first, first))
    first = tuple(c / size for c in first)
    return first, tuple(cross3(normal, first))
