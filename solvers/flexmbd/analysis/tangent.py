"""The linearised equations of equilibrium at a state, factored; and what is wrong with them when they are singular.

With ``K = -dF/dq + sum_k l_k H_k``, ``G = dPhi/dq``, in the coordinates' weights (`Equations.weights`; see `linalg.saddle`)::

    [ K   G' ] [ dq ]   [ F - G' l ]
    [ G   0  ] [ dl ] = [ -Phi     ]
"""

from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from flexmbd.linalg.saddle import Saddle, Singular


class Tangent:
    """Residual and factored matrix at a `State`.

    Parameters
    ----------
    equations : Equations
    state : State
    border : tuple of (ndarray (n,), float), optional
        Row over the coordinates and the time; with it the time is an unknown too.
    resistance : ndarray (n,), optional
        Added to the diagonal of the stiffness.
    factored : bool
        Factors are needed, so it must not be singular.
    """

    def __init__(self, equations, state, border=None, resistance=None, *, factored=True):
        e, q, t, turns, multipliers = equations, state.q, state.t, state.turns, state.multipliers
        self.equations, self.state = e, state
        self.n, self.count = e.n, e.count
        self.K = e.stiffness(q, None, t, turns), e.curvature(q, multipliers, t)  # apart, because each has a fixed pattern
        self.G = e.jacobian(q, t)
        force = e.force(q, None, t, turns)
        self.residual = force - self.G.T @ multipliers, -e.constraints(q, t)
        eps = np.finfo(float).eps
        self.rounding = 16 * eps * (sum(abs(part) @ np.abs(q) for part in self.K) + abs(self.G.T) @ np.abs(multipliers) + np.abs(force))
        if border is not None:
            row, by_time = border
            border = row, *(-x for x in self.load), by_time
        diagonal = np.zeros(e.n) if resistance is None else resistance
        A = *self.K, csr_array((diagonal, np.arange(e.n), np.arange(e.n + 1)))
        self.saddle = Saddle(A, self.G, columns=e.weights, border=border, solver=e.solver, analyses=e.analyses)
        if factored:
            self.saddle.factorise()

    def solve(self, force, rows, last=None):
        """Changes of coordinates, multipliers (and time, with a border) for right-hand sides of forces, rows (and border)."""
        return self.saddle.solve(force, rows, last)

    @property
    def at_rounding(self):
        """True if every residual is below what rounding makes of its parts."""
        rows, eps = np.abs(self.residual[1]), np.finfo(float).eps
        closed = (rows * self.saddle.rows < 1e-13) | (rows <= 16 * eps * (abs(self.G) @ np.abs(self.state.q)))
        return bool(np.all(closed) and np.all(np.abs(self.residual[0]) <= self.rounding))

    @cached_property
    def load(self):
        """Derivative of the residual by time: forces and rows."""
        e, s = self.equations, self.state
        force = e.force_rate(s.q, None, s.t, s.turns) - e.jacobian_rate(s.q, s.t).T @ s.multipliers
        return force, -e.constraints_rate(s.q, s.t)

    @property
    def sign(self):
        """Sign of the determinant."""
        return self.saddle.factors.sign


def free_motion(equations, state):
    """Sentence that names what can move without a force, or what rows depend on others, where the tangent is singular."""
    e = equations
    try:
        loose = Tangent(e, state, factored=False).saddle.loose()
    except (ValueError, FloatingPointError):
        return "it is not finite"
    return words(e, loose)


def words(equations, loose, without="a force"):
    """The sentence, from the shares of coordinates and rows (`Saddle.loose`)."""
    if loose is None:
        return "it is not finite"
    e = equations
    moving = [e.coordinates[i] for i in np.flatnonzero(loose[0] > 0.1)]
    if moving:
        unnamed = {body.name for body in e.system.bodies if not body.named}
        moving = [name for name in moving if name.partition("[")[0] not in unnamed] or moving
        bodies = list(dict.fromkeys(name.partition("[")[0] for name in moving))
        return f"{_list(bodies, 'body', 'bodies')} can move without {without} (coordinates {', '.join(moving[:8])})"
    rows = [e.rows[k] for k in np.flatnonzero(loose[1] > 0.1)]
    return f"the constraints {', '.join(rows[:8])} depend on each other"


def _list(names, one, many):
    shown = ", ".join(f"'{name}'" for name in names[:8])
    return f"{one} {shown}" if len(names) == 1 else f"{many} {shown}{' and others' if len(names) > 8 else ''}"


__all__ = ["Singular", "Tangent", "free_motion", "words"]
