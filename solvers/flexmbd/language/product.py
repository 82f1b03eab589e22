"""A matrix of numbers times a vector: one node, and a loop in machine code; written out where the matrix has few entries."""

from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property

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
    vector, (rows, columns) = [graph.const(x) for x in vector], table.value[1]
    entries = None if entries is None or len(entries) > DENSE * rows * columns else tuple(sorted(entries))
    matrix = Multiplier(table, entries)
    count = rows * columns if entries is None else len(entries)
    if count > graph.tuning.product and any(x.level == RUNTIME for x in vector):
        value = matrix, range(rows, rows + columns), ()
        node = graph.make(kinds.PRODUCT, tuple(vector), RUNTIME, value, (table.id, entries))
        return graph.results(node, rows)
    return [graph.dot((graph.entry(table, i, j), vector[j]) for j in matrix.columns(i)) for i in range(rows)]


def assembled(graph, entries, size, *, inverse=False):
    """Node of the matrix (size, size) of nodes that are numbers, or of its inverse; `entries` by row and column."""
    places, nodes = zip(*entries.items(), strict=True)
    level = max(UNIFORM, *(x.level for x in nodes))
    return graph.make(kinds.MATRIX, nodes, level, (places, (size, size), inverse), more=(places, size, inverse))


__all__ = ["Multiplier", "assembled", "product"]
