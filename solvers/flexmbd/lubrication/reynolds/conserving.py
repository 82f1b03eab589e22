"""Films that keep their mass: pressure in full cells and fill fraction in ruptured ones, by the primal-dual active set method.

The one unknown of a cell is its pressure where it is full, and its fill fraction less 1 where it is ruptured; neither acts without the
other, so the right side is that of a film that is full everywhere, without pressure. What ruptured cells hand on goes downstream only: the
matrix has no symmetry. No proof is known to us that the method ends here.
"""

from typing import NamedTuple

import numpy as np

from flexmbd.lanes import kernel
from flexmbd.lubrication.reynolds.elimination import eliminate, width
from flexmbd.lubrication.reynolds.ring import RingCoefficients, ring_of, solve_ring
from flexmbd.lubrication.reynolds.simd import inner

MOST = 200  # linear solves


class Unknowns(NamedTuple):
    """Of one film, and space to solve for them."""

    u: np.ndarray  # (r, m) Pa, or fill fraction less 1
    place: np.ndarray  # (r,) int: order of the rows of cells in the band
    reach: int  # of the band; this and the rest: see ``elimination.py``
    band: np.ndarray
    x: np.ndarray
    row: np.ndarray


@inner
def _slope(ring, kappa, i, j, by_p, by_f):
    """Slope by the unknown of a cell, from those by its pressure and its fill fraction; none by held cells."""
    if ring.supply[i, j] >= 0.0:
        return 0.0
    return by_p + kappa * by_f if ring.on[i, j] > 0.0 else by_f


@inner
def _assemble(ring, unknowns, kappa):
    n, m = ring.on.shape
    gx, gz, cx, place, band, x = ring.gx, ring.gz, ring.cx, unknowns.place, unknowns.band, unknowns.x
    reach, wide = unknowns.reach, width(unknowns.reach)
    band[:] = 0.0
    for i in range(n):
        before, after = (i - 1 if i > 0 else n - 1), (i + 1 if i < n - 1 else 0)
        # where the ring is cut no cell acts upon its neighbour, which is out of reach
        west = min(max((place[before] - place[i]) * m, -reach), reach)
        east = min(max((place[after] - place[i]) * m, -reach), reach)
        for j in range(m):
            r = place[i] * m + j
            own = r * wide + reach
            x[r], band[own] = 0.0, 1.0
            if ring.supply[i, j] >= 0.0:
                continue
            x[r] = ring.base[i, j]
            carried = ring.store[i, j] + max(cx[after, j], 0.0) - min(cx[i, j], 0.0)
            band[own] = _slope(ring, kappa, i, j, gx[i, j] + gx[after, j] + gz[i, j] + gz[i, j + 1], carried)
            band[own + west] += _slope(ring, kappa, before, j, -gx[i, j], -max(cx[i, j], 0.0))
            band[own + east] += _slope(ring, kappa, after, j, -gx[after, j], min(cx[after, j], 0.0))
            if j > 0:
                band[own - 1] += _slope(ring, kappa, i, j - 1, -gz[i, j], 0.0)
            if j < m - 1:
                band[own + 1] += _slope(ring, kappa, i, j + 1, -gz[i, j + 1], 0.0)


@kernel
def _settle(ring, unknowns, kappa):
    """Plain tuples, since machine code on disk knows its arguments' classes by their names."""
    ring, unknowns = RingCoefficients(*ring), Unknowns(*unknowns)
    n, m = ring.on.shape
    u, on = unknowns.u, ring.on
    for turn in range(MOST):
        _assemble(ring, unknowns, kappa)
        eliminate(unknowns.band, unknowns.reach, unknowns.x, unknowns.row)
        highest = 0.0
        for i in range(n):
            for j in range(m):
                u[i, j] = unknowns.x[unknowns.place[i] * m + j]
                highest = max(highest, on[i, j] * abs(u[i, j]))
        changes = 0
        for i in range(n):
            for j in range(m):
                if ring.supply[i, j] < 0.0 and (u[i, j] < -1e-13 * highest if on[i, j] > 0.0 else u[i, j] > 1e-12):
                    on[i, j] = 1.0 - on[i, j]
                    changes += 1
        if changes == 0:
            return True, turn + 1
    return False, MOST


def _order(held):
    """Places of the rows of cells in the band, and how far neighbours are apart at most.

    A ring is cut where nothing couples across; without such a place it is folded, both halves side by side.
    """
    n = len(held)
    i = np.arange(n)
    alone = np.flatnonzero(np.all(held | np.roll(held, 1, axis=0), axis=1))
    return ((i - alone[0]) % n, 1) if len(alone) else (np.where(2 * i < n, 2 * i, 2 * (n - 1 - i) + 1), 2)


def solve_conserving(problem, *, compressibility=0.0, start=None):
    """`Pressure` of a `Problem` from the full cells `start` (films, n, m) bool, or from a film that is full everywhere.

    The fill fraction of a full cell is 1 and the pressure times `compressibility`, 1/bulk modulus in 1/Pa.
    """
    kappa, ring = float(compressibility), ring_of(problem, start)
    rows, m = ring.on.shape[1:]
    place, apart = _order(np.all(ring.supply >= 0.0, axis=0))
    wide = width(apart * m)
    work = place, apart * m, np.empty(rows * m * wide), np.empty(rows * m), np.empty(wide)
    return solve_ring(problem, ring, lambda one, u: _settle(one, (u, *work), kappa), kappa)
