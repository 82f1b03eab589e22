"""Slopes of the outflow of `flexmbd.lubrication.reynolds.problem` by pressure, fill fraction and thickness, as sparse matrices."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from flexmbd.lubrication.reynolds.grid import Grid


def _pick(faces, cells, count):
    """(len(faces), count) matrix whose row is 1 in the cell of `cells`; none where that is -1."""
    there = np.flatnonzero(cells >= 0)
    return sp.csr_array((np.ones(there.size), (there, cells[there])), shape=(faces, count))


@dataclass(frozen=True, eq=False)
class Stencil:
    """Which cells lie at which face; faces and cells flat, in the order of the arrays of `Problem`."""

    grid: Grid
    before: sp.csr_array  # (faces along x, cells): the cell before a face
    after: sp.csr_array
    below: sp.csr_array  # (faces along z, cells): the cell on the inner side
    above: sp.csr_array
    out_x: sp.csr_array  # (cells, faces along x): net outflow
    out_z: sp.csr_array
    mean_x: sp.csr_array  # thickness of the faces by that of the cells, as in `reynolds_problem`
    mean_z: sp.csr_array

    @classmethod
    def of(cls, grid):
        """The stencil of a `Grid`."""
        n, m = grid.shape
        count = n * m
        cell = np.arange(count).reshape(n, m)
        none_x, none_z = np.full((1, m), -1), np.full((n, 1), -1)
        before = np.concatenate((cell[-1:] if grid.ring else none_x, cell)).ravel()
        after = np.concatenate((cell, cell[:1] if grid.ring else none_x)).ravel()
        below, above = np.concatenate((none_z, cell), 1).ravel(), np.concatenate((cell, none_z), 1).ravel()
        low, high = (_pick(before.size, c, count) for c in (before, after))
        inner, outer = (_pick(below.size, c, count) for c in (below, above))
        face_x, face_z = np.arange((n + 1) * m).reshape(n + 1, m), np.arange(n * (m + 1)).reshape(n, m + 1)
        out_x = _pick(count, face_x[1:].ravel(), before.size) - _pick(count, face_x[:-1].ravel(), before.size)
        out_z = _pick(count, face_z[:, 1:].ravel(), below.size) - _pick(count, face_z[:, :-1].ravel(), below.size)
        mean_x, mean_z = 0.5 * (low + high), (0.5 * (inner + outer)).tolil()
        if not grid.ring:  # carried on from the last two cells
            mean_x = mean_x.tolil()
            for face, near, far in ((0, 0, 1), (n, n - 1, n - 2)):
                for j in range(m):
                    mean_x[face * m + j, cell[near, j]], mean_x[face * m + j, cell[far, j]] = 1.5, -0.5
        # the plane of symmetry, where nothing flows, and the side have their cell's thickness
        for i in range(n):
            mean_z[face_z[i, 0], cell[i, 0]] = mean_z[face_z[i, m], cell[i, -1]] = 1.0
        return cls(grid, low, high, inner, outer, out_x.tocsr(), out_z.tocsr(), mean_x.tocsr(), mean_z.tocsr())

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
