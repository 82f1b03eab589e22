"""What all bodies share: points fixed in them, whose places are linear in the coordinates, so forces follow by virtual work."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from flexmbd.bodies.poses import in_space, of_frame
from flexmbd.bodies.shapes import Polyline, Shape
from flexmbd.errors import ModelError, check_number
from flexmbd.language.quadratic import Quadratic
from flexmbd.space import AXES, axis_parameters

UNITS = {
    "mass": "kg", "inertia": "kg m^2", "length": "m", "line_mass": "kg/m", "EA": "N", "EI": "N m^2", "EI_y": "N m^2", "EI_z": "N m^2",
    "GA": "N", "GA_y": "N", "GA_z": "N", "GJ": "N m^2", "radius": "m",
}  # fmt: skip
LEFT_OUT, GIVEN, FIXED = range(3)  # what the user said of a place or velocity at the start, by how much it counts


@dataclass(frozen=True)
class Point:
    """A point fixed in a body: two or three coordinates `at` in the body's frame with origin at the centre of mass, in m.

    Examples
    --------
    >>> import flexmbd as fm
    >>> rod = fm.System().body("rod", mass=1.0, inertia=0.1, points={"A": (-0.5, 0.0)})
    >>> rod["A"].at, rod.at(0.5, 0.0).at  # m
    ((-0.5, 0.0), (0.5, 0.0))
    """

    body: object
    key: str
    at: tuple

    def parameters(self):
        """Coordinates by key."""
        return axis_parameters(self.key, self.at)

    def place_at_start(self):
        """Place by the guess of the start, a number or an array over samples for each axis; None unless the body has a frame."""
        return self.body.at_start(self) if isinstance(self.body, Framed) else None


class Body:
    """Base of what owns coordinates.

    A subclass has `name`, `points`, `dimension` (2 or 3), `measures` (per coordinate: ``"length"``, or ``"angle"`` for what is a pure
    number), `parameters()`, `initial()`, `topology_key()`, and writes its share of a `Formulation`: `place(equations, point)`,
    `mass_matrix(equations)` (upper triangle of the constant mass matrix by local indices), `rows(equations)`, `apply(equations)`,
    `outputs(equations)`.
    """

    flexible = False  # elements of it vibrate faster than explicit schemes can follow
    named = True  # by the user
    vectors = True  # coordinates are components of vectors in the inertial frame, one vector after another
    given, fixed = None, ()  # words of the start that the user gave (None: all), and those that must stay (`words`)

    @property
    def coordinates(self):
        """Number of coordinates."""
        return len(self.measures)

    def unit(self, key):
        """SI unit of one of its numbers; None where it is not known."""
        head, _, last = key.partition(".")
        return "m" if last and last.rpartition(".")[2] in AXES else UNITS.get(head)

    def topology_key(self):
        """What of the body decides the topology besides its name."""
        return ()

    # ---- the start
    def places(self, q, parameters):
        """Places in the inertial frame, of nodes, by a list of its coordinates (numbers or arrays) and the system's numbers by path."""
        lengths = [x for x, measure in zip(q, self.measures, strict=True) if measure == "length"] if self.vectors else []
        for k in range(0, len(lengths) - self.dimension + 1, self.dimension):
            yield lengths[k : k + self.dimension]

    @property
    def words(self):
        """By word the range of coordinates whose places it says, and the same of velocities."""
        return {"position": (0, self.coordinates)}, {"velocity": (0, self.coordinates)}

    def start_level(self, word):
        """How much a word of the start counts: `LEFT_OUT`, `GIVEN` or `FIXED`."""
        if word in self.fixed:
            return FIXED
        return GIVEN if self.named and (self.given is None or word in self.given) else LEFT_OUT

    def start_in_words(self, q, v, offset=None):
        """By word what own coordinates and velocities (n, samples) mean, each (vectors, components, samples)."""
        moving = np.array([measure == "length" for measure in self.measures], bool)
        d = 1 if not self.vectors or moving.sum() % self.dimension else self.dimension
        return {word: x[moving].reshape(-1, d, x.shape[1]) for word, x in (("position", q), ("velocity", v)) if moving.any()}

    def carried(self, q0, v0, q, offset=None):
        """Velocities that mean at places q what v0 means at places q0: of rigid bodies the angular velocity stays."""
        return v0

    def __getitem__(self, key: str) -> Point:
        if key not in self.points:
            known = ", ".join(map(repr, self.points)) or "none"
            raise ModelError(f"body '{self.name}' has no point '{key}'; its points are: {known}", element=self.name)
        return self.points[key]

    # ---- what is shown of it
    unread = ("shown",)  # attributes that no equation depends on
    said_by = "places"  # what of a trajectory says where it is

    @property
    def pose_size(self):
        """Numbers that say where it is: places of its named points; 0 of bodies that are not shown."""
        return self.dimension * len(self.place_names)

    @property
    def named_points(self):
        """Points that the user named, by their names."""
        return {key: point for key, point in self.points.items() if not key.startswith("#")}

    @property
    def place_names(self):
        """Names by which `Trajectory.places` has its places."""
        return [*self.named_points]

    def seat(self, point, parameters, offset):
        """Numbers (of a sample each) that say where a point is in what a trajectory has of the body; None if nothing does.

        In a frame its coordinates there, m; on a line its place from 0 to 1, and on a beam's section y and z, m; else the number of the
        named point.
        """
        return (float(self.place_names.index(point.key)),) if point.key in self.place_names else None

    def pose(self, equations):
        """Nodes of these numbers."""
        return [x for point in self.named_points.values() for x in equations.values(self.place(equations, point))]

    def poses(self, moved):
        """`Poses` by what a run kept of it (`trajectory.Moved`)."""
        raise self._shown_otherwise("has no frame")

    def centre_line(self, moved, per_element):
        """`CentreLine` of a cable or beam."""
        raise self._shown_otherwise("is no cable and no beam")

    def places_of(self, moved):
        """Its places by their names."""
        if self.said_by != "places":
            raise self._shown_otherwise("is not shown by its points alone")
        vectors = in_space(moved.numbers.reshape(*moved.numbers.shape[:-1], -1, self.dimension))
        return {key: vectors[..., k, :] for k, key in enumerate(self.place_names)}

    def _shown_otherwise(self, told):
        return ModelError(f"'{self.name}' {told}", element=self.name, remedy=f"take trajectory.{self.said_by}('{self.name}')")

    @property
    def given_shapes(self):
        """Shapes given to `show`."""
        return self.__dict__.get("shown", ())

    @property
    def shapes(self):
        """What a viewer draws it by: the shapes given to `show`, or what follows from the body itself; the solver does not read them."""
        return self.given_shapes or self.usual_shapes()

    def show(self, *shapes):
        """Draw it by these shapes (`Box`, `Cylinder`, `Sphere`, `Polyline`, `Mesh`) too; returns the body."""
        for shape in shapes:
            if not isinstance(shape, Shape):
                raise ModelError(f"body '{self.name}': {shape!r} is no shape", remedy="give Box, Cylinder, Sphere, Polyline or Mesh")
        object.__setattr__(self, "shown", (*self.given_shapes, *shapes))
        return self

    def usual_shapes(self):
        """Shapes of a body to which none were given."""
        return ()

    def variable(self, equations, k):
        """The body's coordinate number k as a polynomial."""
        return Quadratic(equations.graph, {(equations.first[self.name] + k,): 1.0})

    def part(self, equations, values):
        """The body's own part of a list over all coordinates."""
        i = equations.first[self.name]
        return values[i : i + self.coordinates]

    def mass_matrix(self, equations):
        """No mass but that of its elements."""
        return {}

    def rows(self, equations):
        """Internal constraints."""
        return []

    def apply(self, equations):
        """Internal forces and weight."""


class Framed(Body):
    """Base of bodies with a frame: rigid bodies and ground.  `dimension` is 2 or 3."""

    said_by = "poses"

    @property
    def words(self):
        """Those of `System.body`."""
        d, (turn, spin) = self.dimension, TURNING[self.dimension]
        return {"position": (0, d), turn: (d, self.coordinates)}, {"velocity": (0, d), spin: (d, self.coordinates)}

    @property
    def pose_size(self):
        """Of the centre of mass and of the axes: one in the plane, three in space."""
        return 4 if self.dimension == 2 else 12

    def pose(self, equations):
        """The centre of mass, and axes of the frame."""
        axes = np.eye(self.dimension)[: 1 if self.dimension == 2 else 3].tolist()
        place = [equations.outputs[f"{self.name}.{axis}"][0]() for axis in AXES[: self.dimension]]
        return [*place, *(x for axis in axes for x in equations.values(equations.direction(self, *axis)))]

    def seat(self, point, parameters, offset):
        """Coordinates in the frame; `offset` is the centre of mass there."""
        return tuple(parameters[f"{self.name}.{point.key}.{axis}"] + o for axis, o in zip(AXES, offset, strict=False))

    def poses(self, moved):
        """Places and rotations of the frame."""
        return of_frame(moved.numbers, self.dimension, moved.offset)

    def usual_shapes(self):
        """Lines from the centre of mass to its named points, in the first sample."""
        ends = [point.at for point in self.named_points.values()]
        lines = [[self.offset, [x + o for x, o in zip(end, self.offset, strict=True)]] for end in ends]
        return tuple(Polyline([[np.ravel(x)[0] for x in point] for point in line]) for line in lines)

    def at(self, *coordinates: Any, key: str | None = None) -> Point:
        """Point at the given coordinates of the body's frame, in m (measured from the frame's origin that `offset` defines)."""
        if len(coordinates) == self.dimension + 1 and isinstance(coordinates[-1], str):
            coordinates, key = coordinates[:-1], coordinates[-1]
        owner = f"body '{self.name}' point '{key or len(self.points)}'"
        if len(coordinates) != self.dimension:
            raise ModelError(f"{owner} has {len(coordinates)} coordinates; this system needs {self.dimension}", element=self.name)
        at = tuple(check_number(owner, axis, x) - o for axis, x, o in zip(AXES, coordinates, self.offset, strict=False))
        if key is None:
            single = not any(map(np.ndim, at))
            for point in self.points.values() if single else ():
                first = point.at[0]
                if isinstance(first, float) and first == at[0] and not any(map(np.ndim, point.at)) and at == point.at:
                    return point
            key = f"#{len(self.points)}"
        self.points[key] = Point(self, key, at)
        return self.points[key]

    @property
    def centre(self):
        """The centre of mass (of ground: the origin) as a point."""
        return self.points["#c"] if "#c" in self.points else self.at(*self.offset, key="#c")

    def place(self, equations, point):
        """Inertial position of a point, as polynomials."""
        local = [equations.number(self, f"{point.key}.{axis}") for axis in AXES[: self.dimension]]
        return tuple(o + d for o, d in zip(self.origin(equations), self.direction(equations, *local), strict=True))

    def at_start(self, point):
        """Place of a point by the guess of the start (numbers or arrays over samples)."""
        q = self.initial()[0] if self.measures else ()
        columns = _directors(q[self.dimension :], self.dimension)
        origin = q[: self.dimension] or (0.0,) * self.dimension
        return tuple(o + sum(x * column[i] for x, column in zip(point.at, columns, strict=True)) for i, o in enumerate(origin))

    def places(self, q, parameters):
        """The centre of mass, unless it is ground, and the body's points."""
        d = self.dimension
        origin, axes = q[:d] or [0.0] * d, _directors(q[d:], d)
        if self.measures:
            yield origin
        for key in self.points:
            at = [parameters[f"{self.name}.{key}.{axis}"] for axis in AXES[:d]]
            yield [origin[i] + sum(at[k] * axes[k][i] for k in range(d)) for i in range(d)]

    def origin(self, equations):
        """Inertial position of the centre of mass, as polynomials."""
        return tuple(self.variable(equations, k) for k in range(self.dimension))

    def point_parameters(self):
        """Coordinates of all points by key."""
        return {key: x for point in self.points.values() for key, x in point.parameters().items()}

    def add_gravity(self, equations):
        """Gravity on the centre of mass."""
        i, m = equations.first[self.name], equations.number(self, "mass")
        for k, g in enumerate(equations.gravity):
            equations.generalized[i + k] = equations.generalized[i + k] + m * g
        equations.potential(-(m * equations.graph.dot(zip(equations.gravity, equations.q[i:], strict=False))))


TURNING = {2: ("angle", "rate"), 3: ("rotation", "angular_velocity")}  # words of a frame by dimension


def _directors(q, dimension):
    """Axes of a frame by its coordinates without the place; of ground (no coordinates) the inertial ones."""
    if not q:
        return [[float(i == k) for i in range(dimension)] for k in range(dimension)]
    return [q, (-q[1], q[0])] if dimension == 2 else [q[3 * k : 3 * k + 3] for k in range(3)]


@dataclass(frozen=True, eq=False)
class Ground(Framed):
    """The inertial frame, as something points can be fixed in."""

    dimension: int = 2
    points: dict = field(default_factory=dict)
    name = "ground"
    measures = ()
    pose_size = 0

    @property
    def offset(self):
        """The origin."""
        return (0.0,) * self.dimension

    def __getitem__(self, key: str) -> Point:
        if key not in self.points:
            raise ModelError(f"ground has no point '{key}'; make it with ground.at(..., key='{key}')", element="ground")
        return self.points[key]

    def parameters(self):
        """Coordinates of the ground's points by key."""
        return self.point_parameters()

    def origin(self, equations):
        """Zero."""
        return tuple(Quadratic(equations.graph, {}) for _ in range(self.dimension))

    def direction(self, equations, *components):
        """A vector fixed in the inertial frame."""
        return tuple(Quadratic(equations.graph, {(): c}) for c in components)

    def spin(self, equations):
        """Zero: a node in the plane, three in space."""
        zero = equations.graph.const(0.0)
        return zero if self.dimension == 2 else (zero,) * 3

    def full_angle(self, equations):
        """Zero."""
        return equations.graph.const(0.0)

    def torque(self, equations, *moment):
        """Ground bears any torque."""
