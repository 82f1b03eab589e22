"""Rows of a large sparse Jacobian: whether they are independent beyond doubt, and the shortest step that they ask for.

With rows J of unit length and a small number s, both follow from the sparse factors of::

    [ s  J' ] [ x ]   [ 0 ]          x = J' (J J')^-1 b,   y = -s (J J')^-1 b
    [ J  0  ] [ y ] = [ b ]

Its condition is the one of J where the singular values of J are above s (Björck 1996, Numerical Methods for Least Squares Problems, 7.3).
Inverse iteration by y gives the smallest singular value. What is in doubt is left to dense factors, whose time grows with the cube of
the rows.
"""

import numpy as np
from scipy.sparse import csr_array, eye_array

from flexmbd.linalg.saddle import Saddle, Singular, factors_of

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
        self._norms = factors_of(np.linalg.norm(jacobian, axis=1))
        self._rows, (_, n) = csr_array(jacobian * self._norms[:, None]), jacobian.shape
        self._saddle = Saddle(csr_array(SURE * eye_array(n)), self._rows, columns=np.ones(n), size=1.0)
        try:
            self._saddle.factorise()
            self._good = True
        except Singular:
            self._good = False

    def independent(self):
        """True if no combination of the rows is small; False if that is in doubt."""
        count, n = self._rows.shape
        if not self._good or count > n:
            return False
        sides = np.random.default_rng(0).standard_normal((count, STARTS))
        for _ in range(TURNS):
            sides /= np.linalg.norm(sides, axis=0)
            sides = self._saddle.solve(np.zeros((n, STARTS)), sides)[1] / SURE
            if not np.all(np.isfinite(sides)):
                return False
        return bool(np.all(np.linalg.norm(sides, axis=0) < SURE**-2))

    def least(self, side):
        """The shortest x with ``jacobian x = side``; None if the factors are not good enough."""
        if not self._good:
            return None
        side = side * self._norms
        x = self._saddle.least(side)
        error = np.linalg.norm(self._rows @ x - side)
        return x if error <= 1e-9 * np.linalg.norm(side) else None


__all__ = ["FEW", "SparseRows"]
