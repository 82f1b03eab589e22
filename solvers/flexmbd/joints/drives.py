"""Drives: constraint rows that depend on time."""

from dataclasses import dataclass
from typing import ClassVar

from flexmbd.errors import ModelError, check_number, unit_vector
from flexmbd.frames import node_axis
from flexmbd.joints.ideal import Joint
from flexmbd.language.quadratic import Row, dot
from flexmbd.motion import Polynomial, as_motion, unit_in
from flexmbd.space import axis_parameters, triad
from flexmbd.table import cornered


@dataclass(frozen=True, eq=False)
class Drive(Joint):
    """Base of drives: one row, driven by `motion`."""

    moves: ClassVar[str] = "m"

    motion: object

    def parameters(self):
        """Numbers of the motion."""
        return {f"motion.{k}": x for k, x in as_motion(self.motion).parameters().items()}

    def unit(self, key):
        """Of numbers of its motion, by what moves."""
        head, _, own = key.partition(".")
        return unit_in(self.moves, own) if head == "motion" else None

    def topology_key(self):
        """Kind of the motion."""
        return as_motion(self.motion).topology_key()

    def target(self, equations):
        """Node of the prescribed value."""
        if cornered(as_motion(self.motion)):
            told = f"drive '{self.name}': motion is a table of straight lines, at whose corners the velocity jumps, or is switched"
            raise ModelError(told, remedy="take kind 'cubic', 'natural' or 'periodic', and no Switched motion")
        return as_motion(self.motion).node(equations, lambda key: equations.number(self, f"motion.{key}"))


@dataclass(frozen=True, eq=False)
class AngleDrive(Drive):
    """The angle of b's body against a's follows `motion` (rad over s).

    In space the angle is about `axis` (in the frame of a's body); the frames of both bodies coincide at zero.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, -10.0))
    >>> arm = s.body("arm", mass=2.0, inertia=0.5, position=(1.0, 0.0), points={"O": (-1.0, 0.0)})
    >>> pivot = s.ground.at(0.0, 0.0)
    >>> pin = s.add(fm.Revolute("pin", pivot, arm["O"]))
    >>> drive = s.add(fm.AngleDrive("drive", pivot, arm["O"], fm.ConstantSpeed(3.0)))
    >>> round(float(fm.inverse_dynamics(s, end=1.0, points=11, outputs=["drive.moment"])["drive.moment"][0]), 6)  # N m: m g l
    20.0
    """

    dimensions: ClassVar[tuple] = (2, 3)
    moves: ClassVar[str] = "rad"

    axis: tuple = None

    def __post_init__(self):
        if self.spatial:
            owner = f"drive '{self.name}'"
            if self.axis is None:
                raise ModelError(f"{owner} needs an axis in space: three numbers in the frame of a's body", element=self.name)
            object.__setattr__(self, "axis", unit_vector(owner, "axis", self.axis, 3))

    def parameters(self):
        """The motion; in space two directions at right angles to the axis."""
        if not self.spatial:
            return super().parameters()
        first, second = triad(self.axis)
        return axis_parameters("n1", first) | axis_parameters("n2", second) | super().parameters()

    def rows(self, equations):
        """cross(R(motion) u_a, u_b) = 0, for a direction u at right angles to the axis"""
        if not self.spatial:
            return [equations.turn(self, self.target(equations))]
        sine, cosine = equations.sincos(self.target(equations))
        n1, n2 = (node_axis(equations, self, self.a.body, key) for key in ("n1", "n2"))
        other = node_axis(equations, self, self.b.body, "n1")
        along = [x * cosine + y * sine for x, y in zip(n1, n2, strict=True)]
        across = [y * cosine - x * sine for x, y in zip(n1, n2, strict=True)]
        return [Row(dot(across, other), "angle", f"{self.name}.angle", dot(along, other))]


@dataclass(frozen=True, eq=False)
class DistanceDrive(Drive):
    """The distance from point `a` to point `b` follows `motion` (m over s, greater than zero).

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, -10.0))
    >>> load = s.point_mass("load", mass=2.0, position=(0.0, -1.0))
    >>> rail = s.add(fm.DistanceDrive("hoist", s.ground.at(0.0, 0.0), load.centre, fm.Polynomial((1.0, 0.0, 0.5))))
    >>> sorted(name for name in fm.output_units(s) if name.startswith("hoist."))
    ['hoist.force', 'hoist.fx', 'hoist.fy', 'hoist.moment']
    """

    dimensions: ClassVar[tuple] = (2, 3)

    def __post_init__(self):
        motion = as_motion(self.motion)
        if isinstance(motion, Polynomial) and motion.coefficients:  # of other motions the start is not known here
            check_number(f"drive '{self.name}'", "motion at the start", motion.coefficients[0], positive=True)

    def rows(self, equations):
        """``(|b - a|² - motion²)/2 = 0``"""
        d, length = equations.between(self.a, self.b), self.target(equations)
        return [Row((dot(d, d) - length * length) * 0.5, "length", f"{self.name}.distance", size=length)]


@dataclass(frozen=True, eq=False)
class SlideDrive(Drive):
    """The position of point `b` along `axis` (direction in a's body) from point `a` follows `motion` (m over s).

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System()
    >>> slider = s.body("slider", mass=2.0, inertia=0.1, position=(0.5, 0.0))
    >>> rail = s.add(fm.Translational("rail", s.ground.at(0.0, 0.0), slider.centre))
    >>> drive = s.add(fm.SlideDrive("drive", s.ground.at(0.0, 0.0), slider.centre, fm.Polynomial((0.5, 0.0, 1.5))))
    >>> round(float(fm.inverse_dynamics(s, end=1.0, points=11, outputs=["drive.force"])["drive.force"][0]), 6)  # N: 2 kg at 3 m/s²
    6.0
    """

    dimensions: ClassVar[tuple] = (2, 3)

    axis: tuple = None

    def __post_init__(self):
        count = 3 if self.spatial else 2
        axis = (1.0, 0.0, 0.0)[:count] if self.axis is None else self.axis
        object.__setattr__(self, "axis", unit_vector(f"drive '{self.name}'", "axis", axis, count))

    def parameters(self):
        """Axis and motion."""
        return {**axis_parameters("axis", self.axis), **super().parameters()}

    def rows(self, equations):
        """(b - a).axis - motion = 0"""
        along = node_axis(equations, self, self.a.body, "axis")
        between = equations.between(self.a, self.b)
        return [Row(dot(along, between) - self.target(equations), "length", f"{self.name}.slide")]
