"""Full film: pressure below the cavitation pressure is kept (Sommerfeld, *Z. Math. Phys.* 50, 1904)."""

from dataclasses import dataclass
from typing import ClassVar

from flexmbd.lubrication.reynolds.active_set import solve_active


@dataclass(frozen=True)
class Sommerfeld:
    """No cavitation."""

    name: ClassVar[str] = "sommerfeld"
    conserves_mass: ClassVar[bool] = True

    def solve(self, problem, start=None):
        """`Pressure` of a `Problem`; `start` is not used."""
        return solve_active(problem, mass=False, free=False)
