"""Ideal joints that exist only in space."""

from dataclasses import dataclass
from typing import ClassVar

from flexmbd.errors import unit_vector
from flexmbd.frames import node_axis
from flexmbd.joints.freedom import BALL, Freedom, X, Y, Z, about_axis, crossed
from flexmbd.joints.ideal import Joint, TurningJoint, coincident
from flexmbd.language.quadratic import Row, dot
from flexmbd.space import axis_parameters


@dataclass(frozen=True, eq=False)
class Spherical(Joint):
    """Point `a` of one body stays on point `b` of another; the bodies turn freely.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, 0.0, -9.81))
    >>> arm = s.body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0.0, 0.0), points={"O": (-0.5, 0.0, 0.0)})
    >>> ball = s.add(fm.Spherical("ball", s.ground.at(0.0, 0.0, 0.0), arm["O"]))
    >>> e = fm.Equations(s)
    >>> e.n - e.count
    3
    """

    dimensions: ClassVar[tuple] = (3,)
    freedom: ClassVar[dict] = {3: Freedom(turns=(BALL,))}

    def rows(self, equations):
        """Three lengths."""
        return coincident(equations, self)


@dataclass(frozen=True, eq=False)
class Universal(Joint):
    """Cardan joint: points coincide, and the axis on a's body stays at right angles to that on b's.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, 0.0, -9.81))
    >>> arm = s.body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0.0, 0.0), points={"O": (-0.5, 0.0, 0.0)})
    >>> cross = s.add(fm.Universal("cross", s.ground.at(0.0, 0.0, 0.0), arm["O"], (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))
    >>> e = fm.Equations(s)
    >>> e.n - e.count
    2
    """

    dimensions: ClassVar[tuple] = (3,)
    freedom: ClassVar[dict] = {3: Freedom(turns=(X, Y), frames=crossed)}

    axis: tuple
    axis_b: tuple

    def __post_init__(self):
        for key in ("axis", "axis_b"):
            object.__setattr__(self, key, unit_vector(f"joint '{self.name}'", key, getattr(self, key), 3))

    def parameters(self):
        """Both axes."""
        return axis_parameters("axis", self.axis) | axis_parameters("axis_b", self.axis_b)

    def rows(self, equations):
        """Three lengths and one angle."""
        right = dot(node_axis(equations, self, self.a.body, "axis"), node_axis(equations, self, self.b.body, "axis_b"))
        return [*coincident(equations, self), Row(right, "angle", f"{self.name}.cross")]


@dataclass(frozen=True, eq=False)
class Cylindrical(TurningJoint):
    """Point `b` slides on the line through `a` along `axis`, about which b's body turns.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, 0.0, -9.81))
    >>> arm = s.body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0.0, 0.0), points={"O": (-0.5, 0.0, 0.0)})
    >>> bush = s.add(fm.Cylindrical("bush", s.ground.at(0.0, 0.0, 0.0), arm["O"], axis=(1.0, 0.0, 0.0)))
    >>> e = fm.Equations(s)
    >>> e.n - e.count  # it slides and turns
    2
    """

    dimensions: ClassVar[tuple] = (3,)
    freedom: ClassVar[dict] = {3: Freedom(("axis",), (Z,), about_axis)}

    def rows(self, equations):
        """Two lengths and two angles."""
        return self.on_axis(equations) + self.aligned(equations)


@dataclass(frozen=True, eq=False)
class Planar(TurningJoint):
    """Point `b` stays in the plane through `a` at right angles to `axis`, about which b's body turns.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, 0.0, -9.81))
    >>> plate = s.body("plate", mass=1.0, inertia=(0.1, 0.1, 0.1))
    >>> table = s.add(fm.Planar("table", s.ground.at(0.0, 0.0, 0.0), plate.centre, axis=(0.0, 0.0, 1.0)))
    >>> e = fm.Equations(s)
    >>> e.n - e.count
    3
    """

    dimensions: ClassVar[tuple] = (3,)
    freedom: ClassVar[dict] = {3: Freedom(("n1", "n2"), (Z,), about_axis)}

    def rows(self, equations):
        """One length and two angles."""
        between = equations.between(self.a, self.b)
        height = dot(node_axis(equations, self, self.a.body, "axis"), between)
        return [Row(height, "length", f"{self.name}.height"), *self.aligned(equations)]
