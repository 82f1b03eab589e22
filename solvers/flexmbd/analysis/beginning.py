"""The start of one sample: guesses that are assembled, by what costs the least kinetic energy, as `run` does it for many."""

from functools import partial

import numpy as np
from scipy.sparse import csr_array

from flexmbd.analysis.derivatives import gradients, values
from flexmbd.equations.assembly import assembled
from flexmbd.equations.start import Start
from flexmbd.equations.start_words import Changes
from flexmbd.errors import ModelError
from flexmbd.linalg.saddle import Saddle

SLIGHT = 1e-12  # share of what has no mass, and of rows that depend on others


def beginning(equations, t):
    """Coordinates and velocities (n,) of the start at a time (s), and what of the guess was changed, as attributes of a run.

    Raises
    ------
    ModelError
        If rows stay open, by name, or what is fixed at the start cannot stay.
    """
    e, problem = equations, equations.problem
    which = problem.rows + problem.initial_rows
    rows = e.table.add("start", lambda: values(problem, which), "a constraint", known={"q": gradients(problem, which)})

    def open_rows(q):
        return rows.value(e.at(q, t=t)), csr_array(rows.by(e.at(q, t=t), "q"))

    start, guess = Start(problem, e.system, 1, t), tuple(np.array(x, float)[:, None] for x in problem.initial(e.system))
    q, v = start.places(guess[0])[:, 0], guess[1][:, 0]
    turning = np.array([measure == "angle" for measure in e.measures], bool)
    q = assembled(open_rows, partial(orthogonal, e), q, turning)
    gaps, jacobian = open_rows(q)
    gaps, (_, scale) = np.abs(gaps), e.scaled(jacobian)
    if not np.all(scale * gaps < 1e-9):
        worst = [f"{which[k].label} (by {gaps[k]:.3g})" for k in np.argsort(-scale * gaps)[:4]]
        raise ModelError(
            f"the system cannot be assembled: these constraints stay open: {', '.join(worst)}",
            remedy="check lengths and the guess of positions and angles",
        )
    drift = rows.by_time(e.at(q, t=t))
    for _ in range(2):
        v = v + orthogonal(e, q, jacobian, -(jacobian @ v + drift))
    v = start.velocities(guess, q[:, None], v[:, None])[:, 0]
    changes = Changes(start, (q[:, None], v[:, None]), e.size)
    changes.refuse()
    return q, v, changes.said()


def orthogonal(equations, q, jacobian, side):
    """Smallest x, by kinetic energy at q, with ``jacobian x = side``; rows that depend on others do no harm."""
    return Saddle(equations.mass_at(q), jacobian, columns=equations.weights, share=SLIGHT).least(side)
