"""``[A, G'; G, 0]``: equations of coordinates and multipliers in numbers, scaled and factored; what is loose where they are singular.

With what changes of coordinates are judged by C, the size s of C A C, and factors R that make the largest entry of each row of G C one::

    [ C A C/s + e   C G' R ] [ x/C     ]   [ C f/s ]
    [ R G C         -e     ] [ l/(R s) ] = [ R c   ]

All of its numbers are without unit, so how near it is to a singular one does not depend on the system's size.  The small share e, where
there is one, holds what has neither mass nor stiffness, and lets rows depend on each other.  A border adds one unknown and one equation.
"""

from functools import cached_property
from warnings import catch_warnings, simplefilter

import numpy as np
from scipy.linalg import LinAlgWarning, lu_factor, lu_solve
from scipy.sparse import csr_array

from flexmbd.language.arrays import Pattern
from flexmbd.linalg.direct import Singular, analyse
from flexmbd.linalg.direct.base import ratio

LEAST = 1e-13  # least pivot over largest of a dense matrix


class Saddle:
    """Scaled matrix; its factors are made when they are first needed.

    Parameters
    ----------
    A : ndarray or csr_array (n, n), or tuple of csr_array
        One that others add to keeps its pattern.
    G : ndarray or csr_array (rows, n)
        Dense like A.
    columns : ndarray (n,), optional
        C; if left out, it makes rows of A alike.
    share : float
        e
    size : float, optional
        s, instead of the largest entry.
    border : tuple of (ndarray (n,), ndarray (n,), ndarray (rows,), float), optional
        Further row, further column over coordinates and over rows, and their corner.
    solver : str
        Back end of `flexmbd.linalg.direct` for sparse matrices.
    analyses : dict, optional
        Where what is found out about patterns is kept; all matrices with the same one must have the same patterns.

    Attributes
    ----------
    matrix : csc_array or ndarray
        As above.
    rows : ndarray (rows,)
        R
    """

    def __init__(self, A, G, *, columns=None, share=0.0, size=None, border=None, solver="superlu", analyses=None):
        parts = A if isinstance(A, tuple) else (A,)
        self.n, self._solver, self._analyses = G.shape[1], solver, {} if analyses is None else analyses
        self._columns = c = _alike(A) if columns is None else columns
        G, self.rows = scaled(G, c)
        self._dense = isinstance(G, np.ndarray)
        if self._dense:
            A = A * c * c[:, None]
            self._size = np.abs(A).max(initial=0.0) or 1.0 if size is None else size
            self.matrix = together(A / self._size, G, share)
        else:
            key = border is not None
            if key not in self._analyses:
                self._analyses[key] = _pattern(parts, G, share > 0.0, key)
            pattern, places = self._analyses[key]
            parts = [part.data * c[i] * c[j] for part, (i, j) in zip(parts, places, strict=True)]
            self._size = max(np.abs(part).max(initial=0.0) for part in parts) or 1.0 if size is None else size
            parts = [part / self._size for part in parts] + [G.data, G.data]
            parts += [np.full(self.n, share), np.full(len(self.rows), -share)] if share else []
            self.matrix = pattern.fill(np.concatenate(parts + self._bordered(border))).T

    def _bordered(self, border):
        """Values of a border, scaled."""
        if border is None:
            return []
        row, force, side, corner = border
        row, column = np.r_[row * self._columns, corner], np.r_[self._columns * force / self._size, self.rows * side]
        self._unknown, self._across = (1.0 / (np.abs(x).max() or 1.0) for x in (column, row))
        row = self._across * row
        return [row[:-1], self._unknown * column, [self._unknown * row[-1]]]

    @cached_property
    def factors(self):
        """Factors of the matrix; raises `Singular` if it is."""
        if self._dense:
            return _Dense(self.matrix)
        key = self.matrix.shape, self._solver
        if key not in self._analyses:
            self._analyses[key] = analyse(self.matrix, self._solver)
        return self._analyses[key].factorise(self.matrix.data)

    def factorise(self):
        """Make the factors now; raises `Singular` if there are none."""
        return self.factors

    def solve(self, force, side, last=None):
        """x (n, ...) and l (rows, ...) of ``A x + G' l = force``, ``G x = side``; with a border also the further unknown."""
        c, r = (x.reshape(-1, *(1,) * (np.ndim(force) - 1)) for x in (self._columns, self.rows))
        more = [] if last is None else [[self._across * last]]
        x = self.factors.solve(np.concatenate([c * force / self._size, r * side, *more]))
        found = c * x[: self.n], self._size * r * x[self.n : self.n + len(r)]
        return found if last is None else (*found, self._unknown * x[-1])

    def least(self, side):
        """The x of ``G x = side`` that A makes smallest."""
        return self.solve(np.zeros((self.n, *np.shape(side)[1:])), side)[0]

    def loose(self):
        """Largest shares of unknowns and multipliers, each (n,) and (rows,), in what the matrix gives nothing for; None if not finite."""
        matrix = self.matrix if self._dense else self.matrix.toarray()
        if not np.all(np.isfinite(matrix)):
            return None
        _, sizes, vectors = np.linalg.svd(matrix)
        null = np.abs(vectors[sizes < max(10 * sizes[-1], 1e-10 * sizes[0])])
        null = (null / null.max(axis=1, keepdims=True)).max(axis=0)
        return null[: self.n], null[self.n : self.n + len(self.rows)]


class _Dense:
    """Factors of a dense matrix, like those of `flexmbd.linalg.direct`."""

    def __init__(self, matrix):
        with catch_warnings():
            simplefilter("ignore", LinAlgWarning)  # said below
            self._factors = lu_factor(matrix, check_finite=False)
        self.ratio = ratio(np.diag(self._factors[0]))
        if not self.ratio >= LEAST:
            raise Singular(f"the least pivot is {self.ratio:.1e} of the largest")

    def solve(self, side):
        return lu_solve(self._factors, side)


def scaled(G, columns=1.0):
    """Rows of G (rows, n) for changes of the coordinates over `columns`, the largest entry of each 1; and the factors (rows,)."""
    if isinstance(G, np.ndarray):
        G = G * columns
        factors = factors_of(np.abs(G).max(axis=-1, initial=0.0))
        return G * factors[..., None], factors
    data, largest = G.data * columns[G.indices], np.zeros(G.shape[0])
    rows = np.repeat(np.arange(len(largest)), np.diff(G.indptr))
    np.maximum.at(largest, rows, np.abs(data))
    factors = factors_of(largest)
    return csr_array((data * factors[rows], G.indices, G.indptr), G.shape), factors


def factors_of(largest):
    """What makes the largest entries of rows 1; rows of zeros stay."""
    return 1.0 / np.where(largest > 0.0, largest, 1.0)


def together(A, G, share=0.0):
    """Arrays ``[A + e, G'; G, -e]``, over axes before the last two."""
    n, rows = A.shape[-1], G.shape[-2]
    matrix = np.zeros((*A.shape[:-2], n + rows, n + rows))
    matrix[..., :n, :n] = A + share * np.eye(n) if share else A
    matrix[..., :n, n:], matrix[..., n:, :n] = np.swapaxes(G, -1, -2), G
    matrix[..., n:, n:] = -share * np.eye(rows)
    return matrix


def _alike(A):
    """C that makes rows of a mass matrix alike; what has no mass of its own counts as the others in the middle."""
    size = 1.0 / np.sqrt(np.maximum(np.abs(A).max(axis=1, initial=0.0), 1e-300))
    free = size > 1e12 * size.min()
    return np.where(free, np.median(size[~free]) if np.any(~free) else 1.0, size)


def _pattern(parts, G, shared, bordered):
    """`Pattern` of the transposed matrix, and the places of the entries of A's parts."""
    (rows, n), parts, g = G.shape, [part.tocoo() for part in parts], G.tocoo()
    size, count = n + rows, np.arange(n + rows)
    places = [part.coords for part in parts] + [(n + g.row, g.col), (g.col, n + g.row)]
    places += [(count, count)] if shared else []
    places += [(np.full(n, size), count[:n]), (count, np.full(size, size)), ([size], [size])] if bordered else []
    i, j = (np.concatenate(x) for x in zip(*places, strict=True))
    return Pattern(j, i, (size + bordered, size + bordered)), [part.coords for part in parts]


__all__ = ["Saddle", "Singular", "scaled", "factors_of", "together"]
