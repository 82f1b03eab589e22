"""Kernels run on nodes instead of numbers: what they compute becomes part of the graph, and has derivatives by its rules."""

from flexmbd import lanes
from flexmbd.kernels import KernelError, with_called
from flexmbd.linalg.nodes import Condition, Node


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


def _words(graph):
    """The words that kernels are written in, for nodes."""

    def select(condition, a, b):
        if not isinstance(condition, Condition):
            return a if condition else b
        return condition.select(graph.const(a), graph.const(b))

    def call(word, *derivatives):
        """A word that stays a call, with its partial derivatives as functions of its arguments."""
        tangent = lambda args: {(0, k): d(*args) for k, d in enumerate(derivatives)}  # noqa: E731
        return lambda *x: graph.call(getattr(lanes, word), [graph.const(one) for one in x], tangent=tangent)

    def sincos(x):
        return graph.call(lanes.sincos, (x,), 2, lambda args: {(0, 0): sincos(args[0])[1], (1, 0): -sincos(args[0])[0]})

    exp = call("exp", lambda x: exp(x))
    log = call("log", lambda x: 1.0 / x)
    tanh = call("tanh", lambda x: 1.0 - tanh(x) * tanh(x))
    power = call("power", lambda x, y: y * power(x, y - 1.0), lambda x, y: select(x > 0.0, power(x, y) * log(select(x > 0.0, x, 1.0)), 0.0))
    atan2 = call("atan2", lambda y, x: x / (x * x + y * y), lambda y, x: -y / (x * x + y * y))
    return {
        "select": select, "sincos": sincos, "exp": exp, "log": log, "tanh": tanh, "power": power, "atan2": atan2,
        "floor": call("floor", lambda x: graph.const(0.0)), "sqrt": graph.sqrt, "fabs": graph.fabs,
        "maximum": lambda a, b: select(_node(graph, a) > b, a, b), "minimum": lambda a, b: select(_node(graph, a) < b, a, b),
        "lnot": lambda c: ~c if isinstance(c, Condition) else not c,
    }  # fmt: skip


def _node(graph, x):
    return x if isinstance(x, Node) else graph.const(x)
