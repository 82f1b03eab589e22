"""Symbolic expressions of one topology: built once, then written as machine code, or evaluated by numpy.

Every value is a `Node`.  Its level says when it is known (`parameters`); parameters are evaluated by numpy when they are packed.
"""

from flexmbd.errors import NotDifferentiable
from flexmbd.language.evaluation import evaluated
from flexmbd.language.kernels import KernelError, kernel_of
from flexmbd.language.nodes import Node, check_variable, flat, parted, shape_of
from flexmbd.language.ops import OPS
from flexmbd.language.ordering import LINEAR, in_pools
from flexmbd.language.tangents import alike, joined
from flexmbd.parameters import CONSTANT, RUNTIME
from flexmbd.tuning import USUAL


class Graph:
    """Hash-consed expression graph with constant folding and symbolic derivatives; `tuning` of what code is made of it."""

    def __init__(self, tuning=USUAL):
        self.tuning, self.spaces = tuning, None  # of a system's graph: kinds of its variables
        self.nodes, self.marks = [], []
        self.words = None  # what `tracing.words_of` made
        self._known = {}
        self._derivatives = {}
        self._depends, self._tangents = {}, {}  # by node: variables that it depends on, tangents that calls gave
        self.factors_of = {}  # of matrices, by what these are made of (`equations.saddle`)
        self.kernels, self._kernel_of = {}, {}  # those called, by their names in generated code

    def mark(self):
        """What is made from here on is a unit of its own: of units alike one is compiled (`codegen.units`)."""
        if not self.marks or self.marks[-1] < len(self.nodes):
            self.marks.append(len(self.nodes))

    # ---- what is given
    def const(self, x):
        """Constant node (nodes pass through)."""
        if isinstance(x, Node):
            return x
        return self._make("const", (float(x),), CONSTANT, float(x))

    def param(self, path, level):
        """The parameter of a path: UNIFORM or LANE."""
        return self._make("param", (path,), level, path)

    def table(self, path, level, shape):
        """The parameter of a path that is a `Matrix` of so many rows and columns."""
        return self._make("table", (path,), level, (path, shape))

    def entry(self, table, i, j):
        """A number of a table."""
        return self._make("entry", (table, i, j), table.level, (i, j))

    def lookup(self, table, x):
        """Nodes of all columns of a table in the row where x is: the last whose first number is less than x, or the first row.

        By x they are constant; the rows' first numbers ascend.
        """
        node = self._make(f"lookup:{table.id}", (self.const(x),), RUNTIME, table)
        return [self._make("out", (node, k), RUNTIME, k) for k in range(table.value[1][1])]

    def var(self, name):
        """Value known at run time under `name`."""
        if self.spaces is not None:
            check_variable(name, self.spaces)
        return self._make("var", (name,), RUNTIME, name)

    def _make(self, op, args, level, value=None, more=()):
        """The node of an operation; `more` tells apart what operation and arguments do not."""
        key = (op, *(a.id if isinstance(a, Node) else a for a in args), *more)
        if op == "const" and args[0] == 0.0:
            key = ("const", 0.0)
        node = self._known.get(key)
        if node is None:
            node = self._known[key] = Node(self, op, args, level, value)
        return node

    def _op(self, op, *args):
        level = max([a.level for a in args])
        if level == CONSTANT:
            return self.const(float(OPS[op].numpy(*(a.value for a in args))))
        return self._make(op, args, level)

    def _alike(self, op, a, b):
        """An operation whose arguments may change places: they come in the order in which they were made."""
        return self._op(op, a, b) if a.id <= b.id else self._op(op, b, a)

    # ---- arithmetic
    def add(self, a, b):
        """a + b"""
        a, b = self.const(a), self.const(b)
        if a.zero:
            return b
        if b.zero:
            return a
        if b.op == "neg":
            return self.sub(a, b.args[0])
        if a.op == "neg":
            return self.sub(b, a.args[0])
        return self._alike("+", a, b)

    def sub(self, a, b):
        """a - b"""
        a, b = self.const(a), self.const(b)
        if b.zero:
            return a
        if a.zero:
            return self.neg(b)
        if a is b:
            return self.const(0.0)
        if b.op == "neg":
            return self.add(a, b.args[0])
        return self._op("-", a, b)

    def mul(self, a, b):
        """a b"""
        a, b = self.const(a), self.const(b)
        for x, y in ((a, b), (b, a)) if CONSTANT in (a.level, b.level) else ():
            if x.zero:
                return x
            if x.one:
                return y
            if x.op == "const" and x.value == -1.0:
                return self.neg(y)
        if a.op == "neg" and b.op == "neg":
            return self.mul(a.args[0], b.args[0])
        if a.op == "neg":
            return self.neg(self.mul(a.args[0], b))
        if b.op == "neg":
            return self.neg(self.mul(a, b.args[0]))
        return self._alike("*", a, b)

    def div(self, a, b):
        """a / b"""
        a, b = self.const(a), self.const(b)
        if a.zero or b.one:
            return a
        return self._op("/", a, b)

    def neg(self, a):
        """-a"""
        a = self.const(a)
        return a.args[0] if a.op == "neg" else self._op("neg", a)

    def sqrt(self, a):
        """Square root."""
        return self._op("sqrt", self.const(a))

    def fabs(self, a):
        """Absolute value."""
        return self._op("fabs", self.const(a))

    def greater(self, a, b):
        """Condition a > b, for `select`."""
        return self._make(">", (self.const(a), self.const(b)), RUNTIME)

    def both(self, a, b):
        """Condition a and b."""
        return self._make("&", (a, b), RUNTIME)

    def select(self, condition, a, b):
        """a where condition, else b."""
        a, b = self.const(a), self.const(b)
        return a if a is b else self._make("select", (condition, a, b), RUNTIME)

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
        node = self._make(f"call:{kernel.name}", args, RUNTIME if level == CONSTANT else level, more=(shape,))
        node.function, node.shape = function, shape
        known = self._tangents.setdefault(node.id, [])
        if tangent is not None and not any(alike(tangent, x) for x in known):
            known.append(tangent)
            node.tangent = joined(known)
            if len(known) > 1:
                self._derivatives.clear()  # some may have been made with less
        return node if count is None else tuple(self._make("out", (node, k), node.level, k) for k in range(count))

    def kernel(self, function):
        """The `Kernel` of a function."""
        if function not in self._kernel_of:
            kernel = self._kernel_of[function] = kernel_of(function)
            self.kernels.setdefault(kernel.name, kernel)
        return self._kernel_of[function]

    # ---- linear equations solved at run time, see `blocks`; `pooled` is what pools of elements add, by the nodes of one element
    def factors(self, plan, entries, pooled=()):
        """Node of the factors of a matrix; `entries` are (place in the storage of `plan`, Node), `pooled` (pool, {(i, j): Node})."""
        places, nodes = zip(*entries, strict=True) if entries else ((), ())
        key = tuple((pool.name, tuple((ij, x.id) for ij, x in part.items())) for pool, part in pooled)
        return self._make(f"factors:{plan.name}", nodes, RUNTIME, (plan, places, tuple(pooled)), more=(places, key))

    def substitution(self, factors, parts, count, pooled=()):
        """The `count` unknowns for a right-hand side, of which `parts` are (row, Node) and `pooled` (pool, [Node])."""
        rows, nodes = zip(*parts, strict=True) if parts else ((), ())
        key = tuple((pool.name, tuple(x.id for x in part)) for pool, part in pooled)
        value = (factors.value[0], rows, tuple(pooled))
        node = self._make("substitution:", (factors, *nodes), RUNTIME, value, more=(rows, key))
        return tuple(self._make("out", (node, k), RUNTIME, k) for k in range(count))

    def total(self, pool, node, start, stop):
        """Sum of a node of one element over a pool's elements from `start` to before `stop`."""
        if node.zero or start == stop:
            return self.const(0.0)
        return self._make(f"total:{pool.name}", (), RUNTIME, (pool, node, start, stop), more=(node.id, start, stop))

    def forget(self):
        """Let go of what is known only to make further nodes: no more are made."""
        self._known, self._derivatives, self._depends, self._tangents, self.factors_of = {}, {}, {}, {}, {}

    # ---- derivatives
    def variables(self, node):
        """Names of the run-time variables that a node depends on, in the order in which they came up."""
        return [self.nodes[i].value for i in sorted(self._sources(node))]

    def _sources(self, node):
        """Ids of the variables that a node depends on; nodes with the same ones share the set."""
        known, stack = self._depends, [node]
        while stack:
            x = stack[-1]
            args, pooled = [a.id for a in x.args if isinstance(a, Node)], in_pools(x)
            inner = [a.id for *_, nodes in pooled for a in nodes]
            if x.id in known or all(i in known for i in (*args, *inner)):
                stack.pop()
            else:
                stack += [self.nodes[i] for i in (*args, *inner) if i not in known]
                continue
            if x.id not in known:
                sets = [frozenset((x.id,))] if x.op == "var" else [known[i] for i in args]
                for pool, start, stop, nodes in pooled:
                    own = {self.nodes[i].value for i in frozenset().union(*(known[a.id] for a in nodes))}
                    sets.append(frozenset(self.var(name).id for name in pool.of_system(own, start, stop)))
                largest = max(sets, key=len, default=frozenset())
                known[x.id] = largest if all(s <= largest for s in sets) else largest.union(*sets)
        return known[node.id]

    def slopes(self, node, variables):
        """Number of the variable, of all of a kind in their order, and the derivative by it, wherever that is not zero."""
        kind = parted(variables[0].value)[0] if variables else None
        for k in sorted(k for of, k in map(parted, self.variables(node)) if of == kind):
            if not (slope := self.derivative(node, variables[k])).zero:
                yield k, slope

    def derivative(self, node, variable):
        """Symbolic derivative of `node` with respect to a variable node."""
        if node.level < RUNTIME or variable.id not in self._sources(node):
            return self.const(0.0)
        key = (node.id, variable.id)
        if key not in self._derivatives:
            self._derivatives[key] = self._differentiate(node, variable)
        return self._derivatives[key]

    def _differentiate(self, node, x):
        if node is x:
            return self.const(1.0)
        if node.level < RUNTIME or node.op == "var":
            return self.const(0.0)
        if node.op == "out" or node.op.startswith("call:"):
            call, k = node.args if node.op == "out" else (node, 0)
            if call.op.startswith("lookup:"):
                return self.const(0.0)
            if call.op.startswith(LINEAR):
                told = "accelerations and reactions, being solutions of linear equations, have no derivatives"
                raise NotDifferentiable(told, remedy="take a quantity of coordinates and velocities")
            rates = [self.derivative(a, x) for a in call.args]
            if all(r.zero for r in rates):
                return self.const(0.0)
            partial = {} if call.tangent is None else call.tangent(call.given)
            if not any(result == k for result, _ in partial):
                name = call.op.removeprefix("call:").rpartition("_")[0] or call.op.removeprefix("call:")
                told = f"kernel '{name}' does not say the derivatives of its result number {k + 1}"
                remedy = "call it with a tangent, such as `derived_tangent` makes, or take an explicit integrator"
                raise NotDifferentiable(told, remedy=remedy)
            return self.dot((partial[k, j], r) for j, r in enumerate(rates) if (k, j) in partial and not r.zero)
        if node.op.startswith("total:"):
            pool, one, *elements = node.value
            parts = [self.total(pool, self.derivative(one, x), *elements)]
            parts += [self.total(pool, self.derivative(one, own), e, e + 1) for own, e in pool.elements_of(x, *elements)]
            return self.dot((part, 1.0) for part in parts)
        op = OPS.get(node.op)
        if op is not None and op.derivative is not None:
            return op.derivative(self, node, lambda a: self.derivative(a, x))
        raise NotDifferentiable(f"a node '{node.op}' has no derivative")

    # ---- evaluation
    def needed(self, roots):
        """Nodes that the roots depend on, in an order in which they can be computed."""
        seen, stack = set(), [r for r in roots]
        while stack:
            node = stack.pop()
            if node.id in seen:
                continue
            seen.add(node.id)
            stack.extend(a for a in node.args if isinstance(a, Node))
        return [self.nodes[i] for i in sorted(seen)]

    def evaluate(self, roots, variables=None, parameters=None):
        """Values of the roots by numpy; `variables` by name and `parameters` by path, numbers or arrays."""
        return evaluated(self.needed(roots), roots, variables, parameters)
