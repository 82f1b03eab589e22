"""Sliding joint: a point of a body on a cable, along which it slides."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexmbd.errors import ModelError, check_number
from flexmbd.joints.ideal import Joint
from flexmbd.language.node_row import NodeRow
from flexmbd.language.quadratic import Row
from flexmbd.space import AXES

NEAR = 1e-3  # of a cable's length: so close to its end a run has ended there


@dataclass(frozen=True, eq=False)
class SlidingJoint(Joint):
    """Point `b` of a body slides without friction along the cable on which point `a` lies, and begins there.

    ``rb - r(s, q) = 0``, where the arc length s of the undeformed cable is a coordinate without mass: its equation, ``l.r'(s) = 0``, says
    that the force l is across the cable (Sugiyama, Escalona and Shabana 2003, Nonlinear Dyn. 31, 167-195).  The body turns freely about b.
    The cable's curvature jumps from element to element, and so does the force on what slides over a node.  A run ends at the cable's ends.

    Parameters
    ----------
    a : Point
        Of a cable: where b is at the start, a guess.
    b : Point
        Of a rigid body, a point mass, or ground.
    start : float or ndarray, optional
        Arc length in m at which b is at the start, a guess, in place of that of a; samples may begin on different elements.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, -9.81))
    >>> wire = s.cable("wire", length=1.0, elements=2, section=fm.Section.circle(2e-3), material=fm.material("steel"))
    >>> clamp = s.add(fm.Clamp("clamp", s.ground.at(0.0, 0.0), wire["start"]))
    >>> bead = s.point_mass("bead", mass=0.1, position=(0.4, 0.0))
    >>> hole = s.add(fm.SlidingJoint("hole", wire.at(0.4), bead.centre))
    >>> sorted(name for name in fm.output_units(s) if name.startswith("hole."))
    ['hole.force', 'hole.fx', 'hole.fy', 'hole.moment', 'hole.room', 'hole.s', 'hole.vs']
    """

    dimensions: ClassVar[tuple] = (2, 3)

    start: object = None

    def __post_init__(self):
        line, body = (getattr(end, "body", None) for end in (self.a, self.b))
        if line is None or body is None:
            return  # refused by `System.add`, which knows what is needed
        if not hasattr(line, "place_at") or hasattr(body, "slope") or body.dimension != line.dimension:
            remedy = "beams have a kink in their axis between elements, over which nothing can slide"
            told = f"sliding joint '{self.name}' needs a point of a cable as a, and of a rigid body, point mass or ground as b"
            raise ModelError(told, element=self.name, remedy=remedy)
        start = self.a.at[0] if self.start is None else check_number(f"sliding joint '{self.name}'", "start", self.start)
        if not np.all(np.less_equal(0.0, start) & np.less_equal(start, line.length)):
            told = f"sliding joint '{self.name}': start is {start!r}; it must be from 0 to the cable's length {line.length!r}"
            raise ModelError(told, element=self.name)
        object.__setattr__(self, "start", start)

    def own_coordinates(self):
        """The arc length, that of the start."""
        return {"arc_length": self.start}

    def _coordinate(self, equations):
        """Number of the arc length among the coordinates."""
        return equations.first[f"{self.name}.arc_length"]

    def rows(self, equations):
        """One length for each axis."""
        line, place = self.a.body.place_at(equations, equations.q[self._coordinate(equations)]), equations.values(equations.place(self.b))
        return [Row(NodeRow(equations, p - r), "length", f"{self.name}.{axis}") for axis, p, r in zip(AXES, place, line, strict=False)]

    @property
    def failure_indicator(self):
        """Output by which `failure_message` knows why a run failed."""
        return f"{self.name}.room:min"

    def failure_message(self, room):
        """Sentence on a run that failed, by the least way to the cable's ends over its length; empty if that was not the reason."""
        return f"sliding joint '{self.name}' came to the end of cable '{self.a.body.name}'" if room < NEAR else ""

    def outputs(self, equations):
        """Arc length and its rate; the way to the nearer end of the cable, by its length."""
        g = equations.graph

        def room():
            s = equations.q[self._coordinate(equations)] / equations.number(self.a.body, "length")
            return g.select(g.greater(s, 0.5), 1.0 - s, s)

        return {
            f"{self.name}.s": (lambda: equations.q[self._coordinate(equations)], "m"),
            f"{self.name}.vs": (lambda: equations.v[self._coordinate(equations)], "m/s"),
            f"{self.name}.room": (room, "1"),
        }
