"""Products of ellipsoids and parallelepipeds, in coordinates in which they are balls and cubes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Body:
    """A convex set in the box [-1, 1]^d.

    Attributes
    ----------
    generators : ndarray, shape (d, d)
        G of ``x = G w``.
    blocks : tuple of (tuple of int, bool)
        Coordinates of w of each factor, and whether it is a ball (otherwise a cube).
    """

    generators: np.ndarray
    blocks: tuple[tuple[tuple[int, ...], bool], ...]

    def project(self, w: np.ndarray) -> np.ndarray:
        """Nearest points of the set in w, (n, d)."""
        out = np.clip(w, -1, 1)
        for at, ball in self.blocks:
            if ball:
                part = w[:, at]
                out[:, at] = part / np.maximum(1.0, np.linalg.norm(part, axis=1))[:, None]
        return out

    def sample(self, u: np.ndarray) -> np.ndarray:
        """Points x of the set, uniformly distributed, from points `u` (n, d) of the unit cube."""
        return self.places(u) @ self.generators.T

    def places(self, u: np.ndarray) -> np.ndarray:
        """The same in w. A ball's points have the direction of a Gaussian vector and the radius ``s^(1/m)``, s the distribution
        function of that vector's length (so that m numbers make a point of m coordinates)."""
        from scipy.special import gammainc, ndtri

        w = 2 * u - 1
        for at, ball in self.blocks:
            if ball:
                z = ndtri(np.clip(u[:, at], 2.0**-53, 1 - 2.0**-53))
                length = np.linalg.norm(z, axis=1)
                share = gammainc(len(at) / 2, length**2 / 2)
                w[:, at] = z * (share ** (1 / len(at)) / np.maximum(length, 1e-300))[:, None]
        return w

    def farthest(self, slope: np.ndarray) -> np.ndarray:
        """Points x of the set, (columns, d), at which ``slope · x`` is largest; `slope` has the shape (d, columns)."""
        steep = self.generators.T @ slope
        w = np.zeros_like(steep)
        for at, ball in self.blocks:
            part = steep[list(at)]
            w[list(at)] = part / np.maximum(np.linalg.norm(part, axis=0), 1e-300) if ball else np.sign(part)
        return (self.generators @ w).T

    def contains(self, x: np.ndarray, *, tolerance: float = 1e-9) -> np.ndarray:
        """Which of the points `x` (n, d) are in the set, (n,)."""
        w = np.linalg.solve(self.generators, x.T).T
        return np.abs(self.project(w) - w).max(axis=1, initial=0.0) <= tolerance

    def linear_radius(self, slope: np.ndarray) -> np.ndarray:
        """Largest value of ``slope · x`` over the set, (columns,); `slope` has the shape (d, columns)."""
        steep = self.generators.T @ slope
        return sum(np.linalg.norm(steep[list(at)], ord=2 if ball else 1, axis=0) for at, ball in self.blocks)
