"""Direct solution of one large sparse system by libraries, behind one small interface.

``analyse(matrix, solver)`` orders a pattern once, ``.factorise(values)`` takes new values on it, ``.solve(side)`` takes right-hand sides::

    symbolic = analyse(matrix, "klu")
    factors = symbolic.factorise(matrix.data)
    x = factors.solve(side)

A back end is one file and one entry in `BACK_ENDS`.
"""

from importlib.util import find_spec

from scipy.sparse import csc_array

from flexmbd.errors import ModelError
from flexmbd.linalg.direct.base import SINGULAR, Factors, Singular, Symbolic
from flexmbd.linalg.direct.cholmod import CHOLMOD
from flexmbd.linalg.direct.klu import KLU
from flexmbd.linalg.direct.pardiso import PARDISO
from flexmbd.linalg.direct.superlu import SuperLU
from flexmbd.linalg.direct.umfpack import UMFPACK

BACK_ENDS = (SuperLU, KLU, UMFPACK, CHOLMOD, PARDISO)


def back_end(solver):
    """Class of a back end by name.

    Raises
    ------
    ModelError
        If there is none of that name.
    """
    for found in BACK_ENDS:
        if found.name == solver:
            return found
    raise ModelError(f"there is no direct solver '{solver}'", remedy=f"known are {', '.join(b.name for b in BACK_ENDS)}")


def available():
    """Names of the back ends whose packages are installed."""
    return tuple(b.name for b in BACK_ENDS if find_spec(b.package.partition(".")[0]))


def analyse(matrix, solver="superlu", *, definite=False):
    """Analysis of a sparsity pattern, for many factorisations.

    Parameters
    ----------
    matrix : csc_array (n, n)
        With sorted indices and no entry twice; its values do not matter.
    solver : str
        Name of a back end.
    definite : bool
        Declares that all values to come are symmetric positive definite (both triangles are stored all the same).  CHOLMOD needs it;
        SuperLU and PARDISO need less time with it.  Values that are not are told as `Singular` by these three; symmetry is not checked.

    Returns
    -------
    Symbolic

    Raises
    ------
    ModelError
        If there is no such back end, its package is missing, or it solves only what `definite` does not declare.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csc_array
    >>> from flexmbd.linalg.direct import analyse
    >>> matrix = csc_array(np.array([[4.0, 1.0], [1.0, 3.0]]))
    >>> factors = analyse(matrix).factorise(matrix.data)
    >>> factors.solve(np.array([6.0, 7.0])).round(9).tolist()
    [1.0, 2.0]
    """
    matrix = csc_array(matrix)
    if matrix.shape[0] != matrix.shape[1] or not matrix.has_canonical_format:
        raise ValueError(f"a square matrix with sorted and unique entries is needed, not {matrix.shape[0]} x {matrix.shape[1]}")
    return back_end(solver)(matrix, definite)


__all__ = ["BACK_ENDS", "SINGULAR", "Factors", "Singular", "Symbolic", "analyse", "available", "back_end"]
