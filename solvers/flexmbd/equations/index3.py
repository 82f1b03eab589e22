"""One Newton correction of an implicit step on the index-3 equations, as graph nodes.

With ``dq = βh² da`` and ``dv = c dq`` (`beta_h2` and `gamma_beta_h` of the scheme), and scaled by βh² so that its condition does not depend
on the step (Bottasso, Bauchau and Cardona 2007, J. Comput. Nonlinear Dyn. 2, 199-209)::

    [ M - βh² ((F - M a)_q + c F_v) + βh² sum_k l_k H_k    G' ] [ dq     ]   [ βh² (F - M a - G' l) ]
    [ G                                                    0  ] [ βh² dl ] = [ -Phi                 ]

Controlled states (bristles) obey ``s = p + τ s'(q, v, s)`` with p known; they are eliminated symbolically.  Other states are
books and counters on which no force depends (a body's angle is corrected by its unit vector), so they stay outside.
"""

from flexmbd.equations import saddle
from flexmbd.language.kinds import ADD, MUL, NEG, PRODUCT, RESULT, SUB, VARIABLE
from flexmbd.language.product import Placed
from flexmbd.language.results import part
from flexmbd.linalg.elimination import solve
from flexmbd.parameters import RUNTIME


def newton(problem):
    """Nodes of the correction.

    Run-time variables besides those of `Problem`: accelerations ``a0...``, multipliers ``l0...``, ``beta_h2``, ``gamma_beta_h``,
    ``step_share``, and ``p0...`` of the states.

    Parameters
    ----------
    problem : Problem

    Returns
    -------
    list of Node
        Corrections of the coordinates (n,) and of ``beta_h2`` times the multipliers (rows,).
    dict int -> Node
        Corrections of the controlled states by index.
    """
    return newton_step(problem, *newton_equations(problem))


def _order(problem, rows, matrix):
    return saddle.order(problem, rows, () if problem.direct else saddle.cliques(matrix, problem.n))


def newton_step(problem, matrix, side, states, order=_order, size=None):
    """Nodes of the solution of the equations, and of the states' corrections by it."""
    g, size = problem.graph, size or problem.n + len(problem.rows)
    (x,) = solve(g, matrix, [side], order(problem, problem.rows, matrix), symmetric=False)
    dx = part(x, 0, size, g.const(0.0))
    return dx, {k: constant + g.dot((c, dx[j]) for j, c in by.items()) for k, (constant, by) in states.items()}


def newton_equations(problem):
    """Matrix by (i, j), right-hand side by i, and for each controlled state its correction as (constant, {j: by dq_j})."""
    matrix, side, states = residual_and_jacobian(problem, groups=problem.row_groups)
    for k, row in saddle.singles(problem, problem.rows):
        problem.graph.mark()
        for i in row.polynomial.gradient(problem.q):
            matrix[problem.n + k, i] = matrix[i, problem.n + k]
        side[problem.n + k] = -row.polynomial.value(problem.q)
    saddle.regularise(problem, matrix, [side], problem.rows, symmetric=False)
    return matrix, side, states


def by_place(problem, node, gamma_beta_h):
    """Derivatives of a node along ``dq_j`` with ``dv_j = c dq_j``, by j."""
    g, out = problem.graph, {}
    indices = sorted({x.number for x in g.variables(node) if x.space in ("q", "v")})
    for j in indices:
        x = g.derivative(node, problem.q[j]) + gamma_beta_h * g.derivative(node, problem.v[j])
        if not x.zero:
            out[j] = x
    return out


def residual_and_jacobian(problem, along=by_place, multiplier=None, groups=()):
    """The first n of the equations: balance of inertial, applied and constraint forces.

    `along` gives the derivatives of a node by unknown; multipliers begin at number `multiplier` of the unknowns (n if not given).
    """
    g, n = problem.graph, problem.n
    multiplier = n if multiplier is None else multiplier
    beta_h2, gamma_beta_h, half = g.var("beta_h2"), g.var("gamma_beta_h"), g.var("step_share")
    states = _states(problem, gamma_beta_h, half, along)
    matrix, side = {}, {group: _of_group(group, beta_h2) for group in groups}
    inertial, products = problem.inertia.apply(g.space("a").first(n)), {}
    multiplied = any(x.kind is PRODUCT for x in g.needed(problem.generalized))
    for i, force in enumerate(problem.generalized):
        g.mark()
        if force.zero and inertial[i].zero:
            side[i] = force
            continue
        single = _less_products(g, force, i, products) if multiplied else force
        row = along(problem, single if problem.inertia.constant else single - inertial[i], gamma_beta_h)
        for k, (constant, by) in states.items():
            slope = g.derivative(force, g.var("s", k))
            force = force + slope * constant
            for j, x in by.items():
                row[j] = row.get(j, g.const(0.0)) + slope * x
        for j, x in row.items():
            matrix[i, j] = -(beta_h2 * x)
        side[i] = force - inertial[i]
    single, placed = problem.inertia.numbers()
    for (i, j), m in single.items():
        g.mark()
        for ij in {(i, j), (j, i)}:
            matrix[ij] = m + matrix.get(ij, 0.0)
    matrix |= placed
    for (node, factor), rows in products.items():
        matrix |= _placed(problem, node, -(beta_h2 * factor), rows, lambda x: along(problem, x, gamma_beta_h))
    matrix |= {group: _tangent(group, beta_h2) for group in groups}
    for group in problem.groups:
        matrix |= {part: _grouped(part, beta_h2, gamma_beta_h) for part in group.parts}
        inertial = group.inertial(group.variables("z"))
        side[group] = [beta_h2 * (f - m) for f, m in zip(group.element.force, inertial, strict=True)]
    for k, row in saddle.singles(problem, problem.rows) if groups else enumerate(problem.rows):
        g.mark()
        force = g.var("l", k)
        for i, x in row.polynomial.gradient(problem.q).items():
            matrix[i, multiplier + k] = x
            side[i] = side[i] - x * force
        for (i, j), x in row.polynomial.hessian().items():
            x = beta_h2 * force * x
            for ij in {(i, j), (j, i)}:
                matrix[ij] = matrix.get(ij, 0.0) + x
    for i in range(n):
        if not side[i].zero:
            g.mark()
            side[i] = beta_h2 * side[i]
    return matrix, side, states


def _less_products(graph, force, i, products):
    """A sum less its terms that are a number times a row of a matrix's product with coordinates or rates.

    They go to `products`: by product and number, i by row.
    """
    left, terms, whole = [], [(force, graph.const(1.0))], True
    while terms:
        x, factor = terms.pop()
        first, number = x.args[0] if x.args else None, next((a for a in x.args if a.level < RUNTIME), None)
        if x.kind is NEG:
            terms.append((first, -factor))
        elif x.kind in (ADD, SUB):
            terms += [(x.args[1], -factor if x.kind is SUB else factor), (first, factor)]
        elif x.kind is MUL and number is not None:
            terms.append((x.args[first is number], factor * number))
        elif x.kind is RESULT and _of_coordinates(first) and x.value not in products.get((first, factor), ()):
            products.setdefault((first, factor), {})[x.value] = i
            whole = False
        else:
            left.append((x, factor))
    return force if whole else graph.dot(left)


def _of_coordinates(node):
    """Whether a node is a product of a matrix of numbers with coordinates themselves, or with rates: all have the same derivatives."""
    if node.kind is not PRODUCT or any(x.kind is not VARIABLE for x in node.args):
        return False
    return {x.value.space for x in node.args} in ({"q"}, {"v"})


def _placed(problem, node, scale, rows, along):
    """A product's part of Newton's matrix: i by row of the product, and derivatives of each coordinate or rate by unknown."""
    matrix, found = node.value[0], {}
    for columns in zip(*(along(x).items() for x in node.args), strict=True):
        unknowns, slopes = zip(*columns, strict=True)
        found[Placed(matrix, tuple(rows.get(k) for k in range(matrix.shape[0])), unknowns)] = scale * slopes[0]
    return found


def _of_group(group, beta_h2):
    """Right-hand side of one joint of a group."""
    g, x = group.graph, group.variables("x")
    force = group.side(-p.value(x) for p in group.polynomials)
    for k, p in enumerate(group.polynomials):
        for i, slope in p.gradient(x).items():
            force[i] = force[i] - slope * g.var("k", k)
    return [beta_h2 * f for f in force[: group.size]] + force[group.size :]


def _tangent(group, beta_h2):
    """What one joint of a group adds to the matrix."""
    g, matrix = group.graph, group.gradients()
    for k, p in enumerate(group.polynomials):
        for (i, j), x in p.hessian().items():
            for ij in {(i, j), (j, i)}:
                matrix[ij] = matrix.get(ij, 0.0) + beta_h2 * g.var("k", k) * x
    return matrix


def _grouped(part, beta_h2, gamma_beta_h):
    """What a part of one element of a group adds to the matrix."""
    g, scale, matrix = part.graph, -(part.sign * beta_h2), dict(part.mass)
    forces = part.force if part.constant else [f - m for f, m in zip(part.force, part.inertial(part.variables("z")), strict=True)]
    for i, force in enumerate(forces):
        for j, (x, y) in enumerate(zip(part.variables("x"), part.variables("y"), strict=True)):
            slope = scale * (g.derivative(force, x) + gamma_beta_h * g.derivative(force, y))
            if not slope.zero:
                matrix[i, j] = matrix.get((i, j), 0.0) + slope
    return matrix


def regularise(problem, matrix, side, *, first=0, multiplier=None):
    """`saddle.regularise` for rows whose entries are not the gradients of the constraint forces.

    The coordinates' equations begin at `first`, the rows at `multiplier` (n if not given).
    """
    multiplier, shifts = problem.n if multiplier is None else multiplier, {}
    saddle.regularise(problem, shifts, [], problem.rows)
    for k, row in enumerate(problem.rows):
        across = {ij[1]: x for ij, x in matrix.items() if isinstance(ij, tuple) and ij[0] == multiplier + k}
        for i, x in row.polynomial.gradient(problem.q).items() if row.penalty is not None else ():
            for j, y in across.items():
                matrix[first + i, j] = matrix.get((first + i, j), 0.0) + row.penalty * (x * y)
            side[first + i] = side[first + i] + row.penalty * (x * side[multiplier + k])
        if (problem.n + k, problem.n + k) in shifts:
            matrix[multiplier + k, multiplier + k] = shifts[problem.n + k, problem.n + k]


def _states(problem, gamma_beta_h, half, along):
    """Correction of each controlled state: residual of its own equation, and its share by the unknowns."""
    g, out = problem.graph, {}
    for k, state in enumerate(problem.states):
        if state.controlled:
            s, rate = g.var("s", k), state.rate
            scale = 1.0 / (1.0 - half * g.derivative(rate, s))
            constant = scale * (g.var("p", k) + half * rate - s)
            out[k] = constant, {j: scale * half * x for j, x in along(problem, rate, gamma_beta_h).items()}
    return out
