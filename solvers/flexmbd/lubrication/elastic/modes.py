"""Deflections of a liner as a few shapes with a stiffness and a mass matrix: what a flexible body wants."""

from typing import NamedTuple

import numpy as np
import scipy.linalg


class LinerModes(NamedTuple):
    """Outward deflection ``delta = sum_i a_i s_i(z) cos(k_i t)`` (or sin), amplitudes a in m; M of them."""

    harmonic: np.ndarray  # (M,) int k
    sine: np.ndarray  # (M,) bool: sin(k t) instead of cos(k t)
    shape: np.ndarray  # (M,) int: which of the shapes in z
    shapes: tuple  # callables s(z), z in m from the middle, even
    stiffness: np.ndarray  # (M, M) N/m of the whole ring
    mass: np.ndarray  # (M, M) kg

    def values(self, theta, z):
        """(M, n, m) deflection of unit amplitudes at angles `theta` (n,) in rad and places `z` (m,) in m."""
        wave = np.where(self.sine[:, None], np.sin(np.outer(self.harmonic, theta)), np.cos(np.outer(self.harmonic, theta)))
        across = np.stack([np.broadcast_to(shape(z), np.shape(z)) for shape in self.shapes])[self.shape]
        return wave[:, :, None] * across[:, None, :]


def liner_modes(harmonics, shapes, stiffness, mass):
    """`LinerModes` of matrices (s, s) by harmonic without the angle's factor: pi, and 2 pi for k = 0, which has no sine."""
    count = len(shapes)
    parts = [(k, sine, i) for i, k in enumerate(harmonics) for sine in ((False, True) if k else (False,))]
    factors = [np.pi if k else 2.0 * np.pi for k, _, _ in parts]
    whole = [scipy.linalg.block_diag(*(f * blocks[i] for f, (_, _, i) in zip(factors, parts))) for blocks in (stiffness, mass)]
    return LinerModes(
        np.repeat([k for k, _, _ in parts], count), np.repeat([s for _, s, _ in parts], count), np.tile(np.arange(count), len(parts)),
        tuple(shapes), *whole,
    )  # fmt: skip
