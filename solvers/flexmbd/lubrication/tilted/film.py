"""Film of a tilted journal, solved on a grid over the whole length; theory: docs/theory/spherical_films.md."""

import functools
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexmbd.errors import check_number, check_range
from flexmbd.lubrication.base import FilmKernels
from flexmbd.lubrication.reynolds.grid import Grid
from flexmbd.lubrication.solved.grid_film import GridFilm
from flexmbd.lubrication.solved.link import film_function, register
from flexmbd.lubrication.solved.reynolds_film import calling
from flexmbd.lubrication.solved.sums import FORCE, TANGENT


def tilted_shapes(n, m):
    """(4, n, m): thickness by place (x, y) in the bearing's middle and by tilt (tx, ty), in m off at the bearing's end.

    ``h = c - (x + zeta tx) cos(theta) - (y + zeta ty) sin(theta)``, zeta = z/(L/2) in (-1, 1).
    """
    theta, zeta = GridFilm.angles(n)[:, None], GridFilm.places(m, half=False)
    rigid = [-np.cos(theta) * np.ones(m), -np.sin(theta) * np.ones(m)]
    return np.stack([*rigid, *(zeta * shape for shape in rigid)])


@functools.cache
def _kernels(digest):
    calls = tuple(film_function(digest, what) for what in (FORCE, TANGENT))
    return FilmKernels(*map(calling, calls), calls)


@dataclass(frozen=True, eq=False)
class TiltedFilm:
    """Film of a journal at (x, y) with tilt, by Reynolds' equation on a grid over circumference and whole length at every evaluation.

    ``force(s0 ... s3, r0 ... r3, c, R, viscosity, length, side_pressure)`` gives four forces Q that push s = (x, y, tx, ty), see
    `tilted_shapes`, with their rates r in the frame that turns with half the sum of both spins: Q_0, Q_1 the force on the journal in N,
    Q_2 L/2 and Q_3 L/2 its moments in N m. ``tangent`` gives of each Q the derivatives by s, then by r.

    Parameters
    ----------
    viscosity : float or ndarray
        Pa s.
    cavitation : str
        ``"sommerfeld"``, ``"gumbel"`` or ``"reynolds"``.
    cells : tuple of int
        Around, and over the whole length.
    side_pressure : float or ndarray
        Ambient pressure less the cavitation pressure, in Pa.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, 0.0, -9.81))
    >>> arm = s.body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0.0, 0.0), points={"O": (-0.5, 0.0, 0.0)})
    >>> along = {"axis_a": (1.0, 0.0, 0.0), "axis_b": (1.0, 0.0, 0.0)}
    >>> film = fm.TiltedFilm(0.04, cells=(48, 12))
    >>> hole = s.ground.at(0.0, 0.0, 0.0)
    >>> bush = s.add(fm.ClearanceCylindrical("bush", arm["O"], hole, 5e-5, 0.02, length=0.05, law=None, film=film, **along))
    >>> fm.output_units(s)["bush.film_torque_y"]
    'N m'
    """

    name: ClassVar[str] = "tilted"
    reference: ClassVar[str] = "Reynolds 1886; Swift 1932, Stieber 1933"
    shape: ClassVar[str] = "cylindrical"

    viscosity: object
    cavitation: str = "reynolds"
    cells: tuple = (48, 12)
    side_pressure: object = 0.0

    def __post_init__(self):
        owner = f"film '{self.name}'"
        object.__setattr__(self, "viscosity", check_number(owner, "viscosity", self.viscosity, positive=True))
        object.__setattr__(self, "side_pressure", check_number(owner, "side_pressure", self.side_pressure))
        check_range(owner, "side_pressure", self.side_pressure, at_least=0.0)
        Grid(*self.cells, 1.0, 1.0)  # its checks of the cells' numbers
        film = register(GridFilm(tilted_shapes(*self.cells), cavitation=self.cavitation, half=False))
        object.__setattr__(self, "grid_film", film)

    def numbers(self):
        """Viscosity, side pressure."""
        return {"viscosity": self.viscosity, "side_pressure": self.side_pressure}

    def kernels(self):
        """Force and tangent."""
        return _kernels(self.grid_film.digest)
