"""Slider of infinite width: Reynolds' equation along one line. Stands alone: no model uses it."""

from typing import NamedTuple

import numpy as np

from flexmbd.errors import check_number
from flexmbd.lubrication.reynolds.grid import Grid
from flexmbd.lubrication.reynolds.problem import fluxes, outflow, reynolds_problem
from flexmbd.lubrication.reynolds.resolution import warn_if_coarse
from flexmbd.lubrication.reynolds.solve import solve_film


class SliderFilm(NamedTuple):
    """Solved sliders, films first."""

    x: np.ndarray  # (n,) cells' centres, m
    pressure: np.ndarray  # (films, n) Pa
    fill: np.ndarray  # (films, n)
    full: np.ndarray  # (films, n) bool
    flow: np.ndarray  # (films, n+1) through the faces, m^2/s
    load: np.ndarray  # (films,) N/m
    imbalance: np.ndarray  # (films,) sum of all cells' |outflow| over the largest flow
    solves: np.ndarray  # (films,) linear solves taken


def solve_slider(
    thickness, length, *, viscosity, speed, ends=(0.0, 0.0), cells=256, cavitation="giacopini", squeeze=0.0, start=None, step=None,
    content=None, warn=True,
):  # fmt: skip
    """`SliderFilm` between a plane that moves along x and a fixed surface.

    Parameters
    ----------
    thickness : callable
        h(x) in m, from (n,) ndarray to (n,) or (films, n).
    length : float
        In m; x runs from 0 to it.
    viscosity : float
        In Pa s.
    speed : float or (films,) ndarray
        Of the moving plane in m/s; the film is full where it enters.
    ends : pair of float
        Pressures at x = 0 and x = length, less the cavitation pressure, in Pa.
    cells : int
    cavitation : str or model
    squeeze : float or (films, n) ndarray
        dh/dt in m/s.
    start, content : (films, n) ndarray, optional
        Full cells to begin with; content (m) of the time step before, with `step` in s.
    """
    check_number("slider", "length", length, positive=True)
    grid = Grid(cells, 1, float(length), 2.0, ring=False, sides="closed")
    h = np.atleast_2d(thickness(grid.x))
    edges = [np.atleast_2d(thickness(np.array([x])))[:, 0] for x in (0.0, length)]
    problem = reynolds_problem(
        grid, h[:, :, None], viscosity=viscosity, entrainment=0.5 * np.asarray(speed, float), squeeze=_column(squeeze), ends=ends,
        end_thickness=edges, step=step, content=_column(content),
    )  # fmt: skip
    warn_if_coarse(problem, warn)
    found = solve_film(problem, cavitation, _column(start))
    flows = fluxes(problem, found.pressure, found.fill)
    flow = flows[0][:, :, 0]
    net = np.abs(outflow(problem, found.pressure, found.fill, flows)).sum(axis=(1, 2))
    return SliderFilm(
        x=grid.x, pressure=found.pressure[:, :, 0], fill=found.fill[:, :, 0], full=found.full[:, :, 0], flow=flow,
        load=found.pressure.sum(axis=(1, 2)) * grid.dx, imbalance=net / np.maximum(np.max(np.abs(flow), axis=1), 1e-300),
        solves=found.solves,
    )  # fmt: skip


def _column(field):
    return field if field is None or np.ndim(field) == 0 else np.asarray(field)[..., None]
