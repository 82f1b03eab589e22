"""Primal-dual interior-point method, ended by Newton's: few iterations, whatever the height of a stack; each factorises a matrix.

In percussions ``x = (mu p_n, p_t)`` and velocities ``y = (v_n/mu, v_t)``, with ``v = u + mu |u_t| n`` (de Saxcé and Feng 1998), friction is
complementarity of two vectors in the same round cone: ``x, y in L, x'y = 0``.  Each iteration is Newton's for ``x o y = m e`` in the
scaling of Nesterov and Todd (1997, Math. Oper. Res. 22, 1-42) with Mehrotra's predictor, the algebra as in Andersen, Roos and Terlaky
(2003, Math. Program. 95, 249-277).  The lift ``|u_t|`` is that of the iteration before, so friction is Coulomb's; where many contacts
slide this takes more iterations (for such problems, without friction: Acary, Armand, Nguyen and Shpakovych 2024 keep it in Newton's
matrix).
"""

import numpy as np
from scipy import sparse

from flexmbd.linalg.direct import Singular, analyse
from flexmbd.nonsmooth.newton import newton
from flexmbd.nonsmooth.problem import TINY

HANDED = 1e-7  # residual from which the semi-smooth Newton method goes on: open, sticking and sliding are told apart by then
SLOW = 15  # iterations in which the residual must fall to a tenth, or Newton's method goes on
ITERATIONS = 100
SHORT = 0.99  # of the way to the cone's edge
FLOOR = 1e-3  # least complementarity aimed at, by tolerance and squared free velocities: below it the scaling is all rounding
FIRM = 1e-13  # added to the scaled diagonal, since redundant contacts make the matrix singular,
REFINED = 2  # and taken out by refinement
SIGNS = np.array([1.0, -1.0, -1.0])


def determinant(x):
    """``x_0^2 - |x_1|^2`` of vectors of the cone, without cancellation."""
    side = np.hypot(x[:, 1], x[:, 2])
    return np.maximum((x[:, 0] - side) * (x[:, 0] + side), TINY)


def product(a, b):
    """The cone's product ``a o b``."""
    return np.column_stack([(a * b).sum(1), a[:, :1] * b[:, 1:] + b[:, :1] * a[:, 1:]])


def quotient(a, b):
    """The x of ``a o x = b``."""
    first = (a[:, 0] * b[:, 0] - (a[:, 1:] * b[:, 1:]).sum(1)) / determinant(a)
    return np.column_stack([first, (b[:, 1:] - first[:, None] * a[:, 1:]) / a[:, :1]])


def way(x, d):
    """How far all x may go along d before one leaves the cone."""
    a, b, c = (d * d * SIGNS).sum(1), (x * d * SIGNS).sum(1), determinant(x)
    root = b * b - a * c
    below = np.sqrt(np.maximum(root, 0.0)) - b
    leaves = (root >= -1e-12 * b * b) & (below > 0.0)  # less than zero by rounding: through the cone's point
    return float(np.min(np.where(leaves, c / np.where(leaves, below, 1.0), np.inf)))


class Scaling:
    """Nesterov and Todd's: ``W y = W^-1 x``."""

    def __init__(self, x, y):
        sizes = np.sqrt(determinant(x)), np.sqrt(determinant(y))
        a, b = x / sizes[0][:, None], y / sizes[1][:, None]
        self.w = (a + SIGNS * b) / np.sqrt(2.0 * (1.0 + (a * b).sum(1)))[:, None]
        self.eta = np.sqrt(sizes[0] / sizes[1])[:, None]
        v = self.w * SIGNS
        self.block = (2.0 * v[:, :, None] * v[:, None, :] - np.diag(SIGNS)) / (self.eta**2)[:, :, None]  # W^-2

    def times(self, z, way=1.0):
        """``W z``, or with -1 ``W^-1 z``."""
        w, along = way * self.w[:, 1:], way * (self.w[:, 1:] * z[:, 1:]).sum(1)
        first = self.w[:, 0] * z[:, 0] + along
        rest = z[:, 1:] + w * (z[:, 0] + along / (1.0 + self.w[:, 0]))[:, None]
        return self.eta**way * np.column_stack([first, rest])


class BarrierSystem:
    """The matrix of all contacts with blocks added to its diagonal, factorised and solved; its unknowns are x."""

    def __init__(self, problem, factors):
        starts, columns, blocks, _ = problem.blocks
        m, rows = problem.count, np.repeat(np.arange(problem.count), np.diff(starts))
        even = blocks * factors[rows][:, :, None] * factors[columns][:, None, :]
        self.matrix = sparse.csc_array(sparse.bsr_array((even, columns, starts)))
        self.matrix.sort_indices()
        self.of_rows, self.of_columns = self.matrix.indices, np.repeat(np.arange(3 * m), np.diff(self.matrix.indptr))
        place = 3 * np.arange(m)[:, None, None] + np.zeros((1, 3, 3), dtype=np.int64)
        i, j = place + np.arange(3)[None, :, None], place + np.arange(3)[None, None, :]
        self.own = np.searchsorted(self.of_columns * (3 * m) + self.of_rows, (j * (3 * m) + i).ravel())
        self.diagonal, self.symbolic = self.own.reshape(m, 9)[:, ::4].ravel(), analyse(self.matrix, definite=True)

    def times(self, x):
        """Velocities of x."""
        return (self.matrix @ x.ravel()).reshape(x.shape)

    def factorise(self, added):
        """Function that solves with blocks added."""
        whole = self.matrix.copy()
        whole.data[self.own] += added.ravel()
        even = 1.0 / np.sqrt(whole.data[self.diagonal])
        values = whole.data * even[self.of_rows] * even[self.of_columns]
        values[self.diagonal] += FIRM
        factors = self.symbolic.factorise(values)

        def solve(side):
            found = even * factors.solve(even * side.ravel())
            for _ in range(REFINED):
                found += even * factors.solve(even * (side.ravel() - whole @ found))
            return found.reshape(side.shape)

        return solve


def ipm(problem, tolerance, iterations, start):
    """Interior-point iterations from the middle of the cones, wherever `start` is; an iteration is a factorisation and two solutions.

    Residuals below 1e-7, and where it goes on slowly or rounding leaves it no way, are for `newton`, from the best percussions so far.
    """
    near, most, mu = max(tolerance, HANDED), ITERATIONS if iterations is None else iterations, problem.friction
    factors = np.ones((problem.count, 3)) / np.sqrt(problem.yields)[:, None]
    rough = mu > 0.0
    factors[rough, 0] /= mu[rough]
    if not rough.all():  # their tangents are left alone
        factors[~rough, 1:] *= 1e-8
    system, q = BarrierSystem(problem, factors), factors * problem.wide
    size = max(float(np.abs(q).max()), TINY)
    identity = np.tile([1.0, 0.0, 0.0], (problem.count, 1))
    x, y = size * identity, size * identity
    best, least, past = np.zeros_like(x), np.inf, []
    for done in range(most + 1):
        residual = problem.residual((factors * x)[:, : problem.dimension])
        if residual < least:
            best, least = factors * x, residual
        past.append(residual)
        if done == most or residual <= near or (done >= SLOW and residual > 0.1 * past[-1 - SLOW]):
            break
        apart = system.times(x) + q - y
        apart[rough, 0] += np.hypot(y[rough, 1], y[rough, 2])
        gap, scaling = float((x * y).sum()) / problem.count, Scaling(x, y)
        middle = scaling.times(y)
        try:
            solve = system.factorise(scaling.block)
        except Singular:
            break

        def step(wanted, apart=apart, scaling=scaling, middle=middle, solve=solve):
            along = scaling.times(quotient(middle, wanted), -1.0)
            dx = solve(along - apart)
            return dx, along - np.einsum("kij,kj->ki", scaling.block, dx)

        dx, dy = step(-product(middle, middle))
        far = min(1.0, way(x, dx), way(y, dy))
        share = float(((x + far * dx) * (y + far * dy)).sum()) / problem.count / gap
        aim = max(min(max(share, 0.0), 1.0) ** 3 * gap, FLOOR * near * size * size)
        bent = product(scaling.times(dx, -1.0), scaling.times(dy))
        dx, dy = step(aim * identity - product(middle, middle) - bent)
        far = min(1.0, SHORT * min(way(x, dx), way(y, dy)))
        if not (np.all(np.isfinite(dx)) and far > 1e-6):
            break
        x, y = x + far * dx, y + far * dy
    if least <= tolerance or done == most:
        return best, done, ""
    found, more, message = newton(problem, tolerance, most - done, best.copy())
    return found, done + more, message


__all__ = ["ipm"]
