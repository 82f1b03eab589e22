"""Drives: constraint rows that depend on time."""

from dataclasses import dataclass

from flexmbd.errors import unit_vector
from flexmbd.joints.ideal import Joint, turn_row
from flexmbd.linalg.quadratic import Row, dot
from flexmbd.motion import as_motion


class Drive(Joint):
    """Base of drives: one row, driven by `motion`."""

    def leaves(self):
        """Numbers of the motion."""
        return {f"motion.{k}": x for k, x in as_motion(self.motion).leaves().items()}

    def structure(self):
        """Kind of the motion."""
        return as_motion(self.motion).structure()

    def target(self, build):
        """Node of the prescribed value."""
        return as_motion(self.motion).node(build, lambda key: build.number(self, f"motion.{key}"))


@dataclass(frozen=True, eq=False)
class AngleDrive(Drive):
    """The angle of b's body against a's follows `motion` (rad over s)."""

    name: str
    a: object
    b: object
    motion: object

    def rows(self, build):
        """cross(R(motion) u_a, u_b) = 0"""
        return [turn_row(build, self, *build.sincos(self.target(build)))]


@dataclass(frozen=True, eq=False)
class DistanceDrive(Drive):
    """The distance from point `a` to point `b` follows `motion` (m over s, greater than zero)."""

    name: str
    a: object
    b: object
    motion: object

    def rows(self, build):
        """(|b - a|² - motion²)/2 = 0"""
        (ax, ay), (bx, by) = build.place(self.a), build.place(self.b)
        d, length = (bx - ax, by - ay), self.target(build)
        return [Row((dot(d, d) - length * length) * 0.5, "length", f"{self.name}.distance")]


@dataclass(frozen=True, eq=False)
class SlideDrive(Drive):
    """The position of point `b` along `axis` (direction in a's body) from point `a` follows `motion` (m over s)."""

    name: str
    a: object
    b: object
    motion: object
    axis: tuple = (1.0, 0.0)

    def __post_init__(self):
        object.__setattr__(self, "axis", unit_vector(f"drive '{self.name}'", "axis", self.axis))

    def leaves(self):
        """Axis and motion."""
        return {"axis.x": self.axis[0], "axis.y": self.axis[1], **super().leaves()}

    def rows(self, build):
        """(b - a).axis - motion = 0"""
        along = build.direction(self.a.body, build.number(self, "axis.x"), build.number(self, "axis.y"))
        (ax, ay), (bx, by) = build.place(self.a), build.place(self.b)
        return [Row(dot(along, (bx - ax, by - ay)) - self.target(build), "length", f"{self.name}.slide")]
