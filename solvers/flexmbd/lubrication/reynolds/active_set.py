"""Cells of a ring that hold a full film, by the primal-dual active set method, a semismooth Newton method with a direct solve.

For films that do not keep their mass: a full cell below the cavitation pressure (zero) ruptures, an empty one into which more flows than
out of it becomes full, until none changes. The matrix is a Stieltjes matrix, so this ends after finitely many steps, at the one solution
of the complementarity problem (Hintermüller, Ito and Kunisch, *SIAM J. Optim.* 13, 2002). Only rows with full cells are eliminated.

Films solved at once (``quasi_static.py``) and those of the time loop (``solved``) go through here.
"""

from typing import NamedTuple

import numpy as np

from flexmbd.lubrication.reynolds.band import BandStorage, factorise, padded, stride_of, substitute
from flexmbd.lubrication.reynolds.simd import inlined, inner


class Cells(NamedTuple):
    """One film as a ring of cells, n around, m across, and room to solve for its pressure."""

    supply: np.ndarray  # (n, m) below zero in cells whose pressure is unknown
    gx: np.ndarray  # (n, m) conductance of the face before a cell, m^3/(Pa s)
    gz: np.ndarray  # (n, m + 1) conductance of the faces across
    base: np.ndarray  # (n, m) inflow of a cell whose unknown neighbours have no pressure, m^3/s
    on: np.ndarray  # (n, m) 1.0 in full cells, whose pressure is solved for
    pressure: np.ndarray  # (n, m) Pa; zero where it is known
    share: np.ndarray  # (n, m) 1.0 in cells that change sides
    rows: np.ndarray  # (n + 1,) listed rows of cells
    space: BandStorage


@inner
def list_rows(cells):
    """Rows with full cells from the first place on where nothing couples across; their number, and True if there is no such place."""
    n, m = cells.on.shape
    on, rows = cells.on, cells.rows
    first = -1
    for i in range(n):
        before = i - 1 if i > 0 else n - 1
        coupled = False
        for j in range(m):
            coupled = coupled or on[i, j] * on[before, j] > 0.0
        if not coupled:
            first = i
            break
    closed = first < 0
    found = 0
    for step in range(n - 1 if closed else n):
        i = (first + step) % n if not closed else step
        wet = closed
        for j in range(m):
            wet = wet or on[i, j] > 0.0
        if wet:
            rows[found] = i
            found += 1
    if closed:
        rows[found] = n - 1
    return found, closed


@inner
def assemble(cells, found, closed):
    """Write the listed rows' equations; cells that are not full get ``p = 0``."""
    n, m = cells.on.shape
    on, gx, gz, rows = cells.on, cells.gx, cells.gz, cells.rows
    band, border, corner, stride, wide = cells.space.band, cells.space.border, cells.space.corner, stride_of(m), padded(m)
    for k in range(found + (1 if closed else 0)):
        i = int(rows[k])
        after = i + 1 if i < n - 1 else 0
        joined = k < found - 1 and int(rows[k + 1]) == after
        for j in range(m):
            full = on[i, j]
            centre = full * (gx[i, j] + gx[after, j] + gz[i, j] + gz[i, j + 1]) + (1.0 - full)
            north = -full * on[i, j + 1] * gz[i, j + 1] if j < m - 1 else 0.0
            if k == found:
                corner[j * wide + j] = centre
                if j < m - 1:
                    corner[j * wide + j + 1] = corner[(j + 1) * wide + j] = north
                continue
            own = (m + k * m + j) * stride
            for d in range(1, m + 1):
                band[own + d] = 0.0
            band[own] = centre
            band[own + 1] += north
            if joined:
                band[own + m] -= full * on[after, j] * gx[after, j]
            if closed:
                at = (m + k * m + j) * wide
                for b in range(wide):
                    border[at + b] = 0.0
                if k == 0:
                    border[at + j] -= full * on[n - 1, j] * gx[i, j]
                if k == found - 1:
                    border[at + j] -= full * on[n - 1, j] * gx[after, j]


@inner
def take(cells, found, closed, field):
    """Right side from a field, zero in cells that are not full."""
    n_rows, m = found + (1 if closed else 0), cells.on.shape[1]
    for k in range(n_rows):
        i = int(cells.rows[k])
        for j in range(m):
            cells.space.x[m + k * m + j] = cells.on[i, j] * field[i, j]
    for j in range(m + 8):
        cells.space.x[m + n_rows * m + j] = 0.0


@inner
def solve_rows(cells, found, closed, field, out):
    """Solve for `out` (n, m) with the factors there are; zero in cells that are not full."""
    n, m = cells.on.shape
    take(cells, found, closed, field)
    substitute(found, m, closed, cells.space)
    for i in range(n):
        for j in range(m):
            out[i, j] = 0.0
    for k in range(found + (1 if closed else 0)):
        i = int(cells.rows[k])
        for j in range(m):
            out[i, j] = cells.space.x[m + k * m + j]


@inner
def _swap(cells, tolerance):
    """Full cells without pressure rupture, others that overflow become full; the number of changes."""
    n, m = cells.on.shape
    on, p, gx, gz = cells.on, cells.pressure, cells.gx, cells.gz
    highest = flow = 0.0
    for i in range(n):
        for j in range(m):
            highest, flow = max(highest, abs(p[i, j])), max(flow, abs(cells.base[i, j]))
    changes = 0
    for i in range(n):
        before, after = (i - 1 if i > 0 else n - 1), (i + 1 if i < n - 1 else 0)
        for j in range(m):
            if on[i, j] > 0.0:
                change = p[i, j] < -tolerance * highest
            elif cells.supply[i, j] >= 0.0:
                change = False
            else:
                inflow = cells.base[i, j] + gx[i, j] * p[before, j] + gx[after, j] * p[after, j]
                inflow += gz[i, j] * p[i, j - 1] if j > 0 else 0.0
                inflow += gz[i, j + 1] * p[i, j + 1] if j < m - 1 else 0.0
                change = inflow > tolerance * flow
            if change:
                cells.share[i, j] = 1.0
                changes += 1
            else:
                cells.share[i, j] = 0.0
    if changes > 0:
        for i in range(n):
            for j in range(m):
                if cells.share[i, j] > 0.0:
                    on[i, j] = 1.0 - on[i, j]
    return changes


@inlined
def settle(cells, free, most, patience):
    """Solve for the pressure from the full cells in `on`; these stay as they are unless `free`.

    At most that many linear solves; after `patience` of them a cell needs ever more to change sides, so that round-off does not go round
    in circles. Returns whether the full cells settled, the number of listed rows, True for a ring that is full all round, with the
    factors of the last solve, and the number of solves.
    """
    m, settled, found, closed, solves, tolerance = cells.on.shape[1], False, 0, False, 0, 1e-13
    for turn in range(most):
        found, closed = list_rows(cells)
        if closed:
            for a in range(m * padded(m)):
                cells.space.corner[a] = 0.0
        assemble(cells, found, closed)
        factorise(found, m, closed, cells.space)
        solve_rows(cells, found, closed, cells.base, cells.pressure)
        solves = turn + 1
        if not free or _swap(cells, tolerance) == 0:
            settled = True
            break
        if turn >= patience:
            tolerance *= 2.0
    return settled, found, closed, solves
