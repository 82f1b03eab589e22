"""One Newton correction of the midpoint rule whose rows hold at the step's end.

Unknown is the state in the middle of the step, with ``βh² = h^2/4``, ``c = 2/h``, ``τ = h/2``; the balance of forces there is that of
index 3, where elements offer them with forces that conserve energy over the step (`Problem.discrete_gradients`).  Rows are those of the end
``q1 = 2 q - q0`` at ``t + τ``: ``G(q1) dq = -Phi(q1)/2``.  So constraint forces act along ``G(q)'``, whose product with ``q1 - q0`` is
the change of Phi, because Phi is quadratic.
"""

from dataclasses import replace

from flexmbd.equations.index3 import newton_step, regularise, residual_and_jacobian
from flexmbd.errors import ModelError
from flexmbd.language.tracing import substitute


def newton_midpoint(problem):
    """Nodes of the correction; variables and results as for index 3, and ``o0...`` are the coordinates at the step's start.

    Raises
    ------
    ModelError
        If a row is not quadratic, or the mass matrix not constant.
    """
    problem.need_constant_mass("integrator 'energy_momentum'")
    g, n = problem.graph, problem.n
    for row in problem.rows:
        if not row.polynomial.quadratic:
            raise ModelError(
                f"integrator 'energy_momentum' needs quadratic constraint rows, and '{row.label}' is not",
                element=row.label.rpartition(".")[0],
                remedy="take 'generalized_alpha' or 'ggl'",
            )
    forces = substitute(g, problem.generalized, problem.discrete_gradients)
    groups = [group.under(substitute(g, group.element.force, group.element.discrete_gradients)) for group in problem.groups]
    matrix, side, states = residual_and_jacobian(replace(problem, generalized=forces, groups=groups))
    end, half = [2.0 * q - g.var("o", i) for i, q in enumerate(problem.q)], g.var("step_share")

    def closing(node):
        return replaced(g, node, problem.time, problem.time + half)

    for k, row in enumerate(problem.rows):
        for i, x in row.polynomial.gradient(end).items():
            matrix[n + k, i] = closing(x)
        side[n + k] = -0.5 * closing(row.polynomial.value(end))
    regularise(problem, matrix, side)
    return newton_step(problem, matrix, side, states)


def replaced(graph, node, old, new):
    """The node with another node in place of the variable `old`."""
    return substitute(graph, [node], {old: new})[0]
