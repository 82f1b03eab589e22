"""Journal in a bearing with clearance and tilt."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexmbd.contact.guess import check_guess
from flexmbd.contact.points import Place, unit
from flexmbd.contact.spatial import SpatialContact
from flexmbd.contact.tilted_film import apply_tilted_film
from flexmbd.errors import check_number, unit_vector
from flexmbd.language.quadratic import Row, dot
from flexmbd.space import AXES, axis_parameters, triad


@dataclass(frozen=True, eq=False)
class ClearanceCylindrical(SpatialContact):
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
    """

    film_shape: ClassVar[str] = "cylindrical"

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
        owner = f"clearance joint '{self.name}'"
        object.__setattr__(self, "length", check_number(owner, "length", self.length, positive=True))
        for key in ("axis_a", "axis_b"):
            object.__setattr__(self, key, unit_vector(owner, key, getattr(self, key), 3))
        check_guess(self, self._offsets)

    def _offsets(self, a, b):
        """Vectors from the bearing's axis to the journal's in both end sections, by guesses of both ends."""
        e, along, axis = np.subtract(a.place, b.place), a.turned(self.axis_a), b.turned(self.axis_b)
        lean = np.sum(along * axis, axis=0)
        return [e + (k * self.length - np.sum(e * axis, axis=0)) / lean * along - k * self.length * axis for k in (-0.5, 0.5)]

    def sizes(self):
        """Sizes and axes."""
        n1, n2 = triad(self.axis_b)
        axes = {"axis_a": self.axis_a, "axis_b": self.axis_b, "n1": n1, "n2": n2}
        directions = {k: x for key, axis in axes.items() for k, x in axis_parameters(key, axis).items()}
        return {**super().sizes(), "length": self.length, **directions}

    def axis(self, build, key, body):
        """Direction of one of the joint's axes, as polynomials."""
        return build.direction(body, *(build.number(self, f"{key}.{axis}") for axis in AXES))

    def initial_rows(self, build):
        """Rows of the ideal joint: the journal's centre line is the bearing's."""
        if self.start == "as_given":
            return []
        along, rows = self.axis(build, "axis_a", self.a.body), []
        for key in ("n1", "n2"):
            across = self.axis(build, key, self.b.body)
            rows.append(Row(dot(across, self.apart(build)), "length", f"{self.name}.offset{key[1]}"))
            rows.append(Row(dot(across, along), "angle", f"{self.name}.tilt{key[1]}"))
        return rows

    def places(self, build):
        """Both end sections of the bearing."""
        u, w = (build.values(self.axis(build, key, end.body)) for key, end in (("axis_a", self.a), ("axis_b", self.b)))
        e = build.values(self.apart(build))
        half, radius = 0.5 * build.number(self, "length"), build.number(self, "bearing_radius")
        found = []
        for side in (-1.0, 1.0):
            centre = [side * half * x for x in w]  # of the section, from b
            shift = dot([c - x for c, x in zip(centre, e, strict=True)], w) / dot(u, w)
            through = [x + shift * y for x, y in zip(e, u, strict=True)]  # of the journal's line through the section, from b
            size, radial = unit(build.graph, [x - c for x, c in zip(through, centre, strict=True)])
            arm_b = [c + radius * n for c, n in zip(centre, radial, strict=True)]
            found.append(
                Place(size - build.number(self, "clearance"), radial, tuple(x - y for x, y in zip(arm_b, e, strict=True)), tuple(arm_b))
            )
        return found

    def wet(self, build):
        """Force and torques of the film; what the outputs need of them."""
        return apply_tilted_film(self, build)
