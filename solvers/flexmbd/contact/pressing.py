"""Forces of contact laws at one place where a grain touches another, a wall or a body."""

from flexmbd.contact.point import turning, unit
from flexmbd.language.quadratic import cross, cross3, dot
from flexmbd.language.tracing import tangent_of


class GrainEnd:
    """A grain that touches at the end of an arm along the normal.

    Parameters
    ----------
    element : ElementEquations
    d, first : int
        Dimension, and the grain's first coordinate among the element's.
    sign : float
        Of the force along the normal.
    length : Node
        Of the arm along the normal.
    normal : sequence of Node
    """

    def __init__(self, element, d, first, sign, length, normal):
        self.element, self.d, self.first, self.sign, self.length, self.normal = element, d, first, sign, length, normal
        self.turns = 1 if d == 2 else 3

    @property
    def centre(self):
        """Velocity of its centre."""
        return self.element.v[self.first : self.first + self.d]

    @property
    def way(self):
        """Velocity of its surface against the centre."""
        v, first = self.element.v, self.first + self.d
        spin = v[first] if self.turns == 1 else v[first : first + self.turns]
        return turning(spin, [self.length * n for n in self.normal])

    def push(self, along, across):
        """Put a force on it: its parts along the normal, and across or None."""
        element, first, d = self.element, self.first, self.d
        for k in range(d):
            push = along[k] if across is None else along[k] + across[k]
            element.force[first + k] = element.force[first + k] + self.sign * push
        if across is not None:
            arm = [self.length * n for n in self.normal]
            moment = [cross(arm, across)] if d == 2 else cross3(arm, across)
            for k, x in enumerate(moment):
                element.force[first + d + k] = element.force[first + d + k] + self.sign * x


class BodyEnd:
    """A place of a body, fixed in it for the moment; forces act by virtual work, so any body that has a frame will do.

    Parameters
    ----------
    element : ElementEquations
    frame : OwnFrame
    place : sequence of Node
        Of the contact, from the frame's origin.
    """

    sign, way = -1.0, None

    def __init__(self, element, frame, place):
        self.element = element
        arms = [dot(axis, place) for axis in frame.values(element.q, frame.axes)]
        origin, axes = frame.rates(element), [frame.rates(element, axis) for axis in frame.axes]
        self.centre = [v + dot(arms, [axis[k] for axis in axes]) for k, v in enumerate(origin)]
        self.slopes = [frame.slopes(element.q, k, arms) for k in range(len(place))]

    def push(self, along, across):
        """Put a force on it: its parts along the normal, and across or None."""
        for k, slopes in enumerate(self.slopes):
            push = along[k] if across is None else along[k] + across[k]
            for i, slope in slopes.items():
                self.element.force[i] = self.element.force[i] - slope * push


class OwnFrame:
    """A body's point and axes as polynomials in the variables of an element whose last coordinates are the body's.

    Parameters
    ----------
    equations : NaturalCoordinates
    point : Point
        Its origin.
    own : int
        How many coordinates come before the body's.

    Attributes
    ----------
    places : tuple of int
        The body's coordinates in the system.
    axes : list of tuple of Quadratic
    """

    def __init__(self, equations, point, own):
        body, d = point.body, len(equations.gravity)
        first, self.time = equations.first.get(body.name, 0), equations.time
        self.places = tuple(range(first, first + body.coordinates))
        self.number = {i: own + k for k, i in enumerate(self.places)}
        self.origin = body.place(equations, point)
        self.axes = [body.direction(equations, *(float(i == k) for i in range(d))) for k in range(d)]

    def _own(self, values):
        return {i: values[k] for i, k in self.number.items()}

    def values(self, q, vectors):
        """Nodes of vectors."""
        q = self._own(q)
        return [[x.value(q) for x in vector] for vector in vectors]

    def rates(self, element, vector=None):
        """Nodes of the rate of a vector, or of the origin."""
        q, v = self._own(element.q), self._own(element.v)
        return [x.rate(q, v, self.time) for x in (self.origin if vector is None else vector)]

    def slopes(self, q, k, arms):
        """Derivatives of component k of a place fixed in the body by the element's coordinates."""
        q, found = self._own(q), {}
        for x, arm in ((self.origin, 1.0), *zip(self.axes, arms, strict=True)):
            for i, slope in x[k].gradient(q).items():
                i = self.number[i]
                found[i] = found[i] + arm * slope if i in found else arm * slope
        return found


def press(element, kernels, counts, penetration, normal, ends):
    """Forces of the laws at a place of contact; numbers of the element from the second on are the speed of approach and the laws'.

    Parameters
    ----------
    kernels, counts : tuple
        Of the law, and of friction; how many numbers each has.
    penetration : Node
    normal : sequence of Node
        In which the first end is pushed.
    ends : sequence of GrainEnd or BodyEnd
    """
    g, (speed, *numbers), d = element.graph, element.numbers[1 : 2 + sum(counts)], len(normal)
    touches = g.greater(penetration, 0.0)
    centres = [sum((end.sign * end.centre[k] for end in ends), g.const(0.0)) for k in range(d)]
    rate, velocity = -dot(normal, centres), centres
    for end in ends:
        if end.way is not None:
            velocity = [u + end.sign * w for u, w in zip(velocity, end.way, strict=True)]
    law, depth = kernels[0], g.select(touches, penetration, 0.0)
    given = (depth, rate, speed, *numbers[: counts[0]])
    force = g.select(touches, g.call(law.force, given, 2, tangent_of(g, law, 2))[0], 0.0)
    element.add("stored", g.select(touches, g.call(law.energy, (depth, *numbers[: counts[0]])), 0.0))
    element.add("normal", force)
    element.add("contacts", g.select(touches, 1.0, 0.0))
    power, across = force * rate, None
    if len(kernels) > 1:
        slip, across = _across(g, normal, velocity)
        arguments = (slip, force, g.const(0.0), *numbers[counts[0] :])
        friction = g.call(kernels[1].force, arguments, 2, tangent_of(g, kernels[1], 3))[0]
        power, across = power + friction * slip, [-(friction * x) for x in across]
    element.add("contact", power)
    for end in ends:
        end.push([force * x for x in normal], across)


def _across(graph, normal, velocity):
    """Speed and direction in which surfaces slip; in the plane the speed has a sign, and the direction is the tangent."""
    if len(normal) == 2:
        return cross(normal, velocity), (-normal[1], normal[0])
    along = dot(velocity, normal)
    return unit(graph, [v - along * n for v, n in zip(velocity, normal, strict=True)])
