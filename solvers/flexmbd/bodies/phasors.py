"""Coordinates without mass: products of unit vectors that a joint needs to write rows of degree two."""

from dataclasses import dataclass, field

import numpy as np

from flexmbd.bodies.base import Body


@dataclass(frozen=True, eq=False)
class Phasors(Body):
    """Pairs (cos, sin) of sums of angles; `System.add` makes them for joints that ask for them.

    The joint's rows define each pair, and carry a weight because nothing here has mass (`Row.penalty`).

    Parameters
    ----------
    name : str
    guess : tuple of (angle, rate)
        At the start, rad and rad/s.
    """

    name: str
    guess: tuple
    points: dict = field(default_factory=dict)

    dimension = 2
    named = False

    @property
    def measures(self):
        """All are pure numbers."""
        return ("angle", "angle") * len(self.guess)

    def topology_key(self):
        """How many there are."""
        return ("phasors", len(self.guess))

    def parameters(self):
        """No numbers."""
        return {}

    def initial(self):
        """Guess of coordinates and velocities."""
        pairs = [((np.cos(x), np.sin(x)), (-w * np.sin(x), w * np.cos(x))) for x, w in self.guess]
        return tuple(x for q, _ in pairs for x in q), tuple(x for _, v in pairs for x in v)

    def mass_matrix(self, equations):
        """Nothing."""
        return {}

    def outputs(self, equations):
        """Nothing that anybody could want."""
        return {}

    def pairs(self, equations):
        """All pairs as polynomials."""
        return [(self.variable(equations, 2 * k), self.variable(equations, 2 * k + 1)) for k in range(len(self.guess))]
