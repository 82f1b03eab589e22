"""A film of generalised thicknesses on a grid, as a Python object: its shapes, and single solves."""

import hashlib
from functools import cached_property
from typing import NamedTuple

import numpy as np

from flexmbd.errors import ModelError
from flexmbd.lubrication.solved.link import run
from flexmbd.lubrication.solved.room import MODELS, make_room, views
from flexmbd.lubrication.solved.sums import FORCE, TANGENT


class SolvedFilm(NamedTuple):
    """One solved film; K shapes, n cells around, m across."""

    force: np.ndarray  # (K,) generalised forces, in N per unit of the shape
    by_place: np.ndarray  # (K, K) derivative of force k by amplitude l
    by_rate: np.ndarray  # (K, K) by rate l
    pressure: np.ndarray  # (n, m) Pa
    thickness: np.ndarray  # (n, m) m
    solves: int  # linear solves taken


class GridFilm:
    """Film whose thickness is ``h = c + sum_k s_k phi_k`` and whose rate without history is ``sum_k r_k phi_k``.

    The rate is ``dh/dt + s dh/dtheta`` with the mean spin s of both surfaces against the axes in which theta is measured. The generalised
    forces ``Q_k = int (p - p_side) phi_k dA`` push s_k. A rigid journal at (x, y) has the shapes ``-cos theta`` and ``-sin theta``, the
    rates (u, w) of ``docs/theory/lubrication.md``, and Q is the force on it.

    Parameters
    ----------
    shapes : (K, n, m) ndarray
        In the cells' centres (`GridFilm.angles`, `GridFilm.places`), in m of thickness by unit of the amplitude.
    cavitation : str
        ``"sommerfeld"``, ``"gumbel"`` or ``"reynolds"``.
    half : bool
        The cells are over half of the width, and pressure and shapes are symmetric. False: over all of it.
    supply : (n, m) ndarray of int, optional
        Number of the groove that each cell belongs to, -1 for none.

    Raises
    ------
    ModelError : a cavitation model that is not quasi-static, too few cells.
    """

    def __init__(self, shapes, *, cavitation="reynolds", half=True, supply=None):
        shapes = np.ascontiguousarray(shapes, float)
        if cavitation not in MODELS:
            known = ", ".join(map(repr, MODELS))
            raise ModelError(f"solved film: cavitation is {cavitation!r}", remedy=f"it must be one of {known}; others depend on the past")
        if shapes.ndim != 3 or shapes.shape[1] < 4 or not np.all(np.isfinite(shapes)):
            raise ModelError(f"solved film: shapes have shape {shapes.shape}", remedy="it must be (K, n, m), n at least 4, finite numbers")
        self.count, self.cells = len(shapes), shapes.shape[1:]
        supply = np.full(self.cells, -1) if supply is None else np.asarray(supply)
        self.supplies, self.cavitation, self.half = int(supply.max()) + 1, cavitation, half
        self._shapes, self._supply = shapes, supply
        parts = (np.array(self.cells), shapes, supply, np.array([half, MODELS.index(cavitation)]))
        self.digest = hashlib.sha256(b"".join(np.ascontiguousarray(x, float).tobytes() for x in parts)).hexdigest()

    @cached_property
    def block(self):
        """What compiled code reads, remembers and works in (`room`); for one thread at a time."""
        return make_room(self._shapes, self._supply, half=self.half, model=MODELS.index(self.cavitation))

    @staticmethod
    def angles(n):
        """(n,) angle of the cells' centres in rad."""
        return (np.arange(n) + 0.5) * (2.0 * np.pi / n)

    @staticmethod
    def places(m, half=True):
        """(m,) places of the cells' centres along the axis, by half of the length: in (0, 1), or (-1, 1)."""
        return (np.arange(m) + 0.5) / m if half else (2.0 * np.arange(m) + 1.0) / m - 1.0

    def solve(self, s, r, *, clearance, radius, viscosity, length, side=0.0, supply=()):
        """`SolvedFilm` of one film.

        Parameters
        ----------
        s, r : (K,) ndarray
            Amplitudes and rates.
        clearance, radius, viscosity, length : float
            m, m, Pa s, m.
        side : float
            Pressure at the sides above that of cavitation, in Pa.
        supply : sequence of float
            Pressures of the grooves in Pa.

        Raises
        ------
        ModelError : the gap is closed somewhere, or the ruptured region does not settle.
        """
        room = views(self.block)
        given = np.array((*s, *r, clearance, radius, viscosity, length, side, *supply), float)
        force, solves = run(self, given, FORCE), int(self.block[6])
        if not np.all(np.isfinite(force)):
            raise ModelError("solved film: it has no solution", remedy="the gap must be above zero everywhere")
        pressure, thickness = np.where(room.cells.share > 0.0, room.cells.pressure, 0.0), room.thickness.copy()
        tangent = run(self, given, TANGENT).reshape(self.count, 2, self.count)
        return SolvedFilm(force, tangent[:, 0].copy(), tangent[:, 1].copy(), pressure, thickness, solves)

    def forget(self):
        """Forget the full cells of films solved before: the next solve starts from its own guess."""
        views(self.block).keys[:] = 0.0
