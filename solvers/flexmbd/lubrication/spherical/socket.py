"""Ball in a socket that reaches round the line of centres, by Reynolds' equation: pressures and forces of many films at once."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from flexmbd.errors import ModelError, check_number, check_range
from flexmbd.lubrication.reynolds.grid import Grid
from flexmbd.lubrication.reynolds.problem import ReynoldsProblem
from flexmbd.lubrication.reynolds.quasi_static import QUASI_STATIC
from flexmbd.lubrication.reynolds.solve import cavitation_model, solve_film

MODELS = tuple(model.name for model in QUASI_STATIC)


class SocketPressure(NamedTuple):
    """Solved films; n cells from the narrowest gap on, m over half of the turn round the line of centres, films first."""

    theta: np.ndarray  # (films, n) angle of the cells' centres from the line of centres, rad
    phi: np.ndarray  # (m,) angle round it from the plane of V, rad
    thickness: np.ndarray  # (films, n) m
    pressure: np.ndarray  # (films, n, m) Pa
    full: np.ndarray  # (films, n, m) bool, to start a similar solve
    force: np.ndarray  # (films, 2) on the ball along the line of centres and across, N
    solves: np.ndarray  # (films,) linear solves taken


@dataclass(frozen=True)
class ReynoldsSocket:
    """Film without history on the cap of the sphere within `reach` of the line of centres, at whose edge the pressure is zero.

    Parameters
    ----------
    radius, clearance : float
        Of the socket, and radial, in m.
    cavitation : str or model
        ``"sommerfeld"``, ``"gumbel"`` or ``"reynolds"``.
    reach : float
        Rad, up to pi: the whole sphere, which has no place where the pressure is known, so only with ``"sommerfeld"``.
    cells : tuple of int
        Along `reach`, and over half a turn. The former are equal in Sommerfeld's angle, so they follow the gap.
    """

    radius: float
    clearance: float
    cavitation: object = "reynolds"
    reach: float = 0.5 * np.pi
    cells: tuple = (32, 16)

    def __post_init__(self):
        for key in ("radius", "clearance"):
            check_number("film of a socket", key, getattr(self, key), positive=True)
        check_range("film of a socket", "reach", self.reach, above=0.0, at_most=np.pi)
        model = cavitation_model(self.cavitation).name
        if model not in MODELS:
            raise ModelError(
                f"film of a socket: cavitation is '{model}'", remedy="its film has no history: use one of " + ", ".join(MODELS)
            )
        if self.whole and model != "sommerfeld":
            raise ModelError(
                f"film of a socket: a whole sphere has no place where its pressure is known, which cavitation '{model}' needs",
                remedy="give a reach below pi, or use 'sommerfeld'",
            )
        # its lengths are angles
        object.__setattr__(self, "grid", Grid(*self.cells, self.reach, 2.0 * np.pi, ring=False, sides="closed"))

    @property
    def whole(self):
        """True if there is no edge."""
        return self.reach >= np.pi

    def solve(self, e, along, across=0.0, *, viscosity, start=None):
        """`SocketPressure` of balls at distance e (m) from the socket's centre, with velocity V (m/s) along the line of centres and across.

        Parameters
        ----------
        e, along, across, viscosity : float or (films,) ndarray
            Viscosity in Pa s.
        start : (films, n, m) bool, optional
            Full cells to begin with.

        Raises
        ------
        ModelError : ball and socket touch; what `solve_film` refuses.
        """
        e, along, across, viscosity = np.broadcast_arrays(*(np.atleast_1d(np.asarray(v, float)) for v in (e, along, across, viscosity)))
        eps = (e / self.clearance)[:, None]
        check_range("film of a socket", "eccentricity ratio", eps, at_least=0.0, below=1.0)
        check_range("film of a socket", "viscosity", viscosity, above=0.0)
        grid, shape = self.grid, (len(e), *self.cells)
        theta, middle = self._angles(eps)
        step = grid.width / 2.0 / grid.across
        edge = np.arange(grid.across + 1) * step
        # integrals of n over a cell, along and across
        sin = np.sin(theta)
        radial = 0.5 * self.radius**2 * step * np.diff(sin**2, axis=1)[:, :, None] * np.ones(grid.across)
        around = 0.5 * np.diff(theta - sin * np.cos(theta), axis=1)
        tangential = self.radius**2 * around[:, :, None] * np.diff(np.sin(edge))
        h = self.clearance * (1.0 - eps * np.cos(middle))
        mobility = (self.clearance * (1.0 - eps * np.cos(theta))) ** 3 / (12.0 * viscosity[:, None])
        gaps = np.diff(middle, axis=1)
        gx = np.zeros((shape[0], shape[1] + 1))
        gx[:, 1:-1] = mobility[:, 1:-1] * sin[:, 1:-1] * step / gaps
        known = np.zeros(shape, bool)
        if self.whole:
            known[:, -1, 0] = True  # any level will do
        else:
            gx[:, -1] = mobility[:, -1] * sin[:, -1] * step / (theta[:, -1] - middle[:, -1])
        gz = np.zeros((*shape[:2], shape[2] + 1))
        gz[:, :, 1:-1] = (h**3 / (12.0 * viscosity[:, None]) * np.diff(theta, axis=1) / (np.sin(middle) * step))[:, :, None]
        none, zero = np.zeros(shape), np.zeros(shape[0])
        source = -(along[:, None, None] * radial + across[:, None, None] * tangential)
        problem = ReynoldsProblem(
            grid, h[:, :, None] + none, viscosity[:, None, None] + none, gx[:, :, None] + np.zeros(shape[2]), gz,
            np.zeros((shape[0], shape[1] + 1, shape[2])), none, source, np.zeros((shape[0], 2)), zero, known, none, True,
        )  # fmt: skip
        found = solve_film(problem, self.cavitation, start)
        force = np.stack([-2.0 * np.sum(found.pressure * n, axis=(1, 2)) for n in (radial, tangential)], axis=1)
        return SocketPressure(middle, edge[:-1] + 0.5 * step, h, found.pressure, found.full, force, found.solves)

    def _angles(self, eps):
        """Angles from the line of centres at the cells' edges (films, n+1) and centres (films, n)."""
        q = np.sqrt((1.0 - eps) / (1.0 + eps))
        last = np.arctan(np.tan(0.5 * self.reach) / q)
        theta = 2.0 * np.arctan(q * np.tan(last * np.linspace(0.0, 1.0, 2 * self.cells[0] + 1)))
        return theta[:, ::2], theta[:, 1::2]

    def impedance(self, eccentricity, angle):
        """Dimensionless force (f_r, f_t) of a film, for `build_map`: F = mu R^4/c^3 |V| f.

        Parameters
        ----------
        eccentricity, angle : float or (films,) ndarray
            Ratio e/c, and angle of V against e in rad. f_r points along e, f_t at right angles to it towards V.
        """
        ratio, angle = np.broadcast_arrays(np.atleast_1d(eccentricity), np.atleast_1d(angle))
        unit = self.clearance**3 / self.radius**4
        found = self.solve(ratio * self.clearance, np.cos(angle), np.sin(angle), viscosity=1.0)
        return unit * found.force[:, 0], unit * found.force[:, 1]
