"""Kinds of graph nodes, in one table: what each is in numpy and in machine code, its derivative, how it is made again, what it costs.

Whoever walks a graph asks a node's kind and knows none by name; who looks for a certain one compares with it (``node.kind is NEG``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from flexmbd import lanes
from flexmbd.errors import NotDifferentiable
from flexmbd.lanes.recurrences import plus, times
from flexmbd.language import evaluation
from flexmbd.language.nodes import nested, of_numbers
from flexmbd.language.ops import OPS
from flexmbd.parameters import RUNTIME, Matrix

FEW = 3  # numbers of a vector up to which a product's derivative is written out


@dataclass(frozen=True, eq=False)
class Kind:
    """A kind of node.

    Attributes
    ----------
    name, meaning : str
    numpy : callable
        ``numpy(node, values, variables, parameters)`` from the values of its arguments: numbers, or arrays over samples.
    write : callable
        ``write(piece, node)`` writes instructions into a `codegen.functions.Piece`, and gives the value if it is one. None: it is read.
    arrays : callable, optional
        ``arrays(node, parameters)`` is a function of arrays of arguments for many nodes of the same operation at once.
    derivative : callable, optional
        ``derivative(graph, node, x, k)`` by a variable x, of result k where it has several. None: it has none, and that is said.
    rebuild : callable, optional
        ``rebuild(graph, node, args)`` is the node of other arguments. None: it cannot be, and that is said.
    result : callable, optional
        ``result(graph, node, k)`` is the node of result k.
    grouped : callable
        What it takes from groups of elements: (group, first element, element behind the last or None, nodes of one element).
    cost, each : int
        About how many instructions it is, and how many more for each argument.
    loops : bool
        Whether it is written with loops or calls of its own, so that a function in units cannot have it.
    truth : bool
        Whether it is true or false, no number.
    series : callable, optional
        ``series(s, node, k)`` or, of several results, ``series(s, node, k, result)`` is the coefficient of order k above 0 of its Taylor
        series (`language.series`). None: it has none.
    bends : callable
        Of a node: whether its recurrence holds between places where a condition changes only.
    """

    name: str
    meaning: str
    numpy: Callable
    write: Callable | None = None
    arrays: Callable | None = None
    derivative: Callable | None = None
    rebuild: Callable | None = None
    result: Callable | None = None
    grouped: Callable = lambda node: ()
    cost: int = 1
    each: int = 0
    loops: bool = False
    truth: bool = False
    series: Callable | None = None
    bends: Callable = lambda node: False


def _operation(name, op):
    """The kind of an operation, from its row in `ops`."""
    derivative = op.derivative
    return Kind(
        name,
        op.meaning,
        lambda node, values, variables, parameters: op.numpy(*values),
        lambda piece, node: op.write(piece.writer, *map(piece.value, node.args)),
        lambda node, parameters: op.arrays or op.numpy,
        derivative and (lambda g, node, x, k: derivative(g, node, lambda a: g.derivative(a, x))),
        lambda g, node, args: getattr(g, op.make)(*args),
        truth=op.truth,
        series=op.series,
        bends=lambda node: op.bends,
    )


def _zero(graph, node, x, k):
    """Derivative of what no variable changes."""
    return graph.const(0.0)


def _unsolved(graph, node, x, k):
    told = "accelerations and reactions, being solutions of linear equations, have no derivatives"
    raise NotDifferentiable(told, remedy="take a quantity of coordinates and velocities")


def _of_largest(graph, node, x, k):
    raise NotDifferentiable("the largest of many values has no derivative")


def _of_call(graph, node, x, k):
    """Derivative of result k of a call, by its tangent."""
    rates = [graph.derivative(a, x) for a in node.args]
    if all(r.zero for r in rates):
        return graph.const(0.0)
    slopes = {} if node.tangent is None else node.tangent(node.given)
    if not any(result == k for result, _ in slopes):
        name = node.value.name.rpartition("_")[0] or node.value.name
        told = f"kernel '{name}' does not say the derivatives of its result number {k + 1}"
        remedy = "call it with a tangent, such as `derived_tangent` makes, or take an explicit integrator"
        raise NotDifferentiable(told, remedy=remedy)
    return graph.dot((slopes[k, j], r) for j, r in enumerate(rates) if (k, j) in slopes and not r.zero)


def _of_total(graph, node, x, k):
    """Derivative of a sum over elements: of what all have, and of the coordinates that are some elements' own."""
    group, one, *elements = node.value
    parts = [graph.total(group, graph.derivative(one, x), *elements)]
    parts += [graph.total(group, graph.derivative(one, own), e, e + 1) for own, e in group.elements_of(x, *elements)]
    return graph.dot((part, 1.0) for part in parts)


def _of_product(graph, node, x, k):
    """Derivative of row k of a product: the matrix times those of the vector, of which few are single numbers of the matrix."""
    matrix, rates = node.value[0], graph.rates(node, x)
    if len(rates) > FEW:
        return graph.product(matrix.table, [rates.get(j, 0.0) for j in range(len(node.args))], matrix.entries)[k]
    return graph.dot((graph.entry(matrix.table, k, j), rate) for j, rate in rates.items() if j in matrix.columns(k))


def _series_of_call(s, node, k, result=0):
    """Coefficient of a result of a call: of a word of `lanes` by its own recurrence, of another kernel by what it does."""
    if not node.value.text:
        return lanes.WORDS[node.value.name].series(s, node, k, result)
    return s(s.traced(node)[result], k)


def _series_of_product(s, node, k, result):
    matrix = node.value[0]
    total = 0.0
    for j in matrix.columns(result):
        total = plus(total, times(s(s.graph.entry(matrix.table, result, j), 0), s(node.args[j], k)))
    return total


def _called_again(graph, node, args):
    return graph.call(node.function, nested(args, node.shape), None, node.tangent, partly=True)


def _in_equations(node):
    """What linear equations take from groups."""
    return [(group, 0, None, list(part.values()) if isinstance(part, dict) else part) for group, part in node.value[2]]


CONST = Kind("const", "constant", lambda node, values, v, p: node.value)
PARAMETER = Kind("param", "number of the system", lambda node, values, v, p: p[node.value])
TABLE = Kind("table", "matrix of numbers of the system", lambda node, values, v, p: p[node.value[0]])
ENTRY = Kind("entry", "number of a table", lambda node, values, v, p: values[0].values[(..., *node.value)])
VARIABLE = Kind("var", "value known at run time", lambda node, values, v, p: node.value.of(v), derivative=_zero)
CALL = Kind(
    "call", "call of a kernel",
    numpy=lambda node, values, v, p: evaluation.called(node, values),
    write=lambda piece, node: piece.call(node),
    arrays=lambda node, p: of_numbers(evaluation.on_arrays(node.function), node.shape),
    derivative=_of_call, rebuild=_called_again,
    result=lambda g, node, k: g.call(node.function, node.given, k + 1, node.tangent, partly=True)[k],
    cost=4, each=1, series=_series_of_call, bends=lambda node: not node.value.text and lanes.WORDS[node.value.name].bends,
)  # fmt: skip
LOOKUP = Kind(
    "lookup", "row of a table, by a value",
    numpy=lambda node, values, v, p: p[node.value.value[0]].row(values[0]),
    write=lambda piece, node: piece.lookup(node),
    arrays=lambda node, p: partial(evaluation.columns, p[node.value.value[0]]),
    derivative=_zero, rebuild=lambda g, node, args: g.lookup(node.value, args[0])[0].args[0],
    result=lambda g, node, k: g.lookup(node.value, node.args[0])[k],
    cost=30, each=1, loops=True, series=lambda s, node, k, result: 0.0, bends=lambda node: True,
)  # fmt: skip
FACTORS = Kind(
    "factors", "factors of a matrix",
    numpy=lambda node, values, v, p: evaluation.dense(node, values, p), write=lambda piece, node: piece.linear.write(node),
    derivative=_unsolved, grouped=_in_equations, cost=30, each=1, loops=True,
)  # fmt: skip
SUBSTITUTION = Kind(
    "substitution", "solution of linear equations",
    numpy=lambda node, values, v, p: evaluation.solved(node, values), write=lambda piece, node: piece.linear.write(node),
    derivative=_unsolved, grouped=_in_equations, cost=30, each=1, loops=True,
)  # fmt: skip
MATRIX = Kind(
    "matrix", "matrix of numbers that are made of the system's", numpy=lambda node, values, v, p: evaluation.assembled(node, values)
)  # fmt: skip
INVERSE = Kind("inverse", "inverse of a matrix of numbers", numpy=lambda node, values, v, p: Matrix(np.linalg.inv(values[0].values)))
PRODUCT = Kind(
    "product", "matrix of numbers times a vector",
    numpy=lambda node, values, v, p: evaluation.multiplied(node, p)(*values), write=lambda piece, node: piece.linear.write(node),
    arrays=evaluation.multiplied, derivative=_of_product,
    rebuild=lambda g, node, args: g.make(PRODUCT, tuple(args), RUNTIME, node.value, node.operation[1:]),
    result=lambda g, node, k: g.results(node, k + 1)[k],
    cost=30, each=1, loops=True, series=_series_of_product,
)  # fmt: skip
TOTAL = Kind(
    "total", "sum over elements of a group",
    numpy=lambda node, values, v, p: evaluation.summed(node, v or {}, p), write=lambda piece, node: piece.linear.write(node),
    derivative=_of_total, grouped=lambda node: [(node.value[0], *node.value[2:], [node.value[1]])], cost=30, each=1, loops=True,
)  # fmt: skip
LARGEST = Kind(
    "largest", "largest over elements of a pool, of what is not negative",
    numpy=lambda node, values, v, p: evaluation.summed(node, v or {}, p, evaluation.largest),
    write=TOTAL.write, derivative=_of_largest,
    grouped=TOTAL.grouped, cost=30, each=1, loops=True,
)  # fmt: skip
RESULT = Kind(
    "out", "one of several results",
    numpy=lambda node, values, v, p: values[0][node.value], write=lambda piece, node: piece.result(node),
    derivative=lambda g, node, x, k: node.args[0].kind.derivative(g, node.args[0], x, node.value),
    rebuild=lambda g, node, args: args[0].kind.result(g, args[0], node.value),
    series=lambda s, node, k: node.args[0].kind.series(s, node.args[0], k, node.value),
)  # fmt: skip
SPAN = Kind(
    "span", "results that follow one another", numpy=lambda node, values, v, p: values[0][slice(node.value[0], sum(node.value))],
    write=lambda piece, node: None, derivative=_unsolved,
)  # fmt: skip
OPERATIONS = {name: _operation(name, op) for name, op in OPS.items()}
ADD, SUB, MUL, DIV, NEG = (OPERATIONS[name] for name in ("+", "-", "*", "/", "neg"))
SQRT, FABS, GREATER, BOTH, SELECT = (OPERATIONS[name] for name in ("sqrt", "fabs", ">", "&", "select"))
LINEAR = (FACTORS, SUBSTITUTION, PRODUCT)
SUMS = (TOTAL, LARGEST)
KINDS = (CONST, PARAMETER, TABLE, MATRIX, INVERSE, ENTRY, VARIABLE, CALL, LOOKUP, *LINEAR, *SUMS, RESULT, SPAN, *OPERATIONS.values())
