"""Expressions evaluated by numpy, and fixed sparsity patterns: what one sample needs without compiled code.

The nodes of an expression are sorted by depth, and each depth's operations of one kind are one numpy operation over all of them,
so that a system of many like elements costs hardly more than a small one.
"""

from functools import cache

import numpy as np
from scipy.sparse import csr_array

from flexmbd import lanes
from flexmbd.linalg.graph import RUNTIME
from flexmbd.linalg.printer import ordered
from flexmbd.modules import source_of

_ARITHMETIC = {
    "+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide, "neg": np.negative, "sqrt": np.sqrt, "fabs": np.abs,
    ">": np.greater, "&": np.multiply, "select": lambda condition, a, b: np.where(condition != 0.0, a, b),
}  # fmt: skip
_VOCABULARY = {
    lanes.any_lane: np.any, lanes.atan2: np.arctan2, lanes.exp: np.exp, lanes.fabs: np.abs, lanes.floor: np.floor,
    lanes.lnot: np.logical_not, lanes.log: np.log, lanes.maximum: np.maximum, lanes.minimum: np.minimum,
    lanes.power: lambda x, y: np.where(x > 0.0, np.abs(x) ** y, 0.0), lanes.select: np.where,
    lanes.sincos: lambda x: (np.sin(x), np.cos(x)), lanes.sqrt: np.sqrt, lanes.tanh: np.tanh,
}  # fmt: skip
_DEFAULTS = {"mode": 1.0, "vz": 1.0, "count": 1.0}  # a contact at rest bears what its penetration gives


class Program:
    """Nodes evaluated by numpy, depth by depth.

    Parameters
    ----------
    graph : Graph
    roots : sequence of Node
    leaves : sequence of float
        Numbers of the sample.
    """

    def __init__(self, graph, roots, leaves):
        nodes = ordered(graph, roots)
        known = [x for x in nodes if x.level < RUNTIME]
        self._constants = np.array([float(x) for x in graph.evaluate(known, parameters=leaves)])
        variables = [x for x in nodes if x.op == "var"]
        self._inputs = _by_kind([x.value for x in variables], len(known))
        place = {x.id: k for k, x in enumerate([*known, *variables])}
        depth, groups, results = dict.fromkeys(place, 0), {}, {}  # results: call -> its parts [(node, number)]
        for x in nodes:
            if x.id in depth:
                continue
            if x.op == "out":
                depth[x.id] = depth[x.args[0].id]
                results.setdefault(x.args[0].id, []).append((x.id, x.value))
            else:
                depth[x.id] = 1 + max((depth[a.id] for a in x.args), default=0)
                groups.setdefault((depth[x.id], x.op), []).append(x)
        self._steps, size = [], len(place)
        for (_, op), members in sorted(groups.items(), key=lambda item: item[0][0]):
            start, count = size, len(members)
            rows = 1 + max(k for x in members for _, k in results.get(x.id, [(0, 0)]))
            place |= {x.id: start + k for k, x in enumerate(members)}
            arguments = [np.array([place[x.args[k].id] for x in members]) for k in range(len(members[0].args))]
            function = _ARITHMETIC.get(op) or on_arrays(members[0].function)
            size += rows * count
            self._steps.append((function, arguments, start, count, rows))
            for x in members:
                place |= {part: place[x.id] + k * count for part, k in results.get(x.id, ())}
        self._size = size
        self._roots = np.array([place[x.id] for x in roots], int)

    def __call__(self, values):
        """Values of the roots, shape (roots, ...).

        `values` gives the variables by kind: ``"q"`` the array of all ``q0, q1, ...`` (their index is the first axis), ``"t"`` a number or
        an array.  Kinds left out are 0; contacts are closed.
        """
        given = [np.asarray(values.get(kind, _DEFAULTS.get(kind, 0.0))) for kind, _, _ in self._inputs]
        shapes = [x.shape if index is None or not x.ndim else x.shape[1:] for x, (_, _, index) in zip(given, self._inputs, strict=True)]
        X = np.empty((self._size, *np.broadcast_shapes(*shapes)), np.result_type(float, *given))
        first = len(self._constants)
        X[:first] = self._constants.reshape(-1, *(1,) * (X.ndim - 1))
        for x, (_, slots, index) in zip(given, self._inputs, strict=True):
            X[slots] = x if index is None or not x.ndim else x[index]
        with np.errstate(all="ignore"):  # branches that are not taken may divide by zero
            for function, arguments, start, count, rows in self._steps:
                value = function(*(X[a] for a in arguments))
                if isinstance(value, tuple):
                    for k in range(rows):
                        X[start + k * count : start + (k + 1) * count] = value[k]
                else:
                    X[start : start + count] = value
        return X[self._roots]


def _by_kind(names, first):
    """(kind, slots, indices) of variables ``q0``, ``q1``, ``t``, ... in slots from `first`."""
    found = {}
    for slot, name in enumerate(names, first):
        kind = name.rstrip("0123456789")
        slots, index = found.setdefault(kind, ([], []))
        slots.append(slot)
        index.append(int(name[len(kind) :] or -1))
    return [(kind, np.array(slots), None if index[0] < 0 else np.array(index)) for kind, (slots, index) in found.items()]


@cache
def on_arrays(kernel):
    """A kernel as a function of numpy arrays: its source, run on numpy's own vocabulary."""
    if kernel in _VOCABULARY:
        return _VOCABULARY[kernel]
    plain = getattr(kernel, "py_func", kernel)
    known = {name: x for name in plain.__code__.co_names if (x := plain.__globals__.get(name)) is not None}
    space = {name: on_arrays(x) if callable(x) else x for name, x in known.items()}
    exec(source_of(kernel), space)
    return space[plain.__name__]


class Pattern:
    """Fixed sparsity pattern: entries by row and column (repeated ones add up) to a csr matrix."""

    def __init__(self, rows, columns, shape):
        key = np.array(rows, int) * max(shape[1], 1) + np.array(columns, int)
        unique, self._place = np.unique(key, return_inverse=True)
        self._columns = unique % max(shape[1], 1)
        self._starts = np.searchsorted(unique // max(shape[1], 1), np.arange(shape[0] + 1))
        self._shape = shape

    def fill(self, values):
        """The csr matrix of the entries' values."""
        data = np.bincount(self._place, values, len(self._columns))
        return csr_array((data, self._columns, self._starts), self._shape)
