"""What contacts of a slider (on body a) in a straight guide (on body b) share: places of the slider, and the guide's directions."""

from dataclasses import dataclass
from typing import ClassVar

from flexmbd.contact.pair import Contact
from flexmbd.contact.parts import refuse
from flexmbd.contact.point import FlatPoint
from flexmbd.errors import unit_vector
from flexmbd.language.quadratic import cross, dot
from flexmbd.space import axis_parameters


@dataclass(frozen=True)
class SliderPoint(FlatPoint):
    """A place of the slider against the side of the guide that `sign` tells; `arm` leads to it from point b."""

    place: object
    arm: tuple
    sign: float
    along: tuple

    def force(self, normal, friction, others=()):
        """On the slider."""
        return tuple(-self.sign * (normal * n + friction * u) for n, u in zip(self.normal, self.along, strict=True))

    def act(self, contact, equations, normal, friction):
        """Put the force on the slider at this place, and its reaction on the guide."""
        force = self.force(normal, friction)
        equations.force(self.place, *force)
        equations.force(contact.b, *(-f for f in force))
        equations.torque(contact.b.body, -cross(self.arm, force))


class SliderContact(Contact):
    """Base: `corners` of the slider, each against one side of the guide.

    Attributes
    ----------
    signs : tuple of tuple
        Of each corner the end of the slider (-1, 1) and the side of the guide (-1, 1; 0 is both).
    summed : tuple of str
        Outputs that are sums over the corners.
    """

    signs: ClassVar[tuple]
    summed: ClassVar[tuple]

    def check_axes(self):
        """Check and keep both directions, which are of bodies with orientation."""
        for key in ("axis_a", "axis_b"):
            object.__setattr__(self, key, unit_vector(self.owner, key, getattr(self, key)))
        for key in "ab":
            body = getattr(getattr(self, key), "body", None)
            if body is not None and not hasattr(body, "offset"):
                refuse(self, f"{key} is on '{body.name}', which has no frame; slider and guide are on rigid bodies or ground")

    def place_corners(self, width):
        """Points of the slider's body at its corners, before its numbers are read."""
        body = getattr(self.a, "body", None)
        if getattr(body, "dimension", None) != 2:
            return
        ux, uy = self.axis_a
        x, y = (p + o for p, o in zip(self.a.at, body.offset, strict=True))
        half, across = 0.5 * self.length, 0.5 * width
        places = [(x + e * half * ux - s * across * uy, y + e * half * uy + s * across * ux) for e, s in self.signs]
        object.__setattr__(self, "corners", [body.at(*place, key=f"#{self.name}.{k}") for k, place in enumerate(places, 1)])

    def sizes(self):
        """Length and both axes."""
        return {"length": self.length, **axis_parameters("axis_a", self.axis_a), **axis_parameters("axis_b", self.axis_b)}

    def guide(self, equations):
        """Direction of the guide, and at +90° to it, as polynomials."""
        x, y = (equations.number(self, f"axis_b.{axis}") for axis in "xy")
        return equations.direction(self.b.body, x, y), equations.direction(self.b.body, -y, x)

    def half_gap(self, equations):
        """Distance of the sides from the guide's line, or zero."""
        return equations.graph.const(0.0)

    def contact_points(self, equations):
        """All corners."""
        u, n = self.guide(equations)
        along, across, half, found = equations.values(u), equations.values(n), self.half_gap(equations), []
        for corner, (_, side) in zip(self.corners, self.signs, strict=True):
            d, sign = equations.between(self.b, corner), side or 1.0
            height, slide = dot(n, d) * sign, dot(u, d) * sign
            penetration, (rate, slip) = equations.values((height,))[0] - half, equations.rates((height, slide))
            found.append(SliderPoint(penetration, rate, across, slip, corner, equations.values(d), sign, along))
        return found

    def touch(self, equations, nodes):
        """Forces at all corners, and their moment about point a."""
        super().touch(equations, nodes)
        centre, nodes.moment = equations.values(equations.place(self.a)), equations.graph.const(0.0)
        for corner, force in zip(self.corners, (force() for force in nodes.forces), strict=True):
            arm = [p - c for p, c in zip(equations.values(equations.place(corner)), centre, strict=True)]
            nodes.moment = nodes.moment + cross(arm, force)

    def outputs(self, equations):
        """Of each corner and of all: force and moment on the slider, and what friction took."""
        nodes = equations.nodes_of(self)["nodes"]
        sums = nodes.sums(self.name, equations.graph, *self.summed)
        return super().outputs(equations) | sums | {f"{self.name}.moment": (lambda: nodes.moment, "N m")}
