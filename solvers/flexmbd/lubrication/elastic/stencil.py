"""Slopes of the outflow of `flexmbd.lubrication.reynolds.problem` by pressure, fill fraction and thickness, as sparse matrices."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from flexmbd.lubrication.reynolds.grid import Grid


def _neighbours(n, ring):
    """(n + 1, n) matrices whose rows are 1 in the cell before a face of a line, and in the one after it."""
    before, after = np.eye(n + 1, n, -1), np.eye(n + 1, n)
    if ring:
        before[0, -1] = after[-1, 0] = 1.0
    return before, after


@dataclass(frozen=True, eq=False)
class Stencil:
    """Which cells lie at which face; faces and cells flat, in the order of the arrays of `Problem`."""

    grid: Grid
    before: sp.csr_array  # (faces along x, cells): the cell before a face
    after: sp.csr_array
    out_x: sp.csr_array  # (cells, faces along x): net outflow
    mean_x: sp.csr_array  # thickness of the faces by that of the cells, as in `reynolds_problem`
    below: sp.csr_array  # (faces along z, cells): the cell on the inner side
    above: sp.csr_array
    out_z: sp.csr_array
    mean_z: sp.csr_array

    @classmethod
    def of(cls, grid):
        """The stencil of a `Grid`."""
        n, m = grid.shape
        (before, after), (below, above) = _neighbours(n, grid.ring), _neighbours(m, False)
        mean_x, mean_z = 0.5 * (before + after), 0.5 * (below + above)
        if not grid.ring:  # carried on from the last two cells
            mean_x[0, :2], mean_x[-1, -2:] = (1.5, -0.5), (-0.5, 1.5)
        # the plane of symmetry, where nothing flows, and the side have their cell's thickness
        mean_z[0, 0] = mean_z[-1, -1] = 1.0
        out_x, out_z = (np.eye(k, k + 1, 1) - np.eye(k, k + 1) for k in (n, m))
        along = [sp.kron(sp.csr_array(line), sp.eye_array(m), "csr") for line in (before, after, out_x, mean_x)]
        across = [sp.kron(sp.eye_array(n), sp.csr_array(line), "csr") for line in (below, above, out_z, mean_z)]
        return cls(grid, *along, *across)

    def by_pressure(self, problem):
        """(cells, cells) slopes of `outflow` (one film) by the pressures, m^3/(Pa s)."""
        along = sp.diags_array(problem.gx[0].ravel()) @ (self.before - self.after)
        across = sp.diags_array(problem.gz[0].ravel()) @ (self.below - self.above)
        return self.out_x @ along + self.out_z @ across

    def by_fill(self, problem):
        """(cells, cells) slopes by the fill fractions, m^3/s: taken from upstream."""
        carried = problem.cx[0].ravel()
        along = sp.diags_array(np.maximum(carried, 0.0)) @ self.before + sp.diags_array(np.minimum(carried, 0.0)) @ self.after
        return self.out_x @ along + sp.diags_array(problem.store[0].ravel())

    def by_thickness(self, problem, along, across, fill):
        """(cells, cells) slopes by the thicknesses, m^2/s, with the flows (faces) of `fluxes`; the fill fraction (cells) is kept.

        A face's flow by pressure goes with h^3, what it carries with h.
        """
        h = problem.thickness[0].ravel()
        hx, hz = self.mean_x @ h, self.mean_z @ h
        carried, fill = problem.cx[0].ravel(), fill.ravel()
        ends = 1.0 - np.asarray(self.before.sum(axis=1)), 1.0 - np.asarray(self.after.sum(axis=1))  # full outside of a film that is no ring
        kept = carried * np.where(carried > 0.0, self.before @ fill + ends[0], self.after @ fill + ends[1])
        slope_x = sp.diags_array((3.0 * (along.ravel() - kept) + kept) / hx) @ self.mean_x
        slope_z = sp.diags_array(3.0 * across.ravel() / hz) @ self.mean_z
        return self.out_x @ slope_x + self.out_z @ slope_z + sp.diags_array(problem.store[0].ravel() * fill / h)
