"""Deflection of a bearing's surface by the pressure on the cells of a `Grid`."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp


@dataclass(frozen=True)
class LocalCompliance:
    """Each cell yields by its own pressure only.

    Parameters
    ----------
    per_pressure : float
        Deflection by pressure in m/Pa.
    shape : tuple of int
        (n, m) cells.
    """

    per_pressure: float
    shape: tuple

    def deflection(self, pressure):
        """(n, m) outward deflection in m by the pressure (n, m) in Pa."""
        return self.per_pressure * pressure

    @cached_property
    def matrix(self):
        """(n m, n m) sparse: deflections of all cells by all pressures, in m/Pa."""
        return self.per_pressure * sp.eye_array(self.shape[0] * self.shape[1], format="csr")


@dataclass(frozen=True, eq=False)
class RingCompliance:
    """A surface that is alike all round: one matrix over the cells of z for each harmonic of the angle.

    Parameters
    ----------
    blocks : (n//2 + 1, m, m) ndarray
        Deflection by pressure of harmonic k, symmetric, in m/Pa.
    shape : tuple of int
        (n, m) cells.
    """

    blocks: np.ndarray
    shape: tuple

    def deflection(self, pressure):
        """(n, m) outward deflection in m by the pressure (n, m) in Pa."""
        waves = np.fft.rfft(pressure, axis=0)
        return np.fft.irfft(np.einsum("kij,kj->ki", self.blocks, waves), n=self.shape[0], axis=0)

    @cached_property
    def matrix(self):
        """(n m, n m) ndarray: deflections of all cells by all pressures, in m/Pa."""
        n, m = self.shape
        rows = np.fft.irfft(self.blocks, n=n, axis=0)  # by the distance around
        apart = (np.arange(n)[:, None] - np.arange(n)[None, :]) % n
        return np.ascontiguousarray(rows[apart].transpose(0, 2, 1, 3)).reshape(n * m, n * m)
