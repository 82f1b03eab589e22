"""KLU through kvxopt: LU for matrices that stay sparse, as chains and circuits do.

Davis and Palamadai Natarajan (2010), ACM Trans. Math. Softw. 37, 36.
"""

from scipy.sparse import csc_array

from flexmbd.linalg.direct.suitesparse import Unsymmetric


class KLU(Unsymmetric):
    """Blocks of triangular form, AMD order; a pivot off the diagonal only where it is 1,000 times larger, so solutions are refined once."""

    name, package = "klu", "kvxopt.klu"

    def _read(self, matrix, numeric):
        return self.library.get_numeric(matrix, self.order, numeric)

    def _solve(self, factors, side):
        x = super()._solve(factors, side)
        matrix = csc_array((factors[3], self.pattern.indices, self.pattern.indptr), self.pattern.shape)
        return x + super()._solve(factors, side - matrix @ x)

    def _overwrite(self, factors, x):
        self.library.solve(self.matrix, self.order, factors[0], x)
