"""Values of a graph, and truths of their comparisons: arithmetic on them makes new ones.

Arguments of a kernel are numbers, or tuples of them (vectors), also of such; a call has their numbers one after another.
"""

from flexmbd.parameters import CONSTANT


class Node:
    """A value in a `Graph`; arithmetic on nodes and numbers makes new nodes."""

    __slots__ = ("args", "function", "graph", "id", "kind", "level", "operation", "shape", "tangent", "value")

    def __init__(self, graph, kind, args, level, value=None, operation=None):
        self.graph, self.kind, self.args, self.level, self.value = graph, kind, args, level, value
        self.operation = operation or kind  # what is done to the arguments: the kind, with what else tells nodes apart
        self.function = self.tangent = self.shape = None  # of a call
        nodes = graph.nodes
        self.id = len(nodes)
        nodes.append(self)

    def __add__(self, other):
        return self.graph.add(self, other)

    def __sub__(self, other):
        return self.graph.sub(self, other)

    def __mul__(self, other):
        return self.graph.mul(self, other)

    def __truediv__(self, other):
        return self.graph.div(self, other)

    __radd__, __rmul__ = __add__, __mul__

    def __rsub__(self, other):
        return self.graph.sub(other, self)

    def __rtruediv__(self, other):
        return self.graph.div(other, self)

    def __neg__(self):
        return self.graph.neg(self)

    def __gt__(self, other):
        return Comparison(lambda a, b: self.graph.select(self.graph.greater(self, other), a, b))

    def __lt__(self, other):
        return Comparison(lambda a, b: self.graph.select(self.graph.greater(other, self), a, b))

    def __ge__(self, other):
        return ~(self < other)

    def __le__(self, other):
        return ~(self > other)

    def __repr__(self):
        return f"<{self.kind.name} {self.id if self.value is None else getattr(self.value, 'name', self.value)}>"

    @property
    def given(self):
        """Arguments of a call as its kernel takes them."""
        return nested(self.args, self.shape)

    @property
    def constant(self):
        """True for a constant."""
        return self.level == CONSTANT

    @property
    def zero(self):
        """True for the constant 0."""
        return self.level == CONSTANT and self.value == 0.0

    @property
    def one(self):
        """True for the constant 1."""
        return self.level == CONSTANT and self.value == 1.0


class Comparison:
    """Truth of a comparison of nodes; `select(a, b)` is the node a where it holds, else b."""

    __slots__ = ("select",)

    def __init__(self, select):
        self.select = select

    def __and__(self, other):
        return Comparison(lambda a, b: self.select(other.select(a, b), b))

    def __or__(self, other):
        return Comparison(lambda a, b: self.select(a, other.select(a, b)))

    def __invert__(self):
        return Comparison(lambda a, b: self.select(b, a))

    def __bool__(self):
        raise TypeError("it decides by a value that is known only while the motion is computed; take select(condition, a, b)")


def flat(args):
    """Numbers of arguments, one after another."""
    return [x for a in args for x in (flat(a) if isinstance(a, (tuple, list)) else (a,))]


def shape_of(args):
    """Which arguments are tuples, of what: None for a number."""
    return tuple(shape_of(a) if isinstance(a, (tuple, list)) else None for a in args)


def nested(values, shape):
    """Arguments of a shape from their numbers."""
    rest = iter(values)

    def take(part):
        return next(rest) if part is None else tuple([take(x) for x in part])

    return take(shape)


def in_vectors(values, size):
    """Numbers as tuples of so many."""
    return tuple(tuple(values[k : k + size]) for k in range(0, len(values), size))


def of_numbers(function, shape):
    """A function of arguments of a shape as one of their numbers."""
    return lambda *values: function(*nested(values, shape))
