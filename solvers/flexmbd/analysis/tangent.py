"""The linearised equations of equilibrium at a state, factored; and what is wrong with them when they are singular.

With ``K = -dF/dq + sum_k l_k H_k``, ``G = dPhi/dq``, the coordinates' weights W (`Equations.weights`), the size s of W K W, and factors R
that make the largest entry of each row of G W one::

    [ W K W/s   W G' R ] [ dq/W     ]   [ W (F - G' l)/s ]
    [ R G W     0      ] [ dl/(R s) ] = [ -R Phi         ]

All of its numbers are without unit, so how near it is to a singular one does not depend on the system's size.
"""

from functools import cached_property

import numpy as np

from flexmbd.language.arrays import Pattern
from flexmbd.linalg.direct import Singular, analyse


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
    """

    def __init__(self, equations, state, border=None, resistance=None):
        e, q, t, turns, multipliers = equations, state.q, state.t, state.turns, state.multipliers
        self.equations, self.state = e, state
        self.n, self.count = e.n, e.count
        self.K = e.stiffness(q, None, t, turns), e.curvature(q, multipliers, t)  # apart, because each has a fixed pattern
        self.resistance = np.zeros(e.n) if resistance is None else resistance
        self.G = e.jacobian(q, t)
        force = e.force(q, None, t, turns)
        self.residual = force - self.G.T @ multipliers, -e.constraints(q, t)
        eps = np.finfo(float).eps
        self.rounding = 16 * eps * (sum(abs(part) @ np.abs(q) for part in self.K) + abs(self.G.T) @ np.abs(multipliers) + np.abs(force))
        self.scaled, self.factors_of_rows = e.scaled(self.G)
        self.matrix = self._assembled(border)
        self._factor()

    @property
    def at_rounding(self):
        """True if every residual is below what rounding makes of its parts."""
        rows, eps = np.abs(self.residual[1]), np.finfo(float).eps
        closed = (rows * self.factors_of_rows < 1e-13) | (rows <= 16 * eps * (abs(self.G) @ np.abs(self.state.q)))
        return bool(np.all(closed) and np.all(np.abs(self.residual[0]) <= self.rounding))

    def _assembled(self, border):
        """The matrix by columns; all of its parts have fixed patterns, so its own is found once."""
        w, key = self.equations.weights, border is not None
        known = self.equations.analyses
        if key not in known:
            known[key] = self._pattern(key)
        pattern, places = known[key]
        parts = [part.data * w[i] * w[j] for part, (i, j) in zip(self.K, places, strict=True)] + [self.resistance * w * w]
        self.size = max(np.abs(part).max(initial=0.0) for part in parts) or 1.0
        parts = [part / self.size for part in parts] + [self.scaled.data, self.scaled.data]
        if key:
            by_load = -np.r_[self.load[0] * w / self.size, self.load[1] * self.factors_of_rows]
            row = np.r_[border[0] * w, border[1]]
            self.time, self.across = (1.0 / (np.abs(x).max() or 1.0) for x in (by_load, row))
            row = self.across * row
            parts += [row[:-1], self.time * by_load, [self.time * row[-1]]]
        return pattern.fill(np.concatenate(parts)).T

    def _pattern(self, bordered):
        """`Pattern` of the matrix, and the places of the entries of both parts of the stiffness."""
        n, size = self.n, self.n + self.count
        (k, c), g = (part.tocoo() for part in self.K), self.G.tocoo()
        rows = [k.row, c.row, np.arange(n), n + g.row, g.col]
        columns = [k.col, c.col, np.arange(n), g.col, n + g.row]
        if bordered:
            rows += [np.full(n, size), np.arange(size), [size]]
            columns += [np.arange(n), np.full(size, size), [size]]
        full = size + bordered
        return Pattern(np.concatenate(columns), np.concatenate(rows), (full, full)), ((k.row, k.col), (c.row, c.col))

    def _factor(self):
        known, key = self.equations.analyses, (self.matrix.shape, self.equations.solver)
        if key not in known:
            known[key] = analyse(self.matrix, key[1])
        self.factors = known[key].factorise(self.matrix.data)

    def solve(self, force, rows, last=None):
        """Changes of coordinates, multipliers (and time, with a border) for right-hand sides of forces, rows (and border)."""
        w, r = self.equations.weights, self.factors_of_rows
        side = np.r_[force * w / self.size, rows * r, [] if last is None else self.across * last]
        x = self.factors.solve(side)
        dq, dl = w * x[: self.n], self.size * r * x[self.n : self.n + self.count]
        return (dq, dl) if last is None else (dq, dl, self.time * x[-1])

    @cached_property
    def load(self):
        """Derivative of the residual by time: forces and rows."""
        e, s = self.equations, self.state
        force = e.force_rate(s.q, None, s.t, s.turns) - e.jacobian_rate(s.q, s.t).T @ s.multipliers
        return force, -e.constraints_rate(s.q, s.t)

    @property
    def sign(self):
        """Sign of the determinant."""
        return self.factors.sign


def free_motion(equations, state):
    """Sentence that names what can move without a force, or what rows depend on others, where the tangent is singular."""
    e = equations
    try:
        tangent = Unfactored(e, state)
    except (ValueError, FloatingPointError):
        return "it is not finite"
    matrix = tangent.matrix.toarray()
    if not np.all(np.isfinite(matrix)):
        return "it is not finite"
    _, sizes, vectors = np.linalg.svd(matrix)
    null = np.abs(vectors[sizes < max(10 * sizes[-1], 1e-10 * sizes[0])])
    null = null / null.max(axis=1, keepdims=True)
    moving = [e.coordinates[i] for i in np.flatnonzero(null[:, : e.n].max(axis=0) > 0.1)]
    if moving:
        unnamed = {body.name for body in e.system.bodies if not body.named}
        moving = [name for name in moving if name.partition("[")[0] not in unnamed] or moving
        bodies = list(dict.fromkeys(name.partition("[")[0] for name in moving))
        return f"{_list(bodies, 'body', 'bodies')} can move without a force (coordinates {', '.join(moving[:8])})"
    rows = [e.rows[k] for k in np.flatnonzero(null[:, e.n :].max(axis=0) > 0.1)]
    return f"the constraints {', '.join(rows[:8])} depend on each other"


class Unfactored(Tangent):
    """The same without a solution, for where the matrix may be singular."""

    def _factor(self):
        pass


def _list(names, one, many):
    shown = ", ".join(f"'{name}'" for name in names[:8])
    return f"{one} {shown}" if len(names) == 1 else f"{many} {shown}{' and others' if len(names) > 8 else ''}"


__all__ = ["Singular", "Tangent", "Unfactored", "free_motion"]
