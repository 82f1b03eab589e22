"""What the back ends share: a pattern analysed, factors, when they are singular, and the sign of the determinant."""

from functools import cached_property
from importlib import import_module
from typing import ClassVar

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from flexmbd.errors import ModelError

SINGULAR = 1e-15  # least pivot over largest


class Singular(Exception):
    """The matrix cannot be solved with."""


class Symbolic:
    """A sparsity pattern analysed by one back end.

    A back end declares the class variables and writes the four methods from `_factorise` on, and `_analyse` if it can do so without values.

    Attributes
    ----------
    name : str
        By which it is chosen.
    package : str
        Module that must be there.
    extra : str
        Of the project, that brings it.
    definite_only : bool
        It solves symmetric positive definite matrices only.
    keeps_one : bool
        A factorisation overwrites the one before.
    pattern : csc_array (n, n)
    definite : bool
        The values are declared symmetric positive definite.
    """

    name: ClassVar[str]
    package: ClassVar[str]
    extra: ClassVar[str] = "sparse"
    definite_only: ClassVar[bool] = False
    keeps_one: ClassVar[bool] = False

    def __init__(self, pattern, definite):
        if self.definite_only and not definite:
            raise ModelError(
                f"{self.name} solves symmetric positive definite matrices only, and this one is not declared as such",
                remedy="choose another solver: constraints make a matrix indefinite",
            )
        try:
            self.library = import_module(self.package)
        except ImportError as error:
            raise ModelError(
                f"the direct solver '{self.name}' is not installed: {error}", remedy=f'pip install "uqmbd[{self.extra}]"'
            ) from None
        self.pattern, self.definite, self.done = pattern, definite, 0
        self._analyse()

    def factorise(self, values):
        """Factors of the matrix with the values (entries,) in the order of the pattern's data.

        Raises
        ------
        Singular
            If a value is not finite, a factorisation breaks down, or its least pivot is below `SINGULAR` times the largest.
        """
        values = np.array(values, float)
        if values.shape != self.pattern.data.shape:
            raise ValueError(f"{len(values)} values for a pattern of {len(self.pattern.data)} entries")
        if not np.all(np.isfinite(values)):
            raise Singular("it is not finite")
        self.done += 1
        factors = Factors(self, self._factorise(values))
        if not self._regular(factors._factors) and not factors.ratio >= SINGULAR:
            raise Singular(f"the least pivot is {factors.ratio:.1e} of the largest")
        return factors

    def _analyse(self):
        pass

    def _factorise(self, values):
        """Factors as the library gives them; raises `Singular` where it breaks down."""
        raise NotImplementedError

    def _solve(self, factors, side):
        """Solution (n,) or (n, k) of a side of the same shape, which must stay as it is."""
        raise NotImplementedError

    def _regular(self, factors):
        """True if it is known without its pivots that these are not too small."""
        return False

    def _ratio(self, factors):
        """Least pivot over largest."""
        raise NotImplementedError

    def _sign(self, factors):
        """Sign of the determinant."""
        raise NotImplementedError


class Factors:
    """A factored matrix.

    Attributes
    ----------
    ratio : float
        Least pivot over largest, in magnitude: how near the matrix is to a singular one.  Pivots depend on the order of elimination
        and on scaling (KLU and UMFPACK scale rows), so of two back ends only the order of magnitude agrees.  PARDISO tells only whether
        one was too small: 0 or 1.
    """

    def __init__(self, symbolic, factors):
        self._symbolic, self._factors, self._number = symbolic, factors, symbolic.done

    @cached_property
    def ratio(self):
        """See above."""
        return float(self._symbolic._ratio(self._current()))

    def solve(self, side):
        """Solution of one right-hand side (n,) or of several (n, k).

        Raises
        ------
        RuntimeError
            If the back end keeps one factorisation and another was made since.
        """
        side, n = np.asarray(side, float), self._symbolic.pattern.shape[0]
        if side.ndim not in (1, 2) or len(side) != n:
            raise ValueError(f"a right-hand side of shape {side.shape} for {n} equations")
        return self._symbolic._solve(self._current(), side)

    @cached_property
    def sign(self):
        """Sign of the determinant, 1.0 or -1.0."""
        return float(self._symbolic._sign(self._current()))

    def _current(self):
        if self._symbolic.keeps_one and self._number != self._symbolic.done:
            raise RuntimeError(f"{self._symbolic.name} keeps one factorisation of a pattern, and another was made since")
        return self._factors


def ratio(pivots):
    """Least over largest magnitude; 0 where one is not finite."""
    size = np.abs(pivots)
    if not np.all(np.isfinite(size)) or not size.max(initial=0.0) > 0.0:
        return 1.0 if len(size) == 0 else 0.0
    return size.min() / size.max()


def parity(permutation):
    """Sign of a permutation: each cycle of even length turns it."""
    n = len(permutation)
    cycles = connected_components(csr_array((np.ones(n), permutation, np.arange(n + 1)), (n, n)), return_labels=False)
    return -1.0 if (n - cycles) % 2 else 1.0
