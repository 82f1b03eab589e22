"""The arc length at which something is on a line, as a coordinate without mass."""

from dataclasses import dataclass, field

import numpy as np

from flexmbd.bodies.base import Body


@dataclass(frozen=True, eq=False)
class ArcLength(Body):
    """Arc length of the undeformed line in m; `System.add` makes it for joints that ask for one.

    The joint's rows determine it: it is eliminated after their multipliers (`saddle.massless`).

    Parameters
    ----------
    name : str
    guess : float or ndarray
        At the start, m.
    """

    name: str
    guess: object
    points: dict = field(default_factory=dict)

    dimension = 1
    measures = ("length",)
    named = vectors = False

    def topology_key(self):
        """What it is."""
        return ("arc length",)

    def parameters(self):
        """No numbers."""
        return {}

    def initial(self):
        """Guess of the coordinate; its rate follows from the velocities of line and body."""
        return (self.guess,), (np.zeros_like(self.guess, float),)

    def outputs(self, equations):
        """Those are the joint's."""
        return {}
