"""Translational joint with clearance: a slider (on body a) in a straight guide (on body b)."""

from dataclasses import dataclass
from typing import ClassVar

from flexmbd import lanes
from flexmbd.contact.clearance import ClearanceJoint
from flexmbd.contact.slider import SliderContact
from flexmbd.language.quadratic import Row, cross, dot


@dataclass(frozen=True, eq=False)
class ClearanceTranslational(ClearanceJoint, SliderContact):
    """Rectangular slider between two parallel walls: four corners, each against the wall of its side (docs/theory/clearance_joints.md).

    Parameters
    ----------
    name : str
    a, b : Point
        Centre of the slider on its body, a point of the guide's middle line on its body. Both are rigid bodies, or one is ground.
    length, width : float or ndarray
        Of the slider, along and across its axis, in m.
    clearance : float or ndarray
        Gap on either side of the slider in the middle of the guide, in m: the walls are ``width + 2 clearance`` apart.
    law : NormalLaw
        Normal force of a corner's penetration; a slider that lies on a wall rests on two corners.
    friction : FrictionLaw, optional
        None is frictionless.
    axis_a, axis_b : tuple
        Direction of the slider in a's frame and of the guide in b's.
    start : str
        ``"as_given"``, or ``"centred"``: positions and velocities are assembled as if the joint were ideal.
    minimum_impact_velocity : float, optional
        Lower bound of the approach speed that the law is given, in m/s; left out it is 1e-3, or less where the mechanism is small
        (docs/theory/contact_laws.md).

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, -9.81))
    >>> slider = s.body("slider", mass=1.0, inertia=0.1)
    >>> law = fm.HuntCrossley(1e8, restitution=0.8)
    >>> guide = s.add(fm.ClearanceTranslational("guide", slider.centre, s.ground.at(0.0, 0.0), 1e-3, length=0.1, width=0.05, law=law))
    >>> fm.output_units(s)["guide.offset"], fm.output_units(s)["guide.tilt"]
    ('m', 'rad')
    """

    signs: ClassVar[tuple] = (-1.0, 1.0), (1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)
    summed: ClassVar[tuple] = "contact", "impacts", "impulse", "dissipated"

    name: str
    a: object
    b: object
    clearance: object
    length: object
    width: object
    law: object
    friction: object = None
    axis_a: tuple = (1.0, 0.0)
    axis_b: tuple = (1.0, 0.0)
    start: str = "as_given"
    minimum_impact_velocity: object = None

    def __post_init__(self):
        self.check("clearance", "length", "width")
        self.check_axes()
        self.place_corners(self.width)

    def sizes(self):
        """Clearance, length, width and both axes."""
        return {"clearance": self.clearance, "length": self.length, "width": self.width, **super().sizes()}

    def _along(self, equations):
        return equations.direction(self.a.body, *(equations.number(self, f"axis_a.{axis}") for axis in "xy"))

    def ideal_rows(self, equations):
        """The slider lies along the guide's middle line."""
        (u, n), along = self.guide(equations), self._along(equations)
        offset = Row(dot(n, equations.between(self.b, self.a)), "length", f"{self.name}.offset")
        return [offset, Row(cross(u, along), "angle", f"{self.name}.angle", dot(u, along))]

    def half_gap(self, equations):
        """Of a corner's wall from the middle."""
        return 0.5 * equations.number(self, "width") + equations.number(self, "clearance")

    def outputs(self, equations):
        """Of each corner and of the whole joint; force and moment are those on the slider, about point a."""
        name, g, nodes = self.name, equations.graph, equations.nodes_of(self)["nodes"]

        def gap():
            """Least distance of a corner from its wall."""
            deepest, *others = (touch.point.penetration for touch in nodes.touches)
            for x in others:
                deepest = g.select(g.greater(x, deepest), x, deepest)
            return -deepest

        def tilt():
            u, along = equations.values(self.guide(equations)[0]), equations.values(self._along(equations))
            return g.call(lanes.atan2, (cross(u, along), dot(u, along)))

        def place(k):
            return lambda: equations.values((dot(self.guide(equations)[k], equations.between(self.b, self.a)),))[0]

        return super().outputs(equations) | {
            f"{name}.gap": (gap, "m"),
            f"{name}.tilt": (tilt, "rad"),
            f"{name}.offset": (place(1), "m"),
            f"{name}.slide": (place(0), "m"),
        }
