"""What all contacts share: a normal law, a friction law, the impact velocity of each impact, and the energy books."""

from dataclasses import dataclass

from flexmbd.element import Element
from flexmbd.errors import check_number
from flexmbd.language.tracing import tangent_of


class Contact(Element):
    """Base of contact elements.

    A subclass gives `sizes()` (its numbers) and `geometry(build)` (a `Geometry`).
    """

    def parameters(self):
        """Numbers of geometry and laws."""
        numbers = {f"law.{k}": x for k, x in self.law.numbers().items()}
        if self.friction is not None:
            numbers |= {f"friction.{k}": x for k, x in self.friction.numbers().items()}
        if self.minimum_impact_velocity is not None:
            owner, key = f"contact '{self.name}'", "minimum_impact_velocity"
            numbers[key] = check_number(owner, key, self.minimum_impact_velocity, positive=True)
        return {**numbers, **self.sizes()}

    def topology_key(self):
        """Laws and their kernels."""
        kernels = self.law.kernels()
        friction = () if self.friction is None else (self.friction.name, self.friction.kernels().force.__name__)
        return (self.law.name, kernels.force.__name__, *friction, self.frictional, self.minimum_impact_velocity is None)

    @property
    def continuous(self):
        """True if force and states are continuous at onset and end: an event is a kink, which a step may pass."""
        return self.law.continuous_onset and not (self.frictional and self.friction.states)

    @property
    def frictional(self):
        """True if there is a friction law."""
        return self.friction is not None

    def _law_numbers(self, build):
        return [build.number(self, f"law.{k}") for k in self.law.numbers()]

    def normal_force(self, build, penetration, rate):
        """Register one place of contact; its `Pair`, the law's force there, and its power and energy in the books."""
        g = build.graph
        given = None if self.minimum_impact_velocity is None else build.number(self, "minimum_impact_velocity")
        pair = build.contact(self, penetration, rate, given)
        began, minimum = pair.impact_velocity, pair.slowest
        if self.continuous:  # within the step of its onset the approach speed is the rate itself
            began = g.select(g.greater(pair.mode, 0.5), began, g.select(g.greater(rate, minimum), rate, minimum))
        numbers, kernels = self._law_numbers(build), self.law.kernels()
        build.use(kernels)
        depth = g.select(pair.active, penetration, 0.0)
        partial = tangent_of(g, kernels, 2)
        normal, _ = g.call(kernels.force, (depth, rate, began, *numbers), 2, partial)
        if not self.law.continuous_onset:
            normal = g.select(pair.active, normal, 0.0)
        build.stored(g.call(kernels.energy, (depth, *numbers)))
        build.power("contact", normal * rate)
        return pair, normal

    def apply(self, build):
        """Contact force on both bodies, and its share of potential and dissipated energy."""
        g = build.graph
        geometry = self.geometry(build)
        pair, normal = self.normal_force(build, geometry.penetration, geometry.rate)
        nx, ny = geometry.normal
        slip_force = g.const(0.0)
        if self.frictional:
            slip_force = self.rub(build, pair, geometry, normal)
        if geometry.offset_b is not None:
            build.torque(self.b.body, normal * geometry.offset_b)
        fx, fy = normal * nx + slip_force * ny, normal * ny - slip_force * nx
        build.force(self.a, fx, fy)
        build.force(self.b, -fx, -fy)
        build.remember(self, pair=pair, geometry=geometry, normal=normal, slip_force=slip_force, force=(fx, fy))

    def rub(self, build, pair, geometry, normal):
        """Friction against the slip of a geometry: its torques and its power; the force, which is the caller's to apply."""
        slip_force = self.friction_force(build, pair, geometry.slip, normal)
        build.power("contact", slip_force * geometry.slip)
        build.torque(self.a.body, -slip_force * geometry.arm_a)
        build.torque(self.b.body, slip_force * geometry.arm_b)
        return slip_force

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

    def outputs(self, build):
        """Forces, penetration and impact count."""

        def got(key):
            return lambda: build.recall(self)[key]

        def size():
            fx, fy = build.recall(self)["force"]
            return build.graph.sqrt(fx * fx + fy * fy)

        name = self.name
        return {
            f"{name}.force": (size, "N"),
            f"{name}.fx": (lambda: build.recall(self)["force"][0], "N"),
            f"{name}.fy": (lambda: build.recall(self)["force"][1], "N"),
            f"{name}.normal": (got("normal"), "N"),
            f"{name}.friction": (got("slip_force"), "N"),
            f"{name}.penetration": (lambda: build.recall(self)["geometry"].penetration, "m"),
            f"{name}.rate": (lambda: build.recall(self)["geometry"].rate, "m/s"),
            f"{name}.slip": (lambda: build.recall(self)["geometry"].slip, "m/s"),
            f"{name}.contact": (lambda: build.recall(self)["pair"].closed(build.graph), "1"),
            f"{name}.impacts": (lambda: build.recall(self)["pair"].count, "1"),
            f"{name}.impact_velocity": (lambda: build.recall(self)["pair"].impact_velocity, "m/s"),
        }


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
