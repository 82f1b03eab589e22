"""Revolute joint with clearance: a journal (on body a) in a bearing (on body b)."""

from dataclasses import dataclass

import numpy as np

from flexmbd.contact.pair import Contact, Geometry
from flexmbd.errors import ModelError, check_number
from flexmbd.linalg.quadratic import Row


def check_play(joint, *keys):
    """Check and keep the sizes `keys` of a clearance joint, and how it starts."""
    owner = f"clearance joint '{joint.name}'"
    for key in keys:
        object.__setattr__(joint, key, check_number(owner, key, getattr(joint, key), positive=True))
    if "bearing_radius" in keys and np.any(joint.bearing_radius <= joint.clearance):
        raise ModelError(f"{owner}: bearing_radius must be greater than the clearance", element=joint.name)
    if joint.start not in ("as_given", "centred"):
        raise ModelError(f"{owner}: start is '{joint.start}'; it must be 'as_given' or 'centred'", element=joint.name)


@dataclass(frozen=True, eq=False)
class ClearanceRevolute(Contact):
    """Dry journal in a bearing (Flores and Ambrósio 2004).

    Parameters
    ----------
    name : str
    a, b : Point
        Centre of the journal on its body, centre of the bearing on its body.
    clearance : float or ndarray
        Radial clearance in m.
    law : NormalLaw
        Normal force of the penetration.
    friction : FrictionLaw, optional
        None is frictionless.
    bearing_radius : float or ndarray, optional
        In m; the arm of the friction force, needed with friction. The journal's radius is this less the clearance.
    start : str
        ``"as_given"``, or ``"centred"``: positions and velocities are assembled as if the joint were ideal.
    minimum_impact_velocity : float
        Lower bound of the approach speed that the law is given, in m/s.
    """

    name: str
    a: object
    b: object
    clearance: object
    law: object
    friction: object = None
    bearing_radius: object = None
    start: str = "as_given"
    minimum_impact_velocity: object = 1e-3

    def __post_init__(self):
        if self.friction is not None and self.bearing_radius is None:
            raise ModelError(f"clearance joint '{self.name}': friction needs bearing_radius (m)", element=self.name)
        check_play(self, "clearance", *(() if self.bearing_radius is None else ("bearing_radius",)))

    def sizes(self):
        """Clearance and bearing radius."""
        radius = {} if self.bearing_radius is None else {"bearing_radius": self.bearing_radius}
        return {"clearance": self.clearance, **radius}

    def structure(self):
        """Laws, and whether the joint starts as an ideal one."""
        return (*super().structure(), self.start)

    def initial_rows(self, build):
        """Rows of the ideal joint, for the assembly of positions and velocities only."""
        if self.start == "as_given":
            return []
        (ax, ay), (bx, by) = build.place(self.a), build.place(self.b)
        return [Row(ax - bx, "length", f"{self.name}.x"), Row(ay - by, "length", f"{self.name}.y")]

    def _eccentricity(self, build):
        (ax, ay), (bx, by) = build.place(self.a), build.place(self.b)
        return (ax - bx, ay - by)

    def geometry(self, build):
        """Eccentricity less clearance; both force arms end at one point of the bearing's surface, so momentum balances."""
        g = build.graph
        e = self._eccentricity(build)
        (x, y), (vx, vy) = build.values(e), build.rates(e)
        squared = x * x + y * y
        r = g.sqrt(g.select(g.greater(squared, 1e-24), squared, 1e-24))
        nx, ny = -x / r, -y / r
        slip, arm_a, arm_b = vy * nx - vx * ny, 0.0, 0.0
        if self.frictional:
            radius = build.number(self, "bearing_radius")
            arm_a, arm_b = r - radius, -radius
            slip = slip + build.spin(self.a.body) * arm_a - build.spin(self.b.body) * arm_b
        return Geometry(r - build.number(self, "clearance"), -(vx * nx + vy * ny), (nx, ny), slip, arm_a, arm_b)

    def outputs(self, build):
        """The contact's outputs and the orbit of the journal's centre in the inertial frame."""
        name = self.name

        def orbit(axis):
            return lambda: build.values(self._eccentricity(build))[axis]

        def radius():
            x, y = build.values(self._eccentricity(build))
            return build.graph.sqrt(x * x + y * y)

        more = {f"{name}.ex": (orbit(0), "m"), f"{name}.ey": (orbit(1), "m"), f"{name}.eccentricity": (radius, "m")}
        return {**super().outputs(build), **more}
