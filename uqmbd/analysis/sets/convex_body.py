"""Products of ellipsoids and parallelepipeds, in coordinates in which they are balls and cubes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

REACHES, STEPS = (1.0, 1.0, 0.25, 0.0625), (-1.0, -0.75, -0.5, -0.25, 0.25, 0.5, 0.75, 1.0)  # of a search for a support function


@dataclass(frozen=True)
class Body:
    """A convex set in the box [-1, 1]^d."""

    generators: np.ndarray  # (d, d): G of ``x = G w``
    blocks: tuple[tuple[tuple[int, ...], bool], ...]  # coordinates of w of each factor, and whether it is a ball (otherwise a cube)

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

    def contains(self, x: np.ndarray) -> np.ndarray:
        """Which of the points `x` (n, d) are in the set, (n,)."""
        w = np.linalg.solve(self.generators, x.T).T
        return np.abs(self.project(w) - w).max(axis=1, initial=0.0) <= 1e-9

    def linear_radius(self, slope: np.ndarray) -> np.ndarray:
        """Largest value of ``slope · x`` over the set, (columns,); `slope` has the shape (d, columns)."""
        steep = self.generators.T @ slope
        radii = (np.linalg.norm(steep[list(at)], ord=2 if ball else 1, axis=0) for at, ball in self.blocks)
        return sum(radii, np.zeros(steep.shape[1:]))

    def linear_bound(self, slope: np.ndarray, box: np.ndarray) -> np.ndarray:
        """Bound of ``slope · x`` from above over the part of the set in a box (d, 2), (columns,); `slope` has the shape (d, columns).

        It is the sum of the greatest values of ``s · x`` over the set and of ``(slope - s) · x`` over the box, for any s; the least sum
        is the greatest value itself (infimal convolution: Rockafellar, Convex Analysis (1970), corollary 16.4.1). s is found by steps
        along one coordinate after the other.
        """
        middle, half, scale = box.mean(axis=1), np.ptp(box, axis=1) / 2, np.abs(slope).max(axis=0)

        def total(s: np.ndarray) -> np.ndarray:
            return self.linear_radius(s) + middle @ (slope - s) + half @ np.abs(slope - s)

        s = slope.copy()
        best = total(s)
        for reach in REACHES:
            for axis in range(len(slope)):
                for step in STEPS:
                    trial = s.copy()
                    trial[axis] += step * reach * scale
                    value = total(trial)
                    s[axis] = np.where(value < best, trial[axis], s[axis])
                    best = np.minimum(best, value)
        return best
