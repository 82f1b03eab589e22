"""Shapes that a viewer draws bodies by: data that the solver does not read."""

from dataclasses import dataclass

import numpy as np

from flexmbd.errors import ModelError
from flexmbd.frames import as_matrix


@dataclass(frozen=True, kw_only=True)
class Shape:
    """What all shapes have.

    Parameters
    ----------
    position : tuple
        Of the shape's origin in the body's frame, m: two numbers in the plane, or three.
    rotation : optional
        Of the shape against the body's frame: rotation vector (rad) or 3 x 3 matrix; in the plane also an angle about z.
    color : str, optional
        ``"#rrggbb"``; the viewer's own if left out.
    """

    position: tuple = (0.0, 0.0, 0.0)
    rotation: object = None
    color: str = None

    def __post_init__(self):
        place = numbers(self.owner, "position", self.position, (None,), "two or three numbers")
        if len(place) not in (2, 3):
            self.refuse(f"position is {self.position!r}", "give two numbers in the plane, or three")
        self._keep("position", (*place.tolist(), 0.0)[:3])
        turned = (0.0, 0.0, self.rotation) if np.ndim(self.rotation) == 0 and self.rotation is not None else self.rotation
        self._keep("rotation", tuple(tuple(map(float, row)) for row in as_matrix(self.owner, turned)))
        digits = self.color[1:] if isinstance(self.color, str) else ""
        if self.color is not None and not (self.color[:1] == "#" and len(digits) == 6 and set(digits) <= set("0123456789abcdefABCDEF")):
            self.refuse(f"color is {self.color!r}", "write it as '#rrggbb', such as '#1f77b4'")
        self.check()

    @property
    def owner(self):
        """What it is called in messages."""
        return f"shape {type(self).__name__}"

    def check(self):
        """Check and keep its own numbers."""

    def refuse(self, told, remedy):
        """Raise the `ModelError` of what is wrong with it."""
        raise ModelError(f"{self.owner}: {told}", element=self.owner, remedy=remedy)

    def _keep(self, key, value):
        object.__setattr__(self, key, value)

    def _sizes(self, *keys):
        for key in keys:
            size = numbers(self.owner, key, getattr(self, key), (), "a number")
            if not size > 0.0:
                self.refuse(f"{key} is {size:g}", "it must be greater than zero")
            self._keep(key, float(size))


@dataclass(frozen=True)
class Box(Shape):
    """Box about its origin with edges of these lengths along x, y, z, m.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System()
    >>> plate = s.body("plate", mass=1.0, inertia=0.1)
    >>> shown = plate.show(fm.Box((0.4, 0.2, 0.01), color="#1f77b4"))
    >>> shown.shapes[0].size
    (0.4, 0.2, 0.01)
    """

    size: tuple

    def check(self):
        """Three lengths."""
        size = numbers(self.owner, "size", self.size, (3,), "three lengths, along x, y and z")
        if not np.all(size > 0.0):
            self.refuse(f"size is {self.size!r}", "all three lengths must be greater than zero")
        self._keep("size", tuple(size.tolist()))


@dataclass(frozen=True)
class Cylinder(Shape):
    """Cylinder about its origin, its axis along z, m.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System()
    >>> wheel = s.body("wheel", mass=1.0, inertia=0.1)
    >>> shown = wheel.show(fm.Cylinder(radius=0.1, length=0.02))
    >>> shown.shapes[0].radius
    0.1
    """

    radius: float
    length: float

    def check(self):
        """Two lengths."""
        self._sizes("radius", "length")


@dataclass(frozen=True)
class Sphere(Shape):
    """Sphere about its origin, m.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System()
    >>> ball = s.body("ball", mass=1.0, inertia=0.1)
    >>> shown = ball.show(fm.Sphere(0.05, position=(0.2, 0.0)))
    >>> shown.shapes[0].position
    (0.2, 0.0, 0.0)
    """

    radius: float

    def check(self):
        """One length."""
        self._sizes("radius")


@dataclass(frozen=True)
class Balls(Shape):
    """Of grains, which have no frame together: a sphere about each, by these radii in their order, m.

    Examples
    --------
    >>> import flexmbd as fm
    >>> fm.Balls([0.1, 0.12, 0.08]).radii  # m
    (0.1, 0.12, 0.08)
    """

    radii: object

    def check(self):
        """A radius at least, each above zero."""
        found = numbers(self.owner, "radii", self.radii, (None,), "a list of radii")
        if not len(found) or not np.all(found > 0.0):
            self.refuse(f"radii is {str(self.radii)[:80]}", "it must be one radius at least, and all must be greater than zero")
        self._keep("radii", tuple(found.tolist()))


@dataclass(frozen=True)
class Polyline(Shape):
    """Straight lines from point to point (n, 2) or (n, 3), m.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System()
    >>> frame = s.body("frame", mass=1.0, inertia=0.1)
    >>> shown = frame.show(fm.Polyline([(0.0, 0.0), (0.3, 0.0), (0.3, 0.2)]))
    >>> shown.shapes[0].points.shape
    (3, 3)
    """

    points: object

    def check(self):
        """Two points or more."""
        self._keep("points", _points(self.owner, "points", self.points, 2))


@dataclass(frozen=True)
class Mesh(Shape):
    """Triangles.

    Parameters
    ----------
    vertices : array (n, 3)
        m
    faces : array (m, 3)
        Numbers of their vertices from 0, counter-clockwise as seen from outside.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System()
    >>> wedge = s.body("wedge", mass=1.0, inertia=0.1)
    >>> shown = wedge.show(fm.Mesh([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)]))
    >>> shown.shapes[0].faces.shape
    (4, 3)
    """

    vertices: object
    faces: object

    def check(self):
        """Vertices, and faces of some of them."""
        self._keep("vertices", _points(self.owner, "vertices", self.vertices, 3))
        faces, count = numbers(self.owner, "faces", self.faces, (None, 3), "rows of three numbers of vertices"), len(self.vertices)
        if not len(faces) or not np.all((faces == np.floor(faces)) & (faces >= 0) & (faces < count)):
            bad = next((row.tolist() for row in faces if not np.all((row == np.floor(row)) & (row >= 0) & (row < count))), "none")
            self.refuse(f"faces has {bad}", f"a face is three whole numbers from 0 to {count - 1}")
        self._keep("faces", faces.astype(int))


@dataclass(frozen=True)
class Swept(Shape):
    """Section of a flexible body, swept along its centre line: a disc of this radius, or a rectangle (along y, along z), m.

    Examples
    --------
    >>> import flexmbd as fm
    >>> round(fm.Swept.of(fm.Section.circle(2e-3)).radius, 6)  # m
    0.002
    """

    radius: float = None
    sides: tuple = None

    def check(self):
        """One of both."""
        if (self.radius is None) == (self.sides is None):
            self.refuse(f"radius is {self.radius!r} and sides is {self.sides!r}", "give one of both")
        if self.sides is None:
            self._sizes("radius")
        else:
            self._keep("sides", tuple(numbers(self.owner, "sides", self.sides, (2,), "two lengths, along y and z").tolist()))

    @classmethod
    def of(cls, section):
        """That of a `Section` by its area and second moments, those of the first sample: what `circle` or `rectangle` were given."""
        area, one, other = (float(np.ravel(x)[0]) for x in (section.area, section.second_moment, section.second_moment_y))
        alike, square = abs(one - other) <= 1e-9 * one, abs(area**2 - 12.0 * one) <= 1e-9 * area**2
        if alike and not square and area**2 <= 4.0 * np.pi * one * (1.0 + 1e-9):
            return cls(radius=np.sqrt(2.0 * one / area + 0.5 * area / np.pi))
        return cls(sides=(np.sqrt(12.0 * one / area), np.sqrt(12.0 * other / area)))


def numbers(owner, key, value, shape, wanted):
    """An array of finite numbers of a shape, in which None is any; raises `ModelError` naming owner and key."""
    try:
        found = np.array(value, float)
    except (TypeError, ValueError):
        found = np.array(np.nan)
    fits = found.ndim == len(shape) and all(n in (None, m) for n, m in zip(shape, found.shape, strict=True))
    if not fits or not np.all(np.isfinite(found)):
        raise ModelError(f"{owner}: {key} is {str(value)[:80]}", element=owner, remedy=f"it must be {wanted}")
    return found


def _points(owner, key, value, least):
    try:
        flat = len(value[0]) == 2
    except (TypeError, IndexError, KeyError):
        flat = False
    found = numbers(owner, key, value, (None, 2 if flat else 3), f"at least {least} rows of two or three numbers")
    if len(found) < least:
        raise ModelError(f"{owner}: {key} has {len(found)} rows", element=owner, remedy=f"it must have at least {least}")
    return np.hstack([found, np.zeros((len(found), 1))]) if flat else found
