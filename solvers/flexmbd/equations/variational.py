"""Discrete equations of a variational integrator: those of the midpoint discrete Lagrangian, with rows at both ends of a step.

With ``L_d = h L((q0 + q1)/2, (q1 - q0)/h)``, qm and w the places and velocities of the middle, and the force F of the equations
``M a = F - G' l``, so that ``dL/dq = F + M' w`` with the rate M' of the masses, discrete Euler and Lagrange equations are::

    M(qm) w = p0 + (h/2) (F + M' w) - G(q0)' l,      Phi(q0 + h w, t1) = 0
    p1 = M(qm) w + (h/2) (F + M' w) - G(q1)' m,      p1 = M(q1) v1,    G(q1) v1 + Phi_t = 0

(Marsden and West 2001, Acta Numerica 10, 357-514: 2.3.1, and 3.5 for rows; Wendlandt and Marsden 1997, Physica D 106, 223-246.)  Forces
that have no potential are those of the middle at both ends (Lagrange and d'Alembert, 3.2).
"""

from dataclasses import replace

from flexmbd.equations.midpoint import replaced
from flexmbd.errors import ModelError
from flexmbd.language.results import part
from flexmbd.stepping.names import CLOSING, LINEARISE, RESPOND

NAME = "variational"


def variational_functions(problem):
    """Stores of functions by their entries of the table, and how many rows are kept: none.

    `LINEARISE` gives the momentum ``M v`` at a point in W. `RESPOND`, at the middle of a step, gives a correction of w there, that of a
    fixed-point iteration, and behind it the momentum at the step's end before rows act; it reads the momentum p0 as ``e`` and places q0 as
    ``o``. `CLOSING` gives velocities from momenta ``r`` at a point.

    Raises
    ------
    ModelError
        What it does not treat, by name.
    """
    _refuse(problem)
    g, n, half, zero = problem.graph, problem.n, problem.graph.var("step_share"), problem.graph.const(0.0)
    start, before, after = (g.space(name).first(n) for name in ("o", "e", "r"))
    momentum, growth = problem.inertia.apply(problem.v), _growth(problem)
    pushes = [half * (force + growth.get(i, zero)) for i, force in enumerate(problem.generalized)]
    end = [2.0 * q - o for q, o in zip(problem.q, start, strict=True)]
    gradients, side = {}, {i: p + push - m for i, (p, push, m) in enumerate(zip(before, pushes, momentum, strict=True))}
    closing, speeds = {}, dict(enumerate(after))
    for k, row in enumerate(problem.rows):
        g.mark()
        p = row.polynomial
        gradients |= {(i, n + k): replaced(g, x, problem.time, problem.time - half) for i, x in p.gradient(start).items()}
        side[n + k] = -0.5 * replaced(g, p.value(end), problem.time, problem.time + half) / half
        closing |= {(i, n + k): x for i, x in p.gradient(problem.q).items()}
        speeds[n + k] = -p.rate(problem.q, [zero] * n, problem.time)
    behind = replace(problem, q=tuple(start))  # where rows with a penalty take their gradients
    (change,) = problem.inertia.solve(behind, problem.rows, gradients, [side])
    (velocities,) = problem.inertia.solve(problem, problem.rows, closing, [speeds])
    pushed = [m + push for m, push in zip(momentum, pushes, strict=True)]

    def stored(*values):
        return [(("W", i), x + zero) for i, x in enumerate([x for group in values for x in group])]

    return {
        LINEARISE: stored(momentum), RESPOND: stored(part(change, 0, n, zero), pushed), CLOSING: stored(part(velocities, 0, n, zero)),
    }, 0  # fmt: skip


def _growth(problem):
    """M' v by coordinate: what turns of the masses make of the momentum."""
    if problem.inertia.constant:
        return {}
    found = {}
    for (i, k), slope in problem.inertia.slopes(problem.v).items():
        problem.graph.mark()
        found[i] = found.get(i, 0.0) + slope * problem.v[k]
    return found


def _refuse(problem):
    """Raise `ModelError` for what these equations do not have."""
    told, element, remedy = "", None, "take 'generalized_alpha', or 'gauss_8' for smooth motion"
    if problem.coupled:
        one = problem.coupled[0]
        element, told = one.element.name, f"{one.kind} '{one.element.name}' has {one.what}"
    elif problem.groups or problem.row_groups:
        told, remedy = (
            "many elements alike are written as a loop, which it has not",
            "give Tuning(single_elements=...) more, or another scheme",
        )
    elif problem.shift:
        told = "it needs independent constraint rows"
    elif not problem.inertia.constant and any(x.space == "t" for m in problem.inertia.entries.values() for x in problem.graph.variables(m)):
        told = "masses depend on time"
    elif odd := next((row for row in problem.rows if not row.polynomial.quadratic), None):
        element, told = odd.label.rpartition(".")[0], f"it needs quadratic constraint rows, and '{odd.label}' is not"
        remedy = "take formulation = 'natural', or 'gauss_8' for smooth motion"
    if told:
        raise ModelError(f"integrator '{NAME}': {told}", element=element, remedy=remedy)
