"""Semi-smooth Newton on the functions of Alart and Curnier (1991, CMAME 92, 353-375), damped: few iterations, each a factorisation."""

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

from flexmbd.nonsmooth.cones import project, rows_times
from flexmbd.nonsmooth.nsgs import painleve, swept
from flexmbd.nonsmooth.problem import TINY

ITERATIONS = 100
SWEEPS = 20  # of Gauss-Seidel at the start, and where no step along Newton's direction gains; each time twice as many,
MOST = 5_000  # at most
HALVES = 8  # of a step, before that
FLOOR = 1e-9  # added to a matrix that redundant contacts make singular, of its scaled diagonal


def functions(problem, p):
    """Alart and Curnier's functions (m, 3) as velocities, and their derivatives (m, 3, 3) by p and by r u."""
    u, mu, r = rows_times(*problem.blocks[:3], p, problem.wide), problem.friction, 1.0 / problem.yields
    z = p - r[:, None] * u
    radius, size = mu * np.maximum(z[:, 0], 0.0), np.hypot(z[:, 1], z[:, 2])
    opens, slides = z[:, 0] <= 0.0, size > radius
    e = z[:, 1:] / np.maximum(size, TINY)[:, None]
    share = np.where(slides, radius / np.maximum(size, TINY), 1.0)
    value = np.empty_like(p)
    value[:, 0] = p[:, 0] - np.maximum(z[:, 0], 0.0)
    value[:, 1:] = p[:, 1:] - share[:, None] * z[:, 1:]
    across = np.eye(2) - e[:, :, None] * e[:, None, :]
    by_u = np.zeros((len(p), 3, 3))
    by_u[:, 0, 0] = 1.0
    by_u[:, 1:, 1:] = np.where(slides[:, None, None], share[:, None, None] * across, np.eye(2))
    by_u[:, 1:, 0] = np.where(slides, mu, 0.0)[:, None] * e
    by_u[opens] = 0.0
    return value / r[:, None], np.eye(3) - by_u, by_u


def direction(problem, value, by_p, by_u):
    """Newton's step."""
    starts, columns, blocks, diagonal = problem.blocks
    rows, r = np.repeat(np.arange(problem.count), np.diff(starts)), 1.0 / problem.yields
    found = r[rows, None, None] * (by_u[rows] @ blocks)
    found[diagonal] += by_p + FLOOR * np.eye(3)
    matrix = sparse.bsr_array((found, columns, starts), shape=(value.size, value.size)).tocsc()
    return -splu(matrix).solve((r[:, None] * value).ravel()).reshape(value.shape)


def newton(problem, tolerance, iterations, start):
    """Newton's method with steps halved until the functions shrink; an iteration is a step, or the sweeps in its place.

    It begins with 20 sweeps of Gauss-Seidel, and makes more, each time twice as many, where no step gains or the matrix is singular.  Tight
    tolerances cost little; each step factorises a matrix of all contacts.
    """
    p, most = start, ITERATIONS if iterations is None else iterations
    flat, mu = problem.dimension == 2, problem.friction

    def sweep(many):
        wanted = tolerance * max(problem.speed, TINY)
        return swept(flat, *problem.blocks, problem.wide, mu, p, 1.0 / problem.yields, wanted, many)[2]

    many = SWEEPS
    lost = sweep(many)
    for done in range(most + 1):
        if lost >= 0:
            return np.full_like(p, np.nan), done, painleve(problem, lost)
        u = rows_times(*problem.blocks[:3], p, problem.wide)
        if done == most or problem.residual_of(p, u) <= tolerance:
            return p, done, ""
        value, by_p, by_u = functions(problem, p)
        size, gained = np.linalg.norm(value), False
        try:
            step = direction(problem, value, by_p, by_u)
        except RuntimeError:  # a singular matrix
            step = np.full_like(p, np.nan)
        if np.all(np.isfinite(step)):
            for half in range(HALVES):
                new = p + 0.5**half * step
                if np.linalg.norm(functions(problem, new)[0]) < (1.0 - 0.1 * 0.5**half) * size:
                    p[:], gained = new, True
                    break
        if not gained:
            many = min(2 * many, MOST)
            p[:] = project(p, mu)
            lost = sweep(many)


__all__ = ["newton"]
