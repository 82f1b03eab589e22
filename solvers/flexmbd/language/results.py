"""Results of a node that has many: each becomes a node when it is asked for, and a run of them is stored by one loop."""

from collections.abc import Sequence

from flexmbd.language import kinds
from flexmbd.parameters import RUNTIME


class Results(Sequence):
    """Results of a node by number.

    Parameters
    ----------
    node : Node
    numbers : range
    """

    def __init__(self, node, numbers):
        self.node, self.numbers = node, numbers

    def __len__(self):
        return len(self.numbers)

    def __getitem__(self, k):
        if isinstance(k, slice):
            return Results(self.node, self.numbers[k])
        k = self.numbers[k]
        return self.node.graph.make(kinds.RESULT, (self.node,), self.node.level, k, more=(k,))

    def get(self, k, default=None):
        """Result k, as of a dict."""
        return self[k]

    def items(self):
        """Number and node of each, as of a dict."""
        return enumerate(self)

    def span(self):
        """Node of all, to be stored in rows that follow one another."""
        where = self.numbers.start, len(self)
        return self.node.graph.make(kinds.SPAN, (self.node,), RUNTIME, where, more=where)


def part(solution, begin, end, default=None):
    """Entries of a solution, `Results` or a dict, from a number on to before another."""
    return solution[begin:end] if isinstance(solution, Results) else [solution.get(k, default) for k in range(begin, end)]


def sources(nodes):
    """Nodes, or the one that they are results of."""
    return [nodes.node] if isinstance(nodes, Results) else nodes


def stored(array, *nodes):
    """Stores of lists of nodes in rows that follow one another."""
    found, row = [], 0
    for own in nodes:
        found += [((array, row), own.span())] if isinstance(own, Results) else [((array, row + k), x) for k, x in enumerate(own)]
        row += len(own)
    return found
