"""Ideal gear pair with whole numbers of teeth, as quadratic rows.

The angles of two gears obey ``za (fa - fc) + zb (fb - fc) = const``, with zb negative for a ring.  As unit complex numbers
``u = exp(i f)`` this is ``ua^za ub^zb = const``: a polynomial of high degree, but each power is a chain of products of two factors.
Every product but the last is a pair of coordinates of its own (`bodies.phasors`), defined by two quadratic rows; the last is the row of
the pair.  Where rows may be of any degree (trees) no product has coordinates.  The chain of squarings of z teeth has at most
``2 log2 z`` products, and the factors that both numbers have in common drop out.
"""

from dataclasses import dataclass
from math import gcd

import numpy as np

from flexmbd.errors import ModelError
from flexmbd.joints.ideal import Joint
from flexmbd.language.quadratic import Row

MOST = 1000  # teeth after common factors drop out


@dataclass(frozen=True, eq=False)
class Gear(Joint):
    """The gears on a's and b's bodies roll on each other without play, as they mesh at the start.

    Only angles are tied: revolute joints hold the gears on the carrier.  The joint's `moment` is that of the teeth on b; their force on
    the pitch circle is the moment over b's pitch radius, and is not contained in the forces of the revolute joints.  `GearMesh` has
    elastic teeth, any ratio, and its forces go through the bearings.

    Parameters
    ----------
    a, b : Point
        Centres of the gears; one of them may be on ground.
    teeth : tuple of int
        Numbers of teeth of a and b; only their ratio matters, and small whole numbers cost least.
    carrier : RigidBody, optional
        The body that holds both centres; ground if left out.
    internal : bool
        One gear is a ring that turns in the other's sense (or both are pulleys of a belt).

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System()
    >>> wheel = s.body("wheel", mass=1.0, inertia=0.02)
    >>> pinion = s.body("pinion", mass=0.3, inertia=0.002, position=(0.3, 0.0))
    >>> axles = s.add(fm.Revolute("A", s.ground.at(0.0, 0.0), wheel.centre)), s.add(fm.Revolute("B", s.ground.at(0.3, 0.0), pinion.centre))
    >>> mesh = s.add(fm.Gear("mesh", wheel.centre, pinion.centre, (40, 20)))
    >>> drive = s.add(fm.AngleDrive("drive", s.ground.at(0.0, 0.0), wheel.centre, fm.ConstantSpeed(3.0)))
    >>> found = fm.inverse_dynamics(s, end=0.1, points=2, outputs=["pinion.rate"])
    >>> round(float(found["pinion.rate"][-1]), 6)  # rad/s
    -6.0
    """

    teeth: tuple
    carrier: object = None
    internal: bool = False

    def __post_init__(self):
        owner = f"gear '{self.name}'"
        teeth = self.teeth if isinstance(self.teeth, (tuple, list)) else ()
        whole = [isinstance(z, (int, np.integer)) and not isinstance(z, bool) and z >= 1 for z in teeth]
        if len(whole) != 2 or not all(whole):
            raise ModelError(
                f"{owner}: teeth is {self.teeth!r}; it must be two whole numbers from 1",
                element=self.name,
                remedy="for other ratios, or ones that differ between samples, take GearMesh",
            )
        common = gcd(*teeth)
        object.__setattr__(self, "teeth", tuple(int(z) // common for z in teeth))
        if max(self.teeth) > MOST:
            raise ModelError(f"{owner}: teeth is {teeth!r}; without common factors it must be at most {MOST}", element=self.name)
        bodies = [getattr(end, "body", None) for end in (self.a, self.b)]
        for body in bodies:
            if hasattr(body, "slope"):
                raise ModelError(f"{owner}: '{body.name}' is flexible; a gear sits on a rigid body or ground", element=self.name)
        if not getattr(self.carrier, "measures", ()) and not all(getattr(body, "measures", True) for body in bodies):
            raise ModelError(f"{owner}: one gear is on ground and there is no carrier, so the other could not turn", element=self.name)

    @property
    def others(self):
        """Bodies besides those of a and b, by key."""
        return {} if self.carrier is None else {"carrier": self.carrier}

    def parameters(self):
        """The angle that the sum of turned teeth keeps, as at the start."""
        return {"phase": sum(angle for angle, _ in self._walk(*self._start())[0])}

    def topology_key(self):
        """Teeth, carrier and kind."""
        return (*self.teeth, self.internal, None if self.carrier is None else self.carrier.name)

    def own_coordinates(self):
        """Angle and rate at the start of each product of unit vectors that the rows need."""
        guess = tuple(self._walk(*self._start())[1])
        return {"phasors": guess} if guess else {}

    def rows(self, equations):
        """Two for each product but the last that has coordinates, and one angle."""
        name = f"{self.name}.phasors"
        own = next((body for body in equations.system.bodies if body.name == name and name in equations.first), None)
        pairs = [] if own is None else own.pairs(equations)
        weight = equations.number(next(body for body in self._bodies() if body is not None), "inertia")
        factors = [None if body is None else equations.direction(body, 1.0, 0.0) for body in self._bodies()]
        rows = []

        def product(x, y):
            if own is None:
                return _times(x, y)
            w, k = pairs[len(rows) // 2], len(rows) // 2 + 1
            rows.extend(Row(p - r, "angle", f"{self.name}.product{k}", penalty=weight) for p, r in zip(w, _times(x, y), strict=True))
            return w

        x, y = self._factors(*factors, product, lambda u: (u[0], -u[1]))
        sine, cosine = equations.sincos(equations.number(self, "phase"))
        turned = (x[0] * cosine + x[1] * sine, x[1] * cosine - x[0] * sine)
        along, across = _times(turned, y)
        return [*rows, Row(across, "angle", f"{self.name}.mesh", along)]

    def _bodies(self):
        """Bodies of a, b and the carrier; None for ground."""
        return [body if body is not None and body.measures else None for body in (self.a.body, self.b.body, self.carrier)]

    def _start(self):
        return [None if body is None else (body.angle, body.rate) for body in self._bodies()]

    def _walk(self, a, b, c):
        """Both factors of the last product, and all products before it, as angles and rates."""
        found = []

        def product(x, y):
            found.append((x[0] + y[0], x[1] + y[1]))
            return found[-1]

        return self._factors(a, b, c, product, lambda u: (-u[0], -u[1])), found

    def _factors(self, a, b, c, product, back):
        """Factors of the last product from the unit vectors of a, b and the carrier, by any way to multiply them and turn them back."""
        if c is not None:
            c = back(c)
            a, b = (c if u is None else product(u, c) for u in (a, b))
        return _power(a, self.teeth[0], product), _power(back(b) if self.internal else b, self.teeth[1], product)


def _power(x, n, product):
    """x to a power of at least 1 by squarings."""
    out = None
    while True:
        if n & 1:
            out = x if out is None else product(out, x)
        n >>= 1
        if not n:
            return out
        x = product(x, x)


def _times(x, y):
    """Product of two complex numbers."""
    return x[0] * y[0] - x[1] * y[1], x[0] * y[1] + x[1] * y[0]
