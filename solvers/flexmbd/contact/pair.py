"""What all contacts share: a normal law, a friction law, the impact velocity of each impact, and the energy books."""

from typing import ClassVar

import numpy as np

from flexmbd.contact.impenetrable import ImpenetrablePart, add_unilateral
from flexmbd.contact.parts import ContactNodes, JointNodes, Part, Requirement, part_of, refuse
from flexmbd.contact.point import push
from flexmbd.element import Element
from flexmbd.errors import check_number
from flexmbd.language.tracing import tangent_of
from flexmbd.space import AXES, is_spatial


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

    def apply(self, joint, equations, nodes):
        """Forces of all places of contact."""
        joint.touch(equations, nodes)


class FrictionPart(Part):
    """Friction law; the contact's law applies it."""

    key = "friction"
    wanted = "a friction law such as Ambrosio(mu, v0, v1)"
    needs = (Requirement(("law", "asperities"), "friction needs a contact law or asperities", "give one or leave it out"),)


class Contact(Element):
    """Base of contact elements.

    A subclass gives `sizes()` (its numbers) and `contact_points(equations)` (`flexmbd.contact.point`).

    Attributes
    ----------
    kinds : tuple of type
        Kinds of its parts (`flexmbd.contact.parts`), in the order in which they act.
    law_optional : bool
        It may be without a law.
    bulges : bool
        Bodies may touch on a straight way though they are apart at both its ends; not against planes, nor inside bearings.
    rule : int or None
        Of the registry, in place of an impenetrable law's.
    """

    kinds: ClassVar[tuple] = (LawPart, ImpenetrablePart, FrictionPart)
    law_optional: ClassVar[bool] = False
    bulges: ClassVar[bool] = True
    rule: ClassVar = None

    @property
    def owner(self):
        """What messages call it."""
        return f"contact '{self.name}'"

    @property
    def parts(self):
        """Its parts, of the arguments that are given."""
        if self.law is None and not self.law_optional:
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

    def true_or_false(self, *keys):
        """Check what is either."""
        for key in keys:
            if not isinstance(value := getattr(self, key), (bool, np.bool_)):
                refuse(self, f"{key} is {value!r}; it must be True or False")

    def apply(self, equations):
        """Forces of all parts on both bodies, and their energies."""
        nodes = JointNodes()
        for part in self.parts:
            part.apply(self, equations, nodes)
        equations.keep_nodes(self, nodes=nodes)

    def outputs(self, equations):
        """Of each place of contact, and of the parts; their force together."""
        nodes, name, g, out = equations.nodes_of(self)["nodes"], self.name, equations.graph, {}
        if nodes.forces:
            out[f"{name}.force"] = (lambda: g.sqrt(g.dot((f, f) for f in nodes.force)), "N")
            out |= {f"{name}.f{axis}": (lambda k=k: nodes.force[k], "N") for k, axis in enumerate(AXES[: 3 if is_spatial(self.a) else 2])}
        for k, touch in enumerate(nodes.touches, 1):
            out |= touch.outputs(name if len(nodes.touches) == 1 else f"{name}.{k}", g)
        for part in self.parts:
            out |= part.outputs(self, equations, nodes)
        return out

    def apart(self, equations):
        """Point a less point b, as polynomials."""
        return tuple(p - q for p, q in zip(equations.place(self.a), equations.place(self.b), strict=True))

    def normal_force(self, equations, penetration, rate):
        """Register one place of contact; its `ContactState`, the law's force there, and its power and energy in the books."""
        g = equations.graph
        given = None if self.minimum_impact_velocity is None else equations.number(self, "minimum_impact_velocity")
        state = equations.contact(self, penetration, rate, given)
        began, minimum = state.impact_velocity, state.slowest
        if self.continuous:  # within the step of its onset the approach speed is the rate itself
            began = g.select(g.greater(state.mode, 0.5), began, g.select(g.greater(rate, minimum), rate, minimum))
        numbers, kernels = [equations.number(self, f"law.{k}") for k in self.law.numbers()], self.law.kernels()
        equations.use(kernels)
        depth = g.select(state.active, penetration, 0.0)
        partial = tangent_of(g, kernels, 2)
        normal, _ = g.call(kernels.force, (depth, rate, began, *numbers), 2, partial)
        if not self.law.continuous_onset:
            normal = g.select(state.active, normal, 0.0)
        equations.contact_energy(g.call(kernels.energy, (depth, *numbers)))
        equations.power("contact", normal * rate)
        for part in self.parts:
            normal = part.remaining(self, equations, normal, penetration, rate)
        return state, normal

    def touch(self, equations, nodes):
        """Forces of all potential contact points on both bodies, and their shares of potential and dissipated energy."""
        points = self.contact_points(equations)
        for k, point in enumerate(points, 1):
            key = k if len(points) > 1 else ""
            if self.impenetrable:
                state = add_unilateral(self, equations, point, f"{key}." if key else "", self.rule)
                normal, friction, others = state.force, point.friction(self, equations, state.others), state.others
            else:
                others, (state, normal) = (), self.normal_force(equations, point.penetration, point.rate)
                friction = self.rub(equations, state, point, normal + nodes.load, key) if self.frictional else equations.graph.const(0.0)
                point.act(self, equations, normal, friction)
            nodes.add(ContactNodes(state, normal, friction, point, tuple(others)))

    def push(self, equations, nodes, *force):
        """Put a force on a and its reaction on b."""
        push(equations, self.a, self.b, force)
        nodes.forces.append(lambda: force)

    def rub(self, equations, state, point, load, key=""):
        """Node of friction at a point, by the load on it; its power goes into the books, the force is the caller's to apply."""
        friction = self.friction_force(equations, state, point.slip, load, f"bristle{key}")
        equations.power("contact", friction * point.slip)
        return friction

    def friction_force(self, equations, state, slip, normal, bristle="bristle"):
        """Friction of one place of contact, against the slip; `bristle` names the law's state."""
        g = equations.graph
        kernels, law = self.friction.kernels(), self.friction
        equations.use(kernels)
        bristle = equations.state(self, bristle, controlled=True, contact=state) if law.states else g.const(0.0)
        arguments = (slip, normal, bristle, *(equations.number(self, f"friction.{k}") for k in law.numbers()))
        force, rate = g.call(kernels.force, arguments, 2, tangent_of(g, kernels, 3))
        if law.states:
            equations.state_rate(bristle, g.select(g.greater(state.mode, 0.5), rate, 0.0))  # no jump within the located gap
        return force
