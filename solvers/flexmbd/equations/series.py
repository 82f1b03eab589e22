"""Taylor series of a motion: what its coefficients follow from, order by order.

With ``q' = v``, ``v' = a``, ``s' = r`` all coefficients of order k of q, v and s are known from those of lower order.  The unknowns of
order k, accelerations and multipliers, are in the equations

    M a + G' l = F,      d2Phi/dt2 = 0

linear, with M and G of order 0: what these equations have at order k without them is a right-hand side for the matrix at the step's
start, whose factors serve all orders (Pryce 2001, BIT Numer. Math. 41, 364-394).  So neither masses nor rows are eliminated as series.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from flexmbd.equations import index1
from flexmbd.equations.inertia import symmetric_product
from flexmbd.errors import ModelError
from flexmbd.language.kernels import KernelError
from flexmbd.language.kinds import ADD, CALL, DIV, GREATER, MUL, NEG, PARAMETER, PRODUCT, RESULT, SELECT, SQRT, SUB, VARIABLE
from flexmbd.language.quadratic import dot
from flexmbd.language.tracing import substitute, traced
from flexmbd.parameters import RUNTIME

LINEAR = (ADD, SUB, MUL, NEG, DIV, PRODUCT, RESULT, VARIABLE)  # of what right-hand sides become unknowns by
STILL = frozenset(("t", "mode", "impact_velocity", "least_impact_velocity", "impacts"))  # known, or changed at events only
REMEDY = "take 'dormand_prince', or 'generalized_alpha' for what is stiff"


@dataclass(frozen=True)
class Motion:
    """Equations of the coefficients.

    Attributes
    ----------
    problem : Problem
    unknowns : list of Node
        Accelerations, then multipliers: variables.
    start : list of Node
        Right-hand sides of order 0.
    residuals : list of Node
        The same of higher orders, from the unknowns of lower ones.
    derived : dict Node -> (Node, int)
        Variables in these that are derivatives in time of nodes, and how often they are derived.
    lengths : list of (int, int)
        Of unit quaternions the first coordinate and the number of the row: along them rows say accelerations, which are not in M.
    turns : list of Turn
        Unit quaternions that follow from angular velocities in their bodies' frames; their moments take all that acts along them.
    sides : list of Node
        Variables that stand for right-hand sides.
    solution : list of Node
        Unknowns as linear functions of `sides`.
    rates : list of Node
        Of further states; they may depend on the unknowns.
    """

    problem: object
    unknowns: list
    start: list
    residuals: list
    derived: dict
    lengths: list
    turns: list
    sides: list
    solution: list
    rates: list


def motion(problem):
    """The `Motion` of a problem.

    Raises
    ------
    ModelError
        Naming what has no Taylor series.
    """
    _check(problem)
    g, n, rows = problem.graph, problem.n, problem.rows
    a, reactions = g.space("a").first(n), g.space("l").first(len(rows))
    start = [*problem.generalized, *(-row.polynomial.convective(problem.q, problem.v, problem.time) for row in rows)]
    forces, derived, lengths, turns, inertia = list(problem.generalized), {}, [], [], problem.inertia
    if problem.balance is not None:
        (forces, derived, lengths, turns), inertia = problem.balance(), inertia.added
    inner = symmetric_product(g, inertia.entries, a)
    kept, zero = {k for k in range(len(rows))} - {turn.row for turn in turns}, g.const(0.0)
    for k in sorted(kept):
        for i, x in rows[k].polynomial.gradient(problem.q).items():
            inner[i] = inner[i] + x * reactions[k]
    residuals = [f - x for f, x in zip(forces, inner, strict=True)] + [zero] * len(rows)
    for k in sorted(kept):
        residuals[n + k] = -(y := g.var("j", len(derived)))
        derived[y] = g.const(rows[k].polynomial.value(problem.q)), 2
    turns = [_whole(turn, residuals) for turn in turns]
    for turn in turns:
        residuals[turn.first : turn.first + 4] = [zero] * 4
    sides = g.space("r").first(n + len(rows))
    solution = index1.linear_solution(problem, sides)
    applied = (x for x in g.needed(solution) if g.space("r").of(x))
    if any(x.kind not in LINEAR for x in applied):
        told = "the integrator 'taylor' does not treat systems whose linear equations are solved in blocks, as those of so many bodies here"
        raise ModelError(told, remedy=REMEDY)
    still = {x.id for x in (*problem.q, *problem.v, problem.time)}
    known = zip((*problem.a, *problem.multipliers), (*a, *reactions), strict=True)
    known = {x: y for x, y in known if x.level == RUNTIME and x.id not in still}
    rates = substitute(g, [g.const(s.rate) for s in problem.states], known)
    groups = start, residuals, rates, [x for x, _ in derived.values()], *(turn.moment for turn in turns)
    nodes = iter(smooth(problem, [x for group in groups for x in group]))
    start, residuals, rates, momenta, *moments = ([next(nodes) for _ in group] for group in groups)
    turns = [replace(turn, moment=own) for turn, own in zip(turns, moments, strict=True)]
    derived = {y: (x, count) for (y, (_, count)), x in zip(derived.items(), momenta, strict=True)}
    return Motion(problem, [*a, *reactions], start, residuals, derived, lengths, turns, sides, solution, rates)


def _whole(turn, residuals):
    """A turn whose moment has also what acts on its coordinates themselves."""
    own = residuals[turn.first : turn.first + 4]
    along = [0.5 * dot(column, own) for column in zip(*turn.columns, strict=True)]
    return replace(turn, moment=[x + y for x, y in zip(turn.moment, along, strict=True)])


def smooth(problem, nodes):
    """Nodes without guards of roots, and calls of kernels by what these do; refuses what is not analytic."""
    g = problem.graph
    nodes = [g.const(x) for x in nodes]
    while True:
        moving = [x for x in g.needed(nodes) if x.level == RUNTIME]
        plain = {x: y for x in moving if x.kind is SELECT and (y := _unguarded(x)) is not None}
        calls = [x for x in moving if x.kind is CALL and x.value.text]
        if not plain and not calls:
            break
        nodes = substitute(g, nodes, plain) if plain else _without_calls(problem, nodes, calls)
    for x in g.needed(nodes):
        if x.level == RUNTIME:
            _refuse(problem, x)
    return nodes


def _without_calls(problem, nodes, calls):
    g, found = problem.graph, {}
    for call in calls:
        try:
            results = traced(g, call.function, call.given)
        except KernelError as error:
            _no(problem, call, f"calls {call.value.describe()}, which has no Taylor series: {error.message}")
        results = results if isinstance(results, tuple) else (results,)
        if any(x.kind is RESULT and x.args[0] is call for x in g.needed(nodes)):
            found |= {g.results(call, len(results))[k]: g.const(x) for k, x in enumerate(results)}
        else:
            found[call] = g.const(results[0])
    return substitute(g, nodes, found)


def _unguarded(x):
    """What a `select` is where it only keeps roots and quotients finite (`Graph.root`, the word `sqrt`)."""
    condition, a, b = x.args
    if condition.kind is not GREATER or not condition.args[1].constant:
        return None
    y, least = condition.args
    if a is y and b is least and 0.0 <= least.value < 1e-9:
        return y
    if a is y and b.one and least.zero:
        return y
    if least.zero and a.kind is SQRT and (a.args[0] is y or _of_guard(a.args[0], y)):
        return x.graph.sqrt(y)
    return None


def _of_guard(x, y):
    return x.kind is SELECT and x.args[1] is y and x.args[2].one


def _check(problem):
    if problem.coupled:
        one = problem.coupled[0]
        told = f"{one.kind} '{one.element.name}': the integrator 'taylor' does not treat {one.what}"
        raise ModelError(told, element=one.element.name, remedy="take 'dormand_prince'")
    if problem.groups or problem.row_groups:
        (group, *_) = (*problem.groups, *problem.row_groups)
        told = f"the integrator 'taylor' does not treat elements that are many and alike, as '{group.name}' here"
        raise ModelError(told, remedy=REMEDY)


def _refuse(problem, x):
    """Refuse a node without series."""
    if x.kind.series is None and x.kind is not GREATER and not x.kind.truth and x.args:
        _no(problem, x, f"has '{x.kind.meaning}', which has no Taylor series here")
    if x.kind.bends(x):
        conditions = x.args[:1] if x.kind is SELECT else x.args
        depends = {v.space for c in conditions for v in problem.graph.variables(c)}
        if not depends <= STILL:
            _no(problem, x, f"changes with the motion by '{x.kind.meaning}', which has no Taylor series")


def _no(problem, node, what):
    forces = [c.name for c in problem.contacts if not (c.stops or c.assigns or c.period)]
    name = forces[0] if forces else _element(problem, node)
    whose = f"'{name}'" if name else "the model"
    raise ModelError(f"integrator 'taylor': {whose} {what}", element=name or None, remedy=REMEDY)


def _element(problem, node):
    """Name of the element, or else body, whose numbers are nearest among what a node is made of; "" if none is."""
    for mark, owners in (("@", problem.system.elements), ("", problem.system.bodies)):
        names, layer, seen = {f"{mark}{x.name}": x.name for x in owners}, [node], set()
        while layer:
            for x in layer:
                owner = x.value.rpartition(".")[0] if x.kind is PARAMETER else ""
                while owner and owner not in names:
                    owner = owner.rpartition(".")[0]
                if owner:
                    return names[owner]
            seen |= {x.id for x in layer}
            layer = [a for x in layer for a in x.args if a.id not in seen]
    return ""
