"""What generated code reads."""

import numpy as np

from flexmbd.language.kinds import PARAMETER, TABLE
from flexmbd.parameters import UNIFORM, Matrix


class Storage:
    """What the generated functions of a model read.

    Packed parameters are numbers, one for all samples, and rows of ``P``, one value per sample; `tables` are all tables of integers, one
    after another.

    Parameters
    ----------
    batch : int
        Elements of a group that one function does at once: 1 where lanes are samples, `codegen.group_loops.BATCH` for a single sample.
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
        self._numbers, self._rows, self._index = [], [], {}  # (place, node) of what is the same for all samples, and of what is not
        self._counts = [0, 0]
        self._tables, self._laid, self._length = [], {}, 0
        self.matrices = {}

    def index(self, node, *, per_sample=False):
        """Place of a node's number among the uniform ones, or its row of ``P`` (`per_sample`: in any case); a new one at first use."""
        row = per_sample or node.level != UNIFORM
        if (row, node.id) not in self._index:
            self._index[row, node.id] = self._place(node, row, 1)
        return self._index[row, node.id] + (self.first_row if row else 0)

    def block(self, table):
        """The same of the first number of a table, behind which the others are, row by row."""
        row, (rows, columns) = table.level != UNIFORM, table.value[1]
        if (row, table.id) not in self._index:
            self._index[row, table.id] = self._place(table, row, rows * columns)
        return self._index[row, table.id] + (self.first_row if row else 0)

    def _place(self, node, row, count):
        place = self._counts[row]
        (self._rows if row else self._numbers).append((place, node))
        self._counts[row] += count
        return place

    @property
    def rows(self):
        """Rows of ``P``."""
        return self._counts[1]

    def row_of(self, path):
        """First row of ``P`` of a system's number that differs between samples; None where code reads only what is made of it."""
        own = [(place, node) for place, node in self._rows if node.kind in (PARAMETER, TABLE)]
        rows = {node.value if node.kind is PARAMETER else node.value[0]: place for place, node in own}
        return self.first_row + rows[path] if path in rows else None

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

    def pack(self, graph, given, count):
        """Numbers of all samples.

        Parameters
        ----------
        given : Parameters
            Of the system, by path.

        Returns
        -------
        numbers : ndarray (max(1, uniform),)
        parameters : ndarray (count, lane)
        """
        values = graph.evaluate([node for _, node in self._numbers + self._rows], parameters=given)
        split = len(self._numbers)
        uniform, parameters = np.zeros(max(1, self._counts[0])), np.zeros((count, self._counts[1]))
        for (place, _), v in zip(self._numbers, values[:split], strict=True):
            v = v.values.ravel() if isinstance(v, Matrix) else v
            uniform[place : place + np.size(v)] = v
        for (place, _), v in zip(self._rows, values[split:], strict=True):
            v = v.values.reshape(len(v), -1) if isinstance(v, Matrix) else np.reshape(v, (-1, 1))
            parameters[:, place : place + v.shape[1]] = v
        return uniform, parameters
