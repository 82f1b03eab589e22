"""One Newton correction of an implicit step on the stabilised index-2 equations of Gear, Gupta and Leimkuhler.

Positions are what accelerations make of them, and a shift e along the gradients with second multipliers m::

    M a + G' l = F,    M e + βh² G' m = 0,    Phi = 0,    dPhi/dt = G v + Phi_t = 0,    q = o + βh² a + e,    dv = c (dq - de)

(Gear, Gupta and Leimkuhler 1985, J. Comput. Appl. Math. 12-13, 77-90, with M-orthogonal instead of orthogonal shifts.)  The sum of both
balances, and the difference of both kinds of rows, leave two systems like that of index 3, coupled only by damping, the rows' curvature,
and the rate of the gradients::

    [ M - βh² (F_q + c F_v - sum (l + m) H)    βh² c F_v    G'   0  ] [ dq            ]
    [ βh² sum m H                              M            0    G' ] [ de            ]
    [ G                                        0            0    0  ] [ βh² (dl + dm) ]
    [ -(1/c) (dPhi/dt)_q                       G            0    0  ] [ βh² dm        ]
"""

from flexmbd.equations.index3 import by_place, newton_step, regularise, residual_and_jacobian
from flexmbd.equations.saddle import cliques, massless
from flexmbd.linalg.elimination import elimination_order


def newton_stabilised(problem):
    """Nodes of the correction; variables as for index 3, and ``o0...`` and second multipliers ``u0...``.

    Returns
    -------
    list of Node
        Corrections of the coordinates (n,), of ``beta_h2`` times both multipliers (rows, rows), and of the shifts (n,).
    dict int -> Node
        Corrections of the controlled states by index.
    """
    n, count = problem.n, len(problem.rows)
    matrix, side, states = equations_stabilised(problem)
    x, changes = newton_step(problem, matrix, side, states, _order, 2 * (n + count))
    dq, de, both, second = x[:n], x[n : 2 * n], x[2 * n : 2 * n + count], x[2 * n + count :]
    return [*dq, *(b - m for b, m in zip(both, second, strict=True)), *second, *de], changes


def equations_stabilised(problem):
    """Matrix, right-hand side and states as for index 3; the unknowns are those of the module's docstring."""
    g, n, count = problem.graph, problem.n, len(problem.rows)
    beta_h2, gamma_beta_h = g.var("beta_h2"), g.var("gamma_beta_h")
    matrix, side, states = residual_and_jacobian(problem, _along, 2 * n)
    shift = [q - g.var("o", i) - beta_h2 * g.var("a", i) for i, q in enumerate(problem.q)]
    stretch = problem.inertia.apply(shift)
    for (i, j), x in problem.inertia.slopes(shift).items():
        matrix[i, j] = matrix.get((i, j), 0.0) + x
        matrix[n + i, j] = x
    single, placed = problem.inertia.numbers(n)
    for (i, j), x in single.items():
        matrix[n + i, n + j] = matrix[n + j, n + i] = x
    matrix |= placed
    for k, row in enumerate(problem.rows):
        p, first, second, multiplier = row.polynomial, 2 * n + k, 2 * n + count + k, beta_h2 * g.var("u", k)
        for i, x in p.gradient(problem.q).items():
            matrix[n + i, second] = matrix[second, n + i] = matrix[first, i] = x
            stretch[i] = stretch[i] + x * multiplier
        for (i, j), x in p.hessian().items():
            for a, b in {(i, j), (j, i)}:
                matrix[a, b] = matrix.get((a, b), 0.0) + multiplier * x
                matrix[n + a, b] = matrix.get((n + a, b), 0.0) + multiplier * x
        rate, value = p.rate(problem.q, problem.v, problem.time), p.value(problem.q)
        for i in p.indices:
            slope = g.derivative(rate, problem.q[i])
            if not slope.zero:
                matrix[second, i] = -(slope / gamma_beta_h)
        side[first], side[second] = -value, rate / gamma_beta_h - value
    for i, x in enumerate(stretch):
        side[i], side[n + i] = side[i] - x, -x
    for group in problem.groups:
        _add_shifts(group, matrix[group], side[group], beta_h2)
        for part in group.parts:
            _add_damping(part, matrix[part], beta_h2 * gamma_beta_h)
    regularise(problem, matrix, side, multiplier=2 * n)
    regularise(problem, matrix, side, first=n, multiplier=2 * n + count)
    return matrix, side, states


def _add_shifts(group, matrix, side, beta_h2):
    """The shifts' share of what one element adds; their unknowns follow the element's coordinates."""
    m = group.size
    old, stretch = group.variables("b"), []
    for x, o, a in zip(group.variables("x"), old, group.variables("z"), strict=True):
        stretch.append(x - o - beta_h2 * a)
    for (i, j), x in group.slopes(stretch).items():
        matrix[i, j] = matrix.get((i, j), 0.0) + x
        matrix[m + i, j] = x
    for i, x in enumerate(group.inertial(stretch)):
        side[i] = side[i] - x
        side.append(-x)
    for (i, j), x in group.mass.items():
        matrix[m + i, m + j] = x


def _add_damping(part, matrix, scale):
    """Derivatives of a part's forces by rates, for the shifts."""
    for i, force in enumerate(part.force):
        for j, y in enumerate(part.variables("y"), part.size):
            slope = part.graph.derivative(force, y)
            if not slope.zero:
                matrix[i, j] = part.sign * scale * slope


def _along(problem, node, gamma_beta_h):
    """Derivatives of a node along ``dq_j`` and, by n + j, ``de_j``."""
    out = by_place(problem, node, gamma_beta_h)
    for j, x in problem.graph.slopes(node, problem.v):
        out[problem.n + j] = -(gamma_beta_h * x)
    return out


def _order(problem, rows, matrix):
    """Elimination order in which a multiplier waits for the coordinates, or shifts, of its row."""
    if problem.direct:
        return None
    n = problem.n
    neighbours = cliques(matrix, 2 * n)
    members = [{first + i for i in row.polynomial.indices} for first in (0, n) for row in rows]
    light = {first + i for first in (0, n) for i in massless(problem, rows)}
    return elimination_order(2 * n, neighbours, members, problem.graph.tuning, light)
