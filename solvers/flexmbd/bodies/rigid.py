"""Planar rigid body in natural coordinates: centre of mass (x, y) and one unit vector (ux, uy)."""

from dataclasses import dataclass, field

import numpy as np

from flexmbd.bodies.base import Framed
from flexmbd.errors import check_number
from flexmbd.language.quadratic import Row, cross
from flexmbd.language.tracing import full_angle
from flexmbd.space import AXES


@dataclass(frozen=True, eq=False)
class RigidBody(Framed):
    """Rigid body with mass in kg and inertia about its centre of mass in kg m².

    Made by `System.body`; ``body["A"]`` is a named point, ``body.at(x, y)`` any other.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, -9.81))
    >>> rod = s.body("rod", mass=1.0, inertia=1 / 12, angle=0.5, points={"A": (-0.5, 0.0), "B": (0.5, 0.0)})
    >>> type(rod).__name__, sorted(rod.points)
    ('RigidBody', ['A', 'B'])
    """

    name: str
    mass: object
    inertia: object
    position: tuple
    angle: object
    velocity: tuple
    rate: object
    offset: tuple = (0.0, 0.0)
    points: dict = field(default_factory=dict)

    dimension = 2
    measures = ("length", "length", "angle", "angle")

    def __post_init__(self):
        owner = f"body '{self.name}'"
        for key in ("mass", "inertia"):
            object.__setattr__(self, key, check_number(owner, key, getattr(self, key), positive=True))
        for key in ("angle", "rate"):
            object.__setattr__(self, key, check_number(owner, key, getattr(self, key)))
        for key in ("position", "velocity", "offset"):
            object.__setattr__(self, key, tuple(check_number(owner, f"{key}[{i}]", x) for i, x in enumerate(getattr(self, key))))

    def parameters(self):
        """Numbers of the body by key."""
        return {"mass": self.mass, "inertia": self.inertia, **self.point_parameters()}

    def initial(self):
        """Guess of coordinates and velocities: two tuples of four numbers or arrays."""
        c, s = np.cos(self.angle), np.sin(self.angle)
        dx, dy = c * self.offset[0] - s * self.offset[1], s * self.offset[0] + c * self.offset[1]
        (x, y), (vx, vy), w = self.position, self.velocity, self.rate
        return (x + dx, y + dy, c, s), (vx - w * dy, vy + w * dx, -s * w, c * w)

    def start_in_words(self, q, v, offset=None):
        """Place and velocity of the frame's origin, angle and angular velocity."""
        (x, y, c, s), (vx, vy, *turn) = q, v
        dx, dy = (0.0, 0.0) if offset is None else offset
        ax, ay, w = c * dx - s * dy, s * dx + c * dy, (c * turn[1] - s * turn[0]) / (c * c + s * s)
        found = {"position": (x - ax, y - ay), "angle": (np.arctan2(s, c),), "velocity": (vx + w * ay, vy - w * ax), "rate": (w,)}
        return {word: np.array(parts)[None] for word, parts in found.items()}

    def carried(self, q0, v0, q, offset=None):
        """The angular velocity, and the velocity of the frame's origin, stay."""
        found, (_, _, c, s) = self.start_in_words(q0, v0, offset), q
        (vx, vy), (w,) = found["velocity"][0], found["rate"][0]
        dx, dy = (0.0, 0.0) if offset is None else offset
        return np.array((vx - w * (s * dx + c * dy), vy + w * (c * dx - s * dy), -s * w, c * w))

    def direction(self, equations, x, y):
        """A vector (x, y) fixed in the body, in the inertial frame, as polynomials."""
        ux, uy = self.variable(equations, 2), self.variable(equations, 3)
        return ux * x - uy * y, ux * y + uy * x

    def mass_matrix(self, equations):
        """Mass twice, inertia twice."""
        m, j = equations.number(self, "mass"), equations.number(self, "inertia")
        return {(0, 0): m, (1, 1): m, (2, 2): j, (3, 3): j}

    def rows(self, equations):
        """The unit vector's length."""
        ux, uy = self.variable(equations, 2), self.variable(equations, 3)
        return [Row((ux * ux + uy * uy - 1.0) * 0.5, "angle", f"{self.name}.unit")]

    def apply(self, equations):
        """Weight."""
        self.add_gravity(equations)

    def torque(self, equations, moment):
        """Add a torque."""
        i = equations.first[self.name]
        ux, uy = equations.q[i + 2 : i + 4]
        equations.generalized[i + 2] = equations.generalized[i + 2] - moment * uy
        equations.generalized[i + 3] = equations.generalized[i + 3] + moment * ux

    def spin(self, equations):
        """Node of the angular velocity."""
        return cross(self.part(equations, equations.q)[2:], self.part(equations, equations.v)[2:])

    @staticmethod
    def turned(q):
        """Angle by the body's own coordinates (numbers or arrays), within half a turn, rad."""
        return np.arctan2(q[3], q[2])

    def full_angle(self, equations):
        """Node of the angle, counting full turns: an integrated angle corrected by the unit vector."""
        coarse = equations.state(self, "angle")
        equations.state_rate(coarse, self.spin(equations))
        return full_angle(equations.graph, coarse, *self.part(equations, equations.q)[2:])

    def wrench(self, equations, force):
        """Force components and moment about the centre of mass of a generalized force on the four coordinates."""
        return (*force[:2], cross(self.part(equations, equations.q)[2:], force[2:]))

    def outputs(self, equations):
        """Output name -> (function giving the node, unit)."""
        name, out = self.name, {}
        for prefix, key, unit in (("", "q", "m"), ("v", "v", "m/s"), ("a", "a", "m/s^2")):
            for k, axis in enumerate(AXES[:2]):
                out[f"{name}.{prefix}{axis}"] = (lambda key=key, k=k: self.part(equations, getattr(equations, key))[k], unit)
        out[f"{name}.angle"] = (lambda: self.full_angle(equations), "rad")
        out[f"{name}.rate"] = (lambda: self.spin(equations), "rad/s")
        out[f"{name}.alpha"] = (lambda: cross(self.part(equations, equations.q)[2:], self.part(equations, equations.a)[2:]), "rad/s^2")
        return out
