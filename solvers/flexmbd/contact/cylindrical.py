"""Journal in a bearing with clearance and tilt."""

from dataclasses import dataclass
from typing import ClassVar

from flexmbd.contact.clearance import Bearing
from flexmbd.contact.impenetrable import ImpenetrablePart
from flexmbd.contact.pair import FrictionPart, LawPart
from flexmbd.contact.point import SpatialArms, unit
from flexmbd.contact.points import PointContact
from flexmbd.contact.tilted_film import TiltedFilmPart
from flexmbd.contact.transition import TransitionPart
from flexmbd.errors import unit_vector
from flexmbd.frames import in_inertial
from flexmbd.language.quadratic import Row, dot
from flexmbd.space import AXES, axis_parameters, triad


@dataclass(frozen=True, eq=False)
class ClearanceCylindrical(Bearing, PointContact):
    """Journal (through `a` along `axis_a`) in a bearing (centre `b`, along `axis_b`) with radial clearance and tilt.

    The journal is free along and about the axis.  Contact is looked for where its centre line passes through both end sections of
    the bearing, so there is none, one at either end, two at one side (line contact) or two at opposite sides (Tian, Zhang, Chen and
    Hu 2011, Mech. Mach. Theory 46, distinguish the same cases; the edge of a journal that ends inside the bearing is not looked at).

    Parameters
    ----------
    length : float or ndarray
        Of the bearing, m.
    axis_a, axis_b : tuple
        Directions in the frames of a's and b's bodies.
    clearance, bearing_radius : float or ndarray
        Radial clearance and radius of the bearing, m.
    law, friction, start, minimum_impact_velocity, transition
        See `ClearanceRevolute`; each end section has this law. With a film `law` may be None.
    film : TiltedFilm, optional
        None is dry.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, 0.0, -9.81))
    >>> arm = s.body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0.0, 0.0), points={"O": (-0.5, 0.0, 0.0)})
    >>> along = {"axis_a": (1.0, 0.0, 0.0), "axis_b": (1.0, 0.0, 0.0)}
    >>> law = fm.HuntCrossley(1e9, restitution=0.8)
    >>> bush = s.add(fm.ClearanceCylindrical("bush", arm["O"], s.ground.at(0.0, 0.0, 0.0), 5e-5, 0.02, length=0.05, law=law, **along))
    >>> sorted(name for name in fm.output_units(s) if name.startswith("bush."))[:4]
    ['bush.1.contact', 'bush.1.friction', 'bush.1.impact_velocity', 'bush.1.impacts']
    """

    kinds: ClassVar[tuple] = (LawPart, ImpenetrablePart, FrictionPart, TiltedFilmPart, TransitionPart)

    name: str
    a: object
    b: object
    clearance: object
    bearing_radius: object
    length: object
    law: object
    axis_a: tuple = (0.0, 0.0, 1.0)
    axis_b: tuple = (0.0, 0.0, 1.0)
    friction: object = None
    start: str = "as_given"
    minimum_impact_velocity: object = None
    film: object = None
    transition: object = None

    def __post_init__(self):
        self.check()
        self.check_friction()
        self.positive("length")
        for key in ("axis_a", "axis_b"):
            object.__setattr__(self, key, unit_vector(self.owner, key, getattr(self, key), 3))
        self.check_start()

    def offsets_at_start(self):
        """Vectors from the bearing's axis to the journal's in both end sections."""
        ((e,), along, axis) = super().offsets_at_start(), in_inertial(self.a.body, self.axis_a), in_inertial(self.b.body, self.axis_b)
        lean, found = dot(along, axis), []
        for along_b in (-0.5 * self.length, 0.5 * self.length):
            reach = (along_b - dot(e, axis)) / lean
            found.append([x + reach * u - along_b * w for x, u, w in zip(e, along, axis, strict=True)])
        return found

    def sizes(self):
        """Sizes and axes."""
        n1, n2 = triad(self.axis_b)
        axes = {"axis_a": self.axis_a, "axis_b": self.axis_b, "n1": n1, "n2": n2}
        directions = {k: x for key, axis in axes.items() for k, x in axis_parameters(key, axis).items()}
        return {**super().sizes(), "length": self.length, **directions}

    def axis(self, equations, key, body):
        """Direction of one of the joint's axes, as polynomials."""
        return equations.direction(body, *(equations.number(self, f"{key}.{axis}") for axis in AXES))

    def ideal_rows(self, equations):
        """The journal's centre line is the bearing's."""
        along, rows = self.axis(equations, "axis_a", self.a.body), []
        for key in ("n1", "n2"):
            across = self.axis(equations, key, self.b.body)
            rows.append(Row(dot(across, self.apart(equations)), "length", f"{self.name}.offset{key[1]}"))
            rows.append(Row(dot(across, along), "angle", f"{self.name}.tilt{key[1]}"))
        return rows

    def contact_points(self, equations):
        """Both end sections of the bearing."""
        u, w = (equations.values(self.axis(equations, key, end.body)) for key, end in (("axis_a", self.a), ("axis_b", self.b)))
        e = equations.values(self.apart(equations))
        half, radius = 0.5 * equations.number(self, "length"), equations.number(self, "bearing_radius")
        found = []
        for side in (-1.0, 1.0):
            centre = [side * half * x for x in w]  # of the section, from b
            shift = dot([c - x for c, x in zip(centre, e, strict=True)], w) / dot(u, w)
            through = [x + shift * y for x, y in zip(e, u, strict=True)]  # of the journal's line through the section, from b
            size, radial = unit(equations.graph, [x - c for x, c in zip(through, centre, strict=True)])
            depth = size - equations.number(self, "clearance")
            far = radius + depth if self.impenetrable else radius  # of the journal's surface, however deep a step has led it
            arm_b = [c + far * n for c, n in zip(centre, radial, strict=True)]
            arms = tuple(x - y for x, y in zip(arm_b, e, strict=True)), tuple(arm_b)
            found.append(SpatialArms(self, equations, depth, radial, *arms, pushed=-1.0))
        return found
