"""Cells of a developed film: along the motion (x) and, by symmetry, over half of the width (z)."""

from dataclasses import dataclass

import numpy as np

from flexmbd.errors import ModelError, check_number


@dataclass(frozen=True)
class Grid:
    """Equal cells, `along` x `across`, over the length and half of the width; z = 0 is the plane of symmetry.

    Parameters
    ----------
    along, across : int
        Number of cells along the motion (at least 4) and over half of the width (at least 1).
    length : float
        Extent along the motion in m; of a ring: its circumference.
    width : float
        Whole extent across the motion in m.
    ring : bool
        True: the film closes on itself along x. False: the pressure is given at both ends.
    sides : str
        ``"open"``: the pressure is given at z = width/2. ``"closed"``: no flow through it (a film that is wide without end).
    """

    along: int
    across: int
    length: float
    width: float
    ring: bool = True
    sides: str = "open"

    def __post_init__(self):
        for key, least in (("along", 4), ("across", 1)):
            count = getattr(self, key)
            if not isinstance(count, int | np.integer) or count < least:
                raise ModelError(f"film grid: {key} is {count!r}", remedy=f"give a whole number of cells, at least {least}")
        for key in ("length", "width"):
            check_number("film grid", key, getattr(self, key), positive=True)
        if self.sides not in ("open", "closed"):
            raise ModelError(f"film grid: sides is {self.sides!r}; it must be 'open' or 'closed'")

    @property
    def shape(self):
        """(along, across)."""
        return self.along, self.across

    @property
    def dx(self):
        """Size of a cell along x in m."""
        return self.length / self.along

    @property
    def dz(self):
        """Size of a cell along z in m."""
        return 0.5 * self.width / self.across

    @property
    def x(self):
        """(along,) centres of the cells in m."""
        return (np.arange(self.along) + 0.5) * self.dx

    @property
    def z(self):
        """(across,) centres of the cells in m, from the plane of symmetry."""
        return (np.arange(self.across) + 0.5) * self.dz
