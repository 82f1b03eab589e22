"""Mass-conserving rupture and reformation (Jakobsson, Floberg, Olsson) as the complementarity p >= 0, 1 - fill >= 0.

Giacopini, Fowell, Dini, Strozzi, *J. Tribology* 132 (2010) 041702, for an incompressible liquid; here on finite volumes that take
the fill fraction from upstream and the thickness at the face, so the full film stays of second order.
"""

from dataclasses import dataclass
from typing import ClassVar

from flexmbd.lubrication.reynolds.checks import check_history
from flexmbd.lubrication.reynolds.conserving import solve_conserving


@dataclass(frozen=True)
class Giacopini:
    """Incompressible liquid in full cells, fill fraction in ruptured ones."""

    name: ClassVar[str] = "giacopini"
    conserves_mass: ClassVar[bool] = True

    def solve(self, problem, start=None):
        """`Pressure` of a `Problem`, from the full cells `start` (bool)."""
        check_history(self, problem)
        return solve_conserving(problem, start=start)
