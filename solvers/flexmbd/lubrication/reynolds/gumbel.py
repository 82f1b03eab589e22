"""Half film: the full film's pressure, cut off where it is below the cavitation pressure (Gümbel, 1921)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexmbd.lubrication.reynolds.active_set import solve_active


@dataclass(frozen=True)
class Gumbel:
    """Negative pressures are set to zero; mass is not conserved where the film ends."""

    name: ClassVar[str] = "gumbel"
    conserves_mass: ClassVar[bool] = False

    def solve(self, problem, start=None):
        """`Pressure` of a `Problem`; `start` is not used."""
        found = solve_active(problem, mass=False, free=False)
        return found._replace(pressure=np.maximum(found.pressure, 0.0), full=found.pressure > 0.0)
