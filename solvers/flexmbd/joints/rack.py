"""Ideal rack and pinion."""

from dataclasses import dataclass

import numpy as np

from flexmbd.errors import ModelError, check_number, unit_vector
from flexmbd.frames import node_axis
from flexmbd.joints.ideal import Joint, turn_row
from flexmbd.language.node_row import free_row
from flexmbd.language.quadratic import dot
from flexmbd.space import axis_parameters


@dataclass(frozen=True, eq=False)
class RackPinion(Joint):
    """A pinion with centre `a` rolls on a rack whose pitch line goes through point `b`, without play, as they mesh at the start.

    The pinion lies to the left of the pitch line, looking along `axis`; ideal joints hold it there, and guide the rack.  The row is the
    sine of the angle that is missing, ``sin(fb - fa - (s - s0)/radius) = 0``, ``s = axis.(ra - rb)``: it holds over any number of turns.
    `Rack` has elastic teeth, and its forces press the bodies apart.

    Parameters
    ----------
    a, b : Point
        Centre of the pinion; point of the rack's pitch line.  One of them may be on ground.
    radius : float or ndarray
        Pitch radius of the pinion, m.
    axis : tuple
        Direction of the pitch line in the frame of b's body.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System()
    >>> wheel = s.body("wheel", mass=1.0, inertia=0.02, position=(0.0, 0.2))
    >>> rack = s.body("rack", mass=1.0, inertia=0.1)
    >>> axle = s.add(fm.Revolute("axle", s.ground.at(0.0, 0.2), wheel.centre))
    >>> rail = s.add(fm.Translational("rail", s.ground.at(0.0, 0.0), rack.centre))
    >>> mesh = s.add(fm.RackPinion("mesh", wheel.centre, rack.centre, radius=0.2))
    >>> drive = s.add(fm.AngleDrive("drive", s.ground.at(0.0, 0.2), wheel.centre, fm.ConstantSpeed(5.0)))
    >>> found = fm.inverse_dynamics(s, end=0.1, points=2, outputs=["rack.vx"])
    >>> round(float(found["rack.vx"][-1]), 6)  # m/s
    1.0
    """

    radius: object = None
    axis: tuple = (1.0, 0.0)

    def __post_init__(self):
        owner = f"joint '{self.name}'"
        object.__setattr__(self, "radius", check_number(owner, "radius", self.radius, positive=True))
        object.__setattr__(self, "axis", unit_vector(owner, "axis", self.axis))
        for end in (self.a, self.b):
            body = getattr(end, "body", None)
            if body is not None and not hasattr(body, "torque"):
                raise ModelError(f"{owner}: '{body.name}' is no rigid body; pinion and rack are rigid bodies or ground", element=self.name)

    def parameters(self):
        """Radius, axis, and the angle that rolling and turning keep, as at the start."""
        angle, (x, y) = _angle(self.b.body), self.axis
        (ax, ay), (bx, by) = (end.body.at_start(end) for end in (self.a, self.b))
        c, s = np.cos(angle), np.sin(angle)
        along = (c * x - s * y) * (ax - bx) + (s * x + c * y) * (ay - by)
        return {"radius": self.radius, "phase": angle - _angle(self.a.body) - along / self.radius, **axis_parameters("axis", self.axis)}

    def rows(self, equations):
        """One angle: that of b's frame against a's is the phase plus the distance over the radius."""
        (along,) = equations.values((dot(node_axis(equations, self, self.b.body, "axis"), equations.between(self.b, self.a)),))
        sine, cosine = equations.sincos(equations.number(self, "phase") + along / equations.number(self, "radius"))
        return [free_row(equations, turn_row(equations, self, sine, cosine))]

    def outputs(self, equations):
        """Force of the teeth on the rack, along its axis."""
        return {f"{self.name}.thrust": (lambda: -equations.multipliers[equations.owner[self.name]] / equations.number(self, "radius"), "N")}


def _angle(body):
    """Angle at the start; zero of ground."""
    return getattr(body, "angle", 0.0)
