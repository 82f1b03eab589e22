"""Newton corrections of dependent coordinates by the rows, the independent ones held; which is which differs by lane.

With d = 1 for a dependent coordinate and 0 for an independent one, ``S = diag(d)``, the correction is::

    dq = S G' (G S G')^-1 (-Phi),    dv = S G' (G S G')^-1 (-dPhi/dt)

G S G' is the product of the square matrix of the dependent columns with its transpose: positive definite where the rows determine the
dependent coordinates, so that it needs no pivoting, whatever d is.
"""

from flexmbd.errors import ModelError
from flexmbd.linalg.elimination import elimination_order, factorise
from flexmbd.stepping.names import CLOSING, GRADIENTS


def partition_functions(problem):
    """Stores of functions by their entries of the table, and how many rows are kept: those of G.

    `CLOSING` gives in W the corrections dq (n) and dv (n) at a point, `GRADIENTS` the entries of G, row by row, but zeros.
    """
    if problem.shift:
        raise ModelError("integrator 'partitioning' needs independent constraint rows", remedy="take another with augmented constraints")
    g, n, rows = problem.graph, problem.n, range(len(problem.rows))
    dependent = g.space("dependent").first(n)
    gradients = [row.polynomial.gradient(problem.q) for row in problem.rows]
    matrix = {}
    for k in rows:
        for j in rows[: k + 1]:
            common = sorted(gradients[k].keys() & gradients[j].keys())
            if common:
                matrix[k, j] = g.dot((dependent[i] * gradients[k][i], gradients[j][i]) for i in common)
    factors = factorise(g, matrix, elimination_order(len(rows), matrix, [], g.tuning))
    place = factors.solve({k: -problem.rows[k].polynomial.value(problem.q) for k in rows})
    speed = factors.solve({k: -problem.rows[k].polynomial.rate(problem.q, problem.v, problem.time) for k in rows})
    corrections = []
    for x in (place, speed):
        total = [g.const(0.0)] * n
        for k in rows:
            for i, slope in gradients[k].items():
                total[i] = total[i] + slope * x[k]
        corrections += [d * total[i] for i, d in enumerate(dependent)]
    entries = [(("y", k * n + i), x) for k in rows for i, x in gradients[k].items()]
    return {CLOSING: [(("W", i), x) for i, x in enumerate(corrections)], GRADIENTS: entries}, n * len(rows)
