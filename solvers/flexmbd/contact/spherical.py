"""Ball in socket with clearance, dry or with an oil film."""

from dataclasses import dataclass
from typing import ClassVar

from flexmbd.contact.clearance import Bearing
from flexmbd.contact.impenetrable import ImpenetrablePart
from flexmbd.contact.pair import FrictionPart, LawPart
from flexmbd.contact.point import SpatialArms, unit
from flexmbd.contact.points import PointContact
from flexmbd.contact.spherical_film import SocketFilmPart
from flexmbd.contact.transition import TransitionPart
from flexmbd.language.quadratic import Row
from flexmbd.space import AXES


@dataclass(frozen=True, eq=False)
class ClearanceSpherical(Bearing, PointContact):
    """Ball (centre `a`) in a socket (centre `b`) with radial clearance (Flores, Ambrósio, Claro and Lankarani 2006), dry or with oil.

    Parameters
    ----------
    clearance, bearing_radius : float or ndarray
        Radial clearance and radius of the socket, m.
    law, friction, start, minimum_impact_velocity, transition
        See `ClearanceRevolute`; with a film `law` may be None.
    film : SocketFilm, optional
        One of ``flexmbd.lubrication.spherical``; None is dry.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, 0.0, -9.81))
    >>> arm = s.body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0.0, -3e-5), points={"O": (-0.5, 0.0, 0.0)})
    >>> law = fm.HuntCrossley(1e9, restitution=0.8)
    >>> ball = s.add(fm.ClearanceSpherical("ball", arm["O"], s.ground.at(0.0, 0.0, 0.0), 5e-5, bearing_radius=0.02, law=law))
    >>> sorted(name for name in fm.output_units(s) if name.startswith("ball."))[:4]
    ['ball.contact', 'ball.ex', 'ball.ey', 'ball.ez']
    """

    kinds: ClassVar[tuple] = (LawPart, ImpenetrablePart, FrictionPart, SocketFilmPart, TransitionPart)

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
        self.check_friction()
        self.check_start()

    def ideal_rows(self, equations):
        """Both centres at one place."""
        return [Row(x, "length", f"{self.name}.{axis}") for axis, x in zip(AXES, self.apart(equations), strict=True)]

    def contact_points(self, equations):
        """The socket's surface in the direction of the eccentricity."""
        e = equations.values(self.apart(equations))
        size, radial = unit(equations.graph, e)
        radius, clearance = equations.number(self, "bearing_radius"), equations.number(self, "clearance")
        far = radius + size - clearance if self.impenetrable else radius  # of the ball's surface, however deep a step has led it
        arm_b = [far * x for x in radial]
        arms = tuple(x - y for x, y in zip(arm_b, e, strict=True)), tuple(arm_b)
        return [SpatialArms(self, equations, size - clearance, radial, *arms, pushed=-1.0)]
