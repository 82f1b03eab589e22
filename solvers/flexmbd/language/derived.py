"""Kernels whose results are derivatives: written once as expressions of nodes, differentiated by the graph, and run on any values.

A tangent by the graph is as good as one by hand where the chain rule goes over few numbers: an energy by six scalar products, these by
three measures. `expanded` differentiates by such numbers alone, and `pulled` and `congruent` are the chain rule from them to others.
"""

import hashlib
import operator

import numpy as np

from flexmbd import lanes
from flexmbd.language.graph import Graph
from flexmbd.language.kinds import CALL, DIV, RESULT
from flexmbd.language.nodes import flat, nested, shape_of
from flexmbd.language.tracing import substitute


def _greater(a, b):
    """a > b, of numpy's complex numbers too."""
    return np.greater(a, b) if isinstance(a, (np.ndarray, np.generic)) or isinstance(b, (np.ndarray, np.generic)) else a > b


_OPERATORS = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "neg": operator.neg, ">": _greater,
    "&": operator.and_,
}  # fmt: skip


class Derived:
    """A kernel that is a list of operations.

    Parameters
    ----------
    name : str
    write : callable
        ``write(graph, *arguments) -> nodes`` of its results, of arguments that are nodes or tuples of them.
    like : sequence
        Arguments of the shape of the kernel's: anything for a number, tuples for tuples.
    """

    def __init__(self, name, write, *like):
        graph, self._shape = _Graph(), shape_of(like)
        own = graph.space("argument").first(len(flat(like)))
        results = [graph.const(x) for x in write(graph, *nested(own, self._shape))]
        place, self._constants, self._steps = {x.id: k for k, x in enumerate(own)}, [], []
        needed = [x for x in graph.needed(results) if x.id not in place]
        for x in (x for x in needed if x.constant):
            place[x.id] = len(own) + len(self._constants)
            self._constants.append(x.value)
        for x in _by_result(results, {*place}):
            result = x.kind is RESULT
            word, args = x.value.name if x.kind is CALL else x.kind.name, x.args
            self._steps.append((word, [place[a.id] for a in args], x.value if result else None))
            place[x.id] = len(place)
        self._results = [place[x.id] for x in results]
        self.arguments, self.results = len(self._shape), len(results)
        known = repr((self._shape, self._constants, self._steps, self._results))
        self.__name__ = f"{name}_{hashlib.sha256(known.encode()).hexdigest()[:12]}"

    def __call__(self, *arguments):
        """Results of numbers or arrays."""
        return self.by_words({name: word.numpy for name, word in lanes.WORDS.items()})(*arguments)

    def by_words(self, words):
        """It as a function of whatever values the words are for."""
        known = {**words, **_OPERATORS}

        def run(*arguments):
            values = [*flat(arguments), *self._constants]
            for op, at, part in self._steps:
                values.append(known[op](*(values[k] for k in at)) if part is None else values[at[0]][part])
            found = tuple([values[k] for k in self._results])
            return found if len(found) > 1 else found[0]

        return run


def _by_result(results, known):
    """Operations that results need, result by result: fewer values wait for their use than in the order of writing."""
    found, stack = [], list(reversed(results))
    while stack:
        x = stack.pop()
        if x.id in known:
            continue
        if missing := [a for a in x.args if a.id not in known]:
            stack += [x, *reversed(missing)]
        else:
            known.add(x.id)
            found.append(x)
    return found


class _Graph(Graph):
    """A graph that differentiates reciprocals without a division."""

    def _differentiate(self, node, x):
        if node.kind is DIV and node.args[0].one and node is not x:
            return -(node * node) * self.derivative(node.args[1], x)
        return super()._differentiate(node, x)


def expanded(graph, function, at, order=2):
    """Values of a function at nodes, and its derivatives by its arguments alone, whatever these depend on.

    Parameters
    ----------
    function : callable
        Of as many numbers as `at` has nodes; gives a list.
    order : int
        1 or 2.

    Returns
    -------
    values, slopes, curves : lists of Node
        By result; slopes also by argument, curves by two of them (none with order 1).
    """
    first = 1000 * len(graph.nodes)  # variables that nobody else has
    own = [graph.var("argument", first + k) for k in range(len(at))]
    values = [graph.const(x) for x in function(*own)]
    slopes = [[graph.derivative(x, a) for a in own] for x in values]
    curves = [[[graph.derivative(x, a) for a in own] for x in row] for row in slopes] if order > 1 else None
    made = [values, slopes, curves or []]
    return nested(substitute(graph, flat(made), dict(zip(own, at, strict=True))), shape_of(made))


def pulled(graph, slopes, jacobian):
    """Derivatives of a number by what its arguments depend on, from those by its arguments."""
    return product(graph, [slopes], jacobian)[0]


def product(graph, a, b):
    """Product of two matrices."""
    rows, columns = (_filled(graph, x) for x in (a, zip(*b, strict=True)))
    return [[graph.dot((x, column[k]) for k, x in row.items() if k in column) for column in columns] for row in rows]


def times(graph, matrix, vector):
    """Matrix times vector."""
    return [graph.dot(zip(row, vector, strict=True)) for row in matrix]


def congruent(graph, left, matrix, right, symmetric=False):
    """``left' matrix right``; of a `symmetric` one the lower half is taken for the upper one."""
    inner, rows = _filled(graph, zip(*product(graph, matrix, right), strict=True)), _filled(graph, zip(*left, strict=True))
    out = [[None] * len(inner) for _ in rows]
    for i, row in enumerate(rows):
        for j, column in enumerate(inner):
            out[i][j] = out[j][i] if symmetric and j < i else graph.dot((x, column[k]) for k, x in row.items() if k in column)
    return out


def _filled(graph, rows):
    """Entries of rows that are not zero, by place."""
    return [{k: x for k, x in enumerate(map(graph.const, row)) if not x.zero} for row in rows]


def composed(graph, slopes, curves, function, at):
    """First and second derivatives of a number by nodes `at`, from those by the results of a function of them."""
    _, inner, second = expanded(graph, function, at)
    out = congruent(graph, inner, curves, inner, symmetric=True)
    for i, row in enumerate(out):
        for j in range(i, len(row)):
            row[j] = out[j][i] = graph.dot(((s, block[i][j]) for s, block in zip(slopes, second, strict=True)), row[j])
    return pulled(graph, slopes, inner), out


def added(graph, total, more, weight=1.0):
    """Sum of two lists of nodes, or of lists of these."""
    if isinstance(more, (list, tuple)):
        return [added(graph, t, m, weight) for t, m in zip(total, more, strict=True)]
    return graph.add(total, graph.mul(weight, more))
