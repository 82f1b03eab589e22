"""Contacts of many round bodies with surfaces of a rigid body: walls that move."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmbd.contact.granular import OfGrains
from flexmbd.contact.parts import refuse
from flexmbd.contact.point import unit
from flexmbd.contact.pressing import BodyEnd, GrainEnd, OwnFrame, press
from flexmbd.errors import check_number, unit_vector
from flexmbd.frames import as_matrix
from flexmbd.language.quadratic import dot
from flexmbd.space import AXES, axis_parameters


class GrainsBody(OfGrains):
    """Base: all `grains` against a surface about point `b`, fixed in b's body, on which the reaction acts.

    A subclass gives `sizes`, and as `surface` a function of a module: from graph, place of a centre in the body's frame from point b,
    and the sizes in their order it gives the centre's distance from the surface and the unit vector out of it.

    Parameters
    ----------
    grains : Grains
        Made by `System.grains`.
    b : Point
        Of a rigid body, or of ground.
    law : object
        Contact law that is a force.
    friction : object, optional
        Friction law without a state; left out there is none.
    impact_velocity : float, optional
        m/s; for laws with a restitution.
    """

    options = ()  # what of it decides the code of `surface`
    surface: Any

    def check_body(self):
        """Check all but the sizes."""
        self.check_grains()
        body = getattr(self.b, "body", None)
        if body is not None and not hasattr(body, "offset"):
            refuse(self, f"b is on '{body.name}', which has no frame", "take a point of a rigid body or of ground")

    @property
    def natural(self):
        """The body, whose coordinates are those of an element with a grain's."""
        return (self.b.body,)

    def topology_key(self):
        """And what decides the surface's code."""
        return (*self.options, *super().topology_key())

    def apply(self, equations):
        """All grains against the surface."""
        grains = self.grains
        kind, common = self.laws(equations)
        frame, sizes = OwnFrame(equations, self.b, grains.own), [equations.number(self, key) for key in self.sizes()]
        own = zip(grains.members(equations), grains.numbers(equations, "radius"), strict=True)
        elements = [(self.name, (*places, *frame.places), (radius, *common, *sizes)) for places, radius in own]
        equations.elements(touching, (*kind, frame, type(self).surface, self.options), elements)

    def outputs(self, equations):
        """Sums over all grains that touch it: contacts, normal forces, stored energy."""
        return self.sums(equations, self.name)


def touching(element, d, kernels, counts, frame, surface, options):
    """Contact of a grain with a body, at the foot of its centre on the surface."""
    g, q = element.graph, element.q
    (origin,), axes = frame.values(q, [frame.origin]), frame.values(q, frame.axes)
    apart = [x - p for x, p in zip(q[:d], origin, strict=True)]
    height, out = surface(g, [dot(axis, apart) for axis in axes], element.numbers[2 + sum(counts) :], *options)
    normal = [dot([axis[k] for axis in axes], out) for k in range(d)]
    foot = BodyEnd(element, frame, [x - height * n for x, n in zip(apart, normal, strict=True)])
    press(element, kernels, counts, element.numbers[0] - height, normal, (GrainEnd(element, d, 0, 1.0, -height, normal), foot))
    element.acts = element.quantities["contacts"]  # most grains are somewhere else


def _plane(graph, place, sizes):
    return dot(sizes, place), sizes


def _round(graph, place, sizes, inside):
    far, out = unit(graph, place)
    return (sizes[0] - far, [-x for x in out]) if inside else (far - sizes[0], out)


def _cylinder(graph, place, sizes, inside, ends):
    """Without ends, or a tube as thin as a sheet, or solid."""
    g, axis = graph, sizes[1:4]
    along = dot(axis, place)
    far, out = unit(g, [x - along * y for x, y in zip(place, axis, strict=True)])
    beyond = far - sizes[0]
    if not ends:
        return (-beyond, [-x for x in out]) if inside else (beyond, out)
    over, side = g.fabs(along) - 0.5 * sizes[4], g.select(g.greater(along, 0.0), 1.0, -1.0)
    if inside:
        past = g.select(g.greater(over, 0.0), over, 0.0) * side
        return unit(g, [beyond * x + past * y for x, y in zip(out, axis, strict=True)])
    return _solid(g, (beyond, over), (out, [side * x for x in axis]))


def _box(graph, place, sizes, d):
    """Its edges lie along the columns of a matrix, whose rows come last."""
    g, rows = graph, [sizes[d + 1 + d * k : d + 1 + d * (k + 1)] for k in range(d)]
    edges = [[row[k] for row in rows] for k in range(d)]
    own = [dot(edge, place) for edge in edges]
    sides = [g.select(g.greater(x, 0.0), 1.0, -1.0) for x in own]
    beyond = [g.fabs(x) - half for x, half in zip(own, sizes, strict=False)]
    height, out = _solid(g, beyond, [[s * x for x in edge] for s, edge in zip(sides, edges, strict=True)])
    return height - sizes[d], out


def _solid(g, beyond, ways):
    """Distance of a place from a solid, and the unit vector out of it: how far it is beyond each of its sides, which are square."""
    past = [g.select(g.greater(x, 0.0), x, 0.0) for x in beyond]
    far, out = unit(g, [dot(past, parts) for parts in zip(*ways, strict=True)])
    nearest, way = beyond[0], ways[0]
    for x, other in zip(beyond[1:], ways[1:], strict=True):
        more = g.greater(x, nearest)
        nearest, way = g.select(more, x, nearest), [g.select(more, b, a) for a, b in zip(way, other, strict=True)]
    within = g.greater(0.0, nearest)
    return g.select(within, nearest, far), [g.select(within, a, b) for a, b in zip(way, out, strict=True)]


@dataclass(frozen=True, eq=False)
class GrainsPlane(GrainsBody):
    """All `grains` against the half-space (in the plane: half-plane) below point `b`, whose outward `normal` is fixed in b's body.

    Parameters
    ----------
    normal : tuple, optional
        In the frame of b's body; left out its last axis.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, -9.81))
    >>> grains = s.grains("grains", positions=[(0.0, 0.1), (0.3, 0.1)], radius=0.1, mass=0.5)
    >>> sieve = s.body("sieve", mass=5.0, inertia=1.0)
    >>> bed = s.add(fm.GrainsPlane("bed", grains, sieve.centre, fm.KelvinVoigt(1e5, 50.0)))
    >>> fm.output_units(s)["bed.normal"]
    'N'
    """

    name: str
    grains: object
    b: object
    law: object
    friction: object = None
    normal: object = None
    impact_velocity: object = None

    surface = _plane

    def __post_init__(self):
        self.check_body()
        d = self.grains.dimension
        given = (*(0.0,) * (d - 1), 1.0) if self.normal is None else self.normal
        object.__setattr__(self, "normal", unit_vector(self.owner, "normal", given, d))

    def sizes(self):
        """Normal."""
        return axis_parameters("normal", self.normal)


@dataclass(frozen=True, eq=False)
class GrainsRound(GrainsBody):
    """All `grains` against a disc (in space: a sphere) of `radius` about point `b`, or in it as in a drum.

    Parameters
    ----------
    radius : float or ndarray
        Of the body, m.
    inside : bool
        True for grains in a round hole.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, -9.81))
    >>> grains = s.grains("grains", positions=[(0.0, -0.38), (0.25, -0.3)], radius=0.1, mass=0.5)
    >>> drum = s.body("drum", mass=5.0, inertia=1.0, rate=3.0)
    >>> wall = s.add(fm.GrainsRound("wall", grains, drum.centre, 0.5, fm.KelvinVoigt(1e5, 50.0), inside=True))
    >>> fm.output_units(s)["wall.normal"]
    'N'
    """

    name: str
    grains: object
    b: object
    radius: object
    law: object
    friction: object = None
    inside: bool = False
    impact_velocity: object = None

    surface = _round

    def __post_init__(self):
        self.check_body()
        self.positive("radius")
        self.true_or_false("inside")

    @property
    def options(self):
        """Whether inside."""
        return (bool(self.inside),)

    def sizes(self):
        """Radius."""
        return {"radius": self.radius}


@dataclass(frozen=True, eq=False)
class GrainsCylinder(GrainsBody):
    """All `grains`, spheres, against a cylinder about point `b`, or in it as in a drum.

    With a length it is solid, with two end faces; from inside it is a tube with open ends, a thin sheet that is touched on both sides.

    Parameters
    ----------
    cylinder_radius : float or ndarray
        m
    axis : tuple
        Direction of the cylinder in b's frame.
    length : float or ndarray, optional
        Of the cylinder, half of it on either side of point b, m; left out it has no end.
    inside : bool
        True for grains in a tube or a drum.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, 0.0, -9.81))
    >>> grains = s.grains("grains", positions=[(0.0, 0.0, -0.38), (0.25, 0.0, -0.3)], radius=0.1, mass=0.5)
    >>> drum = s.body("drum", mass=5.0, inertia=(1.0, 1.0, 1.0))
    >>> wall = s.add(fm.GrainsCylinder("wall", grains, drum.centre, 0.5, fm.KelvinVoigt(1e5, 50.0), axis=(0.0, 1.0, 0.0), inside=True))
    >>> fm.output_units(s)["wall.normal"]
    'N'
    """

    dimensions = (3,)

    name: str
    grains: object
    b: object
    cylinder_radius: object
    law: object
    friction: object = None
    axis: tuple = (1.0, 0.0, 0.0)
    length: object = None
    inside: bool = False
    impact_velocity: object = None

    surface = _cylinder

    def __post_init__(self):
        self.check_body()
        self.positive("cylinder_radius", *(() if self.length is None else ("length",)))
        object.__setattr__(self, "axis", unit_vector(self.owner, "axis", self.axis, 3))
        self.true_or_false("inside")

    @property
    def options(self):
        """Whether inside, and whether it has ends."""
        return bool(self.inside), self.length is not None

    def sizes(self):
        """Radius, axis, and the length if there is one."""
        length = {} if self.length is None else {"length": self.length}
        return {"cylinder_radius": self.cylinder_radius, **axis_parameters("axis", self.axis), **length}


@dataclass(frozen=True, eq=False)
class GrainsBox(GrainsBody):
    """All `grains` against a box (in the plane: a rectangle) about point `b`: gates, plates, lifters, walls that end.

    Parameters
    ----------
    half_lengths : tuple
        Half of its sizes along its edges, m: two in the plane, three in space, none below zero.
    rotation : optional
        Of the edges against b's frame: in the plane an angle (rad), in space a rotation vector (rad) or a matrix.
    rounding : float or ndarray
        Radius about all of it, m, so that a box without a size is a ball and one with a single length a capsule.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, -9.81))
    >>> grains = s.grains("grains", positions=[(0.0, 0.2), (0.25, 0.2)], radius=0.1, mass=0.5)
    >>> gate = s.body("gate", mass=5.0, inertia=1.0)
    >>> top = s.add(fm.GrainsBox("top", grains, gate.centre, (0.4, 0.1), fm.KelvinVoigt(1e5, 50.0)))
    >>> fm.output_units(s)["top.normal"]
    'N'
    """

    name: str
    grains: object
    b: object
    half_lengths: object
    law: object
    friction: object = None
    rotation: object = None
    rounding: object = 0.0
    impact_velocity: object = None

    surface = _box

    def __post_init__(self):
        self.check_body()
        d, given = self.grains.dimension, self.half_lengths
        if not isinstance(given, (tuple, list)) or len(given) != d:
            refuse(self, f"half_lengths is {given!r}; it must be {'three' if d == 3 else 'two'} numbers, in m")
        for key, values in {"half_lengths": given, "rounding": (self.rounding,)}.items():
            found = tuple(check_number(self.owner, key, x) for x in values)
            if any(np.any(np.less(x, 0.0)) for x in found):
                refuse(self, f"{key} is {getattr(self, key)!r}; nothing of it may be below zero")
            object.__setattr__(self, key, found if key == "half_lengths" else found[0])
        turned = self.rotation
        if d == 2:
            angle = check_number(self.owner, "rotation", 0.0 if turned is None else turned)
            c, s = np.cos(angle), np.sin(angle)
            turned = [[c, -s], [s, c]]
        else:
            turned = as_matrix(self.owner, turned)
        object.__setattr__(self, "_turned", turned)

    @property
    def options(self):
        """Dimension."""
        return (self.grains.dimension,)

    def sizes(self):
        """Half-lengths, rounding, and columns of the rotation's matrix by row."""
        rows = {f"row{k}.{axis}": x for k, row in enumerate(self._turned, 1) for axis, x in zip(AXES, row, strict=False)}
        return axis_parameters("half_lengths", self.half_lengths) | {"rounding": self.rounding} | rows
