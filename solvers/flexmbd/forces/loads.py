"""Loads given as numbers or functions of time: point forces, torques, gravity."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexmbd.element import Element
from flexmbd.errors import ModelError
from flexmbd.motion import as_motion, unit_in
from flexmbd.space import is_spatial


class Force(Element):
    """Base of force elements."""


class Load(Force):
    """Base of loads whose `components`, numbers or motions by key, are given."""

    @property
    def components(self):
        """Numbers or motions by key."""
        raise NotImplementedError

    def parameters(self):
        """Numbers of the components."""
        motions = {name: as_motion(x).parameters() for name, x in self.components.items()}
        return {f"{name}.{key}": x for name, parameters in motions.items() for key, x in parameters.items()}

    def unit(self, key):
        """N of forces, N m of moments, and what their motions make of it."""
        return unit_in("N" if key.startswith("f") else "N m", key.partition(".")[2])

    def topology_key(self):
        """Kinds of the components."""
        return tuple(as_motion(x).topology_key() for x in self.components.values())

    def _nodes(self, equations):
        return [as_motion(x).node(equations, lambda k, key=key: equations.number(self, f"{key}.{k}")) for key, x in self.components.items()]


class Moment(Load):
    """Base of torques: `moment` is one number or motion, in space three; `turned` is the body or point that it turns."""

    def __post_init__(self):
        spatial = is_spatial(self.turned)
        if spatial != isinstance(self.moment, (tuple, list)) or (spatial and len(self.moment) != 3):
            wanted = "three numbers or motions" if spatial else "one number or motion"
            raise ModelError(f"torque '{self.name}': moment is {self.moment!r}; it must be {wanted}", element=self.name)

    @property
    def turned(self):
        """What the moment turns."""
        raise NotImplementedError

    @property
    def components(self):
        """The moment, or its three components in space."""
        return dict(zip(("mx", "my", "mz"), self.moment, strict=True)) if is_spatial(self.turned) else {"moment": self.moment}


@dataclass(frozen=True, eq=False)
class PointForce(Load):
    """Force (fx, fy, in space fz) in N at point `a`; numbers or motions; in the inertial frame, or in the body's when `follower`.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System()
    >>> bob = s.point_mass("bob", mass=1.0, position=(0.0, -0.5))
    >>> spring = s.add(fm.Spring("spring", s.ground.at(0.0, 0.0), bob.centre, stiffness=100.0, length=0.5))
    >>> pull = s.add(fm.PointForce("pull", bob.centre, fy=-5.0))
    >>> round(float(fm.static(s)["bob.y"][-1]), 6)  # m
    -0.55
    """

    dimensions: ClassVar[tuple] = (2, 3)

    name: str
    a: object
    fx: object = 0.0
    fy: object = 0.0
    fz: object = 0.0
    follower: bool = False

    def __post_init__(self):
        if not is_spatial(self.a) and not (np.ndim(self.fz) == 0 and self.fz == 0.0):
            raise ModelError(f"force '{self.name}' has fz in a planar system", element=self.name)

    @property
    def components(self):
        """Along the axes of the inertial frame, or of the body's."""
        return {"fx": self.fx, "fy": self.fy} | ({"fz": self.fz} if is_spatial(self.a) else {})

    def topology_key(self):
        """Whether it follows the body, and kinds of the components."""
        return (self.follower, *super().topology_key())

    def apply(self, equations):
        """Add the force to the body."""
        force = self._nodes(equations)
        if self.follower:
            force = equations.values(equations.direction(self.a.body, *force))
        equations.force(self.a, *force)
        equations.power("external", equations.graph.dot(zip(force, equations.velocity(self.a), strict=True)))


@dataclass(frozen=True, eq=False)
class Torque(Moment):
    """Torque in N m on body `b`, with reaction on body `a`: a number or a motion (counter-clockwise); in space three of them.

    The components are in the inertial frame, or in b's when `follower`.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System()
    >>> rod = s.body("rod", mass=1.0, inertia=1.0)
    >>> pin = s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), rod.centre))
    >>> spring = s.add(fm.TorsionSpring("spring", s.ground, rod, stiffness=2.0))
    >>> load = s.add(fm.Torque("load", s.ground, rod, moment=0.5))
    >>> round(float(fm.static(s)["rod.angle"][-1]), 6)  # rad
    0.25
    """

    ends: ClassVar[str] = "bodies"
    dimensions: ClassVar[tuple] = (2, 3)

    name: str
    a: object
    b: object
    moment: object
    follower: bool = False

    @property
    def turned(self):
        """Body b."""
        return self.b

    def topology_key(self):
        """Whether it follows the body, and kinds of the components."""
        return (self.follower, *super().topology_key())

    def apply(self, equations):
        """Add the torque and its reaction."""
        nodes = self._nodes(equations)
        if self.follower and is_spatial(self.b):
            nodes = equations.values(equations.direction(self.b, *nodes))
        equations.torque(self.b, *nodes)
        equations.torque(self.a, *(-x for x in nodes))
        spins = [equations.spin(body) if is_spatial(body) else (equations.spin(body),) for body in (self.a, self.b)]
        equations.power("external", equations.graph.dot((m, wb - wa) for m, wa, wb in zip(nodes, *spins, strict=True)))


@dataclass(frozen=True, eq=False)
class SectionTorque(Moment):
    """Moment in N m on a cable's section at point `a`: a number or motion (counter-clockwise); in space three, in the inertial frame.

    It turns the tangent; in space its component along the tangent has no effect on a cable.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System()
    >>> wire = s.cable("wire", length=1.0, elements=2, section=fm.Section(1e-5, 1e-11), material=fm.Material(2e11, 0.3, 7850.0))
    >>> clamp = s.add(fm.Clamp("clamp", s.ground.at(0.0, 0.0), wire["start"]))
    >>> bend = s.add(fm.SectionTorque("bend", wire["end"], 0.2))
    >>> round(float(fm.static(s)["wire.end.y"][-1]), 3)  # m; M l**2 / (2 EI) = 0.05
    0.05
    """

    dimensions: ClassVar[tuple] = (2, 3)

    name: str
    a: object
    moment: object

    def __post_init__(self):
        if not hasattr(getattr(self.a, "body", None), "turn"):
            raise ModelError(f"torque '{self.name}': a is {self.a!r}; it must be a point of a cable, like cable.end", element=self.name)
        super().__post_init__()

    @property
    def turned(self):
        """The section."""
        return self.a

    def apply(self, equations):
        """Add the moment."""
        nodes = self._nodes(equations)
        self.a.body.turn(equations, self.a, *nodes)
        spin = self.a.body.section_spin(equations, self.a)
        equations.power("external", equations.graph.dot(zip(nodes, spin, strict=True)))
