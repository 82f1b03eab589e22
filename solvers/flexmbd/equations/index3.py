"""One Newton correction of an implicit step on the index-3 equations, as graph nodes.

With ``dq = icm da`` and ``dv = cd dq`` (both from the scheme), and scaled by `icm` so that its condition does not depend
on the step (Bottasso, Bauchau and Cardona 2007, J. Comput. Nonlinear Dyn. 2, 199-209)::

    [ M - icm ((F - M a)_q + cd F_v) + icm sum_k l_k H_k   G' ] [ dq     ]   [ icm (F - M a - G' l) ]
    [ G                                                    0  ] [ icm dl ] = [ -Phi                 ]

Controlled states (bristles) obey ``s = p + hh s'(q, v, s)`` with p known; they are eliminated symbolically.  Other states are
books and counters on which no force depends (a body's angle is corrected by its unit vector), so they stay outside.
"""

from flexmbd.equations import saddle
from flexmbd.language.results import part
from flexmbd.linalg.elimination import solve


def newton(problem):
    """Nodes of the correction.

    Run-time variables besides those of `Problem`: accelerations ``a0...``, multipliers ``l0...``, ``icm``, ``cd``, ``hh``, and
    ``p0...`` of the states.

    Parameters
    ----------
    problem : Problem

    Returns
    -------
    list of Node
        Corrections of the coordinates (n,) and of ``icm`` times the multipliers (rows,).
    dict int -> Node
        Corrections of the controlled states by index.
    """
    return corrected(problem, *equations(problem))


def _order(problem, rows, matrix):
    return saddle.order(problem, rows, () if problem.direct else saddle.cliques(matrix, problem.n))


def corrected(problem, matrix, side, states, order=_order, size=None):
    """Nodes of the solution of the equations, and of the states' corrections by it."""
    g, size = problem.graph, size or problem.n + len(problem.rows)
    (x,) = solve(g, matrix, [side], order(problem, problem.rows, matrix), symmetric=False)
    dx = part(x, 0, size, g.const(0.0))
    return dx, {k: constant + g.dot((c, dx[j]) for j, c in by.items()) for k, (constant, by) in states.items()}


def equations(problem):
    """Matrix by (i, j), right-hand side by i, and for each controlled state its correction as (constant, {j: by dq_j})."""
    matrix, side, states = balance(problem, groups=problem.row_groups)
    for k, row in saddle.singles(problem, problem.rows):
        problem.graph.mark()
        for i in row.polynomial.gradient(problem.q):
            matrix[problem.n + k, i] = matrix[i, problem.n + k]
        side[problem.n + k] = -row.polynomial.value(problem.q)
    saddle.reinforce(problem, matrix, [side], problem.rows, symmetric=False)
    return matrix, side, states


def by_place(problem, node, cd):
    """Derivatives of a node along ``dq_j`` with ``dv_j = cd dq_j``, by j."""
    g, out = problem.graph, {}
    indices = sorted({x.number for x in g.variables(node) if x.space in ("q", "v")})
    for j in indices:
        x = g.derivative(node, problem.q[j]) + cd * g.derivative(node, problem.v[j])
        if not x.zero:
            out[j] = x
    return out


def balance(problem, along=by_place, multiplier=None, groups=()):
    """The first n of the equations: balance of inertial, applied and constraint forces.

    `along` gives the derivatives of a node by unknown; multipliers begin at number `multiplier` of the unknowns (n if not given).
    """
    g, n = problem.graph, problem.n
    multiplier = n if multiplier is None else multiplier
    icm, cd, half = g.var("icm"), g.var("cd"), g.var("hh")
    states = _states(problem, cd, half, along)
    matrix, side = {}, {group: _of_group(group, icm) for group in groups}
    inertial = problem.inertia.apply(g.space("a").first(n))
    for i, force in enumerate(problem.generalized):
        g.mark()
        if force.zero and inertial[i].zero:
            side[i] = force
            continue
        row = along(problem, force if problem.inertia.constant else force - inertial[i], cd)
        for k, (constant, by) in states.items():
            slope = g.derivative(force, g.var("s", k))
            force = force + slope * constant
            for j, x in by.items():
                row[j] = row.get(j, g.const(0.0)) + slope * x
        for j, x in row.items():
            matrix[i, j] = -(icm * x)
        side[i] = force - inertial[i]
    for (i, j), m in problem.inertia.entries.items():
        g.mark()
        for ij in {(i, j), (j, i)}:
            matrix[ij] = m + matrix.get(ij, 0.0)
    matrix |= {group: _tangent(group, icm) for group in groups}
    for pool in problem.pools:
        matrix |= {part: _pooled(part, icm, cd) for part in pool.parts}
        inertial = pool.inertial(pool.variables("z"))
        side[pool] = [icm * (f - m) for f, m in zip(pool.share.force, inertial, strict=True)]
    for k, row in saddle.singles(problem, problem.rows) if groups else enumerate(problem.rows):
        g.mark()
        force = g.var("l", k)
        for i, x in row.polynomial.gradient(problem.q).items():
            matrix[i, multiplier + k] = x
            side[i] = side[i] - x * force
        for (i, j), x in row.polynomial.hessian().items():
            x = icm * force * x
            for ij in {(i, j), (j, i)}:
                matrix[ij] = matrix.get(ij, 0.0) + x
    for i in range(n):
        g.mark()
        side[i] = icm * side[i]
    return matrix, side, states


def _of_group(group, icm):
    """Right-hand side of one joint of a group."""
    g, x = group.graph, group.variables("x")
    force = group.side(-p.value(x) for p in group.polynomials)
    for k, p in enumerate(group.polynomials):
        for i, slope in p.gradient(x).items():
            force[i] = force[i] - slope * g.var("k", k)
    return [icm * f for f in force[: group.size]] + force[group.size :]


def _tangent(group, icm):
    """What one joint of a group adds to the matrix."""
    g, matrix = group.graph, group.gradients()
    for k, p in enumerate(group.polynomials):
        for (i, j), x in p.hessian().items():
            for ij in {(i, j), (j, i)}:
                matrix[ij] = matrix.get(ij, 0.0) + icm * g.var("k", k) * x
    return matrix


def _pooled(part, icm, cd):
    """What a part of one element of a pool adds to the matrix."""
    g, scale, matrix = part.graph, -(part.sign * icm), dict(part.mass)
    forces = part.force if part.constant else [f - m for f, m in zip(part.force, part.inertial(part.variables("z")), strict=True)]
    for i, force in enumerate(forces):
        for j, (x, y) in enumerate(zip(part.variables("x"), part.variables("y"), strict=True)):
            slope = scale * (g.derivative(force, x) + cd * g.derivative(force, y))
            if not slope.zero:
                matrix[i, j] = matrix.get((i, j), 0.0) + slope
    return matrix


def reinforce(problem, matrix, side, *, first=0, multiplier=None):
    """`saddle.reinforce` for rows whose entries are not the gradients of the constraint forces.

    The coordinates' equations begin at `first`, the rows at `multiplier` (n if not given).
    """
    multiplier, shifts = problem.n if multiplier is None else multiplier, {}
    saddle.reinforce(problem, shifts, [], problem.rows)
    for k, row in enumerate(problem.rows):
        across = {ij[1]: x for ij, x in matrix.items() if isinstance(ij, tuple) and ij[0] == multiplier + k}
        for i, x in row.polynomial.gradient(problem.q).items() if row.weight is not None else ():
            for j, y in across.items():
                matrix[first + i, j] = matrix.get((first + i, j), 0.0) + row.weight * (x * y)
            side[first + i] = side[first + i] + row.weight * (x * side[multiplier + k])
        if (problem.n + k, problem.n + k) in shifts:
            matrix[multiplier + k, multiplier + k] = shifts[problem.n + k, problem.n + k]


def _states(problem, cd, half, along):
    """Correction of each controlled state: residual of its own equation, and its share by the unknowns."""
    g, out = problem.graph, {}
    for k, state in enumerate(problem.states):
        if state.controlled:
            s, rate = g.var("s", k), state.rate
            scale = 1.0 / (1.0 - half * g.derivative(rate, s))
            constant = scale * (g.var("p", k) + half * rate - s)
            out[k] = constant, {j: scale * half * x for j, x in along(problem, rate, cd).items()}
    return out
