"""What generated code reads and works in."""

import numpy as np

from flexmbd.linalg.nodes import UNIFORM


class Storage:
    """What the generated functions of a model read and work in.

    Packed parameters are ``numbers[k]``, one number for all samples, and ``P[k, lane]``, one per sample; below the parameters ``P`` has
    rows to work in.  ``U`` is `numbers`, `tables`, all tables of integers one after another, and the address of a function that solves.

    Parameters
    ----------
    batch : int
        Elements of a pool that one function does at once: 1 where lanes are samples, `lanes.elements.BATCH` for a single sample.
    before : int
        Matrices of another storage that the library numbers first.

    Attributes
    ----------
    scratch, unknowns, shares : int
        Rows to work in for a matrix, for a right-hand side, and for what a batch of elements adds to one.
    matrices : dict
        Node of a matrix that a library factorises -> (number, plan).
    sizes : set of int
        Sizes of supernodes that have kernels of their own.
    functions : dict
        Functions of one element of a pool: what tells them apart -> (name, arguments, what reads a variable, stores, batch).
    """

    def __init__(self, batch=1, before=0):
        self.batch, self.before = batch, before
        self.uniform, self.lane, self._slot = [], [], {}
        self._tables, self._laid, self._length = [], {}, 0
        self.scratch, self.unknowns, self.shares, self.sizes, self.matrices, self.functions = 0, 0, 0, set(), {}, {}

    def slot(self, node):
        """Source text that reads the node's slot; a new slot at first use."""
        return ("numbers[{}]" if node.level == UNIFORM else "ld(P, {})").format(self.index(node))

    def index(self, node):
        """Place of the node's number among those of its level; a new one at first use."""
        if node.id not in self._slot:
            nodes = self.uniform if node.level == UNIFORM else self.lane
            self._slot[node.id] = len(nodes)
            nodes.append(node)
        return self._slot[node.id]

    def row(self, node):
        """Row of ``P`` with a node that is known before run time."""
        if ("row", node.id) not in self._slot:
            self._slot["row", node.id] = len(self.lane)
            self.lane.append(node)
        return self._slot["row", node.id]

    def lay(self, table):
        """Range of a table of integers among all tables; equal ones are kept once."""
        table = np.ascontiguousarray(table, np.int32).ravel()
        key = table.tobytes()
        if key not in self._laid:
            self._laid[key] = self._length
            self._tables.append(table)
            self._length += len(table)
        return self._laid[key], self._laid[key] + len(table)

    @property
    def tables(self):
        """All tables."""
        return np.concatenate([*self._tables, np.zeros(1, np.int32)])

    def pack(self, graph, leaves, count):
        """Numbers of all slots.

        Parameters
        ----------
        leaves : sequence of float or ndarray (count,)
            Leaf parameters by index.

        Returns
        -------
        U : ndarray (max(1, uniform),)
        P : ndarray (max(1, lane), count)
        """
        values = graph.evaluate(self.uniform + self.lane, parameters=leaves)
        split = len(self.uniform)
        uniform = np.array([float(v) for v in values[:split]] or [0.0])
        lane = np.zeros((max(1, len(self.lane)), count))
        for k, v in enumerate(values[split:]):
            lane[k] = v
        return uniform, lane
