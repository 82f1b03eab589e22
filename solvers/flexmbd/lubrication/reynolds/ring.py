"""A film as a ring of cells, which is what compiled code solves, and its solution."""

from typing import NamedTuple

import numpy as np

from flexmbd.lubrication.reynolds.problem import outflow


class Pressure(NamedTuple):
    """Solved films: films first, then (along, across)."""

    pressure: np.ndarray  # (films, n, m) Pa
    fill: np.ndarray  # (films, n, m) fill fraction; above 1 by p/bulk modulus in a compressible film
    full: np.ndarray  # (films, n, m) bool: the start of a next, similar solve
    solves: np.ndarray  # (films,) linear solves taken
    converged: np.ndarray  # (films,) bool


class RingCoefficients(NamedTuple):
    """Coefficients of a `Problem` on a ring of r rows of cells: n, and where the film has ends one more between them, which is held."""

    supply: np.ndarray  # (films, r, m) 0.0 in held cells, -1.0 in others
    gx: np.ndarray  # (films, r, m) of the faces before the cells, m^3/(Pa s)
    gz: np.ndarray  # (films, r, m + 1)
    cx: np.ndarray  # (films, r, m) m^3/s
    store: np.ndarray  # (films, r, m) m^3/s
    base: np.ndarray  # (films, r, m) inflow where all cells are full, without pressure but in held ones, m^3/s
    on: np.ndarray  # (films, r, m) 1.0 in full cells but held ones


def ring_of(problem, start=None):
    """`Ring` of a `Problem` whose full cells are `start` (films, n, m) bool, or all."""
    ring, free = problem.grid.ring, ~problem.supplied
    known = np.where(free, 0.0, problem.supply)

    def rows(field):
        return field if ring else np.concatenate((field, np.zeros_like(field[:, :1])), 1)

    gx, cx = (field[:, :-1] if ring else field for field in (problem.gx, problem.cx))
    base = rows(-outflow(problem, known, np.ones_like(known)))
    on = rows(np.where(free if start is None else free & np.asarray(start, bool), 1.0, 0.0))
    fields = rows(np.where(free, -1.0, 0.0)), gx, rows(problem.gz), cx, rows(problem.store), base, on
    return RingCoefficients(*(np.ascontiguousarray(field) for field in fields))  # one memory order, so that one compiled kernel serves all


def solve_ring(problem, ring, solve, compressibility=0.0):
    """`Pressure` of a `Problem`, film by film.

    ``solve(one, u) -> settled, linear solves`` gets the fields of one film, changes its full cells (the last) and writes the unknowns u
    (r, m): pressures of full cells, and of others the fill fraction less 1 if mass is conserved.
    """
    n, u = problem.grid.along, np.zeros(ring.on.shape)
    told = [solve(tuple(field[s] for field in ring), u[s]) for s in range(len(u))]
    u, held, full = u[:, :n], problem.supplied, ring.on[:, :n] > 0.0
    pressure = np.where(held, problem.supply, np.where(full, u, 0.0))
    fill = 1.0 + np.where(held, 0.0, np.where(full, compressibility * u, u))
    return Pressure(pressure, fill, full | held, np.array([solves for _, solves in told]), np.array([settled for settled, _ in told]))
