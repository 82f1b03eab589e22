"""Ideal joints: a few rows of the quadratic constraint table each, in the plane and, where it makes sense, in space."""

from dataclasses import dataclass
from typing import ClassVar

from flexmbd.element import Element
from flexmbd.errors import ModelError, unit_vector
from flexmbd.frames import at_start, node_axis
from flexmbd.joints.freedom import Freedom, Z, about_axis, as_at_start
from flexmbd.language.quadratic import Row, cross, dot
from flexmbd.space import AXES, axis_parameters, is_spatial, triad


@dataclass(frozen=True, eq=False)
class Joint(Element):
    """Base of what writes constraint rows between points `a` and `b`.

    Attributes
    ----------
    freedom : mapping of int to Freedom
        How bodies move that it holds, by the dimension of the system; of a class alone, not of those made from it, which may hold more.
        In joints' coordinates it has rows where it says none.
    """

    reacts: ClassVar[bool] = True
    freedom: ClassVar[dict] = {}

    name: str
    a: object
    b: object

    @property
    def spatial(self):
        """True if the joint is between points in space."""
        return is_spatial(self.a)


def coincident(equations, joint):
    """One length for each axis: the components of a - b."""
    pairs = zip(AXES, equations.place(joint.a), equations.place(joint.b), strict=False)
    return [Row(p - q, "length", f"{joint.name}.{axis}") for axis, p, q in pairs]


class AxisJoint(Joint):
    """Base of joints with an axis: `axis` in a's body; in space `axis_b` in b's body, by default the same direction at the start.

    Both are fields of the subclasses.
    """

    def __post_init__(self):
        owner = f"joint '{self.name}'"
        if not self.spatial:
            if self.axis is not None:
                object.__setattr__(self, "axis", unit_vector(owner, "axis", self.axis))
            return
        if self.axis is None:
            raise ModelError(f"{owner} needs an axis in space: three numbers in the frame of a's body", element=self.name)
        axis = unit_vector(owner, "axis", self.axis, 3)
        object.__setattr__(self, "axis", axis)
        other = at_start(self.a.body, self.b.body, axis) if self.axis_b is None else self.axis_b
        object.__setattr__(self, "axis_b", unit_vector(owner, "axis_b", other, 3))

    def parameters(self):
        """Components of the axis; in space of the whole triad on a, and of the axis on b."""
        if self.axis is None:
            return {}
        if not self.spatial:
            return axis_parameters("axis", self.axis)
        first, second = triad(self.axis)
        axes = {"axis": self.axis, "n1": first, "n2": second, "axis_b": self.axis_b}
        return {name: x for key, axis in axes.items() for name, x in axis_parameters(key, axis).items()}

    def aligned(self, equations):
        """Two angles: b's axis stays along a's."""
        axis, n1, n2 = (node_axis(equations, self, self.a.body, key) for key in ("axis", "n1", "n2"))
        other = node_axis(equations, self, self.b.body, "axis_b")
        branch = dot(axis, other)
        return [Row(dot(n, other), "angle", f"{self.name}.tilt{k}", branch) for k, n in ((1, n1), (2, n2))]

    def on_axis(self, equations):
        """Two lengths: b stays on the line through a along the axis."""
        between = equations.between(self.a, self.b)
        keys = ("n1", "n2")
        return [Row(dot(node_axis(equations, self, self.a.body, key), between), "length", f"{self.name}.offset{key[1]}") for key in keys]


@dataclass(frozen=True, eq=False)
class TurningJoint(AxisJoint):
    """Base of joints that let b's body turn about the axis."""

    axis: tuple = None
    axis_b: tuple = None


@dataclass(frozen=True, eq=False)
class Revolute(TurningJoint):
    """Point `a` of one body stays on point `b` of another; in space both bodies also keep one axis in common.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, -9.81))
    >>> rod = s.body("rod", mass=1.0, inertia=1 / 12, position=(0.0, -0.5), points={"O": (0.0, 0.5)})
    >>> pin = s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), rod["O"]))
    >>> round(float(fm.modes(s).frequencies[0]), 4)  # rad/s; (1.5 g / l)**0.5
    3.836
    """

    dimensions: ClassVar[tuple] = (2, 3)
    freedom: ClassVar[dict] = {2: Freedom(turns=(Z,)), 3: Freedom(turns=(Z,), frames=about_axis)}

    def rows(self, equations):
        """Two lengths; in space three lengths and two angles."""
        return coincident(equations, self) + (self.aligned(equations) if self.spatial else [])


@dataclass(frozen=True, eq=False)
class RevoluteTranslational(Joint):
    """Point `b` stays on the line through point `a` along `axis` (direction in a's body); b's body turns freely.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, -9.81))
    >>> link = s.body("link", mass=1.0, inertia=0.1, position=(0.5, 0.0), points={"E": (0.5, 0.0)})
    >>> slot = s.add(fm.RevoluteTranslational("slot", s.ground.at(0.0, 0.0), link["E"], axis=(1.0, 0.0)))
    >>> e = fm.Equations(s)
    >>> e.n - e.count  # it slides and turns
    2
    """

    freedom: ClassVar[dict] = {2: Freedom(("axis",), (Z,))}

    axis: tuple = (1.0, 0.0)

    def __post_init__(self):
        object.__setattr__(self, "axis", unit_vector(f"joint '{self.name}'", "axis", self.axis))

    def parameters(self):
        """Components of the axis."""
        return axis_parameters("axis", self.axis)

    def rows(self, equations):
        """One length: the distance of b from the line."""
        along = node_axis(equations, self, self.a.body, "axis")
        between = equations.between(self.a, self.b)
        return [Row(cross(along, between), "length", f"{self.name}.offset")]


def _turn_row(equations, joint):
    """cross(R(angle) u_a, u_b) = 0: relative orientation fixed."""
    sine, cosine = equations.sincos(equations.number(joint, "angle"))
    return turn_row(equations, joint, sine, cosine)


def turn_row(equations, joint, sine, cosine):
    """Row that turns b's frame by an angle, given by its sine and cosine, against a's."""
    (ax, ay), ub = equations.direction(joint.a.body, 1.0, 0.0), equations.direction(joint.b.body, 1.0, 0.0)
    turned = (ax * cosine - ay * sine, ax * sine + ay * cosine)
    return Row(cross(turned, ub), "angle", f"{joint.name}.angle", dot(turned, ub))


def holding(joint):
    """The body whose frame is held, b's or a section of a beam, and the body that holds it."""
    a, b = joint.a.body, joint.b.body
    if hasattr(a, "beam") and hasattr(b, "beam"):
        remedy = "put a rigid body between them"
        raise ModelError(f"'{joint.name}' holds two sections of beams to each other", element=joint.name, remedy=remedy)
    return (a, b) if hasattr(a, "beam") else (b, a)


def locked(equations, joint):
    """Three angles: one body's frame stays in the other's as it was at the start.

    With its second and third axes a, b, which for a section of a beam are the gradients, and the axes X, Y, Z of the other body along the
    frame: ``X.a = X.b = 0`` and ``Y.b = Z.a``, in which a and b have equal shares, so that torsion does not strain a section.
    """
    held, holder = holding(joint)
    x, y, z = (node_axis(equations, joint, holder, key) for key in "XYZ")
    a, b = (equations.direction(held, *unit) for unit in ((0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))
    angles = (dot(y, b) - dot(z, a)) * 0.5, dot(x, b), dot(x, a)
    branch = dot(y, a), dot(z, b), dot(y, a)
    return [Row(angle, "angle", f"{joint.name}.turn{k}", f) for k, (angle, f) in enumerate(zip(angles, branch, strict=True), 1)]


def frame_leaves(joint):
    """Axes of the frame that is held, at the start, in the body that holds it."""
    units = [tuple(1.0 * (i == k) for i in range(3)) for k in range(3)]
    axes = {key: at_start(*holding(joint), unit) for key, unit in zip("XYZ", units, strict=True)}
    return {name: x for key, axis in axes.items() for name, x in axis_parameters(key, axis).items()}


@dataclass(frozen=True, eq=False)
class Translational(AxisJoint):
    """Point `b` slides on the line through `a` along `axis` (direction in a's body); b's body does not turn against a's.

    `angle` is the fixed angle of b's frame against a's in the plane, in rad; in space the bodies keep the orientation to each other
    that they have at the start.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, -9.81))
    >>> slider = s.body("slider", mass=1.0, inertia=0.1, position=(0.6, 0.0))
    >>> rail = s.add(fm.Translational("rail", s.ground.at(0.0, 0.0), slider.centre, axis=(1.0, 0.0)))
    >>> e = fm.Equations(s)
    >>> e.n - e.count  # it slides
    1
    """

    dimensions: ClassVar[tuple] = (2, 3)
    freedom: ClassVar[dict] = {2: Freedom(("axis",), turned="angle"), 3: Freedom(("axis",), frames=as_at_start)}

    axis: tuple = None
    angle: object = 0.0
    axis_b: tuple = None

    def __post_init__(self):
        if self.axis is None and not self.spatial:
            object.__setattr__(self, "axis", (1.0, 0.0))
        super().__post_init__()

    def parameters(self):
        """Axis and angle; in space the frames."""
        return super().parameters() | (frame_leaves(self) if self.spatial else {"angle": self.angle})

    def rows(self, equations):
        """One length and one angle; in space two lengths and three angles."""
        if self.spatial:
            return self.on_axis(equations) + locked(equations, self)
        return [*RevoluteTranslational.rows(self, equations), _turn_row(equations, self)]


@dataclass(frozen=True, eq=False)
class Fixed(Joint):
    """Point `b` stays on point `a` and the bodies do not turn against each other; one of them may be a section of a beam.

    `angle` of b's frame against a's in rad (planar systems); in space the orientation is that of the start.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, -9.81))
    >>> arm = s.body("arm", mass=2.0, inertia=0.1, position=(0.5, 0.0), points={"O": (-0.5, 0.0)})
    >>> weld = s.add(fm.Fixed("weld", s.ground.at(0.0, 0.0), arm["O"]))
    >>> found = fm.static(s)
    >>> round(float(abs(found["weld.moment"][-1])), 3)  # N m: the weight on its lever
    9.81
    """

    dimensions: ClassVar[tuple] = (2, 3)
    freedom: ClassVar[dict] = {2: Freedom(turned="angle"), 3: Freedom(frames=as_at_start)}

    angle: object = 0.0

    def parameters(self):
        """The angle; in space the frames."""
        return frame_leaves(self) if self.spatial else {"angle": self.angle}

    def rows(self, equations):
        """Two lengths and one angle; in space three of each."""
        return coincident(equations, self) + (locked(equations, self) if self.spatial else [_turn_row(equations, self)])
