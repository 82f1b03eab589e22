"""One Newton correction of an implicit step on the index-2 equations: the rows hold as velocities.

The balance of forces is that of index 3; the rows are, scaled to be close to those of index 3::

    (G + (1/c) (dPhi/dt)_q) dq = -(1/c) dPhi/dt,    dPhi/dt = G v + Phi_t
"""

from flexmbd.equations.index3 import by_place, newton_step, regularise, residual_and_jacobian


def newton_index2(problem):
    """Nodes of the correction; variables and results as for index 3."""
    g, n = problem.graph, problem.n
    matrix, side, states = residual_and_jacobian(problem)
    gamma_beta_h = g.var("gamma_beta_h")
    for k, row in enumerate(problem.rows):
        rate = row.polynomial.rate(problem.q, problem.v, problem.time)
        for i, x in by_place(problem, rate, gamma_beta_h).items():
            matrix[n + k, i] = x / gamma_beta_h
        side[n + k] = -(rate / gamma_beta_h)
    regularise(problem, matrix, side)
    return newton_step(problem, matrix, side, states)
