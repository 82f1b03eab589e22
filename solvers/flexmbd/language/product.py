"""A matrix of numbers times a vector: one node, and a loop in machine code; written out where the matrix has few entries."""

from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from flexmbd.language import kinds
from flexmbd.parameters import RUNTIME, UNIFORM

DENSE = 0.5  # share of entries from which on a loop goes over all of them: it then needs no table


@dataclass(frozen=True, eq=False)
class Multiplier:
    """The matrix of a product, and which rows the loop works in: first those of the result, then those of the vector.

    Attributes
    ----------
    table : Node
        Of a parameter that is a `Matrix`, or of a matrix that is made of numbers.
    entries : tuple of (int, int), optional
        Row and column of what may be other than zero, row by row; None: all.
    """

    table: object
    entries: tuple = None

    @property
    def shape(self):
        """Rows and columns."""
        return self.table.value[1]

    @property
    def size(self):
        """Rows that the loop works in."""
        return sum(self.shape)

    @cached_property
    def begins(self):
        """Where entries of each row begin among all, and where the last ends."""
        return [bisect_left(self.entries, (i,)) for i in range(self.shape[0] + 1)]

    def columns(self, i):
        """Columns in which a row may be other than zero."""
        if self.entries is None:
            return range(self.shape[1])
        return [j for _, j in self.entries[self.begins[i] : self.begins[i + 1]]]


def multiplier(table, entries=None):
    """`Multiplier` of a table, which knows its entries if they are few."""
    rows, columns = table.value[1]
    return Multiplier(table, None if entries is None or len(entries) > DENSE * rows * columns else tuple(sorted(entries)))


@dataclass(frozen=True, eq=False)
class Placed:
    """A matrix of numbers that is added, times a node, to a larger one of nodes: a key of it with that node, as a group is with its part.

    Attributes
    ----------
    matrix : Multiplier
    rows, columns : tuple
        Unknowns by row and column of the numbers; None for rows that are left out.
    """

    matrix: Multiplier
    rows: tuple
    columns: tuple

    @property
    def key(self):
        """What tells it apart."""
        return self.matrix.table.id, self.matrix.entries, self.rows, self.columns

    @cached_property
    def places(self):
        """Unknowns of row and of column, and place in the table, of all its numbers: ndarray (3, numbers)."""
        rows, entries = np.array([-1 if row is None else row for row in self.rows]), self.matrix.entries
        i, j = np.indices(self.matrix.shape).reshape(2, -1) if entries is None else np.array(entries).T
        i, j = i[rows[i] >= 0], j[rows[i] >= 0]
        return np.array([rows[i], np.array(self.columns)[j], i * self.matrix.shape[1] + j])

    def couplings(self):
        """Sets of unknowns that are coupled."""
        if self.matrix.entries is None:
            return [{*self.rows, *self.columns} - {None}]
        return [{i, j} for i, j, _ in self.places.T.tolist()]

    def written_out(self, graph, scale):
        """Row, column and node of each entry."""
        for i, j, k in self.places.T.tolist():
            yield i, j, scale * graph.entry(self.matrix.table, *divmod(k, self.matrix.shape[1]))


def product(graph, table, vector, entries=None):
    """Nodes of the rows of a matrix of numbers times a vector: a loop, or written out if it has few entries.

    Parameters
    ----------
    graph : Graph
    table : Node
        Of `Graph.table`, or of a matrix made of numbers (`assembled`).
    vector : sequence of Node
    entries : sequence of (int, int), optional
        Row and column of what may be other than zero; all if left out.
    """
    vector, matrix = [graph.const(x) for x in vector], multiplier(table, entries)
    (rows, columns), entries = matrix.shape, matrix.entries
    count = rows * columns if entries is None else len(entries)
    if count > graph.tuning.product and any(x.level == RUNTIME for x in vector):
        value = matrix, range(rows, rows + columns), ()
        node = graph.make(kinds.PRODUCT, tuple(vector), RUNTIME, value, (table.id, entries))
        return graph.results(node, rows)
    return [graph.dot((graph.entry(table, i, j), vector[j]) for j in matrix.columns(i)) for i in range(rows)]


def assembled(graph, entries, size):
    """Node of the matrix (size, size) of nodes that are numbers; `entries` by row and column."""
    places, nodes = zip(*entries.items(), strict=True)
    level = max(UNIFORM, *(x.level for x in nodes))
    return graph.make(kinds.MATRIX, nodes, level, (places, (size, size)), more=(places, size))


def inverted(graph, table):
    """Node of the inverse of a square matrix of numbers, found when numbers are packed."""
    return graph.make(kinds.INVERSE, (table,), table.level, (table, table.value[1]))


__all__ = ["Multiplier", "Placed", "assembled", "inverted", "multiplier", "product"]
