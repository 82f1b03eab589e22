"""SuperLU in scipy: always there.  Li (2005), ACM Trans. Math. Softw. 31, 302-325."""

import numpy as np
from scipy.sparse import csc_array

from flexmbd.linalg.direct.base import Singular, Symbolic, parity, ratio


class SuperLU(Symbolic):
    """Unsymmetric LU with partial pivoting, COLAMD order; with `definite`, pivots on the diagonal in the order MMD of A' + A.

    scipy gives no access to the order alone, so it is found anew each time, a small part of the work.
    """

    name, package = "superlu", "scipy.sparse.linalg"

    def _factorise(self, values):
        p = self.pattern
        how = {"permc_spec": "MMD_AT_PLUS_A", "diag_pivot_thresh": 0.0, "options": {"SymmetricMode": True}} if self.definite else {}
        try:
            lu = self.library.splu(csc_array((values, p.indices, p.indptr), p.shape), **how)
        except RuntimeError:
            raise Singular("a pivot is zero") from None
        pivots = lu.U.diagonal()
        if self.definite and pivots.min(initial=1.0) <= 0.0:
            raise Singular("it is not positive definite")
        return lu, pivots

    def _solve(self, factors, side):
        return factors[0].solve(side)

    def _ratio(self, factors):
        return ratio(factors[1])

    def _sign(self, factors):
        lu, pivots = factors
        return np.prod(np.sign(pivots)) * parity(lu.perm_r) * parity(lu.perm_c)
