"""Film, cavitation, liner and journal as one system of equations with one unknown a cell and the journal's place.

The unknown w of a cell is its pressure where it is positive, and less what the cell lacks where it is negative: the fill fraction
(``1 - f = -w/p_0``, mass conserved) or the outflow (``-w g_0``, Reynolds' rupture). So ``p >= 0``, the other ``>= 0`` and one of both
zero hold by construction, and the balances of the cells are piecewise smooth in w (the normal map of the complementarity problem,
Robinson, *Math. Oper. Res.* 17, 1992). With Barus' law w is the reduced pressure.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as spl

from flexmbd.lubrication.elastic.stencil import Stencil
from flexmbd.lubrication.reynolds.barus import true_pressure
from flexmbd.lubrication.reynolds.problem import ReynoldsProblem, fluxes, outflow, reynolds_problem


@dataclass(frozen=True)
class Journal:
    """Motions of one surface that the film's forces act upon: ``inertia (y - ahead) = load + force``; y in m.

    Parameters
    ----------
    directions : (k, n, m) ndarray
        Thickness by the motions, -.
    load : (k,) ndarray
        External force in N.
    inertia : float
        In N/m: mass over the square of the time step; 0: equilibrium.
    ahead : (k,) ndarray
        Place without any force, m.
    """

    directions: np.ndarray
    load: np.ndarray
    inertia: float = 0.0
    ahead: Any = 0.0


class FilmState(NamedTuple):
    """One film at one w and y."""

    w: np.ndarray  # (n, m) Pa
    y: np.ndarray  # (k,) m
    problem: ReynoldsProblem | None  # None: the thickness is not above zero somewhere
    pressure: np.ndarray  # (n, m) Pa
    stiffening: np.ndarray | float  # (n, m) pressure by reduced pressure
    deflection: np.ndarray  # (n, m) m
    fill: np.ndarray  # (1, n, m)
    flows: tuple  # of `fluxes`
    residual: np.ndarray  # (n m + k,) over the scales: balances of the cells, then of the journal
    size: float  # its Euclidean norm

    @property
    def thickness(self):
        """(n, m) in m."""
        return self.problem.thickness[0]

    @property
    def content(self):
        """(n, m) fill fraction times thickness, m: the history of the next time step."""
        return self.fill[0] * self.thickness


@dataclass(frozen=True, eq=False)
class FilmEquations:
    """One film on `grid` over a liner.

    Parameters
    ----------
    grid : Grid
    gap : (n, m) ndarray
        Thickness without pressure and with the journal at y = 0, m.
    options : dict
        Of `reynolds_problem`: viscosity, entrainment, squeeze, ends, side, supplied, supply, step, content (n, m).
        Pressures as reduced ones with Barus' law.
    compliance : LocalCompliance or RingCompliance, or None
        None: a rigid bearing.
    mass : bool
        True: mass is conserved; False: Reynolds' rupture.
    pressure_viscosity : float
        a of Barus' law in 1/Pa.
    journal : Journal
        With no motions the place is given by `gap`.
    scale : tuple of float
        Pressure p_0 (Pa), flow (m^3/s; over p_0 it is g_0) and force (N) by which unknowns and residuals are measured.
    stencil : Stencil
        Of the grid.
    """

    grid: Any
    gap: np.ndarray
    options: dict
    compliance: Any
    mass: bool
    pressure_viscosity: float
    journal: Journal
    scale: tuple
    stencil: Stencil

    @property
    def supplied(self):
        """(n, m) bool: cells at given pressures."""
        return np.broadcast_to(self.options.get("supplied", False), self.grid.shape)

    def quiet(self):
        """(n, m) unknowns w of a film that is full at the side's pressure, to begin with."""
        return np.full(self.grid.shape, max(1e-6 * self.scale[0], float(self.options.get("side", 0.0))))

    def problem(self, thickness):
        """`Problem` of this thickness (n, m) in m."""
        return reynolds_problem(self.grid, thickness[None], **self.options)

    def state(self, w, y):
        """`FilmState` at w (n, m) Pa and y (k,) m; with size inf where there is none."""
        level = np.where(self.supplied, self.options.get("supply", 0.0), np.maximum(w, 0.0))
        none = FilmState(w, y, None, level, 1.0, 0.0 * w, None, None, None, np.inf)
        if self.pressure_viscosity * np.max(level) >= 1.0 or not np.all(np.isfinite(w)):
            return none
        pressure, stiffening = true_pressure(level, self.pressure_viscosity)
        deflection = self.compliance.deflection(pressure) if self.compliance is not None else np.zeros_like(w)
        thickness = self.gap + np.tensordot(y, self.journal.directions, 1) + deflection
        if not (np.min(thickness) > 0.0 and np.isfinite(np.max(thickness))):
            return none._replace(deflection=deflection)
        with np.errstate(over="ignore", invalid="ignore"):  # a film that is tried may be far off
            return self._balanced(w, y, level, pressure, stiffening, deflection, thickness)

    def _balanced(self, w, y, level, pressure, stiffening, deflection, thickness):
        problem = self.problem(thickness)
        short = np.where(self.supplied, 0.0, np.minimum(w, 0.0)) / self.scale[0]
        fill = (1.0 + short if self.mass else np.ones_like(w))[None]
        flows = fluxes(problem, level[None], fill)
        balance = outflow(problem, level[None], fill, flows)[0]
        if not self.mass:
            balance = balance + short * self.scale[1]
        film = self.force(pressure)
        place = self.journal.inertia * (y - self.journal.ahead) - self.journal.load - film
        residual = np.concatenate((np.where(self.supplied, 0.0, balance).ravel() / self.scale[1], place / self.scale[2]))
        size = float(np.linalg.norm(residual))
        return FilmState(w, y, problem, pressure, stiffening, deflection, fill, flows, residual, size)

    def force(self, pressure):
        """(k,) force on the journal by the pressure (n, m) on both halves, N."""
        return self._area * np.tensordot(self.journal.directions, pressure, 2)

    def step(self, state):
        """(dw (n, m), dy (k,)): Newton's step of the equations as they are where w has its signs.

        Without mass conserved, the outflows of ruptured cells follow from the rest and need not be solved for.
        """
        count = state.w.size
        held = self.supplied.ravel()
        full = np.flatnonzero((state.w.ravel() > 0.0) & ~held)
        lacking = np.flatnonzero((state.w.ravel() <= 0.0) & ~held)
        rows = np.concatenate((full, lacking)) if self.mass else full
        by_w, by_y = self._slopes(state, full, lacking)
        push = np.zeros((len(state.y), rows.size))
        stiffening = np.broadcast_to(state.stiffening, state.w.shape).ravel()[full]
        push[:, : full.size] = -self._area / self.scale[2] * self._motions[full].T * stiffening
        inertia = self.journal.inertia / self.scale[2] * np.eye(len(state.y))
        found = -_bordered(by_w[rows], by_y[rows], push, inertia, np.concatenate((state.residual[rows], state.residual[count:])))
        dw, dy = np.zeros(count), found[rows.size :]
        dw[rows] = found[: rows.size]
        if not self.mass:
            change = state.residual[:count] + by_w @ dw[rows] + by_y @ dy
            dw[lacking] = -change[lacking] * self.scale[0]
        return dw.reshape(state.w.shape), dy

    @property
    def _area(self):
        """Of a cell and its mirror image, m^2."""
        return 2.0 * self.grid.dx * self.grid.dz

    @property
    def _motions(self):
        """(n m, k) thickness by the motions."""
        return self.journal.directions.reshape(len(self.journal.directions), self.gap.size).T

    def _slopes(self, state, full, lacking):
        """Slopes of all balances over the flow's scale by w of the full cells (and of the lacking ones, with mass) and by y."""
        tilt = self.stencil.by_thickness(state.problem, *state.flows, state.fill)
        by_w = self.stencil.by_pressure(state.problem)[:, full]
        if self.compliance is not None:
            stiffening = np.broadcast_to(state.stiffening, state.w.shape).ravel()[full]
            by_w = by_w + tilt @ (self.compliance.matrix[:, full] * stiffening[None, :])
        if self.mass:
            lack = self.stencil.by_fill(state.problem)[:, lacking] / self.scale[0]
            by_w = sp.hstack((by_w, lack)) if sp.issparse(by_w) else np.hstack((by_w, lack.toarray()))
        by_w = by_w / self.scale[1]
        return by_w.tocsr() if sp.issparse(by_w) else by_w, tilt @ self._motions / self.scale[1]


def _bordered(inner, right, below, corner, values):
    """Solution of ``[[inner, right], [below, corner]] x = values``, `inner` sparse or not."""
    if not sp.issparse(inner):
        return np.linalg.solve(np.block([[inner, right], [below, corner]]), values)
    if corner.size:
        inner = sp.block_array([[inner, sp.csr_array(right)], [sp.csr_array(below), sp.csr_array(corner)]])
    return spl.splu(inner.tocsc()).solve(values)
