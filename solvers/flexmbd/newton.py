"""One Newton correction of an implicit step on the index-3 equations, as graph nodes.

With ``dq = icm da`` and ``dv = cd dq`` (both from the scheme), and scaled by `icm` so that its condition does not depend
on the step (Bottasso, Bauchau and Cardona 2007, J. Comput. Nonlinear Dyn. 2, 199-209)::

    [ M - icm (F_q + cd F_v) + icm sum_k l_k H_k   G' ] [ dq       ]   [ icm (F - M a - G' l) ]
    [ G                                            0  ] [ icm dl   ] = [ -Phi                 ]

Controlled states (bristles) obey ``s = p + hh s'(q, v, s)`` with p known; they are eliminated symbolically.  Other states are
books and counters on which no force depends (a body's angle is corrected by its unit vector), so they stay outside.
"""

from flexmbd.linalg.elimination import solve


def newton(build):
    """Nodes of the correction.

    Run-time variables besides those of `Build`: accelerations ``a0...``, multipliers ``l0...``, ``icm``, ``cd``, ``hh``, and
    ``p0...`` of the states.

    Parameters
    ----------
    build : Build

    Returns
    -------
    list of Node
        Corrections of the coordinates (n,) and of ``icm`` times the multipliers (rows,).
    dict int -> Node
        Corrections of the controlled states by index.
    """
    matrix, side, states = equations(build)
    g, n, count = build.graph, build.n, len(build.rows)
    (x,) = solve(g, matrix, [side], build.order(build.rows, matrix), symmetric=False)
    dx = [x.get(i, g.const(0.0)) for i in range(n + count)]
    return dx, {k: constant + g.dot((c, dx[j]) for j, c in by.items()) for k, (constant, by) in states.items()}


def equations(build):
    """Matrix by (i, j), right-hand side by i, and for each controlled state its correction as (constant, {j: by dq_j})."""
    g, n = build.graph, build.n
    icm, cd, half = g.var("icm"), g.var("cd"), g.var("hh")
    states = _states(build, cd, half)
    matrix, side = {}, {}
    inertial = build.inertial([g.var(f"a{i}") for i in range(n)])
    for i, force in enumerate(build.generalized):
        row = by_place(build, force, cd)
        for k, (constant, by) in states.items():
            slope = g.derivative(force, g.var(f"s{k}"))
            force = force + slope * constant
            for j, x in by.items():
                row[j] = row.get(j, g.const(0.0)) + slope * x
        for j, x in row.items():
            matrix[i, j] = -(icm * x)
        side[i] = force - inertial[i]
    for (i, j), m in build.mass.items():
        for ij in {(i, j), (j, i)}:
            matrix[ij] = m + matrix.get(ij, 0.0)
    for k, row in enumerate(build.rows):
        multiplier = g.var(f"l{k}")
        for i, x in row.polynomial.gradient(build.q).items():
            matrix[i, n + k] = matrix[n + k, i] = x
            side[i] = side[i] - x * multiplier
        for (i, j), x in row.polynomial.hessian().items():
            x = icm * multiplier * x
            for ij in {(i, j), (j, i)}:
                matrix[ij] = matrix.get(ij, 0.0) + x
        side[n + k] = -row.polynomial.value(build.q)
    for i in range(n):
        side[i] = icm * side[i]
    build.reinforce(matrix, [side], build.rows, symmetric=False)
    return matrix, side, states


def by_place(build, node, cd):
    """Derivatives of a node along ``dq_j`` with ``dv_j = cd dq_j``, by j."""
    g, out = build.graph, {}
    indices = sorted({int(name[1:]) for name in g.variables(node) if name[0] in "qv" and name[1:].isdigit()})
    for j in indices:
        x = g.derivative(node, build.q[j]) + cd * g.derivative(node, build.v[j])
        if not x.zero:
            out[j] = x
    return out


def _states(build, cd, half):
    """Correction of each controlled state: residual of its own equation, and its share by the coordinates."""
    g, out = build.graph, {}
    for k, state in enumerate(build.states):
        if state["controlled"]:
            s, rate = g.var(f"s{k}"), state["rate"]
            scale = 1.0 / (1.0 - half * g.derivative(rate, s))
            constant = scale * (g.var(f"p{k}") + half * rate - s)
            out[k] = constant, {j: scale * half * x for j, x in by_place(build, rate, cd).items()}
    return out
