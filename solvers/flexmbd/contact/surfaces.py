"""Contacts whose forces follow from one velocity: that of body a against body b where they touch, in the plane and in space.

A force acts on both bodies by virtual work: times the derivatives of that velocity by the velocities of all coordinates.  Nothing else is
asked of a body, so that one without orientation (a point mass, a cable) takes part too; the power is force times velocity, whatever the
geometry, and momenta are balanced as that velocity does not change in a rigid motion of all bodies.
"""

from dataclasses import dataclass
from typing import ClassVar

from flexmbd.contact.impenetrable import across, held, hold
from flexmbd.contact.parts import Touch, check_parts, refuse
from flexmbd.contact.points import PointContact, unit
from flexmbd.language.quadratic import cross, cross3, dot
from flexmbd.space import is_spatial


@dataclass(frozen=True)
class Spot:
    """One potential contact point, as nodes: penetration, unit vector in which a is pushed, velocity of a against b."""

    penetration: object
    normal: tuple
    velocity: tuple


class SurfaceContact(PointContact):
    """Base of contacts by their velocity; a subclass gives `sizes()` and `spots(build)`."""

    dimensions: ClassVar[tuple] = (2, 3)

    def check_friction(self):
        """Check the parts; refuse what a point cannot do, and in space laws with a state."""
        if is_spatial(self.a):
            super().check_friction()
        else:
            check_parts(self)
        for key in ("rolling", "pivoting"):
            if self.impenetrable and getattr(self.law, key) is not None:
                refuse(self, f"{key} needs two bodies that turn against each other, and what touches here is a point", f"leave {key} out")

    def touch(self, build, nodes):
        """Normal force and friction of all potential contact points."""
        for k, spot in enumerate(spots := self.spots(build), 1):
            act = self._flat if len(spot.normal) == 2 else self._spatial
            act(build, nodes, spot, k if len(spots) > 1 else "")

    def outputs(self, build):
        """Of each place; of more places than one also sums: normal force, contact, impacts, and what percussions were and took."""
        name, g, touches, out = self.name, build.graph, build.recall(self)["nodes"].touches, super().outputs(build)
        if len(touches) > 1:

            def all_of(node):
                return lambda: sum(map(node, touches), g.const(0.0))

            out[f"{name}.normal"] = (all_of(lambda touch: touch.normal), "N")
            out[f"{name}.contact"] = (all_of(lambda touch: touch.pair.closed(g)), "1")
            out[f"{name}.impacts"] = (all_of(lambda touch: touch.pair.count), "1")
            if self.impenetrable:
                out[f"{name}.impulse"] = (all_of(lambda touch: touch.pair.impulse), "N s")
                out[f"{name}.dissipated"] = (all_of(lambda touch: touch.pair.loss), "J")
        return out

    def _flat(self, build, nodes, spot, k):
        """A place in the plane; the tangent is the normal turned by +90°."""
        (nx, ny), rate, slip, zero = (
            spot.normal,
            -dot(spot.normal, spot.velocity),
            cross(spot.normal, spot.velocity),
            build.graph.const(0.0),
        )
        if self.impenetrable:
            pair = hold(self, build, spot.penetration, rate, (slip,), key=f"{k}." if k else "")
            touch = held(pair, spot.penetration, rate, slip, zero)
        else:
            pair, normal = self.normal_force(build, spot.penetration, rate)
            rub = self.friction_force(build, pair, slip, normal, f"bristle{k}") if self.frictional else zero
            touch = Touch(pair, normal, rub, spot.penetration, rate, slip)
        force = touch.normal * nx + touch.friction * ny, touch.normal * ny - touch.friction * nx
        nodes.forces.append(force)
        nodes.touches.append(touch)
        if not self.impenetrable:
            build.power("contact", touch.friction * slip)
            act(build, spot.velocity, force)

    def _spatial(self, build, nodes, spot, k):
        """A place in space; friction is against the slip."""
        g, rate = build.graph, -dot(spot.normal, spot.velocity)
        speed, slip = unit(g, [v + rate * n for v, n in zip(spot.velocity, spot.normal, strict=True)])
        if self.impenetrable:
            first, second = across(g, spot.normal)
            slips = dot(spot.velocity, first), dot(spot.velocity, second)
            pair = hold(self, build, spot.penetration, rate, slips, key=f"{k}." if k else "")
            rub = g.sqrt(g.dot((f, f) for f in pair.others[:2])) if self.frictional else g.const(0.0)
            nodes.touches.append(Touch(pair, pair.force, rub, spot.penetration, rate, speed))
            return
        pair, normal = self.normal_force(build, spot.penetration, rate)
        rub = self.friction_force(build, pair, speed, normal) if self.frictional else g.const(0.0)
        build.power("contact", rub * speed)
        act(build, spot.velocity, [normal * n - rub * x for n, x in zip(spot.normal, slip, strict=True)])
        nodes.touches.append(Touch(pair, normal, rub, spot.penetration, rate, speed))


def act(build, velocity, force):
    """Add the generalized force of a force whose power is its product with a velocity, linear in those of the coordinates."""
    g = build.graph
    for i in sorted(g.space("v").of(*velocity)):
        slopes = (g.derivative(u, build.v[i]) for u in velocity)
        build.generalized[i] = build.generalized[i] + g.dot(zip(force, slopes, strict=True))


def turning(spin, arm):
    """Velocity of the end of an arm, of the angular velocity: a node in the plane, three in space."""
    return (-(spin * arm[1]), spin * arm[0]) if len(arm) == 2 else cross3(spin, arm)
