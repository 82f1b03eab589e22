"""Translational joint with clearance: a slider (on body a) in a straight guide (on body b)."""

from dataclasses import dataclass

from flexmbd import lanes
from flexmbd.contact.clearance import ClearanceJoint
from flexmbd.contact.impenetrable import held, hold
from flexmbd.contact.pair import Contact
from flexmbd.contact.parts import Touch
from flexmbd.errors import ModelError, unit_vector
from flexmbd.language.quadratic import Row, cross, dot
from flexmbd.space import axis_parameters

CORNERS = ((-1.0, 1.0), (1.0, 1.0), (-1.0, -1.0), (1.0, -1.0))  # end, side


@dataclass(frozen=True, eq=False)
class ClearanceTranslational(ClearanceJoint, Contact):
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
    """

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
        for key in ("axis_a", "axis_b"):
            object.__setattr__(self, key, unit_vector(self.owner, key, getattr(self, key)))
        for key in "ab":
            body = getattr(getattr(self, key), "body", None)
            if body is not None and not hasattr(body, "offset"):
                message = f"{self.owner}: {key} is on '{body.name}', which has no frame; slider and guide are on rigid bodies or ground"
                raise ModelError(message, element=self.name)
        if getattr(getattr(self.a, "body", None), "dimension", None) == 2:
            self._corners()  # points of the body, before its numbers are read

    def _corners(self):
        """Points of the slider's body at its corners."""
        body, (ux, uy) = self.a.body, self.axis_a
        x, y = (p + o for p, o in zip(self.a.at, body.offset, strict=True))
        half, across = 0.5 * self.length, 0.5 * self.width
        places = [(x + e * half * ux - s * across * uy, y + e * half * uy + s * across * ux) for e, s in CORNERS]
        object.__setattr__(self, "corners", [body.at(*place, key=f"#{self.name}.{k}") for k, place in enumerate(places, 1)])

    def sizes(self):
        """Clearance, length, width and both axes."""
        axes = axis_parameters("axis_a", self.axis_a) | axis_parameters("axis_b", self.axis_b)
        return {"clearance": self.clearance, "length": self.length, "width": self.width, **axes}

    def _guide(self, build):
        """Direction of the guide, and at +90° to it, as polynomials."""
        x, y = (build.number(self, f"axis_b.{axis}") for axis in "xy")
        return build.direction(self.b.body, x, y), build.direction(self.b.body, -y, x)

    def _along(self, build):
        return build.direction(self.a.body, *(build.number(self, f"axis_a.{axis}") for axis in "xy"))

    def ideal_rows(self, build):
        """The slider lies along the guide's middle line."""
        (u, n), along = self._guide(build), self._along(build)
        offset = Row(dot(n, build.between(self.b, self.a)), "length", f"{self.name}.offset")
        return [offset, Row(cross(u, along), "angle", f"{self.name}.angle", dot(u, along))]

    def touch(self, build, nodes):
        """Forces of all corners on both bodies; their power is force times rate of penetration, and friction times slip."""
        g, (u, n) = build.graph, self._guide(build)
        (ux, uy), (nx, ny) = build.values(u), build.values(n)
        zero = g.const(0.0)
        half = 0.5 * build.number(self, "width") + build.number(self, "clearance")
        total, moment = (zero, zero), zero
        centre = build.values(build.place(self.a))
        for k, (corner, (_, side)) in enumerate(zip(self.corners, CORNERS, strict=True), 1):
            d = build.between(self.b, corner)
            height, along = dot(n, d) * side, dot(u, d) * side
            penetration, (rate, slip) = build.values((height,))[0] - half, build.rates((height, along))
            if self.impenetrable:
                nodes.touches.append(held(hold(self, build, penetration, rate, (slip,), key=f"{k}."), penetration, rate, slip, zero))
            else:
                pair, normal = self.normal_force(build, penetration, rate)
                rub = zero
                if self.frictional:
                    rub = self.friction_force(build, pair, slip, normal, f"bristle{k}")
                    build.power("contact", rub * slip)
                nodes.touches.append(Touch(pair, normal, rub, penetration, rate, slip))
            normal, rub = nodes.touches[-1].normal, nodes.touches[-1].friction
            force = tuple(-side * (normal * across + rub * axial) for across, axial in ((nx, ux), (ny, uy)))
            if not self.impenetrable:
                build.force(corner, *force)
                build.force(self.b, *(-f for f in force))
                build.torque(self.b.body, -cross(build.values(d), force))
            arm = [p - c for p, c in zip(build.values(build.place(corner)), centre, strict=True)]
            total, moment = tuple(x + f for x, f in zip(total, force, strict=True)), moment + cross(arm, force)
        nodes.forces.append(total)
        nodes.moment = moment

    def outputs(self, build):
        """Of each corner and of the whole joint; force and moment are those on the slider, about point a."""
        name, g, nodes = self.name, build.graph, build.recall(self)["nodes"]

        def all_of(node):
            return lambda: sum((node(touch.pair) for touch in nodes.touches), g.const(0.0))

        def gap():
            """Least distance of a corner from its wall."""
            deepest, *others = (touch.penetration for touch in nodes.touches)
            for x in others:
                deepest = g.select(g.greater(x, deepest), x, deepest)
            return -deepest

        def tilt():
            u, along = build.values(self._guide(build)[0]), build.values(self._along(build))
            return g.call(lanes.atan2, (cross(u, along), dot(u, along)))

        def place(k):
            return lambda: build.values((dot(self._guide(build)[k], build.between(self.b, self.a)),))[0]

        taken = {"impulse": (all_of(lambda pair: pair.impulse), "N s"), "dissipated": (all_of(lambda pair: pair.loss), "J")}
        whole = {f"{name}.{key}": value for key, value in taken.items()} if self.impenetrable else {}
        return (
            super().outputs(build)
            | whole
            | {
                f"{name}.moment": (lambda: nodes.moment, "N m"),
                f"{name}.gap": (gap, "m"),
                f"{name}.tilt": (tilt, "rad"),
                f"{name}.offset": (place(1), "m"),
                f"{name}.slide": (place(0), "m"),
                f"{name}.contact": (all_of(lambda pair: pair.closed(g)), "1"),
                f"{name}.impacts": (all_of(lambda pair: pair.count), "1"),
            }
        )
