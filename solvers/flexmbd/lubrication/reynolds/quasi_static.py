"""Films that do not depend on their past, from a `Problem`: pressure in full cells, none in the others; and their models of cavitation."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexmbd.lanes import kernel
from flexmbd.lubrication.reynolds.active_set import Cells, settle
from flexmbd.lubrication.reynolds.band import BandStorage, lengths
from flexmbd.lubrication.reynolds.ring import ring_of, solve_ring

MOST, PATIENCE = 220, 200  # linear solves: where a film forms again, it may gain a row of cells a solve


@kernel
def _solve(ring, pressure, work, free):
    """Plain tuples, since machine code on disk knows its arguments' classes by their names."""
    (supply, gx, gz, _, _, base, on), (share, listed, space) = ring, work
    settled, _, _, solves = settle(Cells(supply, gx, gz, base, on, pressure, share, listed, BandStorage(*space)), free, MOST, PATIENCE)
    return settled, solves


def solve_quasi_static(problem, *, free=True, start=None):
    """`Pressure` of a `Problem` from the full cells `start` (films, n, m) bool, or from a film that is full everywhere.

    Not `free`: no cell ruptures.
    """
    ring = ring_of(problem, start if free else None)
    rows, m = ring.on.shape[1:]
    work = np.empty((rows, m)), np.empty(rows + 1), tuple(np.zeros(length) for length in lengths(rows, m))
    return solve_ring(problem, ring, lambda one, pressure: _solve(one, pressure, work, free))


@dataclass(frozen=True)
class Sommerfeld:
    """No cavitation: pressure below the cavitation pressure is kept (*Z. Math. Phys.* 50, 1904)."""

    name: ClassVar[str] = "sommerfeld"
    conserves_mass: ClassVar[bool] = True

    def solve(self, problem, start=None):
        """`Pressure` of a `Problem`; `start` is not used."""
        return solve_quasi_static(problem, free=False)


@dataclass(frozen=True)
class Gumbel:
    """Half film: the full film's negative pressures are set to zero (Gümbel, 1921); mass is not conserved where the film ends."""

    name: ClassVar[str] = "gumbel"
    conserves_mass: ClassVar[bool] = False

    def solve(self, problem, start=None):
        """`Pressure` of a `Problem`; `start` is not used."""
        found = solve_quasi_static(problem, free=False)
        return found._replace(pressure=np.maximum(found.pressure, 0.0), full=found.pressure > 0.0)


@dataclass(frozen=True)
class SwiftStieber:
    """Reynolds' rupture condition p = dp/dn = 0 (Swift 1932, Stieber 1933), as the complementarity p >= 0, outflow >= 0.

    The pressure ends smoothly where the film ruptures; mass is conserved there, but not where it forms again.
    """

    name: ClassVar[str] = "reynolds"
    conserves_mass: ClassVar[bool] = False

    def solve(self, problem, start=None):
        """`Pressure` of a `Problem`, from the full cells `start` (bool)."""
        return solve_quasi_static(problem, start=start)


QUASI_STATIC = (Sommerfeld, Gumbel, SwiftStieber)
