"""Moves of walkers down the slope of a density, with the metric of its curvature there: the normal density near each walker is met exactly.

From ``z``, with the gradient ``g`` of the logarithm of the density and the metric ``G``, a move goes to a draw of the normal density with
mean ``z + s G⁻¹ g`` and covariance ``s (2 - s) G⁻¹``. For small ``s`` that is one step of Langevin's equation with the time step ``2 s``
(Girolami, Calderhead, J. R. Stat. Soc. B 73 (2011) 123, section 5, without the slopes of the metric), for ``s = 1`` Newton's (Martin,
Wilcox, Burstedde, Ghattas, SIAM J. Sci. Comput. 34 (2012) A1460). It keeps a normal density whatever ``s`` is (Cotter, Roberts, Stuart,
White, Stat. Sci. 28 (2013) 424); what others change of it is mended by accepting with the ratio of both ways.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np


@dataclass(frozen=True, eq=False)
class Near:
    """Normal densities about walkers.

    Parameters
    ----------
    z : ndarray, shape (n, d)
        Where the walkers are.
    gradient : ndarray, shape (n, d)
        Of the logarithm of the density.
    metric : ndarray, shape (n, d, d)
        Positive definite; where it or the gradient is not finite, both are those of the standard normal density.

    Examples
    --------
    >>> import numpy as np
    >>> near = Near(np.array([[3.0]]), np.array([[-1.5]]), np.array([[[0.5]]]))  # variance 2 about 0
    >>> float(near.draw(np.zeros((1, 1)), 1.0)[0, 0]), float(near.log_density(np.zeros((1, 1)), 1.0)[0].round(6))
    (0.0, -1.265512)
    """

    z: np.ndarray
    gradient: np.ndarray
    metric: np.ndarray

    def draw(self, normal: np.ndarray, share: float) -> np.ndarray:
        """Where moves with the `share` s go, with standard `normal` numbers (n, d): points (n, d)."""
        scattered = np.linalg.solve(self._lower.swapaxes(1, 2), normal[..., None])[..., 0]
        return self._mean(share) + np.sqrt(share * (2.0 - share)) * scattered

    def log_density(self, points: np.ndarray, share: float) -> np.ndarray:
        """Logarithm of the density with which they go to `points` (n, d), (n,)."""
        variance, d = share * (2.0 - share), points.shape[1]
        off = np.einsum("nji,nj->ni", self._lower, points - self._mean(share))
        root = np.log(np.diagonal(self._lower, axis1=1, axis2=2)).sum(axis=1)
        return root - 0.5 * (off**2).sum(axis=1) / variance - 0.5 * d * np.log(2 * np.pi * variance)

    def _mean(self, share: float) -> np.ndarray:
        return self.z + share * self._newton

    @cached_property
    def _known(self) -> np.ndarray:
        return np.asarray(np.isfinite(self.gradient).all(axis=1) & np.isfinite(self.metric).all(axis=(1, 2)))

    @cached_property
    def _lower(self) -> np.ndarray:
        return np.linalg.cholesky(np.where(self._known[:, None, None], self.metric, np.eye(self.z.shape[1])))

    @cached_property
    def _newton(self) -> np.ndarray:
        """The step to the mean, (n, d)."""
        gradient = np.where(self._known[:, None], self.gradient, -self.z)
        half = np.linalg.solve(self._lower, gradient[..., None])
        return np.linalg.solve(self._lower.swapaxes(1, 2), half)[..., 0]
