"""Mass-conserving rupture and reformation by one compressible variable and a switch (Elrod, *J. Lubr. Technol.* 103, 1981)."""

from dataclasses import dataclass
from typing import ClassVar

from flexmbd.errors import check_number
from flexmbd.lubrication.reynolds.checks import check_history
from flexmbd.lubrication.reynolds.conserving import solve_conserving


@dataclass(frozen=True)
class ElrodAdams:
    """The content is 1 + p/B of the gap where the film is full, less than 1 where it is ruptured; the switch is iterated.

    Parameters
    ----------
    bulk_modulus : float
        B of the liquid in Pa; mineral oil about 1.7e9.
    """

    bulk_modulus: float = 1.7e9
    name: ClassVar[str] = "elrod_adams"
    conserves_mass: ClassVar[bool] = True

    def __post_init__(self):
        check_number("Elrod-Adams cavitation", "bulk_modulus", self.bulk_modulus, positive=True)

    def solve(self, problem, start=None):
        """`Pressure` of a `Problem`, from the full cells `start` (bool)."""
        check_history(self, problem)
        return solve_conserving(problem, compressibility=1.0 / self.bulk_modulus, start=start)
