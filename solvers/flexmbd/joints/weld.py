"""Weld: a section of a beam held by a rigid body or ground."""

from dataclasses import dataclass
from typing import ClassVar

from flexmbd.errors import ModelError
from flexmbd.joints.frames import at_start, node_axis
from flexmbd.joints.ideal import Joint, coincident
from flexmbd.linalg.quadratic import Row, dot
from flexmbd.space import axis_leaves


@dataclass(frozen=True, eq=False)
class Weld(Joint):
    """Point `a` of a rigid body or ground stays on point `b` of a beam, and the beam's section there turns with a's body.

    With the axes X, Y, Z of a's body along which the section's frame lies at the start, and the section's gradients a, b: ``X.a = X.b = 0``
    and ``Y.b = Z.a``, the twist that both have in common, so that torsion does not strain the section.
    """

    dimensions: ClassVar[tuple] = (3,)

    name: str
    a: object
    b: object

    def __post_init__(self):
        body, beam = (getattr(end, "body", None) for end in (self.a, self.b))
        if body is None or beam is None:
            return  # refused by `System.add`, which knows what is needed
        if not hasattr(beam, "beam") or not hasattr(body, "direction") or hasattr(body, "beam"):
            raise ModelError(f"weld '{self.name}' needs a point of a rigid body or ground as a, and of a beam as b", element=self.name)

    def leaves(self):
        """Axes of the section at the start, in a's body."""
        out = {}
        for k, key in enumerate("XYZ"):
            out |= axis_leaves(key, at_start(self.b.body, self.a.body, [1.0 * (i == k) for i in range(3)]))
        return out

    def rows(self, build):
        """Three lengths and three angles."""
        x, y, z = (node_axis(build, self, self.a.body, key) for key in "XYZ")
        a, b = (build.direction(self.b.body, *unit) for unit in ((0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))
        facing = dot(y, a), dot(z, b)
        rows = Row(dot(x, a), "angle", f"{self.name}.turn3", facing[0]), Row(dot(x, b), "angle", f"{self.name}.turn2", facing[1])
        return [*coincident(build, self), *rows, Row((dot(y, b) - dot(z, a)) * 0.5, "angle", f"{self.name}.turn1", facing[0])]
