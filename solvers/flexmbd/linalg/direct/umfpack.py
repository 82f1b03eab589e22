"""UMFPACK through kvxopt: unsymmetric multifrontal LU.  Davis (2004), ACM Trans. Math. Softw. 30, 196-199."""

from flexmbd.linalg.direct.suitesparse import Unsymmetric


class UMFPACK(Unsymmetric):
    """Dense fronts, partial pivoting; it refines a solution with the matrix by itself."""

    name, package = "umfpack", "kvxopt.umfpack"

    def _read(self, matrix, numeric):
        return self.library.get_numeric(matrix, numeric)

    def _overwrite(self, factors, x):
        self.library.solve(self._filled(factors[3]), factors[0], x)
