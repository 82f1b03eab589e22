"""Planar rigid body in natural coordinates: centre of mass (x, y) and one unit vector (ux, uy)."""

from dataclasses import dataclass, field

import numpy as np

from flexmbd.errors import ModelError, check_number


@dataclass(frozen=True)
class Point:
    """A point fixed in a body: coordinates (x, y) in the body's frame with origin at the centre of mass, in m."""

    body: object
    key: str
    x: object
    y: object


@dataclass(frozen=True, eq=False)
class RigidBody:
    """Rigid body with mass in kg and inertia about its centre of mass in kg m².

    Made by `System.body`; ``body["A"]`` is a named point, ``body.at(x, y)`` any other.
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

    coordinates = 4

    def __post_init__(self):
        for key in ("mass", "inertia"):
            object.__setattr__(self, key, check_number(f"body '{self.name}'", key, getattr(self, key), positive=True))
        for key in ("angle", "rate"):
            object.__setattr__(self, key, check_number(f"body '{self.name}'", key, getattr(self, key)))
        for key in ("position", "velocity", "offset"):
            pair = tuple(check_number(f"body '{self.name}'", f"{key}[{i}]", x) for i, x in enumerate(getattr(self, key)))
            object.__setattr__(self, key, pair)

    def __getitem__(self, key):
        if key not in self.points:
            known = ", ".join(map(repr, self.points)) or "none"
            raise ModelError(f"body '{self.name}' has no point '{key}'; its points are: {known}", element=self.name)
        return self.points[key]

    def at(self, x, y, key=None):
        """Point at (x, y) of the body's frame, in m (measured from the frame's origin that `offset` defines)."""
        owner = f"body '{self.name}' point '{key or len(self.points)}'"
        x, y = check_number(owner, "x", x) - self.offset[0], check_number(owner, "y", y) - self.offset[1]
        if key is None:
            for point in self.points.values():
                if all(np.ndim(c) == 0 for c in (x, y, point.x, point.y)) and (x, y) == (point.x, point.y):
                    return point
            key = f"#{len(self.points)}"
        self.points[key] = Point(self, key, x, y)
        return self.points[key]

    @property
    def centre(self):
        """The centre of mass as a point."""
        return self.at(*self.offset, key="#c") if "#c" not in self.points else self.points["#c"]

    def leaves(self):
        """Numbers of the body by key."""
        numbers = {"mass": self.mass, "inertia": self.inertia}
        for key, p in self.points.items():
            numbers[f"{key}.x"], numbers[f"{key}.y"] = p.x, p.y
        return numbers

    def initial(self):
        """Guess of coordinates and velocities: two tuples of four numbers or arrays."""
        c, s = np.cos(self.angle), np.sin(self.angle)
        dx, dy = c * self.offset[0] - s * self.offset[1], s * self.offset[0] + c * self.offset[1]
        (x, y), (vx, vy), w = self.position, self.velocity, self.rate
        return (x + dx, y + dy, c, s), (vx - w * dy, vy + w * dx, -s * w, c * w)


@dataclass(frozen=True, eq=False)
class Ground:
    """The inertial frame, as something points can be fixed in."""

    points: dict = field(default_factory=dict)
    name = "ground"
    coordinates = 0

    def at(self, x, y, key=None):
        """Point at (x, y) of the inertial frame, in m."""
        x, y = check_number("ground point", "x", x), check_number("ground point", "y", y)
        key = key or f"#{len(self.points)}"
        self.points[key] = Point(self, key, x, y)
        return self.points[key]

    def __getitem__(self, key):
        if key not in self.points:
            raise ModelError(f"ground has no point '{key}'; make it with ground.at(x, y, '{key}')", element="ground")
        return self.points[key]

    @property
    def centre(self):
        """The origin."""
        return self.points["#c"] if "#c" in self.points else self.at(0.0, 0.0, "#c")

    def leaves(self):
        """Coordinates of the ground's points by key."""
        return {f"{key}.{axis}": getattr(p, axis) for key, p in self.points.items() for axis in "xy"}
