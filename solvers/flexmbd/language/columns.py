"""Nodes of a graph as arrays by id: what walks over all nodes of a large function asks of them."""

from itertools import chain
from operator import attrgetter

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order


class Numbers(dict):
    """Numbers of things in the order in which they come up."""

    def __missing__(self, key):
        self[key] = len(self)
        return self[key]


class Columns:
    """Arrays of a graph's nodes, which grow with it.

    Attributes
    ----------
    start : ndarray (nodes + 1,)
        Where the arguments of each begin among `args`.
    args : ndarray of int
        Ids of all arguments, node by node.
    level : ndarray (nodes,)
    kind, operation : ndarray (nodes,) of int
        Equal numbers where these are equal, see `number`.
    """

    def __init__(self):
        self.start, self.args = np.zeros(1, np.int64), np.zeros(0, np.int64)
        self.level, self.kind, self.operation = (np.zeros(0, np.int64) for _ in range(3))
        self._kinds, self._operations = Numbers(), Numbers()

    def extended(self, nodes):
        """Itself, with what has been made since."""
        new = nodes[len(self.level) :]
        if new:
            args = [*map(attrgetter("args"), new)]
            more = {
                "start": self.start[-1] + np.cumsum([*map(len, args)]),
                "args": [*map(attrgetter("id"), chain.from_iterable(args))],
                "level": [*map(attrgetter("level"), new)],
                "kind": [*map(self._kinds.__getitem__, map(attrgetter("kind"), new))],
                "operation": [*map(self._operations.__getitem__, map(attrgetter("operation"), new))],
            }
            for key, own in more.items():
                setattr(self, key, np.concatenate([getattr(self, key), np.array(own, np.int64)]))
        return self

    def are(self, ids, *kinds):
        """Whether nodes are of one of these kinds."""
        return np.isin(self.kind[ids], [self._kinds[kind] for kind in kinds if kind in self._kinds])

    def arguments(self, ids):
        """Of nodes, one after another: the place among `ids` of the node, and the id, of each argument."""
        begins = self.start[ids]
        counts = self.start[ids + 1] - begins
        ends = np.cumsum(counts)
        of = np.repeat(np.arange(len(ids)), counts)
        return of, self.args[np.arange(len(of)) + np.repeat(begins - ends + counts, counts)]

    def needed(self, roots):
        """Ids of what the roots depend on, and theirs, ascending."""
        count = len(self.level)
        where = np.concatenate([self.start, [self.start[-1] + len(roots)]])
        edges = np.concatenate([self.args, np.array([x.id for x in roots], np.int64)])
        matrix = csr_array((np.ones(len(edges)), edges.astype(np.int32), where.astype(np.int32)), shape=(count + 1, count + 1))
        return np.sort(breadth_first_order(matrix, count, return_predecessors=False))[:-1]
