"""Linear equations of one large system, solved by a sparse direct library that compiled code calls back.

Compiled code writes the values of a fixed pattern, and right-hand sides, into rows of ``P``; `Solver` has the pattern analysed once and
hands both to the library (`linalg.direct`).  A system of one sample only: with several lanes the values would not be contiguous.
"""

import ctypes
import hashlib

import numpy as np
from scipy.sparse import csc_array

from flexmbd.linalg.blocks import BlockFactors
from flexmbd.linalg.direct import Singular, analyse

SOLVE = 1 << 20  # added to the number of a matrix: solve with it, do not factorise it


class SparsePlan:
    """Pattern of a matrix, with the interface of `blocks.Plan` as far as code is printed from it.

    Parameters
    ----------
    size : int
        Unknowns.
    rows, columns : ndarray
        Where its entries are; repeated ones count once.
    """

    def __init__(self, size, rows, columns):
        self.unknowns = size
        keys = np.sort(np.asarray(columns, np.int64) * size + np.asarray(rows, np.int64))
        self._keys = keys[np.diff(keys, prepend=-1) > 0]  # `np.unique` takes ten times as long
        self.size = len(self._keys)
        self.place = range(size)
        self.name = hashlib.sha256(self._keys.tobytes()).hexdigest()[:12]

    def places(self, rows, columns):
        """Places of entries in the storage, by arrays of rows and columns."""
        return np.searchsorted(self._keys, np.asarray(columns, np.int64) * self.unknowns + rows)

    def rows_of(self, unknowns):
        """Rows of a right-hand side, by an array of unknowns."""
        return unknowns

    def pattern(self):
        """The pattern as csc_array of ones."""
        columns, rows = np.divmod(self._keys, self.unknowns)
        starts = np.searchsorted(columns, np.arange(self.unknowns + 1))
        return csc_array((np.ones(self.size), rows, starts), (self.unknowns, self.unknowns))


class SparseFactors(BlockFactors):
    """Factors of a matrix by a library, with the interface of `elimination.Factors`."""

    def __init__(self, graph, entry, grouped=(), placed=()):
        self.graph = graph
        kept = {ij: x for ij, x in entry.items() if not x.zero}
        tables = [np.array(list(kept), np.int64).reshape(-1, 2).T, *(one.places[:2] for one, _ in placed)]
        for group, part in grouped:
            unknowns = group.unknowns()
            tables += [np.array([unknowns[:, i], unknowns[:, j]]) for i, j in group.entries(part)]
        rows, columns = np.concatenate(tables, axis=1)
        self.order = range(int(max(rows.max(), columns.max())) + 1)
        self.plan = SparsePlan(len(self.order), rows, columns)
        places = self.plan.places(*tables[0]).tolist()
        self.node = self._factors(list(zip(places, kept.values(), strict=True)), grouped, placed)

    def _named(self, results):
        return results


class Solver:
    """What compiled code calls: ``call(number, address)``.

    Parameters
    ----------
    plans : list of SparsePlan
        By the number of the matrix.
    name : str
        Of a back end of `linalg.direct`.

    Attributes
    ----------
    address : int
        Of the function.
    """

    def __init__(self, plans, name):
        self._plans, self._symbolic = plans, [analyse(plan.pattern(), name) for plan in plans]
        self._factors, self._values, self._failure = {}, {}, None
        self._function = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64)(self._called)
        self.address = ctypes.cast(self._function, ctypes.c_void_p).value

    def check(self):
        """Raise what was raised while compiled code ran, which cannot pass it on."""
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure

    def _called(self, number, address):
        try:
            if number >= SOLVE:
                self._solve(number - SOLVE, address)
            else:
                self._factorise(number, address)
        except BaseException as error:  # also Ctrl-C
            self._factors.clear()
            self._failure = error

    def _factorise(self, number, address):
        values = _array(address, self._plans[number].size)
        if number in self._factors and np.array_equal(values, self._values[number]):
            return  # mass matrices and linear rows stay what they are
        self._factors.pop(number, None)
        try:
            self._factors[number] = self._symbolic[number].factorise(values)
        except Singular:
            return  # solutions are not finite then, and the step is rejected
        self._values[number] = values.copy()

    def _solve(self, number, address):
        side = _array(address, self._plans[number].unknowns)
        if number in self._factors and np.all(np.isfinite(side)):
            side[:] = self._factors[number].solve(side)
        else:
            side[:] = np.nan


def _array(address, size):
    return np.frombuffer((ctypes.c_double * size).from_address(address))
