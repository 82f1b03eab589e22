"""Full and ruptured cells by the primal-dual active set method, a semismooth Newton method with a direct solve.

In a full cell the unknown is the pressure, in a ruptured one the fill fraction (or nothing, where mass is not conserved). After each
solve, a full cell below the cavitation pressure (zero) ruptures, and a ruptured one that overflows becomes full, until none changes.
Where mass is not conserved the matrix is a Stieltjes matrix, and the method ends after finitely many steps (Hintermüller, Ito and
Kunisch, *SIAM J. Optim.* 13, 2002).
"""

from typing import NamedTuple

import numpy as np

from flexmbd.lanes import kernel
from flexmbd.lubrication.reynolds.elimination import solve_rows, workspace


class Pressure(NamedTuple):
    """Solved films: films first, then (along, across)."""

    pressure: np.ndarray  # (films, n, m) Pa
    fill: np.ndarray  # (films, n, m) fill fraction; above 1 by p/bulk modulus in a compressible film
    full: np.ndarray  # (films, n, m) bool: the start of a next, similar solve
    solves: np.ndarray  # (films,) linear solves taken
    converged: np.ndarray  # (films,) bool


@kernel
def _side(mass, kappa, full, fixed, given, on_p, on_f):
    """Coefficient of a neighbour's unknown, and its share of the right side, for weights of its pressure and fill."""
    if fixed:
        return 0.0, -on_p * given - on_f
    if full:
        return on_p + kappa * on_f, -on_f
    if mass:
        return on_f, 0.0
    return 0.0, -on_f


@kernel
def _assemble(ring, mass, kappa, gx, gz, cx, store, source, ends, side, fixed, given, full, centre, west, east, south, north, right):
    n, m = full.shape
    for i in range(n):
        a = i - 1 if i > 0 else n - 1
        b = i + 1 if i < n - 1 else 0
        for j in range(m):
            west[i, j] = east[i, j] = south[i, j] = north[i, j] = right[i, j] = 0.0
            centre[i, j] = 1.0
            if fixed[i, j] or not (full[i, j] or mass):
                continue
            own_f = store[i, j] + max(cx[i + 1, j], 0.0) - min(cx[i, j], 0.0)
            total = -source[i, j]
            if full[i, j]:
                centre[i, j] = gx[i, j] + gx[i + 1, j] + gz[i, j] + gz[i, j + 1] + kappa * own_f
                total -= own_f
            else:
                centre[i, j] = own_f
            on_p, on_f = -gx[i, j], -max(cx[i, j], 0.0)
            if i > 0 or ring:
                west[i, j], more = _side(mass, kappa, full[a, j], fixed[a, j], given[a, j], on_p, on_f)
            else:
                more = -on_p * ends[0] - on_f
            total += more
            on_p, on_f = -gx[i + 1, j], min(cx[i + 1, j], 0.0)
            if i < n - 1 or ring:
                east[i, j], more = _side(mass, kappa, full[b, j], fixed[b, j], given[b, j], on_p, on_f)
            else:
                more = -on_p * ends[1] - on_f
            total += more
            if j > 0:
                south[i, j], more = _side(mass, kappa, full[i, j - 1], fixed[i, j - 1], given[i, j - 1], -gz[i, j], 0.0)
                total += more
            if j < m - 1:
                north[i, j], more = _side(mass, kappa, full[i, j + 1], fixed[i, j + 1], given[i, j + 1], -gz[i, j + 1], 0.0)
                total += more
            else:
                total += gz[i, m] * side
            right[i, j] = total


@kernel
def _overflow(ring, i, j, gx, gz, cx, store, source, ends, side, p):
    """Net inflow into a cell without pressure whose neighbours are full: it wants to be full itself if this is above zero."""
    n, m = p.shape
    before = p[i - 1, j] if i > 0 else (p[n - 1, j] if ring else ends[0])
    after = p[i + 1, j] if i < n - 1 else (p[0, j] if ring else ends[1])
    below = p[i, j - 1] if j > 0 else 0.0
    above = p[i, j + 1] if j < m - 1 else side
    flow = gx[i, j] * before + gx[i + 1, j] * after + gz[i, j] * below + gz[i, j + 1] * above
    return flow + cx[i, j] - cx[i + 1, j] - store[i, j] - source[i, j]


@kernel
def _run(ring, mass, free, kappa, most, gx, gz, cx, store, source, ends, side, fixed, given, full, p, fill, solves, converged, work, space):
    films, n, m = p.shape
    centre, west, east, south, north, right, u = work[0], work[1], work[2], work[3], work[4], work[5], work[6]
    for s in range(films):
        along, across, carried, stored, squeezed = gx[s], gz[s], cx[s], store[s], source[s]
        held, level, on, q, f, edge = fixed[s], given[s], full[s], p[s], fill[s], ends[s]
        for turn in range(most):
            _assemble(
                ring, mass, kappa, along, across, carried, stored, squeezed, edge, side[s], held, level, on,
                centre, west, east, south, north, right,
            )  # fmt: skip
            solve_rows(ring, centre, west, east, south, north, right, space, u)
            highest = flow = 0.0
            for i in range(n):
                for j in range(m):
                    q[i, j] = level[i, j] if held[i, j] else (u[i, j] if on[i, j] else 0.0)
                    f[i, j] = 1.0
                    if mass and not held[i, j]:
                        f[i, j] = 1.0 + kappa * u[i, j] if on[i, j] else u[i, j]
                    highest = max(highest, abs(q[i, j]))
                    flow = max(flow, abs(carried[i, j]) + abs(squeezed[i, j]))
            changes = 0
            if free:
                for i in range(n):
                    for j in range(m):
                        if held[i, j]:
                            continue
                        if on[i, j]:
                            swap = q[i, j] < -1e-13 * highest
                        elif mass:
                            swap = f[i, j] > 1.0 + 1e-12
                        else:
                            swap = _overflow(ring, i, j, along, across, carried, stored, squeezed, edge, side[s], q) > 1e-13 * flow
                        if swap:
                            on[i, j] = not on[i, j]
                            changes += 1
            solves[s] = turn + 1
            if changes == 0:
                converged[s] = True
                break


def solve_active(problem, *, mass, free=True, compressibility=0.0, start=None, most=200):
    """Solve a `Problem` from the full cells `start` (films, n, m) bool, or from a film that is full everywhere.

    Parameters
    ----------
    mass : bool
        True: ruptured cells keep their balance by the fill fraction.
    free : bool
        False: no cell ruptures (Sommerfeld).
    compressibility : float
        1/bulk modulus in 1/Pa, used with `mass`.
    most : int
        Linear solves at most per film.
    """
    shape = problem.thickness.shape
    full = np.ones(shape, bool) if start is None else np.array(np.broadcast_to(start, shape), bool)
    p, fill = np.zeros(shape), np.ones(shape)
    solves, converged = np.zeros(shape[0], np.int64), np.zeros(shape[0], bool)
    g = problem
    # one memory order, so that one compiled kernel serves all
    fields = [np.ascontiguousarray(v) for v in (g.gx, g.gz, g.cx, g.store, g.source, g.ends, g.side, g.supplied, g.supply, full)]
    full = fields[-1]
    _run(
        g.grid.ring,
        mass,
        free,
        float(compressibility),
        most,
        *fields,
        p,
        fill,
        solves,
        converged,
        np.empty((7, *shape[1:])),
        workspace(*shape[1:]),
    )
    return Pressure(p, fill, full, solves, converged)
