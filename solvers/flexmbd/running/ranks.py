"""Rows of a large sparse Jacobian: whether they are independent beyond doubt, and the shortest step that they ask for.

With rows J of unit length and a small number s, both follow from the sparse factors of::

    [ s  J' ] [ x ]   [ 0 ]          x = J' (J J')^-1 b,   y = -s (J J')^-1 b
    [ J  0  ] [ y ] = [ b ]

Its condition is the one of J where the singular values of J are above s (Björck 1996, Numerical Methods for Least Squares Problems, 7.3).
Inverse iteration by y gives the smallest singular value. What is in doubt is left to dense factors, whose time grows with the cube of
the rows.
"""

import numpy as np
from scipy.sparse import bmat, csc_array, eye_array
from scipy.sparse.linalg import splu

FEW = 200  # rows up to which dense factors are as fast
SURE = 1e-6  # smallest singular value of rows of unit length from which on they are independent: rows that are not have 1e-9 at most
TURNS, STARTS = 6, 3


class SparseRows:
    """Sparse factors of many rows.

    Parameters
    ----------
    jacobian : ndarray (rows, n)
    """

    def __init__(self, jacobian):
        norms = np.linalg.norm(jacobian, axis=1)
        self._norms, self._factors = np.where(norms > 0, norms, 1.0), None
        self._rows = csc_array(jacobian / self._norms[:, None])
        try:
            s = SURE * eye_array(jacobian.shape[1])
            self._factors = splu(bmat([[s, self._rows.T], [self._rows, None]], format="csc"))
        except RuntimeError:  # exactly singular
            return

    def independent(self):
        """True if no combination of the rows is small; False if that is in doubt."""
        count, n = self._rows.shape
        if self._factors is None or count > n:
            return False
        sides = np.random.default_rng(0).standard_normal((count, STARTS))
        for _ in range(TURNS):
            sides /= np.linalg.norm(sides, axis=0)
            found = self._factors.solve(np.vstack([np.zeros((n, STARTS)), sides]))
            if not np.all(np.isfinite(found)):
                return False
            sides = found[n:] / SURE
        return bool(np.all(np.linalg.norm(sides, axis=0) < SURE**-2))

    def least(self, side):
        """The shortest x with ``jacobian x = side``; None if the factors are not good enough."""
        if self._factors is None:
            return None
        n, side = self._rows.shape[1], side / self._norms
        x = self._factors.solve(np.concatenate([np.zeros(n), side]))[:n]
        error = np.linalg.norm(self._rows @ x - side)
        return x if error <= 1e-9 * np.linalg.norm(side) else None


__all__ = ["FEW", "SparseRows"]
