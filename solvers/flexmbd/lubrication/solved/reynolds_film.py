"""Film of a journal bearing solved in the time loop; theory: ``docs/theory/solved_films.md``."""

import functools
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from flexmbd.errors import ModelError, check_number, check_range
from flexmbd.lanes import kernel
from flexmbd.lubrication.base import FilmKernels, FormulaFilm
from flexmbd.lubrication.reynolds.grid import Grid
from flexmbd.lubrication.reynolds.grooves import groove_cells
from flexmbd.lubrication.solved.grid_film import GridFilm
from flexmbd.lubrication.solved.link import film_function, register
from flexmbd.lubrication.solved.sums import FORCE, PEAK, SHEAR, SHEAR_TANGENT, TANGENT, THINNEST

NUMBERS = (PEAK, SHEAR, THINNEST)  # kinds whose result is one number
TEXT = """
def {name}({arguments}):
    return {call}(({arguments})){part}
"""


def named_kernel(name, arguments, call, part=""):
    """A kernel of this name and these arguments that is one call of a `film_function`, or a `part` of its results."""
    space = {"__name__": __name__, call.__name__: call}
    text = TEXT.format(name=name, arguments=", ".join(arguments), call=call.__name__, part=part)
    exec(compile(text, __file__, "exec"), space)  # the file beside which Numba keeps machine code
    space[name].source = text
    return kernel(space[name])


def rigid_shapes(n, m):
    """(2, n, m): thickness by the place (x, y) of a rigid journal."""
    theta = GridFilm.angles(n)[:, None]
    return np.stack([-np.cos(theta), -np.sin(theta)]) * np.ones(m)


@functools.cache
def _kernels(digest, count, supplies, kinds):
    """Kernels of a registered film by kind, and what they call."""
    amplitudes = ("x", "y", *(f"a{k}" for k in range(count - 2)), "u", "w", *(f"r{k}" for k in range(count - 2)))
    names = (*amplitudes, "c", "R", "viscosity", "length", "side_pressure", *(f"supply{k}" for k in range(supplies)))
    calls = {what: film_function(digest, what) for what in kinds}
    made = {what: named_kernel(f"solved_{f.__name__}", names, f, "[0]" * (what in NUMBERS)) for what, f in calls.items()}
    return made, tuple(calls.values())


class LinedKernels(NamedTuple):
    """Compiled functions of a film with an elastic liner of M shapes, K = M + 2.

    All have the arguments ``(x, y, a..., u, w, r..., c, R, *numbers)``: amplitudes a (M,) in m, rates r (M,) in m/s, in the bearing's axes.
    """

    force: Any  # K generalised forces in N: on the journal, and along the amplitudes
    tangent: Any  # of each force its K derivatives by x, y, a, then K by u, w, r
    shear: Any  # torque by difference of the spins, N m s
    shear_tangent: Any  # its K derivatives by x, y, a
    peak: Any  # largest pressure, Pa
    thinnest: Any  # smallest thickness, m
    helpers: tuple


@dataclass(frozen=True, eq=False)
class ReynoldsFilm(FormulaFilm):
    """Film whose pressure is solved on a grid at every evaluation: no map is built first, and grooves and supply pressure have their place.

    Parameters
    ----------
    viscosity : float or ndarray
        Pa s.
    length : float or ndarray
        Of the bearing in m; with grooves one number.
    cavitation : str
        ``"sommerfeld"``, ``"gumbel"`` or ``"reynolds"``; models that conserve mass depend on the past and are not offered.
    cells : tuple of int
        Around, and over half of the length.
    grooves : tuple of AxialGroove and CircumferentialGroove
        With their places in axes fixed to the bearing's body. Their pressures may be arrays over samples.
    side_pressure : float or ndarray
        Ambient pressure less the cavitation pressure, in Pa.
    """

    name: ClassVar[str] = "reynolds"
    reference: ClassVar[str] = "Reynolds 1886; Swift 1932, Stieber 1933; Hintermueller, Ito and Kunisch 2002"

    cavitation: str = "reynolds"
    cells: tuple = (48, 6)
    grooves: tuple = ()
    side_pressure: object = 0.0

    def __post_init__(self):
        super().__post_init__()
        owner = f"film '{self.name}'"
        object.__setattr__(self, "side_pressure", check_number(owner, "side_pressure", self.side_pressure))
        check_range(owner, "side_pressure", self.side_pressure, at_least=0.0)
        for k, groove in enumerate(self.grooves):
            check_range(owner, f"pressure of groove {k}", groove.pressure, at_least=0.0)
        if self.grooves and np.ptp(np.atleast_1d(self.length)) > 0.0:
            raise ModelError(f"{owner}: length varies over samples, and grooves need one", element=self.name, remedy="give one number")
        length = float(np.atleast_1d(self.length)[0])
        Grid(*self.cells, 1.0, length)  # its checks of the cells' numbers
        supply = np.full(self.cells, -1)
        places = GridFilm.angles(self.cells[0]), 0.5 * length * GridFilm.places(self.cells[1])
        for k, groove in enumerate(self.grooves):
            supply[groove_cells([groove], *places, length)[0]] = k
        film = register(GridFilm(rigid_shapes(*self.cells), cavitation=self.cavitation, supply=supply))
        object.__setattr__(self, "grid_film", film)
        object.__setattr__(self, "_supply", supply)

    @property
    def framed(self):
        """True if the film has directions of its own: its arguments are in axes fixed to the bearing's body."""
        return bool(self.grooves)

    def numbers(self):
        """Viscosity, length, side pressure, and the grooves' pressures."""
        supplies = {f"supply{k}": groove.pressure for k, groove in enumerate(self.grooves)}
        return {**super().numbers(), "side_pressure": self.side_pressure, **supplies}

    def kernels(self):
        """Force and tangent."""
        made, calls = _kernels(self.grid_film.digest, 2, len(self.grooves), (FORCE, TANGENT, PEAK))
        return FilmKernels(made[FORCE], made[TANGENT], calls, peak=made[PEAK])

    def lined(self, modes):
        """`LinedKernels` of this film in a bearing whose surface yields in shapes: `modes` has ``values(theta, z)``, (M, n, m)."""
        if np.ptp(np.atleast_1d(self.length)) > 0.0:
            raise ModelError(f"film '{self.name}': length varies over samples, and a liner's shapes need one", element=self.name)
        n, m = self.cells
        z = 0.5 * float(np.atleast_1d(self.length)[0]) * GridFilm.places(m)
        shapes = np.concatenate((rigid_shapes(n, m), modes.values(GridFilm.angles(n), z)))
        film = register(GridFilm(shapes, cavitation=self.cavitation, supply=self._supply))
        kinds = (FORCE, TANGENT, SHEAR, SHEAR_TANGENT, PEAK, THINNEST)
        made, calls = _kernels(film.digest, film.count, len(self.grooves), kinds)
        return LinedKernels(*(made[kind] for kind in kinds), calls)
