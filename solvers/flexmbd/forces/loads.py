"""Loads given as numbers or functions of time: point forces, torques, gravity."""

from dataclasses import dataclass
from typing import ClassVar

from flexmbd.motion import as_motion


class Force:
    """Base of force elements: `name`, `leaves`, `structure`, `apply(build)`, `outputs(build)`."""

    def leaves(self):
        """Numbers of the element by key."""
        return {}

    def structure(self):
        """What of the element decides the topology besides its bodies."""
        return ()

    def outputs(self, build):
        """Output name -> (function giving the node, unit)."""
        return {}


def _motion_leaves(prefix, motion):
    return {f"{prefix}.{k}": x for k, x in as_motion(motion).leaves().items()}


@dataclass(frozen=True, eq=False)
class PointForce(Force):
    """Force (fx, fy) in N at point `a`; numbers or motions; in the inertial frame, or in the body's when `follower`."""

    name: str
    a: object
    fx: object = 0.0
    fy: object = 0.0
    follower: bool = False

    def leaves(self):
        """Numbers of both components."""
        return {**_motion_leaves("fx", self.fx), **_motion_leaves("fy", self.fy)}

    def structure(self):
        """Kinds of the components."""
        return (self.follower, as_motion(self.fx).structure(), as_motion(self.fy).structure())

    def apply(self, build):
        """Add the force to the body."""
        fx, fy = (as_motion(m).node(build, lambda k, p=p: build.number(self, f"{p}.{k}")) for p, m in (("fx", self.fx), ("fy", self.fy)))
        if self.follower:
            ux, uy = build.values(build.axis(self.a.body))
            fx, fy = fx * ux - fy * uy, fx * uy + fy * ux
        vx, vy = build.velocity(self.a)
        build.force(self.a, fx, fy)
        build.power("external", fx * vx + fy * vy)


@dataclass(frozen=True, eq=False)
class Torque(Force):
    """Torque in N m on body `b` (counter-clockwise), with reaction on body `a`; a number or a motion."""

    ends: ClassVar[str] = "bodies"

    name: str
    a: object
    b: object
    moment: object

    def leaves(self):
        """Numbers of the moment."""
        return _motion_leaves("moment", self.moment)

    def structure(self):
        """Kind of the moment."""
        return as_motion(self.moment).structure()

    def apply(self, build):
        """Add the torque and its reaction."""
        moment = as_motion(self.moment).node(build, lambda k: build.number(self, f"moment.{k}"))
        build.torque(self.b, moment)
        build.torque(self.a, -moment)
        build.power("external", moment * (build.spin(self.b) - build.spin(self.a)))
