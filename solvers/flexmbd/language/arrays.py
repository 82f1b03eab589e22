"""Expressions evaluated by numpy, and fixed sparsity patterns: what one sample needs without compiled code.

The nodes of an expression are sorted by depth, and each depth's operations of one kind are one numpy operation over all of them,
so that a system of many like elements costs hardly more than a small one.
"""

import numpy as np
from scipy.sparse import csr_array

from flexmbd.language.kinds import RESULT, TOTAL, VARIABLE
from flexmbd.language.ordering import ordered
from flexmbd.language.variables import OWN
from flexmbd.parameters import RUNTIME

_DEFAULTS = {
    "mode": 1.0,
    "impact_velocity": 1.0,
    "least_impact_velocity": 1.0,
    "impacts": 1.0,
}  # a contact at rest bears what its penetration gives


class Program:
    """Nodes evaluated by numpy, depth by depth.

    Parameters
    ----------
    graph : Graph
    roots : sequence of Node
    given : mapping str -> float
        Numbers of the sample, by path.
    """

    def __init__(self, graph, roots, given):
        nodes = ordered(graph, roots)
        known = [x for x in nodes if x.level < RUNTIME]
        self._constants = np.array([float(x) for x in graph.evaluate(known, parameters=given)])
        variables, totals = ([x for x in nodes if x.kind is kind] for kind in (VARIABLE, TOTAL))
        self._inputs = _by_space([x.value for x in variables], len(known))
        place = {x.id: k for k, x in enumerate([*known, *variables, *totals])}
        self._totals = _by_group(totals, place, given)
        depth, groups, results = dict.fromkeys(place, 0), {}, {}  # results: call -> its parts [(node, number)]
        for x in nodes:
            if x.id in depth:
                continue
            if x.kind is RESULT:
                depth[x.id] = depth[x.args[0].id]
                results.setdefault(x.args[0].id, []).append((x.id, x.value))
            else:
                depth[x.id] = 1 + max((depth[a.id] for a in x.args), default=0)
                groups.setdefault((depth[x.id], x.operation), []).append(x)
        self._steps, size = [], len(place)
        for _, members in sorted(groups.items(), key=lambda item: item[0][0]):
            start, count = size, len(members)
            rows = 1 + max(k for x in members for _, k in results.get(x.id, [(0, 0)]))
            place |= {x.id: start + k for k, x in enumerate(members)}
            arguments = [np.array([place[x.args[k].id] for x in members]) for k in range(len(members[0].args))]
            function = members[0].kind.arrays(members[0], given)
            size += rows * count
            self._steps.append((function, arguments, start, count, rows))
            for x in members:
                place |= {part: place[x.id] + k * count for part, k in results.get(x.id, ())}
        self._size = size
        self._roots = np.array([place[x.id] for x in roots], int)

    def __call__(self, values):
        """Values of the roots, shape (roots, ...).

        `values` gives the variables by space: ``"q"`` the array of all coordinates (their number is the first axis), ``"t"`` a number or
        an array.  Spaces left out are 0; contacts are closed.
        """
        given = [np.asarray(values.get(kind, _DEFAULTS.get(kind, 0.0))) for kind, _, _ in self._inputs]
        shapes = [x.shape if index is None or not x.ndim else x.shape[1:] for x, (_, _, index) in zip(given, self._inputs, strict=True)]
        shapes += [np.shape(values.get("q", 0.0))[1:] for _ in self._totals[:1]]
        X = np.empty(
            (self._size, *np.broadcast_shapes(*shapes)), np.result_type(float, *given, *(values.get("q", 0.0) for _ in self._totals[:1]))
        )
        first = len(self._constants)
        X[:first] = self._constants.reshape(-1, *(1,) * (X.ndim - 1))
        for x, (_, slots, index) in zip(given, self._inputs, strict=True):
            X[slots] = x if index is None or not x.ndim else x[index]
        for grouped, sums in self._totals:
            found = grouped(values)
            for slot, one, elements in sums:
                X[slot] = found[one, elements].sum(axis=0)
        with np.errstate(all="ignore"):  # branches that are not taken may divide by zero
            for function, arguments, start, count, rows in self._steps:
                value = function(*(X[a] for a in arguments))
                if isinstance(value, tuple):
                    for k in range(rows):
                        X[start + k * count : start + (k + 1) * count] = value[k]
                else:
                    X[start : start + count] = value
        return X[self._roots]


def _by_group(totals, place, given):
    """Sums over elements, group by group: a `Pooled`, and of each sum its slot, which node of it, and a slice of elements."""
    groups = {}
    for x in totals:
        group, one, start, stop = x.value
        nodes, sums = groups.setdefault(group, ({}, []))
        sums.append((place[x.id], nodes.setdefault(one, len(nodes)), slice(start, stop)))
    return [(Grouped(group, list(nodes), given), sums) for group, (nodes, sums) in groups.items()]


class Grouped:
    """Nodes of the one element of a group, evaluated for all its elements.

    Parameters
    ----------
    group : Group
    roots : sequence of Node
    given : mapping str -> float
        Numbers of the sample, by path.
    """

    def __init__(self, group, roots, given):
        self._program, self._at = Program(group.graph, roots, given), group.coordinates.T
        numbers = group.graph.evaluate([x for own in group.varying for x in own], parameters=given)
        self._numbers = np.array(numbers, float).reshape(len(group.coordinates), -1).T

    def __call__(self, values):
        """Values of the roots, shape (roots, elements, ...); `values` as those of `Program`, of the whole system."""
        own = dict(values)
        for kind, like in OWN.items():
            given = np.asarray(values.get(like, 0.0))
            own[kind] = given[self._at] if given.ndim else given
        own["n"] = self._numbers.reshape(*self._numbers.shape, *(1,) * (np.ndim(own["x"]) - 2))
        found = self._program(own)
        shape = (len(found), self._at.shape[1], *np.shape(own["x"])[2:])
        return np.broadcast_to(found.reshape(*found.shape, *(1,) * (len(shape) - found.ndim)), shape)


class Field:
    """Nodes by place, for the system and for the elements of its groups.

    Parameters
    ----------
    graph : Graph
    single : dict (int, ...) -> Node
        By coordinates of the system.
    grouped : sequence of (Group, dict (int, ...) -> Node)
        By coordinates of the one element.
    given : sequence of float
    width : int
        Coordinates of a place.

    Attributes
    ----------
    places : tuple of ndarray
        Coordinates of all values.
    """

    def __init__(self, graph, single, grouped, given, width):
        self._single = Program(graph, list(single.values()), given)
        grouped = [(group, part) for group, part in grouped if part]
        self._grouped = [Grouped(group, list(part.values()), given) for group, part in grouped]
        tables = [np.array(list(single), int).reshape(-1, width).T]
        tables += [
            np.array([group.coordinates.T[list(key)] for key in part]).transpose(1, 0, 2).reshape(width, -1) for group, part in grouped
        ]
        self.places = tuple(np.concatenate(tables, axis=1))

    def __call__(self, values):
        """All values, in the order of `places`."""
        parts = [self._single(values), *(x.reshape(-1, *x.shape[2:]) for x in (part(values) for part in self._grouped))]
        shape = np.broadcast_shapes(*(x.shape[1:] for x in parts))
        return np.concatenate(
            [np.broadcast_to(x.reshape(len(x), *x.shape[1:], *(1,) * (len(shape) - x.ndim + 1)), (len(x), *shape)) for x in parts]
        )


def _by_space(variables, first):
    """(space, slots, numbers) of variables in slots from `first`."""
    found = {}
    for slot, (space, number) in enumerate(variables, first):
        slots, index = found.setdefault(space, ([], []))
        slots.append(slot)
        index.append(-1 if number is None else number)
    return [(space, np.array(slots), None if index[0] < 0 else np.array(index)) for space, (slots, index) in found.items()]


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
