"""What all contacts share: a normal law, a friction law, the impact velocity of each impact, and the energy books."""

from dataclasses import dataclass
from typing import ClassVar

from flexmbd.contact.impenetrable import ImpenetrablePart, held, hold
from flexmbd.contact.parts import JointNodes, Part, Rule, Touch, part_of, refuse
from flexmbd.element import Element
from flexmbd.errors import check_number
from flexmbd.language.tracing import tangent_of


class LawPart(Part):
    """Normal law; it rubs itself where there is friction, for both are one force."""

    key = "law"
    wanted = "a contact law such as HuntCrossley(K, restitution=e)"

    def numbers(self, joint):
        """The law's, and the least impact velocity if it is given."""
        least = {}
        if joint.minimum_impact_velocity is not None:
            key = "minimum_impact_velocity"
            least[key] = check_number(f"contact '{joint.name}'", key, joint.minimum_impact_velocity, positive=True)
        return super().numbers(joint) | least

    def topology_key(self, joint):
        """Law, and whether the least impact velocity is given."""
        return (*super().topology_key(joint), joint.minimum_impact_velocity is None)

    def apply(self, joint, build, nodes):
        """Forces of all places of contact."""
        joint.touch(build, nodes)


class FrictionPart(Part):
    """Friction law; the contact's law applies it."""

    key = "friction"
    wanted = "a friction law such as Ambrosio(mu, v0, v1)"
    needs = (Rule(("law", "asperities"), "friction needs a contact law or asperities", "give one or leave it out"),)


class Contact(Element):
    """Base of contact elements.

    A subclass gives `sizes()` (its numbers) and `geometry(build)` (a `Geometry`), or `touch(build, nodes)` where there are more places
    of contact than one.

    Attributes
    ----------
    kinds : tuple of type
        Kinds of its parts (`flexmbd.contact.parts`), in the order in which they act.
    lawless : bool
        It may be without a law.
    bulges : bool
        Bodies may touch on a straight way though they are apart at both its ends; not against planes, nor inside bearings.
    """

    kinds: ClassVar[tuple] = (LawPart, ImpenetrablePart, FrictionPart)
    lawless: ClassVar[bool] = False
    bulges: ClassVar[bool] = True

    @property
    def owner(self):
        """What messages call it."""
        return f"contact '{self.name}'"

    @property
    def parts(self):
        """Its parts, of the arguments that are given."""
        if self.law is None and not self.lawless:
            refuse(self, f"law is None; it must be {LawPart.wanted}")
        return tuple(part for kind in self.kinds if (part := part_of(self, kind)) is not None)

    def parameters(self):
        """Numbers of parts and geometry."""
        return {key: x for part in self.parts for key, x in part.numbers(self).items()} | self.sizes()

    def topology_key(self):
        """What of the parts decides the code."""
        return tuple((part.key, *part.topology_key(self)) for part in self.parts)

    @property
    def continuous(self):
        """True if force and states are continuous at onset and end: an event is a kink, which a step may pass."""
        return self.law.continuous_onset and not (self.frictional and self.friction.states)

    @property
    def frictional(self):
        """True if there is friction."""
        return (self.law if self.impenetrable else self).friction is not None

    @property
    def impenetrable(self):
        """True if bodies cannot penetrate each other, instead of a law."""
        return ImpenetrablePart.accepts(self.law)

    def positive(self, *keys):
        """Check and keep numbers that must be above zero."""
        for key in keys:
            object.__setattr__(self, key, check_number(self.owner, key, getattr(self, key), positive=True))

    def apply(self, build):
        """Forces of all parts on both bodies, and their energies."""
        nodes = JointNodes()
        for part in self.parts:
            part.apply(self, build, nodes)
        build.remember(self, nodes=nodes)

    def outputs(self, build):
        """Of each place of contact, and of the parts; in the plane their force."""
        nodes, name, g, out = build.recall(self)["nodes"], self.name, build.graph, {}
        if nodes.forces:
            out[f"{name}.force"] = (lambda: g.sqrt(g.dot((f, f) for f in nodes.force)), "N")
            out |= {f"{name}.f{axis}": (lambda k=k: nodes.force[k], "N") for k, axis in enumerate("xy")}
        for k, touch in enumerate(nodes.touches, 1):
            out |= touch.outputs(name if len(nodes.touches) == 1 else f"{name}.{k}", g)
        for part in self.parts:
            out |= part.outputs(self, build, nodes)
        return out

    def apart(self, build):
        """Point a less point b, as polynomials."""
        return tuple(p - q for p, q in zip(build.place(self.a), build.place(self.b), strict=True))

    def normal_force(self, build, penetration, rate):
        """Register one place of contact; its `Pair`, the law's force there, and its power and energy in the books."""
        g = build.graph
        given = None if self.minimum_impact_velocity is None else build.number(self, "minimum_impact_velocity")
        pair = build.contact(self, penetration, rate, given)
        began, minimum = pair.impact_velocity, pair.slowest
        if self.continuous:  # within the step of its onset the approach speed is the rate itself
            began = g.select(g.greater(pair.mode, 0.5), began, g.select(g.greater(rate, minimum), rate, minimum))
        numbers, kernels = [build.number(self, f"law.{k}") for k in self.law.numbers()], self.law.kernels()
        build.use(kernels)
        depth = g.select(pair.active, penetration, 0.0)
        partial = tangent_of(g, kernels, 2)
        normal, _ = g.call(kernels.force, (depth, rate, began, *numbers), 2, partial)
        if not self.law.continuous_onset:
            normal = g.select(pair.active, normal, 0.0)
        build.stored(g.call(kernels.energy, (depth, *numbers)))
        build.power("contact", normal * rate)
        for part in self.parts:
            normal = part.remaining(self, build, normal, penetration, rate)
        return pair, normal

    def touch(self, build, nodes):
        """Contact force on both bodies, and its share of potential and dissipated energy."""
        geometry = self.geometry(build)
        if self.impenetrable:
            return self.hold(build, nodes, geometry)
        pair, normal = self.normal_force(build, geometry.penetration, geometry.rate)
        nx, ny = geometry.normal
        friction = self.rub(build, pair, geometry, normal + nodes.load) if self.frictional else build.graph.const(0.0)
        if geometry.offset_b is not None:
            build.torque(self.b.body, normal * geometry.offset_b)
        self.push(build, nodes, normal * nx + friction * ny, normal * ny - friction * nx)
        nodes.touches.append(Touch(pair, normal, friction, geometry.penetration, geometry.rate, geometry.slip))

    def hold(self, build, nodes, geometry):
        """A contact that cannot be penetrated, whose force the scheme finds."""
        (nx, ny), zero = geometry.normal, build.graph.const(0.0)
        turn = build.spin(self.a.body) - build.spin(self.b.body)
        pair = hold(self, build, geometry.penetration, geometry.rate, (geometry.slip,), (turn,))
        touch = held(pair, geometry.penetration, geometry.rate, geometry.slip, zero)
        nodes.forces.append((touch.normal * nx + touch.friction * ny, touch.normal * ny - touch.friction * nx))
        nodes.touches.append(touch)

    def push(self, build, nodes, fx, fy):
        """Put a force on a and its reaction on b."""
        build.force(self.a, fx, fy)
        build.force(self.b, -fx, -fy)
        nodes.forces.append((fx, fy))

    def rub(self, build, pair, geometry, load):
        """Friction against the slip of a geometry: its torques and its power; the force, which is the caller's to apply."""
        friction = self.friction_force(build, pair, geometry.slip, load)
        build.power("contact", friction * geometry.slip)
        build.torque(self.a.body, -friction * geometry.arm_a)
        build.torque(self.b.body, friction * geometry.arm_b)
        return friction

    def friction_force(self, build, pair, slip, normal, bristle="bristle"):
        """Friction of one place of contact, against the slip; `bristle` names the law's state."""
        g = build.graph
        kernels, law = self.friction.kernels(), self.friction
        build.use(kernels)
        bristle = build.state(self, bristle, controlled=True, contact=pair) if law.states else g.const(0.0)
        arguments = (slip, normal, bristle, *(build.number(self, f"friction.{k}") for k in law.numbers()))
        force, rate = g.call(kernels.force, arguments, 2, tangent_of(g, kernels, 3))
        if law.states:
            build.state_rate(bristle, g.select(g.greater(pair.mode, 0.5), rate, 0.0))  # no jump within the located gap
        return force


@dataclass(frozen=True)
class Geometry:
    """Nodes that describe a contact.

    `penetration` > 0 in contact; `normal` is the direction in which a is pushed, the tangent is it turned by +90°; `slip`
    is the velocity of a's surface against b's along the tangent.  The contact point lies at ``arm_a normal`` from point a and
    at ``arm_b normal + offset_b tangent`` from point b.
    """

    penetration: object
    rate: object
    normal: tuple
    slip: object
    arm_a: object
    arm_b: object
    offset_b: object = None
