"""Contacts of many round bodies with each other and with walls."""

from dataclasses import dataclass
from typing import ClassVar

from flexmbd.contact.laws.base import RestitutionDamping
from flexmbd.contact.pair import Contact, FrictionPart, LawPart
from flexmbd.contact.parts import check_parts, refuse
from flexmbd.contact.point import unit
from flexmbd.contact.pressing import GrainEnd, press
from flexmbd.errors import check_number, unit_vector
from flexmbd.language.quadratic import dot
from flexmbd.space import AXES

SUMS = {"stored": "J", "normal": "N", "contacts": "1"}  # over contacts, with their units


class OfGrains(Contact):
    """Base of contacts of many round bodies: laws that are a force, and no onset that is located."""

    kinds: ClassVar[tuple] = (LawPart, FrictionPart)
    dimensions: ClassVar[tuple] = (2, 3)
    minimum_impact_velocity: ClassVar = None

    def check_grains(self):
        """Check grains and laws; refuse those that remember something."""
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

    @property
    def measured(self):
        """The grains."""
        return (self.grains,)

    def parameters(self):
        """Those of laws and geometry, and the speed of approach."""
        return super().parameters() | ({} if self.impact_velocity is None else {"impact_velocity": self.impact_velocity})

    def unit(self, key):
        """m/s of the speed."""
        return "m/s" if key == "impact_velocity" else super().unit(key)

    def topology_key(self):
        """Grains, and what decides the laws' code."""
        return (self.grains.name, self.impact_velocity is None, *super().topology_key())

    def laws(self, equations):
        """What of the laws decides the code, and their numbers behind the speed of approach."""
        laws = [(part.key, part.given) for part in self.parts]
        for _, law in laws:
            equations.use(law.kernels())
        numbers = [[equations.number(self, f"{key}.{k}") for k in law.numbers()] for key, law in laws]
        speed = equations.graph.const(0.0) if self.impact_velocity is None else equations.number(self, "impact_velocity")
        kind = self.grains.dimension, tuple(law.kernels() for _, law in laws), tuple(map(len, numbers))
        return kind, (speed, *(x for own in numbers for x in own))

    def sums(self, equations, *owners):
        """Outputs of owners: over their contacts."""
        return {
            f"{owner}.{key}": (lambda owner=owner, key=key: equations.quantity(owner, key), unit)
            for owner in owners
            for key, unit in SUMS.items()
        }


@dataclass(frozen=True, eq=False)
class GranularContact(OfGrains):
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

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, -9.81))
    >>> grains = s.grains("grains", positions=[(0.0, 0.1), (0.05, 0.29)], radius=0.1, mass=0.5)
    >>> soft = fm.KelvinVoigt(1e5, 50.0)
    >>> heap = s.add(fm.GranularContact("heap", grains, soft, fm.Ambrosio(0.3, 1e-3, 1e-2), walls=[((0.0, 0.0), (0.0, 1.0))]))
    >>> sorted(name for name in fm.output_units(s) if name.startswith("heap."))
    ['heap.1.contacts', 'heap.1.normal', 'heap.1.stored', 'heap.contacts', 'heap.normal', 'heap.stored']
    """

    name: str
    grains: object
    law: object
    friction: object = None
    walls: tuple = ()
    impact_velocity: object = None

    def __post_init__(self):
        self.check_grains()
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

    def sizes(self):
        """Walls."""
        return {
            f"wall{k}.{key}{axis}": x
            for k, wall in enumerate(self.walls, 1)
            for key, vector in zip(("", "n"), wall, strict=True)
            for axis, x in zip(AXES, vector, strict=False)
        }

    def topology_key(self):
        """And the number of walls."""
        return (len(self.walls), *super().topology_key())

    def unit(self, key):
        """m of walls, but for their normals."""
        head, _, last = key.partition(".")
        return ("1" if last.startswith("n") else "m") if head.startswith("wall") else super().unit(key)

    def apply(self, equations):
        """Pairs, and all grains with every wall."""
        grains, d = self.grains, self.grains.dimension
        kind, common = self.laws(equations)
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
        return self.sums(equations, self.name, *(f"{self.name}.{k}" for k in range(1, len(self.walls) + 1)))


def meeting(element, d, kernels, counts):
    """Contact of two grains, on the surface of the second one."""
    own, half = len(element.q) // 2, len(element.numbers) // 2
    apart = [p - q for p, q in zip(element.q[:d], element.q[own:], strict=False)]
    distance, normal = unit(element.graph, apart)
    a, b = element.numbers[0], element.numbers[half]
    ends = GrainEnd(element, d, 0, 1.0, b - distance, normal), GrainEnd(element, d, own, -1.0, b, normal)
    press(element, kernels, counts, a + b - distance, normal, ends)


def against(element, d, kernels, counts):
    """Contact of a grain with a wall, at the foot of its centre."""
    point, normal = element.numbers[-2 * d : -d], element.numbers[-d:]
    height = dot(normal, [x - p for x, p in zip(element.q, point, strict=False)])
    press(element, kernels, counts, element.numbers[0] - height, normal, (GrainEnd(element, d, 0, 1.0, -height, normal),))
