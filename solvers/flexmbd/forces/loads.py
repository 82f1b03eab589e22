"""Loads given as numbers or functions of time: point forces, torques, gravity."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexmbd.errors import ModelError
from flexmbd.motion import as_motion
from flexmbd.space import is_spatial


class Force:
    """Base of force elements: `name`, `leaves`, `structure`, `apply(build)`, `outputs(build)`; `dimensions` of the systems it is for."""

    dimensions: ClassVar[tuple] = (2,)

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


def _vector_node(build, element, keys):
    """Nodes of several motions of an element."""
    return [as_motion(getattr(element, key)).node(build, lambda k, key=key: build.number(element, f"{key}.{k}")) for key in keys]


@dataclass(frozen=True, eq=False)
class PointForce(Force):
    """Force (fx, fy, in space fz) in N at point `a`; numbers or motions; in the inertial frame, or in the body's when `follower`."""

    dimensions: ClassVar[tuple] = (2, 3)

    name: str
    a: object
    fx: object = 0.0
    fy: object = 0.0
    fz: object = 0.0
    follower: bool = False

    def __post_init__(self):
        if len(self.keys) == 2 and not (np.ndim(self.fz) == 0 and self.fz == 0.0):
            raise ModelError(f"force '{self.name}' has fz in a planar system", element=self.name)

    @property
    def keys(self):
        """Its components."""
        return ("fx", "fy", "fz") if is_spatial(self.a) else ("fx", "fy")

    def leaves(self):
        """Numbers of the components."""
        return {key: x for name in self.keys for key, x in _motion_leaves(name, getattr(self, name)).items()}

    def structure(self):
        """Kinds of the components."""
        return (self.follower, *(as_motion(getattr(self, key)).structure() for key in self.keys))

    def apply(self, build):
        """Add the force to the body."""
        force = _vector_node(build, self, self.keys)
        if self.follower:
            force = build.values(build.direction(self.a.body, *force))
        build.force(self.a, *force)
        build.power("external", build.graph.dot(zip(force, build.velocity(self.a), strict=True)))


@dataclass(frozen=True, eq=False)
class Torque(Force):
    """Torque in N m on body `b`, with reaction on body `a`: a number or a motion (counter-clockwise); in space three of them.

    The components are in the inertial frame, or in b's when `follower`.
    """

    ends: ClassVar[str] = "bodies"
    dimensions: ClassVar[tuple] = (2, 3)

    name: str
    a: object
    b: object
    moment: object
    follower: bool = False

    def __post_init__(self):
        spatial = is_spatial(self.b)
        if spatial != isinstance(self.moment, (tuple, list)) or (spatial and len(self.moment) != 3):
            wanted = "three numbers or motions" if spatial else "one number or motion"
            raise ModelError(f"torque '{self.name}': moment is {self.moment!r}; it must be {wanted}", element=self.name)

    @property
    def moments(self):
        """Components by key."""
        return {"moment": self.moment} if not is_spatial(self.b) else dict(zip(("mx", "my", "mz"), self.moment, strict=True))

    def leaves(self):
        """Numbers of the moment."""
        return {key: x for name, motion in self.moments.items() for key, x in _motion_leaves(name, motion).items()}

    def structure(self):
        """Kind of the moment."""
        return (self.follower, *(as_motion(motion).structure() for motion in self.moments.values()))

    def apply(self, build):
        """Add the torque and its reaction."""
        nodes = [as_motion(m).node(build, lambda k, key=key: build.number(self, f"{key}.{k}")) for key, m in self.moments.items()]
        if self.follower and is_spatial(self.b):
            nodes = build.values(build.direction(self.b, *nodes))
        build.torque(self.b, *nodes)
        build.torque(self.a, *(-x for x in nodes))
        spins = [build.spin(body) if is_spatial(body) else (build.spin(body),) for body in (self.a, self.b)]
        build.power("external", build.graph.dot((m, wb - wa) for m, wa, wb in zip(nodes, *spins, strict=True)))


@dataclass(frozen=True, eq=False)
class SectionTorque(Force):
    """Moment in N m on a cable's section at point `a`: a number or motion (counter-clockwise); in space three, in the inertial frame.

    It turns the tangent; in space its component along the tangent has no effect on a cable.
    """

    dimensions: ClassVar[tuple] = (2, 3)

    name: str
    a: object
    moment: object

    def __post_init__(self):
        if not hasattr(getattr(self.a, "body", None), "turn"):
            raise ModelError(f"torque '{self.name}': a is {self.a!r}; it must be a point of a cable, like cable.end", element=self.name)
        spatial = is_spatial(self.a)
        if spatial != isinstance(self.moment, (tuple, list)) or (spatial and len(self.moment) != 3):
            wanted = "three numbers or motions" if spatial else "one number or motion"
            raise ModelError(f"torque '{self.name}': moment is {self.moment!r}; it must be {wanted}", element=self.name)

    @property
    def moments(self):
        """Components by key."""
        return {"moment": self.moment} if not is_spatial(self.a) else dict(zip(("mx", "my", "mz"), self.moment, strict=True))

    def leaves(self):
        """Numbers of the moment."""
        return {key: x for name, motion in self.moments.items() for key, x in _motion_leaves(name, motion).items()}

    def structure(self):
        """Kinds of the moment."""
        return tuple(as_motion(motion).structure() for motion in self.moments.values())

    def apply(self, build):
        """Add the moment."""
        nodes = [as_motion(m).node(build, lambda k, key=key: build.number(self, f"{key}.{k}")) for key, m in self.moments.items()]
        self.a.body.turn(build, self.a, *nodes)
        spin = self.a.body.section_spin(build, self.a)
        build.power("external", build.graph.dot(zip(nodes, spin, strict=True)))
