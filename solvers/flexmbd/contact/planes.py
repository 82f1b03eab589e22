"""Contact of a point, and of a box at its corners, with a half-space; in the plane with a half-plane."""

from dataclasses import dataclass
from itertools import product
from typing import ClassVar

from flexmbd.contact.parts import refuse
from flexmbd.contact.point import free_point, turning
from flexmbd.contact.points import FreeContact
from flexmbd.errors import check_number, unit_vector
from flexmbd.frames import node_axis
from flexmbd.language.quadratic import dot
from flexmbd.space import axis_parameters, is_spatial


class PlaneContact(FreeContact):
    """Base: points of body a (`points_of`) against the half-space below point `b`, whose outward `normal` is fixed in b's body."""

    bulges: ClassVar[bool] = False

    def check_normal(self):
        """The normal, by default upwards along the last axis."""
        d = 3 if is_spatial(self.a) else 2
        given = (*(0.0,) * (d - 1), 1.0) if self.normal is None else self.normal
        object.__setattr__(self, "normal", unit_vector(self.owner, "normal", given, d))
        self.check_friction()

    def contact_points(self, equations):
        """Depths of the points below the plane."""
        normal, spin = node_axis(equations, self, self.b.body, "normal"), equations.spin(self.b.body)
        n, found = equations.values(normal), []
        for point in self.points_of:
            apart = [p - q for p, q in zip(equations.place(point), equations.place(self.b), strict=True)]
            (height,), arm = equations.values((dot(normal, apart),)), equations.values(apart)
            velocity = tuple(v - w for v, w in zip(equations.rates(apart), turning(spin, arm), strict=True))
            found.append(free_point(equations, -height, n, velocity))
        return found


@dataclass(frozen=True, eq=False)
class PointPlane(PlaneContact):
    """Point `a` against the half-space (in the plane: half-plane) below point `b`, whose outward `normal` is fixed in b's body.

    Point a is one of any body: rigid, a point mass, a place of a cable or a beam.

    Parameters
    ----------
    name : str
    a, b : Point
    law : NormalLaw or Impenetrable
    friction : FrictionLaw, optional
        None is frictionless; of an `Impenetrable` its own.
    normal : tuple, optional
        Left out it is the last axis of b's frame.
    minimum_impact_velocity : float, optional
        Lower bound of the approach speed that the law is given, m/s.

    Raises
    ------
    ModelError
        If the normal is no vector of the system's dimension, or law and friction do not belong together.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, -9.81))
    >>> rod = s.body("rod", mass=1.0, inertia=0.1, position=(0.0, 0.499), points={"tip": (0.0, -0.5)})
    >>> floor = s.add(fm.PointPlane("floor", rod["tip"], s.ground.at(0.0, 0.0), fm.Hertz(1e8)))
    >>> e = fm.Equations(s)
    >>> round(float(e.output("floor.normal", e.initial()[0])), 2)  # N
    3162.28
    """

    name: str
    a: object
    b: object
    law: object
    friction: object = None
    normal: object = None
    minimum_impact_velocity: object = None

    def __post_init__(self):
        self.check_normal()

    @property
    def points_of(self):
        """Point a."""
        return (self.a,)

    def sizes(self):
        """Normal."""
        return axis_parameters("normal", self.normal)


@dataclass(frozen=True, eq=False)
class BoxPlane(PlaneContact):
    """Box about point `a`, along the axes of a's body, against the half-space below point `b`: each corner can touch.

    Eight corners, in the plane the four of a rectangle, numbered with the last coordinate's sign changing first: 1 is ``(-, -, -)``, 2 is
    ``(-, -, +)``.  Outputs of a corner are ``name.1.normal`` and so on; ``name.normal``, ``name.contact`` and ``name.impacts`` are
    sums.  The plane has no end, so that edges and faces need nothing more.

    Parameters
    ----------
    name : str
    a, b : Point
        Centre of the box on a rigid body, a point of the plane.
    half_lengths : tuple
        Half of its sizes along the body's axes, m: three, in the plane two.
    law : NormalLaw or Impenetrable
        Of each corner: a box at rest on a face lies on four springs (in the plane two).
    friction, normal, minimum_impact_velocity
        As of `PointPlane`.

    Raises
    ------
    ModelError
        If a half-length is not above zero, or their number is not that of the system's dimension.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, -9.81))
    >>> box = s.body("box", mass=1.0, inertia=0.1, position=(0.0, 0.199))
    >>> floor = s.add(fm.BoxPlane("floor", box.centre, s.ground.at(0.0, 0.0), (0.3, 0.2), fm.Hertz(1e8)))
    >>> e = fm.Equations(s)
    >>> q, _ = e.initial()
    >>> [round(float(e.output(f"floor.{corner}.normal", q)), 2) for corner in (1, 2, 3, 4)]  # N: two corners touch
    [3162.28, 0.0, 3162.28, 0.0]
    """

    name: str
    a: object
    b: object
    half_lengths: object
    law: object
    friction: object = None
    normal: object = None
    minimum_impact_velocity: object = None

    def __post_init__(self):
        body, d = getattr(self.a, "body", None), 3 if is_spatial(self.a) else 2
        given = self.half_lengths
        if not isinstance(given, (tuple, list)) or len(given) != d:
            refuse(self, f"half_lengths is {given!r}; it must be {'three' if d == 3 else 'two'} numbers above zero, in m")
        sizes = (check_number(self.owner, f"half_lengths[{k}]", x, positive=True) for k, x in enumerate(given))
        object.__setattr__(self, "half_lengths", tuple(sizes))
        if body is not None and not hasattr(body, "offset"):
            refuse(self, f"a is on '{body.name}', which has no frame; a box is part of a rigid body")
        self.check_normal()
        if body is not None:
            object.__setattr__(self, "corners", self._corners(body))

    def _corners(self, body):
        """Points of the body at its corners."""
        centre = [p + o for p, o in zip(self.a.at, body.offset, strict=True)]
        signs = product((-1.0, 1.0), repeat=len(centre))
        places = [[x + s * h for x, s, h in zip(centre, sign, self.half_lengths, strict=True)] for sign in signs]
        return [body.at(*place, key=f"#{self.name}.{k}") for k, place in enumerate(places, 1)]

    @property
    def points_of(self):
        """The corners."""
        return self.corners

    def sizes(self):
        """Half-lengths and normal."""
        return axis_parameters("half_lengths", self.half_lengths) | axis_parameters("normal", self.normal)
