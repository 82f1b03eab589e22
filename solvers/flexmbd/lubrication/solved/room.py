"""One flat array of float64 with all that a solved film reads, remembers and works in, so that compiled code is handed one address."""

from typing import NamedTuple

import numpy as np

from flexmbd.lanes import kernel
from flexmbd.lubrication.reynolds.active_set import Cells
from flexmbd.lubrication.reynolds.band import BandStorage, lengths
from flexmbd.lubrication.reynolds.quasi_static import QUASI_STATIC
from flexmbd.lubrication.reynolds.simd import inner

# n, m, shapes, supplies, half of the width (1) or all of it (0), model, solves of the last call, next way, size
HEAD = 16
SLOTS, WAYS = 64, 4  # remembered films: for each lane, that many
TABLES = 8  # fields over the cells, from `thickness` on
SOMMERFELD, GUMBEL, REYNOLDS = range(3)
MODELS = tuple(model.name for model in QUASI_STATIC)


class Room(NamedTuple):
    """Views of the array; n cells around, m across, K shapes."""

    head: np.ndarray
    shapes: np.ndarray  # (K, n, m) what a unit of an amplitude adds to the thickness, in m per unit
    keys: np.ndarray  # (SLOTS, WAYS, 2 K + 1) remembered places and directions of motion; last: 1 if there is one
    memory: np.ndarray  # (SLOTS, WAYS, n, m) their full cells, 1.0 or 0.0
    numbers: np.ndarray  # (2 K + 5 + supplies,) arguments of one film
    results: np.ndarray  # (2 K K + 2,) results of one film
    place: np.ndarray  # (2 K,) its key
    thickness: np.ndarray  # (n, m) m
    adjoint: np.ndarray  # (n, m)
    cells: Cells  # `supply`: number of the groove that a cell belongs to, -1 for none


@inner
def _next(block, start, size):
    """The next numbers of a block, and where they end."""
    return block[start : start + size], start + size


@kernel
def views(block):
    """`Room` of a block."""
    n, m, count, supplies = int(block[0]), int(block[1]), int(block[2]), int(block[3])
    ways, key, size = SLOTS * WAYS, 2 * count + 1, lengths(n, m)
    tables, a = _next(block, HEAD, (count + ways + TABLES) * n * m)
    gz, a = _next(block, a, n * (m + 1))
    rows, a = _next(block, a, n + 1)
    keys, a = _next(block, a, ways * key)
    numbers, a = _next(block, a, key + 4 + supplies)
    results, a = _next(block, a, 2 * count * count + 2)
    place, a = _next(block, a, 2 * count)
    band, a = _next(block, a, size[0])
    inverse, a = _next(block, a, size[1])
    border, a = _next(block, a, size[2])
    corner, a = _next(block, a, size[3])
    factors, a = _next(block, a, size[4])
    x, a = _next(block, a, size[5])
    t, space = tables.reshape((count + ways + TABLES, n, m)), BandStorage(band, inverse, border, corner, factors, x)
    keys, memory, f = keys.reshape((SLOTS, WAYS, key)), t[count : count + ways].reshape((SLOTS, WAYS, n, m)), t[count + ways :]
    cells = Cells(f[2], f[3], gz.reshape((n, m + 1)), f[4], f[5], f[6], f[7], rows, space)
    return Room(block[:HEAD], t[:count], keys, memory, numbers, results, place, f[0], f[1], cells)


def make_room(shapes, supply, *, half, model):
    """A block for a film.

    Parameters
    ----------
    shapes : (K, n, m) ndarray
        What a unit of each amplitude adds to the thickness in the cells' centres.
    supply : (n, m) ndarray of int
        Number of each cell's groove, -1 for none.
    half : bool
        Cells are over half of the width, and the film is symmetric.
    model : int
        ``SOMMERFELD``, ``GUMBEL`` or ``REYNOLDS``.
    """
    count, n, m = shapes.shape
    supplies, ways, key = int(supply.max()) + 1, SLOTS * WAYS, 2 * count + 1
    size = HEAD + (count + ways + TABLES) * n * m + n * (m + 2) + 1 + ways * key + 2 * key + 4 + supplies + 2 * count * count + 1
    size += sum(lengths(n, m))
    block = np.zeros(size)
    block[:9] = n, m, count, supplies, half, model, 0, 0, size
    room = views(block)
    room.shapes[:], room.cells.supply[:] = shapes, supply
    return block
