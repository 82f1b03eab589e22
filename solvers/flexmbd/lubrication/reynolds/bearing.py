"""Journal bearing by Reynolds' equation: forces, flows, friction of many films at once. Stands alone; in a model: `ReynoldsFilm`."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from flexmbd.errors import ModelError, check_number, check_range
from flexmbd.lubrication.reynolds.barus import reduced_pressure, true_pressure
from flexmbd.lubrication.reynolds.elrod_adams import ElrodAdams
from flexmbd.lubrication.reynolds.grid import Grid
from flexmbd.lubrication.reynolds.grooves import groove_cells
from flexmbd.lubrication.reynolds.problem import fluxes, outflow, reynolds_problem
from flexmbd.lubrication.reynolds.resolution import warn_if_coarse
from flexmbd.lubrication.reynolds.solve import cavitation_model, solve_film


class BearingFilm(NamedTuple):
    """Solved films of a bearing; n cells around, m over half of the length, films first."""

    theta: np.ndarray  # (films, n) angle of the cells' centres, rad
    z: np.ndarray  # (m,) distance from the middle, m
    thickness: np.ndarray  # (films, n, m) m
    pressure: np.ndarray  # (films, n, m) Pa
    fill: np.ndarray  # (films, n, m)
    full: np.ndarray  # (films, n, m) bool, to start a similar solve
    content: np.ndarray  # (films, n, m) fill times thickness, m: the history of the next time step
    force: np.ndarray  # (films, 2) on the journal, N
    journal_torque: np.ndarray  # (films,) on the journal about its centre, N m
    bearing_torque: np.ndarray  # (films,) on the bearing about its centre, N m
    side_flow: np.ndarray  # (films,) out of both sides, m^3/s
    seam_flow: np.ndarray  # (films,) along the motion through the first cells' leading face, m^3/s
    supply_flow: np.ndarray  # (films,) out of the grooves into the film, m^3/s
    # (films,) sum of all cells' |outflow| over the largest flow; grooves left out. It tells of errors where the model conserves mass
    # (sommerfeld, elrod_adams, giacopini); with gumbel and reynolds oil appears and vanishes in ruptured cells: of order 1 or more
    imbalance: np.ndarray
    grid_error: np.ndarray  # (films,) estimated relative error of the force by the grid
    solves: np.ndarray  # (films,) linear solves taken


@dataclass(frozen=True)
class ReynoldsBearing:
    """Plain journal bearing whose film is solved on a grid.

    With the journal's centre (x, y) relative to the bearing's, h = c - x cos(theta) - y sin(theta).

    Parameters
    ----------
    radius, clearance, length : float
        Bearing radius, radial clearance and length in m.
    cavitation : str or model
        ``"sommerfeld"``, ``"gumbel"``, ``"reynolds"``, ``"elrod_adams"``, ``"giacopini"``, or one of `CAVITATION`.
    inlet : str
        ``"widest_gap"``: side pressure and a full film enter at the widest gap, whose place turns with the journal (Raimondi and
        Boyd; at e = 0 the place is arbitrary, and so is the force); ``"periodic"``: a free ring in the bearing's frame.
    cells : tuple of int
        Around, and over half of the length.
    side_pressure : float
        Ambient pressure less the cavitation pressure, in Pa.
    grooves : tuple of AxialGroove and CircumferentialGroove
        With inlet ``"periodic"``.
    sides : str
        ``"open"``, or ``"closed"``: no flow to the sides (infinitely long bearing).
    pressure_viscosity : float
        a of Barus' law, viscosity times exp(a p), in 1/Pa; not with ``"elrod_adams"``.

    Examples
    --------
    >>> import numpy as np
    >>> from flexmbd.lubrication.reynolds import ReynoldsBearing
    >>> bearing = ReynoldsBearing(radius=0.05, clearance=5e-5, length=0.1, cells=(64, 8))
    >>> film = bearing.solve(0.0, -3e-5, viscosity=0.01, journal_spin=100.0)
    >>> round(float(np.hypot(*film.force[0])), -1)  # N, at an eccentricity of 0.6
    13240.0
    """

    radius: float
    clearance: float
    length: float
    cavitation: object = "reynolds"
    inlet: str = "widest_gap"
    cells: tuple = (128, 16)
    side_pressure: float = 0.0
    grooves: tuple = ()
    sides: str = "open"
    pressure_viscosity: float = 0.0

    def __post_init__(self):
        for key in ("radius", "clearance", "length"):
            check_number("film of a bearing", key, getattr(self, key), positive=True)
        if self.inlet not in ("widest_gap", "periodic"):
            raise ModelError(f"film of a bearing: inlet is {self.inlet!r}; it must be 'widest_gap' or 'periodic'")
        if self.grooves and self.inlet == "widest_gap":
            raise ModelError("film of a bearing: grooves have their place in the bearing", remedy="use inlet 'periodic'")
        check_range("film of a bearing", "pressure_viscosity", self.pressure_viscosity, at_least=0.0)
        if isinstance(cavitation_model(self.cavitation), ElrodAdams) and self.pressure_viscosity > 0.0:
            raise ModelError("film of a bearing: pressure_viscosity is for an incompressible liquid", remedy="use cavitation 'giacopini'")
        self.supplied()

    @property
    def grid(self):
        """`Grid` of the developed bearing."""
        return Grid(*self.cells, 2.0 * np.pi * self.radius, self.length, self.inlet == "periodic", self.sides)

    def supplied(self):
        """Cells of the grooves (n, m) and their pressure (Pa)."""
        grid = self.grid
        return groove_cells(self.grooves, grid.x / self.radius, grid.z, self.length)

    def solve(self, x, y, vx=0.0, vy=0.0, *, viscosity, journal_spin=0.0, bearing_spin=0.0, start=None, step=None, content=None, warn=True):
        """`BearingFilm` of journals at (x, y) m with velocities (vx, vy) m/s and spins in rad/s.

        Parameters
        ----------
        x, y, vx, vy, viscosity, journal_spin, bearing_spin : float or (films,) ndarray
            Viscosity in Pa s, also as a field (films, n, m).
        start : (films, n, m) bool, optional
            Full cells to begin with.
        step, content : optional
            Time step in s and the content before it (m), for the models that conserve mass.
        warn : bool
            False: no warning of a grid that is too coarse.

        Raises
        ------
        ModelError : journal and bearing touch; what `solve_film` refuses.
        """
        x, y, vx, vy, wj, wb = np.broadcast_arrays(
            *(np.atleast_1d(np.asarray(v, float)) for v in (x, y, vx, vy, journal_spin, bearing_spin))
        )
        check_range("film of a bearing", "eccentricity ratio", np.hypot(x, y) / self.clearance, below=1.0)
        grid, radius = self.grid, self.radius
        origin = np.zeros_like(x) if self.inlet == "periodic" else np.arctan2(-y, -x)
        theta = origin[:, None] + grid.x / radius
        cos, sin = np.cos(theta), np.sin(theta)
        h = self.clearance - x[:, None] * cos - y[:, None] * sin
        squeeze = -(vx[:, None] * cos + vy[:, None] * sin)
        across = np.ones(grid.across)
        widest = self.clearance + np.hypot(x, y)
        mask, supply = self.supplied()
        ambient, supply = (reduced_pressure(p, self.pressure_viscosity) for p in (self.side_pressure, supply))
        problem = reynolds_problem(
            grid, h[:, :, None] * across, viscosity=_per_film(viscosity), entrainment=0.5 * radius * (wj + wb), squeeze=squeeze[:, :, None],
            ends=(ambient, ambient), end_thickness=(widest, widest), side=ambient, supplied=mask, supply=supply, step=step, content=content,
        )  # fmt: skip
        error = warn_if_coarse(problem, warn)
        found = solve_film(problem, self.cavitation, start)
        return self._film(problem, found, theta, (x, y), wj - wb, error)

    def _film(self, problem, found, theta, place, slip, error):
        grid, h, fill = problem.grid, problem.thickness, found.fill
        p, thicker = true_pressure(found.pressure, self.pressure_viscosity)
        area = 2.0 * grid.dx * grid.dz
        cos, sin = np.cos(theta)[:, :, None], np.sin(theta)[:, :, None]
        fx, fy = (-area * np.sum(p * n, axis=(1, 2)) for n in (cos, sin))
        shear = area * self.radius**2 * slip * np.sum(np.minimum(fill, 1.0) * thicker * problem.viscosity / h, axis=(1, 2))
        # a pressure that pushes sideways on the sloped gap turns both: half of e x F each
        half = 0.5 * (place[0] * fy - place[1] * fx)
        along, across = fluxes(problem, found.pressure, fill)
        net = outflow(problem, found.pressure, fill, (along, across))
        grooves = np.where(problem.supplied, net, 0.0)
        largest = np.max(np.abs(along), axis=(1, 2)) + np.max(np.abs(across), axis=(1, 2))
        return BearingFilm(
            theta=theta, z=grid.z, thickness=h, pressure=p, fill=fill, full=found.full, content=fill * h, force=np.stack((fx, fy), axis=1),
            journal_torque=-shear - half, bearing_torque=shear - half, side_flow=2.0 * across[:, :, -1].sum(1),
            seam_flow=2.0 * along[:, 0].sum(1), supply_flow=2.0 * grooves.sum(axis=(1, 2)),
            imbalance=np.sum(np.abs(net - grooves), axis=(1, 2)) / np.maximum(largest, 1e-300), grid_error=error, solves=found.solves,
        )  # fmt: skip

    def impedance(self, eccentricity, angle, **options):
        """Dimensionless force (f_r, f_t) of a film without history: ``F = mu L R^3/c^3 |V| f``.

        Parameters
        ----------
        eccentricity, angle : float or (films,) ndarray
            Ratio e/c, and angle of the squeeze velocity V against e in rad. f_r points along e, f_t 90 degrees ahead of it.
        options : as for `solve`, without viscosity.
        """
        ratio, angle = np.broadcast_arrays(np.atleast_1d(eccentricity), np.atleast_1d(angle))
        unit = self.clearance**3 / (self.length * self.radius**3)
        found = self.solve(ratio * self.clearance, 0.0, np.cos(angle), np.sin(angle), viscosity=1.0, **options)
        return unit * found.force[:, 0], unit * found.force[:, 1]


def _per_film(value):
    value = np.asarray(value, float)
    return value[:, None, None] if value.ndim == 1 else value
