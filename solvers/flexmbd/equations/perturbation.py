"""What schemes for rods of two rates ask of the equations: large motion q and bending a, apart.

See docs/theory/symplectic_perturbation.md.

Of the kinetic energy ``q'.M q'/2 + a'.W(q) q' + a'.R a'/2`` (Wu, Gao and Zhong 2014, (21)) with rows ``g(q) = 0``, ``G = g_q``, the momenta
are ``p = M q' + W'a'`` and ``r = R a' + W q'``.  With P the projection onto the rows in the metric of M::

    U = P M^-1 p,     Y = -P M^-1 W',     q' = U + Y a',     r = W U + s,     s = (R + W Y) a'                            (SP1)

U is the velocity of the large motion; places follow the bending at once by Y, so that the bending has the masses ``R + W Y``, with which
nothing fast is left in what couples both.
"""

from flexmbd.bodies.amplitudes import Amplitudes
from flexmbd.errors import ModelError
from flexmbd.language.tracing import substitute
from flexmbd.linalg.elimination import elimination_order, factorise
from flexmbd.stepping.names import CLOSING, GRADIENTS, LINEARISE, NEWTON

OTHERS = "take 'generalized_alpha' or 'dormand_prince'"


class Parts:
    """Nodes of a problem by large motion and bending, checked; attributes are those of the module's text by coordinate."""

    def __init__(self, problem, scheme):
        g, self.problem, self.name = problem.graph, problem, f"integrator '{scheme}'"
        rods = [body for body in problem.system.bodies if isinstance(body, Amplitudes)]
        self.small = [problem.first[body.name] + k for body in rods for k in range(body.coordinates)]
        if not self.small:
            raise ModelError(f"{self.name} is for systems with a Rod that bends, and there is none", remedy=OTHERS)
        inside = set(self.small)
        self.large = [i for i in range(problem.n) if i not in inside]
        self.at = {i: k for k, i in enumerate(self.large)}
        self.mass, self.own, self.coupling = {}, {}, {}
        for (i, j), x in problem.inertia.entries.items():
            if (i in inside) == (j in inside):
                (self.own if i in inside else self.mass)[i, j] = x
            else:
                self.coupling[(i, j) if i in inside else (j, i)] = x
        still = {problem.v[i]: g.const(0.0) for i in self.small}
        self.force = substitute(g, [problem.generalized[i] for i in self.large], still)
        at_rest = dict.fromkeys(problem.v, g.const(0.0)) | {problem.q[i]: g.const(0.0) for i in self.small}
        self.weight = substitute(g, [problem.generalized[k] for k in self.small], at_rest)
        self.stiffness = [-g.derivative(problem.generalized[k], problem.q[k]) for k in self.small]
        self.check()

    def check(self):
        """Refuse what is not of the form above."""
        problem, g = self.problem, self.problem.graph

        def told(what, name=None):
            return ModelError(f"{self.name} {what}", element=name, remedy=OTHERS)

        if problem.groups or problem.shift or problem.direct:
            raise told("is for few bodies with independent rows: no cables or beams in groups, augmented rows, or sparse library")
        if any(x.space in ("q", "t", "s") for m in (*self.mass.values(), *self.own.values()) for x in g.variables(m)):
            raise told("needs constant masses of all but the rods' bending, and here some depend on the coordinates or on time")
        for row in problem.rows:
            moving = any(x.space == "t" for x in g.variables(row.polynomial.value(problem.q)))
            if not row.polynomial.quadratic or moving or row.penalty is not None:
                what = f"needs quadratic rows that do not depend on time, as formulation 'tree' has none, and '{row.label}' is not one"
                name, remedy = row.label.rpartition(".")[0], f"take formulation 'natural', or {OTHERS.removeprefix('take ')}"
                raise ModelError(f"{self.name} {what}", element=name, remedy=remedy)
        for k in self.small:
            if any(not g.derivative(problem.generalized[k], problem.v[j]).zero for j in self.small):
                name = problem.coordinates[k].partition(".amplitudes")[0]
                raise told(f"does not treat damping of a bending, and rod '{name}' has one", name)
        if any(state.controlled for state in problem.states):
            raise told("does not treat forces with states of their own (bristles, controllers)")

    def middle(self, nodes):
        """Nodes in the middle of the step's places."""
        g, problem = self.problem.graph, self.problem
        return substitute(g, nodes, {problem.q[i]: 0.5 * (problem.q[i] + g.var("o", i)) for i in self.large})

    def times_mass(self, vector):
        """M x as a list over large coordinates, of x by coordinate."""
        total = {i: self.problem.graph.const(0.0) for i in self.large}
        for (i, j), m in self.mass.items():
            total[i] = total[i] + m * vector[j]
            if i != j:
                total[j] = total[j] + m * vector[i]
        return [total[i] for i in self.large]

    def transposed(self, coupling, vector):
        """W'x as a list over large coordinates, of x by small coordinate."""
        g = self.problem.graph
        found = {i: [] for i in self.large}
        for (k, i), w in coupling.items():
            found[i].append((w, vector[k]))
        return [g.dot(found[i], g.const(0.0)) for i in self.large]

    def factors(self, first, second, *, symmetric):
        """Factors of masses and rows: gradients of constraint forces at `first`, of rows at `second`."""
        n, matrix = len(self.large), {}
        for (i, j), m in self.mass.items():
            matrix[self.at[i], self.at[j]] = matrix[self.at[j], self.at[i]] = m
        rows = self.problem.rows
        for k, row in enumerate(rows):
            matrix |= {(self.at[i], n + k): x for i, x in row.polynomial.gradient(first).items()}
            if not symmetric:
                matrix |= {(n + k, self.at[i]): x for i, x in row.polynomial.gradient(second).items()}
        if symmetric:
            matrix = {(i, j): x for (i, j), x in matrix.items() if i <= j}
        members = [{self.at[i] for i in row.polynomial.indices} for row in rows]
        order = elimination_order(n, [{self.at[i], self.at[j]} for i, j in self.mass if i != j], members, self.problem.graph.tuning)
        return factorise(self.problem.graph, matrix, order, symmetric=symmetric)


def _coupled(parts):
    """Of a step: its change of amplitudes by small coordinate, of places, W in its middle, and ``h`` times the force that couples both."""
    g, problem = parts.problem.graph, parts.problem
    change = {k: problem.q[k] - g.var("o", k) for k in parts.small}
    way = {i: problem.q[i] - g.var("o", i) for i in parts.large}
    middle = dict(zip(parts.coupling, parts.middle(parts.coupling.values()), strict=True))
    force = {i: g.const(0.0) for i in parts.large}
    for (k, j), w in parts.coupling.items():
        for i in parts.large:
            slope = g.derivative(w, problem.q[i])
            if not slope.zero:
                force[i] = force[i] + parts.middle([slope])[0] * (change[k] * way[j])
    return change, way, middle, [force[i] for i in parts.large]


def perturbation_functions(problem, scheme="symplectic_perturbation", blocks=2):
    """Stores of functions by their entries of the table, and how many rows are kept: `blocks` of masses of the bending, at ends of steps.

    With n coordinates and m amplitudes, all by their coordinates in W:

    - `GRADIENTS`, at a state: p, applied forces; from 2 n on, 1 for each amplitude.
    - `NEWTON`, at the end of a step: changes of places that close the rows there.
    - `CLOSING`, there: p and applied forces, from the way of the step.
    - `LINEARISE`, at a state with p: U and ``W U``; acceleration of the large motion alone and its force on the bending; external forces
      on the bending; from 3 n on ``R + W Y`` (m, m), Y (n, m), stiffness (m,).
    """
    parts, g, n = Parts(problem, scheme), problem.graph, problem.n
    m, h, zero = len(parts.small), g.var("step_share"), g.const(0.0)

    def spread(large, small=None):
        """A row for each coordinate."""
        found = dict(zip(parts.large, large, strict=True)) | dict(zip(parts.small, small or [zero] * m, strict=True))
        return [found[i] + zero for i in range(n)]

    momenta = [a + b for a, b in zip(parts.times_mass(problem.v), parts.transposed(parts.coupling, problem.v), strict=True)]
    which = spread([zero] * len(parts.large), [g.const(1.0)] * m)
    at_start = [*spread(momenta), *spread(parts.force), *which]
    change, way, middle, force = _coupled(parts)
    shifted = parts.transposed(middle, change)
    known = [h * g.var("e", i) + 0.5 * f - s for i, f, s in zip(parts.large, force, shifted, strict=True)]
    side = {k: x - y for k, (x, y) in enumerate(zip(known, parts.times_mass(way), strict=True))}
    side |= {len(parts.large) + k: -row.polynomial.value(problem.q) for k, row in enumerate(problem.rows)}
    found = parts.factors(g.space("o").first(n), problem.q, symmetric=False).solve(side)
    moved = [found[k] for k in range(len(parts.large))]
    left = zip(parts.times_mass(way), shifted, force, parts.force, strict=True)
    closed = [(x + s + 0.5 * c) / h + 0.5 * h * f for x, s, c, f in left]
    at_end = [*spread(closed), *spread(parts.force)]
    stores = {GRADIENTS: at_start, NEWTON: spread(moved), CLOSING: at_end, LINEARISE: _linearised(parts, spread)}
    return {entry: [(("W", i), x) for i, x in enumerate(nodes)] for entry, nodes in stores.items()}, blocks * m * m


def vibration_functions(problem, scheme):
    """Of a scheme that takes the vibration of the bending for its linear part: stores by entries of the table, and no rows that are kept.

    `LINEARISE`, at places: 1 for each amplitude; from 3 n on ``R + W Y`` (m, m), Y (n, m), stiffness (m,), as `perturbation_functions`.
    """
    parts, zero = Parts(problem, scheme), problem.graph.const(0.0)
    which = [problem.graph.const(float(i in parts.small)) for i in range(problem.n)]
    _, follows, masses = _following(parts, _solution(parts))
    places = [follows[k].get(i, zero) for i in range(problem.n) for k in parts.small]
    later = enumerate((*masses, *places, *parts.stiffness), 3 * problem.n)
    return {LINEARISE: [*((("W", i), x) for i, x in enumerate(which)), *((("W", i), x + zero) for i, x in later)]}, 0


def _solution(parts):
    """A function that solves for velocities or accelerations of the large motion, by coordinate, and its multipliers."""
    problem, count = parts.problem, len(parts.large)
    factors = parts.factors(problem.q, problem.q, symmetric=True)

    def solved(side, rows=()):
        rows = rows or [problem.graph.const(0.0)] * len(problem.rows)
        found = factors.solve(dict(enumerate(side)) | {count + k: x for k, x in enumerate(rows)})
        return {i: found[k] for k, i in enumerate(parts.large)}

    return solved


def _following(parts, solved):
    """By small coordinate: W, Y, and of all ``R + W Y`` as a list."""
    g, small, zero = parts.problem.graph, parts.small, parts.problem.graph.const(0.0)
    across = {k: {i: w for (j, i), w in parts.coupling.items() if j == k} for k in small}
    follows = {k: solved([-across[k].get(i, zero) for i in parts.large]) for k in small}
    own = {key: x for (i, j), x in parts.own.items() for key in ((i, j), (j, i))}
    along = {(j, k): g.dot(((w, follows[k][i]) for i, w in across[j].items()), zero) for j in small for k in small}
    return across, follows, [own.get(pair, zero) + x for pair, x in along.items()]


def _linearised(parts, spread):
    """Nodes of `LINEARISE`."""
    problem, g, large, small = parts.problem, parts.problem.graph, parts.large, parts.small
    zero, count, solved = g.const(0.0), len(large), _solution(parts)
    velocity = solved([g.var("p", i) for i in large])
    by_coordinate = [velocity.get(i, zero) for i in range(problem.n)]
    pull = solved(parts.force, [-row.polynomial.convective(problem.q, by_coordinate, problem.time) for row in problem.rows])
    across, follows, masses = _following(parts, solved)

    def along(k, vector):
        return g.dot(((w, vector[i]) for i, w in across[k].items()), zero)

    def turning(k):
        """Of dW/dt U."""
        return g.dot(((slope * velocity[j], velocity[i]) for i, w in across[k].items() for j, slope in g.slopes(w, problem.q)), zero)

    forces = [weight - along(k, pull) - turning(k) for k, weight in zip(small, parts.weight, strict=True)]
    places = [follows[k].get(i, zero) for i in range(problem.n) for k in small]
    return [
        *spread([velocity[i] for i in large], [along(k, velocity) for k in small]), *spread([pull[i] for i in large], forces),
        *spread([zero] * count, parts.weight), *(x + zero for x in (*masses, *places, *parts.stiffness)),
    ]  # fmt: skip
