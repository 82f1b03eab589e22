"""Clamp: the end of a cable held by a rigid body or ground (a beam's: `Fixed`)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexmbd.errors import ModelError, unit_vector
from flexmbd.frames import at_start, node_axis
from flexmbd.joints.ideal import Joint, coincident
from flexmbd.language.quadratic import Row, cross, dot
from flexmbd.space import axis_parameters, triad


@dataclass(frozen=True, eq=False)
class Clamp(Joint):
    """Point `b` of a cable stays on point `a` of a rigid body or ground, and its tangent along `axis`.

    `axis` is a direction in the frame of a's body; by default that of the cable at the start. The cable may stretch at
    the clamp.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, -9.81))
    >>> wire = s.cable("wire", length=0.5, elements=2, section=fm.Section.circle(2e-3), material=fm.material("steel"))
    >>> clamp = s.add(fm.Clamp("clamp", s.ground.at(0.0, 0.0), wire["start"]))
    >>> round(1e3 * float(fm.static(s)["wire.end.y"][-1]), 2)  # mm; w l**4 / (8 EI) is 2.91
    -2.91
    """

    dimensions: ClassVar[tuple] = (2, 3)

    axis: tuple = None

    def __post_init__(self):
        body, cable = (getattr(end, "body", None) for end in (self.a, self.b))
        if body is None or cable is None:
            return  # refused by `System.add`, which knows what is needed
        if not hasattr(cable, "slope") or hasattr(body, "slope"):
            raise ModelError(f"clamp '{self.name}' needs a point of a rigid body or ground as a, and of a cable as b", element=self.name)
        axis = _in_frame(body, cable.at_start(self.b, 1)) if self.axis is None else self.axis
        object.__setattr__(self, "axis", unit_vector(f"clamp '{self.name}'", "axis", axis, body.dimension))

    def parameters(self):
        """Components of the axis; in space two directions at right angles to it as well."""
        if not self.spatial:
            return axis_parameters("axis", self.axis)
        first, second = triad(self.axis)
        return axis_parameters("axis", self.axis) | axis_parameters("n1", first) | axis_parameters("n2", second)

    def rows(self, equations):
        """Two lengths and one angle; in space three and two."""
        slope = equations.slope(self.b)
        axis = node_axis(equations, self, self.a.body, "axis")
        branch = dot(axis, slope)
        if self.spatial:
            across = [dot(node_axis(equations, self, self.a.body, key), slope) for key in ("n1", "n2")]
        else:
            across = [cross(axis, slope)]
        return [*coincident(equations, self), *(Row(x, "angle", f"{self.name}.tilt{k}", branch) for k, x in enumerate(across, 1))]


def _in_frame(body, slope):
    """A direction of the inertial frame in a body's frame at the start."""
    if body.dimension == 3:
        return at_start(None, body, slope)
    angle = getattr(body, "angle", 0.0)
    (x, y), c, s = slope, np.cos(angle), np.sin(angle)
    return c * x + s * y, c * y - s * x
