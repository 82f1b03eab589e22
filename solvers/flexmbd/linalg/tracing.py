"""Kernels run on nodes instead of numbers: what they compute becomes part of the graph, and has derivatives by its rules."""

import numpy as np

from flexmbd import lanes
from flexmbd.kernels import KernelError, with_called
from flexmbd.linalg.nodes import Condition


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
    space = {"inner": lambda f: f, **_words(graph)}
    for one in with_called([kernel]):
        if not one.text.startswith("@inner"):
            raise KernelError(f"{one.describe()} is compiled elsewhere, and cannot be traced", function)
        exec(compile(one.text, f"<{one.name}>", "exec"), space)
    try:
        return space[kernel.name](*args)
    except (TypeError, ValueError, IndexError) as error:
        raise KernelError(f"{kernel.describe()} cannot be run on its arguments: {error}", function) from None


def sincos(graph, x):
    """Nodes of sine and cosine."""
    if x.op == "const":
        return graph.const(np.sin(x.value)), graph.const(np.cos(x.value))
    s, c = graph.call(lanes.sincos, (x,), 2, lambda args: {(0, 0): sincos(graph, args[0])[1], (1, 0): -sincos(graph, args[0])[0]})
    return s, c


def atan2(graph, y, x):
    """Node of the angle of the vector (x, y), from -pi to pi."""
    squared = x * x + y * y
    return graph.call(lanes.atan2, (y, x), None, lambda args: {(0, 0): x / squared, (0, 1): -y / squared})


def full_angle(graph, coarse, x, y):
    """Node of the angle of the vector (x, y), counting full turns: an integrated angle corrected by the vector."""
    s, c = sincos(graph, coarse)
    return coarse + atan2(graph, c * y - s * x, c * x + s * y)


def _words(graph):
    """The words that kernels are written in, for nodes."""

    def select(condition, a, b):
        if not isinstance(condition, Condition):
            return a if condition else b
        return condition.select(graph.const(a), graph.const(b))

    def call(word, *derivatives):
        """A word that stays a call, with its partial derivatives as functions of its arguments."""

        def tangent(args):
            return {(0, k): derivative(*args) for k, derivative in enumerate(derivatives)}

        return lambda *x: graph.call(getattr(lanes, word), [graph.const(one) for one in x], tangent=tangent)

    exp = call("exp", lambda x: exp(x))
    log = call("log", lambda x: 1.0 / x)
    tanh = call("tanh", lambda x: 1.0 - tanh(x) * tanh(x))
    power = call("power", lambda x, y: y * power(x, y - 1.0), lambda x, y: select(x > 0.0, power(x, y) * log(select(x > 0.0, x, 1.0)), 0.0))
    return {
        "select": select, "sincos": lambda x: sincos(graph, graph.const(x)),
        "exp": exp, "log": log, "tanh": tanh, "power": power, "atan2": lambda y, x: atan2(graph, graph.const(y), graph.const(x)),
        "floor": call("floor", lambda x: graph.const(0.0)), "sqrt": graph.sqrt, "fabs": graph.fabs,
        "maximum": lambda a, b: select(graph.const(a) > b, a, b), "minimum": lambda a, b: select(graph.const(a) < b, a, b),
        "lnot": lambda c: ~c if isinstance(c, Condition) else not c,
    }  # fmt: skip
