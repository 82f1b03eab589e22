"""Kernels run on nodes instead of numbers: what they compute becomes part of the graph, and has derivatives by its rules."""

from functools import partial

from flexmbd import lanes
from flexmbd.errors import NotDifferentiable
from flexmbd.language.kernels import KernelError, run_with
from flexmbd.language.kinds import VARIABLE
from flexmbd.language.nodes import Comparison, flat, nested, shape_of


def traced(graph, function, args):
    """What a kernel gives for nodes: a node, or a tuple of them.

    Parameters
    ----------
    function : callable
        Written as a kernel; marked as one or not.
    args : sequence of Node, number, or tuples of them

    Raises
    ------
    KernelError
        If it uses what kernels may not, decides by a value, or does with its arguments what cannot be done.
    """
    kernel = graph.kernel(function)

    def elsewhere(plain):
        raise KernelError(f"kernel '{plain.__name__}' is compiled elsewhere, and cannot be traced", function)

    found = run_with(kernel, words_of(graph).words, elsewhere)
    try:
        return found(*args)
    except (TypeError, ValueError, IndexError) as error:
        raise KernelError(f"{kernel.describe()} cannot be run on its arguments: {error}", function) from None


def derived_tangent(graph, function, count):
    """Partial derivatives of a kernel's results by the first `count` numbers of its arguments, from what it computes.

    It is a `tangent` of `Graph.call`.
    """

    def tangent(arguments):
        numbers = flat(arguments)
        own = [graph.var("argument", k) for k in range(len(numbers))]
        results = traced(graph, function, nested(own, shape_of(arguments)))
        results = results if isinstance(results, tuple) else (results,)
        slopes = {(k, j): graph.derivative(graph.const(x), own[j]) for k, x in enumerate(results) for j in range(count)}
        slopes = {place: x for place, x in slopes.items() if not x.zero}
        return dict(zip(slopes, substitute(graph, list(slopes.values()), dict(zip(own, numbers, strict=True))), strict=True))

    return tangent


def tangent_of(graph, kernels, count):
    """Partial derivatives of a law's force by its first `count` arguments: of its tangent kernel, else of what it computes.

    Of a law with a state also those of the second result, the state's rate, by slip velocity and state.
    """
    if kernels.tangent is None:
        return derived_tangent(graph, kernels.force, count)
    state_kernel = getattr(kernels, "state_tangent", None)

    def partial(arguments):
        values = graph.call(kernels.tangent, arguments, count)
        out = {(0, j): values[j] for j in range(count)}
        if state_kernel is not None:
            out[1, 0], out[1, 2] = graph.call(state_kernel, arguments, 2)
        return out

    return partial


def sincos(graph, x):
    """Nodes of sine and cosine."""
    return words_of(graph).sincos(x)


def atan2(graph, y, x):
    """Node of the angle of the vector (x, y), from -pi to pi."""
    return words_of(graph).atan2(y, x)


def full_angle(graph, coarse, x, y):
    """Node of the angle of the vector (x, y), counting full turns: an integrated angle corrected by the vector."""
    s, c = sincos(graph, coarse)
    return coarse + atan2(graph, c * y - s * x, c * x + s * y)


def substitute(graph, nodes, others):
    """The nodes with others in place of those that `others` names (variables and calls).

    Raises
    ------
    NotDifferentiable
        If one of them is within a sum over elements, or in linear equations that elements are part of.
    """
    known, names = {}, {x.value for x in others if x.kind is VARIABLE}
    for x in graph.needed(nodes):
        grouped = x.kind.grouped(x)
        if grouped and x not in others:
            inner = graph.needed([a for *_, one in grouped for a in one])
            if names.intersection(graph.variables(x)) or any(a in others for a in inner):
                raise NotDifferentiable("nodes in a sum over the elements of a flexible body cannot be exchanged")
        args = [known[a.id] for a in x.args]
        if x in others:
            y = others[x]
        elif all(known[a.id] is a for a in x.args):
            y = x
        elif x.kind.rebuild is None:
            raise NotDifferentiable(f"nodes in '{x.kind.name}' cannot be exchanged")
        else:
            y = x.kind.rebuild(graph, x, args)
        known[x.id] = y
    return [known[x.id] for x in nodes]


class NodeWords:
    """The words that kernels are written in, for nodes of a graph: each an attribute."""

    def __init__(self, graph):
        self.graph, self.const = graph, graph.const
        self.words = {name: partial(word.node or _no_lanes, self) for name, word in lanes.WORDS.items()} | {"select": self.select}

    def __getattr__(self, name):
        return self.words[name]

    def select(self, condition, a, b):
        """a where the condition holds, else b; one that is known decides."""
        if not isinstance(condition, Comparison):
            return a if condition else b
        return condition.select(self.const(a), self.const(b))

    def opposite(self, condition):
        """Where a condition does not hold."""
        return ~condition if isinstance(condition, Comparison) else not condition

    def call(self, word, args, derivatives):
        """A word that stays a call; `derivatives` are ((result, argument), function of the arguments)."""

        def tangent(args):
            return {place: derivative(*args) for place, derivative in derivatives}

        count = lanes.WORDS[word].results
        return self.graph.call(getattr(lanes, word), [self.const(x) for x in args], None if count == 1 else count, tangent)


def words_of(graph):
    """The `NodeWords` of a graph."""
    if graph.words is None:
        graph.words = NodeWords(graph)
    return graph.words


def _no_lanes(*_):
    raise TypeError("any_lane is for code that is compiled for lanes, not for kernels")
