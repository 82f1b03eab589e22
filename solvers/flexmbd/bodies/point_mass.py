"""Point mass: a body with a place and no orientation."""

from dataclasses import dataclass, field

import numpy as np

from flexmbd.bodies.base import Body, Framed, Point
from flexmbd.bodies.poses import of_frame
from flexmbd.errors import ModelError, check_number
from flexmbd.space import AXES


@dataclass(frozen=True, eq=False)
class PointMass(Body):
    """A mass (kg) at one point, ``bob.centre``; made by `System.point_mass`.  A node of rods need have none of its own.

    It does not turn: joints, drives and forces that need its orientation, or put a torque on it, are refused.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, -9.81))
    >>> bob = s.point_mass("bob", mass=0.5, position=(0.0, -1.0))
    >>> string = s.add(fm.Distance("string", s.ground.at(0.0, 0.0), bob.centre))
    >>> round(float(fm.modes(s).frequencies[0]), 4)  # rad/s: (g / l)**0.5
    3.1321
    """

    name: str
    dimension: int
    mass: object
    position: tuple
    velocity: tuple
    points: dict = field(default_factory=dict)

    def __post_init__(self):
        owner, d = f"point mass '{self.name}'", self.dimension
        object.__setattr__(self, "mass", 0.0 if self.mass is None else check_number(owner, "mass", self.mass, positive=True))
        for key in ("position", "velocity"):
            object.__setattr__(self, key, tuple(check_number(owner, f"{key}[{i}]", x) for i, x in enumerate(getattr(self, key))))
        self.points["#c"] = Point(self, "#c", (0.0,) * d)

    said_by = "poses"

    @property
    def weightless(self):
        """It has no mass of its own."""
        return np.ndim(self.mass) == 0 and self.mass == 0.0

    @property
    def pose_size(self):
        """Its place."""
        return self.dimension

    def pose(self, equations):
        """Its place."""
        return self.part(equations, equations.q)

    def seat(self, point, parameters, offset):
        """The mass itself."""
        return (0.0,) * self.dimension

    def poses(self, moved):
        """Its places, and no rotation."""
        return of_frame(moved.numbers, self.dimension, (0.0,) * self.dimension)

    @property
    def centre(self):
        """The mass as a point."""
        return self.points["#c"]

    @property
    def measures(self):
        """Its coordinates."""
        return ("length",) * self.dimension

    def parameters(self):
        """The mass."""
        return {"mass": self.mass}

    def topology_key(self):
        """That it is no rigid body."""
        return ("point mass", self.weightless)

    def initial(self):
        """Guess of place and velocity."""
        return self.position, self.velocity

    def at_start(self, point):
        """Place of its point by the guess of the start."""
        return self.position

    def origin(self, equations):
        """The place, as polynomials."""
        return tuple(self.variable(equations, k) for k in range(self.dimension))

    def place(self, equations, point):
        """The place, as polynomials."""
        return self.origin(equations)

    def mass_matrix(self, equations):
        """The mass for each axis."""
        return {(k, k): equations.number(self, "mass") for k in range(self.dimension)}

    def apply(self, equations):
        """Weight; refused where nothing gives it a mass."""
        if self.weightless and not any(e.gives_mass and self in (e.a.body, e.b.body) for e in equations.system.elements):
            told = f"point mass '{self.name}' has no mass, and no rod ends there that would give it one"
            raise ModelError(told, element=self.name, remedy="give it a mass, or let a Rod with a line_mass end there")
        Framed.add_gravity(self, equations)

    def spin(self, equations):
        """Zero: it does not turn."""
        zero = equations.graph.const(0.0)
        return zero if self.dimension == 2 else (zero,) * 3

    def wrench(self, equations, force):
        """Force, and no moment."""
        return (*force, *(equations.graph.const(0.0),) * (1 if self.dimension == 2 else 3))

    def outputs(self, equations):
        """Output name -> (function giving the node, unit)."""
        out = {}
        for prefix, key, unit in (("", "q", "m"), ("v", "v", "m/s"), ("a", "a", "m/s^2")):
            for k, axis in enumerate(AXES[: self.dimension]):
                out[f"{self.name}.{prefix}{axis}"] = (lambda key=key, k=k: self.part(equations, getattr(equations, key))[k], unit)
        return out

    def at(self, *_, **__):
        """There is only one point."""
        raise ModelError(f"point mass '{self.name}' has one point only: {self.name}.centre", element=self.name)

    def _no_frame(self, *_):
        message = f"this needs the orientation of a body, or turns it, and '{self.name}' is a point mass, which has none"
        raise ModelError(message, remedy="make it a body with an inertia (System.body), or join it by Distance, Spherical or a Spring")

    direction = torque = full_angle = _no_frame
