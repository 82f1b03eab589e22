"""Ideal joints: a few rows of the quadratic constraint table each."""

from dataclasses import dataclass

from flexmbd.errors import unit_vector
from flexmbd.linalg.quadratic import Row, cross, dot


class Joint:
    """Base of what writes constraint rows: `name`, points `a` and `b`, `leaves`, `rows`."""

    def leaves(self):
        """Numbers of the joint by key."""
        return {}

    def structure(self):
        """What of the joint decides the topology besides its bodies."""
        return ()


@dataclass(frozen=True, eq=False)
class Revolute(Joint):
    """Point `a` of one body stays on point `b` of another (planar pin)."""

    name: str
    a: object
    b: object

    def rows(self, build):
        """Two lengths: the components of a - b."""
        (ax, ay), (bx, by) = build.place(self.a), build.place(self.b)
        return [Row(ax - bx, "length", f"{self.name}.x"), Row(ay - by, "length", f"{self.name}.y")]


@dataclass(frozen=True, eq=False)
class RevoluteTranslational(Joint):
    """Point `b` stays on the line through point `a` along `axis` (direction in a's body); b's body turns freely."""

    name: str
    a: object
    b: object
    axis: tuple = (1.0, 0.0)

    def __post_init__(self):
        object.__setattr__(self, "axis", unit_vector(f"joint '{self.name}'", "axis", self.axis))

    def leaves(self):
        """Components of the axis."""
        return {"axis.x": self.axis[0], "axis.y": self.axis[1]}

    def rows(self, build):
        """One length: the distance of b from the line."""
        along = build.direction(self.a.body, build.number(self, "axis.x"), build.number(self, "axis.y"))
        (ax, ay), (bx, by) = build.place(self.a), build.place(self.b)
        return [Row(cross(along, (bx - ax, by - ay)), "length", f"{self.name}.offset")]


def _turn_row(build, joint):
    """cross(R(angle) u_a, u_b) = 0: relative orientation fixed."""
    sine, cosine = build.sincos(build.number(joint, "angle"))
    return turn_row(build, joint, sine, cosine)


def turn_row(build, joint, sine, cosine):
    """Row that turns b's frame by an angle, given by its sine and cosine, against a's."""
    (ax, ay), ub = build.axis(joint.a.body), build.axis(joint.b.body)
    turned = (ax * cosine - ay * sine, ax * sine + ay * cosine)
    return Row(cross(turned, ub), "angle", f"{joint.name}.angle", dot(turned, ub))


@dataclass(frozen=True, eq=False)
class Translational(Joint):
    """Point `b` slides on the line through `a` along `axis` (direction in a's body); b's body does not turn against a's.

    `angle` is the fixed angle of b's frame against a's, in rad.
    """

    name: str
    a: object
    b: object
    axis: tuple = (1.0, 0.0)
    angle: object = 0.0

    def __post_init__(self):
        object.__setattr__(self, "axis", unit_vector(f"joint '{self.name}'", "axis", self.axis))

    def leaves(self):
        """Axis and angle."""
        return {"axis.x": self.axis[0], "axis.y": self.axis[1], "angle": self.angle}

    def rows(self, build):
        """One length and one angle."""
        return [*RevoluteTranslational.rows(self, build), _turn_row(build, self)]


@dataclass(frozen=True, eq=False)
class Fixed(Joint):
    """Point `b` stays on point `a` and the bodies do not turn against each other; `angle` of b's frame against a's in rad."""

    name: str
    a: object
    b: object
    angle: object = 0.0

    def leaves(self):
        """The angle."""
        return {"angle": self.angle}

    def rows(self, build):
        """Two lengths and one angle."""
        return [*Revolute.rows(self, build), _turn_row(build, self)]
