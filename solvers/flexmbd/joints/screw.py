"""Screw joint: a nut on a spindle."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexmbd.errors import ModelError, check_number
from flexmbd.frames import aligned_with, in_inertial, node_axis
from flexmbd.joints.spatial import Cylindrical
from flexmbd.language.node_row import free_row
from flexmbd.language.quadratic import Row, dot
from flexmbd.space import axis_parameters, triad


@dataclass(frozen=True, eq=False)
class Screw(Cylindrical):
    """Point `b` slides on the line through `a` along `axis`, and b's body turns about it by one turn for each `lead`, from the start on.

    The row is the sine of the angle that is missing, ``sin(f - 2 pi (s - s0)/lead) = 0``: it holds over any number of turns.

    Parameters
    ----------
    a, b : Point
    axis, axis_b : tuple
        Direction in a's and, if they do not agree at the start, in b's body.
    lead : float or ndarray
        Way of b along the axis for one turn of b about it, m; above zero for a right-handed thread, below for a left-handed one.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, 0.0, 0.0))
    >>> nut = s.body("nut", mass=1.0, inertia=(1e-3, 1e-3, 1e-3))
    >>> thread = s.add(fm.Screw("thread", s.ground.at(0.0, 0.0, 0.0), nut.centre, axis=(1.0, 0.0, 0.0), lead=0.01))
    >>> e = fm.Equations(s)
    >>> e.n - e.count  # 10 mm a turn
    1
    """

    dimensions: ClassVar[tuple] = (3,)

    lead: object = None

    def __post_init__(self):
        super().__post_init__()
        owner = f"joint '{self.name}'"
        object.__setattr__(self, "lead", check_number(owner, "lead", self.lead))
        if np.any(np.equal(self.lead, 0.0)):
            raise ModelError(
                f"{owner}: lead is {self.lead!r}; it must not be zero", element=self.name, remedy="without a lead it is Revolute"
            )

    def parameters(self):
        """Axes; on b the direction that is n1 of a at the start; place on the axis at the start, and angle for each metre."""
        other = aligned_with(self.a.body, self.b.body, triad(self.axis)[0], self.axis_b)
        between = [q - p for p, q in zip(*(end.body.at_start(end) for end in (self.a, self.b)), strict=True)]
        numbers = {"start": dot(in_inertial(self.a.body, self.axis), between), "pace": 2.0 * np.pi / self.lead}
        return super().parameters() | axis_parameters("m1", other) | numbers

    def rows(self, equations):
        """Those of a cylindrical joint, and one angle."""
        axis, n1, n2 = (node_axis(equations, self, self.a.body, key) for key in ("axis", "n1", "n2"))
        other, (way,) = node_axis(equations, self, self.b.body, "m1"), equations.values((dot(axis, equations.between(self.a, self.b)),))
        sine, cosine = equations.sincos(equations.number(self, "pace") * (way - equations.number(self, "start")))
        x, y = dot(n1, other), dot(n2, other)
        thread = Row(y * cosine - x * sine, "angle", f"{self.name}.thread", x * cosine + y * sine)
        return [*super().rows(equations), free_row(equations, thread)]

    def outputs(self, equations):
        """Force of the thread on b along the axis, and its torque on b about it."""

        def thread():
            return equations.multipliers[equations.owner[self.name] + 4]

        return {
            f"{self.name}.thrust": (lambda: thread() * equations.number(self, "pace"), "N"),
            f"{self.name}.torque": (lambda: -thread(), "N m"),
        }
