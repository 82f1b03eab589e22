"""CHOLMOD through kvxopt: Cholesky factors of a symmetric positive definite matrix.

Chen, Davis, Hager and Rajamanickam (2008), ACM Trans. Math. Softw. 35, 22.
"""

import numpy as np

from flexmbd.linalg.direct.base import Singular, ratio
from flexmbd.linalg.direct.suitesparse import SuiteSparse


class CHOLMOD(SuiteSparse):
    """Supernodal ``P A P' = L L'`` in AMD order; reads the lower triangle."""

    name, package = "cholmod", "kvxopt.cholmod"
    definite_only = keeps_one = lower = True

    def _factorise(self, values):
        try:
            self.library.numeric(self._filled(values), self.order)
            return self.order, np.array(self.library.diag(self.order)) ** 2
        except (ArithmeticError, ValueError):  # the second from `diag`: the factors are not complete
            raise Singular("it is not positive definite") from None

    def _overwrite(self, factors, x):
        self.library.solve(factors[0], x)

    def _ratio(self, factors):
        return ratio(factors[1])

    def _sign(self, factors):
        return 1.0
