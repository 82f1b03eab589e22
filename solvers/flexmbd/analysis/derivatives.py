"""Equations of index 1 of one sample with all their derivatives, by the rules of the graph.

With the residual ``r = M a + G' l - F``, the rows ``Phi(q, t)`` and their total time derivatives ``Phi'`` and ``Phi''``, accelerations and
multipliers are the solution of ``r = 0``, ``Phi'' = 0``.  The rest are partial derivatives by coordinates q, velocities v, accelerations
a, multipliers l, further states s and parameters p.
"""

from dataclasses import replace
from functools import cached_property
from warnings import catch_warnings, simplefilter

import numpy as np
from scipy.linalg import LinAlgWarning, lu_factor, lu_solve

from flexmbd.analysis.refusals import of_one_sample, refuse_coupled, refuse_unilateral
from flexmbd.errors import ModelError, NotDifferentiable
from flexmbd.formulation import formulation_of
from flexmbd.language.arrays import Program
from flexmbd.language.graph import Graph
from flexmbd.language.kernels import KernelError
from flexmbd.language.kinds import CALL
from flexmbd.language.nodes import flat, nested, shape_of
from flexmbd.language.tracing import traced
from flexmbd.outputs import bringing
from flexmbd.suggest import unknown
from flexmbd.tuning import USUAL

SINGLE = replace(USUAL, single_elements=10**9, single_size=10**9)  # every element is written out, so that it can be differentiated


class ParametricGraph(Graph):
    """A graph that writes out kernels that depend on parameters or do not say their derivatives: its own rules differentiate them.

    Once it is `whole`, kernels are those that give derivatives, and stay calls if they do not depend on parameters.
    """

    whole = False

    def call(self, function, args, count=None, tangent=None, *, partly=False):
        """Call a kernel, or write out what it computes."""
        numbers = [self.const(a) for a in flat(args)]
        args = nested(numbers, shape_of(args))
        unsaid = tangent is None and not self.whole
        if self.kernel(function).text and (unsaid or any(x.space == "p" for a in numbers for x in self.variables(a))):
            try:
                found = traced(self, function, args)
                return self.const(found) if count is None else tuple(self.const(x) for x in found[:count])
            except KernelError:
                pass  # it stays a call; that its derivatives are not known is said when they are needed
        return super().call(function, args, count, tangent, partly=partly)


class Slopes:
    """Nodes and their partial derivatives, evaluated together.

    Parameters
    ----------
    problem : Problem
    numbers : Parameters
    nodes : sequence of Node
    sizes : dict of str to int
        Kinds of variables, and how many there are.
    what : str
        What the nodes are, for messages.

    Raises
    ------
    ModelError
        If a derivative is not known.
    """

    def __init__(self, problem, numbers, nodes, sizes, what):
        g, entries = problem.graph, {kind: {} for kind in sizes}
        self._count, self._sizes = len(nodes), sizes
        for i, node in enumerate(nodes):
            for x in g.variables(node):
                if x.space in sizes:
                    entries[x.space][i, x.number] = _slope(g, node, g.var(*x), what)
        self._places = {kind: tuple(np.array(list(part), int).reshape(-1, 2).T) for kind, part in entries.items()}
        self._program = Program(g, [*nodes, *(x for part in entries.values() for x in part.values())], numbers)
        self._value = Program(g, list(nodes), numbers)

    def depends_on(self, kind):
        """Numbers of the variables of a kind on which any node depends."""
        return np.unique(self._places[kind][1])

    def value(self, values):
        """Values (nodes,)."""
        return self._value(values)

    def __call__(self, values):
        """Values (nodes,), and by kind of variable the matrices (nodes, variables) of derivatives."""
        found = self._program(values)
        matrices, start = {}, self._count
        for kind, places in self._places.items():
            matrix = matrices[kind] = np.zeros((self._count, self._sizes[kind]))
            stop = start + len(places[0])
            matrix[places] = found[start:stop]
            start = stop
        return found[: self._count], matrices


def _slope(graph, node, variable, what):
    """Derivative of a node; refuses a kernel on the way to a parameter that does not say its own, which would be taken for zero."""
    for x in graph.needed([node]) if variable.value.space == "p" else ():
        if x.kind is CALL:
            known = {j for _, j in (x.tangent(x.given) if x.tangent else {})}
            if any(variable.value in graph.variables(a) and j not in known for j, a in enumerate(x.args)):
                name = x.value.name.rpartition("_")[0]
                raise ModelError(f"{what}: the derivative of '{name}' is not known", remedy="take differences of runs")
    try:
        return graph.derivative(node, variable)
    except NotDifferentiable as error:
        raise ModelError(f"{what} cannot be differentiated: {error.message}", remedy="take differences of runs") from None


class Linear:
    """Equations of index 1 of a system with parameters, and their derivatives.

    Parameters
    ----------
    system : System
        All of its numbers must be numbers, not arrays over samples.
    parameters : Parameters
    outputs : sequence of str
        Names of the catalogue.
    turning : Equations, optional
        The same system in a turning frame, whose centrifugal and Coriolis forces count.
    formulation : str
        Key of `flexmbd.formulation.FORMULATIONS`.

    Attributes
    ----------
    problem : Problem
    n, count, further : int
        Coordinates, rows, further states (integrated angles, books of energy).
    states : list of str
        Names of the further states.
    units : dict of str to str
        Of the outputs.
    inertia, forces, rows, rates, accelerations, state_rates, outputs : Slopes
        r without F; r; Phi, Phi' and Phi''; rates of the further states; the outputs.
    """

    def __init__(self, system, parameters, outputs, turning=None, formulation="natural"):
        numbers = of_one_sample(system)
        self.system, self.parameters, self._turning = system, parameters, turning
        graph = ParametricGraph(SINGLE)
        build = formulation_of(formulation)(system, solved=False, tuning=SINGLE, graph=graph, varied=parameters.slopes)
        refuse_coupled(build)
        refuse_unilateral(build)
        known = build.outputs
        for name in outputs:
            if name not in known:
                raise unknown("output", name, known)
        b = self.problem = build.problem([*bringing(outputs, system.aliases), *outputs])
        nodes = [known[name][0]() for name in outputs]
        self.units = {name: known[name][1] for name in outputs}
        self.n, self.count, self.further, self.states = b.n, len(b.rows), len(b.states), [state.name for state in b.states]
        size = {"q": b.n, "v": b.n, "a": b.n, "l": self.count, "s": self.further, "p": len(parameters.names)}
        resistance, held = b.inertia.apply(b.a), held_back(b, b.rows)
        b.graph.whole = True

        def slopes(nodes, kinds, what):
            return Slopes(b, numbers, nodes, {kind: size[kind] for kind in kinds}, what)

        self.inertia = slopes([x + y for x, y in zip(resistance, held, strict=True)], "qalp", "the inertia")
        self.forces = slopes([x + y - f for x, y, f in zip(resistance, held, b.generalized, strict=True)], "qvalsp", "a force")
        self.rows = slopes([row.polynomial.value(b.q) for row in b.rows], "qp", "a constraint")
        self.rates = slopes([row.polynomial.rate(b.q, b.v, b.time) for row in b.rows], "qvp", "a constraint")
        second = [row.polynomial.acceleration(b.q, b.v, b.a, b.time) for row in b.rows]
        self.accelerations = slopes(second, "qvap", "a constraint")
        self.state_rates = slopes([state.rate for state in b.states], "qvalsp", "a rate")
        self.outputs = slopes(nodes, "qvalsp", "an output")
        rows = [row.polynomial.value(b.q) for row in b.rows]
        used = b.graph.space("p").of(*b.generalized, *resistance, *held, *nodes, *rows)
        for j, name in enumerate(parameters.names):
            moved = np.any(parameters.guess[:, j]) or np.any(parameters.speed[:, j])
            if j not in used and not moved:
                raise ModelError(f"nothing depends on '{name}'", remedy="does an element leave it out because it is zero?")

    def solve(self, values):
        """Adds accelerations and multipliers to `values` (q, v, t, s); returns the factored matrix."""
        values |= {"a": np.zeros(self.n), "l": np.zeros(self.count)}
        saddle = Saddle(self.mass(values), self.rows(values)[1]["q"])
        force = self.forces.value(values)
        if self._turning is not None:
            force = force + self._turning.centrifugal @ values["q"] + self._turning.coriolis @ values["v"]
        values["a"], values["l"] = saddle.solve(-force, -self.accelerations.value(values))
        return saddle

    def force_slopes(self, values):
        """Derivatives of r, by kind of variable."""
        by = self.forces(values)[1]
        if self._turning is not None:
            by["q"] += self._turning.centrifugal.toarray()
            by["v"] += self._turning.coriolis.toarray()
        return by

    def mass(self, values):
        """Mass matrix (n, n)."""
        rest = {"a": np.zeros(self.n), "l": np.zeros(self.count)}
        return self._constant_mass if self.problem.inertia.constant else self.inertia(values | rest)[1]["a"]

    @cached_property
    def _constant_mass(self):
        rest = {"q": np.zeros(self.n), "a": np.zeros(self.n), "l": np.zeros(self.count), "t": 0.0}
        return self.inertia(rest)[1]["a"]


class Saddle:
    """Factors of ``[M, G'; G, 0]``.

    Parameters
    ----------
    M : ndarray (n, n)
    G : ndarray (rows, n)

    Raises
    ------
    ModelError
        If it is singular.
    """

    def __init__(self, M, G):
        n, rows = len(M), len(G)
        size = 1.0 / np.sqrt(np.maximum(np.abs(M).max(axis=1, initial=0.0), 1e-300))
        free = size > 1e12 * size.min()  # without mass of their own
        self._columns = np.where(free, np.median(size[~free]) if np.any(~free) else 1.0, size)
        largest = np.abs(G * self._columns).max(axis=1, initial=0.0)
        self._rows = 1.0 / np.where(largest > 0.0, largest, 1.0)
        G = G * self._columns * self._rows[:, None]
        matrix = np.block([[M * self._columns * self._columns[:, None], G.T], [G, np.zeros((rows, rows))]])
        with catch_warnings():
            simplefilter("ignore", LinAlgWarning)  # said below
            self._factors = lu_factor(matrix, check_finite=False)
        pivots = np.abs(np.diag(self._factors[0]))
        if not np.all(np.isfinite(pivots)) or pivots.min(initial=1.0) < 1e-13 * pivots.max(initial=1.0):
            raise ModelError("constraints depend on each other here, or something without mass can move", remedy="remove redundant joints")
        self._n = n

    def solve(self, force, side):
        """x (n, ...) and l (rows, ...) of ``M x + G' l = force``, ``G x = side``."""
        c, r = (x.reshape(-1, *(1,) * (np.ndim(force) - 1)) for x in (self._columns, self._rows))
        x = lu_solve(self._factors, np.concatenate([c * force, r * side]))
        return c * x[: self._n], r * x[self._n :]


def held_back(build, rows):
    """Nodes of ``G' l`` for rows, with the multipliers ``l0, l1...``."""
    total = [build.graph.const(0.0)] * build.n
    for k, row in enumerate(rows):
        for i, x in row.polynomial.gradient(build.q).items():
            total[i] = total[i] + build.graph.var("l", k) * x
    return total
