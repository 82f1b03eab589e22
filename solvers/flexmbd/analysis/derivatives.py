"""Functions of a system's equations and their partial derivatives by the rules of the graph: the one table that analyses read.

Partial derivatives are by coordinates q, velocities v, accelerations a, multipliers l, further states s, parameters p and the time t.
"""

from functools import cached_property, partial

import numpy as np
from scipy.sparse import csr_array

from flexmbd.errors import ModelError, NotDifferentiable
from flexmbd.language.arrays import Field, Pattern, Program
from flexmbd.language.graph import Graph
from flexmbd.language.kernels import KernelError
from flexmbd.language.kinds import CALL
from flexmbd.language.nodes import flat, nested, shape_of
from flexmbd.language.tracing import traced
from flexmbd.language.variables import OWN


class ParametricGraph(Graph):
    """A graph that writes out kernels that depend on parameters or do not say their derivatives: its own rules differentiate them.

    Once it is `whole`, kernels are those that give derivatives, and stay calls if they do not depend on parameters.

    Attributes
    ----------
    given : tuple of str
        Spaces of variables by which kernels do not say their derivatives.
    """

    whole, given = False, ("p",)

    def call(self, function, args, count=None, tangent=None, *, partly=False):
        """Call a kernel, or write out what it computes."""
        numbers = [self.const(a) for a in flat(args)]
        args = nested(numbers, shape_of(args))
        unsaid = tangent is None and not self.whole
        if self.kernel(function).text and (unsaid or any(x.space in self.given for a in numbers for x in self.variables(a))):
            try:
                found = traced(self, function, args)
                return self.const(found) if count is None else tuple(self.const(x) for x in found[:count])
            except KernelError:
                pass  # it stays a call; that its derivatives are not known is said when they are needed
        return super().call(function, args, count, tangent, partly=partly)


def _inertia(b):
    return b.inertia.apply(b.a)


def _balance(b):
    return [x + y for x, y in zip(_inertia(b), held_back(b, b.rows), strict=True)]


def _rows(level):
    return lambda b: [level(row.polynomial, b) for row in b.rows]


def values(b, rows):
    """Nodes of rows."""
    return [row.polynomial.value(b.q) for row in rows]


def gradients(b, rows):
    """Derivatives of rows by coordinate, as they say them, by (row, i)."""
    return {(k, i): x for k, row in enumerate(rows) for i, x in row.polynomial.gradient(b.q).items()}


def _curvature(b):
    """Derivatives of G' l by coordinate, by (i, j)."""
    found = {}
    for k, row in enumerate(b.rows):
        for (i, j), x in row.polynomial.hessian().items():
            for place in {(i, j), (j, i)}:
                found[place] = found.get(place, 0.0) + b.graph.var("l", k) * x
    return found


def _masses(b):
    return {place: m for (i, j), m in b.inertia.entries.items() for place in {(i, j), (j, i)}}


FUNCTIONS = {  # name: (what it is, nodes of a problem)
    "inertia": ("the inertia", _inertia),  # M a
    "balance": ("the inertia", _balance),  # M a + G' l
    "load": ("a force", lambda b: [-f for f in b.generalized]),  # -F
    "residual": ("a force", lambda b: [x - f for x, f in zip(_balance(b), b.generalized, strict=True)]),  # M a + G' l - F
    "rows": ("a constraint", lambda b: values(b, b.rows)),  # Phi
    "drift": ("a constraint", _rows(lambda p, b: p.time_derivative(b.time).value(b.q))),  # Phi_t
    "held": ("a constraint", lambda b: held_back(b, b.rows)),  # G' l
    "rates": ("a constraint", _rows(lambda p, b: p.rate(b.q, b.v, b.time))),  # Phi'
    "accelerations": ("a constraint", _rows(lambda p, b: p.acceleration(b.q, b.v, b.a, b.time))),  # Phi''
    "books": ("a rate", lambda b: [state.rate for state in b.states]),
}
KNOWN = {"inertia": {"a": _masses}, "held": {"q": _curvature}, "rows": {"q": lambda b: gradients(b, b.rows)}}  # derivatives that are said
POOLED = {  # what the one element of a group adds
    "inertia": lambda group: group.inertial(group.variables("z")),
    "load": lambda group: [-f for f in group.element.force],
}
FRAMED = ("load", "residual")  # functions to which a turning frame adds


class Table(dict):
    """By name of a function its `Slopes`, made when first asked for.

    Parameters
    ----------
    problem : Problem
    numbers : Parameters
    parameters : int
        How many there are, p.
    dense : bool
        Matrices are full.

    Attributes
    ----------
    frame : dict of str to csr_array (n, n)
        What a turning frame adds to the derivatives of forces, negative, by q and by v.
    """

    def __init__(self, problem, numbers, parameters=0, *, dense=False):
        n, rows = problem.n, len(problem.rows)
        sizes = {"q": n, "v": n, "a": n, "l": rows, "s": len(problem.states), "p": parameters, "t": 1}
        self._problem, self.dense, self.frame = problem, dense, {}
        self._slopes = partial(Slopes, problem, numbers, sizes, dense)

    def __missing__(self, name):
        what, nodes = FUNCTIONS[name]
        known = {kind: entries(self._problem) for kind, entries in KNOWN.get(name, {}).items()}
        return self.add(name, lambda: nodes(self._problem), what, POOLED.get(name), self.frame if name in FRAMED else None, known)

    def add(self, name, nodes, what, grouped=None, frame=None, known=None):
        """Add a function; what its arguments are, `Slopes` says."""
        self[name] = self._slopes(nodes, what, grouped, {} if frame is None else frame, known or {})
        return self[name]


class Slopes:
    """Nodes and their partial derivatives, evaluated together; derivatives are made when they are first asked for.

    Parameters
    ----------
    problem : Problem
    numbers : Parameters
    sizes : dict of str to int
        Kinds of variables, and how many there are.
    dense : bool
    made : callable
        Gives the nodes.
    what : str
        What they are, for messages.
    grouped : callable, optional
        Nodes of the one element of a group.
    frame : dict of str to csr_array
        By kind of variable what is added to the derivatives.
    known : dict of str to dict (i, j) -> Node
        Derivatives by kind of variable that need not be made.
    """

    def __init__(self, problem, numbers, sizes, dense, made, what, grouped, frame, known):
        self._graph, self._numbers, self._sizes, self._dense = problem.graph, numbers, sizes, dense
        self._made, self._what, self._frame = made, what, frame
        self._groups = [(group, grouped(group)) for group in problem.groups] if grouped else []
        self._entries, self._programs, self._fields = known, {}, {}

    @cached_property
    def nodes(self):
        """List of the nodes."""
        return list(self._made())

    def value(self, values):
        """Values (nodes, ...)."""
        if not self._groups:
            return self(values, "")[0]
        if "" not in self._fields:
            grouped = [(group, _given(nodes)) for group, nodes in self._groups]
            self._fields[""] = Field(self._graph, _given(self.nodes), grouped, self._numbers, 1)
        field = self._fields[""]
        found = field(values)
        total = np.zeros((len(self.nodes), *found.shape[1:]), found.dtype)
        np.add.at(total, field.places[0], found)
        return total

    def depends_on(self, kind):
        """Numbers of the variables of a kind on which any node depends."""
        return np.unique([j for _, j in self._of(kind)]).astype(int)

    def by(self, values, kind):
        """Derivatives by a kind of variable, (nodes, variables)."""
        if self._dense:
            return self(values, kind)[1][kind]
        if kind not in self._fields:
            own = {like: of for of, like in OWN.items()}.get(kind)
            groups = [(group, _slopes(self._graph, nodes, group.variables(own))) for group, nodes in self._groups if own]
            field = Field(self._graph, self._of(kind), groups, self._numbers, 2)
            more = self._frame[kind].tocoo() if kind in self._frame else csr_array((1, 1)).tocoo()
            places = (np.r_[place, other] for place, other in zip(field.places, more.coords, strict=True))
            self._fields[kind] = field, Pattern(*places, (len(self.nodes), self._sizes[kind])), more.data
        field, pattern, more = self._fields[kind]
        return pattern.fill(np.r_[field(values), more])

    def by_time(self, values):
        """Partial derivatives by time (nodes,)."""
        return self(values, "t")[1]["t"][:, 0]

    def __call__(self, values, kinds):
        """Values (nodes,), and by kind of variable full matrices (nodes, variables) of derivatives; there must be no groups."""
        if kinds not in self._programs:
            parts = [self._of(kind) for kind in kinds]
            places = [tuple(np.array(list(part), int).reshape(-1, 2).T) for part in parts]
            program = Program(self._graph, [*self.nodes, *(x for part in parts for x in part.values())], self._numbers)
            self._programs[kinds] = program, places
        program, places = self._programs[kinds]
        found, matrices, start = program(values), {}, len(self.nodes)
        for kind, place in zip(kinds, places, strict=True):
            matrix = matrices[kind] = np.zeros((len(self.nodes), self._sizes[kind]))
            stop = start + len(place[0])
            matrix[place] = found[start:stop]
            if kind in self._frame:
                matrix += self._frame[kind].toarray()
            start = stop
        return found[: len(self.nodes)], matrices

    def _of(self, kind):
        """Nodes of the derivatives by a kind of variable, by (i, j)."""
        if kind not in self._entries:
            self._entries[kind] = {
                (i, x.number or 0): slope
                for i, node in enumerate(self.nodes)
                for x in sorted((x for x in self._graph.variables(node) if x.space == kind), key=lambda x: x.number or 0)
                if not (slope := self._slope(node, self._graph.var(*x))).zero
            }
        return self._entries[kind]

    def _slope(self, node, variable):
        """Derivative of a node; refuses a kernel on the way to a parameter that does not say its own, which would be taken for zero."""
        graph = self._graph
        for x in graph.needed([node]) if variable.value.space == "p" else ():
            if x.kind is CALL:
                known = {j for _, j in (x.tangent(x.given) if x.tangent else {})}
                if any(variable.value in graph.variables(a) and j not in known for j, a in enumerate(x.args)):
                    name = x.value.name.rpartition("_")[0]
                    raise ModelError(f"{self._what}: the derivative of '{name}' is not known", remedy="take differences of runs")
        try:
            return graph.derivative(node, variable)
        except NotDifferentiable as error:
            remedy = "take differences of runs" if self._sizes["p"] else error.remedy
            raise NotDifferentiable(f"{self._what} cannot be differentiated: {error.message}", remedy=remedy) from None


def _given(nodes):
    return {(i,): x for i, x in enumerate(nodes) if not x.zero}


def _slopes(graph, nodes, variables):
    """Nodes of derivatives by (i, j)."""
    return {(i, j): slope for i, node in enumerate(nodes) for j, slope in graph.slopes(node, variables)}


def held_back(equations, rows):
    """Nodes of ``G' l`` for rows, with the multipliers ``l0, l1...``."""
    total = [equations.graph.const(0.0)] * equations.n
    for k, row in enumerate(rows):
        for i, x in row.polynomial.gradient(equations.q).items():
            total[i] = total[i] + equations.graph.var("l", k) * x
    return total
