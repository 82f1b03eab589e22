"""Cam and follower, held to each other."""

from dataclasses import dataclass

import numpy as np

from flexmbd.errors import ModelError, unit_vector
from flexmbd.joints.ideal import Joint
from flexmbd.language.node_row import NodeRow
from flexmbd.language.quadratic import Row, cross, dot
from flexmbd.language.tracing import atan2
from flexmbd.motion import as_motion, over, values
from flexmbd.space import axis_parameters
from flexmbd.table import cornered

PLACES = np.linspace(-np.pi, np.pi, 65)


@dataclass(frozen=True, eq=False)
class Cam(Joint):
    """The place of the follower's point `b` along `axis`, from the cam's centre `a`, is `lift` of the cam's angle.

    Form-closed: follower and cam do not part.  Ideal joints hold the cam's centre and guide the follower on the carrier; the forces of
    friction and of the sides are theirs.

    Parameters
    ----------
    a, b : Point
        Centre of the cam; point of the follower.
    lift : Motion
        m over the angle of a's body against the carrier in rad, with a period of 2 pi and smooth: `Table` (kind "periodic"),
        `Fourier` (period 2 pi), `Harmonic` (whole number as frequency) or a sum of them.
    axis : tuple
        Direction in the frame of the carrier.
    carrier : RigidBody, optional
        The body that holds the cam and guides the follower; ground if left out.

    Examples
    --------
    >>> import numpy as np
    >>> import flexmbd as fm
    >>> s = fm.System()
    >>> cam = s.body("cam", mass=1.0, inertia=0.02)
    >>> follower = s.body("follower", mass=0.5, inertia=0.01, position=(0.0, 0.4), points={"foot": (0.0, -0.1)})
    >>> held = s.add(fm.Revolute("axle", s.ground.at(0.0, 0.0), cam.centre))
    >>> guide = s.add(fm.Translational("guide", s.ground.at(0.0, 0.4), follower.centre, axis=(0.0, 1.0)))
    >>> lift = s.add(fm.Cam("lift", cam.centre, follower["foot"], fm.Harmonic(0.05, 1.0, offset=0.3)))
    >>> drive = s.add(fm.AngleDrive("drive", s.ground.at(0.0, 0.0), cam.centre, fm.ConstantSpeed(np.pi)))
    >>> found = fm.inverse_dynamics(s, end=0.5, points=6, outputs=["follower.foot.y"])
    >>> round(float(found["follower.foot.y"][-1]), 6)  # m, after a quarter turn
    0.35
    """

    lift: object = None
    axis: tuple = (0.0, 1.0)
    carrier: object = None

    def __post_init__(self):
        owner = f"cam '{self.name}'"
        object.__setattr__(self, "axis", unit_vector(owner, "axis", self.axis))
        if self.lift is None:
            raise ModelError(f"{owner}: lift is None; it must be a motion over the cam's angle", element=self.name)
        if cornered(as_motion(self.lift)):
            remedy = "take kind 'periodic'"
            raise ModelError(
                f"{owner}: lift is a table of straight lines, at whose corners the velocity jumps", element=self.name, remedy=remedy
            )
        once, again = (values(as_motion(self.lift), PLACES[:, None] + turn) for turn in (0.0, 2.0 * np.pi))
        if not np.all(np.abs(again - once) <= 1e-9 * np.abs(once).max()):
            remedy = "take Table with kind 'periodic', Fourier with period 2 pi, or Harmonic with a whole number as frequency"
            raise ModelError(f"{owner}: lift is not the same after a turn of the cam", element=self.name, remedy=remedy)

    @property
    def others(self):
        """Bodies besides those of a and b, by key."""
        return {} if self.carrier is None else {"carrier": self.carrier}

    def parameters(self):
        """Numbers of the lift, and axis."""
        return {f"lift.{k}": x for k, x in as_motion(self.lift).parameters().items()} | axis_parameters("axis", self.axis)

    def topology_key(self):
        """Kind of the lift, and the carrier."""
        return (as_motion(self.lift).topology_key(), None if self.carrier is None else self.carrier.name)

    def _lift(self, equations):
        """Node of the lift at the cam's angle."""
        carrier = equations.system.ground if self.carrier is None else self.carrier
        cam, fixed = (equations.values(equations.direction(body, 1.0, 0.0)) for body in (self.a.body, carrier))
        angle = atan2(equations.graph, cross(fixed, cam), dot(fixed, cam))
        return over(as_motion(self.lift), equations, angle, lambda key: equations.number(self, f"lift.{key}"))

    def rows(self, equations):
        """axis.(rb - ra) - lift = 0"""
        carrier = equations.system.ground if self.carrier is None else self.carrier
        axis = equations.direction(carrier, equations.number(self, "axis.x"), equations.number(self, "axis.y"))
        (way,) = equations.values((dot(axis, equations.between(self.a, self.b)),))
        return [Row(NodeRow(equations, way - self._lift(equations)), "length", f"{self.name}.lift")]

    def outputs(self, equations):
        """Force of the cam on the follower along the axis."""
        return {f"{self.name}.thrust": (lambda: -equations.multipliers[equations.owner[self.name]], "N")}
