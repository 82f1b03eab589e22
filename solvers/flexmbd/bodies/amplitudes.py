"""Amplitudes of a rod's shapes, as coordinates of its own."""

from dataclasses import dataclass, field

from flexmbd.bodies.base import Body


@dataclass(frozen=True, eq=False)
class Amplitudes(Body):
    """Amplitudes a_k (m) of the sines by which a `Rod` deflects from its chord; `System.add` makes them for it.

    The rod writes their masses and forces.

    Parameters
    ----------
    name : str
    guess : tuple of (tuple, tuple)
        Amplitudes and rates at the start, m and m/s: numbers or arrays over samples.
    """

    name: str
    guess: tuple
    points: dict = field(default_factory=dict)

    dimension = 2
    named = vectors = False
    flexible = True

    @property
    def measures(self):
        """All are lengths."""
        return ("length",) * len(self.guess[0])

    def topology_key(self):
        """How many there are."""
        return ("amplitudes", len(self.guess[0]))

    def parameters(self):
        """Those are the rod's."""
        return {}

    def initial(self):
        """Amplitudes and rates at the start."""
        return self.guess

    def outputs(self, equations):
        """Those are the rod's."""
        return {}
