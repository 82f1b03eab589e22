"""What the libraries of SuiteSparse share that come through `kvxopt`."""

import numpy as np

from flexmbd.linalg.direct.base import Singular, Symbolic, parity, ratio


class SuiteSparse(Symbolic):
    """A pattern as a matrix of kvxopt: the whole, or its lower triangle."""

    lower = False

    def _analyse(self):
        import kvxopt

        self.dense = kvxopt.matrix
        p = self.pattern
        columns = np.repeat(np.arange(p.shape[1]), np.diff(p.indptr))
        self.kept = p.indices >= columns if self.lower else slice(None)
        rows, columns = (self.dense(x[self.kept].astype(np.int64)) for x in (p.indices, columns))
        self.matrix = kvxopt.spmatrix(1.0, rows, columns, p.shape, "d")
        self.order = self.library.symbolic(self.matrix)

    def _filled(self, values):
        self.matrix.V = self.dense(values[self.kept])
        return self.matrix

    def _solve(self, factors, side):
        x = self.dense(side)
        self._overwrite(factors, x)
        return np.array(x).reshape(side.shape)


class Unsymmetric(SuiteSparse):
    """LU of the whole matrix, ``P R A Q = L U`` but for blocks beside the diagonal, with rows scaled by positive numbers R."""

    def _factorise(self, values):
        matrix = self._filled(values)
        try:
            numeric = self.library.numeric(matrix, self.order)
        except ArithmeticError:
            raise Singular("a pivot is zero") from None
        _, U, P, Q, *_ = self._read(matrix, numeric)
        pivots = np.array(self.dense(U[:: U.size[0] + 1])).ravel()
        return numeric, pivots, (P, Q), values

    def _ratio(self, factors):
        return ratio(factors[1])

    def _sign(self, factors):
        _, pivots, orders, _ = factors
        return np.prod(np.sign(pivots)) * np.prod([parity(np.array(order.CCS[1]).ravel()) for order in orders])
