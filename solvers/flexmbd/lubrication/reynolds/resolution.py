"""Is the grid fine enough for the film's gradient? For bearings that stand alone."""

import warnings
from dataclasses import replace

import numpy as np

LIMIT = 0.02


class GridWarning(UserWarning):
    """The grid is too coarse for the film."""


def coarseness(problem):
    """(films,) estimated relative error of the force by the grid; along and across as a pair.

    Along: an eighth of the largest ``dx^2 |h''| / h``, the film's curvature over a cell, and ``3/n^2`` for the slope that is there in
    a film of any shape. Across: ``1/(2 m^2)``, the error of m cells for the parabola of a short bearing. The numbers are fitted to
    journal bearings of ratios 0.1 to 0.95 (tests); where the film ruptures the error scatters by the place of the rupture in its cell.
    """
    h = problem.thickness
    bend = np.abs(h[:, 2:] - 2.0 * h[:, 1:-1] + h[:, :-2])
    along = np.max(bend / h[:, 1:-1], axis=(1, 2)) / 8.0 + 3.0 / problem.grid.along**2
    across = 0.5 / problem.grid.across**2 if problem.grid.sides == "open" else 0.0
    return along, np.full_like(along, across)


def warn_if_coarse(problem, warn=True):
    """(films,) sum of both parts of `coarseness`; warns in words if one is above 2 %."""
    errors = coarseness(problem)
    grid = problem.grid
    for error, cells, way in zip(errors, grid.shape, ("along the motion", "over half of the width")):
        worst = int(np.argmax(error))
        if warn and error[worst] > LIMIT:
            enough = int(np.ceil(cells * np.sqrt(error[worst] / LIMIT)))
            warnings.warn(
                f"the film's grid is too coarse for its gradient: with {cells} cells {way} the force of film {worst} is wrong by about "
                f"{100 * error[worst]:.2g} %; {enough} cells bring this to {100 * LIMIT:g} %",
                GridWarning,
                stacklevel=4,
            )
    return errors[0] + errors[1]


def two_grids(bearing, x, y, vx=0.0, vy=0.0, **options):
    """Force on the journal extrapolated from a grid and one of half as many cells, and the relative error of the finer one's.

    Returns
    -------
    force : (films, 2) ndarray
        In N, for an error of second order.
    error : (films,) ndarray
        |difference of the fine grid's force to this| over |force|.
    """
    fine = bearing.solve(x, y, vx, vy, warn=False, **options).force
    half = replace(bearing, cells=tuple(max(n // 2, least) for n, least in zip(bearing.cells, (4, 1))))
    coarse = half.solve(x, y, vx, vy, warn=False, **options).force
    force = fine + (fine - coarse) / 3.0
    return force, np.linalg.norm(fine - force, axis=1) / np.maximum(np.linalg.norm(force, axis=1), 1e-300)
