"""Pressure field of a film by formula, in the form of a solved film on a grid. Stands alone: models have forces only."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexmbd.errors import ModelError, check_number, check_range
from flexmbd.lubrication.long import LongFilm
from flexmbd.lubrication.reynolds.bearing import BearingFilm
from flexmbd.lubrication.reynolds.grid import Grid
from flexmbd.lubrication.short import ShortFilm


@dataclass(frozen=True)
class FormulaBearing:
    """A bearing whose film is a formula; it solves as `ReynoldsBearing` does.

    Parameters
    ----------
    film : ShortFilm or LongFilm
        Of one sample. A half film has its pressure where V.n (short) or Q.n (long) is above zero, and shears all round.
    radius, clearance : float
        Of the bearing in m.
    cells : tuple of int
        Around, and over half of the length.

    Raises
    ------
    ModelError : numbers out of range; a film whose force is not that of a pressure field.
    """

    inlet: ClassVar[str] = "periodic"
    grooves: ClassVar[tuple] = ()

    film: object
    radius: float
    clearance: float
    cells: tuple = (128, 16)

    def __post_init__(self):
        if not isinstance(self.film, (ShortFilm, LongFilm)):
            raise ModelError(
                f"film of a bearing: {getattr(self.film, 'name', self.film)!r} has a force but no pressure field",
                remedy="use ShortFilm, LongFilm or a ReynoldsBearing of the same size",
            )
        for key in ("radius", "clearance"):
            check_number("film of a bearing", key, getattr(self, key), positive=True)
        if np.ndim(self.film.viscosity) or np.ndim(self.film.length):
            raise ModelError("film of a bearing: viscosity and length must be single numbers", remedy="take those of one sample")

    @property
    def grid(self):
        """`Grid` of the developed bearing."""
        return Grid(*self.cells, 2.0 * np.pi * self.radius, float(self.film.length))

    def solve(self, x, y, vx=0.0, vy=0.0, *, viscosity=None, journal_spin=0.0, bearing_spin=0.0, warn=True):
        """`BearingFilm` of journals at (x, y); arguments as for `ReynoldsBearing.solve`, `viscosity` that of the film unless given."""
        given = (x, y, vx, vy, self.film.viscosity if viscosity is None else viscosity, journal_spin, bearing_spin)
        x, y, vx, vy, mu, wj, wb = np.broadcast_arrays(*(np.atleast_1d(np.asarray(v, float)) for v in given))
        check_range("film of a bearing", "eccentricity ratio", np.hypot(x, y) / self.clearance, below=1.0)
        grid, turning = self.grid, 0.5 * (wj + wb)
        theta = np.broadcast_to(grid.x / self.radius, (len(x), grid.along))
        cos, sin = np.cos(theta), np.sin(theta)
        h = self.clearance - x[:, None] * cos - y[:, None] * sin
        u, w = vx + turning * y, vy - turning * x
        formula = short_pressure if isinstance(self.film, ShortFilm) else long_pressure
        p, flow = formula(self, mu[:, None], (x / self.clearance, y / self.clearance), (u, w), h, (cos, sin))
        if self.film.extent == "half":
            p, flow = np.maximum(p, 0.0), np.maximum(flow, 0.0)
        area = 2.0 * grid.dx * grid.dz
        fx, fy = (-area * np.sum(p * n[:, :, None], axis=(1, 2)) for n in (cos, sin))
        shear = grid.dx * self.film.length * self.radius**2 * (wj - wb) * mu * np.sum(1.0 / h, axis=1)
        half, zero = 0.5 * (x * fy - y * fx), np.zeros(len(x))
        thickness = np.broadcast_to(h[:, :, None], p.shape)
        return BearingFilm(
            theta=theta, z=grid.z, thickness=thickness, pressure=p, fill=np.ones_like(p), full=p > 0.0, content=thickness,
            force=np.stack((fx, fy), axis=1), journal_torque=-shear - half, bearing_torque=shear - half,
            side_flow=grid.dx * flow.sum(1), seam_flow=np.full(len(x), np.nan), supply_flow=zero, imbalance=zero, grid_error=zero,
            solves=np.zeros(len(x), int),
        )  # fmt: skip


def short_pressure(bearing, mu, ratio, velocity, h, direction):
    """``6 mu V.n/h^3 (L^2/4 - z^2)`` as means of the cells over z, (films, n, m) Pa, and ``L V.n``, what leaves both sides, m^2/s."""
    grid, along = bearing.grid, sum(u[:, None] * n for u, n in zip(velocity, direction, strict=True))
    shape = 0.25 * grid.width**2 - grid.z**2 - grid.dz**2 / 12.0
    return (6.0 * mu * along / h**3)[:, :, None] * shape, grid.width * along


def long_pressure(bearing, mu, ratio, velocity, h, direction):
    """``6 mu R^2 (c + h) Q.n/((2 + E^2) c^2 h^2)``, ``Q = 2 V + (E.V) E``, (films, n, m) Pa; nothing leaves the sides."""
    (ex, ey), (u, w), (cos, sin), c = ratio, velocity, direction, bearing.clearance
    turn = ex * u + ey * w
    along = (2.0 * u + turn * ex)[:, None] * cos + (2.0 * w + turn * ey)[:, None] * sin
    p = 6.0 * mu * bearing.radius**2 * (c + h) * along / ((2.0 + ex**2 + ey**2)[:, None] * c**2 * h**2)
    return np.repeat(p[:, :, None], bearing.grid.across, axis=2), np.zeros_like(h)
