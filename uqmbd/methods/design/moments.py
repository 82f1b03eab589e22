"""Mean and standard deviation of outputs whose inputs scatter, by polynomials that are fitted to few runs."""

from __future__ import annotations

import numpy as np

from uqmbd.analysis.base.streams import generator

POINTS = 320  # random numbers of the points
MORE = 2  # points, as a multiple of the terms


class Moments:
    """Least squares with orthonormal polynomials of standard normal variables, at points that are the same for every design.

    So moments change smoothly with the design. They are exact where an output is such a polynomial.
    """

    def __init__(self, d: int, degree: int, seed: int) -> None:
        from uqmbd.analysis.chaos.design import d_optimal
        from uqmbd.analysis.chaos.expansion import basis
        from uqmbd.analysis.chaos.families import hermite
        from uqmbd.analysis.chaos.multi_index import index_set

        if not d:
            self.points, self._psi = np.zeros((1, 0)), np.ones((1, 1))
            return
        families = [hermite()] * d
        indices = index_set([degree] * d)
        u = d_optimal(families, indices, MORE * len(indices), generator(seed, POINTS))
        self._psi = basis(families, indices, u)  # (points, terms)
        self.points = np.column_stack([family.germ(u[:, k]) for k, family in enumerate(families)])

    def of(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Means and standard deviations (n, columns) of outputs (n, points, columns); NaN where too many runs failed."""
        failed = np.isnan(values).any(axis=2)
        n, _, columns = values.shape
        mean, std = np.full((n, columns), np.nan), np.full((n, columns), np.nan)
        for pattern in np.unique(failed, axis=0):
            rows = (failed == pattern).all(axis=1)
            if np.count_nonzero(~pattern) < self._psi.shape[1]:
                continue
            fit = np.linalg.pinv(self._psi[~pattern])
            c = np.einsum("tp,npc->ntc", fit, values[rows][:, ~pattern])
            mean[rows], std[rows] = c[:, 0], np.linalg.norm(c[:, 1:], axis=1)
        return mean, std
