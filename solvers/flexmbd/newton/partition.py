"""Newton corrections of dependent coordinates by the rows, the independent ones held; which is which differs by lane.

With d = 1 for a dependent coordinate and 0 for an independent one, ``S = diag(d)``, the correction is::

    dq = S G' (G S G')^-1 (-Phi),    dv = S G' (G S G')^-1 (-dPhi/dt)

G S G' is the product of the square matrix of the dependent columns with its transpose: positive definite where the rows determine the
dependent coordinates, so that it needs no pivoting, whatever d is.
"""

from flexmbd.errors import ModelError
from flexmbd.linalg.elimination import elimination_order, factorise


def partition_functions(build):
    """Functions of the generated module: name -> (arguments, stores); and that no rows are kept.

    ``closing(t, q, v, d, P, U, w)`` gives in w the corrections dq (n) and dv (n); ``gradients(t, q, P, U, J)`` the entries of G, row by
    row, but zeros.
    """
    if build.shift:
        raise ModelError("integrator 'partitioning' needs independent constraint rows", remedy="take another with augmented constraints")
    g, n, rows = build.graph, build.n, range(len(build.rows))
    dependent = [g.var(f"d{i}") for i in range(n)]
    gradients = [row.polynomial.gradient(build.q) for row in build.rows]
    matrix = {}
    for k in rows:
        for j in rows[: k + 1]:
            common = sorted(gradients[k].keys() & gradients[j].keys())
            if common:
                matrix[k, j] = g.dot((dependent[i] * gradients[k][i], gradients[j][i]) for i in common)
    factors = factorise(g, matrix, elimination_order(len(rows), matrix, [], g.tuning))
    place = factors.solve({k: -build.rows[k].polynomial.value(build.q) for k in rows})
    speed = factors.solve({k: -build.rows[k].polynomial.rate(build.q, build.v, build.time) for k in rows})
    corrections = []
    for x in (place, speed):
        total = [g.const(0.0)] * n
        for k in rows:
            for i, slope in gradients[k].items():
                total[i] = total[i] + slope * x[k]
        corrections += [d * total[i] for i, d in enumerate(dependent)]
    entries = [(f"st(J, {k * n + i}, {{}})", x) for k in rows for i, x in gradients[k].items()]
    return {
        "closing": ("t, q, v, d, P, U, w", [(f"st(w, {i}, {{}})", x) for i, x in enumerate(corrections)]),
        "gradients": ("t, q, P, U, J", entries),
    }, 0
