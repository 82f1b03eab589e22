"""One Newton correction of an implicit step on the stabilised index-2 equations of Gear, Gupta and Leimkuhler.

Positions are what accelerations make of them, and a shift e along the gradients with second multipliers m::

    M a + G' l = F,    M e + icm G' m = 0,    Phi = 0,    dPhi/dt = G v + Phi_t = 0,    q = o + icm a + e,    dv = cd (dq - de)

(Gear, Gupta and Leimkuhler 1985, J. Comput. Appl. Math. 12-13, 77-90, with M-orthogonal instead of orthogonal shifts.)  The sum of both
balances, and the difference of both kinds of rows, leave two systems like that of index 3, coupled only by damping, the rows' curvature,
and the rate of the gradients::

    [ M - icm (F_q + cd F_v - sum (l + m) H)   icm cd F_v   G'   0  ] [ dq            ]
    [ icm sum m H                              M            0    G' ] [ de            ]
    [ G                                        0            0    0  ] [ icm (dl + dm) ]
    [ -(1/cd) (dPhi/dt)_q                      G            0    0  ] [ icm dm        ]
"""

from flexmbd.equations.index3 import balance, by_place, corrected, reinforce
from flexmbd.equations.saddle import cliques, massless
from flexmbd.linalg.elimination import elimination_order


def newton_stabilised(problem):
    """Nodes of the correction; variables as for index 3, and ``o0...`` and second multipliers ``u0...``.

    Returns
    -------
    list of Node
        Corrections of the coordinates (n,), of ``icm`` times both multipliers (rows, rows), and of the shifts (n,).
    dict int -> Node
        Corrections of the controlled states by index.
    """
    n, count = problem.n, len(problem.rows)
    matrix, side, states = equations_stabilised(problem)
    x, changes = corrected(problem, matrix, side, states, _order, 2 * (n + count))
    dq, de, both, second = x[:n], x[n : 2 * n], x[2 * n : 2 * n + count], x[2 * n + count :]
    return [*dq, *(b - m for b, m in zip(both, second, strict=True)), *second, *de], changes


def equations_stabilised(problem):
    """Matrix, right-hand side and states as for index 3; the unknowns are those of the module's docstring."""
    g, n, count = problem.graph, problem.n, len(problem.rows)
    icm, cd = g.var("icm"), g.var("cd")
    matrix, side, states = balance(problem, _along, 2 * n)
    shift = [q - g.var("o", i) - icm * g.var("a", i) for i, q in enumerate(problem.q)]
    stretch = problem.inertia.apply(shift)
    for (i, j), x in problem.inertia.slopes(shift).items():
        matrix[i, j] = matrix.get((i, j), 0.0) + x
        matrix[n + i, j] = x
    for (i, j), x in problem.inertia.entries.items():
        matrix[n + i, n + j] = matrix[n + j, n + i] = x
    for k, row in enumerate(problem.rows):
        p, first, second, multiplier = row.polynomial, 2 * n + k, 2 * n + count + k, icm * g.var("u", k)
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
                matrix[second, i] = -(slope / cd)
        side[first], side[second] = -value, rate / cd - value
    for i, x in enumerate(stretch):
        side[i], side[n + i] = side[i] - x, -x
    for pool in problem.pools:
        _add_shifts(pool, matrix[pool], side[pool], icm)
        for part in pool.parts:
            _add_damping(part, matrix[part], icm * cd)
    reinforce(problem, matrix, side, multiplier=2 * n)
    reinforce(problem, matrix, side, first=n, multiplier=2 * n + count)
    return matrix, side, states


def _add_shifts(pool, matrix, side, icm):
    """The shifts' share of what one element adds; their unknowns follow the element's coordinates."""
    m = pool.size
    old, stretch = pool.variables("b"), []
    for x, o, a in zip(pool.variables("x"), old, pool.variables("z"), strict=True):
        stretch.append(x - o - icm * a)
    for (i, j), x in pool.slopes(stretch).items():
        matrix[i, j] = matrix.get((i, j), 0.0) + x
        matrix[m + i, j] = x
    for i, x in enumerate(pool.inertial(stretch)):
        side[i] = side[i] - x
        side.append(-x)
    for (i, j), x in pool.mass.items():
        matrix[m + i, m + j] = x


def _add_damping(part, matrix, scale):
    """Derivatives of a part's forces by rates, for the shifts."""
    for i, force in enumerate(part.force):
        for j, y in enumerate(part.variables("y"), part.size):
            slope = part.graph.derivative(force, y)
            if not slope.zero:
                matrix[i, j] = part.sign * scale * slope


def _along(problem, node, cd):
    """Derivatives of a node along ``dq_j`` and, by n + j, ``de_j``."""
    out = by_place(problem, node, cd)
    for j, x in problem.graph.slopes(node, problem.v):
        out[problem.n + j] = -(cd * x)
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
