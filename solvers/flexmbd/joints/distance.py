"""Distance joint: a rigid rod without mass between two points."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexmbd.errors import ModelError, check_number
from flexmbd.joints.ideal import Joint
from flexmbd.language.quadratic import Row, dot


@dataclass(frozen=True, eq=False)
class Distance(Joint):
    """The distance from point `a` to point `b` stays `length` (m): a rigid rod without mass, hinged at both ends.

    Points of rigid bodies, point masses, cables, beams and ground. Without a `length` it is that of the guess of the start.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, -9.81))
    >>> bob = s.point_mass("bob", mass=0.5, position=(0.0, -2.0))
    >>> rod = s.add(fm.Distance("rod", s.ground.at(0.0, 0.0), bob.centre))
    >>> round(float(abs(fm.static(s)["rod.force"][-1])), 3)  # N, its weight
    4.905
    """

    dimensions: ClassVar[tuple] = (2, 3)

    length: object = None

    def __post_init__(self):
        bodies = [getattr(end, "body", None) for end in (self.a, self.b)]
        if any(not hasattr(body, "at_start") for body in bodies) or bodies[0].dimension != bodies[1].dimension:
            return  # refused by `System.add`, which knows what is needed
        owner, remedy = f"distance joint '{self.name}'", "give a length, or let the points coincide by Revolute or Spherical"
        length = self.length
        if length is None:
            a, b = (body.at_start(end) for body, end in zip(bodies, (self.a, self.b), strict=True))
            length = np.sqrt(sum((x - y) ** 2 for x, y in zip(a, b, strict=True)))
            if not np.all(length > 0.0):
                raise ModelError(f"{owner} has no length: its points lie at the same place at the start", element=self.name, remedy=remedy)
        object.__setattr__(self, "length", check_number(owner, "length", length, positive=True))

    def parameters(self):
        """The length."""
        return {"length": self.length}

    def rows(self, equations):
        """``(|b - a|² - length²)/2 = 0``"""
        d, length = equations.between(self.a, self.b), equations.number(self, "length")
        return [Row((dot(d, d) - length * length) * 0.5, "length", f"{self.name}.distance", size=length)]

    def outputs(self, equations):
        """Force in the rod, tension positive: the multiplier of the row, whose gradient is as long as the rod."""
        return {
            f"{self.name}.tension": (lambda: equations.multipliers[equations.owner[self.name]] * equations.number(self, "length"), "N"),
        }
