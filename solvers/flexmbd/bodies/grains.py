"""Many round bodies as one: discs in the plane, spheres in space, homogeneous about their centres."""

from dataclasses import dataclass, field

import numpy as np

from flexmbd.bodies.base import Body
from flexmbd.bodies.poses import of_grains
from flexmbd.bodies.shapes import Balls
from flexmbd.errors import ModelError, check_number
from flexmbd.space import AXES

SOLID = {2: 0.5, 3: 0.4}  # moment of inertia of a homogeneous disc and sphere by m r²


@dataclass(frozen=True, eq=False)
class Grains(Body):
    """Round bodies that move freely until they touch (`GranularContact`); made by `System.grains`.

    Coordinates of a grain are the place of its centre and how far it has turned: in space the integral of its angular velocity, for
    a sphere that is the same in all directions needs no orientation. There are no constraints among them, and code does not grow with their
    number.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, -9.81))
    >>> grains = s.grains("grains", positions=[(0.0, 0.1), (0.3, 0.1)], radius=0.1, mass=0.5)
    >>> sorted(name for name in fm.output_units(s) if name.startswith("grains."))[:4]
    ['grains.1.ax', 'grains.1.ay', 'grains.1.rate', 'grains.1.vx']
    """

    name: str
    dimension: int
    positions: tuple
    radius: object
    mass: object
    inertia: object = None
    velocities: tuple = ()
    rates: tuple = ()
    points: dict = field(default_factory=dict)

    vectors = False

    def __post_init__(self):
        d, turns = self.dimension, 1 if self.dimension == 2 else 3
        for key, width in (("positions", d), ("velocities", d), ("rates", turns)):
            rows = [(row,) if np.ndim(row) == 0 else tuple(row) for row in getattr(self, key)]
            if key != "positions" and not rows:
                rows = [(0.0,) * width] * self.count
            if len(rows) != self.count or not rows or any(len(row) != width for row in rows):
                raise ModelError(f"{self.owner}: {key} must be {width} numbers for each of {self.count or 'the'} grains", element=self.name)
            checked = tuple(tuple(check_number(self.owner, f"{key}[{k}]", x) for x in row) for k, row in enumerate(rows))
            object.__setattr__(self, key, checked)
        for key in ("radius", "mass", "inertia"):
            given = getattr(self, key)
            if isinstance(given, (tuple, list)):
                if len(given) != self.count:
                    raise ModelError(
                        f"{self.owner}: {key} has {len(given)} numbers for {self.count} grains",
                        element=self.name,
                        remedy="give one number for all, or a list of one for each",
                    )
                object.__setattr__(self, key, tuple(check_number(self.owner, f"{key}[{k}]", x, positive=True) for k, x in enumerate(given)))
            elif given is not None:
                object.__setattr__(self, key, check_number(self.owner, key, given, positive=True))

    @property
    def owner(self):
        """What messages call it."""
        return f"grains '{self.name}'"

    @property
    def count(self):
        """Number of grains."""
        return len(self.positions)

    @property
    def own(self):
        """Coordinates of a grain."""
        return 3 if self.dimension == 2 else 6

    @property
    def measures(self):
        """Of each grain lengths, then angles."""
        return (("length",) * self.dimension + ("angle",) * (self.own - self.dimension)) * self.count

    @property
    def place_names(self):
        """Numbers of the grains, as outputs have them."""
        return [f"{k + 1}" for k in range(self.count)]

    def _each(self, key):
        """By grain, the key of one of its numbers."""
        given = getattr(self, key)
        return [f"{key}.{k + 1}" for k in range(self.count)] if isinstance(given, tuple) else [key] * self.count

    @property
    def radii(self):
        """Paths of all radii."""
        return dict.fromkeys(f"{self.name}.{key}" for key in self._each("radius"))

    def parameters(self):
        """Radii, masses and moments of inertia: one for all, or one for each grain."""
        found = {}
        for key in ("radius", "mass", "inertia"):
            given = getattr(self, key)
            if given is not None:
                found |= dict(zip(self._each(key), given, strict=True)) if isinstance(given, tuple) else {key: given}
        return found

    def topology_key(self):
        """How many, and which numbers are given for each."""
        return ("grains", self.count, *(isinstance(x, tuple) or x is None for x in (self.radius, self.mass, self.inertia)))

    def initial(self):
        """Places and velocities that are given; grains begin without a turn."""
        none = (0.0,) * (self.own - self.dimension)
        q = [x for place in self.positions for x in (*place, *none)]
        return q, [x for pair in zip(self.velocities, self.rates, strict=True) for own in pair for x in own]

    def places(self, q, parameters):
        """Corners of squares or cubes about all grains."""
        for k, key in enumerate(self._each("radius")):
            place, radius = q[self.own * k : self.own * k + self.dimension], parameters[f"{self.name}.{key}"]
            for sign in (-1.0, 1.0):
                yield [x + sign * radius for x in place]

    @property
    def pose_size(self):
        """The places of all, in the plane with how far each has turned."""
        return 3 * self.count

    def pose(self, equations):
        """Nodes of these; a sphere looks the same however it turns."""
        own = self.part(equations, equations.q)
        return [x for k in range(self.count) for x in own[self.own * k : self.own * k + 3]]

    def poses(self, moved):
        """Places and rotations of all."""
        return of_grains(moved.numbers, self.dimension)

    def places_of(self, moved):
        """Places by number."""
        found = self.poses(moved).position
        return {name: found[..., k, :] for k, name in enumerate(self.place_names)}

    def usual_shapes(self):
        """Their radii, in the first sample."""
        given = self.radius if isinstance(self.radius, tuple) else (self.radius,) * self.count
        return (Balls([np.ravel(x)[0] for x in given]),)

    def numbers(self, equations, key):
        """By grain, the node of a number."""
        if getattr(self, key) is None:
            both = zip(self.numbers(equations, "mass"), self.numbers(equations, "radius"), strict=True)
            return [SOLID[self.dimension] * (m * (r * r)) for m, r in both]
        return [equations.number(self, own) for own in self._each(key)]

    def members(self, equations):
        """By grain, its coordinates in the system."""
        first = equations.first[self.name]
        return [tuple(range(first + self.own * k, first + self.own * (k + 1))) for k in range(self.count)]

    def apply(self, equations):
        """Mass and weight."""
        for k, numbers in enumerate(zip(self.numbers(equations, "mass"), self.numbers(equations, "inertia"), strict=True)):
            equations.element(self, grain, (self.dimension,), range(self.own * k, self.own * (k + 1)), numbers)

    def outputs(self, equations):
        """Output name -> (function giving the node, unit)."""
        d, out = self.dimension, {}
        turns = ["rate"] if d == 2 else [f"omega_{axis}" for axis in AXES]
        for grain in range(self.count):
            for prefix, key, unit in (("", "q", "m"), ("v", "v", "m/s"), ("a", "a", "m/s^2")):
                for k, axis in enumerate(AXES[:d]):
                    place = self.own * grain + k
                    out[f"{self.name}.{grain + 1}.{prefix}{axis}"] = (
                        lambda key=key, i=place: self.part(equations, getattr(equations, key))[i],
                        unit,
                    )
            for k, word in enumerate(turns):
                place = self.own * grain + d + k
                out[f"{self.name}.{grain + 1}.{word}"] = (lambda i=place: self.part(equations, equations.v)[i], "rad/s")
        return out


def grain(element, dimension):
    """Mass, moment of inertia and weight of one grain."""
    mass, inertia = element.numbers
    element.mass = {(k, k): mass if k < dimension else inertia for k in range(len(element.q))}
    element.add_gravity((mass,))
