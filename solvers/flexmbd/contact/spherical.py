"""Ball in socket with clearance, dry or with an oil film."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexmbd.contact.guess import check_guess
from flexmbd.contact.points import Place, unit
from flexmbd.contact.spatial import SpatialContact
from flexmbd.contact.spherical_film import apply_socket_film
from flexmbd.language.quadratic import Row
from flexmbd.space import AXES


@dataclass(frozen=True, eq=False)
class ClearanceSpherical(SpatialContact):
    """Ball (centre `a`) in a socket (centre `b`) with radial clearance (Flores, Ambrósio, Claro and Lankarani 2006), dry or with oil.

    Parameters
    ----------
    clearance, bearing_radius : float or ndarray
        Radial clearance and radius of the socket, m.
    law, friction, start, minimum_impact_velocity, transition
        See `ClearanceRevolute`; with a film `law` may be None.
    film : SocketFilm, optional
        One of ``flexmbd.lubrication.spherical``; None is dry.
    """

    film_shape: ClassVar[str] = "spherical"

    name: str
    a: object
    b: object
    clearance: object
    bearing_radius: object
    law: object
    friction: object = None
    start: str = "as_given"
    minimum_impact_velocity: object = None
    film: object = None
    transition: object = None

    def __post_init__(self):
        self.check()
        check_guess(self, lambda a, b: [np.subtract(a.place, b.place)])

    def initial_rows(self, build):
        """Rows of the ideal joint, for the assembly of positions and velocities only."""
        if self.start == "as_given":
            return []
        return [Row(x, "length", f"{self.name}.{axis}") for axis, x in zip(AXES, self.apart(build), strict=True)]

    def places(self, build):
        """The socket's surface in the direction of the eccentricity."""
        e = build.values(self.apart(build))
        size, radial = unit(build.graph, e)
        radius, clearance = build.number(self, "bearing_radius"), build.number(self, "clearance")
        arm_b = [radius * x for x in radial]
        return [Place(size - clearance, radial, tuple(x - y for x, y in zip(arm_b, e, strict=True)), tuple(arm_b))]

    def wet(self, build):
        """Force and torques of the film; what the outputs need of them."""
        return apply_socket_film(self, build, self.apart(build))
