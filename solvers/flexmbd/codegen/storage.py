"""What generated code reads."""

import numpy as np

from flexmbd.language.nodes import UNIFORM


class Storage:
    """What the generated functions of a model read.

    Packed parameters are numbers, one for all samples, and rows of ``P``, one value per sample; `tables` are all tables of integers, one
    after another.

    Parameters
    ----------
    batch : int
        Elements of a pool that one function does at once: 1 where lanes are samples, `codegen.pools.BATCH` for a single sample.
    first_row : int
        Row of ``P`` of the first parameter.
    before : int
        Matrices of another storage that the library numbers first.

    Attributes
    ----------
    matrices : dict
        Node of a matrix that a library factorises -> (number, plan).
    """

    def __init__(self, batch=1, first_row=0, before=0):
        self.batch, self.first_row, self.before = batch, first_row, before
        self.uniform, self.lane, self._index = [], [], {}
        self._tables, self._laid, self._length = [], {}, 0
        self.matrices = {}

    def index(self, node, *, per_sample=False):
        """Place of a node's number among the uniform ones, or its row of ``P`` (`per_sample`: in any case); a new one at first use."""
        row = per_sample or node.level != UNIFORM
        if (row, node.id) not in self._index:
            nodes = self.lane if row else self.uniform
            self._index[row, node.id] = len(nodes)
            nodes.append(node)
        return self._index[row, node.id] + (self.first_row if row else 0)

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
        """Numbers of all samples.

        Parameters
        ----------
        leaves : sequence of float or ndarray (count,)
            Leaf parameters by index.

        Returns
        -------
        numbers : ndarray (max(1, uniform),)
        parameters : ndarray (count, lane)
        """
        values = graph.evaluate(self.uniform + self.lane, parameters=leaves)
        split = len(self.uniform)
        uniform = np.array([float(v) for v in values[:split]] or [0.0])
        parameters = np.zeros((count, len(self.lane)))
        for k, v in enumerate(values[split:]):
            parameters[:, k] = v
        return uniform, parameters
