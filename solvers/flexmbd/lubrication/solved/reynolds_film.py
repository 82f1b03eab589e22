"""Film of a journal bearing solved in the time loop; theory: ``docs/theory/solved_films.md``."""

import functools
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from flexmbd.errors import ModelError, check_number, check_range
from flexmbd.lanes import kernel, maximum, select, sqrt
from flexmbd.lubrication.base import FilmKernels, FormulaFilm
from flexmbd.lubrication.reynolds.grid import Grid
from flexmbd.lubrication.reynolds.grooves import groove_cells
from flexmbd.lubrication.solved.grid_film import GridFilm
from flexmbd.lubrication.solved.link import film_function, register
from flexmbd.lubrication.solved.sums import FORCE, PEAK, SHEAR, SHEAR_TANGENT, TANGENT, THINNEST

NUMBERS = (PEAK, SHEAR, THINNEST)  # kinds whose result is one number


def calling(call, first=False):
    """A kernel of any numbers that is one call of a `film_function`, or the `first` of its results."""

    @kernel
    def solved(*numbers):
        return call(numbers)

    @kernel
    def solved_number(*numbers):
        return call(numbers)[0]

    return solved_number if first else solved


@functools.cache
def _turned_kernels(digest):
    """Kernels, by kind, of a film whose axes turn with the widest gap, and what they call; the groove of its film is the inlet.

    They are the same in axes whose first one (nx, ny) points to the widest gap; the place is (-e, 0) there, and the rates are (a, b).
    """
    force, tangent, peak = calls = [film_function(digest, what) for what in (FORCE, TANGENT, PEAK)]

    @kernel
    def turned_axes(x, y, u, w, c):
        e = sqrt(x * x + y * y)
        off = e > 1e-12 * c
        e = maximum(e, 1e-12 * c)
        nx, ny = select(off, -x / e, -1.0), select(off, -y / e, 0.0)
        return e, nx, ny, nx * u + ny * w, nx * w - ny * u

    @kernel
    def turned_force(x, y, u, w, c, R, viscosity, length, side_pressure):
        e, nx, ny, a, b = turned_axes(x, y, u, w, c)
        f = force((-e, 0.0 * e, a, b, c, R, viscosity, length, side_pressure, side_pressure))
        return nx * f[0] - ny * f[1], ny * f[0] + nx * f[1]

    @kernel
    def turned_peak(x, y, u, w, c, R, viscosity, length, side_pressure):
        e, _, _, a, b = turned_axes(x, y, u, w, c)
        return peak((-e, 0.0 * e, a, b, c, R, viscosity, length, side_pressure, side_pressure))[0]

    @kernel
    def turned_tangent(x, y, u, w, c, R, viscosity, length, side_pressure):
        e, nx, ny, a, b = turned_axes(x, y, u, w, c)
        f = tangent((-e, 0.0 * e, a, b, c, R, viscosity, length, side_pressure, side_pressure))
        g = force((-e, 0.0 * e, a, b, c, R, viscosity, length, side_pressure, side_pressure))
        # by the place along n, and across it, where the axes turn by -1/e; by the rates
        s, t, p, q = f[0], f[4], (g[1] - f[2] * b + f[3] * a) / e, (f[7] * a - f[6] * b - g[0]) / e
        xx, xy, yx, yy = nx * s - ny * t, nx * p - ny * q, ny * s + nx * t, ny * p + nx * q
        uu, uw, wu, ww = nx * f[2] - ny * f[6], nx * f[3] - ny * f[7], ny * f[2] + nx * f[6], ny * f[3] + nx * f[7]
        return (
            xx * nx - xy * ny, xx * ny + xy * nx, uu * nx - uw * ny, uu * ny + uw * nx,
            yx * nx - yy * ny, yx * ny + yy * nx, wu * nx - ww * ny, wu * ny + ww * nx,
        )  # fmt: skip

    return {FORCE: turned_force, TANGENT: turned_tangent, PEAK: turned_peak}, (*calls, turned_axes)


def rigid_shapes(n, m, origin=0.0):
    """(2, n, m): thickness by the place (x, y) of a rigid journal; the cells begin `origin` cells behind the x axis."""
    theta = GridFilm.angles(n)[:, None] - origin * (2.0 * np.pi / n)
    return np.stack([-np.cos(theta), -np.sin(theta)]) * np.ones(m)


@functools.cache
def _kernels(digest, kinds):
    """Kernels of a registered film by kind, of all its numbers one after another, and what they call."""
    calls = {what: film_function(digest, what) for what in kinds}
    return {what: calling(f, what in NUMBERS) for what, f in calls.items()}, tuple(calls.values())


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
    inlet : str
        As of `ReynoldsBearing`. ``"widest_gap"``: side pressure and a full film enter at the widest gap, whose place turns with the journal
        (at e = 0 the place is arbitrary, and so is the force); ``"periodic"``: a free ring in the bearing's frame, for grooves and liners.

    Examples
    --------
    >>> import flexmbd as fm
    >>> film = fm.ReynoldsFilm(0.04, length=0.02, cells=(48, 6))
    >>> joint = {"law": None, "film": film, "bearing_radius": 0.01}  # what a ClearanceRevolute takes
    >>> sorted(film.numbers())
    ['length', 'side_pressure', 'viscosity']
    """

    name: ClassVar[str] = "reynolds"
    reference: ClassVar[str] = "Reynolds 1886; Swift 1932, Stieber 1933; Hintermueller, Ito and Kunisch 2002"

    cavitation: str = "reynolds"
    cells: tuple = (48, 6)
    grooves: tuple = ()
    side_pressure: object = 0.0
    inlet: str = "widest_gap"

    def __post_init__(self):
        super().__post_init__()
        owner = f"film '{self.name}'"
        if self.inlet not in ("widest_gap", "periodic"):
            raise ModelError(f"{owner}: inlet is {self.inlet!r}; it must be 'widest_gap' or 'periodic'", element=self.name)
        if self.grooves and self.inlet == "widest_gap":
            raise ModelError(f"{owner}: grooves have their place in the bearing", element=self.name, remedy="use inlet 'periodic'")
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
        if self.inlet == "widest_gap":
            supply[0] = 0
        shapes = rigid_shapes(*self.cells, origin=0.5 if self.inlet == "widest_gap" else 0.0)
        film = register(GridFilm(shapes, cavitation=self.cavitation, supply=supply))
        object.__setattr__(self, "grid_film", film)
        object.__setattr__(self, "_supply", supply)

    @property
    def body_axes(self):
        """True if the film has directions of its own: its arguments are in axes fixed to the bearing's body."""
        return bool(self.grooves)

    def numbers(self):
        """Viscosity, length, side pressure, and the grooves' pressures."""
        supplies = {f"supply{k}": groove.pressure for k, groove in enumerate(self.grooves)}
        return {**super().numbers(), "side_pressure": self.side_pressure, **supplies}

    def kernels(self):
        """Force and tangent."""
        if self.inlet == "widest_gap":
            made, calls = _turned_kernels(self.grid_film.digest)
            return FilmKernels(made[FORCE], made[TANGENT], calls, peak=made[PEAK])
        made, calls = _kernels(self.grid_film.digest, (FORCE, TANGENT, PEAK))
        return FilmKernels(made[FORCE], made[TANGENT], calls, peak=made[PEAK])

    def lined(self, modes):
        """`LinedKernels` of this film in a bearing whose surface yields in shapes: `modes` has ``values(theta, z)``, (M, n, m)."""
        if np.ptp(np.atleast_1d(self.length)) > 0.0:
            raise ModelError(f"film '{self.name}': length varies over samples, and a liner's shapes need one", element=self.name)
        if self.inlet != "periodic":
            raise ModelError(f"film '{self.name}': a liner's shapes have their place in the bearing", remedy="use inlet 'periodic'")
        n, m = self.cells
        z = 0.5 * float(np.atleast_1d(self.length)[0]) * GridFilm.places(m)
        shapes = np.concatenate((rigid_shapes(n, m), modes.values(GridFilm.angles(n), z)))
        film = register(GridFilm(shapes, cavitation=self.cavitation, supply=self._supply))
        kinds = (FORCE, TANGENT, SHEAR, SHEAR_TANGENT, PEAK, THINNEST)
        made, calls = _kernels(film.digest, kinds)
        return LinedKernels(*(made[kind] for kind in kinds), calls)
