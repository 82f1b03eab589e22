"""PARDISO of Intel's MKL through pypardiso.  Schenk and Gärtner (2004), Future Gener. Comput. Syst. 20, 475-487."""

from weakref import finalize

import numpy as np
from scipy.sparse import csc_array, tril

from flexmbd.linalg.direct.base import Singular, Symbolic
from flexmbd.linalg.direct.superlu import SuperLU

# numbers of MKL's manual, from 1: values given, nested dissection, pivots below 1e-15 are replaced
OPTIONS = {1: 1, 2: 2, 10: 15}
GENERAL = OPTIONS | {11: 1, 12: 2, 13: 1}  # scaling and matching; the columns it gets are taken as rows of the transposed matrix
ZERO_PIVOT = -4


class PARDISO(Symbolic):
    """Supernodal LU with static pivoting after matching and scaling; with `definite`, Cholesky of the lower triangle.

    The matching looks at values, so the analysis is made with the first ones.  Replaced pivots mean that the matrix is singular.  Nothing
    tells the determinant's sign: SuperLU is asked for it.
    """

    name, package, extra = "pardiso", "pypardiso", "pardiso"
    keeps_one = True

    def _analyse(self):
        self.solver = self.library.PyPardisoSolver(mtype=2 if self.definite else 11)
        finalize(self, self.solver.free_memory, everything=True)
        for number, value in (OPTIONS if self.definite else GENERAL).items():
            self.solver.iparm[number - 1] = value
        numbered = csc_array((np.arange(1, self.pattern.nnz + 1), self.pattern.indices, self.pattern.indptr), self.pattern.shape)
        kept = csc_array(tril(numbered)) if self.definite else numbered
        kept.sort_indices()
        self.kept, self.read = kept.data - 1, csc_array((np.zeros(kept.nnz), kept.indices, kept.indptr), kept.shape)
        self.phase = 12  # analysis and factorisation; later 22, factorisation
        self.full = bool(np.all(np.diff(kept.indptr)))  # MKL does not stand empty columns

    def _factorise(self, values):
        if not self.full:
            raise Singular("a column is empty")
        self.read.data = values[self.kept]
        if self._run(self.phase) and self.phase == 22:
            self._run(12)  # the matching of the first values may be unfit for these
        self.phase = 22
        return values

    def _run(self, phase):
        """Number of replaced pivots."""
        from pypardiso.pardiso_wrapper import PyPardisoError

        self.solver.set_phase(phase)
        try:
            self.solver._call_pardiso(self.read, np.zeros((self.read.shape[0], 1)))
        except PyPardisoError as error:
            if error.value != ZERO_PIVOT:
                raise
            raise Singular("it is not positive definite") from None
        return self.solver.iparm[13]

    def _solve(self, factors, side):
        self.solver.set_phase(33)
        return self.solver._call_pardiso(self.read, np.asfortranarray(side))

    def _ratio(self, factors):
        return 0.0 if self.solver.iparm[13] else 1.0

    def _sign(self, factors):
        return SuperLU(self.pattern, False).factorise(factors).sign
