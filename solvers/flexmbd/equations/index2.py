"""One Newton correction of an implicit step on the index-2 equations: the rows hold as velocities.

The balance of forces is that of index 3; the rows are, scaled to be close to those of index 3::

    (G + (1/cd) (dPhi/dt)_q) dq = -(1/cd) dPhi/dt,    dPhi/dt = G v + Phi_t
"""

from flexmbd.equations.index3 import balance, by_place, corrected, reinforce


def newton_index2(problem):
    """Nodes of the correction; variables and results as for index 3."""
    g, n = problem.graph, problem.n
    matrix, side, states = balance(problem)
    cd = g.var("cd")
    for k, row in enumerate(problem.rows):
        rate = row.polynomial.rate(problem.q, problem.v, problem.time)
        for i, x in by_place(problem, rate, cd).items():
            matrix[n + k, i] = x / cd
        side[n + k] = -(rate / cd)
    reinforce(problem, matrix, side)
    return corrected(problem, matrix, side, states)
