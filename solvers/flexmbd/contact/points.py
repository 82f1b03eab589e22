"""Contact at points in space: force, friction, outputs of each.

The normal force acts by virtual work along the gradient of the penetration, which depends on the bodies' places to each other only:
so it balances momentum and angular momentum, and its power is force times rate of penetration, whatever the geometry.  Friction acts
with equal and opposite forces at one point, against the slip there.
"""

from dataclasses import dataclass
from typing import ClassVar

from flexmbd.contact.impenetrable import across, hold
from flexmbd.contact.pair import Contact
from flexmbd.contact.parts import Touch, check_parts, refuse
from flexmbd.language.quadratic import cross3, dot


@dataclass(frozen=True)
class Place:
    """One potential contact point, as nodes.

    `penetration` depends on the bodies' places to each other only; `normal` is the unit vector across the surfaces there, either way;
    `arm_a`, `arm_b` lead from points a and b to the contact.
    """

    penetration: object
    normal: tuple
    arm_a: tuple
    arm_b: tuple


class PointContact(Contact):
    """Base of contacts in space; a subclass gives `sizes()` and `places(build)`."""

    dimensions: ClassVar[tuple] = (3,)

    def check_friction(self):
        """Check the parts; refuse laws with a state, which has one direction."""
        check_parts(self)
        if not self.impenetrable and self.frictional and self.friction.states:
            refuse(
                self,
                f"the friction law '{self.friction.name}' has a state along one direction, so it is for planar contacts only",
                "use one without a state: Ambrosio, CoulombExponential, Threlfall, Stribeck",
            )

    def touch(self, build, nodes):
        """Normal force and friction of all potential contact points."""
        for k, place in enumerate(places := self.places(build), 1):
            rate = build.time_derivative(place.penetration)
            if self.impenetrable:
                self._hold(build, nodes, place, rate, f"{k}." if len(places) > 1 else "")
                continue
            pair, normal = self.normal_force(build, place.penetration, rate)
            build.force_on(place.penetration, -normal)
            slip, speed = self._slip(build, place)
            push = build.graph.const(0.0)
            if self.frictional:
                push = self.friction_force(build, pair, speed, normal)
                build.power("contact", push * speed)
                self._rub(build, place, [push * x for x in slip])
            nodes.touches.append(Touch(pair, normal, push, place.penetration, rate, speed))

    def _hold(self, build, nodes, place, rate, key):
        """A place that cannot be penetrated, whose forces the scheme finds."""
        g, spin = build.graph, [x - y for x, y in zip(build.spin(self.a.body), build.spin(self.b.body), strict=True)]
        first, second = across(g, place.normal)
        apart, turns = self._apart(build, place), (dot(spin, first), dot(spin, second))
        pair = hold(self, build, place.penetration, rate, (dot(apart, first), dot(apart, second)), turns, (dot(spin, place.normal),), key)
        friction = g.sqrt(g.dot((f, f) for f in pair.others[:2])) if self.frictional else g.const(0.0)
        nodes.touches.append(Touch(pair, pair.force, friction, place.penetration, rate, self._slip(build, place)[1]))

    def _slip(self, build, place):
        """Direction of the slip of a against b (at most a unit vector), and its speed."""
        apart = self._apart(build, place)
        along = dot(apart, place.normal)
        speed, direction = unit(build.graph, [x - along * n for x, n in zip(apart, place.normal, strict=True)])
        return direction, speed

    def _apart(self, build, place):
        """Velocity of a against b at the contact."""
        a, b = (
            [v + x for v, x in zip(build.velocity(end), cross3(build.spin(end.body), arm), strict=True)]
            for end, arm in ((self.a, place.arm_a), (self.b, place.arm_b))
        )
        return [x - y for x, y in zip(a, b, strict=True)]

    def _rub(self, build, place, force):
        """Friction at the contact: `force` on b, its reaction on a."""
        for end, arm, sign in ((self.a, place.arm_a, -1.0), (self.b, place.arm_b, 1.0)):
            own = [sign * f for f in force]
            build.force(end, *own)
            build.torque(end.body, *cross3(arm, own))


def unit(graph, vector):
    """Length (at least 1 pm) and direction of a vector."""
    size = graph.length(vector)
    return size, tuple(x / size for x in vector)
