"""SuperLU in scipy: always there.  Li (2005), ACM Trans. Math. Softw. 31, 302-325.

scipy gives pivots with copies of L and U alone, half as much memory again, so a matrix that is far from singular is known by a solution:
of a right-hand side of random numbers it is no larger than what the matrix makes of numbers of size 1, by less than `FAR`.
"""

import numpy as np
from scipy.sparse import csc_array

from flexmbd.linalg.direct.base import Singular, Symbolic, parity, ratio

FAR = 1e12  # a thousandth of what the least pivot allowed makes of a number
KEPT = 4_000_000  # numbers, of which the C library of Linux keeps twice as many free once a block of this length has been freed


class SuperLU(Symbolic):
    """Unsymmetric LU with partial pivoting, COLAMD order; with `definite`, pivots on the diagonal in the order MMD of A' + A.

    scipy gives no access to the order alone, so it is found anew each time, a small part of the work.
    """

    name, package = "superlu", "scipy.sparse.linalg"

    def _analyse(self):
        np.empty(KEPT)  # else memory of factors goes back to the system each time, and comes anew: a sixth of the time (mallopt(3))
        self.probe = np.random.default_rng(0).uniform(-1.0, 1.0, self.pattern.shape[0])

    def _factorise(self, values):
        p = self.pattern
        how = {"permc_spec": "MMD_AT_PLUS_A", "diag_pivot_thresh": 0.0, "options": {"SymmetricMode": True}} if self.definite else {}
        try:
            lu = self.library.splu(csc_array((values, p.indices, p.indptr), p.shape), **how)
        except RuntimeError:
            raise Singular("a pivot is zero") from None
        if self.definite and lu.U.diagonal().min(initial=1.0) <= 0.0:
            raise Singular("it is not positive definite")
        return lu, np.abs(values).max(initial=0.0)

    def _regular(self, factors):
        lu, largest = factors
        return largest * np.abs(lu.solve(self.probe)).max(initial=0.0) < FAR

    def _solve(self, factors, side):
        return factors[0].solve(side)

    def _ratio(self, factors):
        return ratio(factors[0].U.diagonal())

    def _sign(self, factors):
        lu = factors[0]
        return np.prod(np.sign(lu.U.diagonal())) * parity(lu.perm_r) * parity(lu.perm_c)
