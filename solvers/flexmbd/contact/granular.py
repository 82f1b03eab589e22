"""Contacts of many round bodies with each other and with walls."""

from dataclasses import dataclass
from typing import ClassVar

from flexmbd.contact.laws.base import RestitutionDamping
from flexmbd.contact.pair import Contact, FrictionPart, LawPart
from flexmbd.contact.parts import check_parts, refuse
from flexmbd.contact.point import turning, unit
from flexmbd.errors import check_number, unit_vector
from flexmbd.language.quadratic import cross, cross3, dot
from flexmbd.language.tracing import tangent_of
from flexmbd.space import AXES

SUMS = {"stored": "J", "normal": "N", "contacts": "1"}  # over contacts, with their units


@dataclass(frozen=True, eq=False)
class GranularContact(Contact):
    """Contact of all `grains` with each other and with walls that stand still; pairs that are near each other are found as they move.

    Code does not grow with the number of grains, and the cost of a step grows in proportion to it. Onsets are not located: no grain moves
    by more than a quarter of the smallest radius in a step, and the error of the step does the rest. So no speed of approach is remembered:
    what laws with a restitution divide by is the one `impact_velocity` for all impacts, at which they give what they say.

    Parameters
    ----------
    grains : Grains
        Made by `System.grains`.
    law : object
        Contact law such as `Hertz`, `KelvinVoigt`, `HuntCrossley`; for spheres that cannot be penetrated see `flexmbd.nonsmooth.Spheres`.
    friction : object
        Friction law without a state, such as `Ambrosio`; left out there is none.
    walls : sequence of (point, normal)
        Half-planes (in space half-spaces) of ground: a point, m, and the normal out of the wall.
    impact_velocity : float
        m/s; for laws with a restitution.
    """

    kinds: ClassVar[tuple] = (LawPart, FrictionPart)
    dimensions: ClassVar[tuple] = (2, 3)

    name: str
    grains: object
    law: object
    friction: object = None
    walls: tuple = ()
    impact_velocity: object = None

    minimum_impact_velocity: ClassVar = None

    def __post_init__(self):
        if not hasattr(self.grains, "members"):
            refuse(self, f"grains is {self.grains!r}; it must be what System.grains gives")
        check_parts(self)
        if self.friction is not None and self.friction.states:
            told = f"the friction law '{self.friction.name}' has a state, and no contact of grains has a memory"
            refuse(self, told, "use one without a state: Ambrosio, CoulombExponential, Threlfall, Stribeck")
        if isinstance(self.law, RestitutionDamping) and self.impact_velocity is None:
            told = f"the law '{self.law.name}' divides by the speed of approach, which contacts of grains do not remember"
            refuse(self, told, "give impact_velocity=..., the speed (m/s) at which it gives its restitution, or take Hertz or KelvinVoigt")
        if self.impact_velocity is not None:
            self.positive("impact_velocity")
        walls, d = [], self.grains.dimension
        for k, wall in enumerate(self.walls):
            try:
                point, normal = wall
                point = tuple(check_number(self.owner, f"walls[{k}]", x) for x in point)
            except (TypeError, ValueError):
                refuse(self, f"walls[{k}] is {wall!r}; it must be (point, normal)")
            if len(point) != d:
                refuse(self, f"the point of walls[{k}] has {len(point)} coordinates; it must have {d}")
            walls.append((point, unit_vector(self.owner, f"walls[{k}]", normal, d)))
        object.__setattr__(self, "walls", tuple(walls))

    @property
    def measured(self):
        """The grains."""
        return (self.grains,)

    def sizes(self):
        """Walls, and the speed of approach."""
        speed = {} if self.impact_velocity is None else {"impact_velocity": self.impact_velocity}
        return speed | {
            f"wall{k}.{key}{axis}": x
            for k, wall in enumerate(self.walls, 1)
            for key, vector in zip(("", "n"), wall, strict=True)
            for axis, x in zip(AXES, vector, strict=False)
        }

    def topology_key(self):
        """Grains, walls and what decides the laws' code."""
        return (self.grains.name, len(self.walls), self.impact_velocity is None, *super().topology_key())

    def unit(self, key):
        """m/s of the speed; m of walls, but for their normals."""
        if key == "impact_velocity":
            return "m/s"
        head, _, last = key.partition(".")
        return ("1" if last.startswith("n") else "m") if head.startswith("wall") else super().unit(key)

    def apply(self, equations):
        """Pairs, and all grains with every wall."""
        g, grains, d = equations.graph, self.grains, self.grains.dimension
        laws = [(part.key, part.given) for part in self.parts]
        for _, law in laws:
            equations.use(law.kernels())
        numbers = [[equations.number(self, f"{key}.{k}") for k in law.numbers()] for key, law in laws]
        speed = g.const(0.0) if self.impact_velocity is None else equations.number(self, "impact_velocity")
        kind = d, tuple(law.kernels() for _, law in laws), tuple(map(len, numbers))
        common = (speed, *(x for own in numbers for x in own))
        own = [(r, *common) for r in grains.numbers(equations, "radius")]
        members = grains.members(equations)
        equations.pairs(self.name, meeting, kind, list(zip(members, own, strict=True)), 0)
        elements = [
            (
                f"{self.name}.{k}",
                places,
                (*mine, *(equations.number(self, f"wall{k}.{key}{axis}") for key in ("", "n") for axis in AXES[:d])),
            )
            for k in range(1, len(self.walls) + 1)
            for places, mine in zip(members, own, strict=True)
        ]
        if elements:
            equations.elements(against, kind, elements)

    def outputs(self, equations):
        """Sums over all contacts among grains, and over those with each wall: contacts, normal forces, stored energy."""
        return {
            f"{owner}.{key}": (lambda owner=owner, key=key: equations.quantity(owner, key), unit)
            for owner in (self.name, *(f"{self.name}.{k}" for k in range(1, len(self.walls) + 1)))
            for key, unit in SUMS.items()
        }


def meeting(element, d, kernels, counts):
    """Contact of two grains, on the surface of the second one."""
    own, half = len(element.q) // 2, len(element.numbers) // 2
    apart = [p - q for p, q in zip(element.q[:d], element.q[own:], strict=False)]
    distance, normal = unit(element.graph, apart)
    a, b = element.numbers[0], element.numbers[half]
    _press(element, d, kernels, counts, a + b - distance, normal, ((0, 1.0, b - distance), (own, -1.0, b)))


def against(element, d, kernels, counts):
    """Contact of a grain with a wall, at the foot of its centre."""
    point, normal = element.numbers[-2 * d : -d], element.numbers[-d:]
    height = dot(normal, [x - p for x, p in zip(element.q, point, strict=False)])
    _press(element, d, kernels, counts, element.numbers[0] - height, normal, ((0, 1.0, -height),))


def _press(element, d, kernels, counts, penetration, normal, ends):
    """Forces of the laws at a place of contact.

    Parameters
    ----------
    penetration : Node
    normal : sequence of Node
        In which the first grain is pushed.
    ends : sequence of (int, float, Node)
        Of both grains, or the one: first coordinate, sign of the force, length of the arm along the normal.
    """
    g, (speed, *numbers), v = element.graph, element.numbers[1 : 2 + sum(counts)], element.v
    touches = g.greater(penetration, 0.0)
    turns = len(element.q) // len(ends) - d
    centres = [sum((sign * v[first + k] for first, sign, _ in ends), g.const(0.0)) for k in range(d)]
    rate, velocity = -dot(normal, centres), centres
    for first, sign, length in ends:
        spin = v[first + d] if turns == 1 else v[first + d : first + d + turns]
        way = turning(spin, [length * n for n in normal])
        velocity = [u + sign * w for u, w in zip(velocity, way, strict=True)]
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
    for first, sign, length in ends:
        for k in range(d):
            push = force * normal[k] if across is None else force * normal[k] + across[k]
            element.force[first + k] = element.force[first + k] + sign * push
        if across is not None:
            arm = [length * n for n in normal]
            moment = [cross(arm, across)] if d == 2 else cross3(arm, across)
            for k, x in enumerate(moment):
                element.force[first + d + k] = element.force[first + d + k] + sign * x


def _across(graph, normal, velocity):
    """Speed and direction in which surfaces slip; in the plane the speed has a sign, and the direction is the tangent."""
    if len(normal) == 2:
        return cross(normal, velocity), (-normal[1], normal[0])
    along = dot(velocity, normal)
    return unit(graph, [v - along * n for v, n in zip(velocity, normal, strict=True)])
