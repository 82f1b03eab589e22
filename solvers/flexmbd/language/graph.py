"""Symbolic expressions of one topology: built once, then written as machine code, or evaluated by numpy.

Every value is a `Node`.  Its level says when it is known (`parameters`); parameters are evaluated by numpy when they are packed.
"""

from flexmbd.errors import NotDifferentiable
from flexmbd.language import kinds
from flexmbd.language.columns import Columns
from flexmbd.language.evaluation import evaluated
from flexmbd.language.kernels import KernelError, kernel_of
from flexmbd.language.nodes import Node, flat, shape_of
from flexmbd.language.product import product
from flexmbd.language.results import Results
from flexmbd.language.sources import Sources
from flexmbd.language.standing import stands_for
from flexmbd.language.tangents import alike, joined
from flexmbd.language.variables import Space, Variable, check_variable
from flexmbd.parameters import CONSTANT, RUNTIME
from flexmbd.tuning import USUAL


class Graph:
    """Hash-consed expression graph with constant folding and symbolic derivatives; `tuning` of what code is made of it."""

    def __init__(self, tuning=USUAL):
        self.tuning, self.spaces = tuning, None  # of a system's graph: kinds of its variables
        self.nodes, self.marks = [], []
        self.words = None  # what `tracing.words_of` made
        self.known = {}  # nodes by what they are made of
        self._derivatives = {}
        self.sources, self._tangents = Sources(self), {}  # by node: variables that it depends on, tangents that calls gave
        self.told = {}  # by nodes that `stands_for` made: derivatives that it was given
        self.factors_of = {}  # of matrices, by what these are made of (`equations.saddle`)
        self.columns = Columns()  # of those nodes that `Columns.extended` has been told of
        self.tapes, self.watched = {}, False  # what `repeated` knows of functions, and whether it records one
        self.kernels, self._kernel_of = {}, {}  # those called, by their names in generated code

    def mark(self):
        """What is made from here on is a unit of its own: of units alike one is compiled (`codegen.units`)."""
        if not self.marks or self.marks[-1] < len(self.nodes):
            self.marks.append(len(self.nodes))

    # ---- what is given
    def const(self, x):
        """Constant node (nodes pass through)."""
        if type(x) is Node:
            return x
        return self.make(kinds.CONST, (), CONSTANT, float(x), more=(float(x),))

    def param(self, path, level):
        """The parameter of a path: UNIFORM or LANE."""
        return self.make(kinds.PARAMETER, (), level, path, more=(path,))

    def table(self, path, level, shape):
        """The parameter of a path that is a `Matrix` of so many rows and columns."""
        return self.make(kinds.TABLE, (), level, (path, shape), more=(path,))

    def entry(self, table, i, j):
        """A number of a table."""
        return self.make(kinds.ENTRY, (table,), table.level, (i, j), more=(i, j))

    def lookup(self, table, x):
        """Nodes of all columns of a table in the row where x is: the last whose first number is less than x, or the first row.

        By x they are constant; the rows' first numbers ascend.
        """
        node = self.make(kinds.LOOKUP, (self.const(x),), RUNTIME, table, more=(table.id,))
        return self.results(node, table.value[1][1])

    def var(self, space, number=None):
        """Variable of a space (`language.variables`), known at run time."""
        if self.spaces is not None:
            check_variable(space, number, self.spaces)
        return self.make(kinds.VARIABLE, (), RUNTIME, Variable(space, number), more=(space, number))

    def space(self, name):
        """The `Space` of a name."""
        return Space(self, name)

    def make(self, kind, args, level, value=None, more=()):
        """The node of a kind; `more` tells apart what kind and arguments do not."""
        operation = (kind, *more) if more else kind
        key = (operation, *args)
        node = self.known.get(key)
        if node is None:
            node = self.known[key] = Node(self, kind, args, level, value, operation)
        return node

    def results(self, node, count):
        """Nodes of a node's several results."""
        return tuple([self.make(kinds.RESULT, (node,), node.level, k, more=(k,)) for k in range(count)])

    def op(self, kind, *args):
        """The node of an operation that its kind and arguments tell, which folds nothing but constants."""
        key = (kind, *args)
        node = self.known.get(key)
        if node is None:
            level = args[0].level if len(args) == 1 else max(args[0].level, args[1].level)
            if level == CONSTANT:
                node = self.const(float(kind.numpy(None, [a.value for a in args], None, None)))
            else:
                node = Node(self, kind, args, level)
            self.known[key] = node
        return node

    def _alike(self, kind, a, b):
        """An operation whose arguments may change places: they come in the order in which they were made."""
        return self.op(kind, a, b) if a.id <= b.id else self.op(kind, b, a)

    # ---- arithmetic
    def add(self, a, b):
        """a + b"""
        a, b = a if type(a) is Node else self.const(a), b if type(b) is Node else self.const(b)
        if CONSTANT in (a.level, b.level) and (a.zero or b.zero):
            return b if a.zero else a
        if b.kind is kinds.NEG:
            return self.sub(a, b.args[0])
        if a.kind is kinds.NEG:
            return self.sub(b, a.args[0])
        return self._alike(kinds.ADD, a, b)

    def sub(self, a, b):
        """a - b"""
        a, b = a if type(a) is Node else self.const(a), b if type(b) is Node else self.const(b)
        if CONSTANT in (a.level, b.level) and (a.zero or b.zero):
            return a if b.zero else self.neg(b)
        if a is b:
            return self.const(0.0)
        if b.kind is kinds.NEG:
            return self.add(a, b.args[0])
        return self.op(kinds.SUB, a, b)

    def mul(self, a, b):
        """a b"""
        a, b = a if type(a) is Node else self.const(a), b if type(b) is Node else self.const(b)
        for x, y in ((a, b), (b, a)) if CONSTANT in (a.level, b.level) else ():
            if x.zero:
                return x
            if x.one:
                return y
            if x.level == CONSTANT and x.value == -1.0:
                return self.neg(y)
        if a.kind is kinds.NEG:
            return self.mul(a.args[0], b.args[0]) if b.kind is kinds.NEG else self.neg(self.mul(a.args[0], b))
        if b.kind is kinds.NEG:
            return self.neg(self.mul(a, b.args[0]))
        return self._alike(kinds.MUL, a, b)

    def div(self, a, b):
        """a / b"""
        a, b = self.const(a), self.const(b)
        if a.zero or b.one:
            return a
        return self.op(kinds.DIV, a, b)

    def neg(self, a):
        """-a"""
        a = self.const(a)
        return a.args[0] if a.kind is kinds.NEG else self.op(kinds.NEG, a)

    def sqrt(self, a):
        """Square root."""
        return self.op(kinds.SQRT, self.const(a))

    def fabs(self, a):
        """Absolute value."""
        return self.op(kinds.FABS, self.const(a))

    def greater(self, a, b):
        """Condition a > b, for `select`."""
        return self.make(kinds.GREATER, (self.const(a), self.const(b)), RUNTIME)

    def both(self, a, b):
        """Condition a and b."""
        return self.make(kinds.BOTH, (a, b), RUNTIME)

    def select(self, condition, a, b):
        """a where condition, else b."""
        a, b = self.const(a), self.const(b)
        return a if a is b else self.make(kinds.SELECT, (condition, a, b), RUNTIME)

    def dot(self, pairs, start=0.0):
        """start + sum of products"""
        total = self.const(start)
        for a, b in pairs:
            total = self.add(total, self.mul(a, b))
        return total

    def root(self, x, least=1e-24):
        """Square root of x, of `least` where x is smaller: so that quotients by it, and its derivative, have a value everywhere."""
        return self.sqrt(self.select(self.greater(x, least), x, least))

    def length(self, components, least=1e-24):
        """Length of a vector in m, at least 1 pm (the root of `least`)."""
        return self.root(self.dot((x, x) for x in components), least)

    def interpolated(self, vectors, values, size):
        """Components of vectors, each a sum over nodes of one vector of theirs times weights.

        Parameters
        ----------
        vectors : sequence of (int, sequence of Node or float)
            Which vector of a node, and the weights by node.
        values : sequence of Node
            Components of the nodes' vectors, one node after another.
        size : int
            Components of a vector.
        """
        step = len(values) // len(vectors[0][1])
        return [
            self.dot((weight, values[step * n + size * k + i]) for n, weight in enumerate(weights))
            for k, weights in vectors
            for i in range(size)
        ]

    def call(self, function, args, count=None, tangent=None, *, partly=False):
        """Call a kernel; returns its `count` result nodes, or the one node of a kernel that returns a number.

        Arguments are numbers, or tuples of them. `tangent(args) -> {(result, number): Node}` gives the partial derivatives by the
        arguments' numbers, counted through, when they are asked for; `partly` says that the kernel may have more results.  Calls with the
        same arguments are one node, whose tangent is all that any of them gave.

        Raises
        ------
        KernelError
            If the kernel cannot become part of a model, or has other numbers of arguments or results.
        """
        shape, args, kernel = shape_of(args), tuple(self.const(a) for a in flat(args)), self.kernel(function)
        for what, wanted, has in (("arguments", len(shape), kernel.arguments), ("results", 1 if count is None else count, kernel.results)):
            if has is not None and has != wanted and not (partly and what == "results"):
                one = what[:-1] if has == 1 else what
                raise KernelError(f"{kernel.describe()} has {has} {one}, but {wanted} are needed here", function, remedy="")
        level = max((a.level for a in args), default=RUNTIME)
        node = self.make(kinds.CALL, args, RUNTIME if level == CONSTANT else level, kernel, more=(kernel.name, shape))
        node.function, node.shape = function, shape
        known = self._tangents.setdefault(node.id, [])
        if tangent is not None and not any(alike(tangent, x) for x in known):
            known.append(tangent)
            node.tangent = joined(known)
            if len(known) > 1:
                self._derivatives.clear()  # some may have been made with less
        return node if count is None else self.results(node, count)

    def kernel(self, function):
        """The `Kernel` of a function."""
        if function not in self._kernel_of:
            kernel = self._kernel_of[function] = kernel_of(function)
            self._kernel_of[function] = self.kernels.setdefault(kernel.name, kernel)
        return self._kernel_of[function]

    # ---- linear equations solved at run time, see `blocks`; `grouped` is what groups of elements add, by the nodes of one element
    def factors(self, plan, entries, grouped=(), placed=()):
        """Node of the factors of a matrix; `entries` are (place in the storage of `plan`, Node), `grouped` (group, {(i, j): Node})."""
        places, nodes = zip(*entries, strict=True) if entries else ((), ())
        key = tuple((group.name, tuple((ij, x.id) for ij, x in part.items())) for group, part in grouped)
        more = (plan.name, places, key, *(one.key for one in placed))
        return self.make(kinds.FACTORS, nodes, RUNTIME, (plan, places, tuple(grouped), tuple(placed)), more=more)

    def substitution(self, factors, parts, count, grouped=()):
        """The `count` unknowns (`Results`) for a right-hand side, of which `parts` are (row, Node) and `grouped` (group, [Node])."""
        rows, nodes = zip(*parts, strict=True) if parts else ((), ())
        key = tuple((group.name, tuple(x.id for x in part)) for group, part in grouped)
        value = (factors.value[0], rows, tuple(grouped))
        return Results(self.make(kinds.SUBSTITUTION, (factors, *nodes), RUNTIME, value, more=(rows, key)), range(count))

    def largest(self, group, node):
        """Largest of a node of one element over a group's elements, none of which is negative."""
        return self.make(kinds.LARGEST, (), RUNTIME, (group, node, 0, len(group.coordinates)), more=(group.name, node.id))

    def total(self, group, node, start, stop):
        """Sum of a node of one element over a group's elements from `start` to before `stop`."""
        if node.zero or start == stop:
            return self.const(0.0)
        return self.make(kinds.TOTAL, (), RUNTIME, (group, node, start, stop), more=(group.name, node.id, start, stop))

    product = product  # of a matrix of numbers with a vector

    def forget(self):
        """Let go of what is known only to make further nodes: no more are made."""
        self.known, self._derivatives, self._tangents, self.factors_of, self.tapes = {}, {}, {}, {}, {}
        self.sources, self.columns = Sources(self), Columns()

    # ---- derivatives
    def variables(self, node):
        """Each `Variable` that a node depends on, in the order in which they came up."""
        return [x.value for x in self.sources.variables(node)]

    stands_for = stands_for  # with derivatives by displacements

    def slopes(self, node, variables):
        """Number of the variable, of all of a space in their order, and the derivative by it, wherever that is not zero."""
        for k in sorted(self.space(variables[0].value.space).of(node)) if variables else ():
            if not (slope := self.derivative(node, variables[k])).zero:
                yield k, slope

    def derivative(self, node, variable):
        """Symbolic derivative of `node` with respect to a variable node."""
        if node.level < RUNTIME or not self.sources.of(node) & self.sources.bit(variable):
            return self.const(0.0)
        key = (node.id, variable.id)
        if key not in self._derivatives:
            told = self.told[node.id].derivative(self, node, variable) if node.id in self.told else None
            self._derivatives[key] = self._differentiate(node, variable) if told is None else told
        return self._derivatives[key]

    def rates(self, node, variable):
        """Derivatives of a node's arguments by their number, of those that are not zero."""
        key = ("arguments", node.id, variable.id)
        if key not in self._derivatives:
            self._derivatives[key] = {j: rate for j, a in enumerate(node.args) if not (rate := self.derivative(a, variable)).zero}
        return self._derivatives[key]

    def _differentiate(self, node, x):
        if node is x:
            return self.const(1.0)
        if node.kind.derivative is None:
            raise NotDifferentiable(f"a node '{node.kind.name}' has no derivative")
        return node.kind.derivative(self, node, x, 0)

    # ---- evaluation
    def needed(self, roots):
        """Nodes that the roots depend on, in an order in which they can be computed."""
        seen, stack = set(), [r for r in roots]
        while stack:
            node = stack.pop()
            if node.id in seen:
                continue
            seen.add(node.id)
            stack += node.args
        return [self.nodes[i] for i in sorted(seen)]

    def evaluate(self, roots, variables=None, parameters=None):
        """Values of the roots by numpy; `variables` by space and number, `parameters` by path, numbers or arrays."""
        return evaluated(self.needed(roots), roots, variables, parameters)
