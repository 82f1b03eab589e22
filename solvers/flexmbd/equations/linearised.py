"""Linearised response of index-1 accelerations to the laws that act on a motion, for schemes that solve once a stage and never iterate.

Laws (films, contacts, friction) are the kernels that give the applied forces' values o from place and velocity.  At one state, B holds
the generalized forces by o, ``X = P B`` the accelerations by o that the rows admit, and T_q, T_v the derivatives of o.  Few as the laws
are, J with the rows ``(0, 1)`` and ``(X T_q, X T_v)`` is inverted by a small matrix (Sherman, Morrison and Woodbury): for a change (e, r)
of positions and velocities and a share τ (`step_share`) of the step, ``(1 - τ J)^-1 (e, r)`` has the velocities

    y = r + X z,    (1 - N X) z = N r + τ T_q e,    N = τ T_v + τ^2 T_q

and z is the change of o.  Geometry, rows, time and further states are not in J: a scheme that uses it must keep its order with any J.
States get the same change through the derivatives of their rates by velocities and laws.
"""

import contextlib

from flexmbd.equations import index1
from flexmbd.errors import ModelError, NotDifferentiable
from flexmbd.language.kinds import RESULT, TOTAL, VARIABLE
from flexmbd.language.tracing import substitute
from flexmbd.parameters import RUNTIME
from flexmbd.stepping.names import LINEARISE, RESPOND


def linearised_functions(problem):
    """Stores of functions by their entries of the table, and how many rows they keep numbers in.

    `LINEARISE` keeps what J needs at a point; `RESPOND` gives y in the first n rows of W and adds to the rates of the states from row y on.
    Both take the share of the step from `STEP_SHARE`.

    Raises
    ------
    ModelError
        More values of laws than `Tuning.laws`.
    """
    g, n, share, kept = problem.graph, problem.n, problem.graph.var("step_share"), Kept(problem.graph)
    laws = laws_of(problem)
    if len(laws) > g.tuning.laws:
        raise ModelError(
            f"integrator 'rosenbrock': the laws of contacts and films have {len(laws)} values here; it is for at most {g.tuning.laws} "
            "(two a dry joint, four a lubricated one)",
            remedy="take 'generalized_alpha'",
        )
    values = g.space("law").first(len(laws))
    sums = [x for x in g.needed([state.rate for state in problem.states]) if x.kind is TOTAL]  # over elements: not in J
    held = [*values, *g.space("argument").first(len(sums))]
    away, back = (dict(zip(*pair, strict=True)) for pair in (([*laws, *sums], held), (held, [*laws, *sums])))

    def direct(node, variables):
        """Derivatives of a node by index of the variable, the values of laws held."""
        found = slopes(g, substitute(g, [node], away)[0], variables)
        return dict(zip(found, substitute(g, list(found.values()), back), strict=True))

    columns = [{} for _ in laws]
    for i, force in enumerate(problem.generalized):
        for k, x in direct(force, values).items():
            columns[k][i] = x
    responses = index1.responses(problem, columns)
    place, mixed = [], []  # τ T_q, N
    for law in laws:
        by_q, by_v = slopes(g, law, problem.q), slopes(g, law, problem.v)
        row = {j: share * x for j, x in by_q.items()}
        place.append({j: kept(x) for j, x in row.items()})
        mixed.append({j: share * (row.get(j, 0.0) + by_v.get(j, 0.0)) for j in sorted(row.keys() | by_v.keys())})
    small = [
        [float(k == m) - g.dot((x, response[j]) for j, x in row.items()) for m, response in enumerate(responses)]
        for k, row in enumerate(mixed)
    ]
    inverse = [[kept(x) for x in row] for row in inverted(g, small)]
    responses = [[kept(x) for x in response] for response in responses]
    mixed = [{j: kept(x) for j, x in row.items()} for row in mixed]

    changes, rates = (g.space(name).first(n) for name in "er")
    side = [
        g.dot([(x, rates[j]) for j, x in row.items()] + [(x, changes[j]) for j, x in by.items()])
        for row, by in zip(mixed, place, strict=True)
    ]
    z = [g.dot(zip(row, side, strict=True)) for row in inverse]
    y = [g.dot(((x[i], zk) for x, zk in zip(responses, z, strict=True)), rate) for i, rate in enumerate(rates)]
    stores, rates_from = [(("W", i), x) for i, x in enumerate(y)], max(n, len(problem.rows))
    moved = [share * x for x in y], z
    for k, state in enumerate(problem.states):
        total = g.var("d", k)
        for known, change in zip((problem.v, values), moved, strict=True):
            total = g.dot(((kept(x), change[j]) for j, x in direct(state.rate, known).items()), total)
        if total.kind is not VARIABLE:
            stores.append((("y", rates_from + k), total))
    return {LINEARISE: [(("kept", k), x) for k, x in enumerate(kept.nodes)], RESPOND: stores}, len(kept.nodes)


def laws_of(problem):
    """Nodes of the values that laws with a tangent give to the applied forces, if velocities are among what they depend on."""
    g, found, speeds = problem.graph, [], {x.value for x in problem.v}
    nodes = g.needed(problem.generalized)
    several = {x.args[0].id for x in nodes if x.kind is RESULT}
    for x in nodes:
        call = x.args[0] if x.kind is RESULT else x
        if call.tangent is not None and x.id not in several and speeds.intersection(g.variables(x)):
            found.append(x)
    return found


def slopes(graph, node, variables):
    """Derivatives of a node by index of the variable; none where a kernel has no tangent, which costs accuracy but not order."""
    names, found = set(graph.variables(node)), {}
    for j, x in enumerate(variables):
        with contextlib.suppress(NotDifferentiable):
            slope = graph.derivative(node, x) if x.value in names else graph.const(0.0)
            if not slope.zero:
                found[j] = slope
    return found


def inverted(graph, matrix):
    """Inverse of a small matrix of nodes, by elimination with rows exchanged where their pivot is larger."""
    size = len(matrix)
    rows = [[graph.const(x) for x in row] + [graph.const(float(i == k)) for k in range(size)] for i, row in enumerate(matrix)]
    for k in range(size):
        for i in range(k + 1, size):
            larger = graph.greater(graph.fabs(rows[i][k]), graph.fabs(rows[k][k]))
            rows[k], rows[i] = (
                [graph.select(larger, a, b) for a, b in zip(first, second, strict=True)]
                for first, second in ((rows[i], rows[k]), (rows[k], rows[i]))
            )
        inverse = 1.0 / rows[k][k]
        rows[k] = [x * inverse for x in rows[k]]
        for i in range(size):
            if i != k:
                rows[i] = [x - rows[i][k] * y for x, y in zip(rows[i], rows[k], strict=True)]
    return [row[size:] for row in rows]


class Kept:
    """Nodes that one function stores and another reads: called with a node, it gives the variable in its place."""

    def __init__(self, graph):
        self.graph, self.nodes, self._places = graph, [], {}

    def __call__(self, node):
        if node.level < RUNTIME:
            return node
        if node.id not in self._places:
            self._places[node.id] = len(self.nodes)
            self.nodes.append(node)
        return self.graph.var("f", self._places[node.id])
