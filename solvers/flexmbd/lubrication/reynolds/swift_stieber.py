"""Reynolds' rupture condition p = dp/dn = 0 (Swift 1932, Stieber 1933), as the complementarity p >= 0, outflow >= 0."""

from dataclasses import dataclass
from typing import ClassVar

from flexmbd.lubrication.reynolds.active_set import solve_active


@dataclass(frozen=True)
class SwiftStieber:
    """The pressure ends smoothly where the film ruptures; mass is conserved there, but not where it forms again."""

    name: ClassVar[str] = "reynolds"
    conserves_mass: ClassVar[bool] = False

    def solve(self, problem, start=None):
        """`Pressure` of a `Problem`, from the full cells `start` (bool)."""
        return solve_active(problem, mass=False, start=start)
