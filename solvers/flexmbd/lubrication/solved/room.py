"""One flat array of float64 with all that a solved film reads, remembers and works in, so that compiled code is handed one address."""

from typing import NamedTuple

import numpy as np

from flexmbd.lubrication.solved.simd import EIGHT, inner

# n, m, shapes, supplies, half of the width (1) or all of it (0), model, solves of the last call, next way, size, widths of border and band
HEAD = 16
SLOTS, WAYS = 64, 4  # remembered films: for each lane, that many
SOMMERFELD, GUMBEL, REYNOLDS = range(3)
MODELS = ("sommerfeld", "gumbel", "reynolds")


class Room(NamedTuple):
    """Views of the array; n cells around, m across, K shapes."""

    head: np.ndarray
    shapes: np.ndarray  # (K, n, m) what a unit of an amplitude adds to the thickness, in m per unit
    supply: np.ndarray  # (n, m) number of the groove that a cell belongs to, -1 for none
    keys: np.ndarray  # (SLOTS, WAYS, 2 K + 1) remembered places and directions of motion; last: 1 if there is one
    memory: np.ndarray  # (SLOTS, WAYS, n, m) their full cells, 1.0 or 0.0
    numbers: np.ndarray  # (2 K + 5 + supplies,) arguments of one film
    results: np.ndarray  # (2 K K + 2,) results of one film
    place: np.ndarray  # (2 K,) its key
    thickness: np.ndarray  # (n, m) m
    gx: np.ndarray  # (n, m) conductance of the face before a cell, m^3/(Pa s)
    gz: np.ndarray  # (n, m + 1) conductance of the faces across
    base: np.ndarray  # (n, m) inflow of a cell whose unknown neighbours have no pressure, m^3/s
    pressure: np.ndarray  # (n, m) Pa
    on: np.ndarray  # (n, m) 1.0 in cells whose pressure is unknown and solved for
    rows: np.ndarray  # (n + 1,) listed rows of cells
    adjoint: np.ndarray  # (n, m)
    share: np.ndarray  # (n, m)
    band: np.ndarray
    inverse: np.ndarray
    border: np.ndarray
    corner: np.ndarray
    factors: np.ndarray
    x: np.ndarray


@inner
def views(block):
    """`Room` of a block."""
    n, m, count, supplies = int(block[0]), int(block[1]), int(block[2]), int(block[3])
    cells, wide, stride, key = n * m, int(block[9]), int(block[10]), 2 * count + 1
    a = HEAD
    shapes = block[a : a + count * cells].reshape((count, n, m))
    a += count * cells
    supply = block[a : a + cells].reshape((n, m))
    a += cells
    keys = block[a : a + SLOTS * WAYS * key].reshape((SLOTS, WAYS, key))
    a += SLOTS * WAYS * key
    memory = block[a : a + SLOTS * WAYS * cells].reshape((SLOTS, WAYS, n, m))
    a += SLOTS * WAYS * cells
    numbers = block[a : a + key + 4 + supplies]
    a += key + 4 + supplies
    results = block[a : a + 2 * count * count + 2]
    a += 2 * count * count + 2
    place = block[a : a + 2 * count]
    a += 2 * count
    thickness = block[a : a + cells].reshape((n, m))
    a += cells
    gx = block[a : a + cells].reshape((n, m))
    a += cells
    gz = block[a : a + cells + n].reshape((n, m + 1))
    a += cells + n
    base = block[a : a + cells].reshape((n, m))
    a += cells
    pressure = block[a : a + cells].reshape((n, m))
    a += cells
    on = block[a : a + cells].reshape((n, m))
    a += cells
    rows = block[a : a + n + 1]
    a += n + 1
    adjoint = block[a : a + cells].reshape((n, m))
    a += cells
    share = block[a : a + cells].reshape((n, m))
    a += cells
    band = block[a : a + (cells + m) * stride]
    a += (cells + m) * stride
    inverse = block[a : a + cells + m]
    a += cells + m
    border = block[a : a + (cells + m) * wide]
    a += (cells + m) * wide
    corner = block[a : a + m * wide]
    a += m * wide
    factors = block[a : a + m + EIGHT]
    a += m + EIGHT
    x = block[a : a + cells + 2 * m + EIGHT]
    return Room(
        block[:HEAD], shapes, supply, keys, memory, numbers, results, place, thickness, gx, gz, base, pressure, on, rows, adjoint, share,
        band, inverse, border, corner, factors, x,
    )  # fmt: skip


def views_of(block):
    """`Room` of a block, outside of compiled code."""
    return getattr(views, "py_func", views)(block)


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
    supplies, cells, wide = int(supply.max()) + 1, n * m, (m + EIGHT - 1) // EIGHT * EIGHT
    size = HEAD + count * cells + SLOTS * WAYS * (2 * count + 1 + cells) + 2 * count + 5 + supplies + 2 * count * count + 2 + 2 * count
    size += 9 * cells + 2 * n + 1 + (cells + m) * (m + 1 + 2 * wide) + m * wide + m + EIGHT + cells + 2 * m + EIGHT
    block = np.zeros(size)
    block[:11] = n, m, count, supplies, half, model, 0, 0, size, wide, m + wide
    room = views_of(block)
    room.shapes[:], room.supply[:] = shapes, supply
    return block
